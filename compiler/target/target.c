/* Target profiles: their text form, and the shipped ones. Knows no Vulkan. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/bundle.h"
#include "vkc.h"

/* What a profile promises must hold on every device of its class: a loader refuses a bundle that
   needs more than the device has, so a profile leaves out what older devices or drivers of the
   class lack. */
const struct vkc_profile vkc_profiles[] = {
    {"baseline",
     "# What Vulkan 1.1 requires of every device, with f64 and i64, and 16 storage buffers a kernel where it\n"
     "# requires 4: with 8, an optimizer step of ten tensors falls apart; a device with fewer has its own profile.\n"
     "name = baseline\n"
     "features = f64,i64\n"
     "max_invocations = 128\n"
     "max_shared_bytes = 16384\n"
     "max_bindings = 16\n"
     "subgroup_size = 1\n"
     "max_groups = 65535,65535,65535\n"
     "max_binding_bytes = 134217728\n"},
    {"lavapipe",
     "# Mesa's CPU driver from 22.3 on. Its shaders stop after 65,535 loop iterations before Mesa 25.\n"
     "name = lavapipe\n"
     "features = f64,i64,i16,f16,storage8,storage16,subgroup_arithmetic,"
     "szinfnan32,szinfnan64,rte32,rte64,addresses,compare32\n"
     "max_invocations = 1024\n"
     "max_shared_bytes = 32768\n"
     "max_bindings = 32\n"
     "subgroup_size = 8\n"
     "max_groups = 65535,65535,65535\n"
     "max_binding_bytes = 134217728\n"
     "cpu = true\n"
     "loop_limit = true\n"},
    {"nvidia",
     "# Turing and later.\n"
     "name = nvidia\n"
     "features = f64,i64,i16,f16,storage8,storage16,subgroup_arithmetic,cooperative_matrix,"
     "szinfnan32,szinfnan64,denorm16,rte16,rte32,rte64,memory_model,addresses,fma,ballot32\n"
     "matrices = f16:16x16x16,bf16:16x16x16,f16:128x256x64:256,bf16:128x256x64:256\n"
     "max_invocations = 1024\n"
     "max_shared_bytes = 49152\n"
     "max_bindings = 32\n"
     "subgroup_size = 32\n"
     "max_groups = 2147483647,65535,65535\n"
     "max_binding_bytes = 4294967295\n"},
    {"amd", "# GCN 3 and later with RADV or AMDVLK.\n"
            "name = amd\n"
            "features = f64,i64,i16,f16,storage8,storage16,subgroup_arithmetic,"
            "szinfnan32,szinfnan64,rte32,rte64,memory_model,addresses,compare32\n"
            "max_invocations = 1024\n"
            "max_shared_bytes = 32768\n"
            "max_bindings = 32\n"
            "subgroup_size = 64\n"
            "max_groups = 65535,65535,65535\n"
            "max_binding_bytes = 4294967295\n"},
    {"intel",
     "# Skylake to Arc. No f64 from Xe on; the driver picks the subgroup size, so none is relied on.\n"
     "name = intel\n"
     "features = i64,i16,f16,storage8,storage16,szinfnan32,rte32,memory_model,addresses,compare32\n"
     "max_invocations = 1024\n"
     "max_shared_bytes = 32768\n"
     "max_bindings = 32\n"
     "subgroup_size = 32\n"
     "max_groups = 65535,65535,65535\n"
     "max_binding_bytes = 1073741824\n"},
    {"apple", "# M1 and later through MoltenVK. Metal has no f64.\n"
              "name = apple\n"
              "features = i64,i16,f16,storage8,storage16,subgroup_arithmetic,compare32\n"
              "max_invocations = 1024\n"
              "max_shared_bytes = 32768\n"
              "max_bindings = 16\n"
              "subgroup_size = 32\n"
              "max_groups = 1073741824,1073741824,1073741824\n"
              "max_binding_bytes = 1073741824\n"},
    {NULL, NULL},
};

struct word {
    const char *name;
    uint32_t bit;
};

