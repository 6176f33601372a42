/* The bundle cache: misses, hits, damage, many writers; and that each part of what makes a
   bundle makes another entry. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../runtime/bundle.h"
#include "pack/cache.h"
#include "check.h"
#include "codegen/template.h"
#include "vkc.h"

static const char *const graph_text =
    "graph \"t\" entry=f0 callbacks=0\nfunc f0(f32[4]) {\n  n0 = parameter index=0 : f32[4]\n"
    "  n1 = exp n0 : f32[4]\n  return n1\n}\n";

static bool make_bundle(struct vkc_result *out)
{
    const struct vkc_options options = {.text_ir = true, .threads = 1};
    return vkc_compile(graph_text, strlen(graph_text), NULL, 0, &options, out);
}

static bool holds(const char *dir, const uint8_t key[32], const struct vkc_result *r,
                  struct cache_note *note)
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

/* ---- what makes an entry ---- */

/* A literal of the sidecar: 4 bytes at offset 0. */
static const char *const sidecar_graph =
    "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"s\", \"entry\": 0, "
    "\"funcs\": [{\"params\": [{\"type\": \"u8\", \"shape\": [4]}], \"nodes\": ["
    "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], "
    "\"outs\": [{\"type\": \"u8\", \"shape\": [4]}], \"attrs\": {\"index\": 0}}, "
    "{\"id\": 1, \"op\": \"literal\", \"ins\": [], "
    "\"outs\": [{\"type\": \"u8\", \"shape\": [4]}], \"attrs\": {\"literal\": 0}}, "
    "{\"id\": 2, \"op\": \"add\", \"ins\": [[0, 0], [1, 0]], "
    "\"outs\": [{\"type\": \"u8\", \"shape\": [4]}]}], \"results\": [[2, 0]]}], "
    "\"literals\": [{\"type\": \"u8\", \"shape\": [4], \"sha256\": \"%s\", \"offset\": %d, "
    "\"bytes\": 4}], \"donations\": [], \"callbacks\": 0}";

struct compilation {
    const char *what, *graph;
    const void *sidecar;
    size_t sidecar_size;
    struct vkc_options options;
};

static int entries(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        n += strstr(e->d_name, ".vkc") != NULL;
    if (d)
        closedir(d);
    return n;
}

/* Whether it came from the cache, after a check that it compiles. */
static bool is_hit(const char *dir, const struct compilation *c)
{
    struct vkc_result r;
    struct vkc_options o = c->options;
    o.cache_dir = dir;
    o.threads = 1;
    bool ok = vkc_compile(c->graph, strlen(c->graph), c->sidecar, c->sidecar_size, &o, &r),
         hit = r.stats.cache_hit;
    CHECK(ok && r.bundle_size > 0, "%s: %s", c->what, r.error.message);
    vkc_result_free(&r);
    return hit;
}

/* It is a new entry, which is found when the same is asked for again. */
static void check_new(const char *dir, const struct compilation *c)
{
    int before = entries(dir);
    CHECK(!is_hit(dir, c) && entries(dir) == before + 1, "%s: is taken for something else",
          c->what);
    CHECK(is_hit(dir, c) && entries(dir) == before + 1, "%s: is not found again", c->what);
}

static const char *hex_digest(const void *data, size_t size, char out[65])
{
    uint8_t digest[32];
    vkb_sha256(data, size, digest);
    for (int i = 0; i < 32; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    return out;
}

/* Changes a letter of a comment that every shader begins with, and the second time changes it
   back. */
static void edit_template(void)
{
    char *text = strstr((char *)(uintptr_t)template_text("prelude.glsl"), "may need. It follows");
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)text / page * page;
    bool ok = text && mprotect((void *)begin, page, PROT_READ | PROT_WRITE) == 0;
    CHECK(ok, "the template cannot be changed");
    if (ok)
        text[-2] ^= 1;
}

static void check_keys(const char *dir)
{
    struct vkc_target baseline, other;
    char digest[65], sidecar_text[2048], same_text[2048], renamed[512], values[] = "abcdabcd";
    vkc_target_baseline(&baseline);
    other = baseline;
    other.max_shared_bytes /= 2;
    snprintf(renamed, sizeof renamed, "%s", graph_text);
    const struct vkc_donation donation = {0, 0};
    const struct compilation base = {
        .what = "the graph", .graph = graph_text, .options = {.text_ir = true}};
    struct compilation c = base;
    check_new(dir, &base);

    c.options.target = &baseline;
    c.what = "the baseline, named";
    CHECK(is_hit(dir, &c), "the default target is the baseline");
    c.options.target = &other, c.what = "another target";
    check_new(dir, &c);
    other = baseline, other.features ^= 1u << 11;
    c.what = "another feature";
    check_new(dir, &c);
    vkc_target_named("nvidia", &other);
    c = base, c.what = "second bodies", c.options.also = &other;
    check_new(dir, &c);
    c.what = "second bodies for another target", other.max_shared_bytes /= 2;
    check_new(dir, &c);
    c = base, c.what = "fast math", c.options.fast_math = true;
    check_new(dir, &c);
    c = base, c.what = "highest precision", c.options.highest_precision = true;
    check_new(dir, &c);
    c = base, c.what = "no fusion", c.options.no_fusion = true;
    check_new(dir, &c);
    c = base, c.what = "a pass left out", c.options.skip_passes = "cse";
    check_new(dir, &c);
    c.what = "another pass left out", c.options.skip_passes = "fold";
    check_new(dir, &c);
    c = base, c.what = "a donation", c.options.donations = &donation, c.options.ndonations = 1;
    check_new(dir, &c);
    char *exp = strstr(renamed, "exp");
    memcpy(exp, "sin", 3);
    c = base, c.what = "another graph", c.graph = renamed;
    check_new(dir, &c);

    /* the literal of the graph has the same digest in both: only the bytes around it differ */
    snprintf(sidecar_text, sizeof sidecar_text, sidecar_graph, hex_digest(values, 4, digest), 0);
    c = (struct compilation){
        .what = "a sidecar", .graph = sidecar_text, .sidecar = values, .sidecar_size = 4};
    check_new(dir, &c);
    c.what = "another sidecar", c.sidecar_size = 8;
    check_new(dir, &c);
    snprintf(same_text, sizeof same_text, "%s", sidecar_text);
    c.what = "the same sidecar elsewhere", c.graph = same_text;
    CHECK(is_hit(dir, &c), "%s is not found", c.what);

    c = base, c.what = "without the cache", c.options.no_cache = true;
    int before = entries(dir);
    CHECK(!is_hit(dir, &c), "no_cache reads the cache");
    c.options.skip_passes = "views";
    CHECK(!is_hit(dir, &c) && entries(dir) == before, "no_cache writes into the cache");
    edit_template();
    c = base, c.what = "an edited template";
    check_new(dir, &c);
    edit_template();
    CHECK(is_hit(dir, &base), "and edited back");
}

