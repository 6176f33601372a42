"""Training steps and loops in NumPy, written by hand as one would: each maker returns a function that makes one step."""
import numpy as np

rng = np.random.default_rng(1)


def f32(*shape):
    return (rng.random(shape) * 0.1).astype(np.float32)


def mlp_step():
    """784-128-10, batch 32, SGD: test/graphs/mnist_step_sgd.json."""
    w1, b1, w2, b2, x, y = f32(784, 128), f32(128), f32(128, 10), f32(10), f32(32, 784), f32(32, 10)

    def step():
        nonlocal w1, b1, w2, b2
        h = np.tanh(x @ w1 + b1)
        z = h @ w2 + b2
        e = np.exp(z - z.max(1, keepdims=True))
        d = (e / e.sum(1, keepdims=True) - y) / np.float32(32)
        dh = (d @ w2.T) * (1 - h * h)
        w2, b2 = w2 - np.float32(0.1) * (h.T @ d), b2 - np.float32(0.1) * d.sum(0)
        w1, b1 = w1 - np.float32(0.1) * (x.T @ dh), b1 - np.float32(0.1) * dh.sum(0)

    return step


def patches(x):
    """3x3 with a stride of 2, as rows: (n, c, h, w) to (n, h/2, w/2, c * 9)."""
    h = x.shape[2]
    low = 0 if h % 2 == 0 else 1
    x = np.pad(x, ((0, 0), (0, 0), (low, 1), (low, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    n, c, a, b = windows.shape[:4]
    return np.ascontiguousarray(windows.transpose(0, 2, 3, 1, 4, 5)).reshape(n * a * b, c * 9), (n, c, a, b)


def unpatch(d, shape, h):
    """The gradient of the image, from that of its patches."""
    n, c, a, b = shape
    low = 0 if h % 2 == 0 else 1
    d = d.reshape(n, a, b, c, 3, 3).transpose(0, 3, 4, 5, 1, 2)
    x = np.zeros((n, c, h + low + 1, h + low + 1), np.float32)
    for i in range(3):
        for j in range(3):
            x[:, :, i : i + 2 * a : 2, j : j + 2 * b : 2] += d[:, :, i, j]
    return x[:, :, low : low + h, low : low + h]


def cnn_step():
    """28x28, batch 32, two convolutions, a pool, a dense layer, AdamW: cnn_mnist_step_adamw.json."""
    p = [f32(9, 16), f32(16), f32(144, 32), f32(32), f32(288, 10), f32(10)]
    m, v = [np.zeros_like(a) for a in p], [np.zeros_like(a) for a in p]
    x, y = f32(32, 1, 28, 28), f32(32, 10)
    count = 0

    def step():
        nonlocal count
        c1, s1 = patches(x)
        a1 = np.maximum(c1 @ p[0] + p[1], 0)
        x2 = a1.reshape(32, 14, 14, 16).transpose(0, 3, 1, 2)
        c2, s2 = patches(x2)
        a2 = np.maximum(c2 @ p[2] + p[3], 0)
        tiles = a2.reshape(32, 7, 7, 32)[:, :6, :6].reshape(32, 3, 2, 3, 2, 32)
        pool = tiles.max((2, 4))
        flat = pool.transpose(0, 3, 1, 2).reshape(32, 288)
        z = flat @ p[4] + p[5]
        e = np.exp(z - z.max(1, keepdims=True))
        d = (e / e.sum(1, keepdims=True) - y) / np.float32(32)
        dpool = (d @ p[4].T).reshape(32, 32, 3, 3).transpose(0, 2, 3, 1)
        da2 = np.zeros((32, 7, 7, 32), np.float32)
        best = tiles == pool[:, :, None, :, None]
        da2[:, :6, :6] = (best * dpool[:, :, None, :, None]).reshape(32, 6, 6, 32)
        da2 = da2.reshape(-1, 32) * (a2 > 0)
        da1 = unpatch(da2 @ p[2].T, s2, 14).transpose(0, 2, 3, 1).reshape(-1, 16) * (a1 > 0)
        g = [c1.T @ da1, da1.sum(0), c2.T @ da2, da2.sum(0), flat.T @ d, d.sum(0)]
        count += 1
        for i in range(6):
            m[i] = np.float32(0.9) * m[i] + np.float32(0.1) * g[i]
            v[i] = np.float32(0.999) * v[i] + np.float32(0.001) * g[i] * g[i]
            mh, vh = m[i] / np.float32(1 - 0.9**count), v[i] / np.float32(1 - 0.999**count)
            p[i] = p[i] - np.float32(2e-3) * (mh / (np.sqrt(vh) + np.float32(1e-8)) + np.float32(1e-2) * p[i])

    return step


def dense_step():
    """784-512-512-10, batch 128, SGD: mlp_step of peers.exs."""
    sizes = (784, 512, 512, 10)
    w = [f32(i, o) for i, o in zip(sizes, sizes[1:])]
    b = [f32(o) for o in sizes[1:]]
    x, y = f32(128, 784), f32(128, 10)

    def step():
        layers = [x]
        for i in range(3):
            z = layers[-1] @ w[i] + b[i]
            layers.append(np.maximum(z, 0) if i < 2 else z)
        e = np.exp(layers[3] - layers[3].max(1, keepdims=True))
        d = (e / e.sum(1, keepdims=True) * y.sum(1, keepdims=True) - y) / np.float32(128)
        for i in (2, 1, 0):
            gw, gb = layers[i].T @ d, d.sum(0)
            if i:
                d = (d @ w[i].T) * (layers[i] > 0)
            w[i], b[i] = w[i] - np.float32(0.01) * gw, b[i] - np.float32(0.01) * gb

    return step


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm():
    """128 steps of 32 x 256: lstm of peers.exs."""
    wx, wh, b, x = f32(64, 1024), f32(256, 1024), f32(1024), f32(32, 128, 64)

    def loop():
        xs = x @ wx + b
        h = c = np.zeros((32, 256), np.float32)
        for i in range(128):
            z = xs[:, i] + h @ wh
            c = sigmoid(z[:, 256:512]) * c + sigmoid(z[:, :256]) * np.tanh(z[:, 512:768])
            h = sigmoid(z[:, 768:]) * np.tanh(c)

    return loop
