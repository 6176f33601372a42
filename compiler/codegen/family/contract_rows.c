/* Reductions along the rows of a product, in its kernel: the nearest of some centres, the greatest
   of a few scores. A workgroup computes all tiles of its rows, one after the other, and takes their
   elements in where it would store them; what is computed for each element before is computed
   there. So a product that only reductions read is never stored.

   A thread has partial results of the rows that it has elements of, in registers. At the end they
   meet in shared memory, and a thread a row joins them, always in one order. */
#include "codegen/family/contract_rows.h"

#include "codegen/family/row_accumulator.h"
#include "codegen/family/row_elements.h"
#include "runtime/bundle.h"

enum { FOUR = 4 };

int64_t product_groups(const struct kernel *k, uint32_t tile_m, uint32_t tile_n)
{
    const struct contract_space *s = &k->space.contract;
    return contract_tiles(s, tile_m, reduces_product(k) ? (uint32_t)s->n : tile_n);
}

/* ---- what may join ---- */

/* Reductions of rows; their elements may come in any order of threads. */
static bool only_reduces(const struct unit *u, const struct kernel *k)
{
    for (uint32_t h = 0; h < k->nheroes; h++) {
        enum op_class class = op_class(func_node(unit_func(u), k->heroes[h])->op);
        if (class != CLASS_REDUCE && class != CLASS_ARGREDUCE)
            return false;
    }
    return k->nheroes > 0;
}

/* Whether elements are the product's, and none waits for another reduction, is seen when the code
   is written: what is not there cannot be read. */
bool product_rows_join(const struct unit *u, const struct kernel *k, const struct kernel *other)
{
    const struct contract_space *s = &k->space.contract;
    enum { EDGE = 64 };
    return only_reduces(u, other) && family_places(other) == product_rows(k) &&
           family_length(other) == s->n && s->n > 1 &&
           contract_tiles(s, EDGE, (uint32_t)s->n) >= u->tuning->reduced_rows;
}

/* ---- shared memory ---- */

static bool has_beside(const struct node *n)
{
    return op_class(n->op) == CLASS_ARGREDUCE || op_has(vkc_ops[n->op].reduction, OP_COMPENSATED);
}

static uint32_t word_bytes(enum vkc_type t)
{
    return type_bytes(t) < 4 ? 4 : type_bytes(t);
}

uint32_t product_rows_bytes(const struct unit *u, const struct kernel *k, uint32_t tile_m,
                            uint32_t parts)
{
    uint32_t bytes = 0;
    for (uint32_t h = 1; h < k->nheroes; h++) {
        const struct node *n = func_node(unit_func(u), k->heroes[h]);
        uint32_t each = word_bytes(hero_holds(unit_func(u), n));
        bytes += tile_m * parts * (has_beside(n) ? 2 * each : each);
    }
    return bytes;
}

void product_rows_shared(struct emit *e, const struct row_parts *p, struct str *out)
{
    uint32_t slots = e->kernel->schedule.contract.tile_m * p->parts;
    for (uint32_t h = 1; h < e->kernel->nheroes; h++) {
        const struct node *n = func_node(e->func, e->kernel->heroes[h]);
        str_printf(out, "shared %s part_n%u[%u];\n", emit_type(e, hero_holds(e->func, n)), n->label,
                   slots);
        if (has_beside(n))
            str_printf(out, "shared %s beside_n%u[%u];\n",
                       op_class(n->op) == CLASS_ARGREDUCE ? "uint"
                                                          : emit_type(e, hero_holds(e->func, n)),
                       n->label, slots);
    }
}

/* ---- the loop over tiles ---- */

