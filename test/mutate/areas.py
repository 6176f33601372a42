"""The areas that are scored, the suites that judge them, and in which order.

A suite is something to build and something to run in a worker's tree. The order is that of an area: first what is
quick and most likely to notice, then the rest of the suites of the kind of code (`REST`). Golden files, digests and
what replays text of our own are not among them: a mutant is killed by behaviour or not at all.
"""
import re
from collections import namedtuple
from glob import glob

Suite = namedtuple("Suite", "name targets command where environment", defaults=("", {}))

B = "_build/shared"
SAN = "_build/san/shared"
TSAN = "_build/tsan"
SMALL_GRAPHS = ("softmax layer_norm mlp_value_and_grad sgd_regression fft_atan_exp conv_relu while_sin narrow nested "
                "cond_piecewise random_normal lu_8 collatz count row_and_count logsumexp").split()
# Those of test/run.
OOM_GRAPHS = ("sort_1024 transpose_16384 matmul_4096 fft_atan_exp random_key conv_relu count narrow nested_9000 "
              "cholesky_64 branch_20000 lu_8 qr_16x8").split()
FIXTURES = "complex contract control elementwise_float elementwise_int elementwise_more movement reduce special".split()
MODES = "staged window fences,rerecord staged,fences,closed rebind late".split()
# What is quick and runs much of the compiler, once more with the sanitizers.
SANITIZED = """front/fixture_test front/verify_test front/refused front/interp_test passes/property_test
    passes/work_test passes/memplan_test passes/passes_test passes/pack_test passes/alike_test passes/finish_test
    passes/identity_test passes/cache_test passes/case_cost_test e2e/structure_test""".split()
ON_DEVICE = "buffer_test run_test steer_test host_test late_test".split()
# What has threads, with the thread sanitizer; without the watch, whose lock would order what the runtime's do not.
THREADED = ["threads_test", "threads_test:staged", "threads_test:fences", "run_test", "steer_test"]
# One case in so many of a family of the sweep: 5 to 30 s of one core.
SWEEP_PARTS = {"rows": 30, "long": 20, "sort": 80, "fourier": 40, "tiles": 20, "windows": 20, "scan": 20,
               "contract": 15, "programs": 15, "scatter": 15, "conv": 8}


def _program(name, *arguments, label=None, environment=None):
    path = f"{B}/test/{name}"
    return Suite(label or name, [path], [path, *arguments], "", environment or {})


def _runtime(name, mode=None):
    path = f"{B}/test/runtime/{name}"
    environment = {"VKR_TEST_MODE": mode} if mode else {}
    return Suite(f"runtime/{name}" + (f":{mode}" if mode else ""), [path], [path], "runtime", environment)


def _sanitized(suite):
    """The same with the address and undefined behaviour sanitizers: what reads past the end of an array, even of an
    arena, fails there."""
    def there(word):
        return word.replace(f"{B}/", f"{SAN}/") if word.startswith(f"{B}/") else word

    environment = {**suite.environment, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
                   "LSAN_OPTIONS": "suppressions=test/lsan.supp:print_suppressions=0"}
    return Suite(f"san:{suite.name}", [there(t) for t in suite.targets], [there(w) for w in suite.command], "san",
                 environment)


def _threaded(label):
    """With the thread sanitizer, which sees an access that no lock orders: for mutants that leave a lock or a wait out,
    where two threads rarely meet."""
    name, _, mode = label.partition(":")
    path = f"{TSAN}/{name}"
    environment = {"VKR_TEST_MODE": f"unwatched,{mode}" if mode else "unwatched",
                   "TSAN_OPTIONS": "suppressions=test/tsan.supp:print_suppressions=0"}
    return Suite(f"tsan:{label}", [path], [path], "tsan", environment)


def serves(suite, mutant):
    """Whether a suite is for a kind of mutant: the thread sanitizer for one, the others for all."""
    return not suite.startswith("tsan:") or mutant["kind"] == "synchronisation"


def _elixir(name):
    command = ["mix", "test", "--no-color", "--max-failures", "1", f"test/{name}.exs"]
    return Suite(f"elixir/{name}", [], command, "elixir")


def _sweep(family):
    path = f"{B}/test/sweep/sweep"
    command = [path, f"--family={family}", f"--part=0/{SWEEP_PARTS.get(family, 4)}", "--jobs=1", "--first-failure"]
    return Suite(f"sweep:{family}", [path], command)


