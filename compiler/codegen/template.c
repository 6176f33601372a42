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
