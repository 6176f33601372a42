/* Emitting the value of a node at an index: the heart of code generation. A kernel asks for its
   roots at its loop indices. emit_value walks towards the operands, rewrites the index at every
   movement op, writes one statement per computed node, and stops at what is loaded from a buffer.

   Statements go to the outermost scope that has all their operands, so that what does not change
   in a loop is computed before it. Within a scope a node at one index is computed once. */
#ifndef VKC_EMIT_H
#define VKC_EMIT_H

#include "codegen/emit/slots.h"
#include "codegen/index.h"
#include "codegen/needs.h"
#include "codegen/template.h"
#include "codegen/unit.h"

struct memo;
struct named;
struct turn;

struct scope {
    struct scope *parent;
    uint32_t depth;
    struct str text;
    struct memo *memo[64];
    struct named *loads; /* whole vectors and words, see emit_memory.c */
    /* a number that others are divided by, and the variable of its inverse */
    const char *inverse_of, *inverse;
};

struct emit {
    struct arena *arena;
    struct unit *unit;
    const struct func *func;
    struct kernel *kernel;
    struct ix_ctx *ix;
    struct scope *scope;        /* the innermost */
    const struct ix *lane;      /* the lane variable of a vectorised loop, or NULL */
    const struct ix *collected; /* MAP: the same for stores, also where loads do not take vectors */
    uint32_t lanes;             /* how many lanes it has */
    bool unrounded;             /* f16 and bf16 stay what they were computed as, in f32 */
    bool vectors;         /* elements of a group of four are asked for together: load them as one */
    bool eights;          /* the same of eight elements of 16 bits, where memory has them so */
    struct slots *heroes; /* by slot: the finished values of heroes */
    const struct ix *hero_index; /* the flat index at which heroes may be read */
    /* of four that a thread loads before it stores any, the first: to what is replaced all are one;
       NULL where a family does not say so */
    const struct ix *first_index;
    /* LINES: the words of the hero's element, in planes `plane` elements apart; else NULL */
    const char *planes[3];
    int64_t plane;
    const struct ix *row, *position; /* ROWS: to see in which direction loads run */
    /* loads whose neighbours in memory are in the row, in other rows */
    uint32_t along_row, along_outer;
    /* what follows the names of heroes' accumulators, which are elements of arrays; or NULL */
    const char *of_accumulator;
    uint32_t held_words; /* ROWS: of an element, see family/row_held.h */
    struct turn *turn;   /* MAP: what family/turn.c knows of loads that run across their memory */
    /* MAP, or NULL: sees every load; gives the text of one that is in shared memory by now, else
       NULL */
    void (*note_load)(struct emit *e, struct value v, const struct ix *flat);
    const char *(*loaded)(const struct emit *e, struct value v, const struct ix *flat);
    /* LINES: what is not fixed text: how elements come and go, how runs are read or elements
       combined, what a scan begins with */
    const char *load, *store, *inner, *none;
    const char *turns_left, *turns_right; /* TURN_BLOCKS: how turns come */
    struct slots *names; /* by first slot of a node: how many variables it has so far */
    uint32_t temps;
    uint32_t floor; /* no statement goes further out than this scope */
    uint32_t statements, limit, nesting;
    uint32_t values;        /* written out, the same one at another index again */
    uint32_t element_loads; /* of single elements of four bytes */
    uint32_t lines, bytes;  /* of text, as it stands before loops are written out */
    uint32_t nested;        /* lines of the values that the one at hand has asked for */
    /* lines that computed values take where they are first written; at further indices */
    uint32_t once, again;
    /* for how many elements of a value its family asks in straight code, at most */
    uint32_t elements;
    bool trial;     /* what it writes is thrown away, and not counted */
    uint64_t flops; /* additions' worth of the statements emitted */
    /* how often what is emitted runs, all threads together; what stands outside of all loops, if
       that is less often; and the additions' worth of it all */
    uint64_t times, times_outside, work;
    /* the same of what a driver makes of all lines, with library functions written out at every
       call; and of those alone */
    int64_t code, called;
    /* of loops that are not written out, in one thread, at most; rows and solve count them */
    uint64_t iterations;
    struct needs needs; /* of what has been written */
    bool uniform;       /* every thread of a workgroup program runs this: only one may store */
    const char *failed; /* why these nodes do not fit in one kernel */
    struct diag *diag;
};

