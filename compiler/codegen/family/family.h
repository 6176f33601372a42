/* A kind of kernel: what generating one asks of it, a column each. The rows stand at the ends of
   the families' files; codegen/family.def lists them. */
#ifndef VKC_FAMILY_H
#define VKC_FAMILY_H

#include "codegen/emit/emit.h"
#include "codegen/template.h"

/* The pieces of a kernel's text, by their names in templates. */
struct kernel_text {
    const char *body, *shared;
    struct template_var var[48];
    uint32_t n;
};

/* How the threads of a workgroup program do the work of a phase. */
struct phase {
    int64_t count;    /* of elements, words of packed elements, or rows */
    uint32_t threads; /* for one of them; several meet in shared memory */
    uint32_t at_once; /* how many all threads together do at a time */
    bool across;      /* neighbouring threads take neighbouring rows, not elements */
    int64_t rounds;   /* of loops that a thread makes for one of them */
};

struct family {
    const char *name; /* "rows", as labels have it */
    /* ---- of its space ---- */
    /* Places for results: elements, or rows. */
    int64_t (*places)(const struct kernel *k);
    /* Elements that one place takes in: those of its row or line, the k of a product. NULL: one. */
    int64_t (*length)(const struct kernel *k);
    /* Runs of the space, of each of which a thread takes one element. NULL: one. */
    int64_t (*pieces)(const struct kernel *k);
    /* ---- for fusion ---- */
    /* its elements may be done by kernels of other kinds, for each of their rows or elements */
    bool is_elementwise;
    bool joins_own;    /* two of it over one space may become one */
    bool has_tiles;    /* of results, for each of which it reads the same operands again */
    bool divides_once; /* divisors that differ between sizes are a workgroup's, not an element's */
    /* Whether the kernel that starts with this value alone is of this kind: then its space is
       filled. */
    bool (*starts)(const struct unit *u, struct kernel *k, struct value v);
    /* The common space of `k` and `other`; k is of this kind, and other is elementwise unless k
       is. False if there is none. Whether joining pays is not asked here: see fuse/cost.h. NULL:
       never. */
    bool (*join)(const struct unit *u, const struct kernel *k, const struct kernel *other,
                 struct kernel *out);
    /* Whether a value of `size` elements can be stored by it, one a thread or a row. */
    bool (*has_place)(const struct unit *u, const struct kernel *k, int64_t size);
    /* ---- for phases of workgroup programs ---- */
    /* one element, or a row of one thread, may be done by every thread for itself */
    bool runs_everywhere;
    /* Spreads it over the program's threads, schedule.group. NULL: nothing is left to choose. */
    void (*schedule_phase)(const struct unit *u, struct kernel *k);
    /* NULL: it is not a phase. */
    void (*phase)(const struct kernel *k, struct phase *out);
    /* ---- for its code ---- */
    /* Threads that share a row, and meet in shared memory. NULL: always one. */
    uint32_t (*row_threads)(const struct kernel *k);
    /* " 64 x 128": the iteration space, for the label */
    void (*print_space)(const struct kernel *k, struct str *out);
    /* How it is spread over threads, for people; NULL: as all kernels. */
    void (*print_schedule)(const struct kernel *k, struct str *out);
    /* Spreads a kernel of a grid over threads. `most_unroll`: elements of a row in straight
       code, at most. */
    void (*schedule)(const struct unit *u, struct kernel *k, uint32_t most_unroll);
    /* Whether there is a body of it for the alternative's matrix units. NULL: never. */
    bool (*uses_matrix_units)(const struct unit *u, const struct kernel *k,
                              const struct alternative *to);
    /* For how many elements of a value it asks in straight code, at most. */
    uint32_t (*elements_at_once)(const struct kernel *k);
    /* The body, into e's scope. False with e->failed when the nodes do not fit together. */
    bool (*write)(struct emit *e);
    /* Once there is a body: another one, if that is better, with what it needs of the schedule.
       NULL: never. */
    bool (*rewrite)(struct unit *u, struct kernel *k, struct emit *e, struct diag *d);
    /* How often the innermost part of the body runs, all threads together; what runs otherwise
       says so where it is written, see emit_count. */
    int64_t (*repeats)(const struct kernel *k);
    /* All text of the body, if that is not e's scope alone; or NULL. */
    const char *(*body)(struct emit *e);
    /* Declarations of shared memory, and functions that work on it; or NULL. */
    void (*print_shared)(struct emit *e, struct str *out);
    /* The template around it all, by text_fill. */
    bool (*fill)(struct emit *e, struct kernel_text *t, struct str *out);
};

const struct family *family_of(const struct kernel *k);
/* The columns, where one may be NULL. */
int64_t family_places(const struct kernel *k);
int64_t family_length(const struct kernel *k);
int64_t family_pieces(const struct kernel *k);
uint32_t family_row_threads(const struct kernel *k);
struct phase family_phase(const struct kernel *k);
bool family_uses_matrix_units(const struct unit *u, const struct kernel *k,
                              const struct alternative *to);
/* Whether both run over the same space. */
bool family_same_space(const struct kernel *a, const struct kernel *b);
/* The family and space of the kernel that starts with this value alone. */
void family_start(const struct unit *u, struct kernel *k, struct value v);

/* ---- for `fill` ---- */
void text_add(struct kernel_text *t, const char *name, const char *value);
void text_add_number(struct emit *e, struct kernel_text *t, const char *name, int64_t value);
/* The head of a loop of `group` threads over so many elements, l: written out where all have the
   same few, so that a turn's loads do not wait for the one before. */
const char *text_turns(struct emit *e, int64_t elements, uint32_t group);
bool text_fill(struct emit *e, const struct kernel_text *t, const char *file, struct str *out);

/* ---- columns that several have ---- */
/* " 64 x 128" of places and length */
void print_rows_space(const struct kernel *k, struct str *out);
int64_t rows_repeats(const struct kernel *k);
/* The space of k, which another kernel joins. */
void keep_space(const struct kernel *k, struct kernel *out);
/* For `join`: with element-wise work for each of k's `elements`. */
bool elements_join(const struct kernel *k, const struct kernel *other, int64_t elements,
                   struct kernel *out);
/* With element-wise work for each place, or of scalars. */
bool places_join(const struct unit *u, const struct kernel *k, const struct kernel *other,
                 struct kernel *out);
bool has_places(const struct unit *u, const struct kernel *k, int64_t size);
uint32_t one_element(const struct kernel *k);

#endif
