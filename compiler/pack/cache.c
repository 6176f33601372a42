#include "pack/cache.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/bundle.h"
#include "runtime/private_folder.h"

/* An entry begins with its key, so that a file that was given the wrong name is not taken for
   another bundle. */
struct entry_header {
    char magic[8];
    uint8_t key[32];
};

enum { NAME_BYTES = 72 };
static const char ending[] = ".vkc";
static const uint64_t most = (uint64_t)4 << 30; /* bytes of all entries */
static const char magic[8] = "VKCACHE1";
static const size_t entry_limit = (size_t)1 << (sizeof(size_t) > 4 ? 36 : 30);

static void entry_name(char out[NAME_BYTES], const uint8_t key[32])
{
    for (int i = 0; i < 32; i++)
        snprintf(out + 2 * i, 3, "%02x", key[i]);
    memcpy(out + 64, ending, sizeof ending);
}

/* Returns false. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
noted(struct cache_note *note, const char *format, ...)
{
    va_list list;
    if (!note)
        return false;
    va_start(list, format);
    vsnprintf(note->text, sizeof note->text, format, list);
    va_end(list);
    return false;
}

bool cache_get(const char *dir, const uint8_t key[32], void **out_data, size_t *out_size,
               struct cache_note *note)
{
    char name[NAME_BYTES], why[200] = "", error[160] = "it is cut off";
    struct entry_header header;
    struct vkb_view view;
    size_t size = 0;
    bool no_memory = false;
    if (note)
        note->text[0] = '\0';
    int folder = private_folder_open(dir, false, why, sizeof why);
    if (folder == FOLDER_NONE)
        return why[0] ? noted(note, "cache: %s", why) : false;
    entry_name(name, key);
    uint8_t *data = private_file_read(folder, name, entry_limit, &size, why, sizeof why);
    if (!data) {
        close(folder);
        return why[0] ? noted(note, "cache: %s", why) : false;
    }
    if (size >= sizeof header) {
        memcpy(&header, data, sizeof header);
        if (memcmp(header.magic, magic, sizeof magic) ||
            memcmp(header.key, key, sizeof header.key)) {
            snprintf(error, sizeof error, "it is not of this key");
        } else {
            size -= sizeof header;
            memmove(data, data + sizeof header, size);
            if (bundle_check(data, size, &view, &no_memory, error, sizeof error)) {
                close(folder);
                *out_data = data;
                *out_size = size;
                return true;
            }
        }
    }
    free(data);
    if (!no_memory)
        unlinkat(folder, name, 0);
    close(folder);
    if (no_memory)
        return noted(note, "cache: no memory to check an entry");
    return noted(note, "cache: an entry was corrupt and is removed: %s", error);
}

bool cache_put(const char *dir, const uint8_t key[32], const void *data, size_t size,
               struct cache_note *note)
{
    char name[NAME_BYTES], why[200] = "";
    struct entry_header header;
    if (note)
        note->text[0] = '\0';
    int folder = private_folder_open(dir, true, why, sizeof why);
    if (folder == FOLDER_NONE)
        return noted(note, "cache: %s", why);
    entry_name(name, key);
    memcpy(header.magic, magic, sizeof magic);
    memcpy(header.key, key, sizeof header.key);
    const struct file_part parts[] = {{&header, sizeof header}, {data, size}};
    bool ok = private_file_write(folder, name, parts, 2, why, sizeof why);
    if (ok)
        private_folder_wrote(folder, ending, most, size, key[0]);
    close(folder);
    return ok || noted(note, "cache: %s", why);
}
