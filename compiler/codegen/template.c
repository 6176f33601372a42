#include "codegen/template.h"

#include <ctype.h>
#include <string.h>

#include "runtime/bundle.h"

struct embedded { const char *name; const char *text; };
extern const struct embedded vkc_embedded[];        /* made by the Makefile; ends with a NULL name */

const char *template_text(const char *name)
{
    for (const struct embedded *f = vkc_embedded; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f->text;
    return NULL;
}

void template_digest(uint8_t out[32])
{
    uint8_t chain[96] = {0}; /* of what came before, of the name, of the text */
    for (const struct embedded *f = vkc_embedded; f->name; f++) {
        vkb_sha256(f->name, strlen(f->name), chain + 32);
        vkb_sha256(f->text, strlen(f->text), chain + 64);
        vkb_sha256(chain, sizeof chain, out);
        memcpy(chain, out, 32);
    }
    memcpy(out, chain, 32);
}

static bool is_name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || c == '_';
}

bool template_fill(const char *file, const struct template_var *vars, uint32_t nvars, struct str *out, struct diag *d)
{
    const char *text = template_text(file);
    uint64_t used = 0;
    if (!text)
        return FAIL(d, INTERNAL, "there is no template %s", file);
    while (*text) {
        const char *end = text + 1;
        while (*text == '@' && is_name_char(*end))
            end++;
        if (*text != '@' || *end != '@') {
            str_addn(out, text++, 1);
            continue;
        }
        size_t len = (size_t)(end - text) - 1;
        uint32_t i = 0;
        while (i < nvars && !(strlen(vars[i].name) == len && memcmp(vars[i].name, text + 1, len) == 0))
            i++;
        if (i == nvars)
            return FAIL(d, INTERNAL, "template %s: nothing given for @%.*s@", file, (int)len, text + 1);
        used |= (uint64_t)1 << i;
        str_add(out, vars[i].text);
        text = end + 1;
        /* a line that held an empty value only goes away */
        if (vars[i].text[0] == '\0' && *text == '\n' && out->len && out->data[out->len - 1] == '\n')
            text++;
    }
    for (uint32_t i = 0; i < nvars; i++)
        if (!(used >> i & 1))
            return FAIL(d, INTERNAL, "template %s has no place for @%s@", file, vars[i].name);
    return true;
}

/* ---- the function library ---- */

struct library {
    struct arena *arena;
    const char **files;         /* wanted, in order of definition */
    uint32_t nfiles, cap_files;
    struct diag *diag;
};

static bool has_file(const struct library *l, const char *name, size_t len)
{
    for (uint32_t i = 0; i < l->nfiles; i++)
        if (strlen(l->files[i]) == len && memcmp(l->files[i], name, len) == 0)
            return true;
    return false;
}

/* Adds a file after the files it needs. Depth is bounded by the library, which a test checks for cycles. */
static bool add_file(struct library *l, const char *name, size_t len, int depth)
{
    if (has_file(l, name, len))
        return true;
    char path[128];
    if (len + 12 > sizeof path || depth > 32)
        return FAIL(l->diag, INTERNAL, "math/%.*s: its needs form a cycle", (int)len, name);
    memcpy(path, "math/", 5);
    memcpy(path + 5, name, len);
    path[5 + len] = '\0';
    if (!strstr(path, ".glsl"))
        strcat(path, ".glsl");
    const char *text = template_text(path);
    if (!text)
        return FAIL(l->diag, INTERNAL, "there is no %s", path);
    if (strncmp(text, "//! needs:", 10) == 0)
        for (const char *p = text + 10; *p && *p != '\n';) {
            size_t n = strcspn(p, " \n");
            if (n && !add_file(l, p, n, depth + 1))
                return false;
            p += n + (p[n] == ' ');
        }
    size_t plain = len > 5 && memcmp(name + len - 5, ".glsl", 5) == 0 ? len - 5 : len;
    if (has_file(l, name, plain))
        return true;
    char *kept = arena_copy(l->arena, name, plain + 1);
    if (!kept || !arena_grow(l->arena, &l->files, l->nfiles, &l->cap_files, sizeof *l->files))
        return FAIL(l->diag, MEMORY, "out of memory");
    kept[plain] = '\0';
    l->files[l->nfiles++] = kept;
    return true;
}

/* The file that has `name` for `type`: a line of math/INDEX is "name type file". */
static const char *find_overload(const struct template_call *c, size_t *out_len)
{
    const char *index = template_text("math/INDEX");
    for (const char *line = index; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t name = strcspn(line, " \n"), type = line[name] == ' ' ? strcspn(line + name + 1, " \n") : 0;
        const char *file = line + name + 1 + type + 1;
        if (type && name == c->len && memcmp(line, c->name, name) == 0 && type == strlen(c->type) && memcmp(line + name + 1, c->type, type) == 0) {
            *out_len = strcspn(file, " \n");
            return file;
        }
    }
    return NULL;
}

bool template_functions(struct arena *a, const struct template_call *calls, uint32_t ncalls, struct str *out, struct diag *d)
{
    struct library l = {.arena = a, .diag = d};
    for (uint32_t i = 0; i < ncalls; i++) {
        size_t len;
        const char *file = find_overload(&calls[i], &len);
        if (!file)
            return FAIL(d, UNSUPPORTED, "%.*s has no version for %s yet", (int)calls[i].len, calls[i].name, calls[i].type);
        if (!add_file(&l, file, len, 0))
            return false;
    }
    str_add(out, template_text("prelude.glsl"));
    for (uint32_t i = 0; i < l.nfiles; i++) {
        const char *text = template_text(arena_printf(a, "math/%s.glsl", l.files[i]));
        while (text && strncmp(text, "//!", 3) == 0) { /* the machine-readable head is not for readers */
            text += strcspn(text, "\n");
            text += *text == '\n';
        }
        str_add(out, text ? text : "");
    }
    return true;
}
