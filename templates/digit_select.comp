#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "digit_select.glsl"

// A workgroup takes the first @KEEP@ of @TILE@ keys of a row.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    uint o = group / @TILES@u, t = group % @TILES@u, first = t * @TILE@u, count = min(@LENGTH@u - first, @TILE@u);
    item own[EACH];
    uint open = 0u, taken, left = min(@KEEP@u, count);
    @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++) {
        uint l = i * GROUP + lid;
        item x = item(@NONE@);
        if (l < count) {
            uint r = first + l;
@LOAD@            open |= 1u << i;
        }
        own[i] = x;
    }
    select_keys(lid, own, open, left, taken);
    find_places(lid, taken, open);
    @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++) {
        item x = own[i];
        uint l = i * GROUP + lid;
        if (is_taken(l, taken >> i & 1u, open >> i & 1u, left)) {
            uint r = t * @KEEP@u + place_of(l, left);
@STORE@        }
    }
}
