/* The sizes in shaders/math/INDEX: how many instructions of SPIR-V a call of each function becomes
   when all that it calls is written out and optimised, as drivers do. What a kernel's code costs a
   driver is estimated by them (compiler/codegen/emit/emit.c). `sizes_test --write` prints INDEX
   with the sizes that it measures. */
#include <ctype.h>
#include <shaderc/shaderc.h>

#include "../front/check.h"
#include "base/str.h"
#include "codegen/library.h"
#include "codegen/template.h"
#include "runtime/bundle.h"

/* A kept size may differ by a fifth, and by four instructions of a short function: optimisers of
   other versions write the same code a little differently. */
enum { SHARE = 5, FEW = 4 };

enum { MOST = 8 }; /* parameters */

struct signature {
    char result[16], name[48], type[MOST][16];
    bool is_out[MOST], is_in[MOST];
    uint32_t n;
};

static const char *word(const char *p, char *out, size_t size)
{
    size_t n = 0;
    while (*p == ' ' || *p == '\n')
        p++;
    for (; isalnum((unsigned char)*p) || *p == '_'; p++)
        if (n + 1 < size)
            out[n++] = *p;
    out[n] = '\0';
    return p;
}

/* Reads a definition that begins at `p`: "float nx_exp(float x)". */
static bool read_signature(const char *p, struct signature *out)
{
    *out = (struct signature){0};
    p = word(word(p, out->result, sizeof out->result), out->name, sizeof out->name);
    if (*p != '(')
        return false;
    do {
        char name[48], *type = out->type[out->n];
        p = word(p + 1, type, sizeof out->type[0]);
        bool both = strcmp(type, "inout") == 0;
        out->is_out[out->n] = both || strcmp(type, "out") == 0;
        out->is_in[out->n] = both || !out->is_out[out->n];
        if (out->is_out[out->n])
            p = word(p, type, sizeof out->type[0]);
        p = word(p, name, sizeof name);
        out->n++;
    } while (*p == ',' && out->n < MOST);
    return *p == ')';
}

/* The definition of the overload in its file: a line that begins with its result's type. */
static bool find_signature(const struct library_function *f, struct signature *out)
{
    const char *text = vkc_library_files[f->file].text;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (islower((unsigned char)*line) && read_signature(line, out) &&
            strcmp(out->name, f->name) == 0 && strcmp(out->type[0], f->type) == 0)
            return true;
    }
    return false;
}

/* A bool has no place in a buffer. */
static const char *stored(const char *type)
{
    return strcmp(type, "bool") == 0 ? "uint" : type;
}

/* A kernel that loads the parameters, calls the function and stores what it gives. */
static bool kernel_text(struct arena *a, uint16_t call, const struct signature *s, struct str *out)
{
    struct str library, body;
    uint32_t features, binding = 0;
    str_init(&library, a);
    str_init(&body, a);
    if (!library_print(a, &call, 1, &library, &features))
        return false;
    str_add(out, "#version 450\n"
                 "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
                 "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n"
                 "layout(local_size_x = 1) in;\n");
    for (uint32_t i = 0; i < s->n; i++, binding++)
        str_printf(out, "layout(std430, binding = %u) buffer B%u { %s b%u[]; };\n", binding,
                   binding, s->type[i], binding);
    str_printf(out, "layout(std430, binding = %u) buffer B%u { %s b%u[]; };\n%s%s", binding,
               binding, stored(s->result), binding, template_text("prelude.glsl"),
               str_text(&library));
    for (uint32_t i = 0; i < s->n; i++)
        str_printf(&body, s->is_in[i] ? "    %s a%u = b%u[0];\n" : "    %s a%u;\n", s->type[i], i,
                   i);
    str_printf(&body, "    b%u[0] = %s(%s(", binding, stored(s->result), s->name);
    for (uint32_t i = 0; i < s->n; i++)
        str_printf(&body, "%sa%u", i ? ", " : "", i);
    str_add(&body, "));\n");
    for (uint32_t i = 0; i < s->n; i++)
        if (s->is_out[i])
            str_printf(&body, "    b%u[0] = a%u;\n", i, i);
    str_printf(out, "void main()\n{\n%s}\n", str_text(&body));
    return !a->failed;
}

