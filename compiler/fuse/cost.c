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
    /* Seconds by estimate for each of a dispatch, from which on a value that is the same for all
       threads is worth one. The estimate counts it for each element, of which a thread has four or
       eight, and integer operations as additions of floats. The keys of 2^22 uniform numbers are
       116 us by estimate, 46 dispatches, and cost an H200 more than the dispatch: with them apart,
       and without the limit, the numbers take 24.7 us in place of 27.6. */
    ONCE = 32,
    /* Parts of a dispatch that a value which is not dear must save to be stored, in reading and in
       computing: it takes memory, and a buffer of its kernels. With an eighth in reading, a sum
       that grows was stored in some layers, whose kernels were 34 different ones in place of 25. */
    READ = 64,
    COMPUTED = 8,
    /* Elements of one row that are not worth a dispatch: one workgroup reads 4,096 f32 in 0.4
       us. */
    LITTLE_ROW = 4096,
};

/* Of reductions, whose rows several threads may share. */
static bool reduces_rows(const struct kernel *k)
{
    return family_of(k)->joins_own && !family_of(k)->is_elementwise;
}

/* The part of the device that has something to do: threads, and of long rows workgroups. Families
   other than maps and rows are spread as suits them, and joining does not change how. */
static double busy_part(const struct unit *u, const struct kernel *k)
{
    const struct tuning *t = u->tuning;
    double rows = (double)family_places(k), most = (double)t->most_row_threads;
    double length = (double)family_length(k), busy = 1;
    if (!family_of(k)->is_elementwise && !family_of(k)->row_threads)
        return 1;
    if (family_of(k)->is_elementwise)
        length = 1;
    if (length >= most)
        busy = rows / t->units;
    double threads = rows * (length < most ? length : most) / (double)t->busy_threads;
    busy = busy < threads ? busy : threads;
    return busy < 1 ? busy : 1;
}

struct cost cost_of(const struct unit *u, const struct kernel *k, const struct value *reads,
                    uint32_t nreads, uint64_t additions)
{
    const struct tuning *t = u->tuning;
    double busy = busy_part(u, k);
    double bytes = 0;
    for (uint32_t i = 0; i < nreads; i++)
        bytes += (double)storage_bytes(unit_tensor(u, reads[i]));
    for (uint32_t i = 0; i < k->nroots; i++)
        bytes += (double)storage_bytes(unit_tensor(u, k->roots[i]));
    struct cost c = {.kernels = 1,
                     .memory = bytes / t->bytes_a_second / busy,
                     .compute = (double)additions / t->flops_a_second / busy,
                     .dispatch = t->dispatch_seconds};
    c.seconds = c.dispatch + (c.memory > c.compute ? c.memory : c.compute);
    return c;
}

void cost_add(const struct cost *one, struct cost *sum)
{
    sum->kernels += one->kernels;
    sum->memory += one->memory;
    sum->compute += one->compute;
    sum->dispatch += one->dispatch;
    sum->seconds += one->seconds;
}

bool cost_pays(const struct cost *before, const struct cost *after)
{
    return after->seconds <= before->seconds;
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

bool cost_is_few(int64_t elements)
{
    return elements < FEW_ELEMENTS;
}

bool cost_may_spare(const struct unit *u, int64_t places, int64_t additions)
{
    const struct tuning *t = u->tuning;
    return additions >= DEAR &&
           (double)places * (double)additions / t->flops_a_second >= ONCE * t->dispatch_seconds;
}

bool cost_spares(const struct cost *before, const struct cost *after)
{
    return before->compute - after->compute >= ONCE * (after->dispatch - before->dispatch) &&
           cost_pays(before, after);
}

bool cost_may_read_less(const struct unit *u, uint64_t bytes)
{
    return (double)bytes * READ >= u->tuning->dispatch_seconds * u->tuning->bytes_a_second;
}

bool cost_reads_less(const struct cost *before, const struct cost *after)
{
    return (before->memory - after->memory) * READ * after->kernels >= after->dispatch;
}

bool cost_may_compute_less(int64_t elements, int64_t additions, int64_t times)
{
    return additions >= REDONE_AT_LOADS && cost_shares(elements, additions * times);
}

bool cost_computes_less(const struct cost *before, const struct cost *after)
{
    double less = before->compute - after->compute;
    return less * COMPUTED * after->kernels >= after->dispatch &&
           less >= after->memory - before->memory;
}

int64_t cost_dear(void)
{
    return DEAR;
}

bool cost_is_little(const struct kernel *k)
{
    return reduces_rows(k) && family_places(k) == 1 && family_length(k) <= LITTLE_ROW;
}
