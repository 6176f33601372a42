#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
@STEPS@
shared uint found[@FOUND@], of_first[2];

// An element of the runs that are merged, by its place in their buffer.
item fetch(uint i)
{
    return item(@FETCH@);
}

// A workgroup makes @SPAN@ elements of two merged runs. Half of its threads search where its part begins in
// them, the other half where it ends: every round, @HALF@ places at a time.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    uint o = group / @ROW_GROUPS@u, first = group % @ROW_GROUPS@u * @SPAN@u;
    uint pair = first / @PAIR@u * @PAIR@u, a_size = min(@RUN@u, @LENGTH@u - pair), b_size = min(@RUN@u, @LENGTH@u - pair - a_size);
    uint start = first - pair, count = min(@SPAN@u, a_size + b_size - start);
    uint a = o * @LENGTH@u + pair, b = a + a_size;
    if (lid < @FOUND@u)
        found[lid] = 0u;
    barrier();
    uint side = lid / @HALF@u, lane = lid % @HALF@u, d = side == 0u ? start : start + count;
    uint lo = d > b_size ? d - b_size : 0u, hi = min(d, a_size);
    for (uint round = 0u; round < @ROUNDS@u; round++) {
        uint apart = (hi - lo + @HALF@u - 1u) / @HALF@u, probe = lo + lane * apart;
        if (probe < hi && !before(fetch(b + d - 1u - probe), fetch(a + probe)))
            atomicMax(found[2u * round + side], lane + 1u);
        barrier();
        uint passed = found[2u * round + side];
        if (passed > 0u) {
            lo += (passed - 1u) * apart + 1u;
            hi = min(hi, lo + apart - 1u);
        } else
            hi = lo;
    }
    if (lane == 0u)
        of_first[side] = lo;
    barrier();
    uint a_part = of_first[1] - of_first[0], b_from = start - of_first[0];
    @UNROLL@for (uint i = 0u; i < 8u; i++) {
        uint l = i * @GROUP@u + lid;
        if (l < count)
            put(l, fetch(l < a_part ? a + of_first[0] + l : b + b_from + (l - a_part)));
    }
    barrier();
    merge(0u, a_part, a_part, count - a_part, min(8u * lid, count), 8u * lid);
    barrier();
@STORE@}
