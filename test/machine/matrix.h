/* Matrices that a subgroup's invocations hold together (VK_KHR_cooperative_matrix), of the sizes in
   runtime/matrices.def. Here each invocation holds all of one: a load reads all of it, a store
   writes the elements that are the invocation's share. So races are found as for other accesses,
   whichever elements an invocation has on a device. */
#ifndef MACHINE_MATRIX_H
#define MACHINE_MATRIX_H

#include "group.h"

struct state;

/* Whether the module's matrix types are such as may be, and it declares what they take; and
   whether accesses to shared memory are such as a barrier of the Vulkan memory model orders. False
   with a message. */
bool matrix_check_module(const struct spirv_module *m, char *error, size_t error_size);

/* Loads, stores, products, also element by element, and matrices made of one
   number. False with an error. */
bool matrix_step(const struct state *s, const struct spirv_inst *i);

/* Makes room for what the subgroups do between two barriers. False: no memory. */
bool matrix_open_group(struct group *g);
void matrix_close_group(struct group *g);
/* At a barrier, or the end: whether the invocations of every subgroup did the same. */
bool matrix_meet(struct group *g);

#endif