static const struct word features[] = {
#define FEATURE(bit, word, what) {word, VKB_FEATURE_##bit},
#include "runtime/features.def"
};
static const struct word matrices[] = {
#define MATRIX(bit, word, operands, rows, columns, k, threads) {word, 1u << VKB_MATRIX_##bit},
#include "runtime/matrices.def"
};
enum {
    NFEATURES = sizeof features / sizeof *features,
    NMATRICES = sizeof matrices / sizeof *matrices,
#define FEATURE(bit, word, what) +VKB_FEATURE_##bit
    HAVE_WORDS = 0
#include "runtime/features.def"
};
_Static_assert(HAVE_WORDS == (1 << VKB_FEATURES) - 1 - VKB_FEATURE_RESERVED,
               "a feature has no word");

/* ---- what a profile says ---- */

static const struct fact {
    const char *key;
    enum fact_kind {
        FACT_NAME,
        FACT_FEATURES,
        FACT_EMULATED,
        FACT_MATRICES,
        FACT_NUMBER,
        FACT_COUNT, /* 0: it is not said */
        FACT_POWER,
        FACT_GROUPS,
        FACT_BYTES64,
        FACT_CLAIM,
        FACT_VERSION
    } kind;
    enum join { OWN, LOWER, EITHER, BOTH } join;
    size_t at; /* of struct vkc_target */
} facts[] = {
#define FACT(key, field, kind, join, unit, source) \
    {#key, FACT_##kind, join, offsetof(struct vkc_target, field)},
#include "target/facts.def"
};
enum { NFACTS = sizeof facts / sizeof *facts };

/* ---- reading ---- */

struct reader {
    struct vkc_target *target;
    char *error;
    size_t error_size;
    uint32_t line;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
fail(struct reader *r, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (r->error_size > 0)
        snprintf(r->error, r->error_size, "target profile line %u: %s", r->line, text);
    return false;
}

static bool read_number(struct reader *r, const char *key, const char *value, uint64_t most,
                        uint64_t *out)
{
    uint64_t x = 0;
    const char *at = value;
    for (; isdigit((unsigned char)*at); at++) {
        if (x > (UINT64_MAX - 9) / 10)
            break;
        x = x * 10 + (uint64_t)(*at - '0');
    }
    if (at == value || *at != '\0' || x < 1 || x > most)
        return fail(r, "%s must be a number from 1 to %" PRIu64 ", found '%.40s'", key, most,
                    value);
    *out = x;
    return true;
}

static bool read_bool(struct reader *r, const char *key, const char *value, bool *out)
{
    *out = strcmp(value, "true") == 0;
    return *out || strcmp(value, "false") == 0 ||
           fail(r, "%s must be true or false, found '%.40s'", key, value);
}

/* Cuts the next part off a comma-separated list. NULL at its end. */
static char *next_part(char **at)
{
    char *part = *at;
    if (!part)
        return NULL;
    part += strspn(part, " \t");
    char *comma = strchr(part, ',');
    *at = comma ? comma + 1 : NULL;
    if (comma)
        *comma = '\0';
    for (size_t n = strlen(part); n > 0 && isspace((unsigned char)part[n - 1]); n--)
        part[n - 1] = '\0';
    return part;
}

static bool read_words(struct reader *r, char *value, const char *what, const struct word *words,
                       int nwords, uint32_t *out)
{
    *out = 0;
    if (*value == '\0')
        return true;
    for (char *part; (part = next_part(&value));) {
        int i = 0;
        while (i < nwords && strcmp(words[i].name, part) != 0)
            i++;
        if (i == nwords)
            return fail(r, "unknown %s '%.40s'", what, part);
        *out |= words[i].bit;
    }
    return true;
}

static bool read_groups(struct reader *r, char *value, uint32_t out[3])
{
    uint32_t n = 0;
    for (char *part; (part = next_part(&value)); n++) {
        uint64_t x = 0;
        if (n >= 3)
            return fail(r, "max_groups takes three numbers");
        if (!read_number(r, "max_groups", part, UINT32_MAX, &x))
            return false;
        out[n] = (uint32_t)x;
    }
    return n == 3 || fail(r, "max_groups takes three numbers, found %u", n);
}

static bool read_name(struct reader *r, const char *value)
{
    if (*value == '\0' || strlen(value) >= sizeof r->target->name)
        return fail(r, "name must have 1 to %zu characters", sizeof r->target->name - 1);
    memcpy(r->target->name, value, strlen(value) + 1);
    return true;
}

/* 1.3 is what every device of Vulkan 1.1 takes; it is 0, so that a profile without the key is the
   same. */
static bool read_spirv(struct reader *r, const char *value, uint32_t *out)
{
    bool known = strlen(value) == 3 && value[0] == '1' && value[1] == '.' && value[2] >= '3' &&
                 value[2] <= '6';
    *out = known && value[2] > '3' ? 0x00010000u | (uint32_t)(value[2] - '0') << 8 : 0;
    return known || fail(r, "spirv must be a version from 1.3 to 1.6, found '%.40s'", value);
}

static bool read_field(struct reader *r, const struct fact *f, char *value)
{
    void *field = (char *)r->target + f->at;
    uint64_t x = 0;
    switch (f->kind) {
    case FACT_NAME: return read_name(r, value);
    case FACT_FEATURES:
    case FACT_EMULATED: return read_words(r, value, "feature", features, NFEATURES, field);
    case FACT_MATRICES: return read_words(r, value, "matrix", matrices, NMATRICES, field);
    case FACT_GROUPS: return read_groups(r, value, field);
    case FACT_CLAIM: return read_bool(r, f->key, value, field);
    case FACT_VERSION: return read_spirv(r, value, field);
    case FACT_BYTES64:
        return read_number(r, f->key, value, UINT64_MAX / 16, field) &&
               (*(uint64_t *)field >= 256 ||
                fail(r, "%s must be at least 256, found '%.40s'", f->key, value));
    case FACT_COUNT:
    case FACT_POWER:
    case FACT_NUMBER:
        if (!read_number(r, f->key, value, UINT32_MAX, &x))
            return false;
        memcpy(field, &(uint32_t){(uint32_t)x}, sizeof(uint32_t));
        return f->kind != FACT_POWER || (x & (x - 1)) == 0 ||
               fail(r, "%s must be a power of two, found '%.40s'", f->key, value);
    }
    return false;
}

static bool read_key(struct reader *r, const char *key, char *value)
{
    for (int i = 0; i < NFACTS; i++)
        if (strcmp(facts[i].key, key) == 0)
            return read_field(r, &facts[i], value);
    return fail(r, "unknown key '%.40s'", key);
}

static bool read_line(struct reader *r, const char *line, size_t length)
{
    char text[1024];
    const char *comment = memchr(line, '#', length);
    if (comment)
        length = (size_t)(comment - line);
    if (length >= sizeof text)
        return fail(r, "a line has at most %zu characters", sizeof text - 1);
    memcpy(text, line, length);
    text[length] = '\0';
    char *key = text + strspn(text, " \t\r"), *equals = strchr(key, '=');
    if (*key == '\0')
        return true;
    if (!equals)
        return fail(r, "expected key = value");
    *equals = '\0';
    char *value = equals + 1 + strspn(equals + 1, " \t");
    for (size_t n = strlen(value); n > 0 && isspace((unsigned char)value[n - 1]); n--)
        value[n - 1] = '\0';
    for (size_t n = strlen(key); n > 0 && isspace((unsigned char)key[n - 1]); n--)
        key[n - 1] = '\0';
    return read_key(r, key, value);
}

bool vkc_target_parse(const char *text, size_t size, struct vkc_target *target, char *error,
                      size_t error_size)
{
    struct vkc_target read = *target;
    struct reader r = {.target = &read, .error = error, .error_size = error_size};
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - (text + at)) : size - at;
        r.line++;
        if (memchr(text + at, '\0', length))
            return fail(&r, "a NUL character");
        if (!read_line(&r, text + at, length))
            return false;
        at += length + 1;
    }
    *target = read;
    return true;
}

