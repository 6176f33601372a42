"""Tests of `make mutate`: what is broken, what never is, and that the choice is the seed's alone."""
import glob
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import areas  # noqa: E402
import mutate  # noqa: E402
import operators  # noqa: E402
import reach  # noqa: E402
import shaders  # noqa: E402
import state  # noqa: E402
from tree import Tree  # noqa: E402

C = """\
/* a < b in a comment */
#define LIMIT 7
static int sum(const int *x, int n)
{
    int total = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++)
        total += x[i];
    if (n > 3 && total == 9)
        return error_set(err, 1, "more than %d < 5", LIMIT - 2);
    flush(total, n);
    pthread_mutex_unlock(&lock);
    return total - n; // a - b
}
static void print_sum(int n)
{
    show(n + 1);
}
"""
GLSL = """\
    float y = a < 0.0 ? -a : a; // a > b
    barrier();
    if (lid >= 4u)
        put(lid, y);
"""
ELIXIR = '''\
  @doc "when a < b"
  @spec f(integer) :: 4
  def f(x) when x > 0 and x != 7, do: x |> g() |> h(x - 1)
  # x == 1
  def k(a), do: raise ArgumentError, "#{a} < 5"
'''
EMIT = '    emit_line(e, 0, "if (t < %uu && live) barrier();", n);\n    emit_fail(e, "a < b && c");\n'

counts = {"passed": 0, "failed": 0}


def check(holds, what):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"FAILED: {what}")


def changed(path, text, kind):
    """The new lines that an operator gives, stripped."""
    return [" / ".join(new.strip() for _, _, new in edits) for edits in operators.mutants(path, text).get(kind, [])]


def lines_of(path, text):
    return {n for found in operators.mutants(path, text).values() for edits in found for n, _, _ in edits}


def check_has(path, text, kind, wanted):
    found = changed(path, text, kind)
    for line in wanted:
        check(line in found, f"{path}, {kind}: no {line!r} in {found}")


def operator_tests():
    relations = ["for (int i = 0; i <= n; i++)", "if (n >= 3 && total == 9)", "if (n > 3 && total != 9)"]
    check_has("a.c", C, "relation", relations)
    check(len(changed("a.c", C, "relation")) == 3, "comments, messages and preprocessor lines are left alone")
    bounds = ["for (int i = 1; i < n; i++)", "if (n > 2 && total == 9)", "if (n > 4 && total == 9)"]
    check_has("a.c", C, "off by one", bounds)
    check_has("a.c", C, "constant", ["if (n > 6 && total == 9)", "if (n > 3 && total == 0)"])
    check_has("a.c", C, "statement", [";"])
    check(len(changed("a.c", C, "statement")) == 2, "two statements: a sum and a call")
    check(changed("a.c", C, "synchronisation") == ["; / ;"], "a lock goes with its unlock")
    check_has("a.c", C, "swap", ["flush(n, total);", "return n - total; // a - b", "return total + n; // a - b"])
    either_way = "    put(max(low, high), memcmp(x, y, size));\n"
    check(changed("a.c", either_way, "swap") == ["put(max(low, high), memcmp(x, size, y));"],
          "arguments that commute are left alone")
    check_has("a.c", C, "condition", ["if (!(n > 3 && total == 9))", "if (n > 3)", "if (total == 9)"])
    check(max(lines_of("a.c", C)) < 16, "what prints is left alone")
    literal = "void f(void)\n{\n    x = shape_of(rank, (int[3]){a, b, c});\n    y = cut((int[2]) {d, 4});\n}\n"
    check(changed("a.c", literal, "off by one") == ["y = cut((int[2]) {d, 5});", "y = cut((int[2]) {d, 3});"],
          "sizes of compound literals are left alone")
    check_has("a.glsl", GLSL, "relation", ["float y = a <= 0.0 ? -a : a; // a > b", "if (lid > 4u)"])
    check_has("a.glsl", GLSL, "synchronisation", [";"])
    check_has("a.glsl", GLSL, "off by one", ["if (lid >= 3u)", "if (lid >= 5u)"])
    check_has("a.glsl", GLSL, "swap", ["put(y, lid);"])
    check_has("a.ex", ELIXIR, "relation", ["def f(x) when x >= 0 and x != 7, do: x |> g() |> h(x - 1)"])
    check(len(changed("a.ex", ELIXIR, "relation")) == 2, "documentation, specifications and messages are left alone")
    check_has("a.ex", ELIXIR, "condition", ["def f(x) when x > 0, do: x |> g() |> h(x - 1)"])
    check_has("a.ex", ELIXIR, "statement", ["def f(x) when x > 0 and x != 7, do: x |> h(x - 1)"])
    check_has("compiler/codegen/family/x.c", EMIT, "relation",
              ['emit_line(e, 0, "if (t <= %uu && live) barrier();", n);'])
    check_has("compiler/codegen/family/x.c", EMIT, "synchronisation", ['emit_line(e, 0, "if (t < %uu && live) ", n);'])
    check_has("compiler/codegen/family/x.c", EMIT, "condition", ['emit_line(e, 0, "if (t < %uu) barrier();", n);'])
    check(lines_of("compiler/codegen/family/x.c", EMIT) == {1}, "an error of the emitter is left alone")
    check(not changed("compiler/other.c", EMIT, "relation"), "strings of other files are left alone")


