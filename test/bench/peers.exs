# The workloads that README.md compares with XLA and torch, as graph JSON, at the sizes measured there:
#
#     MIX_ENV=test mix run --no-start test/bench/peers.exs FOLDER [NAME ...]
#
# For `make bench-gpu`, vkcompile, vkrun and `make radv`; it needs no device and no NIF. Names are prefixes. With SMALL=1
# the same functions at sizes for a CPU and for tests; with CPU=1 those that `make bench-cpu` (cpu/README.md) compares
# with NumPy, at its sizes. The names are those of gpu/rows.py; inputs of the graphs have
# no more than their shapes there, so sizes stand here only.
defmodule Workloads do
  @moduledoc false
  import Nx.Defn

  defn attention(q, k, v) do
    s = Nx.dot(q, [3], [0, 1], k, [3], [0, 1]) * 0.125
    s = Nx.exp(s - Nx.reduce_max(s, axes: [-1], keep_axes: true))
    p = s / Nx.sum(s, axes: [-1], keep_axes: true)
    Nx.dot(p, [3], [0, 1], v, [2], [0, 1])
  end

  defn attention_128(q, k, v) do
    s = Nx.dot(q, [3], [0, 1], k, [3], [0, 1]) * 0.08838834764831845
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

  # the steps of mlp_loop, a call each
  defn mlp_small_step({w1, b1, w2, b2}, x, y) do
    {l, {g1, h1, g2, h2}} = value_and_grad({w1, b1, w2, b2}, &mlp_loss(&1, x, y))
    {{w1 - 0.01 * g1, b1 - 0.01 * h1, w2 - 0.01 * g2, b2 - 0.01 * h2}, l}
  end

  defn cnn_loss({k1, k2, w}, x, y) do
    h = Nx.max(Nx.conv(x, k1, strides: 2, padding: :same), 0)
    h = Nx.max(Nx.conv(h, k2, strides: 2, padding: :same), 0)
    xent(Nx.dot(Nx.reshape(h, {Nx.axis_size(h, 0), :auto}), w), y)
  end

  defn cnn_step({k1, k2, w}, x, y) do
    {l, {g1, g2, g}} = value_and_grad({k1, k2, w}, &cnn_loss(&1, x, y))
    {{k1 - 0.01 * g1, k2 - 0.01 * g2, w - 0.01 * g}, l}
  end

  defn fused(a, b), do: Nx.sigmoid(a * b + a) * b

  defn layer_norm(x),
    do: (x - Nx.mean(x, axes: [-1], keep_axes: true)) * Nx.rsqrt(Nx.variance(x, axes: [-1], keep_axes: true) + 1.0e-5)

  # two operations a step, of which nothing can be left out: what the arithmetic units do
  deftransform(chain(x, c, d), do: Enum.reduce(1..512, x, fn _, x -> Nx.add(Nx.multiply(x, c), d) end))
  defn peak(x, c, d), do: chain(x, c, d)
  defn copy(x), do: x + 1
  defn widened(a, b), do: Nx.dot(Nx.as_type(a, :f32), Nx.as_type(b, :f32))

  defn embed_grad(table, idx, g), do: Nx.indexed_add(table * 0.0, Nx.new_axis(idx, -1), g)
  deftransform(normal(key, opts), do: elem(Nx.Random.normal(key, shape: opts[:shape]), 0))
  deftransform(uniform(key, opts), do: elem(Nx.Random.uniform(key, shape: opts[:shape]), 0))
  defn pow_mix(x), do: Nx.tanh(x) + Nx.log1p(Nx.abs(x)) * Nx.cos(x) + Nx.pow(Nx.abs(x) + 0.5, 1.7)
  defn variance0(x), do: Nx.variance(x, axes: [0])
  defn topk(x), do: topk_t(x)
  deftransform(topk_t(x), do: Nx.top_k(x, k: 50))
end

alias Nx.Vulkan.Test.Models
small? = System.get_env("SMALL", "") != ""
# a size, and the one that stands for it where SMALL is set
n = fn full, small -> if small?, do: small, else: full end
t = &Nx.template/2
f32 = &t.(&1, :f32)
f64 = &t.(&1, :f64)
d = n.(256, 64)
seq = n.(128, 16)

