/* The reading of a bundle, as the files that check it share it. */
#ifndef VKR_BUNDLE_READER_H
#define VKR_BUNDLE_READER_H

#include "bundle.h"

/* One reading: the view being filled and where its complaint goes. */
struct reader {
    struct vkb_view view;
    char *error;
    size_t error_size;
    bool *no_memory;
};

/* *Returns* false with the complaint. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool bundle_fail(struct reader *r, const char *format, ...);

/* Fields of record `index` of the section `what`. */
bool bundle_check_text(struct reader *r, const char *what, uint32_t index, const char *field,
                       uint32_t offset);
bool bundle_check_features(struct reader *r, const char *what, uint32_t index, uint32_t features);

/* KERNELS, BODIES and NEEDS, with their SPIR-V. */
bool bundle_check_kernels(struct reader *r);

static inline bool in_range(uint64_t first, uint64_t count, uint64_t limit)
{
    return first <= limit && count <= limit - first;
}

#endif
