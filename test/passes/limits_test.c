/* No schedule asks for more threads or shared memory than a device has, and no kernel for more
   buffers, whatever its limits: programs of each family, planned for devices with those of one
   profile made smaller and larger. No shader is compiled. */
#include <string.h>

#include "../../runtime/door.h"
#include "planned.h"

/* Programs of families whose schedules ask what a workgroup has. */
static const struct limited_case {
    const char *name, *text;
    /* of a product on matrix units, or TYPE_NONE; TYPE_COUNT: the memory decides */
    enum vkc_type units;
} limited[] = {
#define PROGRAM(params, first, nodes) \
    "graph \"t\" entry=f0 callbacks=0\nfunc f0(" params ") {\n" first nodes "}\n"
#define ONE(type, nodes) PROGRAM(type, "n0 = parameter index=0 : " type "\n", nodes "\nreturn n1\n")
#define TWO(a, b, nodes)                                                                  \
    PROGRAM(a ", " b, "n0 = parameter index=0 : " a "\nn1 = parameter index=1 : " b "\n", \
            nodes "\nreturn n2\n")
#define BLOCK(name, a, outs, results, expansion)                                              \
    PROGRAM(a, "n0 = parameter index=0 : " a "\n",                                            \
            "n1 = block n0 name=\"LinAlg." name "\" regions=[f1] : " outs "\nreturn " results \
            "\n}\nfunc f1(" a ") {\nn0 = parameter index=0 : " a "\n" expansion "\n")
/* Queries and keys of 64, values of `w`. */
#define ATTENTION(t, b, m, w)                                                                     \
    "graph \"t\" entry=f0 callbacks=0\nfunc f0(" t "[" b "," m ",64], " t "[" b "," m ",64], " t  \
    "[" b "," m "," w "]) {\nn0 = parameter index=0 : " t "[" b "," m ",64]\n"                    \
    "n1 = parameter index=1 : " t "[" b "," m ",64]\nn2 = parameter index=2 : " t "[" b "," m     \
    "," w "]\nn3 = dot n0, n1 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : " t "[" b   \
    "," m "," m "]\nn4 = reduce_max n3 axes=[2] keep=false : " t "[" b "," m "]\n"                \
    "n5 = broadcast n4 axes=[0,1] : " t "[" b "," m "," m "]\nn6 = subtract n3, n5 : " t "[" b    \
    "," m "," m "]\nn7 = exp n6 : " t "[" b "," m "," m "]\nn8 = sum n7 axes=[2] keep=false : " t \
    "[" b "," m "]\nn9 = broadcast n8 axes=[0,1] : " t "[" b "," m "," m                          \
    "]\nn10 = divide n7, n9 : " t "[" b "," m "," m                                               \
    "]\nn11 = dot n10, n2 contract_a=[2] batch_a=[0] contract_b=[1] "                             \
    "batch_b=[0] : " t "[" b "," m "," w "]\nreturn n11\n}\n"
#define DOT "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : "
    {"halves", TWO("f16[160,96]", "f16[96,160]", DOT "f16[160,160]"), TYPE_F16},
    {"many halves", TWO("f16[2048,96]", "f16[96,2048]", DOT "f16[2048,2048]"), TYPE_F16},
    {"brains", TWO("bf16[800,96]", "bf16[96,1600]", DOT "bf16[800,1600]"), TYPE_BF16},
    {"floats", TWO("f32[512,96]", "f32[96,512]", DOT "f32[512,512]"), TYPE_F32},
    {"many floats", TWO("f32[2048,96]", "f32[96,2048]", DOT "f32[2048,2048]"), TYPE_F32},
    {"doubles", TWO("f64[512,96]", "f64[96,512]", DOT "f64[512,512]"), TYPE_NONE},
    {"complex", TWO("c64[512,96]", "c64[96,512]", DOT "c64[512,512]"), TYPE_NONE},
    {"wide complex", TWO("c128[512,96]", "c128[96,512]", DOT "c128[512,512]"), TYPE_NONE},
    {"attention", ATTENTION("f16", "4", "512", "64"), TYPE_F16},
    {"wide attention", ATTENTION("bf16", "2", "1024", "128"), TYPE_BF16},
    {"attention of wide values", ATTENTION("f32", "9", "16384", "256"), TYPE_COUNT},
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
    {"LU",
     BLOCK("LU", "f32[2,300,300]", "f32[2,300,300], f32[2,300,300], f32[2,300,300]",
           "n1.0, n1.1, n1.2", "return n0, n0, n0"),
     TYPE_NONE},
    {"LU of doubles",
     BLOCK("LU", "f64[700,700]", "f64[700,700], f64[700,700], f64[700,700]", "n1.0, n1.1, n1.2",
           "return n0, n0, n0"),
     TYPE_NONE},
    {"QR", BLOCK("QR", "f32[300,300]", "f32[300,300], f32[300,300]", "n1.0, n1.1", "return n0, n0"),
     TYPE_COUNT},
    {"QR of doubles",
     BLOCK("QR", "f64[2,70,70]", "f64[2,70,70], f64[2,70,70]", "n1.0, n1.1", "return n0, n0"),
     TYPE_NONE},
    {"QR of many rows",
     BLOCK("QR", "f64[9000,20]", "f64[9000,20], f64[20,20]", "n1.0, n1.1",
           "n1 = constant bits=0000000000000000 : f64[20,20]\nreturn n0, n1"),
     TYPE_NONE},
    {"Cholesky", BLOCK("Cholesky", "c64[3,100,100]", "c64[3,100,100]", "n1", "return n0"),
     TYPE_NONE},
    {"Cholesky of doubles", BLOCK("Cholesky", "c128[200,200]", "c128[200,200]", "n1", "return n0"),
     TYPE_NONE},
    {"Eigh",
     BLOCK("Eigh", "f32[2,100,100]", "f32[2,100], f32[2,100,100]", "n1.0, n1.1",
           "n1 = constant bits=00000000 : f32[2,100]\nreturn n1, n0"),
     TYPE_NONE},
    {"Eigh of doubles",
     BLOCK("Eigh", "c128[80,80]", "f64[80], c128[80,80]", "n1.0, n1.1",
           "n1 = constant bits=0000000000000000 : f64[80]\nreturn n1, n0"),
     TYPE_NONE},
    {"SVD",
     BLOCK("SVD", "f64[90,90]", "f64[90,90], f64[90], f64[90,90]", "n1.0, n1.1, n1.2",
           "n1 = constant bits=0000000000000000 : f64[90]\nreturn n0, n1, n0"),
     TYPE_NONE},
    {"a solve",
     TWO("f64[300,300]", "f64[300,70]",
         "n2 = triangular_solve n0, n1 left_side=true lower=true transform=\"none\" : f64[300,70]"),
     TYPE_NONE},
    {"a running sum",
     PROGRAM("c128[9,9000]", "n0 = parameter index=0 : c128[9,9000]\n",
             "n1 = block n0 name=\"CumulativeSum\" options=\"axis=1;reverse=false\" regions=[f1] : "
             "c128[9,9000]\nreturn n1\n}\nfunc f1(c128[9,9000]) {\n"
             "n0 = parameter index=0 : c128[9,9000]\nreturn n0\n"),
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
    struct plan p;
    bool on_units = false;
    arena_init(&a, 0);
    bool ok = plan_for(&a, c->name, target, c->text, NULL, &p);
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

/* Matrix units are used where the plain product has tiles, of 256 threads, and the smallest tile of
   64 x 64 fits: two arrays of 5 KB, of which f32 has each twice; its halves need subgroups of
   32. */
static void check_limits(uint32_t subgroup_size)
{
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
        for (uint32_t n = 0; n < INVOCATIONS; n++)
            for (uint32_t b = 0; b < BYTES; b++) {
                const struct limited_case *c = &limited[i];
                struct vkc_target target;
                if (c->units == TYPE_NONE && (subgroup_size > 32 || (n + b) % 3 != 0))
                    continue; /* of these a third, with each limit */
                CHECK(vkc_target_named("nvidia", &target), "the profile");
                target.subgroup_size = subgroup_size;
                target.max_invocations = invocations_of[n];
                target.max_shared_bytes = bytes_of[b];
                bool on_units = check_limited(c, &target), has_threads = invocations_of[n] >= 256,
                     is_wanted = c->units == TYPE_F32
                                     ? has_threads && bytes_of[b] > 20480 && subgroup_size == 32
                                     : c->units != TYPE_NONE && has_threads;
                CHECK(c->units == TYPE_COUNT || on_units == is_wanted,
                      "%s with %u threads, %u bytes, subgroups of %u: %s matrix units", c->name,
                      invocations_of[n], bytes_of[b], subgroup_size, on_units ? "on" : "not on");
            }
}

/* All threads of a workgroup load as many vectors of eight of an operand. With subgroups of 128 a
   tile of 128 x 128 has one for each of its 512 threads, and smaller ones half a one: where a
   workgroup has fewer threads, a product has no body on matrix units. */
static void check_wide_subgroups(void)
{
    static const struct limited_case cases[] = {
        {"many tiles", TWO("f16[2048,96]", "f16[96,2048]", DOT "f16[2048,2048]"), TYPE_F16},
        {"few tiles", TWO("f16[640,96]", "f16[96,1280]", DOT "f16[640,1280]"), TYPE_F16},
        {"few columns", TWO("f16[1280,96]", "f16[96,640]", DOT "f16[1280,640]"), TYPE_F16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vkc_target target;
        CHECK(vkc_target_named("nvidia", &target), "the profile");
        CHECK(check_limited(&cases[i], &target), "%s: not on matrix units", cases[i].name);
        target.subgroup_size = 128;
        CHECK(check_limited(&cases[i], &target), "%s, subgroups of 128: not on matrix units",
              cases[i].name);
        target.max_invocations = 511;
        CHECK(!check_limited(&cases[i], &target), "%s, subgroups of 128 and 511 threads: on them",
              cases[i].name);
    }
}

/* A value that two kernels compute, dear enough to be stored by one of them, is stored only where
   the other has room to load it besides the rest: sums of columns of three buffers without it, and
   sums of rows. */
static void check_buffers(void)
{
#define STEP(n, of) "n" #n " = erf_inv n" #of " : f32[512,512]\n"
    static const char *const text = PROGRAM(
        "f32[512,512], f32[512,512]",
        "n0 = parameter index=0 : f32[512,512]\nn1 = parameter index=1 : f32[512,512]\n",
        STEP(2, 0) STEP(3, 2) STEP(4, 3) STEP(5, 4) STEP(6, 5)
            STEP(7, 6) "n8 = multiply n7, n0 : f32[512,512]\nn9 = multiply n8, n1 : f32[512,512]\n"
                       "n10 = sum n9 axes=[0] keep=false : f32[512]\n"
                       "n11 = sum n7 axes=[1] keep=false : f32[512]\nreturn n10, n11");
    for (uint32_t room = 3; room <= 4; room++) {
        struct vkc_target target;
        struct arena a;
        struct plan p;
        uint32_t most = 0;
        arena_init(&a, 0);
        CHECK(vkc_target_named("baseline", &target), "the profile");
        target.max_bindings = room;
        bool ok = plan_for(&a, "buffers", &target, text, NULL, &p);
        for (uint32_t i = 0; ok && i < p.nkernels; i++)
            most = p.kernels[i].nbound > most ? p.kernels[i].nbound : most;
        CHECK(!ok || most == room, "room for %u buffers: a kernel has %u", room, most);
        arena_finish(&a);
    }
}

/* No kernel has more buffers than libvkr admits of a bundle that it does not trust, whatever the
   target says: 300 parameters, joined. */
static void check_most_buffers(void)
{
    enum { COUNT = 300 };
    struct vkc_target target;
    struct arena a;
    struct plan p;
    struct str text;
    uint32_t most = 0;
    arena_init(&a, 0);
    str_init(&text, &a);
    CHECK(vkc_target_named("baseline", &target), "the profile");
    target.max_bindings = 1000000;
    str_printf(&text, "graph \"t\" entry=f0 callbacks=0\nfunc f0(");
    for (int i = 0; i < COUNT; i++)
        str_printf(&text, "%sf32[64]", i ? ", " : "");
    str_printf(&text, ") {\n");
    for (int i = 0; i < COUNT; i++)
        str_printf(&text, "n%d = parameter index=%d : f32[64]\n", i, i);
    str_printf(&text, "n%d = concatenate ", COUNT);
    for (int i = 0; i < COUNT; i++)
        str_printf(&text, "%sn%d", i ? ", " : "", i);
    str_printf(&text, " axis=0 : f32[%d]\nreturn n%d\n}\n", 64 * COUNT, COUNT);
    bool ok = plan_for(&a, "many buffers", &target, str_text(&text), NULL, &p);
    for (uint32_t i = 0; ok && i < p.nkernels; i++)
        most = p.kernels[i].nbound > most ? p.kernels[i].nbound : most;
    CHECK(ok && most > 200 && most <= DOOR_MAX_BINDINGS, "a kernel has %u buffers", most);
    arena_finish(&a);
}

int main(void)
{
    check_limits(32);
    check_most_buffers();
    check_limits(64);
    check_wide_subgroups();
    check_buffers();
    return check_report();
}
