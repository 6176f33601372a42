#!/usr/bin/env python3
"""Every row of rows.py through vkrun and through XLA (JAX) and torch in one run, on the folder that pack.py made.

    python3 FOLDER/bench_gpu.py [options]

Writes results.jsonl, table.md and roofline.svg. It needs NumPy; a peer that is not installed is named as such in its
column. Each row runs --warm-up seconds, then --seconds seconds are timed, for all alike: queued calls with one wait.
"""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
import traceback

import check
import inputs
import ours
import peers
import roofline
import rows
import table

ROOFS = ("peak_copy", "peak_f32", "matmul_8192_f16")
WIDTHS = {"f16": 2, "bf16": 2, "f32": 4, "s32": 4, "u32": 4, "f64": 8, "s64": 8, "u64": 8, "c64": 8}


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="REGEX", help="rows whose names match; those that measure the roofs always run")
    parser.add_argument("--no-peers", action="store_true", help="vkrun alone")
    parser.add_argument("--peers", default="xla,torch", help="which (default: xla,torch)")
    parser.add_argument("--beside", metavar="FOLDER", help="what bench-gpu-pack made at another commit, on the same inputs, in turns")
    parser.add_argument("--check", action="store_true", help="compare the results with f64 references; wrong ones fail")
    parser.add_argument("--warm-up", type=float, default=0.3, metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--pause", type=float, default=3, metavar="SECONDS", help="after a process that held over 100 MiB (default: 3)")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="start no row after so long; the results are written")
    parser.add_argument("--compile-threads", type=int, default=os.cpu_count(), metavar="N",
                        help="in which XLA compiles before all else (default: one a core); 1 for its times alone")
    parser.add_argument("--out", help="where results go (default: the folder itself)")
    parser.add_argument("--scratch", help="for inputs and results, 4 GiB at most (default: the system's)")
    args = parser.parse_args()
    args.rest = ours.Rest(args.pause)
    return args


def load_peers(wanted, graphs, threads):
    """Peers by name, or why there is none."""
    found = {}
    for kind in peers.PEERS:
        if kind.name not in wanted:
            continue
        try:
            found[kind.name] = kind()
        except ImportError as error:
            found[kind.name] = "not installed"
            print("%s is not there: %s" % (kind.name, error), file=sys.stderr)
            continue
        start = time.perf_counter()
        found[kind.name].prepare(graphs, threads)
        print("%s %s on %s, prepared in %.1f s" % (kind.name, found[kind.name].version, found[kind.name].device,
                                                   time.perf_counter() - start), file=sys.stderr)
    return found


def size(tensors):
    total = 0
    for t in tensors:
        count = 1
        for n in t["shape"]:
            count *= n
        total += count * WIDTHS.get(t["type"], 1)
    return total


def measure_peer(peer, row, entry, arrays, args, held):
    if isinstance(peer, str):
        return {"absent": peer}
    try:
        args.rest.before(held)
        return peer.measure(row, entry, arrays, args)
    except peers.Missing:
        return {"absent": "-"}
    except Exception as error:  # a peer that fails is no reason to lose the other rows
        return {"failed": "%s: %s" % (type(error).__name__, str(error).split("\n")[0][:200])}


def check_row(folder, row, entry, arrays, files, scratch, xla):
    try:
        error, bound = check.check(row, entry, arrays, ours.results(folder, row, files, scratch), xla)
    except check.NoReference as reason:
        return {"none": str(reason)}
    return {"error": error, "bound": bound, "is_wrong": not error <= bound}


def beside(folder, row, files, args, us, held):
    """Times of the other folder's program in turns with ours, or why there are none."""
    if not os.path.exists("%s/bundles/%s.vkb" % (args.beside, row.graph)):
        return {"absent": "-"}
    try:
        return ours.beside(folder, args.beside, row, files, args, us, held)
    except ours.Failed as error:  # the other program's limits are no failure of this one, which ran
        return {"failed": str(error)}


def measure_row(folder, row, entry, found, args, scratch):
    result = {"work": row.name, "title": row.title, "inputs": list(row.inputs)}
    if "error" in entry:
        return dict(result, failed=entry["error"])
    moved_once = size(entry["params"]) + size(entry["results"])
    try:
        arrays = inputs.make(row, entry["params"])
        files = inputs.write(arrays, entry["params"], scratch)
        result.update(ours.measure(folder, row, files, args, moved_once))
        if args.beside and not row.wait:
            result["beside"] = beside(folder, row, files, args, result["us"], moved_once)
        xla = found.get("xla")
        if args.check:
            result["check"] = check_row(folder, row, entry, arrays, files, scratch, None if isinstance(xla, str) else xla)
    except ours.Failed as error:
        return dict(result, failed=str(error))
    shapes = [p["shape"] for p in entry["params"]]
    flops = row.flops(shapes) if row.flops else result["counted_flops"]
    result.update(
        kernels=entry["kernels"], compile_s=entry["compile_s"], bundle_bytes=entry["bundle_bytes"], reach_us=row.reach,
        bytes=moved_once, flops=flops, gb_s=moved_once / result["us"] / 1e3, gflop_s=flops / result["us"] / 1e3,
        peers={name: measure_peer(peer, row, entry, arrays, args, moved_once) for name, peer in found.items()},
    )
    times = [p["us"] for p in result["peers"].values() if "us" in p]
    result["ratio"] = min(times) / result["us"] if times else None
    return result


def chosen(graphs, only):
    return [row for row in rows.ROWS if row.graph in graphs and (not only or row.name in ROOFS or re.search(only, row.name))]


def head(results, found, args, manifest):
    """What the table says first."""
    device = next((r["device"] for r in results if "device" in r), "no device")
    lines = ["%s, bundles for %s; queued calls, %g s to warm up, %g s timed." % (device, manifest["target"], args.warm_up, args.seconds)]
    for name, peer in found.items():
        lines.append("%s: %s" % (name, peer if isinstance(peer, str) else "%s on %s" % (peer.version, peer.device)))
    if not isinstance(found.get("xla", ""), str):
        lines.append("XLA compiled in %d threads: its compile times are those beside others." % args.compile_threads)
    lines.append("GB/s: operands read and results written once. Error: relative to the largest value, or the residual.")
    return lines


def write_all(out, results, found, args, manifest):
    lines = head(results, found, args, manifest)
    table.write(out + "/table.md", lines, results)
    picture = roofline.draw(results, lines[0])
    if picture is None:
        return "no roofline: a row of %s failed" % ", ".join(ROOFS)
    with open(out + "/roofline.svg", "w") as file:
        file.write(picture)
    return None


def run_rows(folder, wanted, manifest, found, args, jsonl):
    results, start = [], time.perf_counter()
    for row in wanted:
        if args.limit and time.perf_counter() - start > args.limit:
            print("stopped by --limit before " + row.name, file=sys.stderr)
            break
        scratch = tempfile.mkdtemp(prefix="bench-gpu-", dir=args.scratch)
        try:
            result = measure_row(folder, row, manifest["graphs"][row.graph], found, args, scratch)
        except Exception as error:  # one row's, and none of those before and after
            traceback.print_exc()
            result = {"work": row.name, "title": row.title, "failed": "%s: %s" % (type(error).__name__, error)}
        finally:
            shutil.rmtree(scratch)
        results.append(result)
        jsonl.write(json.dumps(result) + "\n")
        jsonl.flush()
        cells = table.line(result)
        print("%-32s %s" % (row.name, " | ".join(cells[1:10] + cells[-2:])), flush=True)
    return results


def main():
    args = options()
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(folder + "/manifest.json") as file:
        manifest = json.load(file)
    wanted = chosen(manifest["graphs"], args.only)
    if not any(not args.only or re.search(args.only, row.name) for row in wanted):
        sys.exit("bench_gpu.py: no row of this folder matches " + (args.only or "any"))
    out = args.out or folder
    os.makedirs(out, exist_ok=True)
    graphs = {row.graph: manifest["graphs"][row.graph] for row in wanted if "error" not in manifest["graphs"][row.graph]}
    found = {} if args.no_peers else load_peers(args.peers.split(","), graphs, args.compile_threads)
    with open(out + "/results.jsonl", "w") as jsonl:
        results = run_rows(folder, wanted, manifest, found, args, jsonl)
    problem = write_all(out, results, found, args, manifest)
    failed = [r["work"] for r in results if "failed" in r or r.get("check", {}).get("is_wrong")]
    print("%d rows, %s/table.md, results.jsonl, roofline.svg" % (len(results), out))
    if problem:
        print(problem)
    if failed:
        print("failed: " + ", ".join(failed))
    sys.exit(bool(failed or problem))


if __name__ == "__main__":
    main()