def families(root):
    """Those of the sweep, by the names of their variables."""
    found = set()
    for path in glob(f"{root}/test/sweep/family_*.c"):
        with open(path) as f:
            found |= set(re.findall(r"^const struct sweep_family family_(\w+) = \{", f.read(), re.M))
    return sorted(found)


def suites(root):
    """Every suite by name; `root` is the tree, for the lists of files."""
    def files(pattern):
        return sorted(p[len(root) + 1:] for p in glob(f"{root}/{pattern}"))

    large = [g for g in files("test/graphs/*.json") if g[12:-5] not in SMALL_GRAPHS]
    found = [
        _program("front/fixture_test", *files("test/fixtures/*.json")),
        _program("front/interp_test"),
        # the words do not count
        _program("front/golden_test", "--codes", *files("test/errors/*.t"), label="front/refused"),
        _program("front/schema_test", "compiler/import/graph.schema.json"),
        # no golden file: only more kernels, dispatches, barriers or bytes than before are a failure
        _program("passes/cost_test", *files("test/graphs/*.json")),
        _program("passes/identity_test", *files("test/graphs/*.json"), *files("test/fixtures/*.json")),
        # what an allocation that fails leaves: no crash, no leak, the error of its own
        _program("oom/compile_test", *(f"test/graphs/{g}.json" for g in OOM_GRAPHS)),
        _program("oom/run_test"),
        _program("fuzz/ir_text_fuzz", "200", *files("test/ir/*.t")),
        _program("fuzz/json_fuzz", "30", *(f"test/graphs/{g}.json" for g in SMALL_GRAPHS[:4])),
        Suite(
            "cli/vkcompile_test",
            [f"{B}/vkcompile", f"{B}/vkrun"],
            ["sh", "test/cli/vkcompile_test.sh"],
            environment={"B": B},
        ),
        _program("e2e/graph_test", *(f"test/graphs/{g}.json" for g in SMALL_GRAPHS), label="e2e/graph_test:small"),
        _program("e2e/graph_test", *large, label="e2e/graph_test:rest"),
    ]
    found += [_program("e2e/fixture_test", f"test/fixtures/{f}.json", label=f"e2e/fixture_test:{f}") for f in FIXTURES]
    named = {s.name.split(":")[0] for s in found}
    folders = ("front", "passes", "e2e", "machine", "shaders")
    for source in sum((files(f"test/{folder}/*_test.c") for folder in folders), []):
        name = source[5:-2]
        if name not in named and name not in ("front/golden_test", "front/roundtrip_test", "passes/golden_test"):
            found.append(_program(name))
    found += [_sweep(f) for f in families(root)]
    for source in files("test/runtime/*_test.c"):
        name = source[13:-2]
        found.append(_runtime(name))
        found += [_runtime(name, mode) for mode in MODES if name in ON_DEVICE]
    fuzz = f"{B}/test/runtime/bundle_fuzz"
    found.append(Suite("fuzz/bundle_fuzz", [fuzz], [fuzz], "runtime"))
    numerics = f"{B}/test/numerics/numerics"
    found.append(Suite("numerics", [numerics], [numerics, "--stride=65537", "--count=4000"], "numerics"))
    for t in "s32", "u32":
        command = [numerics, "--device=native", "--stride=65537", "--count=4000", f"--only= {t}"]
        found.append(Suite(f"numerics/native_{t}", [numerics], command, "numerics"))
    emulated = f"{B}/test/numerics/emulated_fma"
    found.append(Suite("numerics/emulated_fma", [emulated], [emulated], "numerics"))
    found += [_sanitized(s) for s in found if s.name in SANITIZED]
    found += [_threaded(t) for t in THREADED]
    tests = [p[5:-4] for f in ("", "workloads/", "random/") for p in files(f"test/{f}*_test.exs")]
    found += [_elixir(t) for t in tests if t not in ("coverage_test", "workloads/soak_test")]
    return {s.name: s for s in found}


# These take minutes, or half a gigabyte: they judge the areas that name them.
LONG = """e2e/bomb_test e2e/conv_test e2e/dot_test e2e/fft_test e2e/graph_test:rest e2e/order_test e2e/reduce_test
    e2e/scan_test
    e2e/cholesky_test
    e2e/scatter_test e2e/shapes_test e2e/large_test""".split()

