/* Target profiles: shipped ones read, print and read back; bad ones are refused with the line. The
   tuning they get. */
#include <string.h>

#include "bundle.h"
#include "check.h"
#include "target/tuning.h"
#include "target/units.h"
#include "vkc.h"

static void test_shipped(const struct vkc_profile *p)
{
    struct vkc_target t = {.name = ""}, back;
    char error[256] = "", text[2048];
    CHECK(vkc_target_parse(p->text, strlen(p->text), &t, error, sizeof error), "%s: %s", p->name,
          error);
    CHECK(strcmp(t.name, p->name) == 0, "%s is named %s", p->name, t.name);
    CHECK(t.max_invocations >= 128 && t.max_shared_bytes >= 16384 && t.max_bindings >= 4 &&
              t.subgroup_size >= 1 && t.max_groups[0] >= 65535 && t.max_groups[2] >= 65535 &&
              t.max_binding_bytes >= 134217728,
          "%s has less than Vulkan requires", p->name);
    size_t n = vkc_target_print(&t, text, sizeof text);
    CHECK(n > 0 && n < sizeof text && n == strlen(text), "%s: printed %zu", p->name, n);
    vkc_target_baseline(&back);
    CHECK(vkc_target_parse(text, n, &back, error, sizeof error), "%s: %s", p->name, error);
    CHECK(strcmp(back.name, t.name) == 0 && back.features == t.features &&
              back.max_invocations == t.max_invocations &&
              back.max_shared_bytes == t.max_shared_bytes && back.max_bindings == t.max_bindings &&
              back.subgroup_size == t.subgroup_size &&
              memcmp(back.max_groups, t.max_groups, sizeof t.max_groups) == 0 &&
              back.max_binding_bytes == t.max_binding_bytes && back.cpu == t.cpu &&
              back.loop_limit == t.loop_limit && !back.spirv && !t.spirv,
          "%s changes on the way through its text", p->name);
    CHECK(vkc_target_print(&t, text, 10) == n && strlen(text) == 9,
          "%s: a short buffer is cut, the length is whole", p->name);
}

static void test_refused(const char *text, const char *wanted)
{
    struct vkc_target t, before;
    char error[256] = "";
    vkc_target_baseline(&t);
    before = t;
    CHECK(!vkc_target_parse(text, strlen(text), &t, error, sizeof error), "accepted: %s", text);
    CHECK(strstr(error, wanted) != NULL, "'%s' lacks '%s'", error, wanted);
    CHECK(memcmp(&t, &before, sizeof t) == 0, "a refused profile changed the target: %s", text);
}

/* One device's profile on another: lower limits, its own schedule, and what is lacking emulated,
   but only where it can be. */
static void test_run_on(void)
{
    struct vkc_target nvidia, host, t, back;
    char error[256] = "", text[2048];
    CHECK(vkc_target_named("nvidia", &nvidia) && vkc_target_named("lavapipe", &host),
          "the profiles");
    t = nvidia;
    vkc_target_run_on(&t, &host);
    CHECK(t.features & VKB_FEATURE_FMA && t.features & VKB_FEATURE_BALLOT_32 &&
              t.emulated == (VKB_FEATURE_FMA | VKB_FEATURE_BALLOT_32),
          "fma and ballots are emulated, found %x", t.emulated);
    CHECK(!(t.features & (VKB_FEATURE_COMPARE_32 | VKB_FEATURE_COOPERATIVE_MATRIX)),
          "features are those of both, found %x", t.features);
    CHECK(t.max_shared_bytes == host.max_shared_bytes && t.max_groups[0] == host.max_groups[0] &&
              t.max_binding_bytes == host.max_binding_bytes && t.max_invocations == 1024 &&
              t.max_bindings == 32 && !t.cpu && t.loop_limit,
          "limits are the lower ones");
    size_t n = vkc_target_print(&t, text, sizeof text);
    vkc_target_baseline(&back);
    CHECK(strstr(text, "\nemulated = fma,ballot32\n") &&
              vkc_target_parse(text, n, &back, error, sizeof error) && back.emulated == t.emulated,
          "what is emulated is part of the text: %s\n%s", error, text);
    t = nvidia;
    vkc_target_run_on(&t, &nvidia);
    CHECK(memcmp(&t, &nvidia, sizeof t) == 0, "a profile on itself is itself");
    t = nvidia;
    host.features &= ~(uint32_t)VKB_FEATURE_F64;
    vkc_target_run_on(&t, &host);
    CHECK(t.emulated == VKB_FEATURE_BALLOT_32 && !(t.features & VKB_FEATURE_FMA),
          "without f64 no fma is emulated");
}

