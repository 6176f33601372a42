//! Vectors made orthogonal by the threads of a workgroup together, in shared memory.
//! needs: jacobi.glsl, and in choose jacobi_angle.glsl; TYPE REAL GROUP SWEEPS ONE ZERO TURNED SQUARE RE; products, and in
//!   turns ones on the diagonal and zeros
//! provides: place_of(uint) rotate(uint)
//! threads: all of the workgroup, a multiple of PAIRS and more than that, with their number, behind a barrier
//! leaves: turns, behind a barrier: new vector j is the sum of turns[i * WIDTH + place_of(j)] x_i
const uint PARTS = @GROUP@u / PAIRS - 1u;         // that threads are in, beside those that choose rotations
const uint OWN = (WIDTH + PARTS - 1u) / PARTS; // rows of the turns that one has
// Vectors are where place_of says: products of i and j, the sum of conj(x_i) x_j, at [i * WIDTH + j].
shared @TYPE@ products[WIDTH * WIDTH];
shared @TYPE@ turns[WIDTH * WIDTH];
// rotations of a step and, behind or before them, of the one before it
shared @REAL@ cosines[2u * PAIRS];
shared @REAL@ sines[2u * PAIRS];
shared @TYPE@ phases[2u * PAIRS]; // conj(e)
shared uint moving[2];            // the number of the last step that has any
shared uint rotations[1];         // whether any pair is to be turned

// Whatever blocks the vectors are halved in, those of all first halves are in different banks, and so are the others.
uint place_of(uint v)
{
    return v < PAIRS ? v : WIDTH + PAIRS - 1u - v;
}

uint first_place(uint pair, meeting m)
{
    return place_of(first_of(pair, m));
}

uint second_place(uint pair, meeting m)
{
    return place_of(second_of(pair, m));
}

// conj(e) x of a rotation
@TYPE@ turned(uint rotation, @TYPE@ x)
{
    return @TURNED@;
}

@REAL@ square_of(uint place)
{
    return products[place * WIDTH + place]@RE@;
}

// The rotation of a pair, whose product is g and whose squares are a and d, and what it makes of these.
void choose(uint pair, meeting m, uint number, @TYPE@ g, @REAL@ a, @REAL@ d)
{
    uint p = first_place(pair, m), q = second_place(pair, m);
    @REAL@ c = 1.0, s = 0.0, square = @SQUARE@;
    @TYPE@ e = @ONE@;
    if (is_turned(square, a, d)) {
#include "jacobi_angle.glsl"
        products[p * WIDTH + p]@RE@ = a - t * size;
        products[q * WIDTH + q]@RE@ = d + t * size;
        products[p * WIDTH + q] = @ZERO@;
        products[q * WIDTH + p] = @ZERO@;
        atomicMax(moving[m.at / PAIRS], number);
    }
    cosines[m.at + pair] = c;
    sines[m.at + pair] = s;
    phases[m.at + pair] = conjugate(e);
}

void choose_first(uint pair, meeting m, uint number)
{
    uint p = first_place(pair, m), q = second_place(pair, m);
    choose(pair, m, number, products[p * WIDTH + q], square_of(p), square_of(q));
}

// The products of one pair's vectors with another's, after both have turned; of the first one's with the other's second.
@TYPE@ turn_products(uint i, uint j, meeting m)
{
    uint r = first_place(i, m), u = second_place(i, m), p = first_place(j, m), q = second_place(j, m);
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
    products[p * WIDTH + r] = conjugate(rp);
    products[q * WIDTH + r] = conjugate(rq);
    products[p * WIDTH + u] = conjugate(up);
    products[q * WIDTH + u] = conjugate(uq);
    return rq;
}

// The pair whose second vector this one meets next.
uint behind(uint pair, meeting m)
{
    return (pair & ~(m.apart - 1u)) | (pair + 1u & m.apart - 1u);
}

// Pairs meet those behind them, round a circle: a thread's lane is a pair, and neighbours are in different banks.
void turn_others(uint lane, uint part, meeting m, bool is_ahead)
{
    for (uint far = part; far <= PAIRS / 2u; far += PARTS) {
        uint other = (lane + far) % PAIRS;
        bool is_chosen = is_ahead && (other == behind(lane, m) || lane == behind(other, m));
        if (!is_chosen && (far < PAIRS / 2u || lane < PAIRS / 2u))
            turn_products(lane, other, m);
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

// The first PAIRS threads choose the rotations of a step, the others turn products and rows by those of the step before.
// To have the product that a pair's next rotation follows from, the first ones turn that one, too, and three others.
// Of a level, vectors of the first halves stay where they are, so a thread has its rows' elements of one in registers.
void rotate(uint lid)
{
    uint lane = lid % PAIRS, part = lid / PAIRS, number = 1u;
    meeting now = meeting(PAIRS, 0u, 0u);
    @TYPE@ own[OWN];
    if (lid == 0u) {
        moving[0] = 0u;
        moving[1] = 0u;
    }
    for (uint sweep = 0u; sweep < @SWEEPS@u; sweep++) {
        if (!are_any(lid))
            break;
        for (now.apart = PAIRS; now.apart >= LEAST; now.apart /= 2u) {
            now.turn = 0u;
            if (part == 0u)
                choose_first(lane, now, number);
            uint p = first_place(lane, now);
            [[unroll]] for (uint r = 0u; r < OWN; r++)
                if (part != 0u && r * PARTS + part <= WIDTH)
                    own[r] = turns[(r * PARTS + part - 1u) * WIDTH + p];
            barrier();
            while (now.turn < now.apart) {
                meeting next = meeting(now.apart, now.turn + 1u, PAIRS - now.at);
                bool is_last = next.turn == now.apart, is_ahead = !is_last && now.apart > 2u;
                bool moves = moving[now.at / PAIRS] == number;
                if (part == 0u && is_ahead) {
                    @REAL@ a = square_of(p), d = square_of(second_place(lane, next));
                    @TYPE@ g = turn_products(lane, behind(lane, now), now);
                    choose(lane, next, number + 1u, g, a, d);
                } else if (part != 0u && moves) {
                    turn_others(lane, part, now, is_ahead);
                    uint q = second_place(lane, now);
                    @REAL@ c = cosines[now.at + lane], s = sines[now.at + lane];
                    [[unroll]] for (uint r = 0u; r < OWN; r++)
                        if (r * PARTS + part <= WIDTH) {
                            uint at = (r * PARTS + part - 1u) * WIDTH + q;
                            @TYPE@ x = own[r], y = turned(now.at + lane, turns[at]);
                            own[r] = c * x - s * y;
                            turns[at] = s * x + c * y;
                        }
                }
                barrier();
                if (!is_last && !is_ahead) {
                    if (part == 0u)
                        choose_first(lane, next, number + 1u);
                    barrier();
                }
                now = next;
                number++;
            }
            [[unroll]] for (uint r = 0u; r < OWN; r++)
                if (part != 0u && r * PARTS + part <= WIDTH)
                    turns[(r * PARTS + part - 1u) * WIDTH + p] = own[r];
            barrier();
        }
    }
    barrier();
}
