#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "jacobi.glsl"
const uint PARTS = @PARTS@u, ROWS = WIDTH / PARTS;
const uint FARS = PAIRS / 2u + 1u;  // a vector and those behind it in its half, which it is the first of a pair with
const uint ROW = PAIRS + 2u * FARS; // products of a pair that are kept
const uint CHUNK = 4u;              // pairs of an iteration

// conj(e) x
@TYPE@ turned(@TYPE@ phase, @TYPE@ x)
{
    return @TURNED@;
}

@REAL@ square_of(@TYPE@ g)
{
    return @SQUARE@;
}

// The rotation of a pair, whose product is g and whose squares are a and d, and what it makes of these.
void choose(@REAL@ square, inout @REAL@ a, inout @REAL@ d, inout @TYPE@ g, out @REAL@ c, out @REAL@ s, out @TYPE@ phase)
{
    @TYPE@ e;
#include "jacobi_angle.glsl"
    a -= t * size;
    d += t * size;
    g = @ZERO@;
    phase = conjugate(e);
}

// An array of so many elements a pair, turned by some pairs.
#define TURN(type, x, each, by) \
    { \
        type saved[(each) * (by)]; \
        [[unroll]] for (uint l = 0u; l < (each) * (by); l++) \
            saved[l] = x[l]; \
        [[unroll]] for (uint l = 0u; l < (each) * (PAIRS - (by)); l++) \
            x[l] = x[l + (each) * (by)]; \
        [[unroll]] for (uint l = 0u; l < (each) * (by); l++) \
            x[(each) * (PAIRS - (by)) + l] = saved[l]; \
    }