/* ---- scopes and statements ---- */
/* Counts additions' worth of code that was emitted into the scope at `depth`. */
static inline void emit_count_at(struct emit *e, uint32_t depth, uint64_t additions)
{
    e->flops += additions;
    e->work += additions * (depth == 0 && e->times_outside ? e->times_outside : e->times);
}
/* The same in a loop: it runs as often as e->times says. */
static inline void emit_count(struct emit *e, uint64_t additions)
{
    emit_count_at(e, 1, additions);
}
bool emit_init(struct emit *e, struct unit *u, struct kernel *k, struct diag *d);
void emit_open(struct emit *e);
/* Appends the innermost scope's text to its parent between `head` and "}"; NULL head: no braces. */
void emit_close(struct emit *e, const char *head);
/* What is added to the end of a loop that drivers are to leave a loop: on CPUs a 0 that Mesa does
   not know, since it writes out every loop whose length it does, and LLVM compiles every copy. */
static inline const char *emit_rolled(const struct emit *e)
{
    return e->unit->tuning->unroll_hint ? "" : " + gl_WorkGroupID.z";
}
/* As emit_close, but writes the text `count` times, each with a constant `name` of 0, 1, ...: a
   loop that is certainly unrolled, since a vector indexed by a variable would go to memory. */
void emit_close_each(struct emit *e, const char *name, uint32_t count);
/* As emit_close, but appends to `chain`, which the caller adds to the scope when it is complete. */
void emit_close_into(struct emit *e, const char *head, struct str *chain);
/* Ends the innermost scope. *Returns* its text, for emit_pour. */
const char *emit_take(struct emit *e);
/* Adds a file of shaders/, filled with `vars`, to the innermost scope. `blocks` are texts of
   scopes that stand where the file has their names on a line. False after a failed fill. */
bool emit_pour(struct emit *e, const char *file, const struct template_var *vars, uint32_t nvars,
               const struct template_var *blocks, uint32_t nblocks);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void emit_line(struct emit *e, uint32_t depth, const char *fmt, ...);
/* An emitter that writes into nowhere, one scope in, to see what emitting something does. */
bool emit_trial(struct emit *e, struct emit *trial);
struct expr emit_fail(struct emit *e, const char *fmt, ...);
const char *emit_temp(struct emit *e, const char *prefix);

/* The scope for a statement whose operands are known at `depth`. */
static inline uint32_t emit_depth(const struct emit *e, uint32_t depth)
{
    return depth < e->floor ? e->floor : depth;
}

/* ---- values ---- */
/* The node's value at `idx` (one per dimension). */
struct expr emit_value(struct emit *e, struct value v, const struct ix *const *idx);
/* At the index that `flat` means in the value's shape. */
struct expr emit_flat(struct emit *e, struct value v, const struct ix *flat);
/* Single numbers, values of one element: that one's text is `text` from now on; all that the
   innermost scope has. False when out of memory. */
void emit_single_is(struct emit *e, struct value v, const char *text);
bool emit_singles(const struct emit *e, struct value **out, uint32_t *out_count);
/* The text of an index, as uint. */
struct expr emit_index(struct emit *e, const struct ix *i);
/* The value of a hero is `text` from now on. */
void emit_hero_is(struct emit *e, node_id hero, const char *text, uint32_t depth);
/* n12, then n12_1, n12_2 for the same node at other indices. */
const char *emit_variable(struct emit *e, struct value v);
/* A named integer variable with a known extent, for indices that are data. */
const struct ix *emit_index_var(struct emit *e, const char *name, int64_t extent, uint32_t depth);

