#include "compose.h"

#include <stdlib.h>
#include <string.h>

void text_add(struct text *t, const char *s, size_t n)
{
    if (t->len + n + 1 > t->cap) {
        t->cap = (t->len + n + 1) * 2;
        if (!(t->bytes = realloc(t->bytes, t->cap)))
            DIE("out of memory");
    }
    memcpy(t->bytes + t->len, s, n);
    t->bytes[t->len += n] = 0;
}

void text_puts(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

struct embedded {
    const char *name, *text;
};
extern const struct embedded vkc_embedded[]; /* made by mk/embed.sh; ends with a NULL name */

const char *template_text(const char *name)
{
    for (const struct embedded *f = vkc_embedded; f->name; f++)
        if (!strcmp(f->name, name))
            return f->text;
    DIE("there is no shaders/%s", name);
}

void add_file(struct files *f, const char *name)
{
    for (int i = 0; i < f->count; i++)
        if (!strcmp(f->seen[i], name))
            return;
    f->seen[f->count++] = strdup(name);
    char path[256];
    snprintf(path, sizeof path, "math/%s.glsl", name);
    const char *body = template_text(path), *end = strchr(body, '\n');
    char *line = strndup(body, (size_t)(end - body));
    const char *tag = "//! needs:";
    if (strncmp(line, tag, strlen(tag)))
        DIE("%s: the first line is not //! needs:", path);
    for (char *save, *word = strtok_r(line + strlen(tag), " ", &save); word;
         word = strtok_r(NULL, " ", &save))
        add_file(f, word);
    f->f64 |= strstr(body, "double") != NULL || strstr(body, "dvec2") != NULL;
    f->i64 |= strstr(body, "int64_t") != NULL;
    text_puts(&f->text, body);
    text_puts(&f->text, "\n");
    free(line);
}

void add_calls(struct files *f, const struct row *r)
{
    char *index = strdup(template_text("math/INDEX"));
    for (char *save, *line = strtok_r(index, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char fn[64], type[32], file[64];
        if (sscanf(line, "%63s %31s %63s", fn, type, file) != 3)
            continue;
        for (const char *p = r->call; (p = strstr(p, fn)); p += strlen(fn)) {
            bool typed =
                !strcmp(type, elems[r->in[0]].glsl) || (r->narrow && !strcmp(type, "float"));
            if (p[strlen(fn)] == '(' && typed) {
                *strstr(file, ".glsl") = 0;
                add_file(f, file);
                break;
            }
        }
    }
    free(index);
}