// For CPUs, as jacobi_alone.comp, of one of each half only. A driver of CPUs reads an array lane by lane if any of its
// indices is no constant. Here none is: pairs are always in the same places, loops have code for a few of them, and
// arrays turn.
void main()
{
    uint t = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * @GROUP@u + gl_LocalInvocationID.x;
    uint o = t / PARTS, first = t % PARTS * ROWS;
    if (o >= @GROUPS@u)
        return;
    // products of vector r of a half and vector r + l, round a circle, at [r * FARS + l], or at [r * PAIRS + l]
    @TYPE@ first_first[PAIRS * FARS], second_second[PAIRS * FARS], first_second[PAIRS * PAIRS];
    // new vector j is the sum of turns [j * ROWS + i - first] x_i, and of the others' parts
    @TYPE@ turns_first[PAIRS * ROWS], turns_second[PAIRS * ROWS];
    [[unroll]] for (uint l = 0u; l < PAIRS * FARS; l++) {
        first_first[l] = @ZERO@;
        second_second[l] = @ZERO@;
    }
    [[unroll]] for (uint l = 0u; l < PAIRS * PAIRS; l++)
        first_second[l] = @ZERO@;
    for (uint r = 0u; r < PAIRS; r++) {
        TURN(@TYPE@, first_first, FARS, 1u)
        TURN(@TYPE@, second_second, FARS, 1u)
        TURN(@TYPE@, first_second, PAIRS, 1u)
        @TYPE@ row[ROW];
        [[unroll]] for (uint l = 0u; l < ROW; l++)
            row[l] = @ZERO@;
        for (uint l = 0u; l < ROW; l++) {
            uint apart = l < PAIRS ? l : (l - PAIRS) % FARS;
            uint i = l < PAIRS + FARS ? r : PAIRS + r, j = (r + apart) % PAIRS + (l - PAIRS < FARS ? 0u : PAIRS);
            @TYPE@ loaded;
@LOAD@            [[unroll]] for (uint k = 0u; k + 1u < ROW; k++)
                row[k] = row[k + 1u];
            row[ROW - 1u] = loaded;
        }
        [[unroll]] for (uint l = 0u; l < PAIRS; l++)
            first_second[PAIRS * (PAIRS - 1u) + l] = row[l];
        [[unroll]] for (uint l = 0u; l < FARS; l++) {
            first_first[FARS * (PAIRS - 1u) + l] = row[PAIRS + l];
            second_second[FARS * (PAIRS - 1u) + l] = row[PAIRS + FARS + l];
        }
    }
    [[unroll]] for (uint row = 0u; row < ROWS; row++)
        [[unroll]] for (uint v = 0u; v < PAIRS; v++) {
            turns_first[v * ROWS + row] = first + row == v ? @ONE@ : @ZERO@;
            turns_second[v * ROWS + row] = first + row == PAIRS + v ? @ONE@ : @ZERO@;
        }

    for (uint step = 0u; step < @SWEEPS@u * PAIRS; step++) {
        @REAL@ a[PAIRS], d[PAIRS], cosines[PAIRS], sines[PAIRS];
        @TYPE@ g[PAIRS], phases[PAIRS]; // conj(e)
        bool is_any = false;
        [[unroll]] for (uint p = 0u; p < PAIRS; p++) {
            a[p] = first_first[p * FARS]@RE@;
            d[p] = second_second[p * FARS]@RE@;
            g[p] = first_second[p * PAIRS];
            cosines[p] = 1.0;
            sines[p] = 0.0;
            phases[p] = @ONE@;
        }
        for (uint p = 0u; p < PAIRS; p++) {
            @REAL@ square = square_of(g[0]);
            if (is_turned(square, a[0], d[0])) {
                choose(square, a[0], d[0], g[0], cosines[0], sines[0], phases[0]);
                is_any = true;
            }
            TURN(@REAL@, a, 1u, 1u)
            TURN(@REAL@, d, 1u, 1u)
            TURN(@TYPE@, g, 1u, 1u)
            TURN(@REAL@, cosines, 1u, 1u)
            TURN(@REAL@, sines, 1u, 1u)
            TURN(@TYPE@, phases, 1u, 1u)
        }
        [[unroll]] for (uint p = 0u; p < PAIRS; p++) {
            first_first[p * FARS]@RE@ = a[p];
            second_second[p * FARS]@RE@ = d[p];
            first_second[p * PAIRS] = g[p];
        }
        // the products of a pair's vectors with another's, after both have turned
        uint pairs = is_any ? PAIRS : 0u;
        for (uint at = 0u; at < pairs; at += CHUNK) {
            [[unroll]] for (uint r = 0u; r < CHUNK; r++) {
                [[unroll]] for (uint far = 1u; far < FARS; far++) {
                    uint p = r + far, rp_at = r * FARS + far, rq_at = r * PAIRS + far, up_at = p * PAIRS + PAIRS - far;
                    if (far == PAIRS / 2u && at >= PAIRS / 2u)
                        continue;
                    @REAL@ c = cosines[p], s = sines[p];
                    @TYPE@ rp = first_first[rp_at], rq = turned(phases[p], first_second[rq_at]);
                    @TYPE@ up = conjugate(first_second[up_at]), uq = turned(phases[p], second_second[rp_at]);
                    @TYPE@ x = c * rp - s * rq, y = s * rp + c * rq;
                    @TYPE@ z = conjugate(turned(phases[r], conjugate(c * up - s * uq)));
                    @TYPE@ w = conjugate(turned(phases[r], conjugate(s * up + c * uq)));
                    c = cosines[r];
                    s = sines[r];
                    first_first[rp_at] = c * x - s * z;
                    first_second[rq_at] = c * y - s * w;
                    first_second[up_at] = conjugate(s * x + c * z);
                    second_second[rp_at] = s * y + c * w;
                }
                [[unroll]] for (uint row = 0u; row < ROWS; row++) {
                    @TYPE@ x = turns_first[r * ROWS + row], y = turned(phases[r], turns_second[r * ROWS + row]);
                    turns_first[r * ROWS + row] = cosines[r] * x - sines[r] * y;
                    turns_second[r * ROWS + row] = sines[r] * x + cosines[r] * y;
                }
            }
            TURN(@TYPE@, first_first, FARS, CHUNK)
            TURN(@TYPE@, second_second, FARS, CHUNK)
            TURN(@TYPE@, first_second, PAIRS, CHUNK)
            TURN(@TYPE@, turns_first, ROWS, CHUNK)
            TURN(@TYPE@, turns_second, ROWS, CHUNK)
            TURN(@REAL@, cosines, 1u, CHUNK)
            TURN(@REAL@, sines, 1u, CHUNK)
            TURN(@TYPE@, phases, 1u, CHUNK)
        }
        // the second vectors go round by one
        TURN(@TYPE@, second_second, FARS, 1u)
        TURN(@TYPE@, turns_second, ROWS, 1u)
        [[unroll]] for (uint r = 0u; r < PAIRS; r++) {
            @TYPE@ x = first_second[r * PAIRS];
            [[unroll]] for (uint l = 0u; l + 1u < PAIRS; l++)
                first_second[r * PAIRS + l] = first_second[r * PAIRS + l + 1u];
            first_second[r * PAIRS + PAIRS - 1u] = x;
        }
    }
    for (uint v = 0u; v < PAIRS; v++) {
        @TYPE@ column[2u * ROWS];
        [[unroll]] for (uint row = 0u; row < ROWS; row++) {
            column[row] = turns_first[row];
            column[ROWS + row] = turns_second[row];
        }
        for (uint l = 0u; l < 2u * ROWS; l++) {
            uint i = first + l % ROWS, j = v + l / ROWS * PAIRS;
@STORE@            [[unroll]] for (uint row = 0u; row + 1u < 2u * ROWS; row++)
                column[row] = column[row + 1u];
        }
        TURN(@TYPE@, turns_first, ROWS, 1u)
        TURN(@TYPE@, turns_second, ROWS, 1u)
    }
}
