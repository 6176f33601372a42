defmodule Nx.Vulkan.Program do
  @moduledoc false
  # A loaded program with all that a call needs: which inputs are read, the template of the result, and the
  # callbacks. A warm call uploads what is not on the device, runs, and wraps buffers; it walks no graph.

  import Nx.Vulkan.Remote, only: [is_foreign: 1]
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.{Backend, Callbacks, Container, Device, Error, Job, NIF, Remote, Serializer}
  alias Nx.Vulkan.Serializer.Number

  @enforce_keys [:ref, :device, :used, :template]
  defstruct [:ref, :device, :used, :template, name: "", callbacks: [], donated: [], labels: [], trusted: true]

  @typedoc """
  `device` is an index, `used` a boolean for each flat input, `donated` flat input indices, `labels` what each flat
  input is called in errors.
  """
  @type t :: %__MODULE__{}

  @doc """
  Loads a bundle. The result is shared between all functions that compile to it. `trusted` is for bundles that this
  process compiled or read from its own cache: vkr.h says what the runtime does with others. `progress` is the
  compiler's option of this name, or nil.
  """
  @spec load(Device.t(), binary, binary, boolean, (map -> term) | nil) :: NIF.program()
  def load(device, bundle, name, trusted, progress \\ nil) do
    report = Job.report(:load, name, progress)

    :telemetry.span([:nx_vulkan, :load], %{name: name, bytes: byte_size(bundle)}, fn ->
      loaded = Device.retry(fn -> NIF.load(device.ref, bundle, trusted, report) end)
      Device.report(device)

      case loaded do
        {:ok, ref} -> {ref, %{name: name, bytes: byte_size(bundle)}}
        {:error, failure} -> Error.raise!(failure)
      end
    end)
  end

  @doc "Runs with flat inputs: tensors, or functions that give one and are called only if it is read."
  @spec run(t, [T.t() | (-> T.t())], map, timeout) :: Nx.Container.t()
  def run(program, args, hooks \\ %{}, timeout \\ :infinity)

  def run(%__MODULE__{ref: ref} = program, args, hooks, timeout) when is_foreign(ref),
    do: program |> Remote.program() |> run(args, hooks, timeout)

  def run(%__MODULE__{} = program, args, hooks, timeout) do
    metadata = %{name: program.name}

    :telemetry.span([:nx_vulkan, :run], metadata, fn ->
      device = Device.fetch!(program.device)
      buffers = submit(program, device, inputs(args, program.used, 0, device, program), hooks, timeout)
      {Container.fill(program.template, buffers, &%Backend{buffer: &1, device: program.device}), metadata}
    end)
  end

  @doc "The buffer that holds a tensor on `device`; uploaded if it is elsewhere."
  @spec buffer(T.t(), Device.t()) :: NIF.buffer()
  def buffer(%T{data: %Backend{buffer: buffer, device: index}}, %Device{index: index}) when not is_foreign(buffer),
    do: buffer

  def buffer(%T{data: %Nx.Defn.Expr{}} = t, _device) do
    raise ArgumentError, "cannot pass a tensor expression as argument to defn, got: #{inspect(t)}"
  end

  def buffer(%T{type: type} = t, device) do
    Device.upload(device, t |> Nx.devectorize() |> Nx.to_binary() |> Number.unpack(type))
  end

  # What is on the device already, as most is, costs one look.
  defp inputs([arg | args], [true | used], i, %Device{index: index} = device, program) do
    buffer =
      case if(is_function(arg), do: arg.(), else: arg) do
        %T{data: %Backend{buffer: buffer, device: ^index}} when not is_foreign(buffer) -> buffer
        tensor -> input(tensor, device, {program, i})
      end

    [buffer | inputs(args, used, i + 1, device, program)]
  end

  defp inputs([_ | args], [false | used], i, device, program), do: [nil | inputs(args, used, i + 1, device, program)]
  defp inputs([], [], _i, _device, _program), do: []

  # on another device, or another node
  defp input(%T{data: %Backend{buffer: buffer, device: index}} = t, device, {program, i})
       when is_foreign(buffer) or index != device.index do
    flat = Nx.devectorize(t)

    case Backend.fetch(flat, Nx.size(flat)) do
      {:ok, data} -> Device.upload(device, data)
      {:error, {status, message}} -> Error.raise!({status, "#{label(program, i)}, #{spec(t)}: #{message}"})
    end
  end

  defp input(tensor, device, _at), do: buffer(tensor, device)

  @doc "What errors call the flat inputs of a function with such arguments: `argument 0 at 1.kernel`."
  @spec labels([Nx.Container.t()]) :: [binary]
  def labels(args) do
    for {arg, position} <- Enum.with_index(args), {path, _} <- leaves(arg, []) do
      Enum.join([
        "argument #{position}" | if(path == [], do: [], else: [" at ", path |> Enum.reverse() |> Enum.join(".")])
      ])
    end
  end

  # tensors with the keys that lead to them; those of structs that say themselves what their tensors are, by number
  defp leaves(%T{} = t, path), do: [{path, t}]

  defp leaves(map, path) when is_map(map) and not is_struct(map),
    do: for({key, value} <- Enum.sort(map), leaf <- leaves(value, [key_name(key) | path]), do: leaf)

  defp leaves(container, path) do
    elements = container |> Nx.Container.reduce([], &[&1 | &2]) |> Enum.reverse()
    for {element, i} <- Enum.with_index(elements), leaf <- leaves(element, [i | path]), do: leaf
  end

  defp key_name(key) when is_atom(key) or is_binary(key), do: key
  defp key_name(key), do: inspect(key)

  defp label(%{labels: labels, name: name}, i), do: "#{Enum.at(labels, i) || "argument #{i}"} of #{name}"

  defp spec(%T{type: type, shape: shape}),
    do: "#{Serializer.type_name(type)}[#{shape |> Tuple.to_list() |> Enum.join(",")}]"

  defp submit(program, device, inputs, hooks, timeout) do
    inputs = if program.donated == [], do: inputs, else: unshare(inputs, program)

    result = Device.retry(fn -> Callbacks.run(program, inputs, hooks, timeout) end)
    if device.validate, do: Device.report(device)

    case result do
      {:ok, buffers, live_bytes} ->
        Device.note(device, live_bytes)
        buffers

      {:error, failure} ->
        Error.raise!(named(failure, inputs, program))
    end
  end

  # A run does not say which of its inputs is gone.
  defp named({:invalid_handle, message}, inputs, program) do
    gone = Enum.find_index(inputs, &(&1 != nil and not match?({_, true}, NIF.buffer_info(&1))))

    if gone do
      {:invalid_handle,
       "#{label(program, gone)} was freed, or its memory was given away by the option :donate of an earlier call. " <>
         "Use that call's result, or donate a copy: Nx.backend_copy(tensor, Nx.Vulkan.Backend)"}
    else
      {:invalid_handle, message}
    end
  end

  defp named(failure, _inputs, _program), do: failure

  # A buffer that is donated and read through another input as well must not change under that one.
  defp unshare(inputs, %{donated: donated} = program) do
    buffers = Enum.reject(inputs, &is_nil/1)

    if length(:lists.usort(buffers)) == length(buffers) do
      inputs
    else
      shared = buffers -- Enum.uniq(buffers)

      for {buffer, i} <- Enum.with_index(inputs),
          do: if(buffer in shared and i in donated, do: copy(buffer, inputs, program), else: buffer)
    end
  end

  defp copy(buffer, inputs, program) do
    case Device.retry(fn -> NIF.buffer_copy(buffer) end) do
      {:ok, copy} -> copy
      {:error, failure} -> Error.raise!(named(failure, inputs, program))
    end
  end
end
