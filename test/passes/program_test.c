/* Which loops are workgroup programs, and of how many threads. No shader is compiled. */
#include <string.h>

#include "planned.h"

/* A loop of as many rounds as an input says, whose carried values are A, B and the rounds left:
   what it does to A and B, and the threads of the workgroup program that it is; 0: it is none. A
   program walks values of up to 8,192 elements, and takes in up to 2^20 for a product; what a loop
   only reads may be larger. It has as many threads as the largest value keeps busy, whole subgroups
   of 32 at least. */
static const struct loop_case {
    const char *name, *a, *b, *body, *next;
    uint32_t threads;
} loops[] = {
    {"a loop of 8,192 elements", "f32[8192]", "f32[]",
     "n6 = sin n0 : f32[8192]\nn7 = broadcast n1 axes=[] : f32[8192]\nn8 = add n6, n7 : f32[8192]\n",
     "n8, n1", 256},
    {"a loop of 8,193 elements", "f32[8193]", "f32[]",
     "n6 = sin n0 : f32[8193]\nn7 = broadcast n1 axes=[] : f32[8193]\nn8 = add n6, n7 : f32[8193]\n",
     "n8, n1", 0},
    {"a loop that reads a table", "f32[20000]", "s32[4,1]",
     "n6 = gather n0, n1 axes=[0] : f32[4]\nn7 = as_type n6 : s32[4]\nn8 = reshape n7 : s32[4,1]\n"
     "n9 = add n8, n1 : s32[4,1]\n",
     "n0, n9", 32},
    {"a loop that writes a table", "f32[20000]", "s32[4,1]",
     "n6 = gather n0, n1 axes=[0] : f32[4]\nn7 = sin n6 : f32[4]\n"
     "n8 = indexed_put n0, n1, n7 axes=[0] : f32[20000]\n",
     "n8, n1", 0},
    {"a loop that swaps large values", "f32[8193]", "f32[8193]", "", "n1, n0", 0},
    {"a loop that swaps small values", "f32[8192]", "f32[8192]", "", "n1, n0", 256},
    {"a loop around a large value", "f32[8]", "f32[]",
     "n6 = broadcast n0 axes=[0] : f32[8,2000]\nn7 = sin n6 : f32[8,2000]\n"
     "n8 = sum n7 axes=[1] keep=false : f32[8]\nn9 = reduce_max n7 axes=[0] keep=false : f32[2000]\n"
     "n10 = sum n9 axes=[0] keep=false : f32[]\n",
     "n8, n10", 256},
    {"a loop of 32 elements", "f32[32]", "f32[]", "n6 = sin n0 : f32[32]\n", "n6, n1", 32},
    {"a loop of 33 elements", "f32[33]", "f32[]", "n6 = sin n0 : f32[33]\n", "n6, n1", 64},
    {"a loop of 65 elements", "f32[65]", "f32[]", "n6 = sin n0 : f32[65]\n", "n6, n1", 128},
    {"a loop of sums of 200 elements", "f32[200]", "f32[]",
     "n6 = broadcast n1 axes=[] : f32[200]\nn7 = multiply n0, n6 : f32[200]\n"
     "n8 = sum n7 axes=[0] keep=false : f32[]\n",
     "n0, n8", 256},
    {"a loop with products of 128 x 64", "f32[128,128]", "f32[128,64]",
     "n6 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[128,64]\n"
     "n7 = sin n6 : f32[128,64]\n",
     "n0, n7", 256},
    {"a loop with products of 129 x 63", "f32[129,129]", "f32[129,63]",
     "n6 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[129,63]\n"
     "n7 = sin n6 : f32[129,63]\n",
     "n0, n7", 256},
    {"a loop with products of 130 x 63", "f32[130,130]", "f32[130,63]",
     "n6 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[130,63]\n"
     "n7 = sin n6 : f32[130,63]\n",
     "n0, n7", 0},
};

static void check_loop(const struct loop_case *c, const struct vkc_target *target)
{
    struct arena a;
    struct plan p;
    arena_init(&a, 0);
    const char *text = arena_printf(
        &a,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s, %s, s32[]) {\nn0 = parameter index=0 : %s\n"
        "n1 = parameter index=1 : %s\nn2 = parameter index=2 : s32[]\n"
        "n3 = while n0, n1, n2 regions=[f1,f2] : %s, %s, s32[]\nreturn n3.0, n3.1\n}\n"
        "func f1(%s, %s, s32[]) {\nn0 = parameter index=2 : s32[]\nn1 = constant bits=00000000 : s32[]\n"
        "n2 = greater n0, n1 : u8[]\nreturn n2\n}\n"
        "func f2(%s, %s, s32[]) {\nn0 = parameter index=0 : %s\nn1 = parameter index=1 : %s\n"
        "n2 = parameter index=2 : s32[]\nn3 = constant bits=ffffffff : s32[]\n"
        "n4 = add n2, n3 : s32[]\n%sreturn %s, n4\n}\n",
        c->a, c->b, c->a, c->b, c->a, c->b, c->a, c->b, c->a, c->b, c->a, c->b, c->body, c->next);
    if (plan_for(&a, c->name, target, text, NULL, &p)) {
        uint32_t programs = 0, threads = 0;
        for (uint32_t i = 0; i < p.nkernels; i++)
            if (p.kernels[i].family == KERNEL_GROUP) {
                programs++;
                threads = p.kernels[i].schedule.group;
            }
        CHECK(programs == (c->threads > 0) && threads == c->threads,
              "%s: %u workgroup programs, of %u threads", c->name, programs, threads);
    }
    arena_finish(&a);
}

int main(void)
{
    struct vkc_target target;
    CHECK(vkc_target_named("nvidia", &target), "the profile");
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (check_wanted(loops[i].name))
            check_loop(&loops[i], &target);
    return check_report();
}
