#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "digit_sort.glsl"

// A workgroup takes @TILE@ keys of a row.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    uint o = group / @TILES@u, t = group % @TILES@u, first = t * @TILE@u, count = min(LENGTH - first, @TILE@u);
    item own[EACH];
    @UNROLL@for (uint i = 0u; i < EACH; i++) {
        uint l = i * GROUP + lid;
        item x = item(@NONE@);
        if (l < count) {
            uint r = first + l;
@LOAD@        }
        own[i] = x;
    }
    for (uint d = lid; d < RADIX; d += GROUP) {
        uint before = d * @TILES@u + t, sum = 0u;
        if (before > 0u) {
            before--;
@SUM@        }
        offsets[d] = sum;
    }
    sort_tile(lid, own);
    find_offsets(lid, count, own);
    @UNROLL@for (uint i = 0u; i < EACH; i++) {
        item x = own[i];
        uint l = i * GROUP + lid, r = offsets[digit_of(x)] + l;
        if (l < count && r < LENGTH) {
@STORE@        }
    }
}
