defmodule Nx.Vulkan.Test.Nothing do
  @moduledoc "The compiler of a call that does nothing: what is left is Nx's."
  @behaviour Nx.Defn.Compiler
  @impl true
  def __jit__(_key, _vars, _fun, _args, opts), do: [opts[:result]]
  @impl true
  def __compile__(_key, _vars, _fun, opts), do: fn _args -> [opts[:result]] end
  @impl true
  def __partitions_options__(opts), do: [opts]
  @impl true
  def __to_backend__(_opts), do: {Nx.BinaryBackend, []}
  @impl true
  def __shard_jit__(_key, _mesh, _vars, _fun, _args, _opts), do: raise("not here")
end