def file_tests():
    for name, patterns, _, _ in areas.AREAS:
        check(len(mutate.files_of(name, "HEAD")) > 0, f"{name}: no file is called {patterns}")
    owners = [f for name, *_ in areas.AREAS for f in mutate.files_of(name, "HEAD")]
    check(len(owners) == len(set(owners)), "a file belongs to one area")
    first, again, other = (mutate.sequence("index", seed) for seed in ("HEAD", "HEAD", "HEAD~0"))
    check(first == again and len(first) > 100, "the same seed, the same mutants")
    check([m["edits"] for m in first[:20]] != [m["edits"] for m in other[:20]], "another seed, other mutants")
    check(len({(m["path"], m["edits"][0][0]) for m in first}) == len(first), "a line is broken once")


def suite_tests():
    known = areas.suites(mutate.ROOT)
    tables = [(name, first) for name, _, _, first in areas.AREAS] + [*areas.REST.items(), *areas.QUICK.items()]
    for name, wanted in [*tables, ("LONG", " ".join(areas.LONG))]:
        for pattern in wanted.split():
            is_any = pattern.endswith("*")
            found = any(n == pattern or (is_any and n.startswith(pattern[:-1])) for n in known)
            check(found, f"{name}: no suite is called {pattern}")
    for name, *_ in areas.AREAS:
        quick, whole = areas.order(name, known, True), areas.order(name, known)
        check(set(quick) < set(whole) and not set(quick) & set(areas.LONG), f"{name}: the quick suites are some of all")
    with open(f"{mutate.ROOT}/test/sweep/families.c") as f:
        table = f.read()
    listed = {n for n in areas.families(mutate.ROOT) if f"&family_{n}," in table}
    check(len(listed) == table.count("&family_"), "every family of the sweep is a suite")
    unscored = {f for pattern in areas.UNSCORED.split() for f in glob.glob(pattern, root_dir=mutate.ROOT)}
    patterns = " ".join(a[1] for a in areas.AREAS).split()
    scored = {f for pattern in patterns for f in glob.glob(pattern, root_dir=mutate.ROOT)}
    for pattern in ("compiler/**/*.c", "runtime/*.c", "shaders/**/*.glsl", "templates/*.comp", "lib/**/*.ex"):
        for path in glob.glob(pattern, root_dir=mutate.ROOT, recursive=True):
            check((path in scored) != (path in unscored), f"{path}: in an area, or in UNSCORED")


