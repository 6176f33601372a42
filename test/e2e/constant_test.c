/* What is written into a shader: every bit of a number comes back, of those with the most digits
   and those at the ends of the range, too; a counter is one operand, whatever its index is made
   of. */
#include <inttypes.h>
#include <string.h>

#include "e2e.h"
#include "base/str.h"

enum { PAIRS = 32 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* A number whose magnitude is next to 1, or any normal one. */
static uint64_t bits_of(bool is_double, uint64_t random, bool near)
{
    uint64_t sign = random >> 63, digits = random & (is_double ? 0xfffffffffffff : 0x7fffff);
    uint64_t exponent = random >> 53 & (is_double ? 0x3ff : 0x7f);
    uint64_t middle = is_double ? 1023 : 127;
    exponent = near ? middle - exponent % 4 : exponent + middle / 2;
    return is_double ? sign << 63 | exponent << 52 | digits : sign << 31 | exponent << 23 | digits;
}

/* The ends of the range: zeros, the least and the greatest of subnormal and of normal numbers,
   infinities and NaN; the odd ones negative. */
enum { ENDS = 16 };
static uint64_t end_of(bool is_double, int i)
{
    const int digits = is_double ? 52 : 23, top = is_double ? 11 : 8;
    const uint64_t one = UINT64_C(1) << digits, infinity = ((UINT64_C(1) << top) - 1) << digits;
    const uint64_t ends[ENDS / 2] = {
        0, 1, one - 1, one / 2 + 1, one, infinity, infinity + one / 2, infinity - 1};
    return ends[i / 2] | (uint64_t)(i % 2) << (digits + top);
}

/* A choice between two numbers that the input makes, so that none is known before. */
static void check_numbers(struct e2e *e, const char *type)
{
    struct arena a;
    struct str s;
    bool is_double = strcmp(type, "f64") == 0;
    uint64_t random = 0x9e3779b97f4a7c15u;
    arena_init(&a, 0);
    str_init(&s, &a);
    str_printf(
        &s,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(u8[5]) {\n  n0 = parameter index=0 : u8[5]\n");
    for (int i = 0; i < PAIRS; i++) {
        for (int k = 0; k < 2; k++) {
            uint64_t bits = bits_of(is_double, next_random(&random), i % 2);
            if (2 * i + k < ENDS) /* not one of a number and its negative */
                bits = end_of(is_double, (2 * i + 5 * k) % ENDS);
            str_printf(&s, "  n%d = constant bits=%0*" PRIx64 " : %s[5]\n", 3 * i + k + 1,
                       is_double ? 16 : 8, bits, type);
        }
        str_printf(&s, "  n%d = select n0, n%d, n%d : %s[5]\n", 3 * i + 3, 3 * i + 1, 3 * i + 2,
                   type);
    }
    str_add(&s, "  return n3");
    for (int i = 1; i < PAIRS; i++)
        str_printf(&s, ", n%d", 3 * i + 3);
    str_add(&s, "\n}\n");
    e2e_compare_json(e, type, str_text(&s), 1, NULL, NULL, 1u << E2E_AS_TARGET);
    arena_finish(&a);
}

/* 7 - i and 7 i of a counter that is read across, so that its index is a sum. */
static void check_counter(struct e2e *e, const char *type, const char *seven)
{
    struct arena a;
    struct str s;
    arena_init(&a, 0);
    str_init(&s, &a);
    str_printf(&s,
               "graph \"t\" entry=f0 callbacks=0\nfunc f0(%s[2,3]) {\n"
               "  n0 = parameter index=0 : %s[2,3]\n  n1 = iota axis=0 : %s[6]\n"
               "  n2 = constant bits=%s : %s[6]\n",
               type, type, type, seven, type);
    for (int i = 0; i < 2; i++) {
        int first = 3 + 4 * i;
        str_printf(&s,
                   "  n%d = %s, n%d : %s[6]\n  n%d = reshape n%d : %s[3,2]\n"
                   "  n%d = transpose n%d axes=[1,0] : %s[2,3]\n  n%d = add n%d, n0 : %s[2,3]\n",
                   first, i ? "multiply n1" : "subtract n2", i ? 2 : 1, type, first + 1, first,
                   type, first + 2, first + 1, type, first + 3, first + 2, type);
    }
    str_add(&s, "  return n6, n10\n}\n");
    e2e_compare_json(e, type, str_text(&s), 1, NULL, NULL, 1u << E2E_AS_TARGET);
    arena_finish(&a);
}

int main(void)
{
    static const char *const counters[][2] = {
        {"u8", "07"},
        {"s8", "07"},
        {"u16", "0007"},
        {"s16", "0007"},
        {"u32", "00000007"},
        {"s32", "00000007"},
        {"u64", "0000000000000007"},
        {"s64", "0000000000000007"},
        {"f32", "40e00000"},
        {"bf16", "40e0"},
        {"c64", "40e0000000000000"},
    };
    struct e2e e;
    if (e2e_open(&e)) {
        e.text_ir = true;
        check_numbers(&e, "f32");
        check_numbers(&e, "f64");
        for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
            check_counter(&e, counters[i][0], counters[i][1]);
    }
    return e2e_close(&e);
}
