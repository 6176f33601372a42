defmodule Nx.Vulkan.Test.HostCompiler do
  @moduledoc """
  `Nx.Vulkan.Compiler` with results on the default backend, for suites that compare tensors with `==`.
  """

  @behaviour Nx.Defn.Compiler

  alias Nx.Vulkan.Compiler

  @impl true
  def __jit__(key, vars, fun, args_list, opts), do: __compile__(key, vars, fun, opts).(args_list)

  @impl true
  def __compile__(key, vars, fun, opts) do
    compiled = Compiler.__compile__(key, vars, fun, opts)
    fn args_list -> for result <- compiled.(args_list), do: Nx.backend_copy(result, Nx.default_backend()) end
  end

  @impl true
  defdelegate __partitions_options__(opts), to: Compiler

  @impl true
  def __to_backend__(_opts), do: Nx.default_backend()
end
