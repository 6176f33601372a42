/* No schedule asks for more threads or shared memory than a device has, whatever its limits:
   programs of each family, planned for devices with those of one profile made smaller and larger.
   No shader is compiled. */
#include <string.h>

#include "base/arena.h"
#include "check.h"
#include "passes/passes.h"
#include "plan/plan.h"
#include "base/str.h"

/* Programs of families whose schedules ask what a workgroup has. */
static const struct limited_case {
    const char *name, *text;
    enum vkc_type units; /* of a product on matrix units, else TYPE_NONE */
} limited[] = {
#define PROGRAM(params, first, nodes) \
    "graph \"t\" entry=f0 callbacks=0\nfunc f0(" params ") {\n" first nodes "}\n"
#define ONE(type, nodes) PROGRAM(type, "n0 = parameter index=0 : " type "\n", nodes "\nreturn n1\n")
#define TWO(a, b, nodes)                                                                  \
    PROGRAM(a ", " b, "n0 = parameter index=0 : " a "\nn1 = parameter index=1 : " b "\n", \
            nodes "\nreturn n2\n")
#define DOT "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : "
    {"halves", TWO("f16[160,96]", "f16[96,160]", DOT "f16[160,160]"), TYPE_F16},
    {"many halves", TWO("f16[2048,96]", "f16[96,2048]", DOT "f16[2048,2048]"), TYPE_F16},
    {"brains", TWO("bf16[800,96]", "bf16[96,1600]", DOT "bf16[800,1600]"), TYPE_BF16},
    {"floats", TWO("f32[512,96]", "f32[96,512]", DOT "f32[512,512]"), TYPE_F32},
    {"many floats", TWO("f32[2048,96]", "f32[96,2048]", DOT "f32[2048,2048]"), TYPE_F32},
    {"doubles", TWO("f64[512,96]", "f64[96,512]", DOT "f64[512,512]"), TYPE_NONE},
    {"complex", TWO("c64[512,96]", "c64[96,512]", DOT "c64[512,512]"), TYPE_NONE},
    {"wide complex", TWO("c128[512,96]", "c128[96,512]", DOT "c128[512,512]"), TYPE_NONE},
    {"a sum", ONE("f32[100,70000]", "n1 = sum n0 axes=[1] keep=false : f32[100]"), TYPE_NONE},
    {"a wide sum", ONE("c128[10,7000]", "n1 = sum n0 axes=[1] keep=false : c128[10]"), TYPE_NONE},
    {"columns", ONE("c128[7000,10]", "n1 = sum n0 axes=[0] keep=false : c128[10]"), TYPE_NONE},
    {"a sort",
     ONE("f32[30,70000]", "n1 = sort n0 axis=1 descending=false stable=true : f32[30,70000]"),
     TYPE_NONE},
    {"a wide sort",
     ONE("u64[70000,3]", "n1 = argsort n0 axis=0 descending=false stable=true : s64[70000,3]"),
     TYPE_NONE},
    {"a transform", ONE("c64[30,30000]", "n1 = fft n0 axis=1 length=30000 : c64[30,30000]"),
     TYPE_NONE},
    {"a wide transform", ONE("c128[4096,3]", "n1 = fft n0 axis=0 length=4096 : c128[4096,3]"),
     TYPE_NONE},
    {"turned", ONE("f64[700,900]", "n1 = transpose n0 axes=[1,0] : f64[900,700]"), TYPE_NONE},
};

/* A device of 128 invocations to 1024, and of shared memory from what Vulkan promises. */
static const uint32_t invocations_of[] = {128, 256, 512, 1024},
                      bytes_of[] = {16384, 20480, 24576, 32768, 49152, 65536, 131072};
enum { INVOCATIONS = 4, BYTES = 7 };

/* Whether there is a body on matrix units. No body asks for more than there is. */
static bool check_limited(const struct limited_case *c, const struct vkc_target *target)
{
    struct arena a;
    struct graph g;
    struct plan p;
    struct diag d = {0};
    bool on_units = false;
    const struct vkc_options options = {.target = target};
    const struct pass_options passes = {.target = target};
    arena_init(&a, 0);
    bool ok = ir_parse(&a, c->text, strlen(c->text), &g, &d) && ir_verify(&g, &d) &&
              passes_run(&g, &passes, &d) && plan_build(&a, &g, &options, target, &p, &d);
    CHECK(ok, "%s: %s", c->name, d.message);
    for (uint32_t i = 0; ok && i < p.nkernels; i++)
        for (const struct kernel *k = &p.kernels[i]; k; k = k->variant) {
            CHECK(k->schedule.group > 0 && k->schedule.group <= target->max_invocations,
                  "%s: a workgroup of %u of %u threads", k->label, k->schedule.group,
                  target->max_invocations);
            CHECK(k->shared_bytes <= target->max_shared_bytes, "%s: %u bytes of %u are shared",
                  k->label, k->shared_bytes, target->max_shared_bytes);
            on_units |= k->matrix != 0;
        }
    arena_finish(&a);
    return on_units;
}

/* Matrix units are used where the plain product has tiles, of 256 threads, and the smallest tile
   of 64 x 64 fits: two arrays of 5 KB, of which f32 has each twice; its halves know subgroups of
   32. */
static void check_limits(uint32_t subgroup_size)
{
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
        for (uint32_t n = 0; n < INVOCATIONS; n++)
            for (uint32_t b = 0; b < BYTES; b++) {
                const struct limited_case *c = &limited[i];
                struct vkc_target target;
                CHECK(vkc_target_named("nvidia", &target), "the profile");
                target.subgroup_size = subgroup_size;
                target.max_invocations = invocations_of[n];
                target.max_shared_bytes = bytes_of[b];
                bool on_units = check_limited(c, &target), has_threads = invocations_of[n] >= 256,
                     is_wanted = c->units == TYPE_F32
                                     ? has_threads && bytes_of[b] > 20480 && subgroup_size == 32
                                     : c->units != TYPE_NONE && has_threads;
                CHECK(on_units == is_wanted,
                      "%s with %u threads, %u bytes, subgroups of %u: %s matrix units", c->name,
                      invocations_of[n], bytes_of[b], subgroup_size, on_units ? "on" : "not on");
            }
}

int main(void)
{
    check_limits(32);
    check_limits(64);
    return check_report();
}
