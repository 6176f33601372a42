#include "private_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PATH_BYTES = 4096,
    TRIM_PART = 64,   /* see private_folder_wrote */
    NAME_BYTES = 256, /* of a file; longer ones are not ours */
    TRIES = 100,      /* names of temporary files: threads of one process share its number */
    /* age at which the file of a process that is not there is removed: it may live in another
       container */
    DEAD_SECONDS = 60,
    OLD_SECONDS = 3600 /* and that of any */
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
refused(char *why, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, size, format, list);
    va_end(list);
    return false;
}

/* Whether it is ours alone to write. */
static bool is_private(const struct stat *st, const char *what, const char *name, char *why,
                       size_t why_size)
{
    if (st->st_uid != geteuid())
        return refused(why, why_size, "%s %s belongs to another user", what, name);
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return refused(why, why_size, "others may write to the %s %s (chmod go-w prevents that)",
                       what, name);
    return true;
}

/* ---- the folder ---- */

/* As mkdir -p. What fails shows when the folder is opened. */
static void make_folders(char *path)
{
    for (size_t i = 1, n = strlen(path); i <= n; i++) {
        char end = path[i];
        if (end != '/' && end != '\0')
            continue;
        path[i] = '\0';
        mkdir(path, 0700);
        path[i] = end;
    }
}

int private_folder_open(const char *path, bool make, char *why, size_t why_size)
{
    char plain[PATH_BYTES];
    size_t n = strlen(path);
    struct stat st;
    why[0] = '\0';
    while (n > 1 && path[n - 1] == '/') /* behind a slash, a link would be followed */
        n--;
    if (!n || n >= sizeof plain) {
        refused(why, why_size, n ? "the path of the folder is too long" : "the folder has no name");
        return FOLDER_NONE;
    }
    memcpy(plain, path, n);
    plain[n] = '\0';
    int fd = open(plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && make) {
        make_folders(plain);
        fd = open(plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0) {
        int error = errno;
        bool is_link = lstat(plain, &st) == 0 && S_ISLNK(st.st_mode);
        if (error != ENOENT || make)
            refused(why, why_size, "%s: %s", plain,
                    is_link ? "a link is not followed" : strerror(error));
        return FOLDER_NONE;
    }
    if (fstat(fd, &st) == 0 && is_private(&st, "folder", plain, why, why_size))
        return fd;
    if (!why[0])
        refused(why, why_size, "%s: %s", plain, strerror(errno));
    close(fd);
    return FOLDER_NONE;
}

/* ---- reading ---- */

static char *read_open(int fd, const char *name, off_t size, size_t limit, size_t *out_size,
                       char *why, size_t why_size)
{
    char *data = size > 0 && (uintmax_t)size <= limit ? malloc((size_t)size) : NULL;
    if (!data) {
        refused(why, why_size,
                size > 0 && (uintmax_t)size <= limit ? "%s: no memory for its %lld bytes"
                                                     : "%s has %lld bytes",
                name, (long long)size);
        return NULL;
    }
    for (size_t at = 0; at < (size_t)size; *out_size = at) { /* it may have become shorter */
        ssize_t n = read(fd, data + at, (size_t)size - at);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        at += n > 0 ? (size_t)n : 0;
    }
    return data;
}

void *private_file_read(int folder, const char *name, size_t limit, size_t *out_size, char *why,
                        size_t why_size)
{
    struct stat st;
    char *data = NULL;
    why[0] = '\0';
    *out_size = 0;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT)
            refused(why, why_size, "%s: %s", name,
                    errno == ELOOP ? "a link is not followed" : strerror(errno));
        return NULL;
    }
    if (fstat(fd, &st) != 0)
        refused(why, why_size, "%s: %s", name, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        refused(why, why_size, "%s is not a plain file", name);
    else if (is_private(&st, "file", name, why, why_size)) {
        data = read_open(fd, name, st.st_size, limit, out_size, why, why_size);
        futimens(fd, NULL); /* when it was used, for private_folder_trim */
    }
    close(fd);
    return data;
}

/* ---- writing ---- */

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

