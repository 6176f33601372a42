#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../runtime/bundle.h"

enum { PATH_BYTES = 4096 };

/* ".vkb" or, for one of many writers, ".<pid>-<try>.tmp" */
static bool entry_path(char out[PATH_BYTES], const char *dir, const uint8_t key[32], const char *suffix)
{
    char hex[65];
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", key[i]);
    int n = snprintf(out, PATH_BYTES, "%s/%s%s", dir, hex, suffix);
    return n > 0 && n < PATH_BYTES;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool noted(struct cache_note *note, const char *fmt, ...)
{
    va_list ap;
    if (!note)
        return false;
    va_start(ap, fmt);
    vsnprintf(note->text, sizeof note->text, fmt, ap);
    va_end(ap);
    return false;
}

/* Reads a whole file. NULL where there is none or it cannot be read; then errno says why. */
static void *read_file(const char *path, size_t *out_size)
{
    struct stat st;
    void *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && (data = malloc((size_t)st.st_size))) {
        size_t at = 0;
        for (ssize_t n; at < (size_t)st.st_size; at += (size_t)n) {
            n = read(fd, (char *)data + at, (size_t)st.st_size - at);
            if (n < 0 && errno == EINTR)
                n = 0;
            else if (n <= 0)
                break;
        }
        *out_size = at;
    }
    close(fd);
    return data;
}

bool cache_get(const char *dir, const uint8_t key[32], void **out_data, size_t *out_size, struct cache_note *note)
{
    char path[PATH_BYTES], error[160] = "it is empty";
    struct vkb_view view;
    if (note)
        note->text[0] = '\0';
    if (!entry_path(path, dir, key, ".vkb"))
        return noted(note, "cache: the path of the folder is too long");
    size_t size = 0;
    errno = 0;
    void *data = read_file(path, &size);
    if (!data && errno != 0)
        return errno == ENOENT || errno == ENOTDIR ? false : noted(note, "cache: %s: %s", path, strerror(errno));
    if (data && bundle_open(data, size, &view, error, sizeof error)) {
        *out_data = data;
        *out_size = size;
        return true;
    }
    free(data);
    unlink(path);
    return noted(note, "cache: an entry was corrupt and is removed: %s", error);
}

/* As mkdir -p. */
static bool make_folder(const char *dir)
{
    char path[PATH_BYTES];
    size_t n = strlen(dir);
    if (n >= sizeof path)
        return false;
    memcpy(path, dir, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST && errno != EISDIR)
            return false;
        path[i] = i < n ? '/' : '\0';
    }
    return true;
}

static bool write_all(int fd, const void *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = write(fd, (const char *)data + at, size - at);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool cache_put(const char *dir, const uint8_t key[32], const void *data, size_t size, struct cache_note *note)
{
    char path[PATH_BYTES], temporary[PATH_BYTES], suffix[64];
    int fd = -1;
    if (note)
        note->text[0] = '\0';
    if (!make_folder(dir))
        return noted(note, "cache: %s: %s", dir, strerror(errno));
    if (!entry_path(path, dir, key, ".vkb"))
        return noted(note, "cache: the path of the folder is too long");
    for (unsigned attempt = 0; fd < 0 && attempt < 100; attempt++) { /* threads of one process share the pid */
        snprintf(suffix, sizeof suffix, ".%ld-%u.tmp", (long)getpid(), attempt);
        if (!entry_path(temporary, dir, key, suffix))
            return noted(note, "cache: the path of the folder is too long");
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return noted(note, "cache: %s: %s", dir, strerror(errno));
    bool ok = write_all(fd, data, size);
    ok = close(fd) == 0 && ok;
    ok = ok && rename(temporary, path) == 0;
    if (ok)
        return true;
    int why = errno;
    unlink(temporary);
    return noted(note, "cache: %s: %s", path, strerror(why));
}
