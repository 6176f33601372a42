#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "jacobi.glsl"
const uint PARTS = @PARTS@u, ROWS = WIDTH / PARTS;

// Of the products only those of a row up to its column are kept.
uint place(uint row, uint column)
{
    uint last = max(row, column);
    return last * (last + 1u) / 2u + min(row, column);
}

@TYPE@ seen_from(uint row, uint column, @TYPE@ x)
{
    return row <= column ? x : conjugate(x);
}

// conj(e) x
@TYPE@ turned(@TYPE@ phase, @TYPE@ x)
{
    return @TURNED@;
}

// For CPUs, whose drivers read shared memory lane by lane. PARTS threads have the products of @WIDTH@ vectors, each by
// itself, and a part of how they are turned. lavapipe ends a thread's loops after 65,535 iterations in all
// (jacobi_alone_iterations), so two steps are one iteration of the innermost.
void main()
{
    uint t = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * @GROUP@u + gl_LocalInvocationID.x;
    uint o = t / PARTS, first = t % PARTS * ROWS;
    if (o >= @GROUPS@u)
        return;
    @TYPE@ products[WIDTH * (WIDTH + 1u) / 2u];
    @TYPE@ turns[ROWS * WIDTH]; // new vector j is the sum of turns[(i - first) * WIDTH + j] x_i, and of the others' parts
    @REAL@ cosines[PAIRS];
    @REAL@ sines[PAIRS];
    @TYPE@ phases[PAIRS]; // conj(e)
    for (uint j = 0u; j < WIDTH; j++)
        for (uint i = 0u; i <= j; i++) {
@LOAD@        }
    for (uint l = 0u; l < ROWS * WIDTH; l++)
        turns[l] = l / WIDTH + first == l % WIDTH ? @ONE@ : @ZERO@;

    meeting now = meeting(PAIRS, 0u, 0u);
    for (uint sweep = 0u; sweep < @SWEEPS@u; sweep++) {
        bool are_any = false;
        for (uint q = 1u; q < WIDTH; q++)
            for (uint p = 0u; p < q; p++) {
                @TYPE@ g = products[place(p, q)];
                if (is_turned(@SQUARE@, products[place(p, p)]@RE@, products[place(q, q)]@RE@))
                    are_any = true;
            }
        if (!are_any)
            break;
        for (now.apart = PAIRS; now.apart >= LEAST; now.apart /= 2u)
            for (now.turn = 0u; now.turn < now.apart; now.turn++) {
                bool is_any = false;
                for (uint pair = 0u; pair < PAIRS; pair++) {
                    uint p = first_of(pair, now), q = second_of(pair, now);
                    @TYPE@ g = products[place(p, q)], e = @ONE@;
                    @REAL@ a = products[place(p, p)]@RE@, d = products[place(q, q)]@RE@, square = @SQUARE@;
                    @REAL@ c = 1.0, s = 0.0;
                    if (is_turned(square, a, d)) {
#include "jacobi_angle.glsl"
                        is_any = true;
                    }
                    cosines[pair] = c;
                    sines[pair] = s;
                    phases[pair] = conjugate(e);
                }
                uint pairs = is_any ? PAIRS : 0u;
                for (uint i = 0u; i < pairs; i++) {
                    uint r = first_of(i, now), u = second_of(i, now);
                    @REAL@ ci = cosines[i], si = sines[i];
                    @TYPE@ phase = phases[i];
                    // the products of its vectors with those of the pairs from it on, after both have turned
                    for (uint two = i & ~1u; two < PAIRS; two += 2u)
                        [[unroll]] for (uint one = 0u; one < 2u; one++) {
                            uint j = two + one;
                            if (j < i)
                                continue;
                            uint p = first_of(j, now), q = second_of(j, now);
                            uint at_rp = place(r, p), at_rq = place(r, q), at_up = place(u, p), at_uq = place(u, q);
                            @REAL@ c = cosines[j], s = sines[j];
                            @TYPE@ rp = seen_from(r, p, products[at_rp]);
                            @TYPE@ rq = turned(phases[j], seen_from(r, q, products[at_rq]));
                            @TYPE@ up = seen_from(u, p, products[at_up]);
                            @TYPE@ uq = turned(phases[j], seen_from(u, q, products[at_uq]));
                            @TYPE@ a = c * rp - s * rq, b = s * rp + c * rq;
                            @TYPE@ x = conjugate(turned(phase, conjugate(c * up - s * uq)));
                            @TYPE@ y = conjugate(turned(phase, conjugate(s * up + c * uq)));
                            products[at_rp] = seen_from(r, p, ci * a - si * x);
                            products[at_rq] = seen_from(r, q, ci * b - si * y);
                            products[at_up] = seen_from(u, p, si * a + ci * x);
                            products[at_uq] = seen_from(u, q, si * b + ci * y);
                        }
                    [[unroll]] for (uint row = 0u; row < ROWS; row++) {
                        @TYPE@ x = turns[row * WIDTH + r], y = turned(phase, turns[row * WIDTH + u]);
                        turns[row * WIDTH + r] = ci * x - si * y;
                        turns[row * WIDTH + u] = si * x + ci * y;
                    }
                }
            }
    }
    for (uint l = 0u; l < ROWS * WIDTH; l++) {
        uint i = first + l / WIDTH, j = l % WIDTH;
@STORE@    }
}
