"""What is known about the mutants of a commit: a line of JSON for each that was judged, the latest counts."""
import json
import os
import threading


class State:
    def __init__(self, folder):
        self.folder = folder
        self.path = f"{folder}/results.jsonl"
        self.lock = threading.Lock()
        self.results = {}
        os.makedirs(folder, exist_ok=True)
        if os.path.exists(self.path):
            with open(self.path, "r+") as f:
                text = f.read()
                whole = text[:text.rfind("\n") + 1]  # the last line may have been cut off
                f.truncate(len(whole.encode()))
            for line in whole.splitlines():
                self._take(json.loads(line))

    def _take(self, result):
        self.results[result["id"]] = result

    def add(self, result):
        with self.lock:
            self._take(result)
            with open(self.path, "a") as f:
                f.write(json.dumps(result) + "\n")

    def of_area(self, area):
        return [r for r in self.results.values() if r["area"] == area]


def squeeze(text):
    return " ".join(text.split())


def read_equivalents(path):
    """{(file, old line, new line): proof}."""
    found = {}
    if os.path.exists(path):
        with open(path) as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    fields = line.rstrip("\n").split("\t")
                    if len(fields) != 4 or not fields[3].strip():
                        fields = "a file, the old text, the new text and the proof, with tabs between"
                        raise SystemExit(f"{path}: a line is {fields}:\n{line}")
                    found[fields[0], squeeze(fields[1]), squeeze(fields[2])] = fields[3]
    return found


def is_equivalent(result, equivalents):
    _, old, new = result["edits"][0]
    return (result["path"], squeeze(old), squeeze(new)) in equivalents


def describe(result):
    n, old, new = result["edits"][0]
    more = len(result["edits"]) - 1
    return f"{result['path']}:{n}: `{squeeze(old)}` -> `{squeeze(new)}`" + (f" (and {more} more lines)" if more else "")


def unjudged(result):
    """What is said of a survivor that some suites have not judged."""
    left = result.get("left", 0)
    return f" ({left} {'suite has' if left == 1 else 'suites have'} not judged it)" if left else ""


def report(state, areas, equivalents):
    """The score by area, and the survivors, as text; and whether every area has enough of both."""
    rows, survivors, excused, causes = [], [], [], {}
    totals = [0, 0, 0, 0]
    for area in areas:
        results = state.of_area(area)
        killed = [r for r in results if r["verdict"] == "killed"]
        alive = [r for r in results if r["verdict"] == "survived"]
        equivalent = [r for r in alive if is_equivalent(r, equivalents)]
        alive = [r for r in alive if r not in equivalent]
        survivors += alive
        excused += equivalent
        for r in killed:
            causes[r["how"]] = causes.get(r["how"], 0) + 1
        counts = [len(killed), len(alive), len(equivalent), sum(r["verdict"] == "discarded" for r in results)]
        totals = [a + b for a, b in zip(totals, counts)]
        rows.append((area, *counts))
    text = [f"{'area':<12} {'judged':>6} {'killed':>6} {'alive':>6} {'equal':>6} {'score':>6}   thrown away"]
    for area, killed, alive, equal, discarded in rows + [("all", *totals)]:
        score = f"{100 * killed / (killed + alive):.0f} %" if killed + alive else "-"
        judged = killed + alive + equal
        text.append(f"{area:<12} {judged:>6} {killed:>6} {alive:>6} {equal:>6} {score:>6}   {discarded:>6}")
    text.append("killed by: " + (", ".join(f"{how} {n}" for how, n in sorted(causes.items())) or "nothing yet"))
    text.append(f"{len(survivors)} survivors" + (":" if survivors else ""))
    text += [f"- {r['id']} {describe(r)}{unjudged(r)}" for r in survivors]
    if excused:
        text.append(f"{len(excused)} called equivalent:")
        text += [f"- {r['id']} {describe(r)}" for r in excused]
    return "\n".join(text) + "\n"