/* Instructions of the functions, less those of a kernel that only loads and stores: an address and
   an access each, and the function's own four. */
static uint32_t count(const uint32_t *words, size_t n, const struct signature *s)
{
    enum { OP_FUNCTION = 54, HEADER = 5, FRAME = 4, ACCESS = 2 };
    uint32_t all = 0, around = FRAME + ACCESS;
    bool inside = false;
    for (size_t at = HEADER; at < n && words[at] >> 16; at += words[at] >> 16) {
        inside |= (words[at] & 0xffff) == OP_FUNCTION;
        all += inside;
    }
    for (uint32_t i = 0; i < s->n; i++)
        around += ACCESS * ((uint32_t)s->is_in[i] + s->is_out[i]);
    return all > around ? all - around : 0;
}

static bool measure(shaderc_compiler_t compiler, shaderc_compile_options_t options, uint16_t call,
                    uint32_t *out_size)
{
    struct arena a;
    struct str text;
    struct signature s;
    bool ok = false;
    arena_init(&a, (size_t)1 << 26);
    str_init(&text, &a);
    if (find_signature(&vkc_library[call], &s) && kernel_text(&a, call, &s, &text)) {
        shaderc_compilation_result_t r = shaderc_compile_into_spv(
            compiler, str_text(&text), text.len, shaderc_compute_shader, s.name, "main", options);
        ok = shaderc_result_get_compilation_status(r) == shaderc_compilation_status_success;
        if (ok)
            *out_size = count((const uint32_t *)(const void *)shaderc_result_get_bytes(r),
                              shaderc_result_get_length(r) / 4, &s);
        else
            printf("%s\n", shaderc_result_get_error_message(r));
        shaderc_result_release(r);
    }
    arena_finish(&a);
    return ok;
}

/* The name of a function's file, as INDEX has it. */
static const char *file_name(const struct library_function *f)
{
    const char *text = vkc_library_files[f->file].text;
    for (const struct embedded *e = vkc_embedded; e->name; e++)
        if (text >= e->text && text <= e->text + strlen(e->text))
            return e->name + strlen("math/");
    return "";
}

static void compare(struct check *c, const struct library_function *f, uint32_t size)
{
    uint32_t apart = size > f->size ? size - f->size : f->size - size;
    check_that(c, apart <= FEW + size / SHARE,
               "%s(%s): INDEX says that a call is %u instructions, and it is %u", f->name, f->type,
               f->size, size);
}

int main(int argc, char **argv)
{
    bool write = argc > 1 && strcmp(argv[1], "--write") == 0;
    struct check c = {0};
    shaderc_compiler_t compiler = shaderc_compiler_initialize();
    shaderc_compile_options_t options = shaderc_compile_options_initialize();
    shaderc_compile_options_set_target_env(options, shaderc_target_env_vulkan,
                                           shaderc_env_version_vulkan_1_1);
    shaderc_compile_options_set_optimization_level(options, shaderc_optimization_level_performance);
    for (uint16_t i = 0; i < vkc_nlibrary; i++) {
        const struct library_function *f = &vkc_library[i];
        char name[96];
        uint32_t size = 0;
        snprintf(name, sizeof name, "%s(%s)", f->name, f->type);
        if (!write && !check_wanted(&c, name))
            continue;
        bool ok = measure(compiler, options, i, &size);
        if (write)
            printf("%s %s %s %u\n", f->name, f->type, file_name(f), size);
        else if (check_that(&c, ok, "%s: no kernel calls it", name))
            compare(&c, f, size);
    }
    shaderc_compile_options_release(options);
    shaderc_compiler_release(compiler);
    return write ? 0 : check_finish(&c);
}
