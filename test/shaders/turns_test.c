/* Selections, rotations, and blocks that are turned by them: files of shaders/ for sorts that are
   read no further than their first elements, and for eigenvalues; each by itself. */
#include "run.h"

#include <math.h>
#include <stdlib.h>

static struct run run;

static float number_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- the first keys of a tile ---- */

enum { EACH = 16, MOST_WORDS = 2 };

/* Of items of so many words `keys` are the key, from bit `low` of the last to below `high` of the
   first; bits beside these are random, too. */
struct selection {
    uint32_t group, words, keys, low, high;
    uint32_t count, first; /* items that there are, of EACH a thread; how many are selected */
    uint32_t different;    /* values of a byte of the keys */
};

static int by_key(const struct selection *s, const uint32_t *in, uint32_t a, uint32_t b)
{
    for (uint32_t w = 0; w < s->keys; w++) {
        uint32_t mask = UINT32_MAX;
        mask &= w == 0 && s->high < 32 ? (1u << s->high) - 1 : UINT32_MAX;
        mask &= w + 1 == s->keys ? ~((1u << s->low) - 1) : UINT32_MAX;
        uint32_t x = in[w * s->count + a] & mask, y = in[w * s->count + b] & mask;
        if (x != y)
            return x < y ? -1 : 1;
    }
    return a < b ? -1 : 1; /* equal ones in their order */
}

/* How many items come before one. */
static uint32_t rank_of(const struct selection *s, const uint32_t *in, uint32_t item)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < s->count; i++)
        rank += i != item && by_key(s, in, i, item) < 0;
    return rank;
}

/* The numbers of what is selected, in the order of the tile, and behind them those of the rest. */
static void test_select(const struct selection *s)
{
    uint32_t in[WORDS], wanted[WORDS] = {0}, n = s->words * s->count, to = 0, rest = s->first;
    const struct template_var vars[] = {
        {"GROUP", run_number(&run, s->group)},
        {"WORDS", run_number(&run, s->words)},
        {"KEYS", run_number(&run, s->keys)},
        {"LOW", run_number(&run, s->low)},
        {"HIGH", run_number(&run, s->high)},
        {"KEY", "x.word[w]"},
        {"UNROLL", ""},
    };
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, open = 0u, taken, left = %uu;\n"
        "    item own[EACH];\n"
        "    for (uint i = 0u; i < EACH; i++) {\n"
        "        uint l = i * GROUP + lid;\n"
        "        for (uint w = 0u; w < %uu; w++)\n"
        "            own[i].word[w] = l < %uu ? from[w * %uu + l] : 0u;\n"
        "        open |= l < %uu ? 1u << i : 0u;\n"
        "    }\n"
        "    select_keys(lid, own, open, left, taken);\n"
        "    find_places(lid, taken, open);\n"
        "    for (uint i = 0u; i < EACH; i++) {\n"
        "        uint l = i * GROUP + lid, place = place_of(l, left);\n"
        "        if (l < %uu) {\n"
        "            bool mine = is_taken(l, taken >> i & 1u, open >> i & 1u, left);\n"
        "            to[mine ? place : %uu + l - place] = l;\n"
        "            for (uint w = 1u; w < %uu; w++)\n"
        "                to[w * %uu + l] = 0u;\n"
        "        }\n"
        "    }\n",
        s->first, s->words, s->count, s->count, s->count, s->count, s->first, s->words, s->count);
    const struct run_kernel k = {
        .name =
            arena_printf(run.arena, "select %u of %u keys of %u words, bits %u to %u, %u threads",
                         s->first, s->count, s->keys, s->low, s->high, s->group),
        .glsl =
            run_kernel_text(&run, s->group, run_fill(&run, "digit_select.glsl", VARS(vars)), body),
        .group = s->group,
        .groups = 1,
        .shared_bytes = 4 * (256 + 16 + 2 + s->group),
        .words = n};
    for (uint32_t i = 0; i < n; i++) {
        in[i] = 0;
        for (uint32_t byte = 0; byte < 4; byte++)
            in[i] |= run_random() % s->different * (256 / s->different) << 8 * byte;
        if (s->keys == 1) /* beside the key anything */
            in[i] ^= run_random() & ((1u << s->low) - 1);
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (rank_of(s, in, i) < s->first)
            wanted[to++] = i;
        else
            wanted[rest++] = i;
    run_compare(&run, &k, in, wanted);
}

