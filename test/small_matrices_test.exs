defmodule Nx.Vulkan.SmallMatricesTest do
  # Eigenvectors and singular values of single small matrices, around the orders from which they are kernels. What is
  # made of them is the matrix again, vectors are orthonormal, and values are those of Nx, in their order. Vectors may
  # have another sign, and those of equal values may be others.
  use Nx.Vulkan.Test.DeviceCase, async: true
  import Nx.Defn

  @roundoff %{{:f, 32} => :math.pow(2, -24), {:f, 64} => :math.pow(2, -53)}
  # LAPACK's thresholds are 60 and 35, in n u (TESTING/sep.in, svd.in); e2e/eigh_test and svd_test have this one
  @ratio 30
  # Nx's expansion ends when the part beside the diagonal is at most so much of the matrix, and makes 0 of results up to it
  @eps 1.0e-4
  # of the orders, those that are compared with Nx, which takes 12 s for singular values of 17 x 17
  @with_nx [3, 4, 5]
  @most_with_nx 5
  # what runs on any device, in kernels for GPUs
  @gpu [target: "baseline"]

  defp random(shape, seed), do: Nx.Vulkan.Test.Models.numbers(shape, seed)

  defp orthogonal(n, seed) do
    v = random({n, 1}, seed)
    Nx.subtract(Nx.eye(n, type: :f64), Nx.divide(Nx.dot(Nx.multiply(2, v), Nx.transpose(v)), Nx.sum(Nx.pow(v, 2))))
  end

  defp diagonal(values, m, n) do
    values = Nx.reshape(Nx.tensor(Enum.take(values, min(m, n)), type: :f64), {min(m, n), 1})
    eye = Nx.eye({min(m, n), n}, type: :f64) |> Nx.multiply(values)
    Nx.pad(eye, 0.0, [{0, m - min(m, n), 0}, {0, 0, 0}])
  end

  # The same left and right: symmetric.
  defp with_values(values, {m, n}) do
    right = if m == n, do: orthogonal(n, 1), else: orthogonal(n, 2)
    orthogonal(m, 1) |> Nx.dot(diagonal(values, m, n)) |> Nx.dot(right)
  end

  defp matrices({m, n} = shape, symmetric?) do
    any = random(shape, m * 20 + n)

    [
      {"random", if(symmetric?, do: Nx.add(any, Nx.transpose(any)), else: any)},
      {"of rank 1", with_values([2.0 | List.duplicate(0.0, 20)], shape)},
      {"of repeated values", with_values(List.flatten(List.duplicate([3.0, -1.0, 3.0], 7)), shape)},
      {"zero", Nx.broadcast(Nx.tensor(0.0, type: :f64), shape)}
    ]
  end

  defp wide(tensors), do: tensors |> host() |> Tuple.to_list() |> Enum.map(&Nx.as_type(&1, :f64))
  defp frobenius(t), do: t |> Nx.pow(2) |> Nx.sum() |> Nx.sqrt() |> Nx.to_number()

  # of the identity, by columns
  defp skew(v) do
    {_, n} = v.shape
    frobenius(Nx.subtract(Nx.dot(Nx.transpose(v), v), Nx.eye(n, type: :f64)))
  end

  # Kernels are within LAPACK's bound. The expansion leaves what is beside the diagonal, and each of the elements of two
  # factors may be off by eps.
  defp way(fun, shape, type, opts) do
    order = shape |> Tuple.to_list() |> Enum.max()
    explained = if opts == [], do: [device: nil], else: opts

    if Nx.Vulkan.explain(fun, [Nx.template(shape, type)], explained).plan =~ "jacobi",
      do: {"kernels", @ratio * order * @roundoff[type]},
      else: {"expansion", (2 * order + 1) * @eps}
  end

  # by Weyl, values are off by at most what the matrix is
  defp assert_values(values, expected, bound, norm, name) do
    off = values |> Nx.subtract(Nx.as_type(expected, :f64)) |> Nx.abs() |> Nx.reduce_max() |> Nx.to_number()
    assert off <= (bound + @eps) * norm + @eps, "#{name}: values are off by #{off}"
  end

  # Returns whether they are kernels.
  defp check_eigh(n, type, opts) do
    fun = &Nx.LinAlg.eigh/1
    {way, bound} = way(fun, {n, n}, type, opts)

    for {kind, a} <- matrices({n, n}, true) do
      a = Nx.as_type(a, type)
      name = "eigh of #{n}, #{inspect(type)}, #{kind}, #{way}"
      [w, v] = wide(run(fun, [a], opts))
      wide = Nx.as_type(a, :f64)
      norm = frobenius(wide)
      assert skew(v) <= bound, "#{name}: vectors are off by #{skew(v)}"
      off = frobenius(Nx.subtract(Nx.dot(wide, v), Nx.multiply(v, w)))
      assert off <= bound * max(norm, 1.0), "#{name}: residual #{off}"
      # in their order, of magnitudes
      if n in @with_nx, do: assert_values(Nx.abs(w), Nx.abs(elem(Nx.LinAlg.eigh(a), 0)), bound, norm, name)
    end

    way == "kernels"
  end

  defp check_svd({m, n} = shape, type, full?, opts) do
    fun = &Nx.LinAlg.svd(&1, full_matrices?: full?)
    {way, bound} = way(fun, shape, type, opts)
    k = min(m, n)

    for {kind, a} <- matrices(shape, false) do
      a = Nx.as_type(a, type)
      name = "svd of #{m} x #{n}, #{inspect(type)}, #{kind}, #{way}"
      [u, s, vt] = wide(run(fun, [a], opts))
      assert {u.shape, vt.shape} == if(full?, do: {{m, m}, {n, n}}, else: {{m, k}, {k, n}}), name
      wide = Nx.as_type(a, :f64)
      norm = frobenius(wide)
      assert Enum.sort(Nx.to_flat_list(s), :desc) == Nx.to_flat_list(s), name
      us = u[[.., 0..(k - 1)]] |> Nx.multiply(s)
      off = frobenius(Nx.subtract(Nx.dot(us, vt[0..(k - 1)]), wide))
      assert off <= bound * max(norm, 1.0), "#{name}: residual #{off}"
      # some vectors of the expansion are 0 where values are
      if way == "kernels" or kind in ["random", "of repeated values"],
        do: assert(max(skew(u), skew(Nx.transpose(vt))) <= bound, "#{name}: #{skew(u)}, #{skew(Nx.transpose(vt))}")

      if max(m, n) <= @most_with_nx, do: assert_values(s, elem(Nx.LinAlg.svd(a), 1), bound, norm, name)
    end

    way == "kernels"
  end

  describe "eigh" do
    test "for a GPU" do
      for n <- [2, 3, 4, 5, 15, 16, 17], do: assert(check_eigh(n, {:f, 32}, @gpu) == n >= 4, "order #{n}")
      for n <- [3, 4, 16], do: assert(check_eigh(n, {:f, 64}, @gpu) == n >= 4, "order #{n}, f64")
    end

    test "as the device is" do
      for n <- [3, 6, 16], do: check_eigh(n, {:f, 32}, [])
    end
  end

  describe "svd" do
    test "of square matrices" do
      for n <- [2, 3, 4, 5, 16, 17], do: assert(check_svd({n, n}, {:f, 32}, true, []) == n >= 4, "#{n} columns")
      for n <- [3, 4, 9], do: assert(check_svd({n, n}, {:f, 64}, true, []) == n >= 4, "#{n} columns, f64")
    end

    test "of tall and wide ones, and thin" do
      for {m, n} = shape <- [{16, 8}, {6, 4}, {6, 3}, {4, 17}, {2, 5}], full? <- [true, false] do
        assert check_svd(shape, {:f, 32}, full?, []) == min(m, n) >= 4, inspect(shape)
      end

      check_svd({16, 8}, {:f, 64}, true, [])
    end
  end

  defn rebuilt(a) do
    {_, a} =
      while {i = 0, a}, i < 3 do
        {u, s, vt} = Nx.LinAlg.svd(a, full_matrices?: false)
        {i + 1, Nx.dot(u * s, vt)}
      end

    a
  end

  # the sum of the squares of a: Nx takes gradients of all results only
  defn slope(a) do
    grad(a, fn a ->
      {u, s, vt} = Nx.LinAlg.svd(a, full_matrices?: false)
      Nx.sum(s * s) + 0 * Nx.sum(u) + 0 * Nx.sum(vt)
    end)
  end

  describe "a single matrix" do
    test "of integers, and in a batch of one, has the results of the same one" do
      for {fun, shape} <- [{&Nx.LinAlg.svd/1, {7, 5}}, {&Nx.LinAlg.eigh/1, {5, 5}}] do
        whole = random(shape, 3) |> Nx.multiply(9) |> Nx.as_type(:s32)
        whole = if shape == {5, 5}, do: Nx.add(whole, Nx.transpose(whole)), else: whole
        a = Nx.as_type(whole, :f32)
        bits = fn a -> run(fun, [a], @gpu) |> host() |> Tuple.to_list() |> Enum.map(&Nx.to_binary/1) end
        assert bits.(whole) == bits.(a)
        assert bits.(Nx.vectorize(Nx.new_axis(a, 0), :x)) == bits.(a)
      end
    end

    test "in a loop, and its gradient" do
      a = Nx.as_type(random({7, 5}, 3), :f32)
      # three rounds of the expansion, whose thin way goes by the eigenvalues of what has the squares
      assert_near(run(&rebuilt/1, [a]), a, 3 * (2 * 7 + 1) * @eps)
      assert_near(run(&slope/1, [a]), Nx.multiply(2, a), (2 * 7 + 1) * @eps)
    end

    test "with an eps of its own has small eigenvalues made 0" do
      a = Nx.tensor([1.0, 1.0e-3, 2.0, 3.0]) |> Nx.make_diagonal()

      least = fn opts ->
        run(&Nx.LinAlg.eigh(&1, opts), [a], @gpu) |> elem(0) |> host() |> Nx.to_flat_list() |> List.last()
      end

      assert least.(eps: 1.0e-2) == 0.0
      assert_in_delta least.([]), 1.0e-3, @ratio * 4 * @roundoff[{:f, 32}] * 3
    end
  end
end
