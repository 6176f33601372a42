/* Folders and files that somebody else prepared: nothing is followed, waited for or taken. */
#include "../../runtime/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../runtime/env.h"
#include "harness.h"

static char root[256], path[512], why[300];

/* In place of the C library's: at most so many bytes a call, every other call interrupted; and from
   the nth call on, none succeeds. */
static struct {
    size_t most;
    unsigned calls, fail_at;
} moved = {SIZE_MAX, 0, 0};

static bool is_let_through(size_t *size)
{
    bool fails = moved.fail_at && ++moved.calls >= moved.fail_at;
    bool is_interrupted = !fails && moved.most < SIZE_MAX && moved.calls++ % 2;
    *size = *size < moved.most ? *size : moved.most;
    errno = fails ? ENOSPC : EINTR;
    return !fails && !is_interrupted;
}

ssize_t write(int fd, const void *data, size_t size)
{
    return is_let_through(&size) ? writev(fd, &(struct iovec){(void *)(uintptr_t)data, size}, 1)
                                 : -1;
}

ssize_t read(int fd, void *data, size_t size)
{
    return is_let_through(&size) ? readv(fd, &(struct iovec){data, size}, 1) : -1;
}

/* The number that the next descriptor would have: the same again unless one is left open. */
static int next_descriptor(void)
{
    int fd = dup(STDOUT_FILENO);
    close(fd);
    return fd;
}

static const char *at(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static bool opens(const char *name, bool make)
{
    int fd = private_folder_open(at(name), make, why, sizeof why);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static unsigned mode_of(const char *name)
{
    struct stat st;
    return lstat(at(name), &st) == 0 ? (unsigned)st.st_mode & 07777u : 0;
}

static void make_file(const char *name, mode_t mode)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, "text", 4) == 4 && close(fd) == 0 && chmod(at(name), mode) == 0,
          "%s", name);
}

static void test_folders(void)
{
    CHECK(!opens("none", false) && !why[0], "no folder, without a word: %s", why);
    CHECK(opens("a/b/c", true) && mode_of("a") == 0700 && mode_of("a/b/c") == 0700,
          "folders are made, mode %o", mode_of("a/b/c"));
    CHECK(opens("a/b/c//", false), "slashes at the end: %s", why);
    CHECK(mkdir(at("readable"), 0755) == 0 && opens("readable", true) &&
              mode_of("readable") == 0755,
          "others may read: %s", why);
    static const mode_t modes[] = {0770, 0707, 0777, 01777, 0720, 0702};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        CHECK(mkdir(at("open"), 0700) == 0 && chmod(at("open"), modes[i]) == 0, "a folder");
        CHECK(!opens("open", true) && strstr(why, "others may write"), "mode %o: %s",
              (unsigned)modes[i], why);
        CHECK(mode_of("open") == modes[i] && rmdir(at("open")) == 0, "it is left as it is");
    }
    char target[512];
    snprintf(target, sizeof target, "%s/a", root);
    CHECK(symlink(target, at("link")) == 0 && !opens("link", true) && strstr(why, "link"),
          "a link: %s", why);
    CHECK(!opens("link/", true) && strstr(why, "link"), "a link with a slash: %s", why);
    make_file("file", 0600);
    CHECK(!opens("file", true) && why[0], "a file: %s", why);
    CHECK(!opens("file/below", true) && why[0], "below a file: %s", why);
    CHECK(private_folder_open("", true, why, sizeof why) == FOLDER_NONE && why[0], "no name: %s",
          why);
    for (int n = 1; n < 4; n++) { /* slashes alone are the root, whoever may write there */
        int fd = private_folder_open(&"///"[3 - n], false, why, sizeof why);
        CHECK(fd >= 0 || strstr(why, "/"), "%d slashes: %s", n, why);
        if (fd >= 0)
            close(fd);
    }
    if (geteuid() == 0) {
        CHECK(mkdir(at("foreign"), 0700) == 0 && chown(at("foreign"), 1, 1) == 0,
              "a folder of user 1");
        CHECK(!opens("foreign", true) && strstr(why, "another user"), "another user's: %s", why);
    }
}

