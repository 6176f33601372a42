#include "codegen/family/family.h"

#define FAMILY(ID, file) extern const struct family file##_family;
#include "codegen/family.def"

static const struct family *const rows[] = {
#define FAMILY(ID, file) [FAMILY_##ID] = &file##_family,
#include "codegen/family.def"
};

const struct family *family_of(const struct kernel *k)
{
    return rows[k->family];
}

void family_start(const struct unit *u, struct kernel *k, struct value v)
{
    uint32_t i = 0;
    k->space = (union space){{0}};
    while (!rows[i]->starts(u, k, v)) /* the last takes any hero, the first what is none */
        i++;
    k->family = (enum family_id)i;
}

int64_t family_places(const struct kernel *k)
{
    return family_of(k)->places(k);
}

int64_t family_length(const struct kernel *k)
{
    return family_of(k)->length ? family_of(k)->length(k) : 1;
}

int64_t family_pieces(const struct kernel *k)
{
    return family_of(k)->pieces ? family_of(k)->pieces(k) : 1;
}

uint32_t family_row_threads(const struct kernel *k)
{
    return family_of(k)->row_threads ? family_of(k)->row_threads(k) : 1;
}

struct phase family_phase(const struct kernel *k)
{
    struct phase p = {
        .count = family_places(k), .threads = 1, .at_once = k->schedule.group, .rounds = 1};
    if (family_of(k)->phase)
        family_of(k)->phase(k, &p);
    return p;
}

bool family_uses_matrix_units(const struct unit *u, const struct kernel *k,
                              const struct alternative *to)
{
    return family_of(k)->uses_matrix_units && family_of(k)->uses_matrix_units(u, k, to);
}

bool family_same_space(const struct kernel *a, const struct kernel *b)
{
    return a->family == b->family && family_places(a) == family_places(b) &&
           family_length(a) == family_length(b);
}

void text_add(struct kernel_text *t, const char *name, const char *value)
{
    if (t->n < sizeof t->var / sizeof *t->var)
        t->var[t->n] = (struct template_var){name, value};
    t->n++; /* text_fill says so if there are too many */
}

void text_add_number(struct emit *e, struct kernel_text *t, const char *name, int64_t value)
{
    text_add(t, name, arena_printf(e->arena, "%lld", (long long)value));
}

const char *text_turns(struct emit *e, int64_t elements, uint32_t group)
{
    enum { MOST = 32 };
    if (!e->unit->tuning->unroll_hint || elements % group != 0 || elements / group > MOST)
        return arena_printf(e->arena, "for (uint l = lid; l < %lldu; l += %uu)",
                            (long long)elements, group);
    return arena_printf(e->arena,
                        "[[unroll]] for (uint l = lid, t = 0u; t < %lldu; l += %uu, t += %uu)",
                        (long long)elements, group, group);
}

bool text_fill(struct emit *e, const struct kernel_text *t, const char *file, struct str *out)
{
    if (t->n > sizeof t->var / sizeof *t->var)
        return FAIL(e->diag, INTERNAL, "template %s: %u variables, of %zu at most", file, t->n,
                    sizeof t->var / sizeof *t->var);
    return template_fill(file, t->var, t->n, out, e->diag);
}

void print_rows_space(const struct kernel *k, struct str *out)
{
    str_printf(out, " %lld x %lld", (long long)family_places(k), (long long)family_length(k));
}

int64_t rows_repeats(const struct kernel *k)
{
    return family_places(k) * family_length(k);
}

void keep_space(const struct kernel *k, struct kernel *out)
{
    out->family = k->family;
    out->space = k->space;
}

bool elements_join(const struct kernel *k, const struct kernel *other, int64_t elements,
                   struct kernel *out)
{
    keep_space(k, out);
    return family_of(other)->is_elementwise && family_places(other) == elements;
}

bool places_join(const struct unit *u, const struct kernel *k, const struct kernel *other,
                 struct kernel *out)
{
    (void)u;
    return elements_join(k, other, family_places(k), out) || elements_join(k, other, 1, out);
}

bool has_places(const struct unit *u, const struct kernel *k, int64_t size)
{
    (void)u;
    return size == family_places(k);
}

uint32_t one_element(const struct kernel *k)
{
    (void)k;
    return 1;
}