/* Code of a tile is written as if it were all: at the depth of the function. */
void product_rows_begin(struct emit *e, struct row_parts *p)
{
    const struct kernel *k = e->kernel;
    if (e->unit->stored[unit_slot(e->unit, (struct value){k->heroes[0], 0})])
        emit_fail(e, "the product is stored, too");
    if (k->schedule.group < k->schedule.contract.tile_m)
        emit_fail(e, "a workgroup has fewer threads than rows");
    for (uint32_t h = 1; h < k->nheroes && !e->failed; h++)
        hero_begin_each(e, func_node(e->func, k->heroes[h]), p->rows);
    p->outside = e->scope;
    e->scope = ARENA_NEW(e->arena, struct scope);
    if (e->scope)
        str_init(&e->scope->text, e->arena);
    else {
        e->scope = p->outside;
        emit_fail(e, "out of memory");
    }
}

static void add_indented(struct str *out, const char *text)
{
    for (const char *line = text, *end; *line; line = end) {
        for (end = line; *end && *end != '\n';)
            end++;
        end += *end == '\n';
        str_printf(out, "    %.*s", (int)(end - line), line);
    }
}

static void close_loop(struct emit *e, const struct row_parts *p)
{
    const struct kernel *k = e->kernel;
    long long n = k->space.contract.n;
    uint32_t tile_n = k->schedule.contract.tile_n;
    const char *text = str_text(&e->scope->text);
    if (e->scope == p->outside)
        return;
    e->scope = p->outside;
    if (n > tile_n)
        emit_line(e, 0, "[[dont_unroll]] for (uint col0 = 0u; col0 < %lldu; col0 += %uu) {", n,
                  tile_n);
    else {
        emit_line(e, 0, "{");
        emit_line(e, 1, "    const uint col0 = 0u;");
    }
    add_indented(&e->scope->text, text);
    emit_line(e, 0, "}");
}

const struct ix *product_row(struct emit *e, const struct row_parts *p)
{
    const struct kernel *k = e->kernel;
    uint32_t d = e->scope->depth;
    bool ends = k->space.contract.m % k->schedule.contract.tile_m != 0;
    emit_line(e, d, ends ? "uint m = min(row0 + %s, %lldu);" : "uint m = row0 + %s;", p->of,
              (long long)k->space.contract.m - 1);
    return ix_var(e->ix, "m", k->space.contract.m, d);
}

/* Which row of all matrices. */
static const struct ix *of_all(struct emit *e, const struct contract *c, const struct ix *m)
{
    return ix_add(e->ix, ix_scale(e->ix, c->b, e->kernel->space.contract.m), m);
}

void product_rows_take(struct emit *e, const struct contract *c, const struct ix *m,
                       const struct ix *n, const char *const *acc, uint32_t width)
{
    const struct kernel *k = e->kernel;
    const struct node *dot = c->c.node;
    const char *type = emit_type(e, dot->outs[0].type);
    const char *(*held)[FOUR] =
        (const char *(*)[FOUR])arena_alloc(e->arena, k->nheroes, sizeof *held);
    if (!held) {
        emit_fail(e, "out of memory");
        return;
    }
    e->of_accumulator = "_of[i]";
    e->times /= width;
    for (uint32_t l = 0; l < width && !e->failed; l++) {
        const struct ix *at = ix_add_const(e->ix, n, l);
        const char *name = arena_printf(e->arena, "n%u_at%u", dot->label, l);
        struct expr r = emit_index(e, at);
        emit_line(e, e->scope->depth, "%s %s = %s; // %s%s%s", type, name,
                  contraction_sum(e, dot, acc[l]), op_name(dot->op), dot->loc ? "  " : "",
                  dot->loc ? dot->loc : "");
        e->hero_index = contract_flat(e, c, m, at);
        emit_hero_is(e, c->id, name, e->scope->depth);
        for (uint32_t h = 1; h < k->nheroes && r.text && !e->failed; h++) {
            const struct node *hero = func_node(e->func, k->heroes[h]);
            struct expr x = hero_element(e, hero, of_all(e, c, m), at);
            if (x.text && width == FOUR && hero_is_compensated(e, hero))
                held[h][l] = x.text;
            else if (x.text)
                hero_accumulate(e, hero, x.text, r.text);
        }
    }
    for (uint32_t h = 1; h < k->nheroes && !e->failed; h++)
        if (held[h][FOUR - 1])
            hero_add_four(e, func_node(e->func, k->heroes[h]), held[h]);
    e->times *= width;
    e->of_accumulator = NULL;
}

