# The workloads that README.md compares with XLA and torch, as graph JSON, at the sizes measured there:
#
#     MIX_ENV=test mix run --no-start test/bench/peers.exs FOLDER [NAME ...]
#
# For vkcompile, vkrun and `make radv`; it needs no device and no NIF. Names are prefixes.
defmodule Workloads do
  @moduledoc false
  import Nx.Defn

  defn attention(q, k, v) do
    s = Nx.dot(q, [3], [0, 1], k, [3], [0, 1]) * 0.125
    s = Nx.exp(s - Nx.reduce_max(s, axes: [-1], keep_axes: true))
    p = s / Nx.sum(s, axes: [-1], keep_axes: true)
    Nx.dot(p, [3], [0, 1], v, [2], [0, 1])
  end

  defn softmax(x) do
    e = Nx.exp(x - Nx.reduce_max(x, axes: [-1], keep_axes: true))
    e / Nx.sum(e, axes: [-1], keep_axes: true)
  end

  defn ln(x, g, b) do
    m = Nx.mean(x, axes: [-1], keep_axes: true)
    v = Nx.variance(x, axes: [-1], keep_axes: true)
    (x - m) * Nx.rsqrt(v + 1.0e-5) * g + b
  end

  defn gelu(x), do: 0.5 * x * (1.0 + Nx.erf(x * 0.7071067811865476))

  # one pre-norm transformer block: {batch, seq, d}
  defn block(x, {g1, b1, wq, wk, wv, wo, g2, b2, w1, c1, w2, c2}, opts \\ []) do
    {n, s, d} = Nx.shape(x)
    h = opts[:heads]
    y = ln(x, g1, b1)
    split = fn t -> t |> Nx.reshape({n, s, h, div(d, h)}) |> Nx.transpose(axes: [0, 2, 1, 3]) end
    a = attention(split.(Nx.dot(y, wq)), split.(Nx.dot(y, wk)), split.(Nx.dot(y, wv)))
    a = a |> Nx.transpose(axes: [0, 2, 1, 3]) |> Nx.reshape({n, s, d})
    x = x + Nx.dot(a, wo)
    x + Nx.dot(gelu(Nx.dot(ln(x, g2, b2), w1) + c1), w2) + c2
  end

  defn gpt_loss({emb, pos, l1, l2, l3, l4, gf, bf}, tokens, targets, opts \\ []) do
    x = Nx.take(emb, tokens) + pos
    x = block(x, l1, heads: opts[:heads])
    x = block(x, l2, heads: opts[:heads])
    x = block(x, l3, heads: opts[:heads])
    x = block(x, l4, heads: opts[:heads])
    logits = Nx.dot(ln(x, gf, bf), [2], emb, [1])
    m = Nx.reduce_max(logits, axes: [-1], keep_axes: true)
    lse = Nx.log(Nx.sum(Nx.exp(logits - m), axes: [-1], keep_axes: true)) + m
    picked = Nx.take_along_axis(logits, Nx.new_axis(targets, -1), axis: 2)
    Nx.mean(lse - picked)
  end

  defn gpt_step(params, tokens, targets) do
    {loss, grads} = value_and_grad(params, &gpt_loss(&1, tokens, targets, heads: 4))
    {sgd(params, grads), loss}
  end

  deftransform(sgd(p, g), do: map2(p, g))

  defp map2(p, g) when is_tuple(p),
    do: Enum.zip(Tuple.to_list(p), Tuple.to_list(g)) |> Enum.map(fn {a, b} -> map2(a, b) end) |> List.to_tuple()

  defp map2(p, g), do: Nx.subtract(p, Nx.multiply(0.01, g))

  defn resblock(x, k1, k2) do
    y = Nx.max(Nx.conv(x, k1, padding: :same), 0)
    Nx.max(Nx.conv(y, k2, padding: :same) + x, 0)
  end

  defn kmeans_assign(x, c) do
    d = Nx.sum(x * x, axes: [1], keep_axes: true) - 2 * Nx.dot(x, [1], c, [1]) + Nx.sum(c * c, axes: [1])
    Nx.argmin(d, axis: 1)
  end

  defn lstm({wx, wh, b}, x) do
    {n, t, _} = Nx.shape(x)
    {_, hidden4} = Nx.shape(wh)
    hidden = div(hidden4, 4)
    xs = Nx.dot(x, wx) + b
    h = Nx.broadcast(0.0, {n, hidden})

    {_, h, _, _, _} =
      while {i = 0, h, c = h, xs, wh}, i < t do
        z = Nx.squeeze(Nx.slice_along_axis(xs, i, 1, axis: 1), axes: [1]) + Nx.dot(h, wh)
        ig = Nx.sigmoid(z[[.., 0..255]])
        f = Nx.sigmoid(z[[.., 256..511]])
        g = Nx.tanh(z[[.., 512..767]])
        o = Nx.sigmoid(z[[.., 768..1023]])
        c = f * c + ig * g
        {i + 1, o * Nx.tanh(c), c, xs, wh}
      end

    h
  end

  defn mlp_loop({w1, b1, w2, b2}, x, y) do
    {w1, b1, w2, b2, _, _, _} =
      while {w1, b1, w2, b2, x, y, i = 0}, i < 100 do
        {g1, h1, g2, h2} = grad({w1, b1, w2, b2}, &mlp_loss(&1, x, y))
        {w1 - 0.01 * g1, b1 - 0.01 * h1, w2 - 0.01 * g2, b2 - 0.01 * h2, x, y, i + 1}
      end

    {w1, b1, w2, b2}
  end

  defn mlp_step({w1, b1, w2, b2, w3, b3}, x, y) do
    {l, {g1, h1, g2, h2, g3, h3}} = value_and_grad({w1, b1, w2, b2, w3, b3}, &mlp3_loss(&1, x, y))
    {{w1 - 0.01 * g1, b1 - 0.01 * h1, w2 - 0.01 * g2, b2 - 0.01 * h2, w3 - 0.01 * g3, b3 - 0.01 * h3}, l}
  end

  defn mlp_loss({w1, b1, w2, b2}, x, y) do
    h = Nx.max(Nx.dot(x, w1) + b1, 0)
    xent(Nx.dot(h, w2) + b2, y)
  end

  defn mlp3_loss({w1, b1, w2, b2, w3, b3}, x, y) do
    h = Nx.max(Nx.dot(x, w1) + b1, 0)
    h = Nx.max(Nx.dot(h, w2) + b2, 0)
    xent(Nx.dot(h, w3) + b3, y)
  end

  defn xent(z, y), do: -Nx.mean(Nx.sum((z - Nx.logsumexp(z, axes: [-1], keep_axes: true)) * y, axes: [-1]))

  defn spd(a), do: Nx.dot(a, [1], a, [1]) * 0.01 + Nx.eye(Nx.axis_size(a, 0))
  defn batch_spd(a), do: Nx.dot(a, [2], [0], a, [2], [0]) + Nx.eye(16)
  defn embed_grad(table, idx, g), do: Nx.indexed_add(table * 0.0, Nx.new_axis(idx, -1), g)
  defn normal(key), do: elem_normal(key)
  deftransformp(elem_normal(key), do: elem(Nx.Random.normal(key, shape: {67_108_864}), 0))
  deftransform(elem_uniform(key), do: elem(Nx.Random.uniform(key, shape: {67_108_864}), 0))
  defn uniform(key), do: elem_uniform(key)
  defn pow_mix(x), do: Nx.tanh(x) + Nx.log1p(Nx.abs(x)) * Nx.cos(x) + Nx.pow(Nx.abs(x) + 0.5, 1.7)
  defn variance0(x), do: Nx.variance(x, axes: [0])
  defn topk(x), do: topk_t(x)
  deftransform(topk_t(x), do: Nx.top_k(x, k: 50))
