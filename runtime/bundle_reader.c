#include "bundle_reader.h"

#include <stdarg.h>
#include <stdio.h>

#define fail bundle_fail

const char *vkb_feature_name(uint32_t bit)
{
    switch (bit) {
/* clang-format off */
#define FEATURE(bit, word, what) case VKB_FEATURE_##bit: return what;
#include "features.def"
        /* clang-format on */
    default: return NULL;
    }
}

bool bundle_fail(struct reader *r, const char *format, ...)
{
    if (r->error && r->error_size) {
        va_list args;
        va_start(args, format);
        vsnprintf(r->error, r->error_size, format, args);
        va_end(args);
    }
    return false;
}

bool bundle_check_text(struct reader *r, const char *what, uint32_t index, const char *field,
                       uint32_t offset)
{
    if (offset < r->view.strings_bytes)
        return true;
    return fail(r, "%s[%u]: %s is at %u of STRINGS, which has %u bytes", what, index, field, offset,
                r->view.strings_bytes);
}

bool bundle_check_features(struct reader *r, const char *what, uint32_t index, uint32_t features)
{
    for (uint32_t bit = 0; bit < 32; bit++)
        if (features >> bit & 1 && !vkb_feature_name(1u << bit))
            return fail(r, "%s[%u]: feature bit %u is unknown to this version", what, index, bit);
    return true;
}