/* ---- the end ---- */

static void meet(struct emit *e, const struct node *n, bool give)
{
    const char *part = arena_printf(e->arena, "part_n%u[slot]", n->label),
               *beside = arena_printf(e->arena, "beside_n%u[slot]", n->label);
    if (give)
        hero_give(e, n, part, beside);
    else
        hero_take(e, n, part, beside);
}

/* All partial results into shared memory, then those of a row into one. */
static void join_parts(struct emit *e, const struct row_parts *p)
{
    const struct kernel *k = e->kernel;
    uint32_t tile_m = k->schedule.contract.tile_m;
    emit_open(e);
    emit_line(e, e->scope->depth, "uint slot = %s * %uu + %s;", p->which, tile_m, p->of);
    e->of_accumulator = "_of[i]";
    for (uint32_t h = 1; h < k->nheroes; h++)
        meet(e, func_node(e->func, k->heroes[h]), true);
    e->of_accumulator = NULL;
    emit_close_each(e, "i", p->rows);
    emit_line(e, 0, "barrier();");
    for (uint32_t h = 1; h < k->nheroes && !e->failed; h++)
        hero_begin(e, func_node(e->func, k->heroes[h]), NULL);
    emit_line(e, 0, "uint row = min(lid, %uu);", tile_m - 1);
    emit_open(e);
    emit_line(e, e->scope->depth, "uint slot = p * %uu + row;", tile_m);
    for (uint32_t h = 1; h < k->nheroes; h++)
        meet(e, func_node(e->func, k->heroes[h]), false);
    emit_close(e,
               arena_printf(e->arena, "[[dont_unroll]] for (uint p = 0u; p < %uu; p++)", p->parts));
}

void product_rows_end(struct emit *e, const struct contract *c, const struct row_parts *p)
{
    const struct kernel *k = e->kernel;
    const struct contract_space *s = &k->space.contract;
    uint32_t tile_m = k->schedule.contract.tile_m;
    bool ends = s->m % tile_m != 0;
    uint64_t times = e->times;
    const char **text = ARENA_ARRAY(e->arena, const char *, k->nroots);
    close_loop(e, p);
    if (e->failed || !text)
        return;
    e->times = (uint64_t)product_rows(k);
    join_parts(e, p);
    emit_line(e, 0, ends ? "uint o = min(row0 + row, %lldu);" : "uint o = row0 + row;",
              (long long)s->m - 1);
    const struct ix *o = of_all(e, c, ix_var(e->ix, "o", s->m, 0));
    e->hero_index = o;
    for (uint32_t h = 1; h < k->nheroes; h++)
        hero_settle(e, func_node(e->func, k->heroes[h]));
    for (uint32_t h = 1; h < k->nheroes; h++)
        hero_finish(e, k->heroes[h]);
    for (uint32_t i = 0; i < k->nroots && !e->failed; i++)
        if (shape_size(&func_tensor(e->func, k->roots[i])->shape) == product_rows(k))
            text[i] = emit_flat(e, k->roots[i], o).text;
    emit_open(e);
    for (uint32_t i = 0; i < k->nroots && !e->failed; i++)
        if (text[i])
            emit_store(e, k->roots[i], o, text[i]);
    emit_close(e, ends ? arena_printf(e->arena, "if (lid < %uu && row0 + lid < %lldu)", tile_m,
                                      (long long)s->m)
                       : arena_printf(e->arena, "if (lid < %uu)", tile_m));
    e->times = times;
}
