#include "perturb_fft.h"

#include <string.h>

static bool is_of_radices(int64_t n)
{
    for (int64_t p = 2; p <= 13; p++)
        while (n % p == 0)
            n /= p;
    return n == 1;
}

double fft_stages(int64_t n)
{
    double stages = 0, chirp = 3 * (2 + log2((double)n));
    if (!is_of_radices(n))
        return chirp * chirp; /* the worst case, without the root */
    for (int64_t p = 2, left = n; p <= 13; p++)
        for (; left % p == 0; left /= p)
            stages += p == 2 ? 1 : (double)p / 2;
    return fmax(stages, 1);
}

double fft_square_at(const struct array *x, int64_t first, int64_t stride, int64_t k)
{
    double m = magnitude_at(x, 2 * (first + k * stride));
    return m * m;
}

void fft_class_means(const struct array *x, int64_t first, int64_t stride, int64_t n, double *sums,
                     double *most)
{
    memset(most, 0, (size_t)n * sizeof *most);
    for (int64_t d = 1; d <= n; d++) {
        if (n % d)
            continue;
        memset(sums, 0, (size_t)d * sizeof *sums);
        for (int64_t k = 0; k < n; k++)
            sums[k % d] += fft_square_at(x, first, stride, k);
        for (int64_t k = 0; k < n; k++)
            most[k] = fmax(most[k], sums[k % d] * (double)d / (double)n);
    }
}

bool fft_overflows(const struct array *in, enum vkc_type type, int64_t first, int64_t stride,
                   int64_t count, int64_t n)
{
    double sum = 0, stages = fft_stages(n);
    bool is_complex = type_is_complex(in->tensor.type);
    if (!is_real_float(in))
        return false; /* no integer is as large, nor a sum of them */
    for (int64_t k = 0; k < count; k++)
        sum += magnitude_at(in, (is_complex ? 2 : 1) * (first + k * stride));
    sum *= (1 + stages * epsilon_of(type)) * (is_of_radices(n) ? 1 : 4 * (double)n);
    return !isfinite(num_float_round(part_type(type), sum));
}

double fft_peak(const struct array *x, int64_t first, int64_t stride, int64_t n)
{
    double most = 0;
    for (int64_t k = 0; k < n; k++)
        most = fmax(most, fft_square_at(x, first, stride, k));
    return sqrt(most);
}