/* A version other than 1.3 is printed, so that it is part of a cache's key; 1.3 is not, so that
   texts stay. */
static void test_spirv(void)
{
    struct vkc_target newer, older, back;
    char error[256] = "", text[2048];
    vkc_target_baseline(&newer);
    vkc_target_baseline(&older);
    vkc_target_baseline(&back);
    CHECK(vkc_target_parse("spirv = 1.5", 11, &newer, error, sizeof error), "%s", error);
    CHECK(newer.spirv == 0x00010500, "read as %x", newer.spirv);
    size_t n = vkc_target_print(&newer, text, sizeof text);
    CHECK(strstr(text, "\nspirv = 1.5\n") && vkc_target_parse(text, n, &back, error, sizeof error),
          "%s\n%s", error, text);
    CHECK(back.spirv == newer.spirv, "%x on the way through the text", back.spirv);
    CHECK(vkc_target_parse("spirv = 1.3", 11, &back, error, sizeof error), "%s", error);
    CHECK(back.spirv == 0, "1.3 is the default");
    vkc_target_print(&back, text, sizeof text);
    CHECK(!strstr(text, "spirv"), "%s", text);
    vkc_target_run_on(&newer, &older);
    CHECK(newer.spirv == 0, "the device takes no more than 1.3");
}

/* ---- tuning ---- */

static void test_rows(void)
{
    static const struct {
        const char *name, *unit, *why;
        bool is_claim;
    } rows[] = {
#define TUNING(type, name, cpu, gpu, unit, why) {#name, unit, why, sizeof(type) == sizeof(bool)},
#include "target/tuning.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK((rows[i].unit[0] == '\0') == rows[i].is_claim && rows[i].why[0],
              "%s is a number with a unit, or a claim without; and has a reason", rows[i].name);
}

static struct tuning tuning_for(const char *profile, const char *more)
{
    struct vkc_target t;
    struct tuning tuning;
    char error[256] = "";
    CHECK(vkc_target_named(profile, &t), "%s", profile);
    CHECK(vkc_target_parse(more, strlen(more), &t, error, sizeof error), "%s", error);
    tuning_of(&t, &tuning);
    return tuning;
}

static void test_tuning(void)
{
    struct tuning cpu = tuning_for("lavapipe", "loop_limit = false");
    struct tuning gpu = tuning_for("nvidia", "");
    CHECK(cpu.cores > 0 && !cpu.coalesces && !cpu.product_in_shared && cpu.ntiles > 1, "a CPU");
    CHECK(gpu.cores == 0 && gpu.coalesces && gpu.product_in_shared && gpu.ntiles > 1, "a GPU");
    CHECK(!gpu.tiles[gpu.ntiles - 1].least && !cpu.tiles[cpu.ntiles - 1].least,
          "any product has a tile");
    CHECK(cpu.texels && cpu.texel_elements > 1 && !gpu.texels && !gpu.texel_buffers, "texels");
    CHECK(cpu.loop_iterations == UINT64_MAX && gpu.loop_iterations == UINT64_MAX, "loops go on");
    struct tuning newer = tuning_for("nvidia", "spirv = 1.6");
    CHECK(cpu.spirv == 0x00010300 && newer.spirv == 0x00010600, "versions of SPIR-V");
    struct tuning stopped = tuning_for("lavapipe", "");
    struct tuning stopped_gpu = tuning_for("nvidia", "loop_limit = true");
    CHECK(stopped.loop_iterations == 65535 && !stopped.texel_elements, "Mesa before 25");
    CHECK(stopped_gpu.loop_iterations == 65535, "of any kind");
    CHECK(stopped.dispatch_iterations < 65535 &&
              stopped.dispatch_iterations == stopped_gpu.portion_iterations,
          "a dispatch keeps below that, on any device");
    struct tuning wide = tuning_for("amd", "");
    CHECK(!gpu.wide_waves && gpu.most_row_threads == 1024, "subgroups of 32");
    CHECK(wide.wide_waves && wide.most_row_threads == 512, "subgroups of 64");
}

/* Whether a tile of `m` x `n` is cut into parts without a rest, and so are its operands, of which
   `loads` elements are loaded at a time. */
static bool is_cut(uint32_t m, uint32_t n, uint32_t k, uint32_t part_m, uint32_t part_n,
                   uint32_t loads)
{
    return part_m && part_n && m % part_m == 0 && n % part_n == 0 && m * k % loads == 0 &&
           n * k % loads == 0;
}