static bool reads(int folder, const char *name, size_t limit)
{
    size_t size = 0;
    char *data = private_file_read(folder, name, limit, &size, why, sizeof why);
    bool ok = data && size == 4 && memcmp(data, "text", 4) == 0;
    CHECK(!data || ok, "%s: %zu bytes", name, size);
    free(data);
    return ok;
}

static void test_files(void)
{
    int folder = private_folder_open(at("files"), true, why, sizeof why);
    const struct file_part parts[] = {{"te", 2}, {"xt", 2}};
    CHECK(private_file_write(folder, "new", parts, 2, why, sizeof why) && reads(folder, "new", 4),
          "%s", why);
    CHECK(mode_of("files/new") == 0600, "mode %o", mode_of("files/new"));
    CHECK(private_file_write(folder, "new", parts, 2, why, sizeof why) && reads(folder, "new", 4),
          "again: %s", why);
    CHECK(!reads(folder, "none", 4) && !why[0], "no file, without a word: %s", why);
    CHECK(!reads(folder, "new", 3) && strstr(why, "bytes"), "too long: %s", why);
    CHECK(symlinkat("new", folder, "link") == 0 && !reads(folder, "link", 4) && strstr(why, "link"),
          "a link: %s", why);
    CHECK(mkfifo(at("files/fifo"), 0600) == 0, "a FIFO");
    alarm(20); /* ends the test if it waits for a writer */
    CHECK(!reads(folder, "fifo", 4) && strstr(why, "plain"), "a FIFO: %s", why);
    alarm(0);
    CHECK(mkdir(at("files/folder"), 0700) == 0 && !reads(folder, "folder", 4) &&
              strstr(why, "plain"),
          "a folder: %s", why);
    make_file("files/open", 0622);
    CHECK(!reads(folder, "open", 4) && strstr(why, "others may write"),
          "one that others may write: %s", why);
    make_file("files/foreign", 0600);
    if (geteuid() == 0)
        CHECK(chown(at("files/foreign"), 1, 1) == 0 && !reads(folder, "foreign", 4) &&
                  strstr(why, "another user"),
              "another's: %s", why);
    CHECK(truncate(at("files/open"), 0) == 0 && chmod(at("files/open"), 0600) == 0 &&
              !reads(folder, "open", 4),
          "an empty one");
    CHECK(private_file_write(folder, "link", parts, 2, why, sizeof why) && reads(folder, "link", 4),
          "a link is replaced: %s", why);
    CHECK(private_file_write(folder, "fifo", parts, 2, why, sizeof why) && reads(folder, "fifo", 4),
          "a FIFO is, too: %s", why);
    CHECK(!private_file_write(folder, "folder", parts, 2, why, sizeof why) && why[0],
          "a folder is not: %s", why);
    CHECK(!private_file_write(folder, "none/new", parts, 2, why, sizeof why) && why[0],
          "no such folder: %s", why);
    close(folder);
}

/* Files go through in whatever pieces; one that does not is not there afterwards, and what was
   there before is as it was. */
static void test_pieces(void)
{
    static char data[5000];
    int folder = private_folder_open(at("pieces"), true, why, sizeof why);
    const struct file_part parts[] = {{data, 3000}, {data + 3000, 0}, {data + 3000, 2000}};
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7);
    for (size_t most = 1; most < 8000; most *= 10) {
        size_t size = 0;
        moved.most = most;
        CHECK(private_file_write(folder, "x", parts, 3, why, sizeof why), "%s", why);
        char *back = private_file_read(folder, "x", sizeof data, &size, why, sizeof why);
        CHECK(back && size == sizeof data && !memcmp(back, data, size), "%zu bytes", size);
        free(back);
    }
    moved.most = SIZE_MAX;
    for (moved.fail_at = 1; moved.fail_at <= 2; moved.fail_at++) {
        moved.calls = 0;
        CHECK(!private_file_write(folder, "x", parts, 3, why, sizeof why) &&
                  strstr(why, strerror(ENOSPC)),
              "call %u: %s", moved.fail_at, why);
        moved.calls = 0;
        CHECK(!private_file_write(folder, "y", parts, 3, why, sizeof why), "%s", why);
    }
    moved.fail_at = 1, moved.calls = 0;
    size_t size = 77;
    free(private_file_read(folder, "x", sizeof data, &size, why, sizeof why));
    CHECK(size == 0, "%zu bytes were read", size);
    moved.fail_at = 0;
    CHECK(unlinkat(folder, "x", 0) == 0, "what was there before is there");
    close(folder);
    CHECK(rmdir(at("pieces")) == 0, "and nothing else: %s", strerror(errno));
}