# What is run after an area's own list, in this order; "*" is any suite so called that is not listed yet.
REST = {
    "compiler": """passes/cost_test passes/case_cost_test front/fixture_test front/interp_test passes/property_test
        passes/passes_test
        passes/cache_test
        passes/target_test passes/algebra_test e2e/graph_test:small passes/lower_test e2e/structure_test e2e/chain_test
        e2e/turn_test e2e/loop_test e2e/pool_test e2e/fixture_test:* front/* passes/* san:* oom/compile_test
        fuzz/ir_text_fuzz fuzz/json_fuzz cli/* e2e/warm_test e2e/* machine/* sweep:*""",
    "runtime": "runtime/* tsan:* fuzz/bundle_fuzz oom/run_test e2e/loop_test e2e/warm_test e2e/graph_test:small",
    "templates": "numerics/emulated_fma e2e/graph_test:small e2e/* machine/* sweep:*",
    "math": "numerics e2e/fixture_test:* e2e/structure_test",
    "elixir": "elixir/*",
}

# What `--quick` runs after an area's own list instead.
QUICK = {
    "compiler": """passes/cost_test passes/case_cost_test front/fixture_test front/interp_test passes/property_test
        passes/passes_test
        passes/cache_test passes/pack_test passes/work_test passes/schedule_test passes/flops_test passes/program_test passes/size_test passes/limits_test machine/loads_test
        passes/target_test passes/algebra_test passes/exact_test passes/trips_test passes/index_test passes/memplan_test
        e2e/graph_test:small passes/lower_test e2e/structure_test e2e/loop_test oom/compile_test san:* cli/*
        sweep:programs sweep:elements sweep:copies""",
    "runtime": """runtime/bundle_test runtime/donations_test runtime/plan_test runtime/run_test runtime/steer_test
        runtime/buffer_test
        runtime/fault_test runtime/late_test runtime/threads_test tsan:* runtime/pieces_test runtime/cache_test
        runtime/run_test:*
        runtime/steer_test:* runtime/buffer_test:* runtime/late_test:* fuzz/bundle_fuzz e2e/loop_test""",
    "templates": "numerics/emulated_fma e2e/graph_test:small e2e/structure_test machine/loads_test sweep:*",
    "math": "numerics e2e/fixture_test:elementwise_float e2e/fixture_test:complex",
    "elixir": """elixir/serializer_test elixir/compiler_test elixir/backend_test elixir/features_test elixir/cache_test
        elixir/control_test elixir/options_test elixir/number_test elixir/cache_key_test""",
}

