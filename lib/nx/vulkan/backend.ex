defmodule Nx.Vulkan.Backend do
  @moduledoc """
  Tensors in the memory of a Vulkan device.

      Nx.default_backend(Nx.Vulkan.Backend)
      Nx.default_backend({Nx.Vulkan.Backend, device: "llvmpipe"})

  Every op is compiled as a graph of one node by `Nx.Vulkan.Compiler` and runs on the device; there is no second
  implementation of any op and no fallback to another backend. Ops return before the device has finished;
  reading a tensor waits. Fusing many ops into few kernels is what `Nx.Defn.jit/2` is for.

      iex> t = Nx.tensor([1, 2, 3], backend: Nx.Vulkan.Backend)
      iex> Nx.to_flat_list(Nx.multiply(t, t))
      [1, 4, 9]

  Memory is freed when a tensor is garbage collected, or at once by `Nx.backend_deallocate/1`.

      config :nx_vulkan, add_backend_on_inspect: false

  leaves out the line that names the backend when a tensor is inspected.

  ## Other nodes

  A tensor can be sent to another node, and read, inspected, transferred, freed and passed to functions there: its
  bytes are then fetched from the node that has it, each time, and what is computed is on the device of the node that
  computes. Sending it keeps nothing alive: it lasts while a process of its own node refers to it. So the node that
  has it must keep it for as long as others need it, as the caller of `Nx.Serving.batched_run/2` does with its
  arguments; the results of a serving are kept by nobody. Copies on `Nx.BinaryBackend` travel whole:

      serving = Nx.Serving.distributed_postprocessing(serving, &Nx.backend_copy/1)
      Nx.Serving.batched_run(MyServing, tensor, &Nx.backend_copy/1)

  The second copies the argument before it is sent, which spares the serving a call back, and lets the other requests
  of a batch go on when the caller's node fails. Where bytes cannot be fetched, the error names the argument, the
  node, and the cause. A donated argument that is on another node is copied, and stays.
  """

  @behaviour Nx.Backend

  alias Nx.Tensor, as: T
  import Nx.Vulkan.Remote, only: [is_foreign: 1]
  alias Nx.Vulkan.{Device, Eager, Error, NIF, Program, Remote}
  alias Nx.Vulkan.Serializer.{Builder, Number}

  # the application that the settings belong to, whatever mix.exs calls it
  @app Mix.Project.config()[:app]

  @enforce_keys [:buffer, :device]
  defstruct [:buffer, :device]

  @type t :: %__MODULE__{buffer: NIF.buffer(), device: non_neg_integer}

  @impl true
  def init(opts), do: Keyword.validate!(opts, [:device])

  ## Creation

  @impl true
  def constant(%T{type: type, shape: shape} = out, number, opts) do
    {_, width} = type
    width = max(width, 8)
    device = device(opts)
    one = %{out | shape: {}, names: []}
    scalar = place(one, <<Number.bits(number, type)::little-size(width)>>, device)

    if shape == {},
      do: %{out | data: scalar.data},
      else: Eager.op(:broadcast, out, [scalar, shape, []], device.index)
  end

  @impl true
  def from_binary(%T{type: type} = out, binary, opts), do: place(out, Number.unpack(binary, type), device(opts))

  @impl true
  def iota(out, axis, opts),
    do:
      Eager.run({:iota, Builder.spec(out), axis}, [], opts[:device], fn [] -> Nx.Defn.Expr.iota(out, axis, []) end)
      |> like(out)

  @impl true
  def eye(out, opts),
    do: Eager.run({:eye, Builder.spec(out)}, [], opts[:device], fn [] -> Nx.Defn.Expr.eye(out, []) end) |> like(out)

  ## Moving

  @impl true
  def backend_deallocate(%T{data: %__MODULE__{buffer: buffer}}) do
    case if(is_foreign(buffer), do: Remote.free(buffer), else: NIF.buffer_free(buffer)) do
      {:error, failure} -> Error.raise!(failure)
      result -> result
    end
  end

  @impl true
  def backend_copy(%T{data: %__MODULE__{buffer: buffer} = data} = tensor, __MODULE__, opts) do
    device = device(opts)

    if device.index == data.device and not is_foreign(buffer) do
      case Device.retry(fn -> NIF.buffer_copy(buffer) end) do
        {:ok, copy} -> %{tensor | data: %{data | buffer: copy}}
        {:error, failure} -> Error.raise!(failure)
      end
    else
      place(tensor, read(tensor, Nx.size(tensor)), device)
    end
  end

  def backend_copy(tensor, backend, opts), do: backend.from_binary(tensor, to_binary(tensor, Nx.size(tensor)), opts)

  @impl true
  def backend_transfer(%T{data: %__MODULE__{buffer: buffer, device: index}} = tensor, backend, opts) do
    if backend == __MODULE__ and not is_foreign(buffer) and device(opts).index == index do
      tensor
    else
      try do
        backend_copy(tensor, backend, opts)
      after
        backend_deallocate(tensor)
      end
    end
  end

  @impl true
  def to_binary(%T{type: type} = tensor, limit), do: tensor |> read(limit) |> Number.pack(type)

  # fetched once, not for each batch
  @impl true
  def to_batched(out, %T{data: %__MODULE__{buffer: buffer}} = tensor, opts) when is_foreign(buffer),
    do: to_batched(out, place(tensor, read(tensor, Nx.size(tensor)), device([])), opts)

  def to_batched(%T{shape: shape}, tensor, opts) do
    batch = elem(shape, 0)
    size = elem(tensor.shape, 0)
    full = div(size, batch)
    left = rem(size, batch)
    last = if left != 0 and opts[:leftover] == :repeat, do: full, else: full - 1

    Stream.map(0..last//1, fn
      ^full ->
        Nx.concatenate([Nx.slice_along_axis(tensor, full * batch, left), Nx.slice_along_axis(tensor, 0, batch - left)])

      i ->
        Nx.slice_along_axis(tensor, i * batch, batch)
    end)
  end

  @impl true
  def inspect(%T{type: type, data: %__MODULE__{buffer: buffer, device: device}} = tensor, inspect_opts) do
    limit = if inspect_opts.limit == :infinity, do: :infinity, else: inspect_opts.limit + 1
    bytes = Number.bytes(type, [min(limit, Nx.size(tensor))])

    # a tensor that cannot be read says so: whoever looks at one does not want an exception
    case if(is_foreign(buffer), do: Remote.glance(buffer, bytes), else: NIF.buffer_read(buffer, 0, bytes)) do
      {:ok, data} ->
        shown = Nx.Backend.inspect(tensor, Number.pack(data, type), inspect_opts)
        if Application.get_env(@app, :add_backend_on_inspect, true), do: signed(shown, buffer, device), else: shown

      {:error, {_, message}} ->
        signed("(not readable: #{message})", buffer, device)
    end
  end

  defp signed(shown, buffer, device) do
    ~c"#Ref<" ++ ref = :erlang.ref_to_list(buffer)
    where = if is_foreign(buffer), do: "#{device} of #{node(buffer)}", else: device
    Inspect.Algebra.concat(["Nx.Vulkan.Backend<#{where}, " <> List.to_string(ref), Inspect.Algebra.line(), shown])
  end

  @doc """
  A tensor over memory of this operating system process, which is not copied.

  A `:local` pointer that `to_pointer/2` gave for a tensor of this backend makes a tensor that shares its memory; the
  memory lives as long as either. Any other address is memory that somebody else keeps. It must stay until the tensor
  is gone and everything that was computed from it has been read, it must not change while it is read, and the
  device must have the Vulkan extension `VK_EXT_external_memory_host` and like the address (page-aligned ones suit
  all). Addresses that are not mapped are refused; what is wrong with the others nobody can tell, and reading may
  crash the process.

  Tensors over shared memory are only read: donating one raises. The pointer's `data_size` must be that of the
  shape and type, where elements under 8 bits take a byte.
  """
  @impl true
  @spec from_pointer(Nx.Pointer.t(), Nx.Type.t(), T.shape(), keyword, keyword) :: T.t()
  def from_pointer(%Nx.Pointer{} = pointer, type, shape, backend_opts, opts) do
    device = device(Keyword.validate!(backend_opts, [:device]))
    opts = Keyword.validate!(opts, [:names])
    template = Nx.template(shape, type, names: opts[:names])
    size = byte_count(template)

    if pointer.data_size != size do
      raise ArgumentError,
            "invalid pointer data_size for shape, expected: #{size}, got: #{inspect(pointer.data_size)}"
    end

    case import_pointer(device, pointer, size) do
      {:ok, buffer} -> %{template | data: %__MODULE__{buffer: buffer, device: device.index}}
      {:error, failure} -> Error.raise!(copy_instead(failure, "Nx.from_binary/3"))
    end
  end

  defp import_pointer(device, %Nx.Pointer{kind: :local, address: address}, size)
       when address in 0..0xFFFF_FFFF_FFFF_FFFF,
       do: NIF.buffer_import(device.ref, address, size)

  defp import_pointer(_device, %Nx.Pointer{kind: :ipc}, _size), do: refuse_ipc()

  defp import_pointer(_device, pointer, _size) do
    raise ArgumentError, "expected a :local pointer with an address, got: #{inspect(pointer)}"
  end

  @doc """
  Where a tensor is in memory, for other libraries in this process; waits until it is computed.

  `mode: :local`, the default, gives an address, on devices whose memory the host sees: CPU and integrated ones, and
  discrete ones that map all of theirs, over the bus. The address is valid for as long as the tensor, which therefore
  must stay referenced. Nx takes tensors for immutable: who writes there changes what later computations read.
  """
  @impl true
  @spec to_pointer(T.t(), keyword) :: Nx.Pointer.t()
  def to_pointer(tensor, opts \\ [])

  def to_pointer(%T{data: %__MODULE__{buffer: buffer}}, _opts) when is_foreign(buffer) do
    raise ArgumentError,
          "the tensor is in the memory of the node #{node(buffer)}, which has no address here. " <>
            "Copy it first, with Nx.backend_copy(tensor, Nx.Vulkan.Backend)"
  end

  def to_pointer(%T{data: %__MODULE__{buffer: buffer}} = tensor, opts) do
    opts = Keyword.validate!(opts, mode: :local)

    case opts[:mode] do
      :local ->
        case NIF.buffer_address(buffer) do
          {:ok, address} -> %Nx.Pointer{kind: :local, address: address, data_size: byte_count(tensor)}
          {:error, failure} -> Error.raise!(copy_instead(failure, "Nx.to_binary/2"))
        end

      :ipc ->
        refuse_ipc()

      mode ->
        raise ArgumentError, "expected :mode to be :local, got: #{inspect(mode)}"
    end
  end

  defp refuse_ipc do
    raise ArgumentError,
          "Nx.Vulkan.Backend has :local pointers only: its memory is not shared between operating system processes. " <>
            "Send the bytes, with Nx.to_binary/2 and Nx.from_binary/3"
  end

  defp copy_instead({:unsupported, message}, function),
    do: {:unsupported, "#{message}. Copy the bytes, with #{function}"}

  defp copy_instead(failure, _function), do: failure

  ## Ops

  # Fixed starts other than 0 are handed over as tensors, so that one program serves them all.
  @impl true
  def slice(out, tensor, starts, lengths, strides) do
    Eager.op(:slice, out, [tensor, Enum.map(starts, &start(&1, tensor)), lengths, strides])
  end

  @impl true
  def put_slice(out, tensor, starts, slice) do
    Eager.op(:put_slice, out, [tensor, Enum.map(starts, &start(&1, tensor)), slice])
  end

  defp start(start, _tensor) when is_struct(start, T) or start == 0, do: start

  defp start(start, tensor) do
    type = if start < 0x8000_0000, do: :s32, else: :s64
    Nx.tensor(start, type: type, backend: {__MODULE__, device: Eager.where([tensor])})
  end

  # The expansion sees the tensors as they are, with names and vectorized axes.
  @impl true
  def block(struct, _output, args, fun) do
    {tensors, rest} = Enum.split_while(args, &is_struct(&1, T))
    frames = Enum.map(tensors, &Map.take(&1, [:shape, :names, :vectorized_axes]))

    Eager.run({:block, struct, rest, frames, Nx.Vulkan.FunKey.normalize(fun)}, tensors, :any, fn expressions ->
      Nx.Defn.Expr.block(struct, Enum.zip_with(expressions, frames, &Map.merge/2) ++ rest, fun)
    end)
  end

  # What has no function above.
  for {name, arity} <- Nx.Backend.behaviour_info(:callbacks), not Module.defines?(__MODULE__, {name, arity}) do
    args = Macro.generate_arguments(arity - 1, __MODULE__)

    @impl true
    def unquote(name)(out, unquote_splicing(args)), do: Eager.op(unquote(name), out, unquote(args))
  end

  ## Helpers

  defp device(opts), do: Device.fetch!(opts[:device] || Device.default_name())

  defp place(tensor, data, device) do
    %{tensor | data: %__MODULE__{buffer: Device.upload(device, data), device: device.index}}
  end

  # of a tensor on a device
  defp byte_count(%T{type: type} = tensor), do: Number.bytes(type, [Nx.size(tensor)])

  defp read(tensor, count) do
    case fetch(tensor, count) do
      {:ok, data} -> data
      {:error, failure} -> Error.raise!(failure)
    end
  end

  @doc false
  # the first `count` elements in device layout, wherever the tensor is
  def fetch(%T{type: type, data: %__MODULE__{buffer: buffer}}, count) do
    bytes = Number.bytes(type, [count])
    if is_foreign(buffer), do: Remote.read(buffer, bytes), else: NIF.buffer_read(buffer, 0, bytes)
  end

  defp like(%T{data: data}, out), do: %{out | data: data}

  @doc false
  # The buffer of a tensor on a device, for tests and tools.
  def buffer(tensor, device), do: Program.buffer(tensor, device)
end
