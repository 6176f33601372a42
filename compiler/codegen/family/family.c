#include "codegen/family/family.h"

#define FAMILY(ID, file) extern const struct family file##_family;
#include "codegen/family.def"

const struct family *family_of(const struct kernel *k)
{
    static const struct family *const rows[] = {
#define FAMILY(ID, file) [FAMILY_##ID] = &file##_family,
#include "codegen/family.def"
    };
    return rows[k->family];
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
