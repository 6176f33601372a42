/* Functions of one instance, for batch_instances.c. A scope is a function that is copied, in part,
   into another: of each value the row of one instance, or all of it where instances share it, or
   both. First needs are walked from results to parameters, and refused where a rule does not hold;
   then what is needed is made, in order. */
#ifndef VKC_BATCH_H
#define VKC_BATCH_H

#include "ir/ir.h"

enum need { NEED_ROW = 1, NEED_ALL = 2 };

struct batch {
    struct graph *g;
    uint32_t func;           /* whose results have the rows */
    struct instances *found; /* what is made of it */
    struct arena *arena;     /* until the pass ends */
    struct diag *d;
    int64_t count;
    uint32_t depth;
    bool failed; /* out of memory */
};

struct scope {
    struct batch *b;
    uint32_t func;    /* that is copied */
    uint32_t to;      /* and where */
    uint32_t *first;  /* slot of the outputs of each node */
    uint8_t *need;    /* by slot */
    uint8_t *may;     /* by parameter: what can be had of it */
    uint8_t *param;   /* by parameter: what is needed */
    uint32_t refused; /* a parameter of which more is needed than can be had, or VKC_NO_NODE */
    struct value *row, *all;             /* by slot, in `to` */
    struct value *given_row, *given_all; /* by parameter, in `to` */
    struct loop_scopes **loops;          /* by node */
};

/* ---- batch_loop.c ---- */
/* What the loop needs of its inputs so that its outputs have what s->need says. */
bool batch_loop_needs(struct scope *s, node_id id);
bool batch_loop_make(struct scope *s, node_id id);

/* ---- batch_rows.c ---- */
/* By input, what a row of the node's output needs; false when a rule does not hold. */
bool batch_row_needs(const struct batch *b, const struct func *f, const struct node *n,
                     uint8_t *out);
/* The row from those inputs. */
bool batch_row_make(struct scope *s, const struct node *n, const struct value *ins,
                    struct value *out);

/* ---- batch_scope.c ---- */
bool scope_open(struct batch *b, uint32_t func, struct scope *out);
void scope_need(struct scope *s, struct value v, uint8_t need);
/* From the needs of results to s->param. */
bool scope_needs(struct scope *s);
/* With s->given_row and s->given_all. */
bool scope_make(struct scope *s);
struct value scope_value(const struct scope *s, struct value v, uint8_t need);
/* Appends the node, whose arrays are copied, to the function that is made. */
bool scope_append(struct scope *s, const struct node *n, struct value *out);
bool scope_reshape(struct scope *s, struct value v, const struct tensor *to, struct value *out);
bool batch_no_memory(struct batch *b);

#endif
