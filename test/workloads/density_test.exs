defmodule Nx.Vulkan.Workloads.DensityTest do
  @moduledoc """
  Log-densities and their gradients in f64, and the chains of a sampler over them: the regime model against
  numbers computed with 50 digits, the others against Nx.
  """
  use Nx.Vulkan.Test.DeviceCase

  alias Nx.Vulkan.Test.Models

  # 50 digits, the gradient cross-checked by differences; the chain in plain doubles on three other systems
  @logp 621.865157728731256
  @grad [11.1661620250410141, -14.2360673267032385, -20.0, -198.30745165643268] ++
          [4.88780563307049519, -24.4260446209878505, -18.6928797435494918, 0.0]
  @energy 621.025157728731
  @post_step %{0 => 622.18818148008441, 15 => 635.13811472952612, 31 => 628.00259774224053}
  @last_point [2.2090993715402, -1.9339680661816, 0.0029409113700166, 0.0015556127060889] ++
                [-4.5626213266084, -5.0367304098276, -4.1122837594619, -1.4208296257118]

  # A driver without the limit of Mesa before 25, where a shader stops after 65,535 loop iterations
  @unlimited "name = unlimited\nfeatures = f64,i64,szinfnan32,szinfnan64,denorm64\nmax_invocations = 256\n" <>
               "max_shared_bytes = 49152\nmax_bindings = 32\nmax_binding_bytes = 1073741824\n"

  defp f64(x), do: Nx.tensor(x, type: :f64)

  defp chain_args(k, type \\ :f64) do
    [Models.regime_point(), Models.regime_momentum(), Models.observations(200), Models.regime_inverse_mass(), f64(0.05)]
    |> Enum.map(&Nx.as_type(&1, type))
    |> Kernel.++([Nx.tensor(k)])
  end

  describe "the regime model" do
    test "and its gradient are those of 50 digits, in one submission of two kernels" do
      args = [Models.regime_point(), Models.observations(200)]
      {{logp, grad}, counted} = counted_run(&Models.regime/2, args)
      assert_near(logp, f64(@logp), 1.0e-13, :each)
      assert_near(grad, f64(@grad), 1.0e-12, :each)
      assert_near({logp, grad}, expect(&Models.regime/2, args), 1.0e-12)
      assert counted.submits == 1
      assert stats(&Models.regime/2, args).kernels <= 2
    end

    test "in a chain of 32 leapfrog steps, whose number is known when it runs" do
      args = chain_args(32)
      {qs, _ps, _grads, logps, energy} = result = run(&Models.leapfrog/6, args)
      assert_near(energy, f64(@energy), 1.0e-12, :each)
      for {step, logp} <- @post_step, do: assert_near(logps[step], f64(logp), 1.0e-12, :each)
      assert_near(qs[31], f64(@last_point), 1.0e-12, :each)
      assert_near(result, expect(&Models.leapfrog/6, args), 1.0e-12)
    end

    test "in a chain of any number of steps: none, one, two, and all of 1024" do
      chain = Nx.Vulkan.compile(&Models.leapfrog/6, chain_args(0))

      for k <- [0, 1, 2],
          do: assert_near(apply(chain, chain_args(k)), expect(&Models.leapfrog/6, chain_args(k)), 1.0e-12)

      # so long a chain amplifies the last bits of its start: its energy must stay what it was
      {qs, ps, _grads, logps, energy} = apply(chain, chain_args(1024))
      {q, p} = {host(qs)[1023], host(ps)[1023]}
      [first | _] = Nx.to_flat_list(logps)
      assert_near(f64(first), f64(@post_step[0]), 1.0e-12, :each)
      kinetic = Nx.multiply(0.5, Nx.sum(Nx.multiply(Models.regime_inverse_mass(), Nx.pow(p, 2))))
      assert_near(Nx.subtract(host(logps)[1023], kinetic), host(energy), 1.0e-2)
      assert_near(host(logps)[1023], elem(expect(&Models.regime/2, [q, Models.observations(200)]), 0), 1.0e-12)
    end

    test "in f32" do
      args = chain_args(32, :f32)
      {qs, _ps, _grads, logps, energy} = run(&Models.leapfrog/6, args)
      assert_near(Nx.as_type(energy, :f64), f64(@energy), 1.0e-4, :each)
      for {step, logp} <- @post_step, do: assert_near(Nx.as_type(logps[step], :f64), f64(logp), 1.0e-4, :each)
      assert_near(Nx.as_type(qs[31], :f64), f64(@last_point), 1.0e-4)
    end

    # A length that is an input may be any number, and a dispatch cannot be ended: the program runs in portions, and a
    # dispatch before it says that it begins.
    test "as a chain is one dispatch, or two where its length is not known" do
      for type <- [:f64, :f32] do
        [q, p, y, inverse_mass, eps, _] = args = chain_args(32, type)

        # 32 is s32, and converted to the s64 of the counter
        for k <- [Nx.s64(32), 32] do
          known = fn q, p, y, inverse_mass, eps -> Models.leapfrog(q, p, y, inverse_mass, eps, k) end
          stats = stats(known, [q, p, y, inverse_mass, eps], target: @unlimited)
          assert {stats.kernels, stats.dispatches, stats.steps} == {1, 1, 1}
        end

        stats = stats(&Models.leapfrog/6, args, target: @unlimited)
        assert {stats.kernels, stats.dispatches, stats.steps} == {2, 2, 3}
      end
    end

    # sums are exact enough that neither the schedule nor its number of threads shows
    test "for 102 series at once has the bits of one series at a time" do
      qs = for i <- 1..102, do: Nx.add(Models.regime_point(), Nx.multiply(0.01, Models.numbers({8}, i)))
      ys = for i <- 1..102, do: Nx.add(Models.observations(200), Nx.multiply(0.001, Models.numbers({200}, i)))
      single = Nx.Vulkan.compile(&Models.regime/2, [hd(qs), hd(ys)])
      args = [Nx.stack(qs), Nx.stack(ys)]
      {{logps, grads}, counted} = counted_run(&Models.regime/2, args)
      assert counted.submits == 1
      singles = for {q, y} <- Enum.zip(qs, ys), do: host(single.(q, y))
      assert Nx.to_binary(logps) == Enum.map_join(singles, &Nx.to_binary(elem(&1, 0)))
      assert Nx.to_binary(grads) == Enum.map_join(singles, &Nx.to_binary(elem(&1, 1)))
      assert_near({logps, grads}, expect(&Models.regime/2, args), 1.0e-12)
    end

    test "vectorized over the series" do
      qs = Nx.add(Models.regime_point(), Nx.multiply(0.01, Models.numbers({7, 8}, 1)))
      ys = Nx.add(Models.observations(200), Nx.multiply(0.001, Models.numbers({7, 200}, 2)))
      args = [Nx.vectorize(qs, :series), Nx.vectorize(ys, :series)]
      {logps, grads} = run(&Models.regime/2, args)
      {expected, expected_grads} = expect(&Models.regime/2, args)
      assert logps.vectorized_axes == [series: 7]
      assert_near(Nx.devectorize(logps), Nx.devectorize(expected), 1.0e-12)
      assert_near(Nx.devectorize(grads), Nx.devectorize(expected_grads), 1.0e-12)
    end
  end

  describe "widths" do
    for n <- [1, 20, 480, 4800] do
      test "a mixture of #{n} observations" do
        args = [Models.regime_point(), Models.observations(unquote(n))]
        {result, counted} = counted_run(&Models.regime/2, args)
        assert_near(result, expect(&Models.regime/2, args), 1.0e-12)
        assert counted.submits == 1
      end
    end

    # thirteen sums in two stages: partial ones, all second ones together, and what is made of them
    test "a mixture of a million observations is three kernels" do
      assert stats(&Models.regime/2, [Models.regime_point(), Nx.template({1_000_000}, :f64)]).kernels == 3
    end

    for d <- [1, 4, 16, 64], n <- [20, 200, 2000] do
      test "a regression of #{d} weights and #{n} observations" do
        {d, n} = {unquote(d), unquote(n)}
        args = [Models.numbers({d}, 1), Models.numbers({n, d}, 2), Models.numbers({n}, 3)]
        {result, counted} = counted_run(&Models.regression/3, args)
        assert_near(result, expect(&Models.regression/3, args), 1.0e-12)
        assert counted.submits == 1
      end
    end
  end

  describe "models with public data" do
    test "eight schools" do
      for seed <- 1..5, do: check(&Models.schools/1, [Models.numbers({10}, seed)])
    end

    test "Neal's funnel" do
      for seed <- 1..5, do: check(&Models.funnel/1, [Nx.multiply(Models.numbers({10}, seed), 2)])
    end

    test "logistic regression of 500 observations" do
      x = Models.numbers({500, 20}, 1)
      y = Nx.greater(Models.numbers({500}, 2), 0) |> Nx.as_type(:f64)
      for seed <- 3..5, do: check(&Models.logistic/3, [Models.numbers({21}, seed), x, y], 5)
    end

    test "stochastic volatility over 100 days" do
      returns = Nx.multiply(0.02, Models.numbers({100}, 1))

      for seed <- 2..4 do
        q = Nx.concatenate([f64([-3.0, 2.0]), Nx.multiply(0.1, Models.numbers({100}, seed))])
        check(&Models.volatility/2, [q, returns])
      end
    end

    defp check(fun, args, kernels \\ 1) do
      {{logp, grad}, counted} = counted_run(fun, args)
      {expected, expected_grad} = expect(fun, args)
      assert_near(logp, expected, 1.0e-12)
      assert_near(grad, expected_grad, 1.0e-10)
      assert counted.submits == 1
      assert stats(fun, args).kernels <= kernels
    end
  end
end
