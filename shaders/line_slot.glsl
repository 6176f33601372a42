//! Elements of runs in shared memory: which of them a slot is for. Neighbouring threads have
//!   neighbouring slots, and so elements that are neighbours in memory: of a run, or ACROSS runs
//!   that lie side by side.
//! needs: GROUP; SPAN slots of a run at a time, GROUP_RUNS runs of the workgroup, ACROSS; RUN
//!   elements of a run, RUNS of a row, LENGTH elements of a row, LINES runs in all; REVERSE
//! provides: slot_of(uint, uint, uint, uint) is_live(slot) row_of(slot) place_of(slot)
//! threads: any, with a number below GROUP; each has eight slots
//! leaves: l, where the element lies in shared memory: every place of the workgroup's is one
//!   slot's. Row and place in it are for live slots only; places count from the end if REVERSE
const uint SPAN = @SPAN@u, GROUP_RUNS = @GROUP_RUNS@u;
const uint RUN = @RUN@u, RUNS = @RUNS@u, LENGTH = @LENGTH@u, LINES = @LINES@u;
const bool ACROSS = @ACROSS@, REVERSE = @REVERSE@;
// line: the run among all; at: the element's place in it
struct slot { uint l, line, at; };

slot slot_of(uint i, uint lid, uint group, uint step)
{
    uint l = i * @GROUP@u + lid;
    uint line = GROUP_RUNS == 1u ? 0u : ACROSS ? l % GROUP_RUNS : l / SPAN;
    uint at = GROUP_RUNS == 1u ? l : ACROSS ? l / GROUP_RUNS : l % SPAN;
    return slot(ACROSS ? line * SPAN + at : l, group * GROUP_RUNS + line, step * SPAN + at);
}

// The conditions that always hold are known to compilers.
bool is_live(slot s)
{
    return (LINES % GROUP_RUNS == 0u || s.line < LINES) && (RUN % SPAN == 0u || s.at < RUN) &&
        (LENGTH % RUN == 0u || s.line % RUNS * RUN + s.at < LENGTH);
}

uint row_of(slot s)
{
    return s.line / RUNS;
}

uint place_of(slot s)
{
    uint r = RUNS == 1u ? s.at : s.line % RUNS * RUN + s.at;
    return REVERSE ? LENGTH - 1u - r : r;
}
