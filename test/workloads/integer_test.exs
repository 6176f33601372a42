defmodule Nx.Vulkan.Workloads.IntegerTest do
  @moduledoc "Integers and indices: everything exact, on edge values and edge shapes, several ops fused into one function."
  use Nx.Vulkan.Test.DeviceCase, async: true

  import Nx.Vulkan.Test.Bounds, only: [random: 3]

  @types for kind <- [:s, :u], width <- [8, 16, 32, 64], do: {kind, width}
  @shapes [{1}, {5, 7}, {2, 67, 3}]

  defp assert_exact(fun, args), do: assert_near(run(fun, args), expect(fun, args), 0.0)

  # the type's limits and what is next to them
  defp edges({:s, width} = type),
    do: values([0, 1, -1, 2, -2, 7, -7, 2 ** (width - 1) - 1, -(2 ** (width - 1)), 100], type)

  defp edges({:u, width} = type),
    do: values([0, 1, 2, 3, 7, 2 ** width - 1, 2 ** width - 2, 2 ** (width - 1), 100, 5], type)

  defp values(list, type), do: Nx.tensor(list, type: type)

  for type <- @types do
    describe "#{Nx.Type.to_string(type)}" do
      @type_ type

      test "arithmetic wraps, on every pair of edge values" do
        a = edges(@type_)

        assert_exact(
          fn a ->
            {x, y} = {Nx.new_axis(a, 1), a}

            {Nx.add(x, y), Nx.subtract(x, y), Nx.multiply(x, y), Nx.negate(a), Nx.abs(a), Nx.sign(a), Nx.max(x, y),
             Nx.min(x, y), Nx.subtract(Nx.add(Nx.multiply(x, y), x), y)}
          end,
          [a]
        )
      end

      test "quotients go towards zero, remainders have the dividend's sign" do
        a = edges(@type_)
        divisors = Nx.select(Nx.equal(a, 0), 3, a) |> Nx.as_type(@type_)
        # the quotient of the least number and -1 has no place in the type
        divisors = Nx.select(Nx.equal(divisors, -1), 1, divisors) |> Nx.as_type(@type_)

        assert_exact(fn a, b -> {Nx.quotient(Nx.new_axis(a, 1), b), Nx.remainder(Nx.new_axis(a, 1), b)} end, [
          a,
          divisors
        ])
      end

      test "shifts, bits and comparisons" do
        {_, width} = @type_
        a = edges(@type_)
        by = values(Enum.take(Enum.uniq([0, 1, 3, 7, width - 1, div(width, 2), 2, 4, 5, 6]), 6), @type_)

        assert_exact(
          fn a, by ->
            {x, y} = {Nx.new_axis(a, 1), a}
            s = Nx.new_axis(a, 1)

            {Nx.left_shift(s, by), Nx.right_shift(s, by), Nx.bitwise_and(x, y), Nx.bitwise_or(x, y),
             Nx.bitwise_xor(x, y), Nx.bitwise_not(a), Nx.population_count(a), Nx.count_leading_zeros(a), Nx.equal(x, y),
             Nx.less(x, y), Nx.greater_equal(x, y), Nx.logical_and(x, y), Nx.logical_xor(x, y), Nx.logical_not(a)}
          end,
          [a, by]
        )
      end

      test "sums, products, extremes and their places" do
        for shape <- @shapes do
          a = random(@type_, Tuple.product(shape), 1) |> Nx.reshape(shape)

          assert_exact(
            fn a ->
              {Nx.sum(a), Nx.sum(a, axes: [0]), Nx.product(a, axes: [-1]), Nx.reduce_max(a, axes: [0]),
               Nx.reduce_min(a), Nx.argmax(a), Nx.argmin(a, axis: 0),
               Nx.argmax(Nx.remainder(a, 3), axis: -1, tie_break: :high), Nx.any(a), Nx.all(a, axes: [-1])}
            end,
            [a]
          )
        end
      end

      test "sorts, stable ones, and cumulative ops" do
        for shape <- @shapes do
          a = random(@type_, Tuple.product(shape), 2) |> Nx.remainder(11) |> Nx.reshape(shape)

          assert_exact(
            fn a ->
              {Nx.sort(a, axis: 0), Nx.sort(a, axis: -1, direction: :desc), Nx.argsort(a, axis: -1, stable: true),
               Nx.argsort(a, axis: 0, direction: :desc, stable: true), Nx.cumulative_sum(a, axis: -1),
               Nx.cumulative_product(a, axis: 0, reverse: true), Nx.cumulative_max(a, axis: 0),
               Nx.cumulative_min(a, axis: -1)}
            end,
            [a]
          )
        end
      end
    end
  end

  test "casts between all types wrap" do
    for from <- @types, do: assert_exact(&List.to_tuple(for to <- @types, do: Nx.as_type(&1, to)), [edges(from)])
  end

  # the larger of an u64 and a signed integer is taken in the result's type, s64, where Nx compares first
  test "mixed types come to the type that Nx gives them" do
    for a <- @types do
      others = for b <- @types, do: edges(b)

      assert_exact(
        fn x, others ->
          for y <- Tuple.to_list(others), into: [] do
            mixed = [Nx.type(x), Nx.type(y)]
            exact = {:u, 64} not in mixed or Enum.all?(mixed, &match?({:u, _}, &1))
            {Nx.add(x, y), Nx.multiply(x, y), Nx.less(x, y), if(exact, do: Nx.max(x, y), else: Nx.equal(x, y))}
          end
          |> List.to_tuple()
        end,
        [edges(a), List.to_tuple(others)]
      )
    end
  end

  describe "indices" do
    test "gather, take, take along an axis, in every index type and out of order" do
      t = Nx.iota({4, 5, 3}, type: :s32)

      for type <- [:s8, :u8, :s32, :s64, :u32] do
        at = Nx.tensor([[3, 4], [0, 0], [2, 1], [3, 4]], type: type)
        rows = Nx.tensor([3, 0, 3, 1], type: type)
        along = Nx.tensor([[[1, 0, 2]], [[0, 4, 3]], [[4, 4, 4]], [[2, 3, 0]]], type: type)

        assert_exact(
          fn t, at, rows, along ->
            {Nx.gather(t, at), Nx.gather(t, at, axes: [0, 2]), Nx.take(t, rows), Nx.take(t, rows, axis: 1),
             Nx.take_along_axis(t, along, axis: 1)}
          end,
          [t, Nx.min(at, 2), rows, along]
        )
      end
    end

    test "indexed add and put, with places named twice" do
      t = Nx.iota({4, 5}, type: :s64)
      at = Nx.tensor([[0, 1], [3, 4], [0, 1], [2, 2], [3, 4], [0, 1]])
      by = Nx.tensor([1, 10, 100, 1000, 10_000, 100_000], type: :s64)
      assert_exact(fn t, at, by -> Nx.indexed_add(t, at, by) end, [t, at, by])
      rows = Nx.tensor([[3], [0], [3]])
      assert_exact(fn t, at, by -> Nx.indexed_add(t, at, by) end, [t, rows, Nx.iota({3, 5}, type: :s64)])
      distinct = Nx.tensor([[0, 1], [3, 4], [2, 2]])
      assert_exact(fn t, at, by -> Nx.indexed_put(t, at, by) end, [t, distinct, Nx.tensor([7, 8, 9], type: :s64)])
    end

    test "slices whose places are data, clamped, and what is written there" do
      t = Nx.iota({4, 5}, type: :u16)

      for start <- [-3, 0, 1, 3, 9], type <- [:s32, :s64] do
        at = Nx.tensor(start, type: type)

        assert_exact(
          fn t, at ->
            {Nx.slice(t, [at, 1], [2, 3]), Nx.put_slice(t, [at, at], Nx.broadcast(Nx.u16(9), {2, 2})),
             Nx.slice(t, [0, at], [4, 2], strides: [2, 1])}
          end,
          [t, at]
        )
      end
    end

    test "movement: pad and crop, reverse, concatenate, stack, tile, transpose" do
      t = Nx.iota({3, 4, 2}, type: :s16)

      assert_exact(
        fn t ->
          {Nx.pad(t, 7, [{1, 2, 0}, {-1, 1, 1}, {0, -1, 0}]), Nx.reverse(t, axes: [0, 2]),
           Nx.concatenate([t, Nx.negate(t), t], axis: 1), Nx.stack([t, Nx.multiply(t, 2)], axis: 2),
           Nx.tile(t, [2, 1, 3]), Nx.transpose(t, axes: [2, 0, 1]), Nx.diff(t, axis: 1), Nx.take_diagonal(t[0][0..1]),
           Nx.tril(t[[.., .., 0]]), Nx.triu(t[[.., .., 1]])}
        end,
        [t]
      )
    end

    # more tensors than a kernel may bind buffers
    test "a hundred and two tensors stacked" do
      parts = for i <- 1..102, do: Nx.add(i, Nx.iota({3}))
      assert_exact(fn parts -> Nx.stack(Tuple.to_list(parts)) end, [List.to_tuple(parts)])
      on_device = Enum.map(parts, &Nx.backend_copy(&1, Nx.Vulkan.Backend))
      assert Nx.to_binary(Nx.stack(on_device)) == Nx.to_binary(Nx.stack(parts))
    end
  end

  describe "floats in order" do
    @special [1.0, :nan, :neg_infinity, -0.0, 0.0, :infinity, -1.5, :nan, 3.0e38, -3.0e38, 1.0e-40]

    for type <- [:f32, :f64, :f16, :bf16] do
      test "NaN comes last in #{type}" do
        a = Nx.tensor(@special, type: unquote(type))

        assert_exact(
          fn a ->
            {Nx.sort(a) |> Nx.equal(0), Nx.sort(a), Nx.sort(a, direction: :desc), Nx.argsort(a, stable: true),
             Nx.argsort(a, direction: :desc, stable: true)}
          end,
          [a]
        )
      end

      test "extremes and their places in #{type}" do
        without_nan = Nx.tensor(@special -- [:nan, :nan], type: unquote(type))
        assert_exact(&{Nx.reduce_max(&1), Nx.reduce_min(&1), Nx.argmax(&1), Nx.argmin(&1)}, [without_nan])
        a = Nx.tensor(@special, type: unquote(type))
        assert_exact(&{Nx.reduce_max(&1), Nx.reduce_min(&1), Nx.max(&1, 0.5), Nx.min(0.5, &1)}, [a])
      end
    end
  end
end
