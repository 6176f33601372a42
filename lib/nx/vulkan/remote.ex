defmodule Nx.Vulkan.Remote do
  @moduledoc false
  # What other nodes hold. A handle of another node is a reference that only its own node can follow: nothing of it
  # is here, and having it keeps nothing alive there. So its bytes are asked for where they are, with `:erpc`, and a
  # copy of them is used here. Where that fails, the failure says which node and why, and what to do about it.

  alias Nx.Vulkan.{Cache, Device, Error, NIF, Program}

  # an inspected tensor is not worth waiting for longer, in milliseconds
  @glance 5_000

  @doc "Whether a handle belongs to another node."
  defguard is_foreign(ref) when node(ref) != node()

  @doc "As `NIF.buffer_read/3`, from the beginning."
  @spec read(reference, non_neg_integer) :: {:ok, binary} | NIF.failure()
  def read(ref, bytes), do: ref |> call(:buffer_read, [ref, 0, bytes], :infinity) |> tensor(ref)

  @doc "As `read/2`, but soon, and without connecting to a node for it."
  @spec glance(reference, non_neg_integer) :: {:ok, binary} | NIF.failure()
  def glance(ref, bytes) do
    if node(ref) in Node.list(:connected),
      do: ref |> call(:buffer_read, [ref, 0, bytes], @glance) |> tensor(ref),
      else: {:error, {:unreachable, "it is in the memory of the node #{node(ref)}, which is not connected"}}
  end

  @doc "As `NIF.buffer_free/1`."
  @spec free(reference) :: :ok | :already_deallocated | NIF.failure()
  def free(ref), do: ref |> call(:buffer_free, [ref], :infinity) |> tensor(ref)

  @doc """
  A program of another node, for the default device of this one. Its bundle is fetched once for each program; equal
  ones, of whichever node, are loaded once.
  """
  @spec program(Program.t()) :: Program.t()
  def program(%{ref: ref} = program) do
    device = Device.fetch!()

    loaded =
      Cache.run({:program, device.index, ref, :remote}, fn ->
        bundle = bundle!(program)
        key = {:program, device.index, :crypto.hash(:sha256, bundle), {:remote, program.trusted}}
        Cache.run(key, fn -> load!(device, bundle, program) end)
      end)

    %{program | ref: loaded, device: device.index}
  end

  defp bundle!(%{ref: ref, name: name}) do
    case call(ref, :program_bundle, [ref], :infinity) do
      {:ok, bundle} ->
        bundle

      {:error, {status, message}} ->
        raise Error.exception(
                {status,
                 "#{name} was compiled on the node #{node(ref)}, and cannot be fetched: #{message}. #{compile_here()}"}
              )
    end
  end

  defp load!(device, bundle, %{ref: ref, name: name, trusted: trusted}) do
    Program.load(device, bundle, name, trusted)
  rescue
    error in Error ->
      message =
        "#{name} was compiled on the node #{node(ref)} for a device there, and does not fit #{device.info.name}: " <>
          "#{error.message}. #{compile_here()}"

      reraise %{error | message: message}, __STACKTRACE__
  end

  defp compile_here, do: "Send the function itself and compile it on this node, or Nx.Vulkan.export/4 it for a file"

  # What the owner answered, with its name.
  defp tensor({:error, {:invalid_handle, message}}, ref) do
    {:error,
     {:invalid_handle,
      "on the node #{node(ref)}, #{message}. A tensor lasts while its own node keeps it, whoever else was sent it. " <>
        "#{copy_there()}"}}
  end

  defp tensor({:error, {status, message}}, ref) do
    {:error, {status, "the tensor is in the memory of the node #{node(ref)}: #{message}. #{copy_there()}"}}
  end

  defp tensor(result, _ref), do: result

  defp copy_there do
    "Before sending a tensor, copy it with Nx.backend_copy(tensor, Nx.BinaryBackend); Nx.Serving does so with " <>
      "`&Nx.backend_copy/1` as distributed preprocessing and postprocessing"
  end

  defp call(ref, function, args, timeout) do
    :erpc.call(node(ref), NIF, function, args, timeout)
  catch
    :error, {:erpc, :noconnection} -> {:error, {:unreachable, "that node cannot be reached"}}
    :error, {:erpc, :timeout} -> {:error, {:unreachable, "that node has not answered for #{timeout} ms"}}
    :error, {:exception, reason, _} -> {:error, {:unreachable, Exception.message(Exception.normalize(:error, reason))}}
    kind, reason -> {:error, {:unreachable, "it answered #{inspect(kind)}, #{inspect(reason)}"}}
  end
end