bool vkc_target_named(const char *name, struct vkc_target *out)
{
    for (const struct vkc_profile *p = vkc_profiles; p->name; p++) {
        if (strcmp(p->name, name) != 0)
            continue;
        *out = (struct vkc_target){0};
        return vkc_target_parse(p->text, strlen(p->text), out, NULL, 0);
    }
    return false;
}

void vkc_target_baseline(struct vkc_target *out)
{
    vkc_target_named("baseline", out);
}

/* ---- one device's profile on another ---- */

static void lower(uint32_t *x, const uint32_t *y, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] < y[i] ? x[i] : y[i];
}

static void lower_bytes(uint64_t *x, uint64_t y)
{
    *x = *x < y ? *x : y;
}

static void join(const struct fact *f, void *target, const void *device)
{
    if (f->join == EITHER)
        *(bool *)target |= *(const bool *)device;
    else if (f->join == BOTH)
        *(uint32_t *)target &= *(const uint32_t *)device;
    else if (f->join == LOWER && f->kind == FACT_BYTES64)
        lower_bytes(target, *(const uint64_t *)device);
    else if (f->join == LOWER)
        lower(target, device, f->kind == FACT_GROUPS ? 3 : 1);
}

void vkc_target_run_on(struct vkc_target *target, const struct vkc_target *device)
{
    uint32_t lacks = target->features & ~device->features;
    if (device->features & VKB_FEATURE_F64) /* what the emulation is written in */
        target->emulated |= lacks & VKB_FEATURE_FMA;
    target->emulated |= lacks & VKB_FEATURE_BALLOT_32;
    target->features &= device->features | target->emulated;
    for (int i = 0; i < NFACTS; i++)
        join(&facts[i], (char *)target + facts[i].at, (const char *)device + facts[i].at);
}

