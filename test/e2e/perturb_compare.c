/* What a device found against the samples of perturb_run, and what it may take for 0. */
#include "perturb.h"

#include <float.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "perturb_parts.h"

/* NaNs are alike, infinities by sign, numbers are alike. */
static int kind_of(double x)
{
    return isnan(x) ? 3 : isinf(x) ? (x > 0 ? 2 : 1) : 0;
}

static bool same_bits(enum vkc_type type, const void *a, const void *b, int64_t i)
{
    size_t bytes = type_bytes(type);
    return memcmp((const char *)a + (size_t)i * bytes, (const char *)b + (size_t)i * bytes,
                  bytes) == 0;
}

/* How far part i may be off. *Returns* false where it depends on rounding what kind of value it
   is. */
static bool bound_of(const struct array *samples, uint32_t count, double slack, int64_t i,
                     double *out)
{
    double wanted = part_load(&samples[0], i), bound = 0;
    for (uint32_t k = 1; k < count; k++) {
        double other = part_load(&samples[k], i);
        if (kind_of(other) != kind_of(wanted))
            return false;
        if (isfinite(other))
            bound = fmax(bound, fabs(other - wanted) * (k < PERTURB_SAMPLES ? PERTURB_FACTOR : 1));
    }
    *out = bound +
           (slack > 0 && isfinite(wanted) ? slack * ulp_of(samples[0].tensor.type, wanted) : 0);
    return true;
}

static bool samples_agree(const struct array *samples, uint32_t count, int64_t i)
{
    for (uint32_t k = 1; k < count; k++)
        if (!same_bits(part_type(samples[0].tensor.type), samples[0].data, samples[k].data, i))
            return false;
    return true;
}

static double integer_at(enum vkc_type type, const void *data, int64_t i)
{
    union number x = number_load(type, data, i);
    return vkc_types[type].kind == KIND_SINT ? (double)x.s : (double)x.u;
}

struct perturb_kept perturb_least_kept(uint64_t features)
{
    const uint64_t keeps = VKB_FEATURE_DENORM_PRESERVE_32 | VKB_FEATURE_SIGNED_ZERO_INF_NAN_32,
                   keeps_64 = VKB_FEATURE_DENORM_PRESERVE_64 | VKB_FEATURE_SIGNED_ZERO_INF_NAN_64;
    return (struct perturb_kept){features & keeps ? 0 : FLT_MIN, features & keeps_64 ? 0 : DBL_MIN};
}

struct perturb_result perturb_compare(const struct array *samples, uint32_t count, double slack,
                                      struct perturb_kept kept, const void *found)
{
    struct perturb_result result = {.wrong = -1};
    const struct array device = {samples[0].tensor, (void *)(uintptr_t)found};
    enum vkc_type type = part_type(samples[0].tensor.type);
    bool is_float = is_real_float(&device);
    double least = type == TYPE_F64 ? kept.f64 : kept.f32;
    for (int64_t i = 0, size = parts_of(&samples[0]); i < size; i++) {
        bool ok = same_bits(type, samples[0].data, found, i);
        double bound = 0, wanted, got;
        if (!(is_float ? bound_of(samples, count, slack, i, &bound)
                       : samples_agree(samples, count, i))) {
            result.loose++;
            continue;
        }
        wanted = is_float ? part_load(&samples[0], i) : integer_at(type, samples[0].data, i);
        got = is_float ? part_load(&device, i) : integer_at(type, found, i);
        result.vague += bound > fabs(wanted);
        /* of samples at no distance that disagree it is the sign of a zero that depends on
           rounding */
        bool is_near = is_float && fabs(got - wanted) <= bound &&
                       (bound > 0 || !samples_agree(samples, count, i));
        bool is_flushed = is_float && got == 0 && fabs(wanted) - bound < least;
        ok = ok || is_near || is_flushed || (is_float && isnan(wanted) && isnan(got));
        if (!ok) {
            result.wrong = i, result.found = got, result.wanted = wanted, result.bound = bound;
            return result;
        }
    }
    return result;
}
