#!/usr/bin/env python3
"""How compile time and memory grow with the graph: `make scale`.

    measure.py VKCOMPILE [NODES ...]

Each graph of graphs.py at each size (1000, 3000, 10000, 30000, 100000), one thread, for nvidia: CPU seconds and peak
memory of the process, and how many kernel bodies were written. The exponents are those of a power of the number of
nodes, over all sizes from 3000 on: of the whole, and of what is above the smallest size. The second leaves a fixed cost
out, and with it what distinct kernels cost once; it is large where the rest is a fraction of a second.
"""
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
import graphs  # noqa: E402


def compile_graph(vkcompile, path, out):
    """CPU seconds, bytes at most, and the statistics."""
    options = ["--quiet", "--no-cache", "--text", "--threads=1", "--target=nvidia", "--stats"]
    command = [vkcompile, *options, path, "-o", out]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as p:
        text = p.stdout.read()
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        sys.exit(f"{path}: exit status {p.returncode}\n{text}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, text


def number(text, name):
    return int(re.search(rf"^{name} +(\d+)", text, re.M)[1])


def exponent(rows, smallest, column):
    """The slope of a line through the logarithms."""
    points = [(math.log(r[0]), math.log(max(r[column] - smallest[column], 1e-3))) for r in rows]
    mean = [sum(p[i] for p in points) / len(points) for i in (0, 1)]
    return sum((x - mean[0]) * (y - mean[1]) for x, y in points) / sum((x - mean[0]) ** 2 for x, _ in points)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    vkcompile, sizes = sys.argv[1], [int(n) for n in sys.argv[2:]] or [1000, 3000, 10000, 30000, 100000]
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in graphs.KINDS.items():
            rows = []
            for nodes in sizes:
                graph = graphs.Graph()
                path = f"{folder}/{kind}.t"
                with open(path, "w", encoding="ascii") as f:
                    f.write(graph.text(make(graph, nodes)))
                seconds, peak, text = compile_graph(vkcompile, path, f"{folder}/out.vkb")
                rows.append((graph.count, seconds, peak / 2**20))
                print(f"{kind:14} {graph.count:7} nodes {seconds:7.2f} s {peak / 2**20:6.0f} MiB "
                      f"{number(text, 'kernels'):6} kernels {number(text, 'bodies'):6} bodies written "
                      f"{os.path.getsize(folder + '/out.vkb'):9} bytes of bundle", flush=True)
            large = [r for r in rows if r[0] > 1.5 * sizes[0] and r[0] >= 3000]
            if len(large) > 1:
                nothing = (0, 0, 0)
                print(f"{kind:14} grows with the power {exponent(large, nothing, 1):.2f} (time), "
                      f"{exponent(large, nothing, 2):.2f} (memory); above the smallest size "
                      f"{exponent(large, rows[0], 1):.2f}, {exponent(large, rows[0], 2):.2f}")


if __name__ == "__main__":
    main()
