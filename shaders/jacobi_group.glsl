//! Vectors made orthogonal by the threads of a workgroup together, in shared memory.
//! needs: jacobi.glsl, and in choose jacobi_angle.glsl; TYPE REAL GROUP SWEEPS ONE TURNED SQUARE RE; products, and in turns ones on the diagonal and zeros
//! provides: rotate(uint)
//! threads: all of the workgroup, more than PAIRS, with their number, behind a barrier
//! leaves: turns, behind a barrier: new vector j is the sum of turns[i * WIDTH + j] x_i
shared @TYPE@ products[WIDTH * WIDTH]; // of i and j at [i * WIDTH + j]: sum of conj(x_i) x_j
shared @TYPE@ turns[WIDTH * WIDTH];    // new vector j is the sum of turns[i * WIDTH + j] x_i
// rotations of a step and, behind or before them, of the one before it
shared @REAL@ cosines[2u * PAIRS];
shared @REAL@ sines[2u * PAIRS];
shared @TYPE@ phases[2u * PAIRS]; // conj(e)
shared uint moving[2];            // whether there are any
shared uint rotations[1];         // whether any pair is to be turned

// conj(e) x of a rotation
@TYPE@ turned(uint rotation, @TYPE@ x)
{
    return @TURNED@;
}

void choose(uint pair, meeting m)
{
    uint p = first_of(pair, m), q = second_of(pair, m);
    @TYPE@ g = products[p * WIDTH + q];
    @REAL@ a = products[p * WIDTH + p]@RE@, d = products[q * WIDTH + q]@RE@, square = @SQUARE@;
    @REAL@ c = 1.0, s = 0.0;
    @TYPE@ e = @ONE@;
    if (is_turned(square, a, d)) {
#include "jacobi_angle.glsl"
        atomicOr(moving[m.at / PAIRS], 1u);
    }
    cosines[m.at + pair] = c;
    sines[m.at + pair] = s;
    phases[m.at + pair] = conjugate(e);
}

// The products of one pair's vectors with another's, after both have turned.
void turn_products(uint i, uint j, meeting m)
{
    uint r = first_of(i, m), u = second_of(i, m), p = first_of(j, m), q = second_of(j, m);
    @REAL@ c = cosines[m.at + j], s = sines[m.at + j];
    @TYPE@ rp = products[r * WIDTH + p], rq = turned(m.at + j, products[r * WIDTH + q]);
    @TYPE@ up = products[u * WIDTH + p], uq = turned(m.at + j, products[u * WIDTH + q]);
    @TYPE@ a = c * rp - s * rq, b = s * rp + c * rq;
    @TYPE@ x = conjugate(turned(m.at + i, conjugate(c * up - s * uq)));
    @TYPE@ y = conjugate(turned(m.at + i, conjugate(s * up + c * uq)));
    c = cosines[m.at + i];
    s = sines[m.at + i];
    rp = c * a - s * x;
    rq = c * b - s * y;
    up = s * a + c * x;
    uq = s * b + c * y;
    products[r * WIDTH + p] = rp;
    products[r * WIDTH + q] = rq;
    products[u * WIDTH + p] = up;
    products[u * WIDTH + q] = uq;
    if (i == j)
        return;
    products[p * WIDTH + r] = conjugate(rp);
    products[q * WIDTH + r] = conjugate(rq);
    products[p * WIDTH + u] = conjugate(up);
    products[q * WIDTH + u] = conjugate(uq);
}

// Pairs meet those behind them, round a circle: a thread's lane is a pair, and neighbours are in different banks.
void turn_all_products(uint lid, meeting m)
{
    uint i = lid % PAIRS;
    for (uint far = lid / PAIRS; far <= PAIRS / 2u; far += @GROUP@u / PAIRS)
        if (far < PAIRS / 2u || i < PAIRS / 2u)
            turn_products(i, (i + far) % PAIRS, m);
}

// The turns themselves, so many rows at a time.
void turn_rows(uint pair, uint first, uint rows, meeting m)
{
    uint p = first_of(pair, m), q = second_of(pair, m);
    @REAL@ c = cosines[m.at + pair], s = sines[m.at + pair];
    for (uint row = first; row < WIDTH; row += rows) {
        @TYPE@ x = turns[row * WIDTH + p], y = turned(m.at + pair, turns[row * WIDTH + q]);
        turns[row * WIDTH + p] = c * x - s * y;
        turns[row * WIDTH + q] = s * x + c * y;
    }
}

// Whether any pair is to be turned; the same to all threads.
bool are_any(uint lid)
{
    if (lid == 0u)
        rotations[0] = 0u;
    barrier();
    for (uint l = lid; l < WIDTH * WIDTH; l += @GROUP@u) {
        uint p = l / WIDTH, q = l % WIDTH;
        @TYPE@ g = products[l];
        if (p < q && is_turned(@SQUARE@, products[p * WIDTH + p]@RE@, products[q * WIDTH + q]@RE@))
            atomicOr(rotations[0], 1u);
    }
    barrier();
    return rotations[0] != 0u;
}

// While the first threads choose the rotations of a step, the others turn rows by those of the one before.
void rotate(uint lid)
{
    meeting now = meeting(PAIRS, 0u, 0u), last = now;
    last.at = PAIRS;
    if (lid == 0u) {
        moving[0] = 0u;
        moving[1] = 0u;
    }
    for (uint sweep = 0u; sweep < @SWEEPS@u; sweep++) {
        if (!are_any(lid))
            break;
        for (now.apart = PAIRS; now.apart >= LEAST; now.apart /= 2u)
            for (now.turn = 0u; now.turn < now.apart; now.turn++) {
                if (lid < PAIRS)
                    choose(lid, now);
                else if (moving[last.at / PAIRS] != 0u)
                    turn_rows(lid % PAIRS, lid / PAIRS - 1u, @GROUP@u / PAIRS - 1u, last);
                barrier();
                if (lid == 0u)
                    moving[last.at / PAIRS] = 0u;
                if (moving[now.at / PAIRS] != 0u)
                    turn_all_products(lid, now);
                last = now;
                now.at = PAIRS - now.at;
                barrier();
            }
    }
    if (moving[last.at / PAIRS] != 0u)
        turn_rows(lid % PAIRS, lid / PAIRS, @GROUP@u / PAIRS, last);
    barrier();
}
