/* Which lengths of transforms a workgroup can do, and in which passes; the roots of unity. */
#include "target/radix.h"

#include <math.h>

/* The fewest factors, all of at most `most`, that make n; the longest first. */
static bool factors(int64_t n, uint32_t count, uint32_t most, uint32_t *radix)
{
    if (count == 0)
        return n == 1;
    for (uint32_t r = most; r > 1; r--)
        if (n % r == 0 && factors(n / r, count - 1, r, radix + 1)) {
            radix[0] = r;
            return true;
        }
    return false;
}

uint32_t fourier_radices(int64_t n, uint32_t radix[FOURIER_PASSES])
{
    int64_t rest = n;
    for (int64_t p = 2; p <= FOURIER_PRIME; p++)
        while (rest % p == 0)
            rest /= p;
    if (n < 2 || rest != 1)
        return 0;
    for (uint32_t count = 1; count <= FOURIER_PASSES; count++)
        for (uint32_t most = 2; most <= FOURIER_RADIX; most++)
            if (factors(n, count, most, radix))
                return count;
    return 0;
}

int64_t fourier_gap(int64_t n, uint32_t bytes, struct fourier_limits limits)
{
    return n % FOURIER_RADIX == 0 && (n + n / FOURIER_RADIX) * bytes <= limits.shared_bytes
               ? FOURIER_RADIX
               : n;
}

int64_t fourier_pitch(int64_t n, uint32_t bytes, struct fourier_limits limits)
{
    return n + (n - 1) / fourier_gap(n, bytes, limits);
}

bool fourier_fits(int64_t n, uint32_t bytes, struct fourier_limits limits)
{
    uint32_t radix[FOURIER_PASSES], passes;
    if (n > (int64_t)limits.invocations * FOURIER_RADIX ||
        (passes = fourier_radices(n, radix)) == 0)
        return false;
    return n / radix[0] <= limits.invocations &&
           (passes == 1 || fourier_pitch(n, bytes, limits) * bytes <= limits.shared_bytes);
}

struct root fourier_root(int64_t k, int64_t n, bool inverse)
{
    const long double quarter = 1.570796326794896619231321691639751442L;
    int64_t quadrant = 4 * (k % n) / n, part = 4 * (k % n) - quadrant * n;
    long double c, s;
    if (2 * part > n) {
        c = sinl(quarter * (long double)(n - part) / (long double)n);
        s = cosl(quarter * (long double)(n - part) / (long double)n);
    } else {
        c = cosl(quarter * (long double)part / (long double)n);
        s = 2 * part == n ? c : sinl(quarter * (long double)part / (long double)n);
    }
    const struct root turned[4] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}}, w = turned[quadrant];
    return (struct root){w.re + 0.0L, (inverse ? w.im : -w.im) + 0.0L}; /* no -0 */
}
