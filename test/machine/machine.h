/* A Vulkan device made of plain C, as strict as the specification allows: it runs a bundle's plan,
   kernel by kernel, by interpreting the SPIR-V, and refuses what a driver may let pass. Those are

     two invocations that touch a word of shared memory, one of them writing, with no barrier
       between them;
     two writes of that kind in a buffer, and anything of the kind between steps with no barrier
       in the plan (a read that races with a write of the same dispatch gives garbage, which is
       an error only if it is used);
     a barrier that only some invocations of a workgroup reach;
     an index that is not within its array or its binding; a division by 0, a shift by more bits
       than there are;
     matrices (VK_KHR_cooperative_matrix) whose instructions the invocations of a subgroup do not
       execute alike, that reach past their array, or that the device does not have;
     with the Vulkan memory model, accesses to shared memory that barriers do not order;
     an invocation that does not end.

   Invocations run one after the other from barrier to barrier, in an order that the seed
   decides. Shared memory, the arena and outputs begin with garbage. Arithmetic is what the
   features of a target say: see machine_options. Knows nothing of the compiler. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions that touched buffers, of all invocations: a vector and a texel are one. */
struct machine_counts {
    uint64_t loads, stores;
};

struct machine_options {
    bool fma;       /* fma() rounds once, and takes f32 subnormals for 0, as NVIDIA's; else twice */
    bool flushes;   /* comparisons, abs, min and max of f32 take subnormals for 0 */
    bool contracts; /* what is not declared precise is fused: a product that is added */
    bool plain;     /* of each kernel the last body, not the first */
    uint32_t subgroup_size; /* consecutive invocations; 0: kernels may not ask */
    uint32_t matrices;      /* bits 1u << vkb_matrix of what matrix units multiply */
    uint64_t seed; /* the order of invocations, garbage, and what NaN does to min and max */
    struct machine_counts *counts; /* are added to; NULL: nobody asks */
};

struct vkb_view;

/* The body of the kernel that it runs: the first but for those on matrices of a whole workgroup. */
uint32_t machine_body(const struct vkb_view *v, uint32_t kernel);

/* Runs a verified bundle without callbacks. `inputs` are dense arrays, NULL where an input is
   not used; outputs[i] is allocated. False with one line in `error`, and no outputs. */
bool machine_run(const void *bundle, size_t size, const void *const *inputs, void **outputs,
                 const struct machine_options *options, char *error, size_t error_size);

#endif
