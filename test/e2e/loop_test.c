/* Loops too large for a workgroup program, and longer ones than a driver lets a shader make: the
   right results, computed here, and how often the host takes part, in submissions. Run from the
   root of the repository. */
#include <string.h>
#include <time.h>

#include "e2e.h"

enum { ELEMENTS = 10000, PROGRAM_MOST = 8192 };

static uint64_t submits(const struct e2e *e)
{
    vkr_counters c;
    vkr_device_counters(e->device, &c);
    return c.submits;
}

/* that the last run took: where a look takes more than 0.25 s, the next comes sooner */
static double seconds;

/* Runs it on inputs of words. *Returns* the submissions that vkr_run made. */
static uint64_t run(struct e2e *e, vkr_program *program, const void *const *data,
                    const size_t *bytes, uint32_t ninputs, void *out, size_t out_bytes)
{
    vkr_error err = {VKR_OK, ""};
    vkr_buffer in[2] = {0}, outs[1] = {0};
    for (uint32_t i = 0; i < ninputs; i++)
        check_that(&e->check,
                   vkr_buffer_create(e->device, data[i], bytes[i], &in[i], &err) == VKR_OK, "%s",
                   err.message);
    uint64_t before = submits(e);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    check_that(&e->check, vkr_run(program, in, ninputs, outs, 1, NULL, &err) == VKR_OK, "%s",
               err.message);
    clock_gettime(CLOCK_MONOTONIC, &end);
    seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
    uint64_t made = submits(e) - before;
    check_that(&e->check, vkr_buffer_read(e->device, outs[0], 0, out, out_bytes, &err) == VKR_OK,
               "%s", err.message);
    for (uint32_t i = 0; i < ninputs; i++)
        vkr_buffer_free(e->device, in[i], NULL);
    vkr_buffer_free(e->device, outs[0], NULL);
    return made;
}

/* while n: x = rem(5 x + n, 1013), n - 1. The host looks after 8 rounds, 16 more, then after
   each 32. */
static void check_blocks(struct e2e *e, enum e2e_variant variant)
{
    static const struct {
        int32_t rounds;
        uint64_t submits;
    } rows[] = {{0, 1}, {7, 1}, {8, 2}, {100, 5}, {1000, 33}};
    static int32_t x[ELEMENTS], wanted[ELEMENTS], found[ELEMENTS];
    vkr_program *program = e2e_load_graph(e, "rounds_10000", variant);
    for (size_t i = 0; program && i < sizeof rows / sizeof *rows; i++) {
        int32_t n = rows[i].rounds;
        for (int32_t k = 0; k < ELEMENTS; k++)
            wanted[k] = x[k] = (k * 7 - 30000) % 5000;
        for (int32_t left = n; left; left--)
            for (int32_t k = 0; k < ELEMENTS; k++)
                wanted[k] = (wanted[k] * 5 + left) % 1013;
        uint64_t made = run(e, program, (const void *const[]){x, &n},
                            (const size_t[]){sizeof x, sizeof n}, 2, found, sizeof found);
        check_that(&e->check, memcmp(found, wanted, sizeof found) == 0,
                   "rounds_10000, %s: %d rounds give something else", e2e_variant_names[variant],
                   n);
        check_that(&e->check, variant == E2E_UNFUSED || seconds > 0.25 || made <= rows[i].submits,
                   "rounds_10000, %s: %d rounds take %llu submissions, %llu were promised",
                   e2e_variant_names[variant], n, (unsigned long long)made,
                   (unsigned long long)rows[i].submits);
        check_that(&e->check, made <= 2 + (uint64_t)n / 8,
                   "rounds_10000, %s: %d rounds take %llu submissions", e2e_variant_names[variant],
                   n, (unsigned long long)made);
    }
    vkr_program_unload(program);
}

