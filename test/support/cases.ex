defmodule Nx.Vulkan.Test.Cases do
  @moduledoc """
  A call for every op of `Nx.Backend` and every `Nx.Block`, for any type, and one for every function of Nx.

  Operands are given as shapes, or as `{shape, type}` where the type does not vary with the case.
  """

  import Nx.Defn

  @unary [:exp, :expm1, :log, :log1p, :sigmoid, :cos, :sin, :tan, :cosh, :sinh, :tanh, :acos, :asin, :atan, :acosh] ++
           [:asinh, :atanh, :sqrt, :rsqrt, :cbrt, :erf, :erfc, :erf_inv, :negate, :sign, :abs, :floor, :ceil, :round] ++
           [:bitwise_not, :population_count, :count_leading_zeros, :is_nan, :is_infinity, :real, :imag, :conjugate]
  @binary [:add, :subtract, :multiply, :divide, :quotient, :remainder, :pow, :atan2, :max, :min, :bitwise_and] ++
            [:bitwise_or, :bitwise_xor, :left_shift, :right_shift, :equal, :not_equal, :greater, :less] ++
            [:greater_equal, :less_equal, :logical_and, :logical_or, :logical_xor]
  @reduce [:sum, :product, :reduce_max, :reduce_min, :all, :any]
  @window [:window_sum, :window_product, :window_max, :window_min]

  @doc "Op, function of its operands, operands."
  def ops do
    for(op <- @unary, do: {op, &apply(Nx, op, [&1]), [{2, 3}]}) ++
      for(op <- @binary, do: {op, &apply(Nx, op, [&1, &2]), [{2, 3}, {3}]}) ++
      for(op <- @reduce, do: {op, &apply(Nx, op, [&1, [axes: [1]]]), [{2, 3}]}) ++
      for(op <- [:argmax, :argmin], do: {op, &apply(Nx, op, [&1, [axis: 1]]), [{2, 3}]}) ++
      for(op <- @window, do: {op, &apply(Nx, op, [&1, {1, 2}, [padding: :same]]), [{2, 3}]}) ++
      for op <- [:sort, :argsort] do
        {op, &apply(Nx, op, [&1, [axis: 1]]), [{2, 3}]}
      end ++
      for op <- [:fft, :ifft] do
        {op, &apply(Nx, op, [&1, [axis: 1]]), [{2, 3}]}
      end ++
      for op <- [:window_scatter_max, :window_scatter_min] do
        {op, &apply(Nx, op, [&1, &2, &3, {1, 2}, [strides: [1, 2]]]), [{2, 4}, {2, 2}, {}]}
      end ++
      for op <- [:indexed_add, :indexed_put] do
        {op, &apply(Nx, op, [&1, &2, &3]), [{2, 3}, {{4, 2}, :s32}, {4}]}
      end ++ others()
  end

  defp others do
    [
      as_type: {&as_types/1, [{2, 3}]},
      bitcast: {&Nx.bitcast(&1, twin(&1.type)), [{2, 3}]},
      select: {&Nx.select(&1, &2, &3), [{2, 3}, {2, 3}, {}]},
      clip: {&Nx.clip(&1, &2, &3), [{2, 3}, {}, {}]},
      iota: {&Nx.add(Nx.iota({2, 3}, type: &1.type), &1), [{2, 3}]},
      eye: {&Nx.add(Nx.eye({3, 3}, type: &1.type), &1), [{3, 3}]},
      reshape: {&Nx.reshape(&1, {3, 2}), [{2, 3}]},
      squeeze: {&Nx.squeeze/1, [{2, 1}]},
      broadcast: {&Nx.broadcast(&1, {2, 3}), [{3}]},
      transpose: {&Nx.transpose/1, [{2, 3}]},
      reverse: {&Nx.reverse/1, [{2, 3}]},
      pad: {&Nx.pad(&1, &2, [{1, -1, 1}, {0, 2, 0}]), [{2, 3}, {}]},
      concatenate: {&Nx.concatenate([&1, &2], axis: 1), [{2, 3}, {2, 1}]},
      stack: {&Nx.stack([&1, &2], axis: 1), [{2, 3}, {2, 3}]},
      slice: {&Nx.slice(&1, [&2, 1], [1, 2]), [{2, 3}, {{}, :s32}]},
      put_slice: {&Nx.put_slice(&1, [&2, 1], &3), [{2, 3}, {{}, :s32}, {1, 2}]},
      gather: {&Nx.gather(&1, &2), [{2, 3}, {{4, 2}, :s32}]},
      reduce: {fn t, acc -> Nx.reduce(t, acc, [axes: [1]], &Nx.add(&2, Nx.equal(&1, 1))) end, [{2, 3}, {}]},
      window_reduce:
        {fn t, acc -> Nx.window_reduce(t, acc, {1, 2}, [padding: :same], &Nx.add(&2, Nx.equal(&1, 1))) end,
         [{2, 3}, {}]},
      dot: {&Nx.dot/2, [{2, 3}, {3, 2}]},
      conv: {&Nx.conv(&1, &2, padding: :same), [{1, 2, 5}, {2, 2, 3}]},
      triangular_solve: {&Nx.LinAlg.triangular_solve/2, [{3, 3}, {3, 2}]}
    ]
    |> Enum.map(fn {op, {fun, operands}} -> {op, fun, operands} end)
  end

  @doc "Nodes of control flow and effects: name, function, operands."
  def control do
    [
      {:cond, &chosen/1, [{2, 3}]},
      {:while, &counted/1, [{2, 3}]},
      {:hook, &seen/1, [{2, 3}]},
      {:runtime_call, &called/1, [{2, 3}]}
    ]
  end

  defn(chosen(t), do: if(Nx.all(t), do: Nx.reverse(t), else: t))

  defn counted(t) do
    {_, t} = while({i = 0, t}, i < 3, do: {i + 1, Nx.reverse(t)})
    t
  end

  defn(seen(t), do: hook(t, fn _ -> :ok end))
  defn(called(t), do: Nx.runtime_call(t, t, &__MODULE__.same/2))
  def same(t, _opts), do: t

  @doc "Module of a block, function, operands."
  def blocks do
    by = fn name -> &apply(Nx, name, [&1, [axis: 1]]) end

    [
      {Nx.Block.LogicalNot, &Nx.logical_not/1, [{2, 3}]},
      {Nx.Block.Phase, &Nx.phase/1, [{2, 3}]},
      {Nx.Block.AllClose, &Nx.all_close/2, [{2, 3}, {3}]},
      {Nx.Block.CumulativeSum, by.(:cumulative_sum), [{2, 5}]},
      {Nx.Block.CumulativeProduct, by.(:cumulative_product), [{2, 5}]},
      {Nx.Block.CumulativeMin, by.(:cumulative_min), [{2, 5}]},
      {Nx.Block.CumulativeMax, by.(:cumulative_max), [{2, 5}]},
      {Nx.Block.Take, &Nx.take(&1, &2, axis: 1), [{2, 3}, {{4}, :s32}]},
      {Nx.Block.TakeAlongAxis, &Nx.take_along_axis(&1, &2, axis: 1), [{2, 3}, {{2, 4}, :s32}]},
      {Nx.Block.TopK, &Nx.top_k(&1, k: 2), [{2, 5}]},
      {Nx.Block.FFT2, &Nx.fft2/1, [{2, 3}]},
      {Nx.Block.IFFT2, &Nx.ifft2/1, [{2, 3}]},
      {Nx.Block.RFFT, &Nx.rfft/1, [{2, 4}]},
      {Nx.Block.IRFFT, &Nx.irfft/1, [{2, 3}]},
      {Nx.Block.LinAlg.Cholesky, &Nx.LinAlg.cholesky/1, [{2, 2}]},
      {Nx.Block.LinAlg.Solve, &Nx.LinAlg.solve/2, [{2, 2}, {2}]},
      {Nx.Block.LinAlg.QR, &Nx.LinAlg.qr/1, [{3, 2}]},
      {Nx.Block.LinAlg.LU, &Nx.LinAlg.lu/1, [{2, 2}]},
      {Nx.Block.LinAlg.Eigh, &Nx.LinAlg.eigh/1, [{2, 2}]},
      {Nx.Block.LinAlg.SVD, &Nx.LinAlg.svd/1, [{2, 2}]},
      {Nx.Block.LinAlg.Determinant, &Nx.LinAlg.determinant/1, [{4, 4}]}
    ]
  end

  @doc "Nx's types."
  def types do
    for(kind <- [:u, :s], size <- [2, 4, 8, 16, 32, 64], do: {kind, size}) ++
      [{:f, 8}, {:f8_e4m3fn, 8}, {:bf, 16}, {:f, 16}, {:f, 32}, {:f, 64}, {:c, 64}, {:c, 128}]
  end

  defp as_types(t), do: types() |> Enum.map(&Nx.as_type(t, &1)) |> List.to_tuple()

  # another type of the same width, or the type itself
  defp twin({:s, size}), do: {:u, size}
  defp twin({:u, size}) when size >= 16, do: {:f, size}
  defp twin({:f8_e4m3fn, 8}), do: {:u, 8}
  defp twin({kind, size}) when kind in [:f, :bf], do: {:s, size}
  defp twin(type), do: type
end
