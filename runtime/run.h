/* One run of a program: what it has bound, and how far it has got. A run that the host steers
   goes on in steps, on any thread, and belongs to no thread while a callback works. *Threads*:
   hold the device lock throughout. */
#ifndef VKR_RUN_H
#define VKR_RUN_H

#include "slot.h"

enum run_stage {
    RUN_TURN, /* another run holds the program */
    RUN_BIND,
    RUN_FOLLOW,   /* at item `at` of the script */
    RUN_CALLBACK, /* there, with host copies of what the callback reads and writes */
    RUN_OVER,
};

/* Host copies of the bindings of a host step, one after the other in `bytes`. */
struct host_call {
    uint8_t *bytes;
    void **pointers;
    uint64_t *sizes;
    uint32_t nread, count; /* bindings read; those written follow */
};

struct vkr_call {
    struct vkr_program *program;
    const vkr_buffer *inputs;
    vkr_buffer *outputs;
    struct slot *slot; /* NULL: not bound */
    uint64_t value;    /* last submission of this run */
    uint32_t nbatch;   /* segments in program->batch */

    /* The rest is for runs that hold the program. */
    enum run_stage stage;
    uint64_t until;          /* of queue_now: when this step is to return */
    bool is_late;            /* it is to return now; what was begun goes on in the next step */
    bool is_hurried;         /* late rather than make memory, slots or long recordings */
    bool is_done;            /* over, with its results */
    uint32_t at;             /* item of the script */
    uint32_t rounds, blocks; /* of a repetition: rounds pushed; how many at once */
    uint32_t most;           /* rounds of a repetition in one submission */
    uint64_t last, before;   /* submission of the last flush, and of the one before it */
    uint64_t paced_ns;       /* when `before` had finished, or the run begun */
    struct host_call host;
    bool is_blocking; /* a vkr_run, of ... */
    pthread_t thread;
    vkr_counters counters; /* when it began, and when that was: for VKR_DEBUG=trace */
    double start;
};

/* Binds everything to run->slot. On success outputs that were 0 have buffers, not yet told to
   the caller. *Blocks*, dropping the lock, only if every slot is in use by unfinished runs;
   where that takes too long, the run is late, and nothing is bound. */
vkr_status run_bind(struct vkr_call *run, vkr_error *err);
/* Frees the outputs that run_bind made. */
void run_unbind(struct vkr_call *run);
/* Notes the run's last submission at all it touched. */
void run_note_uses(struct vkr_call *run);
/* Tells the caller the outputs' handles. */
void run_publish(struct vkr_call *run);
/* While pinned, what is bound keeps its memory. */
void run_pin(struct vkr_call *run, bool pin);
/* The latest submission that anything bound depends on. */
uint64_t run_ready(const struct vkr_call *run);

/* Whether submission `value` has finished; waits for that, and the run is late if it takes too
   long. */
vkr_status run_wait(struct vkr_call *run, uint64_t value, vkr_error *err);

#endif
