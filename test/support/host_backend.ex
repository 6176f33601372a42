defmodule Nx.Vulkan.Test.HostBackend do
  @moduledoc """
  `Nx.Vulkan.Backend` with its tensors read back after every op, for suites that compare tensors with `==`.
  """

  @behaviour Nx.Backend

  alias Nx.Tensor, as: T
  alias Nx.Vulkan.Backend

  defstruct [:state]

  @impl true
  def init(opts), do: opts

  @impl true
  def from_binary(out, binary, _opts), do: %{out | data: %__MODULE__{state: bits(binary)}}

  @impl true
  def to_binary(tensor, limit), do: tensor |> host() |> Nx.BinaryBackend.to_binary(limit)

  @impl true
  def inspect(tensor, opts), do: tensor |> host() |> Nx.BinaryBackend.inspect(opts)

  @impl true
  def backend_copy(tensor, backend, opts), do: backend.from_binary(tensor, tensor.data.state, opts)

  @impl true
  def backend_transfer(tensor, backend, opts), do: backend_copy(tensor, backend, opts)

  @impl true
  def backend_deallocate(_tensor), do: :ok

  @impl true
  def to_batched(out, tensor, opts), do: out |> Backend.to_batched(device(tensor), opts) |> Stream.map(&keep/1)

  @impl true
  def block(struct, output, args, fun), do: struct |> Backend.block(output, device(args), fun) |> keep()

  @own [init: 1, from_binary: 3, to_binary: 2, inspect: 2, backend_copy: 3, backend_transfer: 3] ++
         [backend_deallocate: 1, to_batched: 3, block: 4]

  for {name, arity} <- Nx.Backend.behaviour_info(:callbacks) -- @own do
    args = Macro.generate_arguments(arity, __MODULE__)

    @impl true
    def unquote(name)(unquote_splicing(args)) do
      Backend |> apply(unquote(name), device(unquote(args))) |> keep()
    end
  end

  defp bits(data) when is_bitstring(data), do: data
  defp bits(data), do: IO.iodata_to_binary(data)

  defp host(%T{data: %__MODULE__{state: state}} = t), do: %{t | data: %Nx.BinaryBackend{state: state}}

  defp device(%T{data: %__MODULE__{}} = t), do: t |> host() |> Nx.backend_copy(Backend)
  defp device(list) when is_list(list), do: Enum.map(list, &device/1)
  defp device(other), do: other

  defp keep(%T{} = t), do: %{t | data: %__MODULE__{state: Nx.to_binary(t)}}
  defp keep(tuple) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> Enum.map(&keep/1) |> List.to_tuple()
  defp keep(other), do: other
end
