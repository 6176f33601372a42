"""make mutate: breaks the sources in small ways, and sees whether the tests notice.

  python3 test/mutate/mutate.py [--jobs=N] [--area=NAME[,NAME]] [--count=N] [--time=SECONDS] [--seed=HASH]
                                [--only=FILE:LINE | --retry-survivors | --report | --list] [--quick]
                                [--verbose]

README.md beside this file says what the options mean.
"""
import argparse
import fcntl
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import operators  # noqa: E402
from areas import AREAS, order, serves, suites  # noqa: E402
from reach import COUNTING, Reach  # noqa: E402
from shaders import compiles  # noqa: E402
from state import State, describe, read_equivalents, report  # noqa: E402
from tree import Tree, digest  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHADER_ERROR = re.compile(r"kernel:\d+: error")


def git(*arguments):
    found = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return found.stdout if found.returncode == 0 else None


def text_at(seed, path):
    """A file as it was in the commit; as it is, where there is no git."""
    text = git("show", f"{seed}:{path}")
    if text is None:
        with open(f"{ROOT}/{path}") as f:
            text = f.read()
    return text


def files_of(area, seed):
    patterns = next(a for a in AREAS if a[0] == area)[1].split()
    listed = git("ls-tree", "-r", "--name-only", seed)
    if listed is None:
        return sorted({os.path.relpath(f, ROOT) for p in patterns for f in glob.glob(f"{ROOT}/{p}")})
    shapes = [re.compile(glob_to_regex(p)) for p in patterns]
    return sorted(f for f in listed.split("\n") if any(s.fullmatch(f) for s in shapes))


def glob_to_regex(pattern):
    return re.escape(pattern).replace(r"\*", "[^/]*").replace(r"\[!", "[^").replace(r"\]", "]")


def sequence(area, seed):
    """The mutants of an area, in the order in which they are tried: the same for a commit on every machine.
    The kinds of change take turns at random, each as often as the others; a line is changed once."""
    by_kind = {}
    for path in files_of(area, seed):
        for kind, found in operators.mutants(path, text_at(seed, path)).items():
            by_kind.setdefault(kind, []).extend((path, edits) for edits in found)
    draw = random.Random(f"{seed} {area}")
    lines = set()
    found = []
    while by_kind:
        kind = draw.choice(sorted(by_kind))
        pool = by_kind[kind]
        at = draw.randrange(len(pool))
        pool[at], pool[-1] = pool[-1], pool[at]
        path, edits = pool.pop()
        if not pool:
            del by_kind[kind]
        place = (path, edits[0][0])
        if place not in lines:
            lines.add(place)
            found.append({"id": f"{area}/{len(found):03}", "area": area, "path": path, "kind": kind, "edits": edits})
    return found


