defmodule Nx.Vulkan.Test.Models do
  @moduledoc """
  Log-densities with public data or formulas for data, in f64, each a plain defn: what Hamiltonian samplers
  differentiate all day. A position is one flat vector; scales live in log space, with their Jacobians.

  Logarithms of literals are written out, since Nx takes them in f32.
  """
  import Nx.Defn

  @log_2pi 1.8378770664093453
  @log_2_over_pi -0.45158270528945486

  @doc "Observations of the regime model: a sine with every twentieth value three times as large."
  def observations(n) do
    for(i <- 0..(n - 1), do: 0.0005 + 0.012 * :math.sin(1.7 * i) * if(rem(i, 20) == 7, do: 3, else: 1)) |> f64()
  end

  def regime_point,
    do: f64([0.25, -0.5, 0.002, 0.0015, :math.log(0.008), :math.log(0.012), :math.log(0.03), :math.log(0.5)])

  def regime_inverse_mass, do: f64([0.25, 0.25, 1.0e-4, 1.0e-6, 0.04, 0.04, 0.04, 1.0])

  def regime_momentum do
    regime_inverse_mass()
    |> Nx.to_flat_list()
    |> Enum.with_index(fn m, i -> (0.7 - 0.2 * i) / :math.sqrt(m) end)
    |> f64()
  end

  @doc """
  A mixture of three normals with priors on its eight values: two logits, two means, four log scales. With a
  batch of positions and of series as leading axes, a batch of log-densities and of gradients.
  """
  defn(regime(q, y), do: value_and_grad(q, &regime_logp(&1, y), &Nx.sum/1))

  defn regime_logp(q, y) do
    values = {at(q, 0), at(q, 1), at(q, 2), at(q, 3), at(q, 4), at(q, 5), at(q, 6), at(q, 7)}
    {priors, each} = mixture(values, y)
    Nx.squeeze(priors, axes: [-1]) + Nx.sum(each, axes: [-1])
  end

  # the last axis stays, so that what is one number for a series broadcasts along it
  defnp(at(q, i), do: Nx.slice_along_axis(q, i, 1, axis: -1))

  @doc "The priors of the mixture's eight values, and the log-density of each observation."
  defn mixture({l1, l2, mu_mr, mu_trend, z_mr, z_trend, z_vol, z_theta}, y) do
    {mr, trend, vol} = {positive(z_mr), positive(z_trend), positive(z_vol)}
    log_z = Nx.log(1.0 + Nx.exp(Nx.min(l1, 10.0)) + Nx.exp(Nx.min(l2, 10.0)))

    priors =
      normal(l1, 0.0, 1.0, 0.0) + normal(l2, 0.0, 1.0, 0.0) + normal(mu_mr, 0.0, 0.01, -4.605170185988091) +
        normal(mu_trend, 0.001, 0.01, -4.605170185988091) + half_cauchy(mr, 0.02, -3.912023005428146) + z_mr +
        half_cauchy(trend, 0.02, -3.912023005428146) + z_trend + half_cauchy(vol, 0.05, -2.995732273553991) + z_vol +
        half_cauchy(positive(z_theta), 0.5, -0.6931471805599453) + z_theta

    {mr, trend, vol} = {Nx.max(mr, 1.0e-8), Nx.max(trend, 1.0e-8), Nx.max(vol, 1.0e-8)}
    a = normal(y, mu_trend, trend, Nx.log(trend)) - log_z
    b = normal(y, 0.0, mr, Nx.log(mr)) + l1 - log_z
    c = normal(y, 0.0, vol, Nx.log(vol)) + l2 - log_z
    m = stop_grad(Nx.max(a, Nx.max(b, c)))
    {priors, m + Nx.log(Nx.exp(a - m) + Nx.exp(b - m) + Nx.exp(c - m))}
  end

  @doc """
  `k` leapfrog steps, at most 1024, from position `q` with momentum `p`: the positions, momenta and gradients
  after each step as rows, the log-densities after each step, and the energy before the first.
  """
  defn leapfrog(q, p, y, inv_mass, eps, k) do
    {logp, grad} = value_and_grad(q, &regime_logp(&1, y))
    energy = logp - 0.5 * Nx.sum(inv_mass * p * p)
    rows = Nx.broadcast(Nx.as_type(0, Nx.type(q)), {1024, Nx.size(q)})
    scalars = Nx.broadcast(Nx.as_type(0, Nx.type(q)), {1024})

    {qs, ps, grads, logps, _} =
      while {qs = rows, ps = rows, grads = rows, logps = scalars, {q, p, grad, y, inv_mass, eps, k, i = Nx.s64(0)}},
            i < k do
        half = p + 0.5 * eps * grad
        q = q + eps * inv_mass * half
        {logp, grad} = value_and_grad(q, &regime_logp(&1, y))
        p = half + 0.5 * eps * grad

        {Nx.put_slice(qs, [i, 0], Nx.new_axis(q, 0)), Nx.put_slice(ps, [i, 0], Nx.new_axis(p, 0)),
         Nx.put_slice(grads, [i, 0], Nx.new_axis(grad, 0)),
         Nx.indexed_put(logps, Nx.reshape(i, {1, 1}), Nx.reshape(logp, {1})), {q, p, grad, y, inv_mass, eps, k, i + 1}}
      end

    {qs, ps, grads, logps, energy}
  end

  @doc "Eight schools, not centred: mean, log scale, eight effects."
  defn(schools(q), do: value_and_grad(q, &schools_logp/1))

  defnp schools_logp(q) do
    y = Nx.tensor([28, 8, -3, 7, -1, 1, 18, 12], type: :f64)
    s = Nx.tensor([15, 10, 16, 11, 9, 11, 10, 18], type: :f64)
    {mu, z, effects} = {q[0], q[1], q[2..9]}
    tau = positive(z)

    normal(mu, 0.0, 5.0, 1.6094379124341003) + half_normal(tau, 5.0, 1.6094379124341003) + z +
      Nx.sum(normal(effects, 0.0, 1.0, 0.0)) + Nx.sum(normal(y, mu + tau * effects, s, Nx.log(s)))
  end

  @doc "Neal's funnel: a log variance, and nine values that have it."
  defn(funnel(q), do: value_and_grad(q, &funnel_logp/1))

  defnp funnel_logp(q) do
    v = q[0]
    normal(v, 0.0, 3.0, 1.0986122886681098) + Nx.sum(normal(q[1..-1//1], 0.0, Nx.exp(v / 2), v / 2))
  end

  @doc "Logistic regression: an intercept and a weight for each column of x."
  defn(logistic(q, x, y), do: value_and_grad(q, &logistic_logp(&1, x, y)))

  defnp logistic_logp(q, x, y) do
    eta = q[0] + Nx.dot(x, q[1..-1//1])
    # log(1 + exp(eta)), for large eta too
    softplus = Nx.max(eta, 0.0) + Nx.log1p(Nx.exp(-Nx.abs(eta)))
    Nx.sum(normal(q, 0.0, 10.0, 2.302585092994046)) + Nx.sum(y * eta - softplus)
  end

  @doc "Stochastic volatility: log sigma, log nu, and a Gaussian walk of log scales; Student's t returns."
  defn(volatility(q, returns), do: value_and_grad(q, &volatility_logp(&1, returns)))

  defnp volatility_logp(q, returns) do
    {z_sigma, z_nu, s} = {q[0], q[1], q[2..-1//1]}
    {sigma, nu} = {positive(z_sigma), positive(z_nu)}
    priors = 3.912023005428146 - 50.0 * sigma + z_sigma - 2.302585092994046 - 0.1 * nu + z_nu
    walk = Nx.sum(normal(s[1..-1//1] - s[0..-2//1], 0.0, sigma, z_sigma)) + normal(s[0], 0.0, sigma, z_sigma)
    t = returns * Nx.exp(-s)
    log_norm = log_gamma((nu + 1.0) / 2.0) - log_gamma(nu / 2.0) - 0.5 * (Nx.log(nu) + 1.1447298858494002)
    priors + walk + Nx.sum(log_norm - s - (nu + 1.0) / 2.0 * Nx.log1p(t * t / nu))
  end

  @doc "Linear regression: weights with N(0, 5) priors, noise 0.3."
  defn(regression(q, x, y), do: value_and_grad(q, &regression_logp(&1, x, y)))

  defnp regression_logp(q, x, y) do
    Nx.sum(normal(q, 0.0, 5.0, 1.6094379124341003)) +
      Nx.sum(normal(y, Nx.dot(x, q), 0.3, -1.203972804325936))
  end

  # Lanczos with nine terms
  defnp log_gamma(x) do
    x = x - 1.0

    series =
      0.9999999999998099 + 676.5203681218851 / (x + 1.0) - 1259.1392167224028 / (x + 2.0) +
        771.3234287776531 / (x + 3.0) - 176.6150291621406 / (x + 4.0) + 12.507343278686905 / (x + 5.0) -
        0.13857109526572012 / (x + 6.0) + 9.984369578019572e-6 / (x + 7.0) + 1.5056327351493116e-7 / (x + 8.0)

    t = x + 7.5
    0.5 * @log_2pi + (x + 0.5) * Nx.log(t) - t + Nx.log(series)
  end

  defnp(positive(z), do: Nx.exp(Nx.clip(z, -200.0, 200.0)))
  defnp(half_cauchy(x, s, log_s), do: @log_2_over_pi - log_s - Nx.log(1.0 + x / s * (x / s)))
  defnp(half_normal(x, s, log_s), do: 0.6931471805599453 + normal(x, 0.0, s, log_s))

  defnp normal(x, mean, s, log_s) do
    z = (x - mean) / s
    -0.5 * (z * z + @log_2pi + 2.0 * log_s)
  end

  @doc "Deterministic numbers between -1 and 1, f64, of a shape."
  def numbers(shape, seed) do
    for(i <- 1..Tuple.product(shape), do: :math.sin(i * (12.9898 + seed) + i * i * 0.7891))
    |> f64()
    |> Nx.reshape(shape)
  end

  defp f64(list), do: Nx.tensor(list, type: :f64, backend: Nx.BinaryBackend)
end
