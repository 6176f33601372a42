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
    while (!rows[i]->starts(u, k, v)) /* the last takes any hero, the first what is none */
        i++;
    k->family = (enum family_id)i;
}

int64_t family_places(const struct kernel *k)
{
    return family_of(k)->is_elementwise ? k->size : k->outer;
}

int64_t rows_phase_rounds(const struct kernel *k)
{
    return (k->inner + k->schedule.row_threads - 1) / k->schedule.row_threads + 10;
}

void text_add(struct kernel_text *t, const char *name, const char *value)
{
    if (t->n < sizeof t->var / sizeof *t->var) /* one more is a value that text_fill misses */
        t->var[t->n++] = (struct template_var){name, value};
}

void text_add_number(struct emit *e, struct kernel_text *t, const char *name, int64_t value)
{
    text_add(t, name, arena_printf(e->arena, "%lld", (long long)value));
}

bool text_fill(struct emit *e, const struct kernel_text *t, const char *file, struct str *out)
{
    return template_fill(file, t->var, t->n, out, e->diag);
}

void print_rows_space(const struct kernel *k, struct str *out)
{
    str_printf(out, " %lld x %lld", (long long)k->outer, (long long)k->inner);
}

int64_t rows_repeats(const struct kernel *k)
{
    return k->outer * k->inner;
}

uint32_t one_element(const struct kernel *k)
{
    (void)k;
    return 1;
}

/* Whether all heroes are reductions, which may take per-element work on their way. */
static bool only_reduces(const struct unit *u, const struct kernel *k)
{
    for (uint32_t i = 0; i < k->nheroes; i++) {
        enum op_class class = op_class(func_node(unit_func(u), k->heroes[i])->op);
        if (class != CLASS_REDUCE && class != CLASS_ARGREDUCE)
            return false;
    }
    return true;
}

bool rows_have_place(const struct unit *u, const struct kernel *k, int64_t size)
{
    return size == k->outer || (size == k->outer * k->inner && only_reduces(u, k));
}

void rows_keep_space(const struct kernel *k, struct kernel *out)
{
    out->family = k->family;
    out->outer = k->outer;
    out->inner = k->inner;
    out->batch = k->batch;
    out->m = k->m;
    out->n = k->n;
}

bool rows_join(const struct unit *u, const struct kernel *k, const struct kernel *other, struct kernel *out)
{
    bool is_same = k->outer == other->outer && k->inner == other->inner;
    rows_keep_space(k, out);
    if (!family_of(other)->is_elementwise)
        return family_of(k)->joins_own && k->family == other->family && is_same;
    if (other->size == k->outer || other->size == 1)
        return true;
    return other->size == k->outer * k->inner && only_reduces(u, k);
}
