"""The rows of the table: which graph, on which inputs, against what, how good it should be. Sizes are in the graphs.

`inputs` has a kind for each input, the last of which is that of all that follow; inputs.py has the kinds.
`flops` counts the operations of the usual algorithm from the inputs' shapes; where it is None, GFLOP/s are those that
the compiler counted. `reach` is the time to reach, in us, at full size on an H100 or H200. `check` names a comparison
of check.py.
"""
import collections

Row = collections.namedtuple("Row", "name title graph inputs flops reach check wait options")
ROWS = []


def row(name, title, reach=None, inputs=("normal",), flops=None, check="close 16", graph=None, wait=False, options=()):
    ROWS.append(Row(name, title, graph or name, inputs, flops, reach, check, wait, options))


def product(shapes):
    (m, k), last = shapes[0], shapes[1]
    return 2 * m * k * (last[1] if len(last) > 1 else 1)


def attention(shapes):
    b, h, n, d = shapes[0]
    return 4 * b * h * n * n * d


def convolution(shapes):
    (n, _, h, w), (out, inner, kh, kw) = shapes[0], shapes[1]
    return 2 * n * h * w * out * inner * kh * kw


def dense_step(shapes):
    """Products forward, for the weights' gradients, and for the layers' but the first."""
    batch = shapes[-1][0]
    sizes = [s[0] * s[1] for s in shapes[:-2] if len(s) == 2]
    return 2 * batch * (3 * sum(sizes) - sizes[0])


def cubes(factor):
    return lambda shapes: factor * shapes[0][-1] ** 3 * (shapes[0][0] if len(shapes[0]) == 3 else 1)


PRODUCT_MS = {1024: 2 * 1024**3 / 37e6, 4096: 2 * 4096**3 / 95e6, 8192: 2 * 8192**3 / 95e6}
DENSE = ("weights", "weights", "weights", "weights")

# what the roofs of the picture are measured with
row("peak_copy", "copy, 2^28 f32", check="close 1")
row("peak_f32", "512 multiplications and additions a value, f32, contracted", inputs=("normal", "const 0.5", "const 0.25"),
    check="close 64", options=("--fast-math",))
row("matmul_8192_f16", "product 8192, f16", flops=product, check="product")

row("elementwise_2e28", "sigmoid(a b + a) b, 2^28 f32", 744)
row("softmax_128", "softmax, 2^20 rows of 128", 264)
row("softmax_4096", "softmax, 65536 rows of 4096", 566)
row("softmax_50257", "softmax, 2048 rows of 50257", 397)
row("layer_norm_4096", "layer norm, 65536 rows of 4096", 562)
row("transpose_16384", "transpose, 16384 x 16384", 621, check="exact")
row("cumulative_sum_4096", "cumulative sum, 65536 rows of 4096", 846, check="close 64")
row("sum_all", "sum of 2^28", 251, check="sum")
row("sum_rows", "sums of 65536 rows of 4096", 251, check="sum")
row("sum_columns", "sums of 4096 columns of 65536", 256, check="sum")
row("variance_axis0", "variance of 4096 columns of 65536", check="close 64")
row("transcendental_2e26", "tanh + log1p cos + pow, 2^26", 400)

for n in (1024, 4096, 8192):
    row("matmul_%d_f32" % n, "product %d, f32, normal values" % n, PRODUCT_MS[n], flops=product, check="product")
    # multiples of 2^-24 with exact zeros: another case for matrix units, whose check of the values' range may refuse
    row("matmul_%d_f32_uniform" % n, "product %d, f32, multiples of 2^-24 in [0, 1)" % n, PRODUCT_MS[n], ("uniform",),
        product, "product", "matmul_%d_f32" % n)
row("matmul_2048_f16", "product 2048, f16", flops=product, check="product")
row("matmul_4096_f16", "product 4096, f16", 460, flops=product, check="product")
row("matmul_4096_bf16", "product 4096, bf16", 460, flops=product, check="product")
row("matmul_4096_widened", "product 4096, f16 to f32", flops=product, check="product")
row("matmul_2048_f64", "product 2048, f64", flops=product, check="product")
row("matvec_8192_f32", "matrix x vector 8192", 64, flops=product, check="product")
# a layer for a few rows, as when a text is generated; to reach: the weights at the bandwidth of memory
for n in (1, 8, 16, 32, 64):
    row("narrow_%d_f32" % n, "product %d x 4096 x 11008, f32" % n, 50, flops=product, check="product")
    row("narrow_%d_bf16" % n, "product %d x 4096 x 11008, bf16" % n, 26, flops=product, check="product")

row("attention_f32", "attention 8x12x512x64, f32", 200, flops=attention, check="close 64")
row("attention_f16", "attention 8x12x512x64, f16", 100, flops=attention, check="close 16")
row("attention_4096_f32", "attention 8x12x4096x64, f32", flops=attention, check="none")
row("attention_4096_f16", "attention 8x12x4096x64, f16", flops=attention, check="none")
row("attention_4096x128_f32", "attention 2x16x4096x128, f32", flops=attention, check="none")
row("attention_4096x128_f16", "attention 2x16x4096x128, f16", flops=attention, check="none")

