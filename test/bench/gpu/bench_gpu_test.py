#!/usr/bin/env python3
"""`make bench-gpu` on small graphs and the device at hand: the table, the JSON and the picture have what they should, wrong
results fail, and so do rows that cannot run. bench_gpu_test.py BUILD"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

try:
    import numpy as np
except ImportError:
    print("NOT RUN: NumPy is missing (Debian: python3-numpy)")
    sys.exit(77)
import check
import ours
import peers
import roofline
import rows
import table

HERE = os.path.dirname(os.path.abspath(__file__))
passed = failed = 0


def expect(what, condition):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print("FAILED: " + what)


def bench(folder, *arguments):
    command = [sys.executable, folder + "/bench_gpu.py", "--warm-up", "0.01", "--seconds", "0.01", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def read(folder):
    with open(folder + "/results.jsonl") as file:
        return {r["work"]: r for r in map(json.loads, file)}


def test_run(folder):
    done = bench(folder, "--check", "--peers", "xla,torch")
    expect("all rows run: " + done.stdout + done.stderr, done.returncode == 0)
    results = read(folder)
    names = ["peak_copy", "matmul_8192_f16", "softmax_128", "mlp_128_b32_step", "qr_512"]
    expect("the rows of the graphs that there are, in order", list(results) == names)
    for name, r in results.items():
        expect(name + " has times", r["us"] > 0 and r["load_s"] > 0 and r["compile_s"] > 0 and r["calls"] >= 1)
        expect(name + " has kernels", r["kernels"] >= 1 and r["dispatches"] >= 1 and r["moved"] > 0)
        expect(name + " names both peers", all("us" in p or "absent" in p or "failed" in p for p in r["peers"].values())
               and sorted(r["peers"]) == ["torch", "xla"])
    copy = results["peak_copy"]
    expect("bytes are those of operands and results", copy["bytes"] == 2 * 4 * 65536 == copy["moved"])
    expect("a rate is bytes by time", math.isclose(copy["gb_s"], copy["bytes"] / copy["us"] / 1e3))
    expect("flops of a product", results["matmul_8192_f16"]["flops"] == 2 * 96**3)
    expect("errors have bounds", 0 < results["qr_512"]["check"]["error"] <= results["qr_512"]["check"]["bound"])
    with open(folder + "/table.md") as file:
        text = file.read()
    lines = [line for line in text.splitlines() if line.startswith("|")]
    expect("a line for each row in the table", len(lines) == 2 + len(names))
    expect("all lines have all columns", all(line.count("|") == len(table.HEAD) + 1 for line in lines))
    if "not installed" in json.dumps(results):
        expect("the table says what is not installed", "not installed" in lines[2])
    picture = ElementTree.parse(folder + "/roofline.svg").getroot()
    svg = "{http://www.w3.org/2000/svg}"
    expect("a point for each kernel of weight", len(picture.findall(svg + "circle")) == len(roofline.points(results.values())))
    words = " ".join(t.text for t in picture.iter(svg + "text"))
    expect("roofs and the slowest kernels are named", "memory " in words and "f16 product" in words and "qr_512" in words)
    for c in picture.findall(svg + "circle"):
        inside = 0 <= float(c.get("cx")) <= roofline.WIDTH and 0 <= float(c.get("cy")) <= roofline.HEIGHT
        expect("a point is inside of the picture", inside)


def test_choice(folder):
    out = folder + "/chosen"
    done = bench(folder, "--no-peers", "--only", "^soft", "--out", out)
    expect("rows are chosen: " + done.stderr, done.returncode == 0)
    expect("the roofs are measured anyway", list(read(out)) == ["peak_copy", "matmul_8192_f16", "softmax_128"])
    expect("no peers", read(out)["softmax_128"]["peers"] == {})
    expect("a choice of nothing is refused", bench(folder, "--only", "^none$").returncode == 1)
    stopped = bench(folder, "--no-peers", "--limit", "0.000001", "--out", out)
    expect("a limit ends it", "stopped by --limit" in stopped.stderr and len(read(out)) < 3)


def test_beside(folder):
    """Another folder of the same kind, one of whose bundles is not there."""
    other, out = folder + "/other", folder + "/beside"
    os.makedirs(other + "/bundles")
    shutil.copy(folder + "/vkrun", other)
    for name in ("peak_copy", "softmax_128"):
        shutil.copy("%s/bundles/%s.vkb" % (folder, name), other + "/bundles")
    with open(other + "/bundles/softmax_128.vkb", "r+b") as file:
        file.truncate(100)
    done = bench(folder, "--no-peers", "--only", "^soft", "--beside", other, "--out", out)
    expect("rows run beside another commit's: " + done.stderr, done.returncode == 0)
    times = {name: r["beside"] for name, r in read(out).items()}
    copy = times["peak_copy"]
    expect("in turns", [len(copy[name]) for name in ("other", "here")] == [ours.TURNS, ours.TURNS] and min(copy["other"] + copy["here"]) > 0)
    expect("what the other folder does not have", times["matmul_8192_f16"] == {"absent": "-"})
    expect("what cannot run there", "failed" in times["softmax_128"])
    with open(out + "/table.md") as file:
        expect("is told below the table", "rows of 128: other commit: vkrun" in file.read())


def test_failures(folder):
    """A bundle that is broken, and one that computes something else."""
    bundles = folder + "/bundles/"
    with open(bundles + "softmax_128.vkb", "r+b") as file:
        file.truncate(100)
    done = bench(folder, "--no-peers", "--only", "^soft")
    expect("a row that cannot run fails", done.returncode == 1 and "failed: softmax_128" in done.stdout)
    with open(folder + "/table.md") as file:
        expect("and the table says why", "failed: vkrun" in file.read())
    entry = json.load(open(folder + "/manifest.json"))["graphs"]["peak_copy"]
    row = next(r for r in rows.ROWS if r.name == "peak_copy")
    x = np.linspace(0, 1, 65536, dtype=np.float32)
    error, bound = check.check(row, entry, [x], [x + 1], None)
    expect("a right result is within its bound", error <= bound)
    error, bound = check.check(row, entry, [x], [x + np.float32(1.001)], None)
    expect("a wrong one is not", error > bound)
    error, bound = check.check(row, entry, [x], [np.where(x > 0.5, np.nan, x + 1)], None)
    expect("nor is NaN", not error <= bound)
    try:
        ours.vkrun(folder, folder + "/none.vkb")
        expect("vkrun's complaint is passed on", False)
    except ours.Failed as complaint:
        expect("vkrun's complaint is passed on", "none.vkb" in str(complaint))


def test_timing():
    calls = []
    us, count, first = peers.timed(lambda: calls.append(1), lambda: None, 0.01, 0.001, False)
    expect("calls are counted", count >= 1 and len(calls) > count and us > 0 and first > 0)


def main():
    folder = tempfile.mkdtemp()
    try:
        pack = [sys.executable, HERE + "/pack.py", sys.argv[1], folder, HERE + "/small", "host"]
        done = subprocess.run(pack, capture_output=True, text=True)
        expect("it packs: " + done.stderr, done.returncode == 0)
        if done.returncode == 0:
            test_run(folder)
            test_choice(folder)
            test_beside(folder)
            test_failures(folder)
        test_timing()
    finally:
        shutil.rmtree(folder)
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    sys.exit(failed > 0)


main()
