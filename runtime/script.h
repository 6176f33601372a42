/* The order in which a program's steps are submitted: runs of dispatches and copies become
   segments, each recorded once into a command buffer of its own; loops, branches and host calls
   become jumps between them, taken by the host. A repetition is part of a segment, where it is
   short; a longer one has a segment of a few rounds that is submitted many times. A program
   without control steps is one segment. Pure: knows the bundle, not Vulkan. */
#ifndef VKR_SCRIPT_H
#define VKR_SCRIPT_H

#include "bundle.h"
#include "error.h"

struct segment {
    uint32_t first, count; /* steps, each DISPATCH, COPY or REPEAT */
    uint32_t rounds;       /* how often they are recorded, one time after the other */
    uint32_t ndispatches;  /* of all rounds */
    uint32_t predicate;    /* vkb_buffer that the host reads after it, or VKB_NONE */
};

enum script_op {
    SCRIPT_SUBMIT, /* segment `argument`, `times` over */
    SCRIPT_UNTIL,  /* segment `argument`, again and again, until the flag `buffer` is 0 */
    SCRIPT_UNLESS, /* wait; if the predicate `buffer` is 0, go on at item `argument` */
    SCRIPT_JUMP,   /* go on at item `argument` */
    SCRIPT_HOST,   /* wait; call for step `argument` */
    SCRIPT_END,
};

struct script_item {
    enum script_op op;
    uint32_t argument, buffer, times;
};

struct script {
    struct segment *segments;
    struct script_item *items;
    uint32_t nsegments, nitems;
    uint32_t segment_capacity, item_capacity;
    bool is_single;  /* a segment for every step */
    bool is_steered; /* the host takes part: control steps, or every step */
    bool has_host_steps;
};

/* With `single` every step is a segment of its own, and the host takes part. *Owns*: the caller,
   script_finish. */
vkr_status script_build(const struct vkb_view *bundle, bool single, struct script *out,
                        vkr_error *err);
void script_finish(struct script *script);

#endif
