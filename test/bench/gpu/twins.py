"""What the graphs compute, written for JAX, and as far as NumPy goes for NumPy: peers, and references in f64.

`of(xp, jax)` gives functions by the name of the graph, which take the graph's inputs and return its outputs, flat. With
NumPy `jax` is None, and the functions that need it are missing.
"""
import math
import types

SHAPED = {"uniform_2e26", "normal_2e26"}


def of(xp, jax=None):
    table = arrays(xp)
    table.update(models(xp, jax) if jax else {})
    table.update(linear_algebra(xp, jax))
    return table


def softmax(xp, x):
    e = xp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def turned(x):
    return x.swapaxes(-1, -2)


def attention(xp, q, k, v):
    scores = (q @ turned(k)) * q.dtype.type(1 / math.sqrt(q.shape[-1]))
    return softmax(xp, scores) @ v


def chain(x, c, d):
    for _ in range(512):
        x = x * c + d
    return x


def layer_norm(xp, x):
    m = x.mean(-1, keepdims=True)
    return (x - m) / xp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def mix(xp, x):
    return xp.tanh(x) + xp.log1p(xp.abs(x)) * xp.cos(x) + (xp.abs(x) + 0.5) ** 1.7


def distances(x, c):
    return (x * x).sum(1, keepdims=True) - 2 * (x @ c.T) + (c * c).sum(1)


def regime_logp(xp, q, y):
    """As regime_logp/2 of test/support/models.ex."""

    def normal(x, mean, scale):
        return -0.5 * (((x - mean) / scale) ** 2 + math.log(2 * math.pi) + 2 * xp.log(scale))

    def prior(x, mean, scale):
        return -0.5 * (((x - mean) / scale) ** 2 + math.log(2 * math.pi) + 2 * math.log(scale))

    l1, l2, mu_mr, mu_trend = q[0], q[1], q[2], q[3]
    logp = prior(l1, 0.0, 1.0) + prior(l2, 0.0, 1.0) + prior(mu_mr, 0.0, 0.01) + prior(mu_trend, 0.001, 0.01)
    scales = []
    for z, scale in zip((q[4], q[5], q[6], q[7]), (0.02, 0.02, 0.05, 0.5)):
        x = xp.exp(xp.clip(z, -200, 200))
        logp = logp + math.log(2 / math.pi) - math.log(scale) - xp.log1p((x / scale) ** 2) + z
        scales.append(xp.maximum(x, 1e-8))
    log_z = xp.log(1 + xp.exp(xp.minimum(l1, 10)) + xp.exp(xp.minimum(l2, 10)))
    a = normal(y, mu_trend, scales[1]) - log_z
    b = normal(y, 0.0, scales[0]) + l1 - log_z
    c = normal(y, 0.0, scales[2]) + l2 - log_z
    m = xp.maximum(a, xp.maximum(b, c))
    return logp + xp.sum(m + xp.log(xp.exp(a - m) + xp.exp(b - m) + xp.exp(c - m)))


def arrays(xp):
    """What NumPy has, too."""
    table = {
        "peak_copy": lambda x: x + 1,
        "peak_f32": chain,
        "elementwise_2e28": lambda a, b: b / (1 + xp.exp(-(a * b + a))),
        "layer_norm_4096": lambda x: layer_norm(xp, x),
        # a view is no transpose: NumPy and JAX are asked for the values in order
        "transpose_16384": lambda x: xp.array(x.T, order="C") if xp.__name__ == "numpy" else x.T + 0,
        "cumulative_sum_4096": lambda x: xp.cumsum(x, 1),
        "sum_all": lambda x: x.sum(),
        "sum_rows": lambda x: x.sum(1),
        "sum_columns": lambda x: x.sum(0),
        "variance_axis0": lambda x: x.var(0),
        "transcendental_2e26": lambda x: mix(xp, x),
        "kmeans_assign": lambda x, c: xp.argmin(distances(x, c), 1),
        "embed": lambda t, i: t[i],
        "sort_2e24": lambda x: xp.sort(x),
        "argsort_2e22": lambda x: xp.argsort(x),
        "sort_rows_4096": lambda x: xp.sort(x, 1),
        "top_k_50": lambda x: -xp.sort(-x)[:, :50],
        "fft_4096": lambda x: xp.fft.fft(x),
        "fft2_2048": lambda x: xp.fft.fft2(x),
    }
    for name in ("128", "4096", "50257"):
        table["softmax_" + name] = lambda x: softmax(xp, x)
    for name in ("attention_f32", "attention_f16", "attention_4096_f32", "attention_4096_f16"):
        table[name] = lambda q, k, v: attention(xp, q, k, v)
    for name in ("attention_4096x128_f32", "attention_4096x128_f16"):
        table[name] = table["attention_f32"]
    for name in ("1024_f32", "4096_f32", "8192_f32", "2048_f16", "4096_f16", "8192_f16", "4096_bf16", "2048_f64"):
        table["matmul_" + name] = lambda a, b: a @ b
    table["matvec_8192_f32"] = lambda a, b: a @ b
    table["matmul_4096_widened"] = lambda a, b: a.astype(xp.float32) @ b.astype(xp.float32)
    for rows in (1, 8, 16, 32, 64):
        for kind in ("f32", "bf16"):
            table["narrow_%d_%s" % (rows, kind)] = lambda a, b: a @ b
    return table


