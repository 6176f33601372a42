/* The bundle cache: misses, hits, damage, many writers. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache.h"
#include "check.h"
#include "vkc.h"

static const char *const graph_text =
    "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[4]) {\n  n0 = parameter index=0 : f32[4]\n  n1 = exp n0 : f32[4]\n  return n1\n}\n";

static bool make_bundle(struct vkc_result *out)
{
    const struct vkc_options options = {.text_ir = true, .threads = 1};
    return vkc_compile(graph_text, strlen(graph_text), NULL, 0, &options, out);
}

static bool holds(const char *dir, const uint8_t key[32], const struct vkc_result *r, struct cache_note *note)
{
    void *data = NULL;
    size_t size = 0;
    bool hit = cache_get(dir, key, &data, &size, note);
    bool same = hit && size == r->bundle_size && memcmp(data, r->bundle, size) == 0;
    free(data);
    return same;
}

static void damage(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    CHECK(f && fseek(f, at, SEEK_SET) == 0 && fputc('!', f) != EOF && fclose(f) == 0, "%s", path);
}

int main(void)
{
    struct vkc_result r;
    struct cache_note note;
    char root[] = "/tmp/vkc_cache_XXXXXX", dir[256], path[512], key_name[65];
    uint8_t key[32];
    if (!mkdtemp(root) || !make_bundle(&r)) {
        CHECK(false, "%s, and a bundle: %s", root, r.error.message);
        return check_report();
    }
    for (int i = 0; i < 32; i++) {
        key[i] = (uint8_t)(i * 37);
        snprintf(key_name + 2 * i, 3, "%02x", key[i]);
    }
    snprintf(dir, sizeof dir, "%s/a/b", root);
    snprintf(path, sizeof path, "%s/%s.vkb", dir, key_name);
    CHECK(!holds(dir, key, &r, &note) && note.text[0] == '\0', "no folder is a miss, without a word: %s", note.text);
    CHECK(cache_put(dir, key, r.bundle, r.bundle_size, &note), "%s", note.text);
    CHECK(holds(dir, key, &r, &note), "%s", note.text);
    CHECK(cache_put(dir, key, r.bundle, r.bundle_size, NULL) && holds(dir, key, &r, NULL), "again");

    damage(path, (long)r.bundle_size / 2);
    CHECK(!holds(dir, key, &r, &note) && strstr(note.text, "corrupt"), "a damaged entry is a miss: %s", note.text);
    CHECK(access(path, F_OK) != 0, "it is removed");
    CHECK(cache_put(dir, key, r.bundle, r.bundle_size / 2, &note) && !holds(dir, key, &r, &note), "half an entry is a miss");
    CHECK(cache_put(dir, key, r.bundle, 0, &note) && !holds(dir, key, &r, &note), "an empty entry is a miss");

    for (int child = 0; child < 8; child++) {
        if (fork() == 0) {
            bool ok = true;
            for (int i = 0; i < 50; i++)
                ok = cache_put(dir, key, r.bundle, r.bundle_size, NULL) && holds(dir, key, &r, NULL) && ok;
            _exit(ok ? 0 : 1);
        }
    }
    for (int status; wait(&status) > 0;)
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a concurrent writer failed");
    CHECK(holds(dir, key, &r, &note), "after all writers: %s", note.text);

    CHECK(!cache_put("/dev/null/none", key, r.bundle, r.bundle_size, &note) && note.text[0], "a folder that cannot be is a note");
    CHECK(!holds("/dev/null/none", key, &r, &note), "and a miss");
    vkc_result_free(&r);
    CHECK(unlink(path) == 0 && rmdir(dir) == 0, "only the entry is left in %s", dir);
    snprintf(dir, sizeof dir, "%s/a", root);
    CHECK(rmdir(dir) == 0 && rmdir(root) == 0, "%s", root);
    return check_report();
}