/* ---- what the code needs: the names of types and of library functions are asked for here ---- */
/* The GLSL type of a register that holds the Nx type. */
const char *emit_type(struct emit *e, enum vkc_type t);
/* `name`, a function of shaders/math that is called with a first argument of the type. */
const char *emit_call(struct emit *e, const char *name, enum vkc_type t);
/* The same for nx_encode_f16 and its kin: the function that does `step` ("encode", "decode",
   "round") for the small float `small`. NULL if it is not a small float. */
const char *emit_small_float(struct emit *e, const char *step, enum vkc_type small,
                             enum vkc_type t);

/* ---- emit_guard.c ---- */
/* `p` as an index in 0 .. span-1. Adds to `cond` what must hold for that. The index (divided by
   `step`, which must divide it) may be used only where `cond` holds: in the scope that the caller
   opens next. NULL if emission failed. */
const struct ix *emit_bounded(struct emit *e, const struct ix *p, int64_t span, int64_t step,
                              struct str *cond);
/* `initial`, or the value at `idx` where `cond` holds, if there is one; then it is computed
   inside. */
struct expr emit_if(struct emit *e, const char *cond, const char *initial, struct value v,
                    const struct ix *const *idx);
struct expr emit_pad(struct emit *e, struct value v, const struct ix *const *idx);
struct expr emit_concatenate(struct emit *e, struct value v, const struct ix *const *idx);
struct expr emit_dynamic_slice(struct emit *e, struct value v, const struct ix *const *idx);
struct expr emit_put_slice(struct emit *e, struct value v, const struct ix *const *idx);
struct expr emit_gather(struct emit *e, struct value v, const struct ix *const *idx);

/* ---- emit_ops.c ---- */
/* The GLSL of an element-wise node on operand texts, rounded or wrapped to its type. */
const char *emit_form(struct emit *e, const struct node *n, const char *const *args);
/* Conversion between types. */
const char *emit_cast(struct emit *e, enum vkc_type from, enum vkc_type to, const char *x);
/* A zero of a float is NX_ZERO of shaders/prelude.glsl. */
const char *emit_constant(struct emit *e, enum vkc_type t, uint64_t low, uint64_t high);
/* `x op y` of a reduction on values of type t. */
const char *emit_combine(struct emit *e, enum op op, enum vkc_type t, const char *x, const char *y);
/* `text` brought back into the type after arithmetic: narrow integers wrap, small floats round. */
const char *emit_wrap(struct emit *e, enum vkc_type t, const char *text);

/* ---- emit_range.c ---- */
/* Whether every element of a float is 0, less, or NaN. */
bool emit_is_nonpositive(const struct emit *e, struct value v);
/* Whether every element of a float is from +0 to 1, or NaN. */
bool emit_is_unit(const struct emit *e, struct value v);

/* ---- emit_scatter.c ---- */
/* `acc` takes in x, `low` what is rounded away; `note` is a comment, or "". */
void emit_exact_sum(struct emit *e, const char *type, const char *acc, const char *low,
                    const char *x, const char *note);
struct expr emit_search(struct emit *e, struct value v, const struct ix *const *idx);
struct expr emit_segment_sum(struct emit *e, struct value v, const struct ix *const *idx);

/* ---- emit_memory.c ---- */
/* Binding of a value in this kernel; made at the first use. */
uint32_t emit_binding(struct emit *e, struct value v, unsigned access);
struct expr emit_load(struct emit *e, struct value v, const struct ix *flat);
/* Stores a 32- or 64-bit element, or a narrow one that other threads may share a word with. */
void emit_store(struct emit *e, struct value v, const struct ix *flat, const char *text);
/* The vector in which a thread's four lanes are neighbours in memory, flat = 4 * vector + lane;
   NULL where they are not. */
