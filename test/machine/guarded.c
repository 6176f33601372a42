#include "guarded.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/door.h"

static size_t aligned(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

/* The sections one after the other, with other words in one of them. */
static void *replace_code(const struct vkb_view *v, const struct door_code *code, size_t *out_size)
{
    size_t words = 0, at = aligned(sizeof(struct vkb_header)),
           hashed = offsetof(struct vkb_header, section);
    for (uint32_t i = 0; i < v->nkernels; i++)
        words += code[i].count;
    uint8_t *bytes = calloc(1, v->header->size + 4 * words + 16 * VKB_SECTION_COUNT);
    struct vkb_header *h = (void *)bytes;
    if (!bytes)
        return NULL;
    *h = *v->header;
    for (int s = 0; s < VKB_SECTION_COUNT; s++) {
        bool is_code = s == VKB_SECTION_SPIRV;
        h->section[s].offset = at;
        h->section[s].size = is_code ? 4 * words : v->header->section[s].size;
        if (!is_code)
            memcpy(bytes + at, (const uint8_t *)v->header + v->header->section[s].offset,
                   h->section[s].size);
        at = aligned(at + h->section[s].size);
    }
    struct vkb_body *bodies = (void *)(bytes + h->section[VKB_SECTION_BODIES].offset);
    uint32_t first = 0, *to = (void *)(bytes + h->section[VKB_SECTION_SPIRV].offset);
    for (uint32_t i = 0; i < v->nkernels; first += code[i++].count) {
        memcpy(to + first, code[i].words, 4 * (size_t)code[i].count);
        bodies[i].spirv_first = first, bodies[i].spirv_count = code[i].count;
    }
    h->size = *out_size = at;
    vkb_sha256(bytes + hashed, at - hashed, h->sha256);
    return bytes;
}

void *guarded_bundle(const void *bundle, size_t size, size_t *out_size, char *error,
                     size_t error_size)
{
    struct vkb_view v;
    struct script script = {0};
    struct door_code *code = NULL;
    vkr_error err = {VKR_OK, ""};
    void *made = NULL;
    if (!bundle_open(bundle, size, &v, error, error_size))
        return NULL;
    uint32_t *taken = calloc((size_t)v.nkernels + 1, sizeof *taken); /* each kernel has one body */
    if (taken && !script_build(&v, false, &script, &err) &&
        !door_check(&v, &script, taken, &code, &err))
        made = replace_code(&v, code, out_size);
    free(taken);
    snprintf(error, error_size, "%s", err.message);
    door_finish(code, v.nkernels);
    script_finish(&script);
    return made;
}
