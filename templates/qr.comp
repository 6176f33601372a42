#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "panel_qr.glsl"

// A workgroup takes @WIDTH@ columns of a matrix of @ROWS@ rows; @LANES@ threads have one, four rows each in turn.
void main()
{
    uint lid = gl_LocalInvocationID.x, mine = lid / LANES, lane = lid % LANES;
    uint o = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (o >= @GROUPS@u)
        return;
    @QUAD@ x[FOURS], c[@KEPT@];
    uint at;
    start(lid);
@CLEAR@    for (uint base = 0u; base < ROWS; base += CHUNK) {
        @TURNS@ {
            uint i = base + l / WIDTH, j = l % WIDTH;
            stage[l / WIDTH * PITCH + j] = 0.0;
            if (i < ROWS) {
@LOAD@            }
        }
        barrier();
@FETCH@        barrier();
    }
    @LOOP@for (uint k = 0u; k < WIDTH; k++) {
        uint from = k % 2u * LANES * FOURS + lane, tops = k % 2u * WIDTH;
        if (mine == k) {
@PUT@        }
        if (lane == k / 4u)
            top[tops + mine] = element(x[0], k % 4u);
        barrier();
        c[0] = column[from];
        @QUAD@ s = below(c[0], 4u * lane, k) * x[0];
@DOT@        put_sum(mine, lane, s);
        barrier();
        mirror m = mirror_of(top[tops + k], total(k));
        @TYPE@ y = top[tops + mine], z = more(y, total(mine), m.over_first);
        if (mine < k) {
            if (lane == 0u)
                along[mine * WIDTH + k] = z;
        } else {
            bool is_own = mine == k;
            @QUAD@ g = @QUAD@(is_own ? m.over_first : z * m.over_norm);
            @QUAD@ changed = is_own ? g * c[0] : more(x[0], g, c[0]);
            x[0] = mix(x[0], changed, is_below(4u * lane, k));
            if (lane == k / 4u)
                x[0][k % 4u] = is_own ? m.norm : more(y, -m.tau, z);
            if (is_own && lane == 0u)
                taus[k] = m.tau;
            if (is_own) {
@OWN@            } else {
@UPDATE@            }
        }
    }
    barrier();
    if (lid < WIDTH) { // row lid of T; rest has, column by column, what is to be added to those that are left
@TRIANGLE@    }
    for (uint base = 0u; base < ROWS; base += CHUNK) {
@STAGE@        barrier();
        for (uint l = lid; l < CHUNK * WIDTH; l += @GROUP@u) {
            uint i = base + l / WIDTH, j = l % WIDTH;
            if (i < ROWS) {
@STORE@            }
        }
        barrier();
    }
@STORE_TRIANGLE@}