/* The process that made a temporary file, "NAME.PID-TRY.tmp"; 0: it is not one. */
static long maker_of(const char *name)
{
    const char *end = strrchr(name, '.'), *at = end;
    char *rest;
    if (!end || strcmp(end, ".tmp") != 0)
        return 0;
    while (at > name && at[-1] != '.')
        at--;
    long pid = strtol(at, &rest, 10), attempt = *rest == '-' ? strtol(rest + 1, &rest, 10) : -1;
    return at > name && rest == end && pid > 0 && attempt >= 0 && attempt < TRIES ? pid : 0;
}

/* *Owns*: the caller, closedir. NULL where it cannot be listed. */
static DIR *list_of(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *all = fd < 0 ? NULL : fdopendir(fd);
    if (!all && fd >= 0)
        close(fd);
    return all;
}

static void remove_leftovers(int folder)
{
    DIR *all = list_of(folder);
    time_t now = time(NULL);
    struct stat st;
    for (struct dirent *e; all && (e = readdir(all));) {
        long pid = maker_of(e->d_name);
        if (!pid || fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(st.st_mode))
            continue;
        bool is_dead = kill((pid_t)pid, 0) != 0 && errno == ESRCH;
        if (now - st.st_mtime > (is_dead ? DEAD_SECONDS : OLD_SECONDS))
            unlinkat(folder, e->d_name, 0);
    }
    if (all)
        closedir(all);
}

bool private_file_write(int folder, const char *name, const struct file_part *parts, size_t count,
                        char *why, size_t why_size)
{
    char temporary[256];
    int fd = -1;
    why[0] = '\0';
    remove_leftovers(folder);
    for (unsigned attempt = 0; fd < 0 && attempt < TRIES; attempt++) {
        int n =
            snprintf(temporary, sizeof temporary, "%s.%ld-%u.tmp", name, (long)getpid(), attempt);
        if (n < 0 || (size_t)n >= sizeof temporary)
            return refused(why, why_size, "%s: the name is too long", name);
        fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return refused(why, why_size, "%s: %s", name, strerror(errno));
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = write_all(fd, parts[i].data, parts[i].size);
    int error = ok ? 0 : errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && renameat(folder, temporary, folder, name) != 0)
        error = errno;
    if (!error)
        return true;
    unlinkat(folder, temporary, 0);
    return refused(why, why_size, "%s: %s", name, strerror(error));
}

/* ---- trimming ---- */

struct entry {
    struct timespec used;
    uint64_t bytes;
    char name[NAME_BYTES];
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used,
                          *y = &((const struct entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

static bool ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), e = strlen(ending);
    return n >= e && strcmp(name + n - e, ending) == 0;
}

/* The files with this ending. False for lack of memory; what there is is the caller's all the
   same. */
static bool list_files(int folder, DIR *all, const char *ending, struct entry **out,
                       size_t *out_count)
{
    size_t room = 0;
    struct stat st;
    for (struct dirent *e; (e = readdir(all));) {
        if (!ends_with(e->d_name, ending) || strlen(e->d_name) >= NAME_BYTES ||
            fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
            st.st_uid != geteuid())
            continue;
        if (*out_count == room) {
            room = room ? 2 * room : 64;
            struct entry *more = realloc(*out, room * sizeof *more);
            if (!more)
                return false;
            *out = more;
        }
        struct entry *file = &(*out)[(*out_count)++];
        file->used = st.st_mtim;
        file->bytes = (uint64_t)st.st_size;
        memcpy(file->name, e->d_name, strlen(e->d_name) + 1);
    }
    return true;
}

void private_folder_trim(int folder, const char *ending, uint64_t most)
{
    DIR *all = list_of(folder);
    struct entry *files = NULL;
    size_t count = 0;
    uint64_t sum = 0;
    if (!all)
        return;
    if (list_files(folder, all, ending, &files, &count)) {
        for (size_t i = 0; i < count; i++)
            sum += files[i].bytes;
        if (count)
            qsort(files, count, sizeof *files, by_use);
        for (size_t i = 0; i < count && sum > most; i++)
            if (unlinkat(folder, files[i].name, 0) == 0)
                sum -= files[i].bytes;
    }
    free(files);
    closedir(all);
}

void private_folder_wrote(int folder, const char *ending, uint64_t most, uint64_t bytes,
                          uint64_t random)
{
    if (random % TRIM_PART == 0 || bytes > most / TRIM_PART)
        private_folder_trim(folder, ending, most);
}