/* Rounds of known number, and branches: nothing to look at, one submission. */
static void check_plain(struct e2e *e)
{
    static float plate[96 * 90];
    static float line[20000];
    vkr_program *program = e2e_load_graph(e, "heat", E2E_AS_TARGET);
    if (program)
        check_that(&e->check,
                   run(e, program, (const void *const[]){plate}, (const size_t[]){sizeof plate}, 1,
                       plate, sizeof plate) == 1,
                   "heat: more than one submission");
    vkr_program_unload(program);
    program = e2e_load_graph(e, "branch_20000", E2E_AS_TARGET);
    for (int32_t a = 0; program && a < 3; a++)
        check_that(&e->check,
                   run(e, program, (const void *const[]){&a, line},
                       (const size_t[]){sizeof a, sizeof line}, 2, line, sizeof line) == 1,
                   "branch_20000: more than one submission");
    vkr_program_unload(program);
}

/* Small state: portions that are a dispatch each, smaller where the driver stops a shader after
   65,535 iterations. */
static void check_portions(struct e2e *e)
{
    static const int32_t rows[] = {0, 1, 1000, 70000, 1000000};
    vkr_program *program = e2e_load_graph(e, "count", E2E_AS_TARGET);
    for (size_t i = 0; program && i < sizeof rows / sizeof *rows; i++) {
        int32_t n = rows[i], wanted = 0, found = -1;
        for (int32_t k = 0; k < n; k++)
            wanted = (wanted * 3 + k) % 1009;
        uint64_t made = run(e, program, (const void *const[]){&n}, (const size_t[]){sizeof n}, 1,
                            &found, sizeof found);
        check_that(&e->check, found == wanted, "count to %d: %d, wanted %d", n, found, wanted);
        check_that(&e->check, made <= 4u + (uint64_t)n / (e->target.loop_limit ? 25000 : 100000),
                   "count to %d: %llu submissions", n, (unsigned long long)made);
    }
    vkr_program_unload(program);
}

/* while n: (k = n; while k: x = rem(5 x + k, 1013), k - 1), x = rem(3 x + n, 1009), n - 1. The
   inner loop takes several rounds of the outer one, whose body ends when it is over and not
   before. */
static const char *const loop_in_loop =
    "graph \"loop_in_loop\" entry=f0 callbacks=0\n"
    "func f0(s32[10000], s32[]) {\n  n0 = parameter index=0 : s32[10000]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = while n0, n1 regions=[f1,f2] : s32[10000], s32[]\n  return n2.0\n}\n"
    "func f1(s32[10000], s32[]) {\n  n0 = parameter index=1 : s32[]\n  n1 = constant bits=00000000 : s32[]\n"
    "  n2 = greater n0, n1 : u8[]\n  return n2\n}\n"
    "func f2(s32[10000], s32[]) {\n  n0 = parameter index=0 : s32[10000]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = while n0, n1 regions=[f3,f4] : s32[10000], s32[]\n  n3 = constant bits=00000003 : s32[10000]\n"
    "  n4 = multiply n2.0, n3 : s32[10000]\n  n5 = broadcast n1 axes=[] : s32[10000]\n"
    "  n6 = add n4, n5 : s32[10000]\n  n7 = constant bits=000003f1 : s32[10000]\n"
    "  n8 = remainder n6, n7 : s32[10000]\n  n9 = constant bits=00000001 : s32[]\n  n10 = subtract n1, n9 : s32[]\n"
    "  return n8, n10\n}\n"
    "func f3(s32[10000], s32[]) {\n  n0 = parameter index=1 : s32[]\n  n1 = constant bits=00000000 : s32[]\n"
    "  n2 = greater n0, n1 : u8[]\n  return n2\n}\n"
    "func f4(s32[10000], s32[]) {\n  n0 = parameter index=0 : s32[10000]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = constant bits=00000005 : s32[10000]\n  n3 = multiply n0, n2 : s32[10000]\n"
    "  n4 = broadcast n1 axes=[] : s32[10000]\n  n5 = add n3, n4 : s32[10000]\n"
    "  n6 = constant bits=000003f5 : s32[10000]\n  n7 = remainder n5, n6 : s32[10000]\n"
    "  n8 = constant bits=00000001 : s32[]\n  n9 = subtract n1, n8 : s32[]\n  return n7, n9\n}\n";

