defmodule Nx.Vulkan.ControlTest do
  @moduledoc false
  # Loops and branches of every kind, against Nx's evaluator, and the order in which effects happen.
  use Nx.Vulkan.Test.DeviceCase, async: true

  import ExUnit.CaptureIO
  import Nx.Defn

  defp same(fun, args) do
    {result, expected} = {run(fun, args), expect(fun, args)}
    assert Nx.type(result) == Nx.type(expected)
    assert Nx.to_binary(result) == Nx.to_binary(expected)
  end

  # What named hooks are handed, in order, as `{name, number}`.
  defp effects(fun, args, names) do
    parent = self()
    hooks = Map.new(names, fn name -> {name, &send(parent, {:hooked, name, &1 |> Nx.sum() |> Nx.to_number()})} end)
    result = run(fun, args, hooks: hooks)
    {result, received()}
  end

  defp received do
    receive do
      {:hooked, name, number} -> [{name, number} | received()]
    after
      0 -> []
    end
  end

  describe "a while" do
    defn down(x, n) do
      {x, _} = while({x, n}, n, do: {x * 3 + n, n - 1})
      x
    end

    for type <- [:u8, :s8, :u16, :s32, :u64, :f16, :bf16, :f32, :f64] do
      test "whose predicate is #{type}" do
        same(&down/2, [Nx.tensor([1, 2, 3], type: unquote(type)), Nx.tensor(3, type: unquote(type))])
      end
    end

    test "that never runs, because its predicate is -0.0" do
      same(&down/2, [Nx.tensor([1.0, 2.0]), Nx.tensor(-0.0)])
    end

    # counters that pass the end of their type go on from its other end
    defn around(x) do
      {x, i} = while({x, i = Nx.u8(0)}, i < 250 and x > 0, do: {x - 1, i + 100})
      x * 1000 + i
    end

    defn around_signed(x) do
      {x, _} = while({x, i = Nx.s8(0)}, i <= 126, do: {x + i, i + 63})
      x
    end

    test "whose counter wraps" do
      for n <- [0, 1, 2, 3, 4, 50], do: same(&around/1, [n])
      same(&around_signed/1, [7])
    end

    defn known(x) do
      {x, _} = while({x, i = 3}, i <= 300, do: {Nx.remainder(x * 5 + i, 1013), i + 7})
      x
    end

    test "of known length" do
      for n <- [5, 10_000], do: same(&known/1, [Nx.iota({n})])
    end

    defn none(x) do
      {x, _} = while({x, i = 9}, i < 9, do: {x + 1, i + 1})
      x
    end

    test "of no rounds" do
      for n <- [5, 10_000], do: same(&none/1, [Nx.iota({n})])
    end

    # the inner loop is as long as the outer counter says, and one of both is empty in the end
    defn triangle(x, n) do
      {x, _, _} =
        while {x, i = 0, n}, i < n do
          {x, _, _} = while({x, j = 0, i}, j < i, do: {Nx.remainder(x * 3 + j, 1013), j + 1, i})
          {x + i, i + 1, n}
        end

      x
    end

    test "in a while" do
      for size <- [4, 10_000], n <- [0, 1, 6], do: same(&triangle/2, [Nx.iota({size}), n])
    end

    defn two(x, n) do
      {x, _, _} =
        while {x, i = 0, n}, i < n do
          {x, _, _} = while({x, j = 0, m = Nx.remainder(i, 3)}, j < m, do: {Nx.remainder(x * 3 + j, 1013), j + 1, m})
          y = if Nx.remainder(Nx.sum(x), 2) == 0, do: x + 1, else: Nx.reverse(x)
          {y, _} = while({y, k = Nx.reduce_max(y)}, k > 500, do: {Nx.remainder(y + k, 997), k - 211})
          {y, i + 1, n}
        end

      x
    end

    test "with two loops and a branch in it" do
      for size <- [4, 9_000], n <- [1, 7], do: same(&two/2, [Nx.iota({size}), n])
    end

    defn in_condition(x) do
      while(x, collatz_rounds(x) > 3, do: x + 1)
    end

    defnp collatz_rounds(x) do
      {n, _} =
        while {n = 0, m = x[0]}, m > 1 do
          {n + 1, if(Nx.remainder(m, 2) == 0, do: Nx.quotient(m, 2), else: 3 * m + 1)}
        end

      n
    end

    test "with a while in its condition" do
      for size <- [3, 9_000], do: same(&in_condition/1, [Nx.iota({size}) |> Nx.add(5)])
    end

    defn exchanged(a, b, n) do
      {a, b, _} = while({a, b, n}, n > 0, do: {b, a + b, n - 1})
      a - b
    end

    test "that exchanges what it carries" do
      for size <- [3, 9_000],
          n <- [0, 1, 2, 9],
          do: same(&exchanged/3, [Nx.iota({size}), Nx.iota({size}) |> Nx.reverse(), n])
    end
  end

  describe "a cond" do
    defn branches(a, x) do
      y = x * 2

      cond do
        a > 2 -> Nx.sum(y) + x
        a -> Nx.reverse(y)
        true -> y - 1
      end
    end

    test "of large and small branches, by any type" do
      for size <- [3, 20_000],
          a <- [Nx.tensor(3), Nx.tensor(1, type: :u8), Nx.tensor(0.0), Nx.tensor(-0.5, type: :bf16)],
          do: same(&branches/2, [a, Nx.iota({size})])
    end

    defn nested_branches(a, b, x) do
      if a > 0 do
        y = if b > 0, do: x + 1, else: Nx.reverse(x)
        if Nx.sum(y) > b, do: y * 2, else: y
      else
        if b, do: x - 1, else: x
      end
    end

    test "in a cond" do
      for size <- [3, 20_000], a <- [0, 1], b <- [-1, 0, 1], do: same(&nested_branches/3, [a, b, Nx.iota({size})])
    end
  end

  describe "effects" do
    defn crossed(a, b) do
      a = hook(a + 1, :first)
      b = hook(b + 1, :second)
      b - a
    end

    test "run in the order of the program, not of their uses" do
      assert {r, [first: 2, second: 3]} = effects(&crossed/2, [1, 2], [:first, :second])
      assert Nx.to_number(r) == 1
    end

    # the second is ready long before the first
    defn deep_and_shallow(x) do
      deep = x |> Nx.dot(x) |> Nx.sum() |> Nx.exp() |> Nx.new_axis(0) |> Nx.cumulative_sum() |> hook(:deep)
      shallow = hook(x[0], :shallow)
      {shallow, deep}
    end

    test "run in order however much each waits for" do
      assert {_, [deep: _, shallow: _]} = effects(&deep_and_shallow/1, [Nx.broadcast(0.0, {3, 3})], [:deep, :shallow])
    end

    defn in_loop(x, n) do
      {x, _} =
        while {x, n}, n > 0 do
          x = hook(x * 2, :before)
          n = hook(n, :count)
          {hook(x + 1, :after), n - 1}
        end

      hook(x, :end)
    end

    test "in a loop run in every round" do
      for size <- [1, 9_000] do
        {_, all} = effects(&in_loop/2, [Nx.broadcast(1, {size}), 2], [:before, :count, :after, :end])
        s = size
        assert all == [before: 2 * s, count: 2, after: 3 * s, before: 6 * s, count: 1, after: 7 * s, end: 7 * s]
      end
    end

    defn of_vectors(x), do: hook(x + 1, :rows)

    test "are handed vectorized tensors of their size" do
      {parent, x} = {self(), Nx.vectorize(Nx.tensor([[1, 2], [3, 4]]), :rows)}
      run(&of_vectors/1, [x], hooks: %{rows: &send(parent, {:rows, &1})})
      assert_received {:rows, %Nx.Tensor{shape: {2}, vectorized_axes: [rows: 2]} = seen}
      assert seen |> Nx.devectorize() |> Nx.to_list() == [[2, 3], [4, 5]]
    end

    defn in_branches(a, x) do
      x = hook(x, :top)
      y = if a > 0, do: hook(x + 1, :positive), else: hook(x - 1, :negative)
      z = hook(x * 10, :later)
      z - y
    end

    test "in a branch run where it is taken, before what follows" do
      assert {_, [top: 3, positive: 4, later: 30]} =
               effects(&in_branches/2, [1, 3], [:top, :positive, :negative, :later])

      assert {_, [top: 3, negative: 2, later: 30]} =
               effects(&in_branches/2, [0, 3], [:top, :positive, :negative, :later])
    end

    defn branch_in_loop(n) do
      {x, _} =
        while {x = 0, n}, n > 0 do
          x = if Nx.remainder(n, 2) == 0, do: hook(x + n, :even), else: x - 1
          {x, hook(n, :count) - 1}
        end

      x
    end

    test "in a branch of a loop" do
      assert {r, [even: 4, count: 4, count: 3, even: 5, count: 2, count: 1]} =
               effects(&branch_in_loop/1, [4], [:even, :count])

      assert Nx.to_number(r) == 4
    end

    # two loops that do not depend on each other, and a hook between them that depends on neither
    defn two_loops(a, b) do
      {a, _} = while({a, i = 0}, i < 2, do: {hook(a + 1, :one), i + 1})
      c = hook(b * 7, :between)
      {b, _} = while({b, i = 0}, i < 2, do: {hook(b + 1, :two), i + 1})
      {b, c, a}
    end

    test "of loops that do not depend on each other" do
      assert {_, all} = effects(&two_loops/2, [0, 1], [:one, :between, :two])
      assert all == [one: 1, one: 2, between: 7, two: 2, two: 3]
    end

    defn printed(x) do
      {x, _} = while({x, i = 0}, i < 2, do: {print_value(x + i, label: "round"), i + 1})
      print_value(x * 2, label: "end")
    end

    test "values are printed in order" do
      lines = capture_io(fn -> run(&printed/1, [5]) end) |> String.split("\n") |> Enum.filter(&(&1 =~ ~r/round|end/))
      assert [first, second, last] = lines
      assert {first, second, last} |> Tuple.to_list() |> Enum.map(&(&1 =~ "round")) == [true, true, false]
    end

    # what hook_token/4 and attach_token/2 do
    def tokens(a, b) do
      {token, sum} = Nx.Defn.Expr.add_hook(Nx.Defn.Token.new(), Nx.add(a, b), :sum, nil)
      {token, product} = Nx.Defn.Expr.add_hook(token, Nx.multiply(a, b), :product, nil)
      Nx.Defn.Expr.attach_token(token, Nx.subtract(product, sum))
    end

    test "of tokens keep their order" do
      assert {r, [sum: 7, product: 12]} = effects(&tokens/2, [3, 4], [:sum, :product])
      assert Nx.to_number(r) == 5
    end

    def on_host(t, opts) do
      send(opts[:parent], {:hooked, :call, t |> Nx.sum() |> Nx.to_number()})
      Nx.multiply(t, opts[:by])
    end

    test "of runtime calls, in a loop and a branch, between hooks" do
      parent = self()

      fun = fn x ->
        call = &Nx.runtime_call(&1, &1, [by: 2, parent: parent], fn t, opts -> on_host(t, opts) end)
        x = Nx.Defn.Kernel.hook(x, :top)
        y = call.(Nx.add(x, 1))
        z = Nx.Defn.Kernel.hook(Nx.subtract(x, 1), :after)
        Nx.subtract(z, y)
      end

      assert {r, [top: 5, call: 6, after: 4]} = effects(fun, [5], [:top, :after])
      assert Nx.to_number(r) == -8
    end

    defn called(x, n) do
      {x, _} = while({x, n}, n > 0, do: {Nx.runtime_call(x, x, [], &__MODULE__.doubled/2) + n, n - 1})
      x
    end

    def doubled(t, _opts), do: Nx.multiply(t, 2)

    test "of a runtime call in every round" do
      for size <- [2, 9_000],
          do: assert(Nx.to_number(run(&called/2, [Nx.broadcast(1, {size}), 3])[0]) == ((1 * 2 + 3) * 2 + 2) * 2 + 1)
    end

    test "what a hook in a loop raises, the call raises, and the program still runs" do
      raising = %{count: fn _ -> raise "from the loop" end}
      assert_raise RuntimeError, "from the loop", fn -> run(&branch_in_loop/1, [4], hooks: raising) end
      assert Nx.to_number(run(&branch_in_loop/1, [4], hooks: %{count: fn _ -> :ok end})) == 4
    end
  end
end
