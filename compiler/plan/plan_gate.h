/* Flows, and the gates that turn them on and off. A *flow* is a word in memory that is 1 while the
   steps that depend on it run. Their dispatches read their group counts from memory next to the
   word. A *gate*, a kernel of one thread, writes the counts or zeros there. */
#ifndef VKC_PLAN_GATE_H
#define VKC_PLAN_GATE_H

#include "plan/planner.h"

#define ALWAYS UINT32_MAX /* the flow of what is not turned off */

/* A dispatch whose group counts depend on a flow. */
struct gated {
    uint32_t flow, at; /* words */
    uint32_t kernel;
    uint32_t next; /* that follows the same flow, or NO_INDEX */
};

struct gate {
    const char *label, *text;
    uint32_t flows[3], nflows; /* the words that it writes and dispatches depend on */
    uint32_t kernel;
};

/* One nest of loops and branches, with words of its own. */
struct nest {
    struct planner *b;
    uint32_t words; /* buffer */
    uint32_t nwords;
    struct gated *gated;
    uint32_t ngated, cap_gated;
    struct gate *gates;
    uint32_t ngates, cap_gates;
    uint32_t *running; /* words `runs` of loops in loops */
    uint32_t nrunning, cap_running;
};

bool nest_begin(struct nest *n, struct planner *b);
/* The first of so many new words. */
uint32_t nest_words(struct nest *n, uint32_t count);
/* A gate with its step. `predicate`: NO_INDEX, or what it reads as `holds`. The text is lines of
   GLSL. */
bool nest_gate(struct nest *n, struct block *to, uint32_t predicate, const char *label,
               struct gate **out);
/* w[word] = expression, which every dispatch of that flow follows. */
void gate_set(struct nest *n, struct gate *g, uint32_t word, const char *expression);
/* The flow's word, in GLSL. */
const char *flow_text(struct nest *n, uint32_t flow);
bool block_append(struct planner *b, struct block *to, const struct task_step *t);
/* A dispatch that runs while the flow is on. */
bool nest_dispatch(struct nest *n, uint32_t flow, const struct task_step *t, struct block *to);
/* The gates' code, now that it is known what depends on each flow. */
bool nest_finish(struct nest *n);

#endif