/* ---- writing ---- */

/* "f64,i64" */
static void print_words(uint32_t bits, const struct word *words, int nwords, char *out, size_t size)
{
    size_t at = 0;
    *out = '\0';
    for (int i = 0; i < nwords; i++)
        if (bits & words[i].bit && at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? "," : "", words[i].name);
}

/* What stands after "key = "; "" where the line may be left out. */
static void print_fact(const struct fact *f, const void *field, char *out, size_t size)
{
    const uint32_t *n = field;
    out[0] = '\0';
    switch (f->kind) {
    case FACT_NAME: snprintf(out, size, "%s", (const char *)field); break;
    case FACT_FEATURES:
    case FACT_EMULATED: print_words(*n, features, NFEATURES, out, size); break;
    case FACT_MATRICES: print_words(*n, matrices, NMATRICES, out, size); break;
    case FACT_NUMBER:
    case FACT_POWER: snprintf(out, size, "%u", *n); break;
    case FACT_GROUPS: snprintf(out, size, "%u,%u,%u", n[0], n[1], n[2]); break;
    case FACT_BYTES64: snprintf(out, size, "%" PRIu64, *(const uint64_t *)field); break;
    case FACT_CLAIM: snprintf(out, size, "%s", *(const bool *)field ? "true" : "false"); break;
    case FACT_COUNT:
        if (*n)
            snprintf(out, size, "%u", *n);
        break;
    case FACT_VERSION:
        if (*n)
            snprintf(out, size, "%u.%u", *n >> 16, *n >> 8 & 0xff);
    }
}

size_t vkc_target_print(const struct vkc_target *t, char *out, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < NFACTS; i++) {
        const struct fact *f = &facts[i];
        char value[512];
        print_fact(f, (const char *)t + f->at, value, sizeof value);
        if (!*value && (f->kind == FACT_EMULATED || f->kind == FACT_MATRICES ||
                        f->kind == FACT_COUNT || f->kind == FACT_VERSION))
            continue;
        size_t room = at < size ? size - at : 0;
        int n = snprintf(room ? out + at : NULL, room, "%s = %s\n", f->key, value);
        at += n < 0 ? 0 : (size_t)n;
    }
    return at;
}