class Run:
    def __init__(self, options, seed, areas):
        self.options, self.seed, self.areas = options, seed, areas
        self.home = f"{ROOT}/_build/mutate"
        self.state = State(f"{self.home}/{seed[:12]}")
        self.equivalents = read_equivalents(f"{ROOT}/test/mutate/equivalents")
        self.tree_digest = digest(ROOT)
        self.suites = suites(ROOT)
        self.lock = threading.Lock()
        self.deadline = time.monotonic() + options.time if options.time else None
        self.stopping = False
        self.baseline = {}
        self.baseline_path = f"{self.state.folder}/baseline-{self.tree_digest}.json"
        if os.path.exists(self.baseline_path):
            with open(self.baseline_path) as f:
                self.baseline = json.load(f)
        self.unusable = {}
        self.measuring = {}
        self.building = threading.Lock()
        self.trees = []
        self.kind = {a[0]: a[2] for a in AREAS}
        self.reach = Reach(f"{self.home}/reach-{self.tree_digest}.json")

    # ---- which mutants ----

    def plan(self):
        """Sets up what `take` hands out."""
        self.again = None
        if self.options.retry_survivors or self.options.only:
            wanted = [r for r in self.state.results.values() if r["area"] in self.areas]
            if self.options.only:
                path, _, line = self.options.only.partition(":")

                def is_there(mutant):
                    return mutant["path"] == path and line in ("", str(mutant["edits"][0][0]))

                wanted = [r for r in wanted if is_there(r)]
                if not wanted:
                    wanted = [m for a in self.areas for m in sequence(a, self.seed) if is_there(m)]
            else:
                wanted = [r for r in wanted if self.may_be_killed(r)]
            keys = ("id", "area", "path", "kind", "edits")
            self.again = [{k: r[k] for k in keys} for r in sorted(wanted, key=lambda r: r["id"])]
            return
        self.sequences = {a: sequence(a, self.seed) for a in self.areas}
        self.next = {a: 0 for a in self.areas}
        self.open = {a: 0 for a in self.areas}

    def tried(self, mutant):
        """The suites that have judged a survivor of this very tree."""
        r = self.state.results.get(mutant["id"], {})
        is_known = self.options.retry_survivors and r.get("verdict") == "survived" and r.get("tree") == self.tree_digest
        return r.get("tried", []) if is_known else []

    def may_be_killed(self, result):
        """Whether a survivor is there that some suite, as it is now, has not judged."""
        if result["verdict"] != "survived" or result.get("tree") != self.tree_digest:
            return result["verdict"] == "survived"
        names = self.wanted(result, self.options.quick)
        return result.get("left") != 0 and not set(names) <= set(result.get("tried", []))

    def judged(self, area):
        return sum(r["verdict"] in ("killed", "survived") for r in self.state.of_area(area))

    def take(self):
        """The next mutant, from the area that has come least far; None when all is done. Waits where whether another
        one is needed depends on those that are being judged."""
        while not self.stopping and not (self.deadline and time.monotonic() > self.deadline):
            with self.lock:
                if self.again is not None:
                    return self.again.pop(0) if self.again else None
                waiting = False
                for area in sorted(self.areas, key=lambda a: self.judged(a) + self.open[a]):
                    missing = self.options.count - self.judged(area)
                    if missing <= 0:
                        continue
                    if self.open[area] >= missing:
                        waiting = True
                        continue
                    while self.next[area] < len(self.sequences[area]):
                        mutant = self.sequences[area][self.next[area]]
                        self.next[area] += 1
                        if mutant["id"] not in self.state.results:
                            self.open[area] += 1
                            return mutant
                if not waiting:
                    return None
            time.sleep(0.5)
        return None

    # ---- judging ----

    def wanted(self, mutant, is_quick):
        """The suites that may notice a mutant. Those that take longer come later."""
        names = [n for n in order(mutant["area"], self.suites, is_quick)
                 if serves(n, mutant) and self.reach.may_notice(n, mutant)]
        return sorted(names, key=self.reach.cost)

    def limit(self, suite):
        """Seconds after which a suite hangs: far more than it takes, and more on a busy machine; but that was measured
        on one that was not idle either."""
        usual = self.baseline["numerics" if suite.name.startswith("numerics:") else suite.name]
        return (30 + 4 * usual) * min(3.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))

    def first(self, mutant):
        """What is run before an area's own suites: the function that the file is named for."""
        if self.kind[mutant["area"]] != "math":
            return []
        whole = self.suites["numerics"]
        function = os.path.basename(mutant["path"]).rpartition("_")[0]
        return [whole._replace(name=f"numerics:{function}", command=[*whole.command, f"--only=nx_{function}"])]

    def judge(self, tree, mutant):
        kind = self.kind[mutant["area"]]
        if kind == "math" and not compiles(tree, mutant["path"]):
            return {"verdict": "discarded", "how": "does not compile as it is"}
        if not tree.apply(mutant["path"], mutant["edits"]):
            return {"verdict": "gone", "how": "the line is not there any more"}
        if kind == "math":
            verdict = compiles(tree, mutant["path"], compare=True)
            if verdict != "different":
                return {"verdict": "discarded", "how": verdict}
        ok, output, fingerprint = tree.build(kind)
        if not ok:
            return {"verdict": "discarded", "how": "does not compile"}
        if fingerprint == tree.pristine[kind]:
            return {"verdict": "discarded", "how": "the same code"}
        tried = self.tried(mutant)
        wanted = self.wanted(mutant, self.options.quick)
        for suite in self.first(mutant) + [self.suites[n] for n in wanted]:
            whole = self.suites.get(suite.name) or self.suites["numerics"]
            if suite.name in tried:
                continue
            if not self.is_usable(whole):
                continue
            ok, output = tree.prepare(suite)
            if not ok:
                return {"verdict": "discarded", "how": "does not compile"}
            status, output, seconds = tree.judge(suite, self.limit(suite))
            tried = tried + [suite.name]
            if status == 0:
                continue
            if SHADER_ERROR.search(output) and kind in ("templates", "math"):
                return {"verdict": "discarded", "how": "does not compile"}
            how = ("time limit" if status is None else "signal" if status < 0 else
                   "is skipped" if status == 77 else "check")
            if how == "check" and SHADER_ERROR.search(output):
                how = "a shader that does not compile"
            words = [line for line in output.split("\n") if line.strip() and not re.match(r"\d+ passed|\.+$", line)]
            return {"verdict": "killed", "by": suite.name, "how": how, "says": " | ".join(words[-6:])[-600:]}
        every = [n for n in self.wanted(mutant, False) if n not in self.unusable]
        return {"verdict": "survived", "tried": tried, "left": len(set(every) - set(tried))}

    def work(self, tree):
        tree.copy(self.base)
        self.prepare(tree)
        while True:
            mutant = self.take()
            if not mutant:
                return
            start = time.monotonic()
            try:
                verdict = self.judge(tree, mutant)
            finally:
                tree.revert()
            if self.stopping:
                verdict = None
            with self.lock:
                if verdict:
                    seconds = round(time.monotonic() - start, 1)
                    self.state.add({**mutant, **verdict, "seconds": seconds, "tree": self.tree_digest})
                if self.again is None:
                    self.open[mutant["area"]] -= 1
            if not verdict:
                return
            if verdict["verdict"] != "discarded" or self.options.verbose:
                by = f" by {verdict['by']} ({verdict['how']})" if "by" in verdict else ""
                self.say(f"{mutant['id']} {verdict['verdict']}{by} {seconds:.0f} s: {describe(mutant)}")

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    # ---- without a mutant ----

    def is_usable(self, suite):
        """Whether it passes without a mutant, in a tree of its own; asked for before it judges the first one. What
        fails then, judges nothing. Workers that need the same suite wait, the others do not."""
        with self.lock:
            measuring = self.measuring.setdefault(suite.name, threading.Lock())
        with measuring:
            if suite.name not in self.baseline and suite.name not in self.unusable and not self.stopping:
                self.measure(suite)
        return suite.name in self.baseline

    def measure(self, suite):
        with self.building:
            ok, output = self.base.prepare(suite)
        for attempt in range(2 if ok else 0):
            status, output, seconds = self.base.judge(suite, 1800)
            if self.stopping:
                return
            if status == 77:
                break
            if status == 0:
                flaky = ", failed once: FLAKY" if attempt else ""
                self.say(f"{suite.name}: {seconds:.1f} s without a mutant{flaky}")
                with self.lock:
                    self.baseline[suite.name] = round(seconds, 1)
                    with open(self.baseline_path, "w") as f:
                        json.dump(self.baseline, f, indent=0)
                return
        if not self.stopping:
            self.unusable[suite.name] = output
            what = "is skipped" if ok and status == 77 else "FAILS WITHOUT A MUTANT"
            self.say(f"{suite.name} {what} and judges nothing:\n{output[-1500:]}")

    def prepare(self, tree):
        """Remembers what is built in a worker's tree without a mutant."""
        tree.pristine = {}
        for kind in sorted({self.kind[a] for a in self.areas}):
            ok, output, fingerprint = tree.build(kind)
            if self.stopping:
                return
            if not ok:
                raise SystemExit(f"without a mutant nothing is built:\n{output[-3000:]}")
            tree.pristine[kind] = fingerprint

    def parallel(self, work, trees):
        failures = []

        def guarded(tree):
            try:
                work(tree)
            except BaseException as error:  # a thread's own end says nothing
                failures.append(error)
                self.stopping = True
        threads = [threading.Thread(target=guarded, args=(t,), daemon=True) for t in trees]
        for t in threads:
            t.start()
        try:
            while any(t.is_alive() for t in threads):
                time.sleep(0.2)
                if self.deadline and time.monotonic() > self.deadline + 60:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            self.stopping = True
            for tree in [*trees, self.base]:
                tree.stop()
        for t in threads:
            t.join(20)
        if failures:
            raise failures[0]

    def tree(self, name, flags=""):
        threads = max(2, (os.cpu_count() or 2) // self.options.jobs)
        return Tree(ROOT, f"{self.home}/{name}", f"{self.home}/cache", threads, flags)

    def run(self):
        for number in (signal.SIGTERM, signal.SIGINT):  # a shell lets what runs behind it ignore the latter
            signal.signal(number, signal.default_int_handler)
        os.makedirs(self.home, exist_ok=True)
        self.alone = open(f"{self.home}/lock", "w")
        try:
            fcntl.flock(self.alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit("another run is at work in _build/mutate")
        self.plan()
        trees = [self.tree(f"w{k}") for k in range(self.options.jobs)]
        os.makedirs(f"{self.home}/cache", exist_ok=True)
        self.base = self.tree("base")
        start = time.monotonic()
        self.parallel(self.build_base, [self.base])
        self.say(f"built in {time.monotonic() - start:.0f} s")
        start = time.monotonic()
        self.parallel(self.measure_reach, [self.tree("counting", COUNTING)])
        self.say(f"{len(self.reach.ran)} suites say which lines they run, {time.monotonic() - start:.0f} s")
        if not self.stopping:
            self.parallel(self.work, trees)

    def measure_reach(self, tree):
        names = {n for a in self.areas for n in order(a, self.suites, self.options.quick)
                 if self.kind[a] in ("compiler", "runtime")}
        self.reach.measure(tree, [self.suites[n] for n in sorted(names)], self.options.jobs, self.say)

    def build_base(self, base):
        """Builds what may be needed, once, for the workers to copy."""
        base.sync()
        wanted = {n for a in self.areas for n in order(a, self.suites, self.options.quick)}
        base.build_all([self.suites[n] for n in sorted(wanted)], os.cpu_count() or 2)


def options():
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants at a time")
    parser.add_argument("--area", default="", help="names of areas with commas between; all without it")
    parser.add_argument("--count", type=int, default=20, help="mutants of an area that are judged")
    parser.add_argument("--seed", default="", help="a commit; HEAD without it")
    parser.add_argument("--time", type=int, default=0,
                        help="seconds after which no mutant is begun; a minute later, the rest is given up")
    parser.add_argument("--only", default="", help="FILE or FILE:LINE: the mutants of that place, again")
    parser.add_argument("--retry-survivors", action="store_true", help="those that lived, with the tests of now")
    parser.add_argument("--quick", action="store_true", help="with the quick suites only, some minutes for a survivor")
    parser.add_argument("--report", action="store_true", help="the score so far")
    parser.add_argument("--list", action="store_true", help="the mutants of each area, in order; judges nothing")
    parser.add_argument("--verbose", action="store_true", help="say what is thrown away, too")
    return parser.parse_args()


def main():
    o = options()
    names = [a[0] for a in AREAS]
    areas = o.area.split(",") if o.area else names
    for area in areas:
        if area not in names:
            sys.exit(f"no area is called {area}; there are: {' '.join(names)}")
    seed = git("rev-parse", "--verify", "-q", f"{o.seed or 'HEAD'}^{{commit}}")
    seed = seed.strip() if seed else o.seed
    if not seed:
        sys.exit("this is not a git checkout: --seed=HASH says which mutants")
    if o.list:
        for area in areas:
            for m in sequence(area, seed)[:o.count]:
                print(f"{m['id']} {m['kind']}: {describe(m)}")
        return
    run = Run(o, seed, areas)
    if not o.report:
        run.run()
    text = f"seed {seed}\n" + report(run.state, names, run.equivalents)
    if run.unusable:
        text += "suites that fail without a mutant, and judged nothing: " + " ".join(run.unusable) + "\n"
    with open(f"{run.state.folder}/report.txt", "w") as f:
        f.write(text)
    print(text + f"the same in {os.path.relpath(run.state.folder, ROOT)}/report.txt")


if __name__ == "__main__":
    main()
