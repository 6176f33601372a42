// shaders/emulated_fma.glsl against the processor's own fused multiply-add: the same bits, f32 subnormals being 0.
#include <stdint.h>
#include <stdio.h>
#include "glsl_as_cpp.h"
#include "../../shaders/emulated_fma.glsl"

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t next_random()
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

// Exponents near each other, so that sums cancel and round; `span` of them around 0.
static double draw(int span, int digits)
{
    double x = ldexp(double(next_random() >> 11), -53) + 0.5;
    x = ldexp(double(int64_t(ldexp(x, digits))), -digits); // few digits: exact products, ties
    x = ldexp(x, int(next_random() % unsigned(span)) - span / 2);
    return next_random() & 1 ? -x : x;
}

static float flush(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static bool same(double a, double b) { return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0; }

// Prints the first differences of a group, which is one check.
struct group {
    const char *name;
    unsigned long long tried, wrong;
    void check(bool ok, double a, double b, double c, double found, double wanted)
    {
        tried++;
        if (!ok && wrong++ < 10)
            printf("%s: fma(%a, %a, %a) is %a, expected %a\n", name, a, b, c, found, wanted);
    }
    int finish()
    {
        printf("%s: %llu tried, %llu wrong\n", name, tried, wrong);
        return wrong == 0;
    }
};

int main()
{
    group edge = {"edges", 0, 0}, f32 = {"f32", 0, 0}, f64 = {"f64", 0, 0};
    const float edges[] = {0.0f, -0.0f, 1.0f, -1.0f, 0x1p-126f, 0x1p-127f, 0x1.fffffep127f, 0x1p127f, INFINITY, -INFINITY, NAN, 0x1.000002p0f, 0x1p-64f};
    for (float a : edges)
        for (float b : edges)
            for (float c : edges) {
                float found = nx_emulated_fma(a, b, c), wanted = flush(__builtin_fmaf(flush(a), flush(b), flush(c)));
                edge.check(same(found, wanted), a, b, c, found, wanted);
            }
    for (int i = 0; i < 2000000; i++) {
        int digits = i % 3 ? 24 : 12;
        float a = float(draw(20, digits)), b = float(draw(20, digits)), c = i % 5 ? float(draw(60, digits)) : -a * b;
        float found = nx_emulated_fma(a, b, c), wanted = flush(__builtin_fmaf(a, b, c));
        f32.check(same(found, wanted), a, b, c, found, wanted);
    }
    for (int i = 0; i < 4096; i++) { // next to a tie by less than a double of the sum shows
        float e = i & 1 ? 0x1p-20f : 0x1p-21f, a = 0x1p-12f * (1 + e), b = 0x1p-12f * (1 - e), c = 1 + float(i) * 0x1p-23f;
        a = i & 2 ? -a : a;
        float found = nx_emulated_fma(a, b, c), wanted = __builtin_fmaf(a, b, c);
        f32.check(same(found, wanted), a, b, c, found, wanted);
    }
    for (int i = 0; i < 2000000; i++) {
        int digits = i % 3 ? 53 : 27;
        double a = draw(40, digits), b = draw(40, digits), c = i % 5 ? draw(120, digits) : -a * b;
        double found = nx_emulated_fma(a, b, c), wanted = __builtin_fma(a, b, c);
        f64.check(same(found, wanted), a, b, c, found, wanted);
    }
    for (int i = 0; i < 4096; i++) { // the same of f64: the product's low part decides on which side of a tie the sum is
        double a = 1 - ldexp(1 + i % 4, -53), b = 1 - ldexp(1 + i / 4 % 4, -53), c = ldexp(1 + ldexp(i / 16 % 16, -52), 2 + i / 256 % 4);
        c = i & 1024 ? -c : c;
        double found = nx_emulated_fma(a, b, c), wanted = __builtin_fma(a, b, c);
        f64.check(same(found, wanted), a, b, c, found, wanted);
    }
    int passed = edge.finish() + f32.finish() + f64.finish();
    printf("%d passed, %d failed, 0 skipped\n", passed, 3 - passed);
    return passed != 3;
}
