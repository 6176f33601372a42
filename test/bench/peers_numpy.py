#!/usr/bin/python3
"""Matrix products and training steps on the CPU device, next to NumPy in the same run.

    make && /usr/bin/python3 test/bench/peers_numpy.py [BUILD_FOLDER]

NumPy calls the BLAS that it finds. Debian's python3-numpy comes with the reference BLAS; with
libopenblas0 it is OpenBLAS. The BLAS is printed, since a ratio to another one means little. Both
sides take turns, ROUNDS times, and the fastest time counts. Both sides use all cores.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    sys.exit("NOT RUN: NumPy is missing (Debian: python3-numpy libopenblas0); nothing was compared")

ROUNDS = 5
BUILD = sys.argv[1] if len(sys.argv) > 1 else "_build"
GRAPHS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "graphs")
rng = np.random.default_rng(1)


def f32(*shape):
    return (rng.random(shape) * 0.1).astype(np.float32)


def blas():
    """The library that NumPy has loaded."""
    with open("/proc/self/maps") as maps:
        files = {line.split()[-1] for line in maps if "blas" in line}
    return ", ".join(sorted({os.path.basename(os.path.realpath(f)) for f in files if "/" in f}))


# ---- the same steps in NumPy


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


def product(m, n, k, turned):
    a, b = f32(m, k), f32(n, k) if turned else f32(k, n)
    return (lambda: a @ b.T) if turned else (lambda: a @ b)


def graph_of_product(m, n, k, turned):
    def node(i, op, ins, shape, attrs):
        outs = '[{"type":"f32","shape":[%d,%d]}]' % shape
        return '{"id":%d,"op":"%s","ins":%s,"outs":%s,"attrs":%s}' % (i, op, ins, outs, attrs)

    right = (n, k) if turned else (k, n)
    attrs = '{"contract_a":[1],"contract_b":[%d],"batch_a":[],"batch_b":[]}' % turned
    nodes = [
        node(0, "parameter", "[]", (m, k), '{"index":0}'),
        node(1, "parameter", "[]", right, '{"index":1}'),
        node(2, "dot", "[[0,0],[1,0]]", (m, n), attrs),
    ]
    params = ",".join('{"type":"f32","shape":[%d,%d]}' % s for s in ((m, k), right))
    return (
        '{"schema":"nx.vulkan.graph/1","nx":"0.13.1","producer":"bench","name":"product","entry":0,"funcs":'
        '[{"params":[%s],"nodes":[%s],"results":[[2,0]]}],"literals":[],"donations":[],"callbacks":0}'
        % (params, ",".join(nodes))
    )


# ---- measuring


def compiled(folder, name, graph):
    bundle = os.path.join(folder, name + ".vkb")
    subprocess.run(
        [BUILD + "/vkcompile", "--quiet", "--target=host", graph, "-o", bundle], check=True, stdout=subprocess.DEVNULL
    )
    return bundle


def ours(bundle, calls):
    run = [BUILD + "/vkrun", "--trusted", "--random", "1", "--repeat", str(calls), bundle]
    text = subprocess.run(run, check=True, capture_output=True, text=True)
    return float(re.search(r"then ([\d.]+) us each", text.stdout + text.stderr).group(1)) * 1e-6


def theirs(step, calls):
    step()
    start = time.perf_counter()
    for _ in range(calls):
        step()
    return (time.perf_counter() - start) / calls


def compare(name, bundle, step, flops=0):
    calls = max(2, min(400, int(0.3 / max(theirs(step, 2), 1e-5))))
    here, there = 1e9, 1e9
    for _ in range(ROUNDS):
        here, there = min(here, ours(bundle, calls)), min(there, theirs(step, calls))
    line = "%-28s %10.0f us %10.0f us %8.2f" % (name, here * 1e6, there * 1e6, here / there)
    if flops:
        line += "   %6.1f %6.1f GFLOP/s, %3.0f %%" % (flops / here / 1e9, flops / there / 1e9, 100 * there / here)
    print(line, flush=True)


def main():
    print("NumPy %s with %s" % (np.__version__, blas()))
    if "openblas" not in blas():
        print("NOT OPENBLAS: products and steps of NumPy are slow with this BLAS (Debian: libopenblas0)")
    devices = subprocess.run([BUILD + "/vkrun", "--list-devices"], check=True, capture_output=True, text=True)
    print(devices.stdout.strip())
    print("%-28s %13s %13s %8s" % ("", "here", "NumPy", "times"))
    with tempfile.TemporaryDirectory() as folder:
        for size in (128, 256, 512, 1024):
            for turned in (0, 1):
                name = "product %d%s" % (size, ", right side turned" if turned else "")
                path = os.path.join(folder, "product.json")
                with open(path, "w") as file:
                    file.write(graph_of_product(size, size, size, turned))
                bundle = compiled(folder, "product", path)
                compare(name, bundle, product(size, size, size, turned), 2 * size**3)
        for name, step in (("mnist_step_sgd", mlp_step), ("cnn_mnist_step_adamw", cnn_step)):
            compare(name, compiled(folder, name, os.path.join(GRAPHS, name + ".json")), step())


main()
