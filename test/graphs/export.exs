# Writes the graphs of this folder. They are what the compiler's own tests compile, so that those need no
# Elixir; change a function here, run this, and review the difference.
#
#     MIX_ENV=test mix run --no-start test/graphs/export.exs

System.put_env("DIGITS_NO_MAIN", "1")
Code.require_file("../../examples/digits/model.exs", __DIR__)

defmodule Graphs do
  @moduledoc false
  import Nx.Defn

  alias Nx.Vulkan.Test.Models

  defn(sigmoid4(x), do: Nx.sigmoid(x))

  # ten element-wise ops on {64, 1} and {1, 256}
  defn chain10(a, b) do
    s = a + b
    p = s * b
    q = Nx.exp(-p)
    r = Nx.select(q > 1.5, Nx.sqrt(Nx.abs(s)), q - a)
    Nx.as_type(r, :f32) / (1.0 + q)
  end

  defn(conv_relu(x, kernel, bias), do: Nx.max(Nx.conv(x, kernel, padding: :same) + bias, 0))

  defn softmax(x) do
    shifted = Nx.exp(x - Nx.reduce_max(x, axes: [-1], keep_axes: true))
    shifted / Nx.sum(shifted, axes: [-1], keep_axes: true)
  end

  # A decoder of two blocks as Llama's: grouped heads, rotary positions, a causal mask, gated feed-forward. Each value
  # is small enough for a workgroup, and there are many.
  defn decoder_2(p, ids, mask, positions) do
    Nx.take(p.embed, ids)
    |> decoder_block(p.first, mask, positions)
    |> decoder_block(p.second, mask, positions)
    |> rms_norm(p.norm)
  end

  defnp decoder_block(x, p, mask, positions) do
    normed = rms_norm(x, p.norm1)
    q = normed |> Nx.dot(p.q) |> split_heads(4) |> rotary(positions)
    k = normed |> Nx.dot(p.k) |> split_heads(2) |> rotary(positions) |> repeat_heads()
    v = normed |> Nx.dot(p.v) |> split_heads(2) |> repeat_heads()
    s = Nx.axis_size(q, 2)
    causal = Nx.iota({s, s}, axis: 0) >= Nx.iota({s, s}, axis: 1)
    allowed = Nx.logical_and(mask |> Nx.new_axis(1) |> Nx.new_axis(1), causal)
    scores = Nx.dot(q, [3], [0, 1], k, [3], [0, 1]) / Nx.sqrt(Nx.axis_size(q, 3))
    weights = softmax(scores + Nx.select(allowed, 0.0, -1.0e30))
    mixed = Nx.dot(weights, [3], [0, 1], v, [2], [0, 1])
    x = x + (mixed |> Nx.transpose(axes: [0, 2, 1, 3]) |> Nx.reshape(Nx.shape(x)) |> Nx.dot(p.o))
    normed = rms_norm(x, p.norm2)
    gate = Nx.dot(normed, p.gate)
    x + Nx.dot(Nx.dot(normed, p.up) * gate * Nx.sigmoid(gate), p.down)
  end

  defnp rms_norm(x, weight), do: x * Nx.rsqrt(Nx.mean(x * x, axes: [-1], keep_axes: true) + 1.0e-6) * weight

  defnp split_heads(x, n) do
    {b, s, h} = Nx.shape(x)
    x |> Nx.reshape({b, s, n, div(h, n)}) |> Nx.transpose(axes: [0, 2, 1, 3])
  end

  defnp repeat_heads(x) do
    {b, n, s, d} = Nx.shape(x)
    x |> Nx.new_axis(2) |> Nx.broadcast({b, n, 2, s, d}) |> Nx.reshape({b, 2 * n, s, d})
  end

  defnp rotary(x, positions) do
    {b, _, s, d} = Nx.shape(x)
    half = div(d, 2)
    angles = Nx.outer(Nx.iota({64}), 1 / Nx.pow(10_000.0, Nx.iota({half}) * 2 / d))
    table = Nx.concatenate([angles, angles], axis: -1)
    cos = table |> Nx.cos() |> Nx.take(positions) |> Nx.reshape({b, 1, s, d})
    sin = table |> Nx.sin() |> Nx.take(positions) |> Nx.reshape({b, 1, s, d})
    low = Nx.slice_along_axis(x, 0, half, axis: 3)
    high = Nx.slice_along_axis(x, half, half, axis: 3)
    x * cos + Nx.concatenate([-high, low], axis: -1) * sin
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

  def random_uniform(key, opts), do: elem(Nx.Random.uniform(key, opts), 0)

  defn dropout(key, x) do
    {u, key} = Nx.Random.uniform(key, shape: Nx.shape(x))
    {Nx.select(u < 0.5, 0, x * 2), key}
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

  # The mixture of Nx.Vulkan.Test.Models over 200 observations, and 32 steps of a
  # leapfrog integrator over its gradient: the chain of a Hamiltonian sampler.
  defn regime(q, y), do: value_and_grad(q, &regime_logp(&1, y))

  defn leapfrog_32(q, p, y, inv_mass) do
    eps = 0.05
    {logp, grad} = value_and_grad(q, &regime_logp(&1, y))
    start = logp - 0.5 * Nx.sum(inv_mass * p * p)
    logps = Nx.broadcast(Nx.tensor(0.0, type: :f64), {32})

    {q, p, logps, _, _, _, _} =
      while {q, p, logps, grad, y, inv_mass, i = 0}, i < 32 do
        half = p + 0.5 * eps * grad
        q = q + eps * inv_mass * half
        {logp, grad} = value_and_grad(q, &regime_logp(&1, y))
        logps = Nx.put_slice(logps, [i], Nx.reshape(logp, {1}))
        {q, half + 0.5 * eps * grad, logps, grad, y, inv_mass, i + 1}
      end

    {q, logps, start, logps[31] - 0.5 * Nx.sum(inv_mass * p * p)}
  end

  defnp regime_logp(q, y) do
    {priors, each} = Models.mixture({q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]}, y)
    priors + Nx.sum(each)
  end

  # rounds of 3n + 1 until every element has come to 1, at most so many; of more elements than a workgroup takes,
  # what follows is steered by the device
  defn collatz(x, opts \\ []) do
    {_, rounds, _} =
      while {x, rounds = Nx.broadcast(0, Nx.shape(x)), i = 0}, Nx.any(x > 1) and i < opts[:most] do
        next = Nx.select(x <= 1, x, Nx.select(Nx.remainder(x, 2) == 0, Nx.quotient(x, 2), 3 * x + 1))
        {next, rounds + (x > 1), i + 1}
      end

    rounds
  end

  # a loop of n rounds in a loop of as many rounds as x has elements, and a branch in the inner one
  defn nested(x, n) do
    {acc, _, _, _} =
      while {acc = Nx.broadcast(0.0, {4, 8}), x, n, i = 0}, i < Nx.size(x) do
        {acc, _, _, _, _} =
          while {acc, x, n, i, j = 0}, j < n do
            step =
              cond do
                Nx.sum(acc) > 4.0 -> Nx.mean(acc, axes: [0]) * 0.5
                i > j -> Nx.cumulative_sum(Nx.sin(acc[0]))
                true -> Nx.broadcast(x[i], {8})
              end

            {acc + step, x, n, i, j + 1}
          end

        {acc, x, n, i + 1}
      end

    acc
  end

  # rounds of known number: heat on a plate
  defn heat(x) do
    {x, _} =
      while {x, i = 0}, i < 200 do
        p = Nx.pad(x, 0.0, [{1, 1, 0}, {1, 1, 0}])

        {0.25 * (p[[0..-3//1, 1..-2//1]] + p[[2..-1//1, 1..-2//1]] + p[[1..-2//1, 0..-3//1]] + p[[1..-2//1, 2..-1//1]]),
         i + 1}
      end

    x
  end

  # rounds as many as an input says, by a predicate that is not a u8
  defn rounds_10000(x, n) do
    {x, _} = while({x, n}, n, do: {Nx.remainder(x * 5 + n, 1013), n - 1})
    x
  end

  # a loop in a loop, both as long as the data says, with a branch in the inner one
  defn nested_9000(x, n) do
    {acc, _, _, _} =
      while {acc = Nx.broadcast(0, {9000}), x = Nx.remainder(x, 100), n, i = 0}, i < n do
        y = x + i

        {_, rounds, _} =
          while {y, rounds = Nx.broadcast(0, {9000}), j = 0}, Nx.reduce_max(y) > 3 do
            step =
              cond do
                Nx.remainder(Nx.sum(y), 2) == 0 -> Nx.quotient(y, 2)
                j > 4 -> Nx.quotient(Nx.quotient(y, 3) + Nx.reverse(y), 2)
                true -> y - 1
              end

            {step, rounds + step, j + 1}
          end

        {acc + rounds * (i + 1) + y, x, n, i + 1}
      end

    acc
  end

  defn branch_20000(a, x) do
    y = x * 3

    z =
      cond do
        a > 1 -> Nx.sum(Nx.sin(y)) + y
        a > 0 -> Nx.reverse(y) - x
        true -> Nx.cumulative_max(x)
      end

    z + y
  end

  # small state, any number of rounds
  defn count(n) do
    {x, _, _} = while({x = 0, n, i = 0}, i < n, do: {Nx.remainder(x * 3 + i, 1009), n, i + 1})
    x
  end

  # narrow types carried around, a mask and half-precision sums; the table is read and never changed
  defn narrow(mask, x, table, n) do
    {mask, x, _, _, _} =
      while {mask, x, table, i = Nx.u8(0), n}, Nx.any(mask) and i < n do
        row = table[Nx.as_type(i, :s32)]
        x = Nx.as_type(x + Nx.dot(row, table), :bf16)

        {Nx.logical_and(mask, Nx.greater(Nx.as_type(i, :f32), Nx.abs(Nx.as_type(x, :f32)))) |> Nx.logical_not(), x,
         table, i + 1, n}
      end

    {mask, x}
  end
end

defmodule Cnn do
  @moduledoc "Convolutional classifiers, from Axon; a training step of each."
  import Nx.Defn

  # 8x8 digits: two convolutions with a stride of 2
  def digits do
    Axon.input("x", shape: {nil, 8, 8, 1})
    |> Axon.conv(16, kernel_size: 3, strides: 2, padding: :same, activation: :relu)
    |> Axon.conv(32, kernel_size: 3, strides: 2, padding: :same, activation: :relu)
    |> Axon.flatten()
    |> Axon.dense(10)
  end

  # 28x28 images, channels first: two convolutions with a stride of 2, and a pool
  def mnist do
    Axon.input("x", shape: {nil, 1, 28, 28})
    |> Axon.conv(16, kernel_size: 3, strides: 2, padding: :same, activation: :relu, channels: :first)
    |> Axon.conv(32, kernel_size: 3, strides: 2, padding: :same, activation: :relu, channels: :first)
    |> Axon.max_pool(kernel_size: 2, channels: :first)
    |> Axon.flatten()
    |> Axon.dense(10)
  end

  @doc "(params, state, x, y) -> {params, state, loss}, and its templates"
  def step(model, x) do
    {init_params, predict} = Axon.build(model, mode: :inference)
    {init_state, update} = Polaris.Optimizers.adamw(learning_rate: 2.0e-3, decay: 1.0e-2)

    step = fn params, state, x, y ->
      {loss, grads} = value_and_grad(params, &loss(predict.(Axon.ModelState.new(&1), x), y))
      {updates, state} = update.(grads, state, params)
      {Polaris.Updates.apply_updates(params, updates), state, loss}
    end

    params = init_params.(x, Axon.ModelState.empty()).data
    {step, [Nx.to_template(params), Nx.to_template(init_state.(params)), x, Nx.template({32, 10}, :f32)]}
  end

  defnp loss(logits, y) do
    Axon.Losses.categorical_cross_entropy(y, logits, from_logits: true, reduction: :mean)
  end
end

f32 = &Nx.template(&1, :f32)
{cnn_digits, cnn_digits_args} = Cnn.step(Cnn.digits(), f32.({32, 8, 8, 1}))
{cnn_mnist, cnn_mnist_args} = Cnn.step(Cnn.mnist(), f32.({32, 1, 28, 28}))
dense = fn i, h, o -> {f32.({i, h}), f32.({h}), f32.({h, o}), f32.({o})} end

digits =
  for {name, json, _} <- Digits.graphs(), name != "init_sgd" do
    name = %{"init_adamw" => "init", "eval" => "eval"} |> Map.get(name, name)
    {"digits_#{name}", json}
  end

square = f32.({32, 32})
half = f32.({32, 16})
up = f32.({32, 37})

block = %{
  norm1: f32.({32}),
  q: square,
  k: half,
  v: half,
  o: square,
  norm2: f32.({32}),
  gate: up,
  up: up,
  down: f32.({37, 32})
}

graphs = [
  {"sigmoid4", &Graphs.sigmoid4/1, [f32.({4})]},
  {"chain10", &Graphs.chain10/2, [f32.({64, 1}), f32.({1, 256})]},
  {"softmax", &Graphs.softmax/1, [f32.({64, 256})]},
  {"logsumexp", &Graphs.logsumexp/1, [f32.({64, 256})]},
  {"layer_norm", &Graphs.layer_norm/3, [f32.({64, 256}), f32.({256}), f32.({256})]},
  {"mlp_value_and_grad", &Graphs.mlp/3, [dense.(8, 16, 2), f32.({32, 8}), f32.({32, 2})]},
  {"sgd_regression", &Graphs.sgd_regression/3, [dense.(4, 32, 1), f32.({16, 4}), f32.({16, 1})], donate: [0]},
  {"mnist_step_sgd", &Graphs.mnist/3, [dense.(784, 128, 10), f32.({32, 784}), f32.({32, 10})], donate: [0]},
  {"conv_relu", &Graphs.conv_relu/3, [f32.({8, 3, 16, 16}), f32.({24, 3, 3, 3}), f32.({24, 1, 1})]},
  {"cnn_digits_step_adamw", cnn_digits, cnn_digits_args, donate: [0, 1]},
  {"cnn_mnist_step_adamw", cnn_mnist, cnn_mnist_args, donate: [0, 1]},
  {"threefry_uniform", &Graphs.uniform/1, [Nx.template({2}, :u32)]},
  {"random_uniform_1", &Graphs.random_uniform(&1, shape: {1}), [Nx.template({2}, :u32)]},
  {"random_uniform_7", &Graphs.random_uniform(&1, shape: {7}), [Nx.template({2}, :u32)]},
  {"random_uniform_1e6", &Graphs.random_uniform(&1, shape: {1_000_000}), [Nx.template({2}, :u32)]},
  {"random_uniform_odd", &Graphs.random_uniform(&1, shape: {99, 101}), [Nx.template({2}, :u32)]},
  {"random_uniform_bf16", &Graphs.random_uniform(&1, shape: {30_000}, type: :bf16), [Nx.template({2}, :u32)]},
  {"random_key", &Nx.Random.key/1, [Nx.template({}, :s64)]},
  {"random_split", &Nx.Random.split(&1, parts: 5), [Nx.template({2}, :u32)]},
  {"random_randint", &Nx.Random.randint(&1, 0, 100, shape: {10_000}), [Nx.template({2}, :u32)]},
  {"random_normal", &Nx.Random.normal(&1, shape: {10_000}), [Nx.template({2}, :u32)]},
  {"random_shuffle", &Nx.Random.shuffle(&1, Nx.iota({100})), [Nx.template({2}, :u32)]},
  {"random_dropout", &Graphs.dropout/2, [Nx.template({2}, :u32), f32.({100, 96})]},
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
  {"regime", &Graphs.regime/2, [Nx.template({8}, :f64), Nx.template({200}, :f64)]},
  {"leapfrog_32", &Graphs.leapfrog_32/4,
   [Nx.template({8}, :f64), Nx.template({8}, :f64), Nx.template({200}, :f64), Nx.template({8}, :f64)]},
  {"collatz_20000", &Graphs.collatz(&1, most: 100), [Nx.template({20_000}, :s32)]},
  {"heat", &Graphs.heat/1, [f32.({96, 90})]},
  {"fft_atan_exp", fn x -> Nx.atan(Nx.exp(Nx.fft(x, axis: 0))) end, [f32.({32, 32})]},
  {"rounds_10000", &Graphs.rounds_10000/2, [Nx.template({10_000}, :s32), Nx.template({}, :s32)]},
  {"nested_9000", &Graphs.nested_9000/2, [Nx.template({9000}, :s32), Nx.template({}, :s32)]},
  {"branch_20000", &Graphs.branch_20000/2, [Nx.template({}, :s32), f32.({20_000})]},
  {"count", &Graphs.count/1, [Nx.template({}, :s32)]},
  {"collatz", &Graphs.collatz(&1, most: 200), [Nx.template({6}, :s32)]},
  {"nested", &Graphs.nested/2, [f32.({5}), Nx.template({}, :s32)]},
  {"narrow", &Graphs.narrow/4,
   [Nx.template({7}, :u8), Nx.template({7}, :bf16), Nx.template({7, 7}, :bf16), Nx.template({}, :u8)]},
  {"qr_16x16", &Nx.LinAlg.qr/1, [f32.({16, 16})]},
  {"qr_16x8", &Nx.LinAlg.qr/1, [f32.({16, 8})]},
  {"eigh_8", &Nx.LinAlg.eigh/1, [f32.({8, 8})]},
  {"lu_8", &Nx.LinAlg.lu/1, [f32.({8, 8})]},
  {"solve_8", &Nx.LinAlg.solve/2, [f32.({8, 8}), f32.({8})]},
  {"determinant_8", &Nx.LinAlg.determinant/1, [f32.({8, 8})]},
  {"svd_16x8", &Nx.LinAlg.svd/1, [f32.({16, 8})]},
  {"svd_3x3", &Nx.LinAlg.svd/1, [f32.({3, 3})]},
  {"sort_1024", &Nx.sort/1, [f32.({1024})]},
  {"decoder_2", &Graphs.decoder_2/4,
   [%{embed: f32.({1024, 32}), first: block, second: block, norm: f32.({32})}] ++
     List.duplicate(Nx.template({1, 10}, :s64), 3)}
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