row("gpt_step_4x256", "GPT step, 4 layers of 256, batch 16 x 128", 2300, ("embedding",) * 52 + ("tokens 0",), check="close 4096")
row("mlp_512_b128_step", "MLP step 784-512-512-10, batch 128", 80, ("weights",) * 6 + ("normal", "labels"), dense_step, "close 256")
row("mlp_4096_b1024_step", "MLP step 1024-4096-4096-1000, batch 1024", 1700, ("weights",) * 6 + ("normal", "labels"), dense_step,
    "close 4096")
row("mlp_128_b32_step", "MLP step 784-128-10, batch 32, queued", 30, DENSE + ("normal", "labels"), dense_step, "close 256")
row("mlp_loop_100", "MLP 784-128-10, batch 32: 100 steps in a loop", 1000, DENSE + ("normal", "labels"),
    lambda s: 100 * dense_step(s), "close 4096")
row("cnn_b32_step", "CNN step 28x28, batch 32, SGD", None, ("weights", "weights", "weights", "normal", "labels"), check="close 256")

row("conv_512x14", "convolution 3x3, 512 channels, 14x14, batch 32", 611, flops=convolution, check="close 256")
row("resblock_64x56", "two convolutions 3x3, 64 channels, 56x56, batch 32", 636, ("normal", "weights"),
    lambda s: 2 * convolution(s), "close 256")
row("depthwise_96x56", "depthwise 7x7, 96 channels, 56x56, batch 32", 224, flops=convolution, check="close 64")
row("maxpool_64x112", "max-pool 3x3 s2, 64 channels, 112x112, batch 32", 41, check="exact")
row("kmeans_assign", "k-means assignment 262144 x 64, 256 centres", 300,
    flops=lambda s: 2 * s[0][0] * s[0][1] * s[1][0], check="nearest")
row("lstm_256_t128", "LSTM, 128 steps, batch 32, 256", 1000, ("weights", "weights", "weights", "normal"),
    lambda s: 2 * s[3][0] * s[3][1] * s[1][1] * (s[0][0] + s[1][0]), "close 4096")
row("embed", "embedding, 65536 of 50000 x 512", 51, ("normal", "tokens 0"), check="exact")
row("embed_grad", "gradient of it", 140, ("normal", "tokens 0", "normal"), check="close 64")

row("sort_2e24", "sort 2^24", 630, check="exact")
row("argsort_2e22", "argsort 2^22", 280, check="argsort")
row("sort_rows_4096", "sort 4096 rows of 4096", 1136, check="exact")
row("top_k_50", "top 50 of 50257, 64 rows", 308, check="first")
row("fft_4096", "FFT, 4096 rows of 4096, c64", 74, check="close 64")
row("fft2_2048", "FFT 2-D 2048, c64", 57, check="close 64")
row("uniform_2e26", "uniform 2^26", 204, ("key",), check="uniform")
row("normal_2e26", "normal 2^26", 351, ("key",), check="standard")

row("cholesky_4096_of_16x16", "Cholesky, 4096 of 16x16", 62, ("spd",), cubes(1 / 3), "cholesky")
for n in (512, 1024, 2048, 4096):
    row("cholesky_%d" % n, "Cholesky %d" % n, {1024: 330}.get(n), ("spd",), cubes(1 / 3), "cholesky")
row("triangular_solve_2048", "triangular system 2048, 256 right sides", 250, ("lower", "normal"),
    lambda s: s[0][0] ** 2 * s[1][1], "solve")
row("solve_512", "system 512", 700, flops=cubes(2 / 3), check="solve")
for n in (512, 1024, 4096):
    row("qr_%d" % n, "QR %d" % n, {512: 1000}.get(n), flops=cubes(8 / 3), check="qr")
    row("lu_%d" % n, "LU %d" % n, {512: 600}.get(n), flops=cubes(2 / 3), check="lu")
for n in (64, 256, 512, 1024, 4096):
    row("eigh_%d" % n, "eigenvalues, vectors %d" % n, {64: 250, 256: 1700}.get(n), ("symmetric",), check="eigh 30")
for n in (256, 512, 1024, 4096):
    row("svd_%d" % n, "singular values, vectors %d" % n, {256: 3500}.get(n), check="svd 30")
row("svd_16x8", "singular values, vectors 16x8", 70, check="svd 169")
row("svd_4096_of_16x8", "the same, 4096 of them", check="svd 169")
row("svd_3x3", "singular values, vectors 3x3", 60, check="svd 169")
row("svd_65536_of_3x3", "the same, 65536 of them", check="svd 169")

REGIME = ("point", "series")
CHAIN = ("point", "momentum", "series", "mass", "const 0.05")
row("regime", "regime log-density + gradient, f64, queued", None, REGIME, check="close 4096")
row("regime_wait", "the same, with a wait for each call", 40, REGIME, check="none", graph="regime", wait=True)
row("regime_102", "102 instances, f64", 40, REGIME, check="close 4096")
row("regime_chain_32", "32 leapfrog steps, f64", None, CHAIN, check="none")
row("regime_chain_32_wait", "the same, with a wait for each call", 300, CHAIN, check="none", graph="regime_chain_32", wait=True)
