/* Which lengths of transforms a workgroup can do, in which passes, and how these exchange their
   elements; the roots of unity. */
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

uint32_t fourier_lines(const struct tuning *tuning, uint32_t bytes, bool across)
{
    return across && tuning->transform_piece > bytes ? tuning->transform_piece / bytes : 1;
}

struct fourier_limits fourier_limits(const struct vkc_target *target, const struct tuning *tuning,
                                     uint32_t bytes, bool across)
{
    uint32_t lines = fourier_lines(tuning, bytes, across);
    return (struct fourier_limits){target->max_invocations / lines,
                                   target->max_shared_bytes / lines, tuning->transform_halves};
}

bool fourier_fits(int64_t n, uint32_t bytes, struct fourier_limits limits)
{
    uint32_t radix[FOURIER_PASSES], passes;
    if (n > (int64_t)limits.invocations * FOURIER_RADIX ||
        (passes = fourier_radices(n, radix)) == 0)
        return false;
    return n / radix[0] <= limits.invocations &&
           (passes == 1 || n * fourier_unit(bytes, limits.halves) <= limits.shared_bytes);
}

void fourier_places(int64_t n, int64_t *exponents)
{
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(n, radix);
    int64_t before = 1;
    exponents[0] = 0;
    for (uint32_t p = 0; p < passes; before *= radix[p++])
        for (int64_t i = 1; i < radix[p]; i++)
            for (int64_t k = 0; k < before; k++)
                exponents[i * before + k] = i * k * (n / (before * radix[p]));
}

/* ---- shared memory ---- */

enum { BANKS = 32 };

uint32_t fourier_banks(uint32_t unit, uint32_t lines)
{
    uint32_t banks = BANKS * 4 / (unit * lines);
    return banks > 0 ? banks : 1;
}

static int64_t place(struct fourier_exchange x, int64_t j)
{
    return j + x.pad * (j / x.gap);
}

/* Turns that BANKS threads take: those of a pass put element 0 of their butterflies (`block` is
   before * radix), those of the next get theirs. */
static uint32_t turns(struct fourier_exchange x, int64_t before, int64_t block, uint32_t banks)
{
    uint32_t sum = 0;
    for (uint32_t first = 0; first < BANKS; first += banks) {
        uint32_t puts[BANKS] = {0}, gets[BANKS] = {0}, most_puts = 0, most_gets = 0;
        for (int64_t b = first; b < first + banks; b++) {
            uint32_t *put = &puts[place(x, b / before * block + b % before) % banks],
                     *get = &gets[place(x, b) % banks];
            most_puts = ++*put > most_puts ? *put : most_puts;
            most_gets = ++*get > most_gets ? *get : most_gets;
        }
        sum += most_puts + most_gets;
    }
    return sum;
}

int64_t fourier_exchanges(int64_t n, uint32_t banks, int64_t most,
                          struct fourier_exchange exchange[FOURIER_PASSES])
{
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(n, radix);
    int64_t before = 1, pitch = n;
    for (uint32_t p = 0; p + 1 < passes; before *= radix[p++]) {
        int64_t block = before * radix[p], apart = n / radix[p + 1];
        struct fourier_exchange best = {n, 0};
        uint32_t least = turns(best, before, block, banks);
        /* gaps that elements of both passes are whole numbers of, or less than one, apart */
        for (int64_t gap = apart; gap >= block; gap -= block) {
            const struct fourier_exchange x = {gap, before};
            if (apart % gap == 0 && before < banks && turns(x, before, block, banks) < least) {
                best = x;
                least = turns(x, before, block, banks);
            }
        }
        exchange[p] = best;
        pitch = place(best, n - 1) + 1 > pitch ? place(best, n - 1) + 1 : pitch;
    }
    for (uint32_t p = 0; pitch > most && p + 1 < passes; p++)
        exchange[p] = (struct fourier_exchange){n, 0};
    return pitch > most ? n : pitch;
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
