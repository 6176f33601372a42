#include "codegen/library.h"

#include <string.h>

static int compare(const char *name, const char *type, const struct library_function *f)
{
    int by_name = strcmp(name, f->name);
    return by_name ? by_name : strcmp(type, f->type);
}

bool library_find(const char *name, const char *type, uint16_t *out_index)
{
    size_t low = 0, high = vkc_nlibrary;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare(name, type, &vkc_library[middle]);
        if (order == 0) {
            *out_index = (uint16_t)middle;
            return true;
        }
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return false;
}

struct printer {
    struct arena *arena;
    uint16_t *files; /* printed so far */
    uint32_t nfiles, cap_files;
    uint32_t features;
    struct str *out;
};

/* As deep as the chain of needs, in which a test allows no cycle. */
static bool print_file(struct printer *p, uint16_t file)
{
    const struct library_file *f = &vkc_library_files[file];
    for (uint32_t i = 0; i < p->nfiles; i++)
        if (p->files[i] == file)
            return true;
    for (const uint16_t *need = f->needs; *need != LIBRARY_END; need++)
        if (!print_file(p, *need))
            return false;
    if (!arena_grow(p->arena, &p->files, p->nfiles, &p->cap_files, sizeof *p->files))
        return false;
    p->files[p->nfiles++] = file;
    p->features |= f->features;
    str_add(p->out, f->text);
    return true;
}

bool library_print(struct arena *a, const uint16_t *calls, uint32_t ncalls, struct str *out,
                   uint32_t *out_features)
{
    struct printer p = {.arena = a, .out = out};
    for (uint32_t i = 0; i < ncalls; i++)
        if (!print_file(&p, vkc_library[calls[i]].file))
            return false;
    *out_features = p.features;
    return true;
}
