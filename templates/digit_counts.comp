#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
const uint EACH = 16u, GROUP = @GROUP@u, RADIX = @RADIX@u, BIT = @BIT@u, LENGTH = @LENGTH@u;
struct item { uint word[@WORDS@]; };
shared uint counts[RADIX];

// A workgroup takes @TILE@ keys of a row.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    uint o = group / @TILES@u, t = group % @TILES@u, first = t * @TILE@u, count = min(LENGTH - first, @TILE@u);
    for (uint d = lid; d < RADIX; d += GROUP)
        counts[d] = 0u;
    uint digits[EACH];
    @UNROLL@for (uint i = 0u; i < EACH; i++) {
        uint l = i * GROUP + lid;
        { // no load waits for a branch
            uint r = first + min(l, count - 1u);
            item x;
@LOAD@            uint word = @DIGIT@;
            digits[i] = word >> BIT & RADIX - 1u;
        }
    }
    barrier();
    @UNROLL@for (uint i = 0u; i < EACH; i++)
        if (i * GROUP + lid < count)
            atomicAdd(counts[digits[i]], 1u);
    barrier();
    for (uint d = lid; d < RADIX; d += GROUP) {
@STORE@    }
}
