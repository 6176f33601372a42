defmodule Nx.Vulkan.OrderTest do
  # Sorts, scans and scatters of sizes that have kernels of their own, against Nx itself.
  use Nx.Vulkan.Test.DeviceCase, async: true

  defp computed(fun, args), do: host(run(fun, args))

  # Few values, so that ties are many; every 17th element of a float is NaN, every 11th -0.0.
  defp ties(shape, type) do
    size = Nx.size(shape)

    values =
      for i <- 0..(size - 1) do
        cond do
          match?({:f, _}, type) and rem(i, 17) == 5 -> :nan
          match?({:f, _}, type) and rem(i, 11) == 3 -> -0.0
          true -> rem(i * i + div(i, 7), 23)
        end
      end

    Nx.reshape(Nx.tensor(values, type: type), shape)
  end

  for type <- [f: 32, f: 64, f: 16, s: 64, u: 8], direction <- [:asc, :desc] do
    @type_of type
    @direction direction

    test "argsort and sort of #{inspect(type)}, #{direction}" do
      for {shape, axis} <- [{{300}, 0}, {{5, 400}, 1}, {{400, 6}, 0}, {{9000}, 0}] do
        t = ties(shape, @type_of)
        opts = [axis: axis, direction: @direction, stable: true]
        assert computed(&Nx.argsort(&1, opts), [t]) == expect(&Nx.argsort(&1, opts), [t])
        assert_bits(computed(&Nx.sort(&1, opts), [t]), expect(&Nx.sort(&1, opts), [t]))
      end
    end
  end

  test "the k greatest, and medians" do
    t = ties({40, 500}, {:f, 32}) |> Nx.multiply(-1) |> Nx.add(3)
    assert {v, i} = computed(&Nx.top_k(&1, k: 7), [t])
    assert {w, j} = expect(&Nx.top_k(&1, k: 7), [t])
    assert_bits(v, w)
    assert i == j
    u = Nx.iota({30, 401}) |> Nx.multiply(7919) |> Nx.remainder(1009)
    assert computed(&Nx.median(&1, axis: 1), [u]) == expect(&Nx.median(&1, axis: 1), [u])
  end

  test "cumulative functions, both ways" do
    t = Nx.iota({7, 900}, type: :f32) |> Nx.sin() |> Nx.add(1.0)
    s = Nx.iota({900, 7}, type: :s32) |> Nx.multiply(37) |> Nx.remainder(101)

    for fun <- [&Nx.cumulative_max/2, &Nx.cumulative_min/2, &Nx.cumulative_sum/2], reverse <- [false, true] do
      assert computed(&fun.(&1, axis: 0, reverse: reverse), [s]) == expect(&fun.(&1, axis: 0, reverse: reverse), [s])
    end

    for {fun, bound} <- [{&Nx.cumulative_max/2, 0}, {&Nx.cumulative_sum/2, 1.0e-3}], reverse <- [false, true] do
      x = computed(&fun.(&1, axis: 1, reverse: reverse), [t])
      y = expect(&fun.(&1, axis: 1, reverse: reverse), [t])
      assert Nx.to_number(Nx.reduce_max(Nx.abs(Nx.subtract(x, y)))) <= bound
    end
  end

  test "updates in order, the last one wins" do
    target = Nx.iota({200, 3}, type: :s32)
    index = Nx.iota({2000, 1}) |> Nx.multiply(31) |> Nx.remainder(170)
    updates = Nx.iota({2000, 3}, type: :s32)

    for fun <- [&Nx.indexed_add/3, &Nx.indexed_put/3] do
      assert computed(fun, [target, index, updates]) == expect(fun, [target, index, updates])
    end
  end

  test "the gradient of an embedding" do
    table = Nx.iota({300, 8}, type: :f32) |> Nx.divide(1000)
    tokens = Nx.iota({40, 30}) |> Nx.multiply(17) |> Nx.remainder(290)
    loss = fn table, tokens -> Nx.Defn.grad(table, &Nx.sum(Nx.take(&1, tokens))) end
    assert computed(loss, [table, tokens]) == expect(loss, [table, tokens])
  end

  # -0.0 and 0.0 differ, NaNs are alike.
  defp assert_bits(x, y) do
    nan = Nx.tensor(7, type: x.type)
    clean = fn t -> if match?({:f, _}, t.type), do: Nx.select(Nx.is_nan(t), nan, t), else: t end
    assert Nx.to_binary(clean.(x)) == Nx.to_binary(clean.(y))
  end
end