def linear_algebra(xp, jax):
    """Factorisations are checked by their products (check.py), so NumPy needs none of them."""
    if jax is None:
        return {}
    la = xp.linalg
    table = {
        "cholesky_4096_of_16x16": la.cholesky,
        "triangular_solve_2048": lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True),
        "solve_512": la.solve,
        "svd_16x8": la.svd,
        "svd_4096_of_16x8": la.svd,
        "svd_3x3": la.svd,
        "svd_65536_of_3x3": la.svd,
    }
    for n in (64, 256, 512, 1024, 2048, 4096):
        table["cholesky_%d" % n] = la.cholesky
        table["qr_%d" % n] = la.qr
        table["lu_%d" % n] = jax.scipy.linalg.lu
        table["eigh_%d" % n] = la.eigh
        table["svd_%d" % n] = la.svd
    return table


def models(xp, jax):
    """Gradients, convolutions and loops."""
    lax = jax.lax

    def stepped(loss, count):
        """A step of gradient descent of the first `count` inputs."""

        def step(*leaves):
            value, grads = jax.value_and_grad(lambda p: loss(p, *leaves[count:]))(leaves[:count])
            return tuple(p - 0.01 * g for p, g in zip(leaves[:count], grads)) + (value,)

        return step

    def cross_entropy(z, y):
        return -xp.mean(xp.sum(jax.nn.log_softmax(z) * y, -1))

    def mlp_loss(p, x, y):
        for i in range(0, len(p), 2):
            x = x @ p[i] + p[i + 1]
            x = xp.maximum(x, 0) if i + 2 < len(p) else x
        return cross_entropy(x, y)

    def conv(x, k, strides=1, groups=1):
        # as the graphs: the same on both sides, where "SAME" has less before than after
        edges = [(n // 2, n // 2) for n in k.shape[2:]]
        return lax.conv_general_dilated(x, k, (strides, strides), edges, feature_group_count=groups)

    def cnn_loss(p, x, y):
        h = xp.maximum(conv(x, p[0], 2), 0)
        h = xp.maximum(conv(h, p[1], 2), 0)
        return cross_entropy(h.reshape(h.shape[0], -1) @ p[2], y)

    def block(x, p):
        g1, b1, wq, wk, wv, wo, g2, b2, w1, c1, w2, c2 = p
        n, s, d = x.shape
        y = layer_norm(xp, x) * g1 + b1

        def split(t):
            return t.reshape(n, s, 4, d // 4).transpose(0, 2, 1, 3)

        # the graph divides by 8 whatever the width of a head
        scores = (split(y @ wq) @ turned(split(y @ wk))) * 0.125
        a = (jax.nn.softmax(scores, -1) @ split(y @ wv)).transpose(0, 2, 1, 3).reshape(n, s, d)
        x = x + a @ wo
        return x + jax.nn.gelu((layer_norm(xp, x) * g2 + b2) @ w1 + c1, approximate=False) @ w2 + c2

    def gpt_loss(p, tokens, targets):
        x = p[0][tokens] + p[1]
        for first in range(2, 50, 12):
            x = block(x, p[first : first + 12])
        z = (layer_norm(xp, x) * p[50] + p[51]) @ p[0].T
        return xp.mean(jax.nn.logsumexp(z, -1) - xp.take_along_axis(z, targets[..., None], 2)[..., 0])

    def lstm(wx, wh, b, x):
        xs = x @ wx + b

        def body(i, state):
            h, c = state
            z = xs[:, i] + h @ wh
            i_, f, g, o = xp.split(z, 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i_) * xp.tanh(g)
            return jax.nn.sigmoid(o) * xp.tanh(c), c

        zero = xp.zeros((x.shape[0], wh.shape[0]), x.dtype)
        return lax.fori_loop(0, x.shape[1], body, (zero, zero))[0]

    def resblock(x, a, b):
        return xp.maximum(conv(xp.maximum(conv(x, a), 0), b) + x, 0)

    def pool(x):
        edges = ((0, 0), (0, 0), (1, 1), (1, 1))
        return lax.reduce_window(x, -xp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), edges)

    small = stepped(mlp_loss, 4)

    def mlp_loop(*leaves):
        return lax.fori_loop(0, 100, lambda i, p: small(*p, *leaves[4:])[:4], leaves[:4])

    regime = jax.value_and_grad(lambda q, y: regime_logp(xp, q, y))

    def leapfrog(q, p, y, inverse_mass, eps):
        logp, grad = regime(q, y)
        energy = logp - 0.5 * xp.sum(inverse_mass * p * p)
        rows = xp.zeros((1024, q.size), q.dtype)

        def body(i, state):
            qs, ps, grads, logps, q, p, grad = state
            half = p + 0.5 * eps * grad
            q = q + eps * inverse_mass * half
            logp, grad = regime(q, y)
            p = half + 0.5 * eps * grad
            return (qs.at[i].set(q), ps.at[i].set(p), grads.at[i].set(grad), logps.at[i].set(logp), q, p, grad)

        start = (rows, rows, rows, xp.zeros(1024, q.dtype), q, p, grad)
        return lax.fori_loop(0, 32, body, start)[:4] + (energy,)

    return {
        "softmax_128": lambda x: jax.nn.softmax(x, -1),
        "softmax_4096": lambda x: jax.nn.softmax(x, -1),
        "softmax_50257": lambda x: jax.nn.softmax(x, -1),
        "top_k_50": lambda x: lax.top_k(x, 50),
        "gpt_step_4x256": stepped(gpt_loss, 52),
        "mlp_512_b128_step": stepped(mlp_loss, 6),
        "mlp_4096_b1024_step": stepped(mlp_loss, 6),
        "mlp_128_b32_step": small,
        "mlp_loop_100": mlp_loop,
        "cnn_b32_step": stepped(cnn_loss, 3),
        "conv_512x14": conv,
        "resblock_64x56": resblock,
        "depthwise_96x56": lambda x, k: conv(x, k, groups=k.shape[0]),
        "maxpool_64x112": pool,
        "lstm_256_t128": lstm,
        "embed_grad": lambda table, i, g: xp.zeros_like(table).at[i].add(g),
        "uniform_2e26": lambda key, shape: jax.random.uniform(key, shape),
        "normal_2e26": lambda key, shape: jax.random.normal(key, shape),
        "regime": regime,
        "regime_102": jax.vmap(regime),
        "regime_chain_32": leapfrog,
    }


def torch_table(torch):
    """The same in torch, where it has the function at all; eager, but for what Inductor fuses."""
    f = torch.nn.functional
    la = torch.linalg
    fused = torch.compile(lambda a, b: torch.sigmoid(a * b + a) * b)
    mixed = torch.compile(lambda x: mix(torch, x))
    table = {
        "elementwise_2e28": fused,
        "transcendental_2e26": mixed,
        "layer_norm_4096": lambda x: f.layer_norm(x, x.shape[-1:]),
        "transpose_16384": lambda x: x.T.contiguous(),
        "cumulative_sum_4096": lambda x: torch.cumsum(x, 1),
        "sum_all": lambda x: x.sum(),
        "sum_rows": lambda x: x.sum(1),
        "sum_columns": lambda x: x.sum(0),
        "variance_axis0": lambda x: x.var(0, correction=0),
        "conv_512x14": lambda x, k: f.conv2d(x, k, padding="same"),
        "depthwise_96x56": lambda x, k: f.conv2d(x, k, padding="same", groups=k.shape[0]),
        "resblock_64x56": lambda x, a, b: f.relu(f.conv2d(f.relu(f.conv2d(x, a, padding="same")), b, padding="same") + x),
        # padded as Nx does: nothing before and one after, for an even size
        "maxpool_64x112": lambda x: f.max_pool2d(x, 3, 2, padding=1),
        "embed": lambda t, i: t[i.long()],
        "embed_grad": lambda t, i, g: torch.zeros_like(t).index_add_(0, i, g),
        "kmeans_assign": lambda x, c: torch.argmin(distances(x, c), 1),
        "sort_2e24": lambda x: torch.sort(x),
        "argsort_2e22": lambda x: torch.argsort(x, stable=True),
        "sort_rows_4096": lambda x: torch.sort(x, 1),
        "top_k_50": lambda x: torch.topk(x, 50),
        "fft_4096": torch.fft.fft,
        "fft2_2048": torch.fft.fft2,
        "uniform_2e26": lambda key, shape: torch.rand(shape, device=key.device),
        "normal_2e26": lambda key, shape: torch.randn(shape, device=key.device),
        "cholesky_4096_of_16x16": la.cholesky,
        "triangular_solve_2048": lambda a, b: la.solve_triangular(a, b, upper=False),
        "solve_512": la.solve,
    }
    for name in ("128", "4096", "50257"):
        table["softmax_" + name] = lambda x: torch.softmax(x, -1)
    for name in arrays(types.SimpleNamespace(__name__="none")):
        if name.startswith(("matmul", "matvec", "narrow")):
            table[name] = lambda a, b: a @ b
        elif name.startswith("attention"):
            table[name] = f.scaled_dot_product_attention
    table["matmul_4096_widened"] = lambda a, b: a.float() @ b.float()
    for name in ("16x8", "4096_of_16x8", "3x3", "65536_of_3x3", "256", "512", "1024", "4096"):
        table["svd_" + name] = la.svd
    for n in (64, 256, 512, 1024, 2048, 4096):
        table["cholesky_%d" % n] = la.cholesky
        table["qr_%d" % n] = la.qr
        table["lu_%d" % n] = la.lu
        table["eigh_%d" % n] = la.eigh
    return table
