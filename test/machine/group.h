/* A workgroup: its invocations, its shared memory, and the bindings that it sees. */
#ifndef MACHINE_GROUP_H
#define MACHINE_GROUP_H

#include "../../runtime/bundle.h"
#include "machine.h"
#include "memory.h"
#include "module.h"

/* A range of device memory. */
struct binding {
    uint8_t *data;
    struct cell *cells; /* a word of 32 bits each */
    uint64_t bytes;
    uint32_t access; /* vkb_access bits */
};

enum { MAX_CALLS = 32 };

struct thread {
    uint64_t *file;           /* registers and variables */
    uint32_t at, from, label; /* instruction; labels: of the block before and of this one */
    uint32_t depth;
    struct {
        uint32_t at, to, label;
    } calls[MAX_CALLS];
    bool ended, fenced; /* made buffers visible since the last barrier */
    uint32_t ncalls;    /* instructions on matrices since the last barrier */
    uint64_t left;      /* instructions before it counts as one that does not end */
};

struct matrix_calls;

struct group {
    const struct spirv_module *module;
    const struct machine_options *options;
    const struct vkb_body *body;
    const struct binding *bindings;
    uint32_t nbindings;
    const uint32_t *pushed; /* constants */
    struct thread *threads;
    uint64_t *shared;
    struct cell *cells;         /* of shared memory */
    struct matrix_calls *calls; /* by subgroup, see matrix.c */
    struct moment now, shared_now;
    uint32_t index; /* of this workgroup */
    uint32_t interval, buffer_interval;
    char *error;
    size_t error_size;
};

/* Runs a thread to the next barrier, or to its end. False after an error. */
bool thread_run(struct group *g, uint32_t index);

/* Runs all threads of one to their ends. False with g->error. */
bool group_run(struct group *g, uint64_t *random);

/* splitmix64 */
uint64_t next_random(uint64_t *state);

#endif
