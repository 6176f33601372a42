defmodule Nx.Vulkan.InterpreterTest do
  use ExUnit.Case, async: true

  import Nx.Vulkan.Test.Bounds
  alias Nx.Vulkan.Test.{Interpreter, OpCases}

  # The serializer and the reference interpreter against Nx, with no device.
  @moduletag :native

  setup do
    Nx.default_backend(Nx.BinaryBackend)
    :ok
  end

  defp run(fun, args, opts \\ []), do: Nx.Defn.jit_apply(fun, args, [compiler: Interpreter] ++ opts)

  for {op, {lo, hi, bound}} <- OpCases.unary(), type <- [{:f, 32}, {:f, 64}, {:f, 16}, {:bf, 16}] do
    test "#{op} of #{inspect(type)}" do
      {op, type} = unquote({op, type})
      fun = &apply(Nx, op, [&1])
      x = random(type, 200, 1, unquote(lo), unquote(hi))
      bound = unquote(bound) + OpCases.slack(type)
      assert_ulps(run(fun, [x]), OpCases.reference(fun, [x], type), bound, "#{op}")
      assert_ulps(run(fun, [x], optimised: true), OpCases.reference(fun, [x], type), bound, "#{op} after the passes")
    end
  end

  for {op, bound} <- OpCases.binary(), type <- [{:f, 32}, {:f, 64}, {:f, 16}, {:bf, 16}] do
    test "#{op} of #{inspect(type)}" do
      {op, type} = unquote({op, type})
      fun = &apply(Nx, op, [&1, &2])
      x = random(type, 20, 1) |> Nx.new_axis(1)
      y = random(type, 30, 2, 0.5, 3.0)
      assert_ulps(run(fun, [x, y]), OpCases.reference(fun, [x, y], type), unquote(bound) + OpCases.slack(type), "#{op}")
    end
  end

  test "u64 and signed integers compare as the numbers they are, known or not" do
    ops = [equal: &==/2, not_equal: &!=/2, less: &</2, less_equal: &<=/2, greater: &>/2, greater_equal: &>=/2]
    unsigned = [0, 1, 5, 127, 128, 2 ** 32, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1]
    u = Nx.tensor(unsigned, type: :u64)
    both = fn u, s -> List.to_tuple(for {op, _} <- ops, args <- [[u, s], [s, u]], do: apply(Nx, op, args)) end

    for {type, more} <- [s64: [-(2 ** 63), 2 ** 63 - 1], s8: []], number <- [-128, -1, 0, 1, 5, 127] ++ more do
      s = Nx.tensor(number, type: type)

      expected =
        for {_, compare} <- ops, swap? <- [false, true] do
          for x <- unsigned, do: if(if(swap?, do: compare.(number, x), else: compare.(x, number)), do: 1, else: 0)
        end

      for result <- [run(both, [u, s]), run(&both.(&1, s), [u])] do
        assert {number, result |> Tuple.to_list() |> Enum.map(&Nx.to_flat_list/1)} == {number, expected}
      end
    end
  end

  for type <- [{:u, 8}, {:s, 8}, {:u, 16}, {:s, 16}, {:u, 32}, {:s, 32}, {:u, 64}, {:s, 64}, {:u, 4}, {:s, 4}, {:u, 2}] do
    test "integer ops of #{inspect(type)}" do
      type = unquote(type)
      x = random(type, 100, 3)
      y = random(type, 100, 4) |> then(&Nx.select(Nx.equal(&1, 0), 1, &1)) |> Nx.as_type(type)

      for op <- OpCases.integer_binary() do
        fun = &apply(Nx, op, [&1, &2])
        assert_ulps(run(fun, [x, y]), fun.(x, y), 0, "#{op}")
      end

      for op <- OpCases.integer_unary(), op != :count_leading_zeros or elem(type, 1) >= 8 do
        fun = &apply(Nx, op, [&1])
        assert_ulps(run(fun, [x]), fun.(x), 0, "#{op}")
      end

      for other <- [{:s, 32}, {:f, 32}, {:u, 8}, {:s, 64}] do
        assert_ulps(run(&Nx.as_type(&1, other), [x]), Nx.as_type(x, other), 0, "as_type #{inspect(other)}")

        # the binary backend adds wide integers to floats without rounding them to the float's type first
        if elem(other, 0) != :f or elem(type, 1) <= 16 do
          z = Nx.as_type(y, other)
          assert_ulps(run(&Nx.add/2, [x, z]), Nx.add(x, z), 0, "add #{inspect(other)}")
        end
      end
    end
  end

  test "reductions, movement, gather and scatter" do
    x = random({:f, 32}, 24, 5) |> Nx.reshape({2, 3, 4})
    i = Nx.tensor([[0, 1], [1, 2]])

    for {name, fun} <- [
          sum: &Nx.sum(&1, axes: [1]),
          product: &Nx.product(&1, axes: [0, 2]),
          max: &Nx.reduce_max(&1, axes: [2], keep_axes: true),
          all: &Nx.all(&1, axes: [0]),
          argmax: &Nx.argmax(&1, axis: 1),
          argmin: &Nx.argmin/1,
          transpose: &Nx.transpose(&1, axes: [2, 0, 1]),
          reverse: &Nx.reverse(&1, axes: [0, 2]),
          pad: &Nx.pad(&1, 1.0, [{1, -1, 0}, {0, 0, 1}, {-1, 2, 0}]),
          slice: &Nx.slice(&1, [0, 1, 0], [2, 2, 3], strides: [1, 1, 2]),
          concatenate: &Nx.concatenate([&1, Nx.multiply(&1, 2)], axis: 1),
          stack: &Nx.stack([&1, &1], axis: 2),
          gather: &Nx.gather(&1, i),
          take: &Nx.take(&1, Nx.tensor([2, 0]), axis: 1),
          indexed_add: &Nx.indexed_add(&1, i, Nx.iota({2, 4}, type: :f32)),
          indexed_put: &Nx.indexed_put(&1, i, Nx.iota({2, 4}, type: :f32)),
          sort: &Nx.sort(&1, axis: 1, direction: :desc),
          argsort: &Nx.argsort(&1, axis: 2),
          window_sum: &Nx.window_sum(&1, {1, 2, 2}, padding: :same),
          window_max: &Nx.window_max(&1, {2, 1, 3}, strides: [1, 1, 2]),
          cumulative_sum: &Nx.cumulative_sum(&1, axis: 2),
          clip: &Nx.clip(&1, -1, 1),
          variance: &Nx.variance(&1, axes: [1]),
          reduce: fn x -> Nx.reduce(x, 0.0, [axes: [1]], fn a, b -> Nx.add(Nx.abs(a), b) end) end
        ] do
      expected = fun.(x)
      bound = if match?({kind, _} when kind in [:s, :u], expected.type), do: 0, else: 8
      assert_ulps(run(fun, [x]), expected, bound, "#{name}")
      assert_ulps(run(fun, [x], optimised: true), expected, bound, "#{name} after the passes")
    end
  end

  test "random bits are Nx's" do
    fun = fn key ->
      {Nx.Random.uniform(key, shape: {7}), Nx.Random.randint(key, 0, 1000, shape: {5}), Nx.Random.split(key)}
    end

    key = Nx.Random.key(42)
    {{u, _}, {r, _}, s} = run(fun, [key])
    {{eu, _}, {er, _}, es} = fun.(key)
    assert Nx.to_binary(u) == Nx.to_binary(eu)
    assert Nx.to_binary(r) == Nx.to_binary(er)
    assert Nx.to_binary(s) == Nx.to_binary(es)
  end
end