const struct ix *emit_lane_group(struct emit *e, const struct ix *flat);
/* Stores four elements, each at its own index: as one vector, or in whole words, where the
   indices say that they are neighbours in memory and begin one; else one by one. Only this
   decides how wide held values are stored. */
void emit_store_four(struct emit *e, struct value v, const struct ix *const flat[4],
                     const char *const text[4]);
/* The finished value of the kernel's hero, `text`, as a variable of the type `glsl` at `flat`, and
   all results of its size there. */
void emit_results(struct emit *e, const struct node *hero, node_id id, const struct ix *flat,
                  const char *glsl, const char *text);
/* The same for a kernel that has one result, of that size: its text, which the caller stores. */
const char *emit_only_result(struct emit *e, const struct node *hero, node_id id,
                             const struct ix *flat, const char *glsl, const char *text);
/* The same of four finished values at once, each at its own index. */
void emit_results_four(struct emit *e, const struct node *hero, node_id id,
                       const struct ix *const flat[4], const char *glsl, const char *const text[4]);
/* Remembers the index at which a root is stored. */
void emit_note_store(struct emit *e, struct value v, const struct ix *flat);
/* "buf_n12" */
const char *emit_buffer_name(struct emit *e, struct value v);
/* "buf_n12[i]": the element in memory, wherever the value lives. */
const char *emit_element(struct emit *e, struct value v, const char *index);
/* "buf_n12_e[i]": the i-th eight neighbours, in 16 bits each, of a value that is read there. */
const char *emit_load_eight(struct emit *e, struct value v, const struct ix *flat);
/* The same of one that is not in parts, for what stores them there. */
const char *emit_store_eight(struct emit *e, struct value v, const struct ix *flat);
/* "buf_n12_v[i]": the i-th four neighbours of a bound value. */
const char *emit_vector(struct emit *e, struct value v, const char *index);
/* Whether the value may be loaded as texels (runtime/bundle.h), which is decided when all loads are
   known: where any of them is of a vector, of f64 (../DECISIONS.md). Therefore the names of its
   views are macros then, as for a value in parts. */
bool emit_may_be_texels(const struct emit *e, struct value v);
/* Whether the value is too large for one binding. */
bool emit_in_parts(const struct emit *e, struct value v);

/* A view of a large buffer: the declarations that make `name(i)` its element i, and set_name(i, x)
   store x there. The binding's
   addresses are an array parts_N of uvec2, which is declared apart, once for all views. */
struct parts {
    const char *name, *access, *type; /* "buf_n12", "readonly ", "float" */
    uint32_t element_bytes, binding;
};
void emit_parts(const struct vkc_target *t, const struct parts *p, struct str *out);
void emit_addresses(struct needs *n, uint32_t binding, const char *comment, struct str *out);
/* How many elements share a word where the value lives. */
uint32_t unit_per_word(const struct unit *u, struct value v);
/* Whether the value is a variable that every thread of a workgroup program has. */
bool emit_is_local(const struct emit *e, struct value v);
/* The element at `part` of a word that packs several. */
const char *emit_unpack(struct emit *e, enum vkc_type t, const char *word, const char *part);
/* Whether elements are narrower than a word, and how many share one. */
uint32_t packed_per_word(enum vkc_type t);
/* The GLSL element type of a buffer: float, uint (also for packed types), ... */
const char *memory_glsl(enum vkc_type t);
/* "vec4" for float, ...; NULL where there is none. */
const char *vector_glsl(enum vkc_type t);
/* Whether floats of the type must be compared by nx_less and its kin; notes what the kernel
   relies on if not. */
bool emit_compares_bits(struct emit *e, enum vkc_type t);
/* A storable text of `text` as its bits in a uint, for packed types. */
const char *emit_pack(struct emit *e, enum vkc_type t, const char *text);

/* Is the value computed outside this kernel (and so loaded)? */
bool emit_is_load(const struct emit *e, struct value v);

#endif
