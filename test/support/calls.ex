defmodule Nx.Vulkan.Test.Calls do
  @moduledoc """
  A call of every function of Nx, Nx.LinAlg, Nx.Random and Nx.Constants.

  A call takes a map of operands: `m` is f32[2][3], `i` s32[2][3], `u` u8[2][3], `c` c64[2][3], `s` a symmetric
  positive f32[3][3], `v` f32[5], `n` a scalar s32, `key` a random key.
  """

  @unary [:abs, :acos, :acosh, :asin, :asinh, :atan, :atanh, :cbrt, :ceil, :conjugate, :cos, :cosh, :erf, :erf_inv] ++
           [:erfc, :exp, :expm1, :floor, :imag, :is_infinity, :is_nan, :log, :log10, :log1p, :log2, :logical_not] ++
           [:negate, :phase, :real, :round, :rsqrt, :sigmoid, :sign, :sin, :sinh, :sqrt, :tan, :tanh] ++
           [:all, :any, :argmax, :argmin, :argsort, :cumulative_max, :cumulative_min, :cumulative_product] ++
           [:cumulative_sum, :diff, :fft, :fft2, :flatten, :ifft, :ifft2, :irfft, :logsumexp, :mean] ++
           [:median, :mode, :product, :reduce_max, :reduce_min, :reverse, :rfft, :sort, :standard_deviation, :sum] ++
           [:take_diagonal, :to_flat_list, :to_list, :to_binary, :to_heatmap, :to_template, :to_tensor, :top_k] ++
           [:transpose, :tril, :triu, :variance, :covariance, :serialize, :backend_copy, :backend_transfer] ++
           [:axes, :names, :rank, :shape, :size, :flat_size, :type, :bit_size, :byte_size, :squeeze, :devectorize]
  @integer_unary [:bitwise_not, :count_leading_zeros, :population_count]
  @binary [:add, :atan2, :divide, :equal, :greater, :greater_equal, :less, :less_equal, :logical_and, :logical_or] ++
            [:logical_xor, :max, :min, :multiply, :not_equal, :pow, :remainder, :subtract, :all_close, :complex] ++
            [:weighted_mean, :compatible?]
  @integer_binary [:bitwise_and, :bitwise_or, :bitwise_xor, :left_shift, :right_shift, :quotient]
  @windows [:window_max, :window_mean, :window_min, :window_product, :window_sum]
  @types [:u2, :u4, :u8, :u16, :u32, :u64, :s2, :s4, :s8, :s16, :s32, :s64, :f8, :bf16, :f16, :f32, :f64, :c64, :c128]

  @doc "What the calls take, made on the default backend."
  def operands do
    %{
      m: Nx.tensor([[0.5, -0.25, 0.75], [0.125, 0.5, -0.5]]),
      i: Nx.tensor([[1, 2, 3], [4, 5, 6]]),
      u: Nx.tensor([[1, 2, 3], [0, 1, 2]], type: :u8),
      c: Nx.tensor([[Complex.new(1, 2), 1, 2], [3, 4, Complex.new(5, -1)]]),
      s: Nx.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]),
      v: Nx.tensor([1.0, 3.0, 2.0, 5.0, 4.0]),
      n: Nx.tensor(1),
      key: Nx.Random.key(42)
    }
  end

  @doc "`{module, name}` with its call."
  def all do
    List.flatten([
      for(name <- @unary, do: {{Nx, name}, &apply(Nx, name, [&1.m])}),
      for(name <- @integer_unary, do: {{Nx, name}, &apply(Nx, name, [&1.i])}),
      for(name <- @binary, do: {{Nx, name}, &apply(Nx, name, [&1.m, &1.m])}),
      for(name <- @integer_binary, do: {{Nx, name}, &apply(Nx, name, [&1.i, &1.u])}),
      for(name <- @windows, do: {{Nx, name}, &apply(Nx, name, [&1.m, {1, 2}])}),
      for(name <- @types, do: {{Nx, name}, fn _ -> apply(Nx, name, [[1, 0, 1]]) end}),
      for({name, call} <- creation() ++ shape() ++ rest(), do: {{Nx, name}, call}),
      for({name, call} <- lin_alg(), do: {{Nx.LinAlg, name}, call}),
      for({name, call} <- random(), do: {{Nx.Random, name}, call}),
      for({name, call} <- constants(), do: {{Nx.Constants, name}, call})
    ])
  end

  defp creation do
    [
      tensor: fn _ -> Nx.tensor([[1, 2], [3, 4]]) end,
      from_binary: fn _ -> Nx.from_binary(<<1, 2, 3>>, :u8) end,
      eye: fn _ -> Nx.eye(3) end,
      iota: fn _ -> Nx.iota({2, 3}, axis: 1) end,
      make_diagonal: &Nx.make_diagonal(&1.v),
      linspace: fn _ -> Nx.linspace(0, 1, n: 5) end,
      tri: fn _ -> Nx.tri(3, 4) end,
      template: fn _ -> Nx.template({2}, :f32) end,
      fill: &Nx.fill(&1.m, 2),
      deserialize: &(&1.m |> Nx.serialize() |> Nx.deserialize()),
      load_numpy!: fn _ -> Nx.load_numpy!(numpy()) end,
      load_numpy_archive!: fn _ -> Nx.load_numpy_archive!(archive()) end
    ]
  end

  defp shape do
    [
      as_type: &Nx.as_type(&1.m, :f16),
      bitcast: &Nx.bitcast(&1.m, :s32),
      broadcast: &Nx.broadcast(&1.m, {4, 2, 3}),
      broadcast_vectors: &Nx.broadcast_vectors([Nx.vectorize(&1.m, :a), &1.v]),
      concatenate: &Nx.concatenate([&1.m, &1.i]),
      new_axis: &Nx.new_axis(&1.m, 0),
      outer: &Nx.outer(&1.v, &1.v),
      pad: &Nx.pad(&1.m, 0, [{1, 0, 1}, {0, -1, 0}]),
      pad_outer: &Nx.pad_outer(&1.m, :reflect, [{1, 0}, {0, 1}]),
      put_diagonal: &Nx.put_diagonal(&1.m, Nx.tensor([1.0, 2.0])),
      reflect: &apply(Nx, :reflect, [&1.m, [padding_config: [{1, 0}, {0, 1}]]]),
      rename: &Nx.rename(&1.m, [:a, :b]),
      reshape: &Nx.reshape(&1.m, {3, 2}),
      reshape_vectors: &Nx.reshape_vectors([Nx.vectorize(&1.m, :a), &1.v]),
      revectorize: &Nx.revectorize(Nx.vectorize(&1.m, :a), a: 2),
      split: &Nx.split(&1.v, 2),
      stack: &Nx.stack([&1.m, &1.m]),
      tile: &Nx.tile(&1.m, [2, 1]),
      vectorize: &Nx.vectorize(&1.m, :a),
      axis_index: &Nx.axis_index(&1.m, 1),
      axis_size: &Nx.axis_size(&1.m, 1)
    ]
  end

  defp rest do
    [
      backend_deallocate: &Nx.backend_deallocate(Nx.add(&1.m, 1)),
      block: &Nx.block(%Nx.Block.LogicalNot{}, [&1.m], nil, fn _, t -> Nx.equal(t, 0) end),
      clip: &Nx.clip(&1.m, -0.3, 0.3),
      conv: &Nx.conv(Nx.reshape(&1.v, {1, 1, 5}), Nx.tensor([[[1.0, 2.0]]])),
      default_backend: fn _ -> Nx.default_backend() end,
      global_default_backend: fn _ -> Nx.default_backend() end,
      with_default_backend: fn o -> Nx.with_default_backend(Nx.Vulkan.Backend, fn -> Nx.add(o.m, 1) end) end,
      dot: &Nx.dot(&1.m, Nx.transpose(&1.m)),
      gather: &Nx.gather(&1.m, Nx.tensor([[0, 1], [1, 2]])),
      indexed_add: &Nx.indexed_add(&1.m, Nx.tensor([[0, 1], [1, 2]]), Nx.tensor([1.0, 2.0])),
      indexed_put: &Nx.indexed_put(&1.m, Nx.tensor([[0, 1], [1, 2]]), Nx.tensor([1.0, 2.0])),
      put_slice: &Nx.put_slice(&1.m, [0, &1.n], Nx.tensor([[1.0]])),
      reduce: &Nx.reduce(&1.m, 0, fn a, b -> Nx.add(a, b) end),
      runtime_call: &Nx.runtime_call(Nx.to_template(&1.m), &1.m, fn t, _ -> t end),
      select: &Nx.select(&1.u, &1.m, &1.i),
      slice: &Nx.slice(&1.m, [0, &1.n], [1, 2]),
      slice_along_axis: &Nx.slice_along_axis(&1.m, 1, 2, axis: 1),
      take: &Nx.take(&1.m, Nx.tensor([2, 0]), axis: 1),
      take_along_axis: &Nx.take_along_axis(&1.m, &1.u, axis: 1),
      to_batched: &(&1.v |> Nx.to_batched(2) |> Enum.to_list()),
      to_number: &Nx.to_number(&1.n),
      window_reduce: &Nx.window_reduce(&1.m, 0, {1, 2}, fn a, b -> Nx.max(a, b) end),
      window_scatter_max: &Nx.window_scatter_max(&1.m, Nx.tensor([[1], [2]]), 0, {1, 3}, []),
      window_scatter_min: &Nx.window_scatter_min(&1.m, Nx.tensor([[1], [2]]), 0, {1, 3}, [])
    ]
  end

  defp lin_alg do
    [
      adjoint: &Nx.LinAlg.adjoint(&1.c),
      cholesky: &Nx.LinAlg.cholesky(&1.s),
      determinant: &Nx.LinAlg.determinant(&1.s),
      eigh: &Nx.LinAlg.eigh(&1.s),
      invert: &Nx.LinAlg.invert(&1.s),
      least_squares: &Nx.LinAlg.least_squares(&1.s, Nx.tensor([1.0, 2.0, 3.0])),
      lu: &Nx.LinAlg.lu(&1.s),
      matrix_power: &Nx.LinAlg.matrix_power(&1.s, 3),
      matrix_rank: &Nx.LinAlg.matrix_rank(&1.s),
      norm: &Nx.LinAlg.norm(&1.v),
      pinv: &Nx.LinAlg.pinv(&1.s),
      qr: &Nx.LinAlg.qr(&1.s),
      solve: &Nx.LinAlg.solve(&1.s, Nx.tensor([1.0, 2.0, 3.0])),
      svd: &Nx.LinAlg.svd(&1.s),
      triangular_solve: &Nx.LinAlg.triangular_solve(&1.s, Nx.tensor([1.0, 2.0, 3.0]))
    ]
  end

  defp random do
    mean = fn -> Nx.tensor([0.0, 1.0]) end

    [
      key: fn _ -> Nx.Random.key(1) end,
      split: &Nx.Random.split(&1.key),
      fold_in: &Nx.Random.fold_in(&1.key, 3),
      threefry2x32_20_concat: &Nx.Random.threefry2x32_20_concat(Nx.iota({2, 2}, type: :u32), &1.key),
      uniform: &Nx.Random.uniform(&1.key, shape: {3}),
      uniform_split: &Nx.Random.uniform_split(&1.key, 0, 1),
      normal: &Nx.Random.normal(&1.key, shape: {3}),
      normal_split: &Nx.Random.normal_split(&1.key, 0, 1),
      gumbel: &Nx.Random.gumbel(&1.key, shape: {3}),
      gumbel_split: &Nx.Random.gumbel_split(&1.key),
      randint: &Nx.Random.randint(&1.key, 0, 10, shape: {3}),
      randint_split: &Nx.Random.randint_split(&1.key, 0, 10),
      multivariate_normal: &Nx.Random.multivariate_normal(&1.key, mean.(), Nx.eye(2)),
      multivariate_normal_split: &Nx.Random.multivariate_normal_split(&1.key, mean.(), Nx.eye(2)),
      choice: &Nx.Random.choice(&1.key, &1.v, samples: 3),
      shuffle: &Nx.Random.shuffle(&1.key, &1.v)
    ]
  end

  defp constants do
    names = for {name, _} <- Nx.Constants.__info__(:functions), uniq: true, do: name
    for name <- names, do: {name, fn _ -> apply(Nx.Constants, name, if(name == :i, do: [], else: [:f32])) end}
  end

  defp numpy do
    header = String.pad_trailing("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 117) <> "\n"
    <<0x93, "NUMPY", 1, 0, byte_size(header)::16-little, header::binary, 1.0::32-float-little, 2.0::32-float-little>>
  end

  defp archive do
    {:ok, {_, zip}} = :zip.create(~c"a.npz", [{~c"a.npy", numpy()}], [:memory])
    zip
  end
end
