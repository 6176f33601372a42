//! Vectors x_i made orthogonal to each other by rotations of pairs (one-sided Jacobi), found on the
//!   matrix of their products.
//! needs: nx_sqrt and nx_div of REAL, for complex types nx_mul and nx_conj; TYPE REAL WIDTH GROUP
//!   SWEEPS QUICK TOLERANCE FLOOR ONE RE PRODUCT CONJUGATE SQUARE PHASE; products, and in turns ones
//!   on the diagonal and zeros
//! provides: rotate(uint)
//! threads: all of the workgroup, with their number, behind a barrier
//! leaves: turns, behind a barrier: new vector j is the sum of turns[i * PITCH + j] x_i
// With g = <x_p, x_q>, a = <x_p, x_p>, d = <x_q, x_q> and e = g / |g|, the vectors c x_p - s conj(e) x_q and
// s x_p + c conj(e) x_q have product 0 for t = s / c the smaller root of t^2 + 2 z t = 1, z = (d - a) / (2 |g|).
// WIDTH / 2 disjoint pairs turn at a time, as in a tournament: WIDTH - 1 steps are a sweep. Pairs whose cosine is
// below TOLERANCE stay, and so do vectors of a squared length below FLOOR, which are nothing but rounding.
const uint WIDTH = @WIDTH@u, PAIRS = WIDTH / 2u, PITCH = WIDTH + 1u;
const bool QUICK = @QUICK@; // the driver's roots and quotients do: angles need not be exact, and what is too large is 0
shared @TYPE@ products[WIDTH * PITCH]; // of i and j at [i * PITCH + j]: sum of conj(x_i) x_j
shared @TYPE@ turns[WIDTH * PITCH];    // new vector j is the sum of turns[i * PITCH + j] x_i
shared @REAL@ cosines[PAIRS];
shared @REAL@ sines[PAIRS];
shared @TYPE@ phases[PAIRS]; // conj(e)
shared uint rotations;

@TYPE@ times(@TYPE@ x, @TYPE@ y)
{
    return @PRODUCT@;
}

@TYPE@ conjugate(@TYPE@ x)
{
    return @CONJUGATE@;
}

// The two vectors of a pair in a step: the last one stays where it is, the others move round.
uint first_of(uint pair, uint turn)
{
    return pair == 0u ? WIDTH - 1u : (turn + pair) % (WIDTH - 1u);
}

uint second_of(uint pair, uint turn)
{
    return (turn + WIDTH - 1u - pair) % (WIDTH - 1u);
}

bool is_turned(@REAL@ square, @REAL@ a, @REAL@ d)
{
    return square > @TOLERANCE@ * a * d && a > @FLOOR@ && d > @FLOOR@;
}

void choose(uint pair, uint turn)
{
    uint p = first_of(pair, turn), q = second_of(pair, turn);
    @TYPE@ g = products[p * PITCH + q];
    @REAL@ a = products[p * PITCH + p]@RE@, d = products[q * PITCH + q]@RE@, square = @SQUARE@;
    @REAL@ c = 1.0, s = 0.0;
    @TYPE@ e = @ONE@;
    if (is_turned(square, a, d)) {
        @REAL@ size, t;
        if (QUICK) {
            size = sqrt(square);
            @REAL@ z = (d - a) / (2.0 * size);
            t = (z >= 0.0 ? 1.0 : -1.0) / (abs(z) + sqrt(1.0 + z * z));
            c = inversesqrt(1.0 + t * t);
        } else {
            size = nx_sqrt(square);
            @REAL@ z = nx_div(d - a, 2.0 * size);
            t = nx_div(z >= 0.0 ? 1.0 : -1.0, abs(z) + nx_sqrt(1.0 + z * z));
            c = nx_div(1.0, nx_sqrt(1.0 + t * t));
        }
        s = c * t;
        e = @PHASE@;
    }
    cosines[pair] = c;
    sines[pair] = s;
    phases[pair] = conjugate(e);
}

// The products of one pair's vectors with another's, after both have turned.
void turn_products(uint i, uint j, uint turn)
{
    uint r = first_of(i, turn) * PITCH, u = second_of(i, turn) * PITCH, p = first_of(j, turn), q = second_of(j, turn);
    @REAL@ c = cosines[j], s = sines[j];
    @TYPE@ e = phases[j];
    @TYPE@ rp = products[r + p], rq = times(e, products[r + q]), up = products[u + p], uq = times(e, products[u + q]);
    @TYPE@ a = c * rp - s * rq, b = s * rp + c * rq, x = c * up - s * uq, y = s * up + c * uq;
    c = cosines[i];
    s = sines[i];
    e = conjugate(phases[i]);
    x = times(e, x);
    y = times(e, y);
    products[r + p] = c * a - s * x;
    products[r + q] = c * b - s * y;
    products[u + p] = s * a + c * x;
    products[u + q] = s * b + c * y;
}

void turn_row(uint row, uint j, uint turn)
{
    uint p = row * PITCH + first_of(j, turn), q = row * PITCH + second_of(j, turn);
    @TYPE@ x = turns[p], y = times(phases[j], turns[q]);
    turns[p] = cosines[j] * x - sines[j] * y;
    turns[q] = sines[j] * x + cosines[j] * y;
}

// Whether any pair is to be turned; the same to all threads.
bool are_any(uint lid)
{
    if (lid == 0u)
        rotations = 0u;
    barrier();
    for (uint l = lid; l < WIDTH * WIDTH; l += @GROUP@u) {
        uint p = l / WIDTH, q = l % WIDTH;
        @TYPE@ g = products[p * PITCH + q];
        if (p < q && is_turned(@SQUARE@, products[p * PITCH + p]@RE@, products[q * PITCH + q]@RE@))
            atomicOr(rotations, 1u);
    }
    barrier();
    return rotations != 0u;
}

void rotate(uint lid)
{
    for (uint sweep = 0u; sweep < @SWEEPS@u; sweep++) {
        if (!are_any(lid))
            break;
        for (uint turn = 0u; turn + 1u < WIDTH; turn++) {
            for (uint pair = lid; pair < PAIRS; pair += @GROUP@u)
                choose(pair, turn);
            barrier();
            for (uint l = lid; l < PAIRS * PAIRS; l += @GROUP@u)
                turn_products(l / PAIRS, l % PAIRS, turn);
            for (uint l = lid; l < PAIRS * WIDTH; l += @GROUP@u)
                turn_row(l / PAIRS, l % PAIRS, turn);
            barrier();
        }
    }
}
