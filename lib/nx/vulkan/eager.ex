defmodule Nx.Vulkan.Eager do
  @moduledoc false
  # One op at a time: the op becomes a graph of its own and goes through the same compiler. Programs are
  # found again by op, attributes, types and shapes.

  import Nx.Vulkan.Remote, only: [is_foreign: 1]
  alias Nx.Defn.Expr
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.{Backend, Cache, Compiler, Device, FunKey, Options, Program, Serializer}
  alias Nx.Vulkan.Serializer.Builder

  @doc "Calls a callback of `Nx.Backend` with the result's template and the other arguments."
  @spec op(atom, T.t(), [term], Device.name() | :any) :: T.t()
  def op(name, %T{} = out, args, device \\ :any) do
    {key, tensors} = split(args)
    plain = %{out | names: List.duplicate(nil, tuple_size(out.shape))}

    result =
      run({name, Builder.spec(out), key}, tensors, device, fn expressions ->
        {args, []} = fill(args, expressions)
        apply(Expr, name, [plain | args])
      end)

    %{out | data: result.data}
  end

  @doc "Runs a function of a list of expressions on tensors. `key` says which function it is."
  @spec run(term, [T.t()], Device.name() | :any, ([T.t()] -> Nx.Container.t())) :: Nx.Container.t()
  def run(key, tensors, device, fun) do
    device = Device.fetch!(if device == :any, do: where(tensors), else: device)
    specs = Enum.map(tensors, &Builder.spec/1)
    program = Cache.run({:eager, device.index, {key, specs}}, fn -> build(key, specs, device, fun) end)
    Program.run(program, tensors)
  end

  @doc "The device of the first tensor that is on one of this node, or the default."
  def where(tensors) do
    Enum.find_value(tensors, Device.default_name(), fn
      %T{data: %Backend{buffer: buffer, device: device}} when not is_foreign(buffer) -> device
      _ -> nil
    end)
  end

  defp build(key, specs, device, fun) do
    templates = for {type, dims} <- specs, do: Nx.template(List.to_tuple(dims), type)

    expr =
      case templates do
        [] -> Nx.Defn.debug_expr_apply(fn -> fun.([]) end, [])
        _ -> Nx.Defn.debug_expr_apply(&fun.(Tuple.to_list(&1)), [List.to_tuple(templates)])
      end

    name = "Nx.#{elem(key, 0)}"
    graph = Serializer.graph(expr, templates, name: name, sidecar: true)
    Compiler.link(graph, Nx.to_template(expr), length(templates), device, Options.new([]), fun: nil, name: name)
  end

  # Arguments without their tensors, and the tensors in order.
  defp split(args) do
    {key, tensors} = Enum.map_reduce(args, [], &split/2)
    {key, Enum.reverse(tensors)}
  end

  defp split(%T{} = t, acc), do: {:tensor, [t | acc]}
  defp split(list, acc) when is_list(list), do: Enum.map_reduce(list, acc, &split/2)
  defp split(fun, acc) when is_function(fun), do: {FunKey.normalize(fun), acc}
  defp split(other, acc), do: {other, acc}

  defp fill(args, expressions), do: Enum.map_reduce(args, expressions, &put/2)

  defp put(%T{}, [expression | rest]), do: {expression, rest}
  defp put(list, expressions) when is_list(list), do: Enum.map_reduce(list, expressions, &put/2)
  defp put(other, expressions), do: {other, expressions}
end
