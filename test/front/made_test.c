/* Steps of eigenvalues and of sorts in the interpreter, which what a GPU makes of them is compared
   with: turn_blocks against one product with a matrix of all its turns and moves, digit_counts and
   digit_sort against a search for each digit in turn. All numbers are small integers, so that every
   sum is exact. */
#include <complex.h>
#include <string.h>

#include "interp/interp.h"
#include "check.h"

static uint64_t state = 1;

static int draw(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)(state >> 33) % below;
}

static bool run_text(struct check *c, struct arena *a, const char *text, const struct array *ins,
                     struct array *outs)
{
    static struct diag d;
    struct graph g;
    d = (struct diag){0};
    bool ok = ir_parse(a, text, strlen(text), &g, &d) && interp_run(&g, g.entry, a, ins, outs, &d);
    return check_that(c, ok, "%s\n%s", d.message, text);
}

/* ---- turn_blocks ---- */

enum { WIDTH = 16, MATRICES = 2, MOST_ROWS = 3 * WIDTH, MOST_LENGTH = MOST_ROWS + 5 };

/* Of one matrix: `turn[i]` is that of the blocks i and p + i. */
struct blocks {
    int p, rows, length;
    bool both;
    float complex x[MOST_ROWS][MOST_LENGTH], turn[MOST_ROWS / WIDTH][WIDTH][WIDTH];
};

/* Where the rows of a block go, of p above and p below. */
static int place_of(int block, int p)
{
    if (p == 1 || block == 0)
        return block;
    if (block == p)
        return 1;
    if (block > p)
        return block - 1;
    return block + 1 < p ? block + 1 : 2 * p - 1;
}

/* Entry [to][from] of what the rows are multiplied with. */
static void matrix_of(const struct blocks *b, float complex m[MOST_ROWS][MOST_ROWS])
{
    const int half = WIDTH / 2;
    memset(m, 0, sizeof(float complex[MOST_ROWS][MOST_ROWS]));
    for (int i = 0; i < b->p; i++)
        for (int j = 0; j < WIDTH; j++)
            for (int k = 0; k < WIDTH; k++) {
                int to = j < half ? i : b->p + i, from = k < half ? i : b->p + i;
                m[place_of(to, b->p) * half + j % half][from * half + k % half] = b->turn[i][k][j];
            }
}

static void turn(struct blocks *b)
{
    static float complex m[MOST_ROWS][MOST_ROWS], y[MOST_ROWS][MOST_LENGTH];
    matrix_of(b, m);
    memset(y, 0, sizeof y);
    for (int i = 0; i < b->rows; i++)
        for (int k = 0; k < b->rows; k++)
            for (int j = 0; j < b->length; j++)
                y[i][j] += m[i][k] * b->x[k][j];
    memcpy(b->x, y, sizeof y);
    if (!b->both)
        return;
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < b->rows; j++) {
            b->x[i][j] = 0;
            for (int k = 0; k < b->rows; k++)
                b->x[i][j] += conjf(m[j][k]) * y[i][k];
        }
}

static float complex small_number(void)
{
    int re = draw(5) - 2, im = draw(5) - 2;
    return (float)re + (float)im * I;
}

static void check_turns(struct check *c, int p, bool both)
{
    static struct blocks blocks[MATRICES];
    static float complex x[MATRICES * MOST_ROWS * MOST_LENGTH],
        turns[MATRICES * MOST_ROWS / WIDTH * WIDTH * WIDTH];
    const int rows = p * WIDTH, length = both ? rows + 5 : 7;
    struct arena a;
    struct array out,
        ins[2] = {{{TYPE_C64, shape_of(3, (int64_t[]){MATRICES, rows, length})}, x},
                  {{TYPE_C64, shape_of(3, (int64_t[]){MATRICES * p, WIDTH, WIDTH})}, turns}};
    char text[512];
    size_t nx = 0, nturns = 0, wrong = 0;
    for (int m = 0; m < MATRICES; m++) {
        struct blocks *b = &blocks[m];
        *b = (struct blocks){.p = p, .rows = rows, .length = length, .both = both};
        for (int i = 0; i < rows * length; i++)
            b->x[i / length][i % length] = x[nx++] = small_number();
        for (int i = 0; i < p * WIDTH * WIDTH; i++)
            b->turn[i / WIDTH / WIDTH][i / WIDTH % WIDTH][i % WIDTH] = turns[nturns++] =
                small_number();
        turn(b);
    }
    snprintf(text, sizeof text,
             "graph \"\" entry=f0 callbacks=0\nfunc f0(c64[2,%d,%d], c64[%d,16,16]) {\n"
             "n0 = parameter index=0 : c64[2,%d,%d]\nn1 = parameter index=1 : c64[%d,16,16]\n"
             "n2 = turn_blocks n0, n1 both=%s : c64[2,%d,%d]\nreturn n2\n}\n",
             rows, length, 2 * p, rows, length, 2 * p, both ? "true" : "false", rows, length);
    arena_init(&a, 0);
    if (run_text(c, &a, text, ins, &out)) {
        for (size_t i = 0; i < nx; i++) {
            int at = (int)i % (rows * length);
            const struct blocks *b = &blocks[(int)i / (rows * length)];
            wrong += ((const float complex *)out.data)[i] != b->x[at / length][at % length];
        }
        check_that(c, wrong == 0, "%d turns, both=%d: %zu elements of %zu are wrong", p, both,
                   wrong, nx);
    }
    arena_finish(&a);
}

