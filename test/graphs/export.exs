# Writes the graphs of this folder. They are what the compiler's own tests compile, so that those need no
# Elixir; change a function here, run this, and review the difference.
#
#     mix run --no-start test/graphs/export.exs

System.put_env("DIGITS_NO_MAIN", "1")
Code.require_file("../../examples/digits/model.exs", __DIR__)

defmodule Graphs do
  @moduledoc false
  import Nx.Defn

  defn(sigmoid4(x), do: Nx.sigmoid(x))

  # ten element-wise ops on {64, 1} and {1, 256}
  defn chain10(a, b) do
    s = a + b
    p = s * b
    q = Nx.exp(-p)
    r = Nx.select(q > 1.5, Nx.sqrt(Nx.abs(s)), q - a)
    Nx.as_type(r, :f32) / (1.0 + q)
  end

  defn softmax(x) do
    shifted = Nx.exp(x - Nx.reduce_max(x, axes: [-1], keep_axes: true))
    shifted / Nx.sum(shifted, axes: [-1], keep_axes: true)
  end

  defn(logsumexp(x), do: Nx.logsumexp(x, axes: [-1]))

  defn layer_norm(x, gamma, beta) do
    mean = Nx.mean(x, axes: [-1], keep_axes: true)
    variance = Nx.variance(x, axes: [-1], keep_axes: true)
    (x - mean) * Nx.rsqrt(variance + 1.0e-5) * gamma + beta
  end

  # 8 -> 16 sigmoid -> 2, mean squared error
  defn(mlp(params, x, y), do: value_and_grad(params, &mlp_loss(&1, x, y)))

  defnp mlp_loss({w1, b1, w2, b2}, x, y) do
    h = Nx.sigmoid(Nx.dot(x, w1) + b1)
    Nx.mean((Nx.dot(h, w2) + b2 - y) ** 2)
  end

  # 4 -> 32 tanh -> 1, one step with rate 0.01
  defn sgd_regression(params, x, y) do
    {loss, grads} = value_and_grad(params, &regression_loss(&1, x, y))
    {descend(params, grads), loss}
  end

  defnp regression_loss({w1, b1, w2, b2}, x, y) do
    h = Nx.tanh(Nx.dot(x, w1) + b1)
    Nx.mean((Nx.dot(h, w2) + b2 - y) ** 2)
  end

  defnp descend({w1, b1, w2, b2}, {g1, h1, g2, h2}) do
    {w1 - 0.01 * g1, b1 - 0.01 * h1, w2 - 0.01 * g2, b2 - 0.01 * h2}
  end

  # 784 -> 128 relu -> 10, cross-entropy of softmax, one step with rate 0.01
  defn mnist(params, x, y) do
    {loss, grads} = value_and_grad(params, &mnist_loss(&1, x, y))
    {descend(params, grads), loss}
  end

  defnp mnist_loss({w1, b1, w2, b2}, x, y) do
    h = Nx.max(Nx.dot(x, w1) + b1, 0)
    logits = Nx.dot(h, w2) + b2
    log_softmax = logits - Nx.logsumexp(logits, axes: [-1], keep_axes: true)
    -Nx.mean(Nx.sum(log_softmax * y, axes: [-1]))
  end

  defn(gated(a, b), do: Nx.sigmoid(a * b + a) * b)

  defn uniform(key) do
    {values, _key} = Nx.Random.uniform(key, shape: {1000})
    values
  end

  defn loop(x, n) do
    {x, _, _} = while({x, i = 0, n}, i < n, do: {Nx.sin(x) * 1.5 + i, i + 1, n})
    x
  end

  defn piecewise(a, x) do
    y = x * 3

    z =
      cond do
        a > 1 -> Nx.sin(y) + 1
        a > 0 -> Nx.cos(y) - x
        true -> 0.5
      end

    z + y
  end
end

f32 = &Nx.template(&1, :f32)
dense = fn i, h, o -> {f32.({i, h}), f32.({h}), f32.({h, o}), f32.({o})} end

digits =
  for {name, json, _} <- Digits.graphs(), name != "init_sgd" do
    name = %{"init_adamw" => "init", "eval" => "eval"} |> Map.get(name, name)
    {"digits_#{name}", json}
  end

graphs = [
  {"sigmoid4", &Graphs.sigmoid4/1, [f32.({4})]},
  {"chain10", &Graphs.chain10/2, [f32.({64, 1}), f32.({1, 256})]},
  {"softmax", &Graphs.softmax/1, [f32.({64, 256})]},
  {"logsumexp", &Graphs.logsumexp/1, [f32.({64, 256})]},
  {"layer_norm", &Graphs.layer_norm/3, [f32.({64, 256}), f32.({256}), f32.({256})]},
  {"mlp_value_and_grad", &Graphs.mlp/3, [dense.(8, 16, 2), f32.({32, 8}), f32.({32, 2})]},
  {"sgd_regression", &Graphs.sgd_regression/3, [dense.(4, 32, 1), f32.({16, 4}), f32.({16, 1})], donate: [0]},
  {"mnist_step_sgd", &Graphs.mnist/3, [dense.(784, 128, 10), f32.({32, 784}), f32.({32, 10})], donate: [0]},
  {"threefry_uniform", &Graphs.uniform/1, [Nx.template({2}, :u32)]},
  {"elementwise_2e28", &Graphs.gated/2, [f32.({268_435_456}), f32.({268_435_456})]},
  {"while_sin", &Graphs.loop/2, [f32.({8}), Nx.template({}, :s32)]},
  {"cond_piecewise", &Graphs.piecewise/2, [f32.({}), f32.({16})]},
  {"softmax_4096", &Graphs.softmax/1, [f32.({65_536, 4096})]},
  {"layer_norm_4096", &Graphs.layer_norm/3, [f32.({65_536, 4096}), f32.({4096}), f32.({4096})]},
  {"matmul_1024", &Nx.dot/2, [f32.({1024, 1024}), f32.({1024, 1024})]},
  {"matmul_4096", &Nx.dot/2, [f32.({4096, 4096}), f32.({4096, 4096})]},
  {"transpose_16384", &Nx.transpose/1, [f32.({16_384, 16_384})]},
  {"cumulative_sum_4096", &Nx.cumulative_sum(&1, axis: 1), [f32.({65_536, 4096})]},
  {"sum_all", &Nx.sum/1, [f32.({65_536, 4096})]},
  {"sum_columns", &Nx.sum(&1, axes: [0]), [f32.({65_536, 4096})]},
  {"sum_rows", &Nx.sum(&1, axes: [1]), [f32.({65_536, 4096})]},
  {"cholesky_64", &Nx.LinAlg.cholesky/1, [Nx.template({64, 64}, :f64)]},
  {"qr_16x8", &Nx.LinAlg.qr/1, [f32.({16, 8})]},
  {"svd_16x8", &Nx.LinAlg.svd/1, [f32.({16, 8})]},
  {"sort_1024", &Nx.sort/1, [f32.({1024})]}
]

exported =
  for entry <- graphs do
    {name, fun, templates, opts} = if tuple_size(entry) == 3, do: Tuple.insert_at(entry, 3, []), else: entry
    {graph, _} = Nx.Vulkan.Serializer.trace(fun, templates, [name: name] ++ opts)
    {name, IO.iodata_to_binary(graph.json)}
  end

for {name, json} <- exported ++ digits do
  File.write!(Path.join(__DIR__, "#{name}.json"), [json, ?\n])
  IO.puts("#{name}.json: #{byte_size(json)} bytes")
end
