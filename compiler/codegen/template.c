#include "codegen/template.h"

#include <ctype.h>
#include <string.h>

#include "codegen/library.h"

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

const char *template_body(const char *name)
{
    const char *text = template_text(name);
    while (text && strncmp(text, "//!", 3) == 0) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

/* A file that is being filled, and those that it includes. */
struct filling {
    const char *file;
    const struct template_var *vars;
    uint32_t nvars;
    uint64_t used; /* bits: which of the values have found a place */
    struct str *out;
    struct diag *diag;
};

/* The value of the name at `at`, which is `len` characters long; NULL if nothing is given. */
static const char *value_of(struct filling *f, const char *at, size_t len)
{
    for (uint32_t i = 0; i < f->nvars; i++)
        if (strlen(f->vars[i].name) == len && memcmp(f->vars[i].name, at, len) == 0) {
            f->used |= (uint64_t)1 << i;
            return f->vars[i].text;
        }
    FAIL(f->diag, INTERNAL, "template %s: nothing given for @%.*s@", f->file, (int)len, at);
    return NULL;
}

static bool pour(struct filling *f, const char *name, int depth);

/* If `*text` is at a line '#include "FILE"': that file, and `*text` goes behind the line. */
static bool include(struct filling *f, const char **text, int depth)
{
    static const char word[] = "#include \"";
    char name[64];
    if (strncmp(*text, word, sizeof word - 1) != 0)
        return true;
    const char *file = *text + sizeof word - 1;
    size_t len = strcspn(file, "\"\n");
    if (len >= sizeof name || file[len] != '"' || file[len + 1] != '\n')
        return FAIL(f->diag, INTERNAL, "template %s: an #include without a file", f->file);
    memcpy(name, file, len);
    name[len] = '\0';
    *text = file + len + 2;
    return pour(f, name, depth + 1);
}

/* Adds a file with its names filled and its includes in their places. */
static bool pour(struct filling *f, const char *name, int depth)
{
    const char *text = template_body(name);
    if (!text || depth > 4)
        return FAIL(f->diag, INTERNAL, text ? "%s includes itself" : "there is no template %s",
                    name);
    struct str *out = f->out;
    while (*text) {
        bool starts_line = out->len == 0 || out->data[out->len - 1] == '\n';
        const char *line = text;
        if (starts_line && *text == '#' && !include(f, &text, depth))
            return false;
        if (text != line)
            continue;
        const char *end = text + 1;
        while (*text == '@' && is_name_char(*end))
            end++;
        if (*text != '@' || *end != '@') {
            size_t plain = 1 + strcspn(text + 1, "@\n#");
            str_addn(out, text, plain);
            text += plain;
            continue;
        }
        const char *value = value_of(f, text + 1, (size_t)(end - text) - 1);
        if (!value)
            return false;
        str_add(out, value);
        text = end + 1;
        /* a line that held an empty value only goes away */
        if (*value == '\0' && *text == '\n' && out->len && out->data[out->len - 1] == '\n')
            text++;
    }
    return true;
}

bool template_fill(const char *file, const struct template_var *vars, uint32_t nvars,
                   struct str *out, struct diag *d)
{
    struct filling f = {.file = file, .vars = vars, .nvars = nvars, .out = out, .diag = d};
    if (!pour(&f, file, 0))
        return false;
    for (uint32_t i = 0; i < nvars; i++)
        if (!(f.used >> i & 1))
            return FAIL(d, INTERNAL, "template %s has no place for @%s@", file, vars[i].name);
    return true;
}
