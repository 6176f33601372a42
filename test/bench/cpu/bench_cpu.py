#!/usr/bin/python3
"""The CPU device beside NumPy with its BLAS and LAPACK, in one run: README.md of this folder.

    bench_cpu.py BUILD GRAPHS [--only=REGEX] [--rounds=N] [--seconds=S]

BUILD has vkcompile and vkrun, GRAPHS what test/bench/peers.exs wrote with CPU=1.
"""
import argparse
import ctypes
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import types

try:
    import numpy as np
except ImportError:
    sys.exit("NOT RUN: NumPy is missing (Debian: python3-numpy libopenblas0); nothing was compared")

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "gpu"))
import inputs  # noqa: E402
import ours  # noqa: E402
import pack  # noqa: E402
import steps  # noqa: E402
import twins  # noqa: E402

SIZES = (64, 256, 512)
# a row of linear algebra: its inputs, and NumPy's function that calls the same routine of LAPACK
LINEAR = {
    "cholesky": (("spd",), np.linalg.cholesky),
    "lu": (("normal",), np.linalg.slogdet),  # getrf, and n logarithms
    "qr": (("normal",), np.linalg.qr),
    "solve": (("normal",), np.linalg.solve),
    "eigh": (("symmetric",), np.linalg.eigh),
    "svd": (("normal",), np.linalg.svd),
}
STEPS = {
    "mlp_512_b128_step": steps.dense_step,
    "lstm_256_t128": steps.lstm,
    "mnist_step_sgd": steps.mlp_step,
    "cnn_mnist_step_adamw": steps.cnn_step,
}


def rows():
    """(name, inputs, a function of NumPy of the same inputs; None: of STEPS, on inputs of its own)."""
    for name in ("256_f32", "512_f32", "1024_f32", "2048_f32", "512_f64"):
        yield "matmul_" + name, ("normal",), lambda a, b: a @ b
    for name in STEPS:
        yield name, ("weights",) * 6 + ("normal",), None
    yield "elementwise_2e20", ("normal",), lambda a, b: b / (1 + np.exp(-(a * b + a)))
    yield "softmax_1024", ("normal",), lambda x: twins.softmax(np, x)
    yield "sum_1024", ("normal",), lambda x: x.sum(1)
    yield "cumulative_sum_1024", ("normal",), lambda x: np.cumsum(x, 1)
    yield "sort_2e20", ("normal",), np.sort
    yield "sort_1024", ("normal",), lambda x: np.sort(x, 1)
    yield "fft_1024", ("normal",), np.fft.fft
    for kind, (given, function) in LINEAR.items():
        for size in SIZES:
            for width in ("f32", "f64"):
                yield "%s_%d_%s" % (kind, size, width), given, function


def blas():
    """The library that NumPy has loaded, and which of its kernels runs, if it says."""
    with open("/proc/self/maps") as maps:
        files = {os.path.realpath(line.split()[-1]) for line in maps if "blas" in line and "/" in line}
    kernel = ""
    for file in files:
        library = ctypes.CDLL(file)
        if hasattr(library, "openblas_get_config"):
            library.openblas_get_config.restype = library.openblas_get_corename.restype = ctypes.c_char_p
            kernel = "; %s, kernels of %s, %d threads" % (
                library.openblas_get_config().decode().split(" USE")[0],
                library.openblas_get_corename().decode(),
                library.openblas_get_num_threads(),
            )
    return ", ".join(sorted(os.path.basename(f) for f in files)) + kernel


def theirs(step, seconds):
    """Of one call."""
    calls, start = 0, time.perf_counter()
    while calls < 2 or time.perf_counter() - start < seconds:
        step()
        calls += 1
    return (time.perf_counter() - start) / calls


def measure(name, given, peer, args, folder):
    """The ratios of the rounds, and the fastest time of each side."""
    graph = "%s/%s.json" % (args.graphs, name)
    if not os.path.exists(graph):
        graph = os.path.join(HERE, "..", "..", "graphs", name + ".json")
    bundle = folder + "/bundle.vkb"
    entry = pack.compile_graph(args.build, graph, bundle, "host", ())
    if "error" in entry:
        raise ours.Failed(entry["error"])
    files = ["--random", "1"]
    if peer:
        row = types.SimpleNamespace(inputs=given)
        arrays = inputs.make(row, entry["params"])
        files = inputs.write(arrays, entry["params"], folder)
        step = lambda: peer(*arrays)  # noqa: E731
    else:
        step = STEPS[name]()
    timing = ["--warm-up", str(args.seconds / 2), "--seconds", str(args.seconds)]
    step()
    ratios, here, there = [], [], []
    for _ in range(args.rounds):
        there.append(theirs(step, args.seconds))
        here.append(ours.vkrun(args.build, *timing, bundle, *files)["seconds_per_run"])
        ratios.append(here[-1] / there[-1])
    return entry["kernels"], min(here), min(there), ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("graphs")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose names match")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each side in each round")
    args = parser.parse_args()
    wanted = [row for row in rows() if re.search(args.only, row[0])]
    if not wanted:
        sys.exit("bench_cpu.py: no row matches " + args.only)
    print("NumPy %s with %s" % (np.__version__, blas()))
    if "openblas" not in blas():
        print("NOT OPENBLAS: NumPy's products and linear algebra are slow with this BLAS (Debian: libopenblas0)")
    print(subprocess.run([args.build + "/vkrun", "--list-devices"], check=True, capture_output=True, text=True).stdout.strip())
    print("%-22s %7s %12s %12s %9s %9s" % ("", "kernels", "here", "NumPy", "fastest", "median"))
    failed = 0
    for name, given, peer in wanted:
        with tempfile.TemporaryDirectory() as folder:
            try:
                kernels, here, there, ratios = measure(name, given, peer, args, folder)
            except ours.Failed as reason:
                print("%-22s %s" % (name, reason), flush=True)
                failed += 1
                continue
        print("%-22s %7d %9.0f us %9.0f us %9.2f %9.2f" % (
            name, kernels, here * 1e6, there * 1e6, here / there, statistics.median(ratios)), flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
