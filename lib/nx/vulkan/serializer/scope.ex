defmodule Nx.Vulkan.Serializer.Scope do
  @moduledoc false
  # Which nodes of a function run where. Branches of a `cond` read the scope around them freely, and only
  # the branch taken may run. A `cond` of several clauses is taken as nested ones of two branches. A node
  # belongs to the innermost region that holds all of its uses: used outside a cond, or by both branches, it
  # belongs to the parent. The first predicate is evaluated in the parent.
  #
  # A region is a list of `{cond id, clause, :then | :else}`, innermost first; the function itself is [].

  alias Nx.Defn.Expr
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.Serializer.Operand

  defstruct [:nodes, :captures, :labels]

  @doc """
  Plans the function that computes `roots`. `hooks` are the names of hooks that have a callback.

  `nodes` maps a region to its nodes in topological order, `captures` maps `{cond id, clause}` to the
  `{id, output}` that its two branches read from outside, `labels` the id of a node to where it comes from:
  the metadata that it was first reached through, `label` if there was none.
  """
  def plan(roots, hooks, label) do
    {users_first, labels} = reverse_post_order(roots, hooks, label)
    places = place(roots, users_first)
    ordered = Enum.reverse(users_first)

    %__MODULE__{
      nodes: Enum.group_by(ordered, fn {t, _} -> Map.fetch!(places, t.data.id) end, &elem(&1, 0)),
      captures: captures(ordered, places),
      labels: labels
    }
  end

  # [{node, [{node used, output, region relative to the node}]}]; no recursion: graphs are deep
  defp reverse_post_order(roots, hooks, label) do
    starts = for root <- roots, do: enter(root, label)
    {order, labels} = result = walk(starts, %{}, [], hooks)

    case calls(order) do
      [] ->
        result

      calls ->
        {order, _} =
          order |> by_creation(calls) |> Enum.map(&enter(&1, label)) |> Kernel.++(starts) |> walk(%{}, [], hooks)

        {order, labels}
    end
  end

  # What calls the host, and every cond, whose branches may; [] where their order cannot be wrong.
  defp calls(order) do
    calls = for {%T{data: %Expr{op: op}} = t, _} <- order, op == :cond or effect?(t), do: t
    if match?([_, _ | _], calls) and Enum.any?(calls, &(&1.data.op != :cond)), do: calls, else: []
  end

  defp effect?(%T{data: %Expr{op: op}}) when op in [:hook, :runtime_call], do: true

  defp effect?(%T{data: %Expr{op: :while, args: [_, _, condition, body]}}),
    do: any_effect?([condition | Operand.leaves(body)], %{})

  defp effect?(_), do: false

  defp any_effect?([], _seen), do: false

  defp any_effect?([operand | rest], seen) do
    {%T{data: %Expr{id: id}} = t, _} = Operand.resolve(operand)

    cond do
      is_map_key(seen, id) or Operand.free?(t) -> any_effect?(rest, seen)
      effect?(t) -> true
      true -> any_effect?(for({used, _} <- uses(t, %MapSet{}), do: used) ++ rest, Map.put(seen, id, true))
    end
  end

  defp enter(operand, label), do: {:enter, elem(Operand.resolve(operand), 0), Operand.label(operand) || label}

  # What does not depend on each other runs in the order of the program, which the expression does not record.
  # It can be told by the ids of all nodes: references that one scheduler makes in ascending order. A process
  # that moves while it traces has several such runs, and which came first is told by what reads what.
  defp by_creation(users_first, calls) do
    nodes = for {t, read} <- Enum.reverse(users_first), do: {t.data.id, for({node, _, _} <- read, do: node.data.id)}
    known = MapSet.new(nodes, &elem(&1, 0))
    run = fn {id, _} -> id |> :erlang.ref_to_list() |> :string.split(~c".", :trailing) |> hd() end
    runs = Enum.group_by(nodes, run)
    first = nodes |> hd() |> run.()
    queues = for key <- [first | Map.keys(Map.delete(runs, first))], do: Enum.sort(runs[key])

    needs = fn ids -> Enum.filter(ids, &MapSet.member?(known, &1)) end
    rank = merge(queues, needs, %{})
    Enum.sort_by(calls, &Map.fetch!(rank, &1.data.id))
  end

  # One run as far as all that its nodes read has come, then the next.
  defp merge([], _needs, done), do: done
  defp merge([[] | queues], needs, done), do: merge(queues, needs, done)

  defp merge([[{id, read} | rest] | queues], needs, done) do
    if Enum.all?(needs.(read), &is_map_key(done, &1)),
      do: merge([rest | queues], needs, Map.put(done, id, map_size(done))),
      else: merge(queues ++ [[{id, read} | rest]], needs, done)
  end

  # the labels double as the set of nodes seen
  defp walk([], labels, acc, _hooks), do: {acc, labels}
  defp walk([{:leave, node} | stack], labels, acc, hooks), do: walk(stack, labels, [node | acc], hooks)

  defp walk([{:enter, t, label} | stack], labels, acc, hooks) do
    id = t.data.id

    if Operand.free?(t) or is_map_key(labels, id) do
      walk(stack, labels, acc, hooks)
    else
      uses = uses(t, hooks)
      read = for {operand, region} <- uses, {node, output} = Operand.resolve(operand), do: {node, output, region}
      next = for {operand, _} <- uses, do: enter(operand, label)
      walk(next ++ [{:leave, {t, read}} | stack], Map.put(labels, id, label), acc, hooks)
    end
  end

  defp place(roots, users_first) do
    top = for root <- roots, {t, _} = Operand.resolve(root), into: %{}, do: {t.data.id, []}

    Enum.reduce(users_first, top, fn {t, uses}, places ->
      here = Map.fetch!(places, t.data.id)

      Enum.reduce(uses, places, fn {node, _, region}, places ->
        region = if node.data.op == :parameter, do: [], else: region ++ here
        Map.update(places, node.data.id, region, &common(&1, region))
      end)
    end)
  end

  defp captures(ordered, places) do
    for({t, uses} <- ordered, use <- uses, do: {places[t.data.id], use})
    |> Enum.reduce(%{}, fn {here, {node, output, region}}, acc ->
      if Operand.free?(node),
        do: acc,
        else: capture(acc, region ++ here, Map.fetch!(places, node.data.id), {node.data.id, output})
    end)
    |> Map.new(fn {key, {_seen, list}} -> {key, Enum.reverse(list)} end)
  end

  defp capture(acc, region, region, _key), do: acc

  defp capture(acc, [{cond, clause, _} | outer], target, key) do
    {seen, list} = Map.get(acc, {cond, clause}, {%{}, []})

    acc =
      if is_map_key(seen, key), do: acc, else: Map.put(acc, {cond, clause}, {Map.put(seen, key, true), [key | list]})

    capture(acc, outer, target, key)
  end

  defp common(a, b) do
    {m, n} = {length(a), length(b)}
    shared(Enum.drop(a, max(m - n, 0)), Enum.drop(b, max(n - m, 0)))
  end

  defp shared(a, a), do: a
  defp shared([_ | a], [_ | b]), do: shared(a, b)

  @doc "The region of what follows the first `count` clauses of a cond."
  def rest(id, count), do: for(clause <- count..1//-1, do: {id, clause, :else})

  # What a node reads in its own function, with the region that reads it, relative to the node's.
  defp uses(%T{data: %Expr{id: id, op: :cond, args: [clauses, last]}}, _hooks) do
    branches =
      for {{pred, body}, clause} <- Enum.with_index(clauses, 1), before = rest(id, clause - 1) do
        [{pred, before} | for(leaf <- Operand.leaves(body), do: {leaf, [{id, clause, :then} | before]})]
      end

    Enum.concat(branches) ++ for leaf <- Operand.leaves(last), do: {leaf, rest(id, length(clauses))}
  end

  defp uses(%T{data: %Expr{op: op, args: args}}, hooks) do
    for operand <- operands(op, args, hooks), do: {operand, []}
  end

  defp operands(:while, [initial | _], _), do: Operand.leaves(initial)
  defp operands(:block, [_struct, args | _], _), do: Enum.take_while(args, &is_struct(&1, T))
  defp operands(:runtime_call, [args | _], _), do: Operand.leaves(args)
  defp operands(op, [list | _], _) when op in [:concatenate, :stack], do: list
  defp operands(:slice, [t, starts | _], _), do: [t | Enum.filter(starts, &is_struct(&1, T))]
  defp operands(:put_slice, [t, starts, slice], _), do: [t, slice | Enum.filter(starts, &is_struct(&1, T))]
  defp operands(op, [t, acc | _], _) when op in [:reduce, :window_reduce], do: [t, acc]

  defp operands(:hook, [passed, spec | _], hooks) do
    Operand.leaves(passed) ++ if(hook?(spec, hooks), do: Operand.leaves(hooked(passed, spec)), else: [])
  end

  defp operands(_op, args, _), do: Enum.filter(args, &is_struct(&1, T))

  @doc "What a hook hands to its callback."
  def hooked(_passed, {:token_hook, hooked, _spec}), do: hooked
  def hooked(passed, _spec), do: passed

  @doc "Whether a hook has a callback at all."
  def hook?({:token_hook, _, spec}, hooks), do: hook?(spec, hooks)
  def hook?({:fn, _}, _hooks), do: true
  def hook?({:named, name, callback}, hooks), do: callback != nil or MapSet.member?(hooks, name)
end