layer =
  {f32.({d}), f32.({d}), f32.({d, d}), f32.({d, d}), f32.({d, d}), f32.({d, d}), f32.({d}), f32.({d}), f32.({d, 4 * d}),
   f32.({4 * d}), f32.({4 * d, d}), f32.({d})}

gpt = {f32.({n.(8192, 128), d}), f32.({seq, d}), layer, layer, layer, layer, f32.({d}), f32.({d})}
tokens = t.({n.(16, 2), seq}, :s32)
heads = fn batch, heads, len, d, type -> List.duplicate(t.({n.(batch, 2), n.(heads, 2), n.(len, 64), d}, type), 3) end
square = fn full, type -> List.duplicate(t.({n.(full, 96), n.(full, 96)}, type), 2) end
dense = fn i, h, o -> {f32.({i, h}), f32.({h}), f32.({h, o}), f32.({o})} end
rows = [f32.({n.(65_536, 64), n.(4096, 256)})]

linear = fn name, fun, sizes ->
  for s <- sizes, do: {"#{name}_#{s}", fun, [f32.({n.(s, div(s, 32) + 8), n.(s, div(s, 32) + 8)})]}
end

{m, k, h, o} = {n.(1024, 32), n.(1024, 48), n.(4096, 64), n.(1000, 10)}

# a layer for a few rows, as when a text is generated: m x 4096 by 4096 x 11008
narrow =
  for m <- [1, 8, 16, 32, 64], type <- [:f32, :bf16] do
    {"narrow_#{m}_#{type}", &Nx.dot/2, [t.({m, n.(4096, 96)}, type), t.({n.(4096, 96), n.(11_008, 160)}, type)]}
  end

