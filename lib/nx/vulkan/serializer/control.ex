defmodule Nx.Vulkan.Serializer.Control do
  @moduledoc false
  # Functions and the nodes that hold them: cond, while, reduce with a function, blocks; and the effects.

  alias Nx.Defn.Expr
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.Serializer.{Builder, Elementwise, Operand, Reduce, Scope, Shape}

  @elementwise Elementwise.ops()
  @shape Shape.ops()
  @reduce Reduce.ops()

  @doc "Emits the current function's nodes. Returns the values of `roots`, in the given types."
  def body(b, roots, specs) do
    plan = Scope.plan(roots, b.hooks, b.func.loc)
    b = region(b, plan, [])
    results(b, roots, specs)
  end

  @doc "A function of its own. Returns its index."
  def function(b, params, roots, specs) do
    {outer, b} = Builder.start(b, params)
    {results, b} = body(b, roots, specs)
    Builder.finish(b, outer, results)
  end

  defp results(b, leaves, specs) do
    Enum.map_reduce(Enum.zip(leaves, specs), b, fn {leaf, {type, _}}, b -> Operand.as(b, leaf, type) end)
  end

  defp region(b, plan, region) do
    plan.nodes |> Map.get(region, []) |> Enum.reduce(b, &emit(&2, plan, region, &1))
  end

  defp emit(b, plan, region, %T{data: %Expr{id: id, op: op, args: args}} = t) do
    b = Builder.locate(b, Map.fetch!(plan.labels, id))

    {values, b} =
      try do
        if op == :cond, do: branch(b, plan, region, t, 1), else: lower(b, op, args, t)
      rescue
        e in Nx.Vulkan.CompileError -> reraise e, __STACKTRACE__
        e -> reraise Nx.Vulkan.CompileError.unexpected(t, e), __STACKTRACE__
      end

    values
    |> Enum.with_index()
    |> Enum.reduce(b, fn {value, i}, b -> Builder.bind(b, {id, i}, value) end)
  end

  defp lower(b, op, args, t) when op in @elementwise, do: single(Elementwise.lower(b, op, args, Builder.spec(t)))
  defp lower(b, op, args, t) when op in @shape, do: single(Shape.lower(b, op, args, Builder.spec(t)))
  defp lower(b, op, args, t) when op in @reduce, do: single(Reduce.lower(b, op, args, Builder.spec(t)))
  defp lower(b, :parameter, [index], _t), do: single(Builder.parameter(b, index))

  defp lower(b, :reduce, [t, acc, opts, fun], out) do
    fold(b, "reduce", t, acc, fun, Builder.spec(out), Reduce.reduce_attrs(t, opts))
  end

  defp lower(b, :window_reduce, [t, acc, window, opts, fun], out) do
    fold(b, "window_reduce", t, acc, fun, Builder.spec(out), Reduce.window_attrs(window, opts))
  end

  defp lower(b, :while, [initial, arg, condition, body], _t) do
    specs = arg |> Operand.leaves() |> Enum.map(&Builder.spec/1)
    {carried, b} = results(b, Operand.leaves(initial), specs)
    {test, b} = function(b, specs, [condition], [Builder.spec(condition)])
    {step, b} = function(b, specs, Operand.leaves(body), specs)
    Builder.nodes(b, "while", carried, specs, [], [test, step])
  end

  defp lower(b, :block, [struct, args, default, _callback], _t) do
    {ins, b} = args |> Enum.take_while(&is_struct(&1, T)) |> then(&Operand.values(b, &1))
    leaves = Operand.leaves(default)
    specs = Enum.map(leaves, &Builder.spec/1)
    {expansion, b} = function(b, Enum.map(ins, &{Builder.type(&1), Builder.dims(&1)}), leaves, specs)
    Builder.nodes(b, "block", ins, specs, block_attrs(struct), [expansion])
  end

  defp lower(b, :hook, [passed, spec, _template, _ref], _t) do
    {values, b} = passed |> Operand.leaves() |> then(&Operand.values(b, &1))

    if Scope.hook?(spec, b.hooks) do
      hooked = Scope.hooked(passed, spec)
      {seen, b} = hooked |> Operand.leaves() |> then(&Operand.values(b, &1))
      {{index, seq}, b} = Builder.callback(b, {:hook, callback_of(spec), Nx.to_template(hooked)})
      attrs = [callback: index, seq: seq, hooked: length(seen)]
      Builder.nodes(b, "hook", seen ++ values, Enum.map(values, &{Builder.type(&1), Builder.dims(&1)}), attrs, [])
    else
      {values, b}
    end
  end

  defp lower(b, :runtime_call, [args, fun, template, opts], _t) do
    {ins, b} = args |> Operand.leaves() |> then(&Operand.values(b, &1))
    {{index, seq}, b} = Builder.callback(b, {:call, fun, opts, Nx.to_template(args), template})
    outs = template |> Operand.leaves() |> Enum.map(&Builder.spec/1)
    Builder.nodes(b, "runtime_call", ins, outs, [callback: index, seq: seq], [])
  end

  defp lower(_b, op, _args, t) do
    raise Nx.Vulkan.CompileError,
      op: op,
      type: t.type,
      message: "the op #{op} is unknown. This version serializes the ops of Nx 0.13"
  end

  defp single({value, b}), do: {[value], b}

  defp callback_of({:token_hook, _, spec}), do: spec
  defp callback_of(spec), do: spec

  defp fold(b, op, t, acc, %T{data: %Expr{op: :fun, args: [_params, body, _mfa]}}, {type, dims}, attrs) do
    {x, b} = Operand.as(b, t, type)
    {initial, b} = Operand.as(b, acc, type)
    scalar = {type, []}
    {function, b} = function(b, [scalar, scalar], [body], [scalar])
    Builder.nodes(b, op, [x, initial], [{type, dims}], attrs, [function])
  end

  # Clause `clause` of a cond and, in its else branch, all that follow.
  defp branch(b, plan, region, %T{data: %Expr{id: id, args: [clauses, last]}} = t, clause) do
    {pred, body} = Enum.at(clauses, clause - 1)
    {pred, b} = Operand.value(b, pred)
    keys = Map.get(plan.captures, {id, clause}, [])
    {captured, b} = Enum.map_reduce(keys, b, &Builder.fetch(&2, &1))

    ins = Enum.uniq([pred | captured])
    params = Enum.map(ins, &{Builder.type(&1), Builder.dims(&1)})
    bindings = for {key, value} <- Enum.zip(keys, captured), do: {key, Enum.find_index(ins, &(&1 == value))}
    leaves = Operand.leaves(last)
    specs = Enum.map(leaves, &Builder.spec/1)

    {outer, b} = Builder.start(b, params)
    {test, b} = Builder.parameter(b, 0)
    {on_pred, b} = Builder.finish(b, outer, [test])

    {outer, b} = Builder.start(b, params)
    b = Builder.bind_parameters(b, bindings)
    b = region(b, plan, [{id, clause, :then} | region])
    {values, b} = results(b, Operand.leaves(body), specs)
    {on_true, b} = Builder.finish(b, outer, values)

    {outer, b} = Builder.start(b, params)
    b = Builder.bind_parameters(b, bindings)
    below = [{id, clause, :else} | region]
    b = region(b, plan, below)

    {values, b} =
      if clause == length(clauses), do: results(b, leaves, specs), else: branch(b, plan, below, t, clause + 1)

    {on_false, b} = Builder.finish(b, outer, values)

    Builder.nodes(b, "cond", ins, specs, [], [on_pred, on_true, on_false])
  end

  # "axis=1;reverse=false", keys sorted; only plain values, which alone can mean something to a kernel
  defp block_attrs(%module{} = struct) do
    options =
      for {key, value} <- struct |> Map.from_struct() |> Enum.sort(), text = plain(value), do: "#{key}=#{text}"

    name = module |> inspect() |> String.replace_prefix("Nx.Block.", "")
    if options == [], do: [name: name], else: [name: name, options: Enum.join(options, ";")]
  end

  defp plain(nil), do: nil
  defp plain(value) when is_atom(value) or is_number(value), do: to_string(value)

  defp plain(value) when is_list(value) do
    texts = Enum.map(value, &plain/1)
    if Enum.all?(texts), do: "[" <> Enum.join(texts, ",") <> "]"
  end

  defp plain(_), do: nil
end
