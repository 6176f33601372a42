defmodule Nx.Vulkan.Test.Random.Build do
  @moduledoc """
  A program under construction: statements are added, and the values they give can be chosen as operands.

  Every statement is traced with Nx when it is added, which tells the types and shapes of its results. What Nx
  refuses, or what is too large, rejects the node: the generator need not know Nx's rules.

  The state is in the process dictionary, like the choices.
  """

  alias Nx.Defn.Composite
  alias Nx.Vulkan.Test.Random.{Draw, Program}

  @key {__MODULE__, :state}
  # what the statements of a body count for, which may run many times
  @body 10

  @doc """
  A new program. `params` are templates; `dims` and `types` are what its shapes and types are mostly made of. No tensor
  has more than `elements`, and all statements together are no more than `work` operations, by a rough estimate.
  """
  def start(params, dims, types, %{elements: elements, work: work}, fun) do
    state = %{templates: %{}, scope: [], statements: [], next: 0, dims: dims, types: types, rejected: []}
    Process.put(@key, Map.merge(state, %{elements: elements, work: work, times: 1}))
    ids = Enum.map(params, &bind/1)
    result = fun.()
    state = Process.delete(@key)
    {%Program{params: ids, statements: Enum.reverse(state.statements), results: result}, Enum.reverse(state.rejected)}
  end

  defp get(key), do: Process.get(@key)[key]
  defp update(key, fun), do: Process.put(@key, Map.update!(Process.get(@key), key, fun))

  defp bind(template) do
    id = get(:next)
    update(:next, &(&1 + 1))
    update(:templates, &Map.put(&1, id, template))
    update(:scope, &[id | &1])
    id
  end

  @doc "Runs `fun`; what it added is taken back if it rejects. The name is for the statistics."
  def attempt(name, fun) do
    before = Process.get(@key)

    try do
      fun.()
      :ok
    catch
      :reject ->
        Process.put(@key, before)
        update(:rejected, &[name | &1])
    end
  end

  def reject, do: throw(:reject)

  # ---- values ----

  def template({:v, id}), do: Map.fetch!(get(:templates), id)
  def type(v), do: template(v).type
  def shape(v), do: template(v).shape
  def rank(v), do: tuple_size(shape(v))
  def size(v), do: Nx.size(shape(v))
  def kind(v), do: elem(type(v), 0)
  def float?(v), do: kind(v) in [:f, :bf, :f8_e4m3fn]
  def int?(v), do: kind(v) in [:s, :u]
  def complex?(v), do: kind(v) == :c
  def real?(v), do: not complex?(v)
  def last, do: {:v, hd(get(:scope))}

  @doc "The values that no statement reads, newest first."
  def unread do
    read = MapSet.new(for {_, _, _, args} <- get(:statements), id <- Program.free(args), do: id)
    Enum.reject(get(:scope), &(&1 in read))
  end

  def types, do: get(:types)
  def dims, do: get(:dims)

  @doc "A value that `pred` holds for, most likely a recent one; nil if there is none."
  def find(pred) do
    case Enum.filter(Enum.map(get(:scope), &{:v, &1}), pred) do
      [] -> nil
      found -> Enum.at(found, min(Draw.int(length(found)), Draw.int(length(found))))
    end
  end

  def any(pred \\ fn _ -> true end), do: find(pred) || reject()

  @doc "A value of a class; converted where there is none, or now and then."
  def float, do: of_class(&float?/1, [{:f, 32}, {:f, 64}, {:f, 16}, {:bf, 16}])
  def int, do: of_class(&int?/1, [{:s, 32}, {:u, 8}, {:s, 64}, {:u, 32}, {:s, 8}, {:u, 64}])
  def real, do: of_class(&real?/1, [{:f, 32}])
  def numeric, do: of_class(&(float?(&1) or complex?(&1)), [{:f, 32}, {:c, 64}])

  defp of_class(pred, types) do
    case find(pred) do
      nil -> as(any(), Draw.one(types))
      v -> v
    end
  end

  @doc "The value as `type`."
  def as(v, type), do: if(type(v) == type, do: v, else: nx(:as_type, [v, type]))

  @doc "A value of a rank of at least n."
  def ranked(pred, n), do: find(&(pred.(&1) and rank(&1) >= n)) || reject()

  @doc "A shape mostly of the program's dimensions."
  def new_shape(rank), do: List.to_tuple(for _ <- 1..rank//1, do: new_dim())
  def new_dim, do: if(Draw.flag(6), do: Draw.int(1, 7), else: Draw.one(dims()))

  def axis(v), do: if(rank(v) == 0, do: reject(), else: Draw.int(rank(v)))

  @doc "Axes, in order; perhaps none."
  def axes(v), do: Draw.some(Enum.to_list(0..(rank(v) - 1)//1))

  @doc "The value in the type and shape of a template."
  def conform(v, template) do
    v = if shape(v) == template.shape, do: v, else: reshaped(v, template)
    as(v, template.type)
  end

  defp reshaped(v, %{shape: shape}) do
    fits? =
      Enum.zip(Enum.reverse(Tuple.to_list(shape(v))), Enum.reverse(Tuple.to_list(shape)))
      |> Enum.all?(fn {a, b} -> a in [1, b] end)

    cond do
      size(v) == Nx.size(shape) -> nx(:reshape, [v, shape])
      fits? and rank(v) <= tuple_size(shape) -> nx(:broadcast, [v, shape])
      complex?(v) -> nx(:broadcast, [nx(:sum, [v]), shape])
      true -> nx(:broadcast, [nx(:reduce_max, [v]), shape])
    end
  end

  # ---- statements ----

  @doc "Calls a function of Nx that gives one tensor."
  def nx(function, args), do: call(Nx, function, args)

  def call(module, function, args) do
    case emit(module, function, args) do
      [v] -> v
      [v | _] -> v
    end
  end

  @doc "Adds a statement. *Returns* the variables of its results."
  def emit(module, function, args) do
    templates = infer(module, function, args)
    if not Enum.all?(templates, &proper?/1), do: reject()
    update(:work, &(&1 - get(:times) * work(module, function, args, templates)))
    if get(:work) < 0, do: reject()
    outs = Enum.map(templates, &bind/1)
    update(:statements, &[{outs, module, function, args} | &1])
    Enum.map(outs, &{:v, &1})
  end

  # Nx lets shapes with dimensions of 0 and less pass in places.
  defp proper?(%{shape: shape}) do
    Enum.all?(Tuple.to_list(shape), &(&1 > 0)) and Nx.size(shape) <= get(:elements) and tuple_size(shape) <= 6
  end

  # About how many operations a statement is: on the host, where it takes longest.
  defp work(_, :dot, [v, axes | _], [out]),
    do: Nx.size(out) * Enum.product(for axis <- axes, do: elem(shape(v), axis))

  # Nx copies the tensor for every element that it writes: some 500 bytes while it does another op on one.
  defp work(_, :put_slice, [_, _, slice], [%{type: {_, width}} = out]),
    do: div(size(slice) * Nx.size(out) * width, 8 * 500)

  defp work(module, function, args, outs) do
    elements = Enum.sum_by(outs, &Nx.size/1) + Enum.sum_by(Program.free(args), &size({:v, &1}))
    elements * weight(module, function, args)
  end

  defp weight(Nx.Random, _, _), do: 40
  defp weight(_, function, _) when function in [:fft, :ifft], do: 100
  defp weight(_, function, _) when function in [:sort, :argsort, :median, :top_k], do: 16

  defp weight(_, function, args) do
    case Atom.to_string(function) do
      "cumulative_" <> _ -> 32
      "window_" <> _ -> args |> Enum.find(&(is_tuple(&1) and is_integer(elem(&1, 0)))) |> Tuple.product()
      _ -> 1
    end
  end

  # What the statement gives: what Nx makes of it when traced.
  defp infer(module, function, args) do
    ids = Program.free(args)
    fun = fn inputs -> Program.evaluate(module, function, args, Map.new(Enum.zip(ids, Tuple.to_list(inputs)))) end

    templates = List.to_tuple(Enum.map(ids, &template({:v, &1})))
    Composite.flatten_list([Nx.to_template(Nx.Defn.debug_expr_apply(fun, [templates]))])
  rescue
    _ in [ArgumentError, CompileError, ArithmeticError, FunctionClauseError, RuntimeError] -> reject()
  end

  @doc """
  A function of parameters like `templates`, made by `fun`, which gets them and returns the results. It reads
  variables around it only if `captures?`.
  """
  def body(templates, captures?, fun) do
    outer = Process.get(@key)
    if not captures?, do: update(:scope, fn _ -> [] end)
    update(:statements, fn _ -> [] end)
    update(:times, &(&1 * @body))
    params = Enum.map(templates, &bind/1)
    results = fun.(Enum.map(params, &{:v, &1})) |> Enum.map(fn {:v, id} -> id end)
    inner = Process.get(@key)
    templates = Enum.map(results, &template({:v, &1}))
    Process.put(@key, %{inner | scope: outer.scope, statements: outer.statements, times: outer.times})
    {{:fn, %Program{params: params, statements: Enum.reverse(inner.statements), results: results}}, templates}
  end
end
