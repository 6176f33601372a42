#include "vkrun_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npy.h"

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static int
complain_of(const char *path, const char *format, ...)
{
    char message[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return complain(EXIT_INPUT, path, message);
}

static bool is_stdin(const char *path)
{
    return !strcmp(path, "-");
}

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

/* In one piece where the size is known, else in pieces that grow: pipes have none. */
int read_file(const char *path, struct file *out)
{
    FILE *file = is_stdin(path) ? stdin : fopen(path, "rb");
    struct stat info;
    size_t room = file && !fstat(fileno(file), &info) && S_ISREG(info.st_mode)
                      ? (size_t)info.st_size + 1
                      : 1u << 16;
    *out = (struct file){.bytes = file ? malloc(room) : NULL};
    while (out->bytes) {
        size_t n = fread((char *)out->bytes + out->size, 1, room - out->size, file);
        out->size += n;
        if (out->size < room)
            break;
        void *larger = room <= SIZE_MAX / 2 ? realloc(out->bytes, room *= 2) : NULL;
        if (!larger)
            free(out->bytes);
        out->bytes = larger;
    }
    int code = EXIT_DONE;
    if (!out->bytes || ferror(file))
        code = complain_of(path, "cannot be read: %s", strerror(errno));
    if (file && file != stdin)
        fclose(file);
    return code;
}

/* ---- inputs ---- */

/* "input 0 (x)", or "input 0" if it has no name. */
static void input_text(const vkr_tensor_info *t, uint32_t index, char out[320])
{
    snprintf(out, 320, t->name[0] ? "input %u (%.256s)" : "input %u", index, t->name);
}

int complain_missing(const vkr_tensor_info *t, uint32_t index)
{
    char input[320], shape[SHAPE_TEXT], what[800];
    input_text(t, index, input);
    shape_text(t->type, t->rank, t->dims, shape);
    snprintf(what, sizeof what, "%s, %s", input, shape);
    return complain(EXIT_USAGE, what, "is not given (--zeros and --random make inputs)");
}

static int read_npy(const char *path, const vkr_tensor_info *t, const char *input,
                    const struct file *file, struct npy *out)
{
    char message[300], shape[SHAPE_TEXT], found[SHAPE_TEXT];
    if (!npy_read(file->bytes, file->size, out, message, sizeof message))
        return complain(EXIT_INPUT, path, message);
    shape_text(t->type, t->rank, t->dims, shape);
    shape_text(out->type, out->rank, out->dims, found);
    if (!npy_type_fits(out->type, t->type))
        return complain_of(path, "holds %s, %s is %s: another type", found, input, shape);
    if (out->rank != t->rank || memcmp(t->dims, out->dims, t->rank * sizeof *t->dims))
        return complain_of(path, "holds %s, %s is %s: another shape", found, input, shape);
    return EXIT_DONE;
}

int read_tensor(const char *path, const vkr_tensor_info *t, uint32_t index, struct file *out,
                const void **out_data)
{
    struct npy array = {0};
    char input[320], shape[SHAPE_TEXT];
    input_text(t, index, input);
    *out = (struct file){0};
    if (ends_with(path, ".npz"))
        return complain(EXIT_INPUT, path,
                        "is an archive of arrays; unzip it and give one of its .npy files");
    int code = read_file(path, out);
    array.data = out->bytes;
    array.bytes = out->size;
    bool is_npy = ends_with(path, ".npy") ||
                  (!code && is_stdin(path) && out->size > 6 && !memcmp(out->bytes, "\x93NUMPY", 6));
    if (!code && is_npy)
        code = read_npy(path, t, input, out, &array);
    shape_text(t->type, t->rank, t->dims, shape);
    if (!code && array.bytes != t->bytes)
        code = complain_of(path, "has %" PRIu64 " bytes, %s is %s: %" PRIu64 " bytes", array.bytes,
                           input, shape, t->bytes);
    *out_data = array.data;
    return code;
}

/* ---- outputs ---- */

int make_folder(const char *path)
{
    char part[4096];
    size_t n = strlen(path);
    if (!n || n >= sizeof part)
        return complain_of(path, "is not a folder name");
    for (size_t i = 1; i <= n; i++) {
        if (path[i] && path[i] != '/')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        struct stat info;
        if (mkdir(part, 0777) && !(!stat(part, &info) && S_ISDIR(info.st_mode)))
            return complain_of(path, "the folder cannot be made: %s: %s", part, strerror(errno));
    }
    return access(path, W_OK | X_OK)
               ? complain_of(path, "cannot be written to: %s", strerror(errno))
               : EXIT_DONE;
}

int save_tensor(const char *folder, const vkr_tensor_info *t, uint32_t index, const void *data)
{
    char path[4400];
    bool is_plain = t->name[0] && !strpbrk(t->name, "/\\") && strlen(t->name) < 250;
    if (is_plain)
        snprintf(path, sizeof path, "%s/%s.npy", folder, t->name);
    else
        snprintf(path, sizeof path, "%s/out%u.npy", folder, index);
    FILE *file = fopen(path, "wb");
    const char *type = npy_type(t->type);
    bool ok = file && npy_write(file, type ? type : "|u1", type ? t->rank : 1,
                                type ? t->dims : &t->bytes, data, t->bytes);
    if (file && fclose(file))
        ok = false;
    return ok ? EXIT_DONE : complain_of(path, "cannot be written: %s", strerror(errno));
}