graphs =
  [
    {"peak_copy", &Workloads.copy/1, [f32.({n.(268_435_456, 65_536)})]},
    {"peak_f32", &Workloads.peak/3, [f32.({n.(4_194_304, 4096)}), f32.({}), f32.({})]},
    {"elementwise_2e28", &Workloads.fused/2, List.duplicate(f32.({n.(268_435_456, 65_536)}), 2)},
    {"softmax_128", &Workloads.softmax/1, [f32.({n.(1_048_576, 256), 128})]},
    {"softmax_4096", &Workloads.softmax/1, rows},
    {"softmax_50257", &Workloads.softmax/1, [f32.({n.(2048, 8), n.(50_257, 1009)})]},
    {"layer_norm_4096", &Workloads.layer_norm/1, rows},
    {"transpose_16384", &Nx.transpose/1, [f32.({n.(16_384, 256), n.(16_384, 256)})]},
    {"cumulative_sum_4096", &Nx.cumulative_sum(&1, axis: 1), rows},
    {"sum_all", &Nx.sum/1, rows},
    {"sum_rows", &Nx.sum(&1, axes: [1]), rows},
    {"sum_columns", &Nx.sum(&1, axes: [0]), rows},
    {"variance_axis0", &Workloads.variance0/1, rows},
    {"transcendental_2e26", &Workloads.pow_mix/1, [f32.({n.(67_108_864, 65_536)})]},
    {"matmul_1024_f32", &Nx.dot/2, square.(1024, :f32)},
    {"matmul_4096_f32", &Nx.dot/2, square.(4096, :f32)},
    {"matmul_8192_f32", &Nx.dot/2, square.(8192, :f32)},
    {"matmul_2048_f16", &Nx.dot/2, square.(2048, :f16)},
    {"matmul_4096_f16", &Nx.dot/2, square.(4096, :f16)},
    {"matmul_8192_f16", &Nx.dot/2, square.(8192, :f16)},
    {"matmul_4096_bf16", &Nx.dot/2, square.(4096, :bf16)},
    {"matmul_4096_widened", &Workloads.widened/2, square.(4096, :f16)},
    {"matmul_2048_f64", &Nx.dot/2, square.(2048, :f64)},
    {"matvec_8192_f32", &Nx.dot/2, [f32.({n.(8192, 128), n.(8192, 128)}), f32.({n.(8192, 128)})]},
    {"attention_f32", &Workloads.attention/3, heads.(8, 12, 512, 64, :f32)},
    {"attention_f16", &Workloads.attention/3, heads.(8, 12, 512, 64, :f16)},
    {"attention_4096_f32", &Workloads.attention/3, heads.(8, 12, 4096, 64, :f32)},
    {"attention_4096_f16", &Workloads.attention/3, heads.(8, 12, 4096, 64, :f16)},
    {"attention_4096x128_f32", &Workloads.attention_128/3, heads.(2, 16, 4096, 128, :f32)},
    {"attention_4096x128_f16", &Workloads.attention_128/3, heads.(2, 16, 4096, 128, :f16)},
    {"gpt_step_4x256", &Workloads.gpt_step/3, [gpt, tokens, tokens], donate: [0]},
    {"mlp_512_b128_step", &Workloads.mlp_step/3,
     [
       {f32.({784, 512}), f32.({512}), f32.({512, 512}), f32.({512}), f32.({512, 10}), f32.({10})},
       f32.({128, 784}),
       f32.({128, 10})
     ], donate: [0]},
    {"mlp_4096_b1024_step", &Workloads.mlp_step/3,
     [{f32.({k, h}), f32.({h}), f32.({h, h}), f32.({h}), f32.({h, o}), f32.({o})}, f32.({m, k}), f32.({m, o})],
     donate: [0]},
    {"mlp_128_b32_step", &Workloads.mlp_small_step/3, [dense.(784, 128, 10), f32.({32, 784}), f32.({32, 10})],
     donate: [0]},
    {"mlp_loop_100", &Workloads.mlp_loop/3, [dense.(784, 128, 10), f32.({32, 784}), f32.({32, 10})]},
    {"cnn_b32_step", &Workloads.cnn_step/3,
     [{f32.({16, 1, 3, 3}), f32.({32, 16, 3, 3}), f32.({1568, 10})}, f32.({32, 1, 28, 28}), f32.({32, 10})],
     donate: [0]},
    {"resblock_64x56", &Workloads.resblock/3,
     [f32.({n.(32, 2), 64, n.(56, 14), n.(56, 14)}), f32.({64, 64, 3, 3}), f32.({64, 64, 3, 3})]},
    {"conv_512x14", &Nx.conv(&1, &2, padding: :same),
     [f32.({n.(32, 2), n.(512, 32), 14, 14}), f32.({n.(512, 32), n.(512, 32), 3, 3})]},
    {"depthwise_96x56", &Nx.conv(&1, &2, padding: :same, feature_group_size: 96),
     [f32.({n.(32, 2), 96, n.(56, 14), n.(56, 14)}), f32.({96, 1, 7, 7})]},
    {"maxpool_64x112", &Nx.window_max(&1, {1, 1, 3, 3}, strides: [1, 1, 2, 2], padding: :same),
     [f32.({n.(32, 2), 64, n.(112, 28), n.(112, 28)})]},
    {"kmeans_assign", &Workloads.kmeans_assign/2, [f32.({n.(262_144, 1024), 64}), f32.({n.(256, 32), 64})]},
    {"lstm_256_t128", &Workloads.lstm/2,
     [{f32.({64, 1024}), f32.({256, 1024}), f32.({1024})}, f32.({n.(32, 4), n.(128, 8), 64})]},
    {"embed", &Nx.take(&1, &2), [f32.({n.(50_000, 500), n.(512, 64)}), t.({n.(65_536, 512)}, :s32)]},
    {"embed_grad", &Workloads.embed_grad/3,
     [f32.({n.(50_000, 500), n.(512, 64)}), t.({n.(65_536, 512)}, :s32), f32.({n.(65_536, 512), n.(512, 64)})]},
    {"sort_2e24", &Nx.sort/1, [f32.({n.(16_777_216, 4096)})]},
    {"argsort_2e22", &Nx.argsort/1, [f32.({n.(4_194_304, 4096)})]},
    {"sort_rows_4096", &Nx.sort(&1, axis: 1), [f32.({n.(4096, 16), n.(4096, 256)})]},
    {"top_k_50", &Workloads.topk/1, [f32.({n.(64, 8), n.(50_257, 1009)})]},
    {"fft_4096", &Nx.fft/1, [t.({n.(4096, 64), n.(4096, 256)}, :c64)]},
    {"fft2_2048", &Nx.fft2/1, [t.({n.(2048, 64), n.(2048, 64)}, :c64)]},
    {"uniform_2e26", &Workloads.uniform(&1, shape: {n.(67_108_864, 4096)}), [t.({2}, :u32)]},
    {"normal_2e26", &Workloads.normal(&1, shape: {n.(67_108_864, 4096)}), [t.({2}, :u32)]},
    {"cholesky_4096_of_16x16", &Nx.LinAlg.cholesky/1, [f32.({n.(4096, 64), 16, 16})]},
    {"triangular_solve_2048", &Nx.LinAlg.triangular_solve/2,
     [f32.({n.(2048, 64), n.(2048, 64)}), f32.({n.(2048, 64), n.(256, 16)})]},
    {"solve_512", &Nx.LinAlg.solve/2, [f32.({n.(512, 32), n.(512, 32)}), f32.({n.(512, 32)})]},
    {"svd_16x8", &Nx.LinAlg.svd/1, [f32.({16, 8})]},
    {"svd_4096_of_16x8", &Nx.LinAlg.svd/1, [f32.({n.(4096, 64), 16, 8})]},
    {"svd_3x3", &Nx.LinAlg.svd/1, [f32.({3, 3})]},
    {"svd_65536_of_3x3", &Nx.LinAlg.svd/1, [f32.({n.(65_536, 64), 3, 3})]},
    {"regime", &Models.regime/2, [f64.({8}), f64.({200})]},
    {"regime_102", &Models.regime/2, [f64.({102, 8}), f64.({102, 200})]},
    {"regime_chain_32", &Models.leapfrog(&1, &2, &3, &4, &5, 32),
     [f64.({8}), f64.({8}), f64.({200}), f64.({8}), f64.({})]}
  ] ++
    narrow ++
    linear.("cholesky", &Nx.LinAlg.cholesky/1, [512, 1024, 2048, 4096]) ++
    linear.("qr", &Nx.LinAlg.qr/1, [512, 1024, 4096]) ++
    linear.("lu", &Nx.LinAlg.lu/1, [512, 1024, 4096]) ++
    linear.("eigh", &Nx.LinAlg.eigh/1, [64, 256, 512, 1024, 4096]) ++
    linear.("svd", &Nx.LinAlg.svd/1, [256, 512, 1024, 4096])