end

f32 = &Nx.template(&1, :f32)
t = &Nx.template/2
d = 256

layer =
  {f32.({d}), f32.({d}), f32.({d, d}), f32.({d, d}), f32.({d, d}), f32.({d, d}), f32.({d}), f32.({d}), f32.({d, 4 * d}),
   f32.({4 * d}), f32.({4 * d, d}), f32.({d})}

gpt = {f32.({8192, d}), f32.({128, d}), layer, layer, layer, layer, f32.({d}), f32.({d})}
qkv = fn ty -> List.duplicate(t.({8, 12, 512, 64}, ty), 3) end
dense = fn i, h, o -> {f32.({i, h}), f32.({h}), f32.({h, o}), f32.({o})} end

graphs = [
  {"matmul_2048_f16", &Nx.dot/2, [t.({2048, 2048}, :f16), t.({2048, 2048}, :f16)]},
  {"matmul_4096_f16", &Nx.dot/2, [t.({4096, 4096}, :f16), t.({4096, 4096}, :f16)]},
  {"matmul_4096_bf16", &Nx.dot/2, [t.({4096, 4096}, :bf16), t.({4096, 4096}, :bf16)]},
  {"matmul_2048_f64", &Nx.dot/2, [t.({2048, 2048}, :f64), t.({2048, 2048}, :f64)]},
  {"matmul_8192_f32", &Nx.dot/2, [f32.({8192, 8192}), f32.({8192, 8192})]},
  {"matvec_8192_f32", &Nx.dot/2, [f32.({8192, 8192}), f32.({8192})]},
  {"attention_f32", &Workloads.attention/3, qkv.(:f32)},
  {"attention_f16", &Workloads.attention/3, qkv.(:f16)},
  {"gpt_step_4x256", &Workloads.gpt_step/3, [gpt, t.({16, 128}, :s32), t.({16, 128}, :s32)], donate: [0]},
  {"mlp_512_b128_step", &Workloads.mlp_step/3,
   [
     {f32.({784, 512}), f32.({512}), f32.({512, 512}), f32.({512}), f32.({512, 10}), f32.({10})},
     f32.({128, 784}),
     f32.({128, 10})
   ], donate: [0]},
  {"mlp_4096_b1024_step", &Workloads.mlp_step/3,
   [
     {f32.({1024, 4096}), f32.({4096}), f32.({4096, 4096}), f32.({4096}), f32.({4096, 1000}), f32.({1000})},
     f32.({1024, 1024}),
     f32.({1024, 1000})
   ], donate: [0]},
  {"mlp_loop_100", &Workloads.mlp_loop/3, [dense.(784, 128, 10), f32.({32, 784}), f32.({32, 10})]},
  {"resblock_64x56", &Workloads.resblock/3, [f32.({32, 64, 56, 56}), f32.({64, 64, 3, 3}), f32.({64, 64, 3, 3})]},
  {"conv_512x14", &Nx.conv(&1, &2, padding: :same), [f32.({32, 512, 14, 14}), f32.({512, 512, 3, 3})]},
  {"depthwise_96x56", &Nx.conv(&1, &2, padding: :same, feature_group_size: 96),
   [f32.({32, 96, 56, 56}), f32.({96, 1, 7, 7})]},
  {"maxpool_64x112", &Nx.window_max(&1, {1, 1, 3, 3}, strides: [1, 1, 2, 2], padding: :same),
   [f32.({32, 64, 112, 112})]},
  {"kmeans_assign", &Workloads.kmeans_assign/2, [f32.({262_144, 64}), f32.({256, 64})]},
  {"lstm_256_t128", &Workloads.lstm/2, [{f32.({64, 1024}), f32.({256, 1024}), f32.({1024})}, f32.({32, 128, 64})]},
  {"embed", &Nx.take(&1, &2), [f32.({50_000, 512}), t.({65_536}, :s32)]},
  {"embed_grad", &Workloads.embed_grad/3, [f32.({50_000, 512}), t.({65_536}, :s32), f32.({65_536, 512})]},
  {"sort_rows_4096", &Nx.sort(&1, axis: 1), [f32.({4096, 4096})]},
  {"sort_2e24", &Nx.sort/1, [f32.({16_777_216})]},
  {"argsort_2e22", &Nx.argsort/1, [f32.({4_194_304})]},
  {"top_k_50", &Workloads.topk/1, [f32.({64, 50_257})]},
  {"fft_4096", &Nx.fft/1, [t.({4096, 4096}, :c64)]},
  {"fft2_2048", &Nx.fft2/1, [t.({2048, 2048}, :c64)]},
  {"uniform_2e26", &Workloads.uniform/1, [t.({2}, :u32)]},
  {"normal_2e26", &Workloads.normal/1, [t.({2}, :u32)]},
  {"transcendental_2e26", &Workloads.pow_mix/1, [f32.({67_108_864})]},
  {"variance_axis0", &Workloads.variance0/1, [f32.({65_536, 4096})]},
  {"softmax_50257", &Workloads.softmax/1, [f32.({2048, 50_257})]},
  {"softmax_128", &Workloads.softmax/1, [f32.({1_048_576, 128})]},
  {"cholesky_1024", fn a -> Nx.LinAlg.cholesky(Workloads.spd(a)) end, [f32.({1024, 1024})]},
  {"batched_cholesky_4096x16", fn a -> Nx.LinAlg.cholesky(Workloads.batch_spd(a)) end, [f32.({4096, 16, 16})]},
  {"qr_512", &Nx.LinAlg.qr/1, [f32.({512, 512})]},
  {"lu_512", &Nx.LinAlg.lu/1, [f32.({512, 512})]},
  {"solve_512", &Nx.LinAlg.solve/2, [f32.({512, 512}), f32.({512})]},
  {"eigh_256", fn a -> Nx.LinAlg.eigh(Nx.add(a, Nx.transpose(a))) end, [f32.({256, 256})]},
  {"svd_256", &Nx.LinAlg.svd/1, [f32.({256, 256})]},
  {"eigh_64", fn a -> Nx.LinAlg.eigh(Nx.add(a, Nx.transpose(a))) end, [f32.({64, 64})]},
  {"triangular_solve_2048",
   fn a, b -> Nx.LinAlg.triangular_solve(Nx.add(Nx.tril(a), Nx.multiply(Nx.eye(2048), 64)), b) end,
   [f32.({2048, 2048}), f32.({2048, 256})]}
]

[folder | names] = System.argv()
File.mkdir_p!(folder)

for entry <- graphs, name = elem(entry, 0), names == [] or String.starts_with?(name, names) do
  opts = if tuple_size(entry) == 4, do: elem(entry, 3), else: []
  Nx.Vulkan.export(Path.join(folder, name <> ".json"), elem(entry, 1), elem(entry, 2), [name: name] ++ opts)
end