class Options:
    quick, retry_survivors = False, True


def retry_tests():
    run = mutate.Run.__new__(mutate.Run)
    run.options, run.suites, run.tree_digest = Options(), areas.suites(mutate.ROOT), "now"
    quick, whole = (areas.order("index", run.suites, q) for q in (True, False))
    run.reach = reach.Reach("")
    alive = {"id": "index/000", "area": "index", "verdict": "survived", "tree": "now", "tried": quick, "left": 9}
    alive |= {"path": "compiler/index.c", "edits": [[7, "a", "b"]]}

    class Known:
        results = {"index/000": alive}

    run.state = Known()
    check(run.may_be_killed(alive), "a survivor of the quick suites is judged by the others")
    check(run.tried(alive) == quick, "and not again by those")
    run.options.quick = True
    check(not run.may_be_killed(alive), "the quick suites have nothing new to say")
    run.options.quick = False
    check(not run.may_be_killed({**alive, "tried": whole, "left": 0}), "nor has anything, once all have judged it")
    check(not run.may_be_killed({**alive, "verdict": "killed"}), "what was killed is dead")
    alive["tree"] = "before"
    check(run.may_be_killed({**alive, "tried": whole, "left": 0}), "another tree's tests judge it again")
    check(run.tried(alive) == [], "all of them")


def reach_tests():
    known = reach.Reach("")
    known.lines = {"compiler/a.c": {3, 5}, "compiler/a.h": {1}}
    known.functions = {"compiler/a.c": [[2, 6], [8, 9]]}
    known.ran = {"one": {"compiler/a.c": {3}}, "none": {}}

    def may(suite, *lines, path="compiler/a.c"):
        return known.may_notice(suite, {"path": path, "edits": [(n, "", "") for n in lines]})

    check(may("one", 3) and not may("one", 5), "a suite judges the lines that it runs")
    check(may("one", 5, 3), "any line of a mutant will do")
    check(may("one", 4) and not may("none", 4), "a line with no counter counts as its function's")
    check(not may("one", 9), "of another function, too")
    check(may("none", 20) and may("none", 1, path="compiler/a.h"), "tables and headers may matter to all")
    check(may("none", 3, path="compiler/b.c") and may("unknown", 5), "so does what nothing tells of")


def tree_tests():
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(f"{root}/from/compiler")
        with open(f"{root}/from/compiler/a.c", "w") as f:
            f.write("int a;\nint b;\n")
        tree = Tree(f"{root}/from", f"{root}/to", root, 2)
        tree.sync()
        check(tree.apply("compiler/a.c", [(7, "int b;", "int c;")]), "a line that moved is found by its text")
        with open(f"{root}/to/compiler/a.c") as f:
            check(f.read() == "int a;\nint c;\n", "the mutant is in the copy")
        with open(f"{root}/from/compiler/a.c") as f:
            check(f.read() == "int a;\nint b;\n", "and not in the sources")
        tree.revert()
        with open(f"{root}/to/compiler/a.c") as f:
            check(f.read() == "int a;\nint b;\n", "and is taken out again")
        check(not tree.apply("compiler/a.c", [(1, "int x;", "int y;")]), "a line that is gone is not found")
        check(tree.run(["sleep", "20"], 0.2)[0] is None, "what hangs is stopped")
        object_tests(tree, Tree(f"{root}/from", f"{root}/copy", root, 2))


def object_tests(tree, other):
    folder = f"{tree.at}/{areas.B}"

    def write(name, text):
        with open(f"{folder}/{name}", "w") as f:
            f.write(text)
        return tree._objects()

    for name in ("compiler/codegen/family", "runtime"):
        os.makedirs(f"{folder}/{name}")
    with open(f"{folder}/embedded.o", "w") as f:
        f.write("shaders")
    write("compiler/a.o", "code")
    before = write("compiler/codegen/family/c.o", "code")
    check(write("sources.o", "a checksum") == before, "another text of the compiler alone is the same code")
    check(write("compiler/codegen/family/c.o", "less") != before, "an object in any folder counts")
    check(write("runtime/b.o", "more") != before, "other objects are another code")
    os.utime(f"{folder}/embedded.o", (1, 1))
    other.copy(tree)
    check(other._objects() == tree._objects(), "a copy has what was built")
    check(os.stat(f"{other.at}/{areas.B}/embedded.o").st_mtime == 1, "with its times, so that nothing is built again")