# name, files, kind of code, and what to run first
AREAS = [
    (
        "import",
        "compiler/import/*.c compiler/ir/ir.c compiler/ir/ir_words.c compiler/ir/ir_parse.c compiler/base/type.c "
        "compiler/ir/list_ops.c compiler/base/str.c compiler/base/bytes.c",
        "compiler",
        "front/fixture_test front/interp_test front/schema_test front/refused front/json_test front/verify_test "
        "front/words_test front/place_test fuzz/ir_text_fuzz fuzz/json_fuzz",
    ),
    (
        "verifier",
        "compiler/ir/ir_verify*.c",
        "compiler",
        "front/verify_test front/broken_test front/refused front/fixture_test front/interp_test front/schema_test "
        "fuzz/json_fuzz",
    ),
    (
        "interpreter",
        "compiler/interp/*.c compiler/base/num.c compiler/ir/ops.c compiler/ir/ops.def",
        "compiler",
        "front/fixture_test front/interp_test front/rotations_test front/made_test passes/algebra_test passes/property_test",
    ),
    (
        "passes",
        "compiler/passes/pass_algebra.c compiler/passes/algebra.* compiler/passes/bounds.c compiler/passes/pass_canon.c "
        "compiler/passes/pass_dce.c compiler/passes/batch_*.c compiler/passes/pass_hoist.c "
        "compiler/passes/pass_inline.c "
        "compiler/passes/pass_views.c "
        "compiler/passes/pass_cse.c compiler/passes/pass_fold.c compiler/passes/passes.c "
        "compiler/passes/build*.c compiler/ir/trips.c",
        "compiler",
        "passes/algebra_test passes/bounds_test passes/hoist_test passes/work_test passes/property_test "
        "passes/passes_test passes/case_cost_test e2e/instances_test e2e/graph_test:small",
    ),
    (
        "lowering",
        "compiler/passes/lower_*.c compiler/passes/pass_lower.c compiler/passes/reads.c compiler/passes/pass_split_*.c "
        "compiler/passes/pass_attend.c",
        "compiler",
        "passes/lower_test passes/attend_test passes/factors_test passes/work_test passes/property_test e2e/graph_test:small "
        "sweep:scan sweep:sort "
        "sweep:scatter sweep:fourier sweep:rows sweep:contract sweep:solve machine/machine_test e2e/svd_test "
        "e2e/eigh_test e2e/order_test e2e/first_test e2e/scan_test e2e/scatter_test e2e/fft_test e2e/reduce_test "
        "e2e/cholesky_test "
        "e2e/triangular_test e2e/lu_test e2e/qr_test",
    ),
    (
        "index",
        "compiler/codegen/index.c",
        "compiler",
        "passes/index_test passes/property_test e2e/turn_test e2e/graph_test:small e2e/chain_test "
        "sweep:turned sweep:copies sweep:windows sweep:elements e2e/shapes_test",
    ),
    (
        "emit",
        "compiler/codegen/emit/*.c compiler/codegen/template.c compiler/codegen/library.c "
        "compiler/codegen/needs.c compiler/codegen/place.c compiler/codegen/unit.c "
        "compiler/codegen/family/generate.c compiler/codegen/family/family.c",
        "compiler",
        "e2e/structure_test e2e/fixture_test:elementwise_int e2e/fixture_test:movement "
        "e2e/fixture_test:elementwise_float e2e/graph_test:small sweep:elements sweep:scatter sweep:gather "
        "sweep:turned e2e/constant_test e2e/chain_test machine/machine_test e2e/parts_test e2e/scatter_test",
    ),
    (
        "rows",
        "compiler/codegen/family/rows*.c compiler/codegen/family/map.c compiler/codegen/family/row_*.c "
        "compiler/codegen/family/turn.c",
        "compiler",
        "e2e/structure_test e2e/fixture_test:reduce e2e/turn_test e2e/graph_test:small sweep:rows e2e/pool_test "
        "sweep:turned sweep:long sweep:windows machine/machine_test e2e/shapes_test e2e/reduce_test",
    ),
    (
        "contraction",
        "compiler/codegen/family/contract*.c compiler/codegen/family/fourier*.c compiler/target/radix.c compiler/target/attend.c "
        "compiler/codegen/family/matrix_*.c compiler/codegen/family/variant.c compiler/codegen/family/lines.c "
        "compiler/codegen/family/digits.c compiler/codegen/family/planes.c "
        "compiler/codegen/family/jacobi.c compiler/codegen/family/singular.c compiler/codegen/family/turn_blocks.c compiler/codegen/family/solve.c compiler/codegen/family/panel.c "
        "compiler/codegen/family/columns.c compiler/codegen/family/lu.c compiler/codegen/family/qr.c "
        "compiler/codegen/family/attend*.c",
        "compiler",
        "e2e/fixture_test:contract e2e/fixture_test:special e2e/structure_test machine/matrix_test "
        "passes/group_matrix_test e2e/bodies_test "
        "machine/attend_test machine/tile_test sweep:solve sweep:contract "
        "sweep:fourier sweep:sort sweep:conv sweep:scan sweep:tiles e2e/graph_test:small machine/machine_test "
        "e2e/svd_test e2e/eigh_test e2e/dot_test e2e/conv_test e2e/fft_test e2e/scan_test e2e/order_test "
        "e2e/cholesky_test e2e/lu_test e2e/qr_test",
    ),
    (
        "fusion",
        "compiler/fuse/*.c compiler/codegen/family/schedule.c compiler/codegen/members.c compiler/codegen/identity.c",
        "compiler",
        "passes/schedule_test passes/effects_test passes/identity_test e2e/structure_test e2e/graph_test:small "
        "e2e/chain_test "
        "sweep:programs sweep:rows "
        "e2e/turn_test e2e/alive_test e2e/once_test e2e/instances_test "
        "e2e/pool_test sweep:contract sweep:scatter machine/machine_test e2e/shapes_test",
    ),
    (
        "plan",
        "compiler/plan/*.c compiler/plan/group/*.c",
        "compiler",
        "passes/memplan_test passes/effects_test passes/size_test e2e/loop_test e2e/rounds_test e2e/structure_test "
        "e2e/graph_test:small e2e/fixture_test:control e2e/instances_test sweep:programs sweep:scan e2e/chain_test "
        "e2e/warm_test machine/machine_test machine/gang_test machine/sums_test",
    ),
    (
        "pack",
        "compiler/pack/*.c compiler/driver/compile.c compiler/target/target.c compiler/target/tuning.c "
        "compiler/target/units.c compiler/base/arena.c compiler/base/cancel.c compiler/base/diag.c",
        "compiler",
        "passes/finish_test passes/cache_test passes/target_test passes/cancel_test cli/vkcompile_test "
        "e2e/structure_test",
    ),
    (
        "run",
        "runtime/exec.c runtime/run.c runtime/queue.c runtime/slot.c runtime/commands.c "
        "runtime/staging.c runtime/script.c runtime/texels.c runtime/error.c",
        "runtime",
        "runtime/queue_test runtime/pace_test runtime/host_test runtime/run_test runtime/steer_test runtime/late_test "
        "runtime/buffer_test runtime/fault_test",
    ),
    (
        "bundle",
        "runtime/bundle*.c runtime/bodies.c runtime/program*.c runtime/place.c runtime/pipelines.c runtime/sha256.c",
        "runtime",
        "runtime/bundle_test runtime/donations_test runtime/bodies_test runtime/load_test runtime/run_test "
        "runtime/steer_test "
        "fuzz/bundle_fuzz",
    ),
    (
        "door",
        "runtime/spirv_*.c runtime/door.c runtime/untrusted.c",
        "runtime",
        "runtime/spirv_flow_test runtime/spirv_operands_test runtime/spirv_values_test runtime/spirv_test "
        "runtime/spirv_pushed_test "
        "runtime/door_test runtime/bundle_test runtime/run_test fuzz/bundle_fuzz",
    ),
    (
        "device",
        "runtime/device*.c runtime/instance.c runtime/gpu.c runtime/memory.c runtime/pool.c "
        "runtime/buffer*.c runtime/pipeline_cache.c runtime/private_folder.c runtime/at_exit.c runtime/first_shader.c "
        "runtime/env.c runtime/vk.c",
        "runtime",
        "runtime/buffer_test runtime/plan_test runtime/open_test runtime/private_folder_test runtime/cache_test "
        "runtime/exit_test runtime/run_test runtime/fault_test",
    ),
    (
        "templates",
        "templates/*.comp shaders/*.glsl",
        "templates",
        "shaders/shaders_test shaders/blocks_test shaders/turns_test e2e/fixture_test:contract e2e/structure_test "
        "e2e/turn_test e2e/graph_test:small sweep:scan sweep:sort sweep:fourier sweep:contract sweep:turned machine/machine_test "
        "machine/attend_test machine/tile_test machine/matrix_test e2e/scan_test e2e/order_test e2e/fft_test e2e/dot_test "
        "e2e/reduce_test e2e/qr_test e2e/lu_test e2e/cholesky_test",
    ),
    (
        "math",
        "shaders/math/*.glsl",
        "math",
        "numerics numerics/native_s32 numerics/native_u32",
    ),
    (
        "serializer",
        "lib/nx/vulkan/serializer.ex lib/nx/vulkan/serializer/*.ex",
        "elixir",
        "elixir/serializer_test elixir/number_test elixir/interpreter_test elixir/control_test "
        "elixir/backend_test elixir/compiler_test",
    ),
    (
        "elixir",
        "lib/nx/vulkan.ex lib/nx/vulkan/[!sn]*.ex",
        "elixir",
        "elixir/compiler_test elixir/cache_test elixir/backend_test elixir/features_test "
        "elixir/counters_test elixir/pointer_test elixir/words_test elixir/device_test elixir/nodes_test elixir/options_test",
    ),
]

# Sources that no area scores: a mutant of these is in none of the libraries that are compared before it is judged
# (programs of one file each, whose tests compare what they print; the NIF, which Elixir loads), or changes only what
# is printed for people.
UNSCORED = """compiler/driver/main.c compiler/driver/main_check.c compiler/driver/main_host.c
    compiler/driver/main_signal.c compiler/driver/explain.c compiler/ir/dot.c compiler/ir/ir_print.c runtime/vkrun*.c
    runtime/npy.c runtime/nif*.c runtime/log.c runtime/debug.c runtime/trace.c runtime/profile.c lib/nx/vulkan/nif.ex"""


def order(area, known, is_quick=False):
    """The names of the suites of an area, each once; those that the tree lacks are left out. With `is_quick`, those
    that judge most for their time: the area's own without what takes minutes, and some of the rest."""
    _, _, kind, first = next(a for a in AREAS if a[0] == area)
    own = [n for n in first.split() if not is_quick or n not in LONG]
    names = []
    for pattern in own + (QUICK if is_quick else REST)[kind].split():
        is_any = pattern.endswith("*")
        matching = [n for n in known if n == pattern or (is_any and n.startswith(pattern[:-1]) and n not in LONG)]
        names += [n for n in matching if n not in names]
    return names
