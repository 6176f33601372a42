#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
// Elements in shared memory, with a gap every 32 so that neighbours of a thread lie in different banks.
shared @TYPE@ elements[@SLOTS@], sums[@GROUP@];

@TYPE@ get(uint i)
{
    return elements[i + (i >> 5)];
}

void put(uint i, @TYPE@ x)
{
    elements[i + (i >> 5)] = x;
}

@TYPE@ combine(@TYPE@ x, @TYPE@ y)
{
    @PRECISE@@TYPE@ z = @COMBINE@;
    return z;
}

// A workgroup scans @GROUP_RUNS@, @SPAN@ elements of each at a time: a thread eight neighbours, then all threads
// of a run together, in a fixed tree.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
    uint mine = 8u * lid, lane = lid % @LANES@u;
@HEAD@    @TYPE@ carry = none;
    for (uint step = 0u; step < @ROUNDS@u; step++) {
@LOAD@        barrier();
        @TYPE@ own0 = get(mine), own1 = combine(own0, get(mine + 1u)), own2 = combine(own1, get(mine + 2u)), own3 = combine(own2, get(mine + 3u));
        @TYPE@ own4 = combine(own3, get(mine + 4u)), own5 = combine(own4, get(mine + 5u)), own6 = combine(own5, get(mine + 6u)), own7 = combine(own6, get(mine + 7u));
        sums[lid] = own7;
        barrier();
        for (uint apart = 1u; apart < @LANES@u; apart *= 2u) {
            @TYPE@ sum = sums[lid];
            if (lane >= apart)
                sum = combine(sums[lid - apart], sum);
            barrier();
            sums[lid] = sum;
            barrier();
        }
        @TYPE@ past = lane > 0u ? combine(carry, sums[lid - 1u]) : carry;
        put(mine, combine(past, own0)); put(mine + 1u, combine(past, own1)); put(mine + 2u, combine(past, own2)); put(mine + 3u, combine(past, own3));
        put(mine + 4u, combine(past, own4)); put(mine + 5u, combine(past, own5)); put(mine + 6u, combine(past, own6)); put(mine + 7u, combine(past, own7));
        carry = combine(carry, sums[lid - lane + @LANES@u - 1u]);
        barrier();
@STORE@        barrier();
    }
}