/* ---- rotations ---- */

enum rotated { DIAGONAL, ANY, HALVES };
static const char *const matrix_names[] = {"diagonal", "any", "in halves"};

/* A symmetric matrix, positive definite; its halves are diagonal, or all of it is. */
static void make_matrix(uint32_t width, enum rotated what, uint32_t *in)
{
    for (uint32_t i = 0; i < width; i++)
        for (uint32_t j = 0; j <= i; j++) {
            bool same_half = i / (width / 2) == j / (width / 2);
            float x = i == j ? (float)(width + i) : (float)(run_random() % 1024) / 1024 - 0.5f;
            if (i != j && (what == DIAGONAL || (what == HALVES && same_half)))
                x = 0;
            in[i * width + j] = in[j * width + i] = bits_of(x);
        }
}

/* `turns` are orthogonal, and make the matrix diagonal: element (i, j) of both products is the
   identity's, and 0 beside the diagonal, up to rounding. Of a diagonal one they are the identity,
   exactly. */
static void test_rotate(uint32_t width, uint32_t group, enum rotated what, uint32_t sweeps,
                        bool quick, bool absolute)
{
    uint32_t in[WORDS], wanted[WORDS], n = width * width;
    const char *turning = absolute ? "square > 1e-13" : "square > 1e-13 * a * d";
    const struct template_var vars[] = {
        {"WIDTH", run_number(&run, width)},
        {"LEAST", "1"},
        {"QUICK", quick ? "true" : "false"},
        {"TYPE", "float"},
        {"REAL", "float"},
        {"CONJUGATE", "x"},
        {"TURNING", turning},
    };
    const struct template_var group_vars[] = {
        {"PHASE", "1.0"},
        {"SIZE", "g"},
        {"ROOT", "g"},
        {"ONE", "1.0"},
        {"ZERO", "0.0"},
        {"TURNED", "x"},
        {"GROUP", run_number(&run, group)},
        {"SWEEPS", run_number(&run, sweeps)},
        {"TYPE", "float"},
        {"REAL", "float"},
        {"RE", ""},
        {"SQUARE", "g * g"},
    };
    const char *functions = arena_printf(run.arena,
                                         "float nx_sqrt(float x) { return sqrt(x); }\n"
                                         "float nx_div(float x, float y) { return x / y; }\n%s%s",
                                         run_fill(&run, "jacobi.glsl", VARS(vars)),
                                         run_fill(&run, "jacobi_group.glsl", VARS(group_vars)));
    const char *body = arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x;\n"
        "    for (uint l = lid; l < %uu; l += %uu) {\n"
        "        uint i = l / WIDTH, j = l %% WIDTH;\n"
        "        products[place_of(i) * WIDTH + place_of(j)] = uintBitsToFloat(from[l]);\n"
        "        turns[i * WIDTH + place_of(j)] = i == j ? 1.0 : 0.0;\n"
        "    }\n"
        "    barrier();\n"
        "    rotate(lid);\n"
        "    for (uint l = lid; l < %uu; l += %uu) {\n"
        "        uint i = l / WIDTH, j = l %% WIDTH, at = place_of(i), next_to = place_of(j);\n"
        "        float one = i == j ? 1.0 : 0.0, unit = 0.0, turned = 0.0;\n"
        "        for (uint p = 0u; p < WIDTH; p++) {\n"
        "            unit += turns[p * WIDTH + at] * turns[p * WIDTH + next_to];\n"
        "            for (uint q = 0u; q < WIDTH; q++)\n"
        "                turned += turns[p * WIDTH + at] * uintBitsToFloat(from[p * WIDTH + q]) *\n"
        "                    turns[q * WIDTH + next_to];\n"
        "        }\n"
        "        to[l] = (%s ? uint(turns[i * WIDTH + next_to] == one) : uint(abs(unit - one) < 1e-5)) +\n"
        "            2u * uint(i == j || abs(turned) < 1e-4) +\n"
        "            4u * uint(abs(products[at * WIDTH + next_to] - turned) < 1e-4);\n"
        "    }\n",
        n, group, n, group, what == DIAGONAL ? "true" : "false");
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "rotations of %u vectors, %s, %u threads%s%s", width,
                             matrix_names[what], group, quick ? ", quick" : "",
                             absolute ? ", absolute" : ""),
        .glsl = run_kernel_text(&run, group, functions, body),
        .group = group,
        .groups = 1,
        .shared_bytes = 4 * (2 * n + 3 * width + 3),
        .words = n};
    make_matrix(width, what, in);
    for (uint32_t i = 0; i < n; i++)
        wanted[i] = 7;
    run_compare(&run, &k, in, wanted);
}