/* Tiles of products, larger before smaller, which need fewer; the last is for any product. */
static void test_product_tiles(const char *name, const struct tuning *t)
{
    for (uint32_t i = 0; i < t->ntiles; i++) {
        const struct product_tile *x = &t->tiles[i], *before = i ? x - 1 : NULL;
        CHECK(!before || (x->m * x->n < before->m * before->n && x->least < before->least),
              "%s: tile %u is not smaller than the one before", name, i);
        CHECK((x->least == 0) == (i + 1 == t->ntiles), "%s: tile %u of %u has %u at least", name, i,
              t->ntiles, x->least);
        if (!t->product_in_shared) {
            CHECK(x->thread_m == x->m && x->thread_n == x->n && x->k == 1,
                  "%s: tile %u is not its thread's", name, i);
            continue;
        }
        uint32_t threads = x->m / x->thread_m * (x->n / x->thread_n);
        CHECK(threads <= t->product_threads && threads % t->vector_threads == 0 &&
                  is_cut(x->m, x->n, x->k, x->thread_m, x->thread_n, threads),
              "%s: tile %u and its %u threads", name, i, threads);
        /* both operands twice, with a spare vector to each column */
        CHECK(2 * x->k * (x->m + 4 + x->n + 4) * sizeof(float) <= 32768,
              "%s: tile %u takes too much shared memory", name, i);
    }
}

