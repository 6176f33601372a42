defmodule Nx.Vulkan.Test.Interpreter do
  @moduledoc """
  A `Nx.Defn.Compiler` that serializes a function and runs libvkc's reference interpreter on the CPU.

  It tests the serializer against Nx with no device. `:optimised` runs the graph after the compiler's passes.
  Results are on `Nx.BinaryBackend`. Hooks and runtime calls are not run.
  """

  @behaviour Nx.Defn.Compiler

  alias Nx.Defn.Composite
  alias Nx.Vulkan.{Bundle, Callbacks, NIF, Options, Serializer}
  alias Nx.Vulkan.Serializer.Number

  @impl true
  def __jit__(key, vars, fun, args_list, opts), do: __compile__(key, vars, fun, opts).(args_list)

  @impl true
  def __compile__(key, vars, fun, opts) do
    expr = fun.(vars)

    params =
      vars
      |> Composite.flatten_list()
      |> Enum.sort_by(fn %Nx.Tensor{data: %Nx.Defn.Expr{op: :parameter, args: [index]}} -> index end)

    hooks = MapSet.new(Map.keys(opts[:hooks] || %{}))
    graph = Serializer.graph(expr, params, name: Serializer.name(key), hooks: hooks, sidecar: true)
    {json, sidecar} = {IO.iodata_to_binary(graph.json), IO.iodata_to_binary(graph.sidecar)}
    template = Nx.to_template(expr)
    options = Options.compile_tuple(%Options{cache_dir: ""}, nil)

    fn args_list ->
      for args <- args_list do
        inputs =
          for {{arg, param}, i} <- Enum.with_index(Enum.zip(args, params)) do
            if i in graph.used do
              arg.() |> Nx.devectorize() |> Nx.to_binary() |> Number.unpack(param.type)
            else
              {type, dims} = Serializer.Builder.spec(param)
              :binary.copy(<<0>>, Number.bytes(type, dims))
            end
          end

        count = length(Composite.flatten_list([template]))

        case NIF.interpret(json, sidecar, options, opts[:optimised] || false, inputs, count) do
          {:ok, outputs} ->
            {result, []} = Callbacks.tensors(template, outputs)
            result

          {:error, {_, _, _, _} = failure} ->
            raise Bundle.error(failure, fun: key, name: Serializer.name(key))
        end
      end
    end
  end

  @impl true
  def __partitions_options__(opts), do: [opts]

  @impl true
  def __to_backend__(_opts), do: {Nx.BinaryBackend, []}
end
