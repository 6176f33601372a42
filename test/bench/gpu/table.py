"""Results as a table in Markdown."""

HEAD = ["work", "here us", "XLA us", "torch us", "other commit us", "here, in turns us", "fastest peer / here", "to reach us", "GB/s", "GFLOP/s", "kernels", "dispatches",
        "MB moved", "compile ms", "load ms", "first ms", "XLA compile s", "error", "bound"]


def number(x, digits=3):
    """Three digits, and all before the point."""
    if x is None:
        return ""
    if x == 0:
        return "0"
    if abs(x) < 1e-3 or abs(x) >= 1e9:
        return "%.1e" % x
    whole = len(str(int(abs(x)))) if abs(x) >= 1 else 0
    return "%.*f" % (max(0, digits - whole), x)


def scaled(x, factor):
    return None if x is None else x * factor


def peer_cell(result, name):
    """Its time, or why there is none."""
    peer = result.get("peers", {}).get(name)
    if peer is None:
        return ""
    return number(peer["us"]) if "us" in peer else peer.get("absent") or "failed"


def beside_cells(result):
    """The least times of the other commit's program and of this one's, in turns."""
    times = result.get("beside", {})
    if "here" in times:
        return [number(min(times["other"])), number(min(times["here"]))]
    return [times.get("absent", "failed" if "failed" in times else ""), ""]


def line(result):
    if "failed" in result:
        return [result["title"], "failed: " + result["failed"].replace("|", "/")] + [""] * (len(HEAD) - 2)
    error = result.get("check", {})
    ratio = result.get("ratio")
    return [
        result["title"],
        number(result["us"]),
        peer_cell(result, "xla"),
        peer_cell(result, "torch"),
        *beside_cells(result),
        "" if ratio is None else ("**%.2f**" if ratio >= 1 else "%.2f") % ratio,
        number(result["reach_us"]),
        number(result["gb_s"]),
        number(result["gflop_s"]),
        number(result["kernels"]),
        number(result["dispatches"]),
        number(result["moved"] / 1e6),
        number(scaled(result["compile_s"], 1e3)),
        number(result["load_s"] * 1e3),
        number(result["first_s"] * 1e3),
        number(result.get("peers", {}).get("xla", {}).get("compile_s")),
        number(error.get("error")) if "error" in error else error.get("none", ""),
        number(error.get("bound")),
    ]


def write(path, head, results):
    """`head` has what was measured where: lines before the table. Errors beyond their bounds are listed below it."""
    with open(path, "w") as file:
        file.write("\n".join(head) + "\n\n")
        file.write("| " + " | ".join(HEAD) + " |\n|" + " --- |" * len(HEAD) + "\n")
        for result in results:
            file.write("| " + " | ".join(line(result)) + " |\n")
        notes = []
        for result in results:
            notes += ["%s: %s: %s" % (result["title"], name, peer["failed"]) for name, peer in result.get("peers", {}).items() if "failed" in peer]
            if "failed" in result.get("beside", {}):
                notes.append("%s: other commit: %s" % (result["title"], result["beside"]["failed"]))
            if result.get("check", {}).get("is_wrong"):
                notes.append("%s: the error is beyond its bound" % result["title"])
        file.write("".join("\n- " + note for note in notes) + ("\n" if notes else ""))
