#!/usr/bin/env python3
"""Makes the folder that `make bench-gpu` runs: bundles, vkrun and these programs. It needs no GPU.

    pack.py BUILD OUT GRAPHS TARGET

BUILD has vkcompile and vkrun, GRAPHS what test/bench/peers.exs wrote. OUT can be copied to a machine that has a GPU and
neither Elixir nor shaderc. What a compile takes here is in OUT/manifest.json.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time

import rows

HERE = os.path.dirname(os.path.abspath(__file__))


def compile_graph(build, graph, bundle, target, options):
    """What the manifest says of it."""
    command = [build + "/vkcompile", "--stats", "--target=" + target, *options, graph, "-o", bundle]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    entry = {"compile_s": time.perf_counter() - start}
    if done.returncode:
        return {"error": "vkcompile: " + (done.stderr.strip().splitlines() or ["exit %d" % done.returncode])[-1]}
    kernels = re.search(r"^kernels +(\d+)", done.stdout + done.stderr, re.M)
    with open(graph) as file:
        text = json.load(file)
    entry_function = text["funcs"][text["entry"]]
    outs = {node["id"]: node["outs"] for node in entry_function["nodes"]}
    entry.update(
        bundle_bytes=os.path.getsize(bundle),
        kernels=int(kernels.group(1)),
        params=entry_function["params"],
        results=[outs[node][output] for node, output in entry_function["results"]],
        donated=len(text["donations"]),
    )
    return entry


def main():
    build, out, graphs, target = sys.argv[1:]
    os.makedirs(out + "/bundles", exist_ok=True)
    wanted = {row.graph: row for row in rows.ROWS}
    found = sorted(name[:-5] for name in os.listdir(graphs) if name.endswith(".json"))
    unknown = [name for name in found if name not in wanted]
    if unknown:
        sys.exit("pack.py: no row of rows.py has these graphs: " + ", ".join(unknown))
    manifest = {"target": target, "graphs": {}}
    for name in found:
        bundle = "%s/bundles/%s.vkb" % (out, name)
        entry = compile_graph(build, "%s/%s.json" % (graphs, name), bundle, target, wanted[name].options)
        manifest["graphs"][name] = entry
        if "error" in entry:
            print("%s: %s" % (name, entry["error"]), file=sys.stderr)
    with open(out + "/manifest.json", "w") as file:
        json.dump(manifest, file, indent=1)
    shutil.copy(build + "/vkrun", out + "/vkrun")
    if shutil.which("strip"):
        subprocess.run(["strip", out + "/vkrun"], check=True)
    for name in os.listdir(HERE):
        if name.endswith(".py") and not name.endswith("_test.py"):
            shutil.copy(os.path.join(HERE, name), out)
    failed = sum("error" in entry for entry in manifest["graphs"].values())
    seconds = sum(entry.get("compile_s", 0) for entry in manifest["graphs"].values())
    print("%d bundles for %s in %s, %.1f s; %d failed" % (len(found) - failed, target, out, seconds, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