def shader_tests():
    """Of shaders/math, whose functions nothing calls."""
    if not shutil.which("glslangValidator"):
        print("NOT RUN: glslangValidator is missing (Debian: glslang-tools)")
        return
    path = "shaders/math/sinh_f64.glsl"
    with tempfile.TemporaryDirectory() as at:
        shutil.copytree(f"{mutate.ROOT}/shaders", f"{at}/shaders")
        tree = Tree(mutate.ROOT, at, at, 2)
        with open(f"{at}/{path}") as f:
            text = f.read()

        def verdict(new):
            tree._write(path, new)
            return shaders.compiles(tree, path, compare=True)

        check(verdict(text) == "the same code", "a function that is not changed")
        check(verdict(text.replace("x < 0", "x  <  0")) == "the same code", "nor when blanks come in")
        check(verdict(text.replace("x < 0", "x <= 0")) == "different", "a relation in it is another shader")
        check(verdict(text.replace("x < 0", "x < y0")) == "does not compile", "a name that is nowhere")


def equivalent_tests():
    """One whose line has changed says nothing any more, and its proof may not hold."""
    mutants = {}
    for path, old, new in state.read_equivalents(f"{mutate.ROOT}/test/mutate/equivalents"):
        if path not in mutants:
            with open(f"{mutate.ROOT}/{path}") as f:
                found = operators.mutants(path, f.read())
            mutants[path] = {tuple(map(state.squeeze, edits[0][1:])) for kind in found.values() for edits in kind}
        check((old, new) in mutants[path], f"equivalents: {path} has no mutant `{old}` -> `{new}`")


def row(results, equivalents):
    return state.report(results, ["index"], equivalents).split("\n")[1].split()


def state_tests():
    with tempfile.TemporaryDirectory() as folder:
        s = state.State(folder)
        edits = [[3, "  a < b;", "  a <= b;"]]
        mutant = {"id": "index/000", "area": "index", "path": "compiler/index.c", "edits": edits}
        s.add({**mutant, "verdict": "survived"})
        s.add({**mutant, "id": "index/001", "edits": [[4, "x", "y"]], "verdict": "killed", "how": "check"})
        with open(f"{folder}/results.jsonl", "a") as f:
            f.write('{"id": "index/002", "ar')
        again = state.State(folder)
        check(len(again.results) == 2, "a run goes on from where it was interrupted")
        again.add({**mutant, "verdict": "survived"})
        check(len(state.State(folder).results) == 2, "and nothing sticks to the line that was cut off")
        check(row(again, {}) == "index 2 1 1 0 50 % 0".split(), "the score of an area")
        with open(f"{folder}/equivalents", "w") as f:
            f.write("# why\ncompiler/index.c\ta < b;\ta <= b;\tthey are never equal\n")
        known = state.read_equivalents(f"{folder}/equivalents")
        s.add({**mutant, "id": "index/003", "verdict": "survived", "tried": ["x"], "left": 3})
        marked = "(3 suites have not judged it)" in state.report(s, ["index"], {})
        check(marked, "a survivor of some suites is one, with a mark")
        check(row(again, known) == "index 2 1 0 1 100 % 0".split(), "an equivalent does not count")


operator_tests()
file_tests()
suite_tests()
retry_tests()
reach_tests()
tree_tests()
shader_tests()
equivalent_tests()
state_tests()
print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
sys.exit(counts["failed"] > 0)