static void remove_all(const char *dir)
{
    char path[1024];
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_name[0] != '.')
            CHECK(unlink(path) == 0, "%s", path);
    }
    if (d)
        closedir(d);
    CHECK(rmdir(dir) == 0, "%s", dir);
}

int main(void)
{
    struct vkc_result r;
    struct cache_note note;
    char root[] = "/tmp/vkc_cache_XXXXXX", dir[256], path[512], planted[512], key_name[65];
    uint8_t key[32], other[32];
    if (!mkdtemp(root) || !make_bundle(&r)) {
        CHECK(false, "%s, and a bundle: %s", root, r.error.message);
        return check_report();
    }
    for (int i = 0; i < 32; i++) {
        key[i] = (uint8_t)(i * 37);
        snprintf(key_name + 2 * i, 3, "%02x", key[i]);
    }
    snprintf(dir, sizeof dir, "%s/a/b", root);
    snprintf(path, sizeof path, "%s/%s.vkc", dir, key_name);
    CHECK(!holds(dir, key, &r, &note) && note.text[0] == '\0',
          "no folder is a miss, without a word: %s", note.text);
    CHECK(cache_put(dir, key, r.bundle, r.bundle_size, &note), "%s", note.text);
    CHECK(holds(dir, key, &r, &note), "%s", note.text);
    CHECK(cache_put(dir, key, r.bundle, r.bundle_size, NULL) && holds(dir, key, &r, NULL), "again");

    damage(path, (long)r.bundle_size / 2);
    CHECK(!holds(dir, key, &r, &note) && strstr(note.text, "corrupt"),
          "a damaged entry is a miss: %s", note.text);
    CHECK(access(path, F_OK) != 0, "it is removed");
    CHECK(cache_put(dir, key, r.bundle, r.bundle_size / 2, &note) && !holds(dir, key, &r, &note),
          "half an entry is a miss");
    CHECK(cache_put(dir, key, r.bundle, 0, &note) && !holds(dir, key, &r, &note),
          "an empty entry is a miss");

    CHECK(cache_put(dir, key, r.bundle, r.bundle_size, &note) &&
              snprintf(planted, sizeof planted, "%s/%.63s0.vkc", dir, key_name) > 0,
          "%s", note.text);
    memcpy(other, key, sizeof other);
    other[31] = (uint8_t)(key[31] & 0xf0);
    CHECK(other[31] != key[31] && rename(path, planted) == 0 && !holds(dir, other, &r, &note) &&
              strstr(note.text, "not of this key"),
          "another key's entry is a miss: %s", note.text);
    CHECK(access(planted, F_OK) != 0, "and removed");

    for (int child = 0; child < 8; child++) {
        if (fork() == 0) {
            bool ok = true;
            for (int i = 0; i < 50; i++)
                ok = cache_put(dir, key, r.bundle, r.bundle_size, NULL) &&
                     holds(dir, key, &r, NULL) && ok;
            _exit(ok ? 0 : 1);
        }
    }
    for (int status; wait(&status) > 0;)
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a concurrent writer failed");
    CHECK(holds(dir, key, &r, &note), "after all writers: %s", note.text);

    CHECK(chmod(dir, 0777) == 0 && !holds(dir, key, &r, &note) &&
              strstr(note.text, "others may write"),
          "a folder of everybody's: %s", note.text);
    CHECK(!cache_put(dir, key, r.bundle, r.bundle_size, &note) && note.text[0] &&
              chmod(dir, 0700) == 0 && holds(dir, key, &r, &note),
          "gets nothing: %s", note.text);
    CHECK(!cache_put("/dev/null/none", key, r.bundle, r.bundle_size, &note) && note.text[0],
          "a folder that cannot be is a note");
    CHECK(!holds("/dev/null/none", key, &r, &note), "and a miss");
    vkc_result_free(&r);
    CHECK(unlink(path) == 0 && rmdir(dir) == 0, "only the entry is left in %s", dir);
    snprintf(dir, sizeof dir, "%s/keys", root);
    check_keys(dir);
    remove_all(dir);
    snprintf(dir, sizeof dir, "%s/a", root);
    CHECK(rmdir(dir) == 0 && rmdir(root) == 0, "%s", root);
    return check_report();
}