/* Which products of few rows or columns have a kernel of their own. */
static void test_narrow(void)
{
    const struct {
        const char *profile, *change;
        struct product p;
        uint32_t bytes;
        bool wanted;
    } rows[] = {
        {"nvidia", "", {1, 8, 11008, 4096}, 4, true},
        {"nvidia", "", {1, 16, 4096, 4096}, 2, true},
        {"nvidia", "", {1, 17, 4096, 4096}, 2, false},
        {"nvidia", "", {1, 4096, 16, 4096}, 2, true},
        {"nvidia", "", {1, 4096, 17, 4096}, 2, false},
        {"nvidia", "", {1, 1, 4096, 4096}, 2, true},
        {"nvidia", "", {1, 1, 4096, 4096}, 4, false}, /* a row of its own */
        {"nvidia", "", {1, 4096, 1, 4096}, 4, false},
        {"nvidia", "", {1, 2, 4096, 4096}, 8, true},
        {"nvidia", "", {1, 2, 4096, 4096}, 16, false},
        {"nvidia", "", {1, 8, 1024, 1024}, 4, true},
        {"nvidia", "", {1, 8, 1024, 1023}, 4, false}, /* the operand is small */
        {"nvidia", "", {4, 8, 512, 512}, 4, true},    /* all matrices count */
        {"nvidia", "", {1, 8, 16384, 256}, 4, true},
        {"nvidia", "", {1, 8, 16384, 255}, 4, false},
        {"nvidia", "", {1, 8, 1009, 65536}, 4, true},
        {"nvidia", "", {1, 8, 1008, 65536}, 4, false}, /* few workgroups */
        {"nvidia", "max_invocations = 255\n", {1, 8, 4096, 4096}, 4, false},
        {"amd", "", {1, 4, 4096, 4096}, 2, true},
        {"amd", "", {1, 5, 4096, 4096}, 2, false},
        {"lavapipe", "", {1, 8, 11008, 4096}, 4, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tuning t = tuning_for(rows[i].profile, rows[i].change);
        CHECK(product_narrow(&t, &rows[i].p, rows[i].bytes) == rows[i].wanted, "narrow product %zu",
              i);
    }
}

/* The same of matrix units: matrices of 16 x 16 at most, loads of eight elements of 16 bits. An f32
   is two `halves` of 16 bits. */
static void test_matrix_tiles(const char *name, const struct matrix_tile *tiles, uint32_t n,
                              uint32_t halves)
{
    enum { MATRIX = 16, SUBGROUP = 32 };
    for (uint32_t i = 0; i < n; i++) {
        const struct matrix_tile *x = &tiles[i], *before = i ? x - 1 : NULL;
        CHECK(!before || x->m * x->n <= before->m * before->n,
              "%s: tile %u is larger than the one before", name, i);
        CHECK(x->each > 0 && x->alone >= x->each, "%s: tile %u takes %g ns, alone %g", name, i,
              x->each, x->alone);
        for (uint32_t j = 0; j < i;
             j++) /* or nothing is ever cut in it; fewer subgroups share less */
            CHECK(x->alone < tiles[j].alone || x->m < tiles[j].m || x->n < tiles[j].n ||
                      x->k < tiles[j].k ||
                      x->subgroup_m * x->subgroup_n > tiles[j].subgroup_m * tiles[j].subgroup_n,
                  "%s: tile %u is no better than tile %u", name, i, j);
        uint32_t threads = SUBGROUP * (x->m / x->subgroup_m) * (x->n / x->subgroup_n);
        CHECK(threads <= 256 &&
                  is_cut(x->m, x->n, x->k, x->subgroup_m, x->subgroup_n, EIGHT * threads),
              "%s: tile %u and its %u threads", name, i, threads);
        CHECK(x->subgroup_m % MATRIX == 0 && x->subgroup_n % MATRIX == 0 && x->k % MATRIX == 0,
              "%s: a part of tile %u is no whole matrices", name, i);
        CHECK(halves * x->k * (x->m + x->n) * 2 <= 32768,
              "%s: tile %u takes too much shared memory", name, i);
    }
}

static void test_tiles(void)
{
    for (const struct vkc_profile *p = vkc_profiles; p->name; p++) {
        struct tuning t = tuning_for(p->name, "");
        test_product_tiles(p->name, &t);
        test_matrix_tiles(p->name, t.matrix_tiles, t.nmatrix_tiles, 1);
        test_matrix_tiles(p->name, t.split_tiles, t.nsplit_tiles, 2);
    }
}

int main(void)
{
    struct vkc_target t;
    char error[256] = "";
    for (const struct vkc_profile *p = vkc_profiles; p->name; p++)
        test_shipped(p);
    CHECK(vkc_target_named("lavapipe", &t) && t.cpu && t.loop_limit, "lavapipe");
    CHECK(!vkc_target_named("nonsense", &t), "nonsense is not a profile");
    vkc_target_baseline(&t);
    CHECK(t.features == (VKB_FEATURE_F64 | VKB_FEATURE_I64),
          "the baseline has f64 and i64, found %x", t.features);
    const char *text =
        "# all kinds of blanks\n\n  max_bindings=12 # twelve\n\tfeatures = f16 , i8\n";
    CHECK(!vkc_target_parse(text, strlen(text), &t, error, sizeof error) &&
              strstr(error, "line 4: unknown feature 'i8'"),
          "%s", error);
    text = "  max_bindings=12 # twelve\r\n\tfeatures = f16 , i64\nfeatures =\nmax_groups = 1, 2 ,3";
    CHECK(vkc_target_parse(text, strlen(text), &t, error, sizeof error) && t.max_bindings == 12 &&
              t.features == 0 && t.max_groups[2] == 3,
          "%s", error);
    text = "max_binding_bytes = 256";
    CHECK(vkc_target_parse(text, strlen(text), &t, error, sizeof error) &&
              t.max_binding_bytes == 256,
          "%s", error);
    test_run_on();
    test_spirv();
    test_rows();
    test_tuning();
    test_tiles();
    test_narrow();
    test_refused("cpu", "line 1: expected key = value");
    test_refused("\ncpu = yes", "line 2: cpu must be true or false, found 'yes'");
    test_refused("max_invocations = 0", "from 1 to");
    test_refused("max_invocations = 4294967296", "from 1 to 4294967295");
    test_refused("max_invocations = -1", "from 1 to");
    test_refused("max_binding_bytes = 99999999999999999999999", "from 1 to");
    test_refused("max_binding_bytes = 18446744073709551616", "from 1 to");
    test_refused("max_invocations = 18446744073709551617", "from 1 to");
    test_refused("max_binding_bytes = 255", "at least 256, found '255'");
    test_refused("subgroup_size = 0", "from 1 to");
    test_refused("subgroup_size = 48", "a power of two");
    test_refused("spirv = 1.2", "from 1.3 to 1.6, found '1.2'");
    test_refused("spirv = 1.7", "from 1.3 to 1.6");
    test_refused("spirv = 1.30", "from 1.3 to 1.6");
    test_refused("max_groups = 1,2", "three numbers");
    test_refused("max_groups = 1,2,3,4", "three numbers");
    test_refused("name =", "1 to 127 characters");
    test_refused("speed = 9", "unknown key 'speed'");
    test_refused("features = f64,i64_atomics", "unknown feature 'i64_atomics'");
    CHECK(!vkc_target_parse("cpu\0=", 5, &t, error, sizeof error) && strstr(error, "NUL"), "%s",
          error);
    CHECK(!vkc_target_parse("cpu = 1", 7, &t, NULL, 0), "an error without room for it");
    return check_report();
}