/* ---- blocks ---- */

/* Blocks of a pair meet as by the circle method: the first stays, the others go round, along the
   upper row and back along the lower one. */
static uint32_t next_block(uint32_t pairs, uint32_t block)
{
    uint32_t circle[64], n = 0, at = 0;
    for (uint32_t i = 1; i < pairs; i++)
        circle[n++] = i;
    for (uint32_t i = pairs; i-- > 0;)
        circle[n++] = pairs + i;
    while (at < n && circle[at] != block)
        at++;
    return at == n ? block : circle[(at + 1) % n];
}

/* Turns: the identity, or it and an element of its first row, or all others. */
enum turns { NO_TURNS, ONE_TURN, ALL_TURNS };

struct turning {
    uint32_t width, each, pairs;
    enum turns left, right;
};

static const char *turning_text(const struct turning *t)
{
    uint32_t half = t->width / 2, tile = t->width * half;
    return arena_printf(
        run.arena,
        "    uint lid = gl_LocalInvocationID.x, square = WIDTH * WIDTH;\n"
        "    float sums[EACH * EACH];\n"
        "    bool any = false, other = false;\n"
        "    if (lid == 0u) {\n"
        "        is_left[0] = 0u;\n"
        "        is_right[0] = 0u;\n"
        "    }\n"
        "    barrier();\n"
        /* the tile, turned from the right, by the second half of the turns' columns */
        "    for (uint l = lid; l < square; l += %uu) {\n"
        "        left[l %% WIDTH * PITCH + l / WIDTH] = uintBitsToFloat(from[l]);\n"
        "        if (l %% WIDTH >= HALF)\n"
        "            put_turn_right(l / WIDTH, l %% WIDTH - HALF, HALF,\n"
        "                           uintBitsToFloat(from[square + l]), any);\n"
        "    }\n"
        "    if (any)\n"
        "        atomicOr(is_right[0], 1u);\n"
        "    barrier();\n"
        "    turn_from_right(lid, HALF, sums);\n"
        "    barrier();\n"
        "    for (uint l = lid; l < square; l += %uu)\n"
        "        put_turn_left(l / WIDTH, l %% WIDTH, uintBitsToFloat(from[2u * square + l]),\n"
        "                      other);\n"
        "    if (other)\n"
        "        atomicOr(is_left[0], 1u);\n"
        "    barrier();\n"
        "    turn_from_left(lid, sums);\n"
        "    for (uint q = 0u; q < EACH; q++)\n"
        "        for (uint r = 0u; r < EACH; r++)\n"
        "            to[(lid / ACROSS + DOWN * q) * HALF + lid %% ACROSS + ACROSS * r] = "
        "floatBitsToUint(sums[q * EACH + r]);\n"
        "    for (uint l = lid; l < 2u * square; l += %uu) {\n"
        "        uint pair = l / WIDTH %% PAIRS, i = l %% WIDTH;\n"
        "        to[%uu + l] = place_of(pair, i) << 16 | moved(pair, i);\n"
        "    }\n"
        "    for (uint l = lid; l < %uu; l += %uu)\n"
        "        to[%uu + 2u * square + l] = is_left[0] << 1 | is_right[0];\n",
        tile / t->each / t->each, tile / t->each / t->each, tile / t->each / t->each, tile,
        t->width * t->width - tile, tile / t->each / t->each, tile);
}

/* Small whole numbers, so that sums are exact. */
static void make_turns(uint32_t width, enum turns what, uint32_t *out)
{
    for (uint32_t i = 0; i < width * width; i++)
        out[i] = bits_of(what == ALL_TURNS        ? (float)(run_random() % 9) - 4
                         : i / width == i % width ? 1
                                                  : 0);
    if (what == ONE_TURN)
        out[width / 2] = bits_of(3);
}