/* A process number that nobody has. */
static long dead_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return (long)child;
}

static void test_leftovers(void)
{
    int folder = private_folder_open(at("leftovers"), true, why, sizeof why);
    long dead = dead_process(), alive = (long)getppid();
    const struct {
        const char *format;
        long pid, age;
        bool stays;
    } rows[] = {
        {"key.vkc.%ld-0.tmp", dead, 61, false},    {"key.vkc.%ld-1.tmp", dead, 30, true},
        {"key.vkc.%ld-2.tmp", alive, 3500, true},  {"key.vkc.%ld-3.tmp", alive, 3700, false},
        {"key.vkc.%ld-100.tmp", dead, 9999, true}, {"key.vkc.%ld.tmp", dead, 9999, true},
        {"%ld-4.tmp", dead, 9999, true},           {"key.vkc.%ld-5.tmp.vkc", dead, 9999, true},
        {"key.vkc.-%ld-6.tmp", dead, 9999, true},  {"key.vkc.%ld-7x.tmp", dead, 9999, true},
    };
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char name[64], below[96];
            snprintf(name, sizeof name, rows[i].format, rows[i].pid);
            snprintf(below, sizeof below, "leftovers/%s", name);
            if (pass == 0) {
                const struct timespec then[2] = {{time(NULL) - rows[i].age, 0},
                                                 {time(NULL) - rows[i].age, 0}};
                make_file(below, 0600);
                CHECK(utimensat(folder, name, then, 0) == 0, "%s", name);
            } else
                CHECK((access(at(below), F_OK) == 0) == rows[i].stays, "%s, %ld s old", name,
                      rows[i].age);
            if (pass == 0 && i + 1 == sizeof rows / sizeof *rows)
                CHECK(private_file_write(folder, "x", &(struct file_part){"x", 1}, 1, why,
                                         sizeof why),
                      "%s", why);
        }
    close(folder);
}

/* Five files of 100 bytes and this ending, used at different times, and what is not to be touched:
   what was used longest ago goes away until the rest fits; a file that is read counts as used. */
static void test_trim(void)
{
    static const struct {
        uint64_t most;
        int read;            /* this file, first; -1: none */
        const char *left[5]; /* in the order of their names; NULL: no more */
    } rows[] = {
        {500, -1, {"a.bin", "b.bin", "c.bin", "d.bin", "e.bin"}},
        {499, -1, {"a.bin", "b.bin", "d.bin", "e.bin"}},
        {400, -1, {"a.bin", "b.bin", "d.bin", "e.bin"}},
        {399, -1, {"a.bin", "b.bin", "e.bin"}},
        {399, 2, {"a.bin", "b.bin", "c.bin"}},
        {100, -1, {"b.bin"}},
        {99, -1, {NULL}},
        {0, -1, {NULL}},
    };
    static const long ages[5] = {20, 10, 50, 40, 30}; /* c, d, e, a, b: from the oldest */
    static const char *const others[] = {"trim/bin", "trim/x.binx", "trim/x.bin.1-2.tmp"};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int folder = private_folder_open(at("trim"), true, why, sizeof why);
        char name[32], data[100] = "";
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            make_file(others[i], 0600);
        CHECK(symlink("nowhere", at("trim/link.bin")) == 0 || r > 0, "a link");
        CHECK(mkdir(at("trim/folder.bin"), 0700) == 0 || r > 0, "a folder");
        for (int i = 0; i < 5; i++) {
            const struct timespec then[2] = {{time(NULL) - ages[i], 0}, {time(NULL) - ages[i], 0}};
            snprintf(name, sizeof name, "%c.bin", 'a' + i);
            CHECK(private_file_write(folder, name, &(struct file_part){data, sizeof data}, 1, why,
                                     sizeof why) &&
                      utimensat(folder, name, then, 0) == 0,
                  "%s: %s", name, why);
        }
        if (rows[r].read >= 0) {
            size_t size;
            snprintf(name, sizeof name, "%c.bin", 'a' + rows[r].read);
            free(private_file_read(folder, name, sizeof data, &size, why, sizeof why));
        }
        private_folder_trim(folder, ".bin", rows[r].most);
        for (int i = 0; i < 5; i++) {
            bool stays = false;
            snprintf(name, sizeof name, "%c.bin", 'a' + i);
            for (int k = 0; k < 5 && rows[r].left[k]; k++)
                stays |= strcmp(rows[r].left[k], name) == 0;
            CHECK((faccessat(folder, name, F_OK, 0) == 0) == stays, "row %zu: %s %s", r, name,
                  stays ? "stays" : "goes");
        }
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            CHECK(access(at(others[i]), F_OK) == 0, "row %zu: %s stays", r, others[i]);
        struct stat st;
        CHECK(lstat(at("trim/link.bin"), &st) == 0 && access(at("trim/folder.bin"), F_OK) == 0,
              "row %zu: a link and a folder stay", r);
        close(folder);
    }
}

