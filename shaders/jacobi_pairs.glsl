//! A symmetric matrix S of norm 1 or less made diagonal by threads that have a pair of vectors each, some a pair.
//! needs: jacobi.glsl, and jacobi_angle.glsl; TYPE QUAD GROUP LANES SWEEPS SHIFT LEFT
//! provides: start(uint) put(uint, uint, TYPE, bool) begin(bool) rotate(uint) turn_at(uint, uint)
//! threads: all of the workgroup, PAIRS LANES, with their number; put and turn_at: each for an element
//! leaves: what turn_at gives, behind a barrier
// Vectors are the rows of S + SHIFT I, which is positive definite, and behind each one of I, which becomes a column of
// the turns: they are orthogonal where S is diagonal. Of a level, the first vectors of pairs stay where they are, in
// registers, and so do their squares; those of the second ones go along.
const uint LANES = @LANES@u, QUADS = WIDTH / 4u, OWN = QUADS / LANES, PITCH = 2u * QUADS + 4u, PARTS = LANES / 4u;
shared @QUAD@ vectors[WIDTH * PITCH];
shared @TYPE@ squares[WIDTH];
shared @QUAD@ sums[3u * PAIRS * PARTS]; // a pair's partial products, and at the begin of a level squares
shared uint moving[2];                  // the number of the last even sweep, and odd one, that turned any

void start(uint lid)
{
    if (lid < 2u)
        moving[lid] = 0u;
}

// An element; whether there has been any to be made 0.
void put(uint i, uint j, @TYPE@ x, inout bool are_any)
{
    are_any = are_any || (i != j && abs(x) > @LEFT@);
    vectors[i * PITCH + j / 4u][j % 4u] = i == j ? x + @SHIFT@ : x;
    vectors[i * PITCH + QUADS + j / 4u][j % 4u] = i == j ? 1.0 : 0.0;
}

// Behind all that a thread puts.
void begin(bool are_any)
{
    if (are_any)
        atomicMax(moving[1], 1u);
    barrier();
}

@TYPE@ turn_at(uint i, uint j)
{
    return vectors[j * PITCH + QUADS + i / 4u][i % 4u];
}

void add(uint at, uint lane, @QUAD@ x)
{
    sums[at + lane / 4u][lane % 4u] = (x.x + x.y) + (x.z + x.w);
}

@TYPE@ total(uint at)
{
    @QUAD@ x = sums[at];
    [[unroll]] for (uint i = 1u; i < PARTS; i++)
        x += sums[at + i];
    return (x.x + x.y) + (x.z + x.w);
}

void rotate(uint lid)
{
    uint pair = lid / LANES, lane = lid % LANES, products = pair * PARTS, first = products + PAIRS * PARTS;
    uint second = first + PAIRS * PARTS;
    meeting now = meeting(PAIRS, 0u, 0u);
    for (uint sweep = 0u; sweep < @SWEEPS@u; sweep++) {
        if (moving[1u - (sweep & 1u)] != (sweep == 0u ? 1u : sweep))
            break;
        for (now.apart = PAIRS; now.apart >= LEAST; now.apart /= 2u) {
            @QUAD@ x[2u * OWN], y[2u * OWN];
            @TYPE@ a = 0.0, d = 0.0;
            uint p = first_of(pair, now) * PITCH + lane;
            bool moves = false;
            [[unroll]] for (uint r = 0u; r < 2u * OWN; r++)
                x[r] = vectors[p + r * LANES];
            for (now.turn = 0u; now.turn < now.apart; now.turn++) {
                uint v = second_of(pair, now), q = v * PITCH + lane;
                [[unroll]] for (uint r = 0u; r < 2u * OWN; r++)
                    y[r] = vectors[q + r * LANES];
                @QUAD@ xy = x[0] * y[0];
                [[unroll]] for (uint r = 1u; r < OWN; r++)
                    xy += x[r] * y[r];
                add(products, lane, xy);
                if (now.turn == 0u) {
                    @QUAD@ xx = x[0] * x[0], yy = y[0] * y[0];
                    [[unroll]] for (uint r = 1u; r < OWN; r++) {
                        xx += x[r] * x[r];
                        yy += y[r] * y[r];
                    }
                    add(first, lane, xx);
                    add(second, lane, yy);
                }
                barrier();
                @TYPE@ g = total(products), c, s, e;
                if (now.turn == 0u)
                    a = total(first);
                d = now.turn == 0u ? total(second) : squares[v];
                @TYPE@ square = g * g;
                bool is_any = is_turned(square, a, d);
                if (is_any) {
#include "jacobi_angle.glsl"
                    a -= t * g;
                    d += t * g;
                    moves = true;
                    [[unroll]] for (uint r = 0u; r < 2u * OWN; r++) {
                        @QUAD@ z = y[r];
                        vectors[q + r * LANES] = s * x[r] + c * z;
                        x[r] = c * x[r] - s * z;
                    }
                }
                barrier();
                if (lane == 0u)
                    squares[v] = d;
            }
            [[unroll]] for (uint r = 0u; r < 2u * OWN; r++)
                vectors[p + r * LANES] = x[r];
            if (moves && lane == 0u)
                atomicMax(moving[sweep & 1u], sweep + 1u);
            barrier();
        }
    }
}
