defmodule Nx.Vulkan.Workloads.DotTest do
  @moduledoc """
  General products: batched, contracted over several axes, of every type; square matrices. Sizes that take the
  binary backend minutes are checked by a vector: A (B v) = (A B) v, exactly, where all are whole numbers.
  """
  use Nx.Vulkan.Test.DeviceCase

  import Nx.Vulkan.Test.Bounds, only: [random: 3, random: 5]

  # {shape, contracted, batched} of both sides
  @products [
    {{7}, [0], [], {7}, [0], []},
    {{5, 7}, [1], [], {7}, [0], []},
    {{7}, [0], [], {7, 3}, [0], []},
    {{5, 7}, [1], [], {7, 3}, [0], []},
    {{7, 5}, [0], [], {3, 7}, [1], []},
    {{4, 5, 7}, [2], [0], {4, 7, 3}, [1], [0]},
    {{4, 5, 7}, [1], [0], {4, 3, 5}, [2], [0]},
    {{2, 3, 5, 7}, [3], [0, 1], {2, 3, 7, 4}, [2], [0, 1]},
    {{2, 3, 4}, [1, 2], [], {3, 4, 5}, [0, 1], []},
    {{2, 3, 4}, [2, 0], [], {4, 5, 2}, [0, 2], []},
    {{3, 1, 4}, [2], [], {4, 2, 2}, [0], []},
    {{2, 3}, [], [], {4, 5}, [], []},
    {{33, 65}, [1], [], {65, 17}, [0], []},
    {{3, 40, 33}, [2], [0], {3, 33, 50}, [1], [0]}
  ]

  # f32: each of a few dozen additions of the device may round where the backend adds in f64
  @bounds [f32: 1.0e-5, f64: 1.0e-13, f16: 1.0e-3, bf16: 1.0e-2, s32: 0.0, u8: 0.0, s64: 0.0]

  for {type, bound} <- @bounds do
    test "products of #{type}" do
      for {a, contract_a, batch_a, b, contract_b, batch_b} <- @products do
        {x, y} = {tensor(a, unquote(type), 1), tensor(b, unquote(type), 2)}
        fun = fn x, y -> Nx.dot(x, contract_a, batch_a, y, contract_b, batch_b) end
        assert_near(run(fun, [x, y]), expect(fun, [x, y]), unquote(bound))
      end
    end
  end

  test "products with what is around them: scaled, transposed, biased, rectified" do
    [a, b, c] = for {shape, seed} <- [{{40, 70}, 1}, {{50, 70}, 2}, {{50}, 3}], do: tensor(shape, :f32, seed)
    fun = fn a, b, c -> Nx.max(Nx.add(Nx.dot(Nx.multiply(a, 0.5), Nx.transpose(b)), c), 0) end
    {result, counted} = counted_run(fun, [a, b, c])
    assert_near(result, expect(fun, [a, b, c]), 1.0e-5)
    assert {counted.submits, counted.dispatches} == {1, 1}
  end

  for n <- [16, 64], {type, bound} <- [f32: 1.0e-5, f64: 1.0e-13, s32: 0.0] do
    test "square matrices of #{n}, #{type}" do
      {n, type} = {unquote(n), unquote(type)}
      args = [tensor({n, n}, type, 1), tensor({n, n}, type, 2)]
      {result, counted} = counted_run(&Nx.dot/2, args)
      assert_near(result, expect(&Nx.dot/2, args), unquote(bound))
      assert {counted.submits, counted.dispatches} == {1, 1}
    end
  end

  for n <- [256], type <- [:f32, :f64, :s32] do
    test "square matrices of #{n}, #{type}, of whole numbers" do
      {n, type} = {unquote(n), unquote(type)}
      # sums of n products of at most 8 by 8 are exact in every type here
      [a, b, v] =
        for {shape, seed} <- [{{n, n}, 1}, {{n, n}, 2}, {{n}, 3}],
            do: Nx.remainder(random({:s, 32}, Tuple.product(shape), seed), 9) |> Nx.reshape(shape)

      c = run(&Nx.dot/2, [Nx.as_type(a, type), Nx.as_type(b, type)])
      [a, b, v, c] = for t <- [a, b, v, host(c)], do: Nx.as_type(t, :s64)
      assert Nx.to_binary(Nx.dot(c, v)) == Nx.to_binary(Nx.dot(a, Nx.dot(b, v)))
    end
  end

  defp tensor(shape, type, seed) do
    type = Nx.Type.normalize!(type)
    count = Tuple.product(shape)
    data = if Nx.Type.float?(type), do: random(type, count, seed, -1.0, 1.0), else: random(type, count, seed)
    Nx.reshape(data, shape)
  end
end
