#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "digit_tile.glsl"

@ORDER@
// A workgroup takes @TILE@ keys of a row.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    uint o = group / @TILES@u, t = group % @TILES@u, first = t * @TILE@u, count = min(LENGTH - first, @TILE@u);
    uint firsts[DIGITS], all = 0u;
    @UNROLL@for (uint i = 0u; i < DIGITS; i++) {
        firsts[i] = all;
        @UNROLL@for (uint last = 0u; last < 2u; last++) {
            uint tiles = last == 0u ? t : @TILES@u, before = (lid * DIGITS + i) * @TILES@u + tiles - 1u, sum = 0u;
            if (lid * DIGITS + i < RADIX && tiles > 0u) {
@SUM@            }
            firsts[i] += last == 0u ? sum : 0u;
            all += last == 0u ? 0u : sum;
        }
    }
    item own[EACH];
    @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++) {
        uint l = place_at(lid, i);
        item x = item(@NONE@);
        if (l < count) {
            uint r = first + l;
@LOAD@        }
        own[i] = x;
    }
    order_tile(lid, count, own, firsts, all);
    @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++) {
        item x = own[i];
        uint l = i * GROUP + lid, r = offsets[digit_of(x)] + l;
        if (l < count && r < LENGTH) {
@STORE@        }
    }
}
