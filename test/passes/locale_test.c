/* A host program's decimal comma: GLSL and bundles are the same with it. The locale is made here
   by localedef, which comes with the C library; where there is none, this is not run. */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../front/check.h"
#include "vkc.h"

static const char graph[] =
    "graph \"n\" entry=f0 callbacks=0\nfunc f0(f32[60], f64[60]) {\n  n0 = parameter index=0 : f32[60]\n"
    "  n1 = parameter index=1 : f64[60]\n  n2 = constant bits=3f000000 : f32[]\n  n3 = broadcast n2 axes=[] : f32[60]\n"
    "  n4 = multiply n0, n3 : f32[60]\n  n5 = sin n4 : f32[60]\n  n6 = constant bits=3fb999999999999a : f64[]\n"
    "  n7 = broadcast n6 axes=[] : f64[60]\n  n8 = pow n1, n7 : f64[60]\n  n9 = as_type n0 : c64[60]\n"
    "  n10 = fft n9 axis=0 length=60 : c64[60]\n  return n5, n8, n10\n}\n";

static const char definition[] =
    "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
    "grouping -1\nEND LC_NUMERIC\n";

static char *glsl(struct check *c)
{
    struct vkc_options options = {.text_ir = true, .no_cache = true, .want_glsl = true};
    struct vkc_result r;
    bool ok = vkc_compile(graph, strlen(graph), NULL, 0, &options, &r);
    char *text = r.glsl ? strdup(r.glsl) : NULL;
    check_that(c, ok && text && strstr(text, "0.5"), "%s", ok ? "no 0.5" : r.error.message);
    vkc_result_free(&r);
    return text;
}

static bool make_locale(const char *folder)
{
    char path[256], command[512];
    snprintf(path, sizeof path, "%s/source", folder);
    FILE *f = fopen(path, "w");
    if (!f || fputs(definition, f) < 0 || fclose(f))
        return false;
    snprintf(command, sizeof command, "localedef -c -i %s -f UTF-8 %s/comma > /dev/null 2>&1", path,
             folder);
    return system(command) != -1 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "C") &&
           setlocale(LC_NUMERIC, "comma") && strcmp(localeconv()->decimal_point, ",") == 0;
}

int main(void)
{
    struct check c = {0};
    char folder[] = "/tmp/locale-XXXXXX", command[64], number[8];
    char *with_point = glsl(&c);
    if (!mkdtemp(folder))
        return 1;
    bool is_there = make_locale(folder);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) == -1 || !is_there) {
        printf(
            "skipped: no locale with a decimal comma can be made\n0 passed, 0 failed, 1 skipped\n");
        free(with_point);
        return 77;
    }
    char *with_comma = glsl(&c);
    check_that(&c, with_point && with_comma && strcmp(with_point, with_comma) == 0, "GLSL differs");
    snprintf(number, sizeof number, "%.1f", 0.5);
    check_that(&c, strcmp(number, "0,5") == 0, "the program's own locale is gone: %s", number);
    free(with_point);
    free(with_comma);
    return check_finish(&c);
}