static void check_loop_in_loop(struct e2e *e, enum e2e_variant variant)
{
    static int32_t x[ELEMENTS], wanted[ELEMENTS], found[ELEMENTS];
    e->text_ir = true;
    vkr_program *program =
        e2e_load(e, "a loop in a loop", loop_in_loop, strlen(loop_in_loop), variant);
    e->text_ir = false;
    for (int32_t n = 0; program && n < 40; n += 13) {
        for (int32_t i = 0; i < ELEMENTS; i++)
            wanted[i] = x[i] = (i * 7 - 30000) % 5000;
        for (int32_t left = n; left; left--)
            for (int32_t i = 0; i < ELEMENTS; i++) {
                for (int32_t k = left; k; k--)
                    wanted[i] = (wanted[i] * 5 + k) % 1013;
                wanted[i] = (wanted[i] * 3 + left) % 1009;
            }
        run(e, program, (const void *const[]){x, &n}, (const size_t[]){sizeof x, sizeof n}, 2,
            found, sizeof found);
        check_that(&e->check, memcmp(found, wanted, sizeof found) == 0,
                   "a loop in a loop, %s: %d rounds give something else",
                   e2e_variant_names[variant], n);
    }
    vkr_program_unload(program);
}

/* A function with steps before and after its loop, as a program that is resumed: s = sum(x),
   v = reverse(x) + s, u = x as u8; n times v = 3 v + reverse(v) + i, u = u + 1; then
   (v + sum(v) + s) * u. */
static const char resumed_text[] =
    "graph \"resumed\" entry=f0 callbacks=0\n%s"
    "func f0(s32[%d], s32[]) {\n  n0 = parameter index=0 : s32[%d]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = sum n0 axes=[0] keep=false : s32[]\n  n3 = broadcast n2 axes=[] : s32[%d]\n"
    "  n4 = reverse n0 axes=[0] : s32[%d]\n  n5 = add n4, n3 : s32[%d]\n"
    "  n6 = constant bits=00000000 : s32[]\n  n7 = as_type n0 : u8[%d]\n"
    "  n8 = while n5, n6, n1, n7 regions=[f1,f2] : s32[%d], s32[], s32[], u8[%d]\n"
    "  n9 = sum n8.0 axes=[0] keep=false : s32[]\n  n10 = add n9, n2 : s32[]\n"
    "  n11 = broadcast n10 axes=[] : s32[%d]\n  n12 = add n8.0, n11 : s32[%d]\n"
    "  n13 = as_type n8.3 : s32[%d]\n  n14 = multiply n12, n13 : s32[%d]\n  return n14\n}\n"
    "func f1(s32[%d], s32[], s32[], u8[%d]) {\n  n0 = parameter index=1 : s32[]\n"
    "  n1 = parameter index=2 : s32[]\n  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
    "func f2(s32[%d], s32[], s32[], u8[%d]) {\n  n0 = parameter index=0 : s32[%d]\n"
    "  n1 = parameter index=1 : s32[]\n  n2 = parameter index=2 : s32[]\n  n3 = parameter index=3 : u8[%d]\n"
    "  n4 = constant bits=00000003 : s32[%d]\n  n5 = multiply n0, n4 : s32[%d]\n"
    "  n6 = reverse n0 axes=[0] : s32[%d]\n  n7 = add n5, n6 : s32[%d]\n"
    "  n8 = broadcast n1 axes=[] : s32[%d]\n  n9 = add n7, n8 : s32[%d]\n"
    "  n10 = constant bits=01 : u8[%d]\n  n11 = add n3, n10 : u8[%d]\n"
    "  n12 = constant bits=00000001 : s32[]\n  n13 = add n1, n12 : s32[]\n  return n9, n13, n2, n11\n}\n";