/* ---- digits ---- */

/* Of three tiles the last is not full. */
enum { ROWS = 2, LENGTH = 2500, TILE = 1024, TILES = 3, RADIX = 16, BIT = 5, MOST_PLANES = 2 };

static int digit_of(uint32_t key)
{
    return (int)(key >> BIT & (RADIX - 1));
}

/* How many keys of each tile have each digit; as running sums along the tiles,
   `sums`. */
static void count_digits(const uint32_t *keys, uint32_t *counts, uint32_t *sums)
{
    for (int row = 0; row < ROWS; row++)
        for (int digit = 0; digit < RADIX; digit++) {
            uint32_t sum = 0;
            for (int tile = 0; tile < TILES; tile++) {
                uint32_t count = 0;
                for (int i = tile * TILE; i < (tile + 1) * TILE && i < LENGTH; i++)
                    count += digit_of(keys[row * LENGTH + i]) == digit;
                *counts++ = count;
                *sums++ = sum += count;
            }
        }
}

/* The keys, and with each its place, or the number that lies behind it. */
static void order_by_digit(const uint32_t *keys, const uint32_t *places, uint32_t *out)
{
    for (int row = 0; row < ROWS; row++)
        for (int digit = 0, to = row * LENGTH; digit < RADIX; digit++)
            for (int i = 0; i < LENGTH; i++) {
                int at = row * LENGTH + i;
                if (digit_of(keys[at]) != digit)
                    continue;
                out[ROWS * LENGTH + to] = places ? places[at] : (uint32_t)i;
                out[to++] = keys[at];
            }
}

static void check_digits(struct check *c, const char *gives, bool placed)
{
    static uint32_t keys[MOST_PLANES * ROWS * LENGTH], wanted[2 * ROWS * LENGTH],
        counts[ROWS * RADIX * TILES], sums[ROWS * RADIX * TILES];
    const int planes = placed ? 2 : 1, made = strcmp(gives, "both") == 0 ? 2 : 1;
    struct arena a;
    struct array outs[2],
        ins[2] = {{{TYPE_U32, shape_of(3, (int64_t[]){planes, ROWS, LENGTH})}, keys},
                  {{TYPE_U32, shape_of(3, (int64_t[]){ROWS, RADIX, TILES})}, sums}};
    char text[768];
    for (int i = 0; i < planes * ROWS * LENGTH; i++)
        keys[i] = (uint32_t)draw(1 << 12);
    count_digits(keys, counts, sums);
    order_by_digit(keys, placed ? keys + ROWS * LENGTH : NULL, wanted);
    snprintf(text, sizeof text,
             "graph \"\" entry=f0 callbacks=0\nfunc f0(u32[%d,2,2500], u32[2,16,3]) {\n"
             "n0 = parameter index=0 : u32[%d,2,2500]\nn1 = parameter index=1 : u32[2,16,3]\n"
             "n2 = digit_counts n0 words=1 bit=5 radix=16 tile=1024 zeros=false : u32[2,16,3]\n"
             "n3 = digit_sort n0, n1 words=1 bit=5 radix=16 tile=1024 gives=\"%s\" zeros=false : "
             "u32[%d,2,2500]\nreturn n2, n3\n}\n",
             planes, planes, gives, made);
    arena_init(&a, 0);
    if (run_text(c, &a, text, ins, outs)) {
        const uint32_t *first = wanted + (strcmp(gives, "order") == 0 ? ROWS * LENGTH : 0);
        check_that(c, memcmp(outs[0].data, counts, sizeof counts) == 0, "the counts of digits");
        check_that(c, memcmp(outs[1].data, first, (size_t)(made * ROWS * LENGTH) * 4) == 0,
                   "%s of %d planes in the order of a digit", gives, planes);
    }
    arena_finish(&a);
}

int main(void)
{
    struct check c = {0};
    if (check_wanted(&c, "turn_blocks"))
        for (int p = 1; p <= 3; p++) {
            check_turns(&c, p, false);
            check_turns(&c, p, true);
        }
    if (check_wanted(&c, "digits")) {
        check_digits(&c, "keys", false);
        check_digits(&c, "order", false);
        check_digits(&c, "both", false);
        check_digits(&c, "order", true);
        check_digits(&c, "both", true);
    }
    return check_finish(&c);
}