million = fn type -> t.({1024, 1024}, type) end

cpu =
  for(s <- [256, 512, 1024, 2048], do: {"matmul_#{s}_f32", &Nx.dot/2, List.duplicate(f32.({s, s}), 2)}) ++
    Enum.filter(graphs, &(elem(&1, 0) in ["mlp_512_b128_step", "lstm_256_t128"])) ++
    [
      {"matmul_512_f64", &Nx.dot/2, List.duplicate(f64.({512, 512}), 2)},
      {"elementwise_2e20", &Workloads.fused/2, List.duplicate(f32.({1_048_576}), 2)},
      {"softmax_1024", &Workloads.softmax/1, [million.(:f32)]},
      {"sum_1024", &Nx.sum(&1, axes: [1]), [million.(:f32)]},
      {"cumulative_sum_1024", &Nx.cumulative_sum(&1, axis: 1), [million.(:f32)]},
      {"sort_2e20", &Nx.sort/1, [f32.({1_048_576})]},
      {"sort_1024", &Nx.sort(&1, axis: 1), [million.(:f32)]},
      {"fft_1024", &Nx.fft/1, [million.(:c64)]}
    ] ++
    for {name, fun} <- [
          {"cholesky", &Nx.LinAlg.cholesky/1},
          {"lu", &Nx.LinAlg.lu/1},
          {"qr", &Nx.LinAlg.qr/1},
          {"eigh", &Nx.LinAlg.eigh/1},
          {"svd", &Nx.LinAlg.svd/1},
          {"solve", &Nx.LinAlg.solve/2}
        ],
        s <- [64, 256, 512],
        type <- [:f32, :f64] do
      right = if name == "solve", do: [t.({s}, type)], else: []
      {"#{name}_#{s}_#{type}", fun, [t.({s, s}, type) | right]}
    end

[folder | names] = System.argv()
File.mkdir_p!(folder)

for entry <- if(System.get_env("CPU", "") != "", do: cpu, else: graphs),
    name = elem(entry, 0),
    names == [] or String.starts_with?(name, names) do
  opts = if tuple_size(entry) == 4, do: elem(entry, 3), else: []
  Nx.Vulkan.export(Path.join(folder, name <> ".json"), elem(entry, 1), elem(entry, 2), [name: name] ++ opts)
end