static void resumed(const int32_t *x, int32_t count, int32_t n, int32_t *out)
{
    static uint32_t v[PROGRAM_MOST], next[PROGRAM_MOST];
    uint32_t s = 0, all = 0;
    for (int32_t k = 0; k < count; k++)
        s += (uint32_t)x[k];
    for (int32_t k = 0; k < count; k++)
        v[k] = (uint32_t)x[count - 1 - k] + s;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < count; k++)
            next[k] = 3 * v[k] + v[count - 1 - k] + (uint32_t)i;
        memcpy(v, next, (size_t)count * sizeof *v);
    }
    for (int32_t k = 0; k < count; k++)
        all += v[k];
    for (int32_t k = 0; k < count; k++)
        out[k] = (int32_t)((v[k] + all + s) * (((uint32_t)x[k] + (uint32_t)n) & 0xffu));
}

/* Its values lie in variables, shared memory or the scratch buffer by their size, and the portions
   are short where `loop_limit` says so: both sides of several ends of one. With `donated` the
   result takes over the input. */
static void check_resumed(struct e2e *e, enum e2e_variant variant, int32_t count, bool donated)
{
    static int32_t x[PROGRAM_MOST], wanted[PROGRAM_MOST], found[PROGRAM_MOST];
    static char text[sizeof resumed_text + 64 * 8];
    static const int32_t rows[] = {3000, 0, 1, 2, 1000, 2999, 5};
    size_t at = 0, bytes = (size_t)count * sizeof *x;
    for (const char *c = resumed_text; *c && at + 24 < sizeof text;) {
        if (c[0] == '%') {
            at += (size_t)(c[1] == 'd'
                               ? snprintf(text + at, 12, "%d", (int)count)
                               : snprintf(text + at, 24, "%s", donated ? "donate 0->0\n" : ""));
            c += 2;
        } else
            text[at++] = *c++;
    }
    text[at] = '\0';
    e->text_ir = true;
    if (4 * bytes <= e->target.max_binding_bytes) /* else its scratch buffer would be in parts */
        e2e_check_plan(e, "resumed", text, "resumed, in portions", true);
    vkr_program *program = e2e_load(e, "resumed", text, at, variant);
    e->text_ir = false;
    for (size_t i = 0; program && i < sizeof rows / sizeof *rows; i++) {
        int32_t n = count == 1 ? rows[i] * 10 : rows[i] * 64 / count;
        for (int32_t k = 0; k < count; k++)
            x[k] = (k * 7 - 3000) % 500;
        resumed(x, count, n, wanted);
        uint64_t made = run(e, program, (const void *const[]){x, &n},
                            (const size_t[]){bytes, sizeof n}, 2, found, bytes);
        check_that(&e->check, memcmp(found, wanted, bytes) == 0,
                   "%d elements, %d rounds in portions, %s: something else", (int)count, (int)n,
                   e2e_variant_names[variant]);
        check_that(&e->check, made <= 3 + (uint64_t)n, "%d elements, %d rounds: %llu submissions",
                   (int)count, (int)n, (unsigned long long)made);
    }
    vkr_program_unload(program);
}

/* From i = -3 on, as long as it is below n: rows i and i + 1 of the array become v, v = 3 v + i. A
   slice that would go beyond an end is moved inside. */
