#include "fuse/cost.h"

#include "codegen/family/family.h"

/* Thresholds, each with its unit and where it comes from. */
enum {
    /* Additions that a contraction may redo at every load of an operand: a conversion or a scale,
       not a function. */
    REDONE_AT_LOADS = 4,
    /* Additions per element. Above this, storing an element and loading it once, 8 bytes, is
       cheaper than computing it again: on an H200 7.0e12 additions and 4.2e12 bytes per second make
       it 13. A function has 16 or more, sums have less. */
    DEAR = 16,
    /* Elements below which a value is computed again, whatever it costs. */
    FEW_ELEMENTS = 32,
    /* Rows, and elements of a row: fewer and longer rows leave most of a GPU idle, which a map
       would keep busy. */
    STARVED_ROWS = 64,
    LONG_ROW = 16384,
    /* Elements of one row that are not worth a dispatch: one workgroup reads 4,096 f32 in 0.4
       us. */
    LITTLE_ROW = 4096,
    /* The part of the work that kernels in pieces may do twice, because what they share is then
       loaded once. */
    COMPUTED_TWICE = 8,
};

/* Bytes that a kernel reads and writes, each value once. */
static double bytes_of(const struct unit *u, const struct kernel *k)
{
    double n = 0;
    for (uint32_t i = 0; i < k->nreads; i++)
        n += (double)storage_bytes(unit_tensor(u, k->reads[i]));
    for (uint32_t i = 0; i < k->nroots; i++)
        n += (double)storage_bytes(unit_tensor(u, k->roots[i]));
    return n;
}

/* Of reductions, whose rows several threads may share. */
static bool reduces_rows(const struct kernel *k)
{
    return family_of(k)->joins_own && !family_of(k)->is_elementwise;
}

/* Threads that have something to do at a time. */
static double threads_of(const struct unit *u, const struct kernel *k)
{
    double rows = (double)family_places(k), most = (double)u->tuning->most_row_threads;
    double length = (double)family_length(k);
    if (!family_of(k)->row_threads || length <= 1)
        return rows;
    return rows * (length < most ? length : most);
}

void cost_add(const struct unit *u, const struct kernel *k, uint64_t additions, struct cost *sum)
{
    const struct tuning *t = u->tuning;
    double threads = threads_of(u, k), most = (double)t->busy_threads,
           busy = threads < most ? threads / most : 1;
    double bytes = bytes_of(u, k), memory = bytes / t->bytes_a_second / busy;
    double compute = (double)additions / t->flops_a_second / busy;
    sum->kernels++;
    sum->bytes += bytes;
    sum->additions += (double)additions;
    sum->memory += memory;
    sum->compute += compute;
    sum->dispatch += t->dispatch_seconds;
    sum->seconds += t->dispatch_seconds + (memory > compute ? memory : compute);
}

static double distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

const char *cost_differs(const struct cost *a, const struct cost *b)
{
    double dispatch = distance(a->dispatch, b->dispatch), memory = distance(a->memory, b->memory);
    double compute = distance(a->compute, b->compute);
    if (dispatch >= memory && dispatch >= compute)
        return "dispatch";
    return memory >= compute ? "memory" : "compute";
}

bool cost_redoes(int64_t additions)
{
    return additions <= REDONE_AT_LOADS;
}

bool cost_shares(int64_t elements, int64_t additions)
{
    return additions >= DEAR && elements >= FEW_ELEMENTS;
}

int64_t cost_dear(void)
{
    return DEAR;
}

bool cost_starves(const struct kernel *k, const struct kernel *other)
{
    int64_t rows = family_places(k), size = family_places(other);
    bool per_element = family_of(other)->is_elementwise && size != rows && size != 1;
    return reduces_rows(k) && per_element && rows < STARVED_ROWS && family_length(k) > LONG_ROW;
}

bool cost_is_little(const struct kernel *k)
{
    return reduces_rows(k) && family_places(k) == 1 && family_length(k) <= LITTLE_ROW;
}

bool cost_pieces_pay(uint64_t apart, uint64_t together)
{
    return apart == 0 || together <= apart + apart / COMPUTED_TWICE;
}
