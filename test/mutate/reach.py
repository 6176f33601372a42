"""Which suites run which lines of the C sources: a mutant is judged by those alone that run its line.

All is built once more, with gcov's counters, and every suite runs once. What no counter tells of (tables, macros,
shaders, Elixir) may matter to every suite.
"""
import json
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

# A process that ends without its destructors would leave no counters.
COUNTING = " --coverage -D_exit=exit"


def _counted(folder, tree):
    """What gcov tells of the counters below a folder: (file, functions, lines) for each file of each object."""
    found = []
    for at, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".gcda"):
                path = f"{at}/{name}"
                notes = f"{path[:-5]}.gcno"
                original = f"{tree}/{os.path.relpath(notes, folder)}"
                if os.path.exists(original) and not os.path.lexists(notes):
                    os.symlink(original, notes)
                found.append(path)
    told = []
    for first in range(0, len(found), 50):
        command = ["gcov", "-t", "-j", *found[first:first + 50]]
        output = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
        for line in output.split("\n"):
            if line.startswith("{"):
                told += [(os.path.normpath(f["file"]), f["functions"], f["lines"]) for f in json.loads(line)["files"]]
    return told


def _relative(path, tree):
    """A file's path in the tree, however it was named when it was compiled; None for those of the system."""
    for shift in (path, os.path.normpath(f"test/runtime/{path}")):
        whole = os.path.normpath(os.path.join(tree, shift))
        if whole.startswith(f"{tree}/") and os.path.exists(whole):
            return whole[len(tree) + 1:]
    return None


class Reach:
    """`lines[file]` is the lines that have counters, `functions[file]` where its functions begin and end, `ran[suite]`
    the lines that it runs by file, `seconds[suite]` what it takes, with counters."""

    def __init__(self, path):
        self.path = path
        self.lines, self.functions, self.ran, self.seconds = {}, {}, {}, {}
        if os.path.exists(path):
            with open(path) as f:
                saved = json.load(f)
            self.lines = {f: set(n) for f, n in saved["lines"].items()}
            self.functions = saved["functions"]
            self.ran = {s: {f: set(n) for f, n in files.items()} for s, files in saved["ran"].items()}
            self.seconds = saved["seconds"]

    def _save(self):
        plain = {
            "lines": {f: sorted(n) for f, n in self.lines.items()},
            "functions": self.functions,
            "ran": {s: {f: sorted(n) for f, n in files.items()} for s, files in self.ran.items()},
            "seconds": self.seconds,
        }
        with open(f"{self.path}.new", "w") as f:
            json.dump(plain, f, separators=(",", ":"))
        os.rename(f"{self.path}.new", self.path)

    def measure(self, tree, suites, jobs, say):
        """Runs each suite that is not known yet in `tree`, which is built with counters, `jobs` at a time."""
        missing = [s for s in suites if s.name not in self.ran and s.where not in ("elixir", "san", "tsan")]
        if not missing:
            return
        tree.sync()
        tree.build_all(missing, os.cpu_count() or 2)

        def run(suite):
            folder = f"{tree.at}.counters/{suite.name.replace('/', '-')}"
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            strip = str(len([p for p in tree.at.split("/") if p]))
            environment = {**suite.environment, "GCOV_PREFIX": folder, "GCOV_PREFIX_STRIP": strip}
            status, _, seconds = tree.judge(suite._replace(environment=environment), 1800)
            told = _counted(folder, tree.at) if status in (0, 77) else []
            shutil.rmtree(folder, ignore_errors=True)
            return suite, seconds, told

        saved = time.monotonic()
        with ThreadPoolExecutor(jobs) as pool:
            for suite, seconds, told in pool.map(run, missing):
                if not told:
                    say(f"{suite.name}: no counters, so it judges every mutant")
                    continue
                self._add(suite.name, told, tree.at)
                self.seconds[suite.name] = round(seconds, 1)
                if time.monotonic() - saved > 30:  # whoever is stopped goes on from there
                    self._save()
                    saved = time.monotonic()
        self._save()

    def _add(self, name, told, tree):
        ran = self.ran.setdefault(name, {})
        for path, functions, lines in told:
            path = _relative(path, tree)
            if not path:
                continue
            self.lines.setdefault(path, set()).update(x["line_number"] for x in lines)
            ran.setdefault(path, set()).update(x["line_number"] for x in lines if x["count"] > 0)
            spans = self.functions.setdefault(path, [])
            spans += [s for f in functions if (s := [f["start_line"], f["end_line"]]) not in spans]

    def cost(self, suite):
        """Seconds, for an order; 0 where nobody knows. A sanitizer takes three times as long, and builds once more."""
        plain = suite.removeprefix("san:")
        if suite.startswith("tsan:"):
            return 20
        return self.seconds.get(plain, 0) if plain == suite else 5 + 3 * self.seconds.get(plain, 0)

    def may_notice(self, suite, mutant):
        """Whether a suite runs a line of the mutant; a line without a counter counts as all of its function's."""
        path = mutant["path"]
        suite = suite.removeprefix("san:")
        if suite not in self.ran or path not in self.lines or not path.endswith(".c"):
            return True
        ran = self.ran[suite].get(path, set())
        for n, _, _ in mutant["edits"]:
            if n in self.lines[path]:
                around = {n}
            else:
                spans = [(a, b) for a, b in self.functions[path] if a <= n <= b]
                if not spans:
                    return True
                around = {k for a, b in spans for k in range(a, b + 1)}
            if ran & around:
                return True
        return False