static const char slices_text[] =
    "graph \"slices\" entry=f0 callbacks=0\n"
    "func f0(s32[%d,4], s32[]) {\n  n0 = parameter index=0 : s32[%d,4]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = constant bits=fffffffd : s32[]\n  n3 = iota axis=1 : s32[2,4]\n"
    "  n4 = while n0, n2, n1, n3 regions=[f1,f2] : s32[%d,4], s32[], s32[], s32[2,4]\n  return n4.0\n}\n"
    "func f1(s32[%d,4], s32[], s32[], s32[2,4]) {\n  n0 = parameter index=1 : s32[]\n"
    "  n1 = parameter index=2 : s32[]\n  n2 = less n0, n1 : u8[]\n  return n2\n}\n"
    "func f2(s32[%d,4], s32[], s32[], s32[2,4]) {\n  n0 = parameter index=0 : s32[%d,4]\n"
    "  n1 = parameter index=1 : s32[]\n  n2 = parameter index=2 : s32[]\n  n3 = parameter index=3 : s32[2,4]\n"
    "  n4 = constant bits=00000000 : s32[]\n  n5 = put_slice n0, n3, n1, n4 : s32[%d,4]\n"
    "  n6 = constant bits=00000003 : s32[2,4]\n  n7 = multiply n3, n6 : s32[2,4]\n"
    "  n8 = broadcast n1 axes=[] : s32[2,4]\n  n9 = add n7, n8 : s32[2,4]\n"
    "  n10 = constant bits=00000001 : s32[]\n  n11 = add n1, n10 : s32[]\n  return n5, n11, n2, n9\n}\n";

static void slices(int32_t *x, int32_t rows, int32_t n)
{
    uint32_t v[8];
    for (uint32_t k = 0; k < 8; k++)
        v[k] = k % 4;
    for (int32_t i = -3; i < n; i++) {
        int32_t at = i < 0 ? 0 : i > rows - 2 ? rows - 2 : i;
        for (int32_t k = 0; k < 8; k++) {
            x[4 * at + k] = (int32_t)v[k];
            v[k] = 3 * v[k] + (uint32_t)i;
        }
    }
}

/* In shared memory or, where it is full, in the scratch buffer; test/workloads/density_test.exs has
   arrays that are made where the result is. */
static void check_slices(struct e2e *e, enum e2e_variant variant)
{
    static int32_t x[PROGRAM_MOST], wanted[PROGRAM_MOST], found[PROGRAM_MOST];
    static const int32_t rows[] = {2, 3, 40, 1000, 2048}, rounds[] = {-3, -2, 1, 30, 60};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        static char text[sizeof slices_text + 64 * 8];
        size_t bytes = 16 * (size_t)rows[r];
        int32_t a = rows[r];
        int size = snprintf(text, sizeof text, slices_text, a, a, a, a, a, a, a);
        e->text_ir = true;
        vkr_program *program = e2e_load(e, "slices", text, (size_t)size, variant);
        e->text_ir = false;
        for (size_t i = 0; program && i < sizeof rounds / sizeof *rounds; i++) {
            for (int32_t k = 0; k < 4 * rows[r]; k++)
                wanted[k] = x[k] = k + 7;
            slices(wanted, rows[r], rounds[i]);
            run(e, program, (const void *const[]){x, &rounds[i]}, (const size_t[]){bytes, 4}, 2,
                found, bytes);
            check_that(&e->check, memcmp(found, wanted, bytes) == 0,
                       "slices of %d rows, to %d, %s: something else", (int)a, (int)rounds[i],
                       e2e_variant_names[variant]);
        }
        vkr_program_unload(program);
    }
}

int main(void)
{
    struct e2e e;
    if (e2e_open(&e)) {
        for (int v = 0; v < E2E_VARIANTS; v++) {
            check_blocks(&e, (enum e2e_variant)v);
            check_loop_in_loop(&e, (enum e2e_variant)v);
            check_slices(&e, (enum e2e_variant)v);
            for (int32_t count = 1; count <= PROGRAM_MOST;
                 count = count == 1 ? 700 : count * 11 + 492)
                check_resumed(&e, (enum e2e_variant)v, count, count == 700);
        }
        check_plain(&e);
        check_portions(&e);
    }
    return e2e_close(&e);
}
