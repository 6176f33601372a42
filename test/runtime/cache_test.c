/* The pipeline cache on disk: found again, replaced when it is damaged or foreign. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../runtime/vkr.h"
#include "builder.h"
#include "harness.h"

static char folder[256], file[1024];

/* Loads a program with the cache. *Returns* false without a device. */
static bool load_once(const void *bundle, size_t size, uint64_t *out_hits)
{
    vkr_device *device = NULL;
    vkr_program *program = NULL;
    vkr_counters c = {0};
    if (vkr_device_open(&(vkr_device_options){.pipeline_cache = folder}, &device, NULL))
        return false;
    OK(vkr_program_load(device, bundle, size, &program, err));
    vkr_device_counters(device, &c);
    vkr_program_unload(program);
    vkr_device_close(device);
    *out_hits = c.pipeline_cache_hits;
    return true;
}

/* The only file in the folder, into `file`. *Returns* how many there are. */
static int find_file(void)
{
    DIR *dir = opendir(folder);
    int count = 0;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') {
            snprintf(file, sizeof file, "%s/%.700s", folder, e->d_name);
            count++;
        }
    if (dir)
        closedir(dir);
    return count;
}

static size_t read_all(uint8_t *bytes, size_t size)
{
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(bytes, 1, size, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static void write_all(const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(file, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size, "%s is written", file);
    if (f)
        fclose(f);
}

int main(void)
{
    static uint8_t good[1 << 20], now[1 << 20];
    const char *base = getenv("TMPDIR");
    size_t size, n;
    uint64_t hits;
    void *bundle = builder_add(100, &size);
    snprintf(folder, sizeof folder, "%.200s/vkr_cache_XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL, "a folder");
    strcat(folder, "/new");
    if (!load_once(bundle, size, &hits)) {
        free(bundle);
        return harness_skip("no device");
    }
    CHECK(hits == 0 && find_file() == 1, "one file is made");
    n = read_all(good, sizeof good);
    CHECK(n > 64, "%zu bytes", n);
    load_once(bundle, size, &hits);
    printf("hits with a warm cache: %llu of 1 (0 where the driver keeps nothing)\n", (unsigned long long)hits);
    for (int damage = 0; damage < 4; damage++) {
        memcpy(now, good, n);
        size_t keep = damage == 0 ? 0 : damage == 1 ? n / 2 : n;
        if (damage == 2)
            now[n - 1] ^= 1;
        if (damage == 3)
            now[4] ^= 1; /* another vendor's */
        write_all(now, keep);
        CHECK(load_once(bundle, size, &hits) && hits == 0, "damage %d is a miss", damage);
        CHECK(find_file() == 1 && read_all(now, sizeof now) == n && !memcmp(now, good, 64), "damage %d is healed", damage);
    }
    remove(file);
    CHECK(mkdir(file, 0700) == 0, "a folder in the file's place");
    CHECK(load_once(bundle, size, &hits), "a cache that cannot be written is no error");
    rmdir(file);
    rmdir(folder);
    *strrchr(folder, '/') = '\0';
    rmdir(folder);
    free(bundle);
    return harness_report();
}
