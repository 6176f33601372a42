defmodule Nx.Vulkan.Program do
  @moduledoc false
  # A loaded program with all that a call needs: which inputs are read, the template of the result, and the
  # callbacks. A warm call uploads what is not on the device, runs, and wraps buffers; it walks no graph.

  alias Nx.Defn.Composite
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.{Backend, Callbacks, Device, Error, NIF}
  alias Nx.Vulkan.Serializer.Number

  @enforce_keys [:ref, :device, :used, :template]
  defstruct [:ref, :device, :used, :template, name: "", callbacks: [], donated: []]

  @typedoc "`device` is an index, `used` a boolean for each flat input, `donated` flat input indices."
  @type t :: %__MODULE__{}

  @doc """
  Loads a bundle. The result is shared between all functions that compile to it. `trusted` is for bundles that this
  process compiled or read from its own cache: vkr.h says what the runtime does with others.
  """
  @spec load(Device.t(), binary, binary, boolean) :: NIF.program()
  def load(device, bundle, name, trusted) do
    :telemetry.span([:nx_vulkan, :load], %{name: name, bytes: byte_size(bundle)}, fn ->
      loaded = Device.retry(fn -> NIF.load(device.ref, bundle, trusted) end)
      Device.report(device)

      case loaded do
        {:ok, ref} -> {ref, %{name: name, bytes: byte_size(bundle)}}
        {:error, failure} -> Error.raise!(failure)
      end
    end)
  end

  @doc "Runs with flat inputs: tensors, or functions that give one and are called only if it is read."
  @spec run(t, [T.t() | (-> T.t())], map, timeout) :: Nx.Container.t()
  def run(%__MODULE__{} = program, args, hooks \\ %{}, timeout \\ :infinity) do
    metadata = %{name: program.name}

    :telemetry.span([:nx_vulkan, :run], metadata, fn ->
      device = Device.fetch!(program.device)
      buffers = submit(program, device, inputs(args, program.used, device), hooks, timeout)
      {wrap(program.template, buffers, program.device), metadata}
    end)
  end

  @doc "The buffer that holds a tensor on `device`; uploaded if it is elsewhere."
  @spec buffer(T.t(), Device.t()) :: NIF.buffer()
  def buffer(%T{data: %Backend{buffer: buffer, device: index}}, %Device{index: index}), do: buffer

  def buffer(%T{data: %Nx.Defn.Expr{}} = t, _device) do
    raise ArgumentError, "cannot pass a tensor expression as argument to defn, got: #{inspect(t)}"
  end

  def buffer(%T{type: type} = t, device) do
    Device.upload(device, t |> Nx.devectorize() |> Nx.to_binary() |> Number.unpack(type))
  end

  defp inputs([arg | args], [true | used], device) do
    tensor = if is_function(arg), do: arg.(), else: arg
    [buffer(tensor, device) | inputs(args, used, device)]
  end

  defp inputs([_ | args], [false | used], device), do: [nil | inputs(args, used, device)]
  defp inputs([], [], _device), do: []

  defp submit(program, device, inputs, hooks, timeout) do
    inputs = if program.donated == [], do: inputs, else: unshare(inputs, program.donated)

    result = Device.retry(fn -> Callbacks.run(program, inputs, hooks, timeout) end)
    if device.validate, do: Device.report(device)

    case result do
      {:ok, buffers, live_bytes} ->
        Device.note(device, live_bytes)
        buffers

      {:error, failure} ->
        Error.raise!(failure)
    end
  end

  # A buffer that is donated and read through another input as well must not change under that one.
  defp unshare(inputs, donated) do
    buffers = Enum.reject(inputs, &is_nil/1)

    if length(:lists.usort(buffers)) == length(buffers) do
      inputs
    else
      shared = buffers -- Enum.uniq(buffers)

      for {buffer, i} <- Enum.with_index(inputs),
          do: if(buffer in shared and i in donated, do: copy(buffer), else: buffer)
    end
  end

  defp copy(buffer) do
    case Device.retry(fn -> NIF.buffer_copy(buffer) end) do
      {:ok, copy} -> copy
      {:error, failure} -> Error.raise!(failure)
    end
  end

  defp wrap(%T{} = hole, [buffer], device), do: %{hole | data: %Backend{buffer: buffer, device: device}}

  defp wrap(template, buffers, device) do
    {result, []} =
      Composite.traverse(template, buffers, fn %T{} = hole, [buffer | rest] ->
        {%{hole | data: %Backend{buffer: buffer, device: device}}, rest}
      end)

    result
  end
end