/* T* A U of a tile A, where U has the second half of the columns of its turns. */
static void test_turn_blocks(const struct turning *t)
{
    uint32_t in[WORDS], wanted[WORDS], w = t->width, half = w / 2, square = w * w, tile = w * half;
    float between[WORDS];
    const struct template_var vars[] = {
        {"WIDTH", run_number(&run, w)},
        {"EACH", run_number(&run, t->each)},
        {"PAIRS", run_number(&run, t->pairs)},
        {"TYPE", "float"},
        {"ONE", "1.0"},
        {"ZERO", "0.0"},
        {"PRODUCT", "x * y"},
        {"CONJUGATE", "x"},
        {"DIFFERENT", "x != y"},
    };
    const struct run_kernel k = {
        .name = arena_printf(run.arena, "blocks of %u turned, %u each, %u pairs%s%s", half, t->each,
                             t->pairs, t->left ? ", left" : "", t->right ? ", right" : ""),
        .glsl = run_kernel_text(
            &run, tile / t->each / t->each,
            arena_printf(run.arena, "#extension GL_EXT_control_flow_attributes : require\n%s",
                         run_fill(&run, "turn_blocks.glsl", VARS(vars))),
            turning_text(t)),
        .group = tile / t->each / t->each,
        .groups = 1,
        .shared_bytes = 4 * (w * (w + 1) + tile + 2),
        .words = 3 * square};
    make_turns(w, ALL_TURNS, in);
    make_turns(w, t->right, in + square);
    make_turns(w, t->left, in + 2 * square);
    for (uint32_t i = 0; i < w; i++)
        for (uint32_t j = 0; j < half; j++) {
            between[i * half + j] = 0;
            for (uint32_t k2 = 0; k2 < w; k2++)
                between[i * half + j] +=
                    number_of(in[i * w + k2]) * number_of(in[square + k2 * w + half + j]);
        }
    for (uint32_t i = 0; i < w; i++)
        for (uint32_t j = 0; j < half; j++) {
            float sum = 0;
            for (uint32_t k2 = 0; k2 < w; k2++)
                sum += number_of(in[2 * square + k2 * w + i]) * between[k2 * half + j];
            wanted[i * half + j] = bits_of(sum);
        }
    for (uint32_t l = 0; l < 2 * square; l++) {
        uint32_t pair = l / w % t->pairs, i = l % w, block = i < half ? pair : t->pairs + pair;
        wanted[tile + l] =
            (block * half + i % half) << 16 | (next_block(t->pairs, block) * half + i % half);
    }
    for (uint32_t l = 0; l < square - tile; l++)
        wanted[tile + 2 * square + l] = (uint32_t)(t->left > 0) << 1 | (t->right > 0);
    run_compare(&run, &k, in, wanted);
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 0);
    run.arena = &arena;
    run.has_device = e2e_open(&run.e2e); /* the machine runs them in any case */
    /* one to four digits and parts of one; all ties, and none; more words than threads */
    test_select(&(struct selection){64, 1, 1, 0, 32, 1024, 9, 256});
    test_select(&(struct selection){64, 1, 1, 0, 32, 1000, 100, 2});
    test_select(&(struct selection){64, 1, 1, 24, 32, 1000, 256, 4});
    test_select(&(struct selection){64, 1, 1, 4, 17, 900, 33, 8});
    test_select(&(struct selection){64, 1, 1, 0, 7, 1024, 1023, 16});
    test_select(&(struct selection){64, 2, 2, 0, 32, 1024, 50, 4});
    test_select(&(struct selection){64, 2, 2, 9, 20, 700, 321, 4});
    test_select(&(struct selection){64, 2, 1, 3, 31, 1024, 64, 8});
    test_select(&(struct selection){256, 1, 1, 0, 32, 2300, 1024, 256});
    test_rotate(8, 16, ANY, 8, false, false);
    test_rotate(8, 8, ANY, 8, true, true);
    test_rotate(16, 64, ANY, 6, true, false);
    test_rotate(16, 40, ANY, 6, true, true);
    test_rotate(16, 32, DIAGONAL, 3, true, false);
    test_rotate(8, 32, HALVES, 8, false, true);
    test_turn_blocks(&(struct turning){8, 1, 1, ALL_TURNS, ALL_TURNS});
    test_turn_blocks(&(struct turning){8, 2, 2, NO_TURNS, ALL_TURNS});
    test_turn_blocks(&(struct turning){16, 2, 3, ALL_TURNS, NO_TURNS});
    test_turn_blocks(&(struct turning){16, 4, 5, ONE_TURN, ONE_TURN});
    test_turn_blocks(&(struct turning){16, 2, 8, NO_TURNS, NO_TURNS});
    arena_finish(&arena);
    return e2e_close(&run.e2e);
}