/* A file whose name is shorter than the ending is kept. In a directory entry the byte before the
   name is the file's type: it must not be compared as if it belonged to the name. */
static void test_short_names(void)
{
    static const char ending[] = {8 /* DT_REG */, 'b', 'i', 'n', '\0'};
    int folder = private_folder_open(at("short"), true, why, sizeof why);
    make_file("short/bin", 0600);
    private_folder_trim(folder, ending, 0);
    CHECK(access(at("short/bin"), F_OK) == 0, "a shorter name is taken");
    close(folder);
}

/* All files are looked at for one key in 64, and for files larger than such a part of all. */
static void test_wrote(void)
{
    static const struct {
        uint64_t bytes, random;
        bool trims;
    } rows[] = {{1, 0, true}, {1, 64, true}, {1, 1, false}, {1, 63, false}, {2, 1, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int folder = private_folder_open(at("wrote"), true, why, sizeof why);
        char data[200] = "";
        CHECK(private_file_write(folder, "a.bin", &(struct file_part){data, sizeof data}, 1, why,
                                 sizeof why),
              "%s", why);
        private_folder_wrote(folder, ".bin", 127, rows[r].bytes, rows[r].random);
        CHECK((faccessat(folder, "a.bin", F_OK, 0) != 0) == rows[r].trims, "row %zu", r);
        close(folder);
    }
}

static void test_default(void)
{
    static const struct {
        const char *cache, *home, *found;
    } rows[] = {
        {"/c", "/h", "/c/vkr"},
        {NULL, "/h", "/h/.cache/vkr"},
        {"c", "/h", "/h/.cache/vkr"},
        {"c", "h", NULL},
        {NULL, "h", NULL},
        {NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].cache ? setenv("XDG_CACHE_HOME", rows[i].cache, 1) : unsetenv("XDG_CACHE_HOME");
        rows[i].home ? setenv("HOME", rows[i].home, 1) : unsetenv("HOME");
        bool found = env_cache_folder(path, sizeof path);
        CHECK(found == (rows[i].found != NULL) && (!found || strcmp(path, rows[i].found) == 0),
              "row %zu: %s", i, path);
    }
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    char command[300];
    snprintf(root, sizeof root, "%.200s/vkr_private_XXXXXX", base ? base : "/tmp");
    umask(0); /* modes are what they are asked to be */
    CHECK(mkdtemp(root) != NULL, "a folder");
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        if (is_closed) /* then descriptor 0 is the next that is opened */
            close(STDIN_FILENO);
        int next = next_descriptor();
        CHECK(!is_closed || next == 0, "the next descriptor is %d", next);
        RUN(test_folders());
        RUN(test_files());
        RUN(test_leftovers());
        RUN(test_trim());
        RUN(test_short_names());
        RUN(test_wrote());
        RUN(test_pieces());
        CHECK(next_descriptor() == next, "a descriptor is left open");
        snprintf(command, sizeof command, "rm -r '%s'/*", root);
        CHECK(system(command) == 0, "%s", command);
    }
    RUN(test_default());
    snprintf(command, sizeof command, "rm -r '%s'", root);
    CHECK(system(command) == 0, "%s", command);
    return harness_report();
}
