"""vkrun on a bundle: times, what its kernels did, its results."""
import json
import os
import subprocess
import time

import numpy as np

import inputs


class Failed(Exception):
    pass


def vkrun(folder, *arguments, limit_s=300):
    """What it prints as JSON."""
    command = [folder + "/vkrun", "--trusted", "--cache", "", "--json", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise Failed("vkrun took over %d s" % limit_s)
    if done.returncode:
        raise Failed((done.stderr.strip().splitlines() or ["vkrun: exit %d" % done.returncode])[-1])
    return json.loads(done.stdout)


class Rest:
    """Waits after a process that held much memory: the driver clears what it gave back beside whatever runs next, for some
    seconds, in which rows that memory bounds take up to four times as long."""

    MUCH = 100 << 20

    def __init__(self, seconds):
        self.seconds = seconds
        self.is_due = False

    def before(self, held):
        if self.is_due:
            time.sleep(self.seconds)
        self.is_due = held > self.MUCH


def measure(folder, row, files, options, held):
    """The time of a call; then, in a run of its own, those of the kernels: their timestamps cost something. `held`
    is how many bytes its tensors have."""
    bundle = "%s/bundles/%s.vkb" % (folder, row.graph)
    each = ["--wait"] if row.wait else []
    for_times = ["--warm-up", str(options.warm_up), "--seconds", str(options.seconds)]
    options.rest.before(held)
    plain = vkrun(folder, *for_times, *each, bundle, *files)
    result = {
        "us": plain["seconds_per_run"] * 1e6,
        "calls": plain["timed_runs"],
        "load_s": plain["load_seconds"],
        "first_s": plain["first_seconds"],
        "device": plain["device"],
    }
    options.rest.before(held)
    timed = vkrun(folder, "--times", *for_times, bundle, *files)
    calls = timed["timed_runs"]
    kernels = [
        {
            "name": k["name"],
            "label": k["label"],
            "dispatches": k["runs"] / calls,
            "us": k["seconds"] * 1e6 / calls,
            "moved": k["bytes"] * k["runs"] / calls,
            "flops": k["flops"] * k["runs"] / calls,
        }
        for k in timed["kernels"]
        if k["runs"]
    ]
    result.update(
        dispatches=sum(k["dispatches"] for k in kernels),
        moved=sum(k["moved"] for k in kernels),
        counted_flops=sum(k["flops"] for k in kernels),
        kernel_times=kernels,
    )
    return result


TURNS = 2
BESIDE_LIMIT_S = 30  # of another commit's run, which may be one that does not end in an hour
FEW_MS = 10  # two runs tell the number of repeats where one takes as long; where not, a run that is cold would hide it


def beside(folder, other, row, files, options, here_us, held):
    """Microseconds of a call of the other folder's program and of ours, in turns, TURNS each. Both only repeat, which any
    commit's vkrun can, each as often as fits into the time to warm up and to measure."""

    def run(place, repeats):
        bundle = "%s/bundles/%s.vkb" % (place, row.graph)
        options.rest.before(held)
        return vkrun(place, "--repeat", str(repeats), bundle, *files, limit_s=BESIDE_LIMIT_S)["seconds_per_run"] * 1e6

    other_us = run(other, 2)
    if other_us < FEW_MS * 1e3:
        other_us = run(other, 50)
    times = {"other": [], "here": []}
    for _ in range(TURNS):
        for name, place, us in (("other", other, other_us), ("here", folder, here_us)):
            times[name].append(run(place, max(2, int((options.warm_up + options.seconds) * 1e6 / us))))
    return times


def results(folder, row, files, scratch):
    """The outputs of one run, as arrays."""
    bundle = "%s/bundles/%s.vkb" % (folder, row.graph)
    out = os.path.join(scratch, "out")
    said = vkrun(folder, "--out", out, bundle, *files)
    arrays = []
    for i, tensor in enumerate(said["outputs"]):
        x = np.load("%s/%s.npy" % (out, tensor["name"] or "out%d" % i))
        if tensor["type"] == "bf16":
            x = inputs.from_bf16(x.view(np.uint16)).reshape(tensor["dims"])
        arrays.append(x)
    return arrays
