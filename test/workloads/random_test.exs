defmodule Nx.Vulkan.Workloads.RandomTest do
  @moduledoc "Nx.Random: the bits of Threefry, and what is made of them. RANDOM_SIZE adds a size, 1000000 for instance."
  use Nx.Vulkan.Test.DeviceCase, async: true

  import Nx.Vulkan.Test.Bounds, only: [assert_ulps: 3]

  @moduletag timeout: 3_600_000

  @sizes [1, 7, 1000] ++ for(n <- [System.get_env("RANDOM_SIZE")], n, do: String.to_integer(n))

  # The function of a key gives random values and the next key; both must have the same bits.
  defp assert_bits(fun, seeds \\ [0, 42, 0xFFFFFFFF12345678]) do
    for seed <- seeds do
      key = Nx.Random.key(seed)
      {actual, expected} = {run(fun, [key]), expect(fun, [key])}
      assert_near(actual, expected, 0.0)
    end
  end

  test "keys" do
    for seed <- [0, 1, -1, 42, 0xFFFFFFFF12345678] do
      assert Nx.to_binary(run(fn -> Nx.Random.key(seed) end, [])) == Nx.to_binary(Nx.Random.key(seed))
      <<wrapped::64>> = <<seed::64>>
      tensor = Nx.tensor(wrapped, type: :u64)
      assert Nx.to_binary(run(&Nx.Random.key/1, [tensor])) == Nx.to_binary(Nx.Random.key(tensor))
    end

    # what JAX's documentation prints for key 0
    assert Nx.to_flat_list(run(&Nx.Random.split/1, [Nx.Random.key(0)])) ==
             [4_146_024_105, 967_050_713, 2_718_843_009, 1_272_950_319]
  end

  test "split and folded keys" do
    for parts <- [1, 2, 7], do: assert_bits(&Nx.Random.split(&1, parts: parts))
    for data <- [0, 1, 99], do: assert_bits(&Nx.Random.fold_in(&1, data))
  end

  for n <- @sizes do
    test "#{n} uniform numbers" do
      n = unquote(n)
      for type <- [:f32, :f64, :bf16, :f16], do: assert_bits(&Nx.Random.uniform(&1, shape: {n}, type: type), [42])
      assert_bits(&Nx.Random.uniform(&1, -3.0, 5.0, shape: {n}))
    end

    test "#{n} integers" do
      n = unquote(n)
      assert_bits(&Nx.Random.randint(&1, 0, 10, shape: {n}))
      assert_bits(&Nx.Random.randint(&1, -5, 1_000_003, shape: {n}))
      for type <- [:u8, :s64, :u32], do: assert_bits(&Nx.Random.randint(&1, 0, 100, shape: {n}, type: type), [42])
    end

    test "#{n} normal numbers" do
      n = unquote(n)
      key = Nx.Random.key(42)

      for type <- [:f32, :f64] do
        normal = &Nx.Random.normal(&1, 0.0, 1.0, shape: {n}, type: type)
        uniform = &Nx.Random.uniform_split(Nx.Random.split(&1)[1], next_to_minus_1(type), 1, shape: {n}, type: type)
        {actual, next} = run(normal, [key])
        {expected, expected_next} = expect(normal, [key])
        assert Nx.to_binary(next) == Nx.to_binary(expected_next)
        assert_inverse(actual, expect(uniform, [key]))
        # Nx's erf_inv is good to about 1e-7
        if type == :f32, do: assert_ulps(actual, expected, 4)
        shifted = &Nx.Random.normal(&1, 3.0, 0.5, shape: {n}, type: type)
        assert_near(elem(run(shifted, [key]), 0), elem(expect(shifted, [key]), 0), 5.0e-7)
      end
    end

    test "#{n} numbers shuffled" do
      n = unquote(n)
      assert_bits(&Nx.Random.shuffle(&1, Nx.iota({n})), [0, 42])
      assert_bits(&Nx.Random.shuffle(&1, Nx.iota({n, 2}), axis: 0), [42])
    end

    test "a choice of #{n}" do
      n = unquote(n)
      assert_bits(&Nx.Random.choice(&1, Nx.iota({n}), samples: n, replace: true), [42])
    end
  end

  test "a choice without replacement, and with weights" do
    assert_bits(&Nx.Random.choice(&1, Nx.iota({20}), samples: 7, replace: false))
    assert_bits(&Nx.Random.choice(&1, Nx.iota({4}), Nx.tensor([0.1, 0.2, 0.3, 0.4]), samples: 9))
  end

  test "gumbel numbers" do
    fun = &Nx.Random.gumbel(&1, shape: {100})
    {actual, _} = run(fun, [Nx.Random.key(42)])
    {expected, _} = expect(fun, [Nx.Random.key(42)])
    assert_near(actual, expected, 1.0e-6)
  end

  defp next_to_minus_1(:f32), do: -1 + 2 ** -24
  defp next_to_minus_1(:f64), do: -1 + 2 ** -53

  # x = sqrt(2) erf_inv(u) to 4 ULP, seen through erf: one ULP of u is that much of x by erf's slope.
  defp assert_inverse(x, u) do
    {_, width} = x.type
    ulp = if width == 32, do: 2.0 ** -23, else: 2.0 ** -52

    for {x, u} <- Enum.zip(Nx.to_flat_list(x), Nx.to_flat_list(u)) do
      slope = :math.sqrt(2 / :math.pi()) * :math.exp(-x * x / 2)
      error = abs(:math.erf(x / :math.sqrt(2)) - u) / slope
      assert error <= 4 * ulp * abs(x) + 2.0 ** -52 / slope, "#{x} is off by #{error}"
    end
  end
end
