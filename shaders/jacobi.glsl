//! Vectors x_i made orthogonal to each other by rotations of pairs (one-sided Jacobi), found on the
//!   matrix of their products and applied to the vectors at the end.
//! needs: nx_sqrt and nx_div of REAL, for complex types nx_mul and nx_conj; TYPE REAL WIDTH CHUNK
//!   GROUP EACH SWEEPS LOOP TOLERANCE FLOOR ONE ZERO RE PRODUCT CONJUGATE SQUARE PHASE; chunk, in which
//!   element t of vector i is at [i * (CHUNK + 1) + t]
//! provides: add_products(uint) put_products(uint) rotate(uint) combined(uint, uint)
//! threads: all of the workgroup, with their number: for each chunk add_products, between barriers;
//!   put_products and rotate once; after that combined, of any vector and element of a chunk
//! leaves: combined gives the element of the new vector
// With g = <x_p, x_q>, a = <x_p, x_p>, d = <x_q, x_q> and e = g / |g|, the vectors c x_p - s conj(e) x_q and
// s x_p + c conj(e) x_q have product 0 for t = s / c the smaller root of t^2 + 2 z t = 1, z = (d - a) / (2 |g|).
// WIDTH / 2 disjoint pairs turn at a time, as in a tournament: WIDTH - 1 steps are a sweep. Pairs whose cosine is
// below TOLERANCE stay, and so do vectors of a squared length below FLOOR, which are nothing but rounding.
const uint WIDTH = @WIDTH@u, PAIRS = WIDTH / 2u, PITCH = WIDTH + 1u, CHUNK = @CHUNK@u;
shared @TYPE@ chunk[WIDTH * (CHUNK + 1u)];
shared @TYPE@ products[WIDTH * PITCH]; // of i and j at [i * PITCH + j]: sum of conj(x_i) x_j
shared @TYPE@ turns[WIDTH * PITCH];    // new vector j is the sum of turns[i * PITCH + j] x_i
shared @REAL@ cosines[PAIRS];
shared @REAL@ sines[PAIRS];
shared @TYPE@ phases[PAIRS]; // conj(e)
shared uint place[WIDTH];
shared uint rotations;
@TYPE@ sums[@EACH@];

@TYPE@ times(@TYPE@ x, @TYPE@ y)
{
    return @PRODUCT@;
}

@TYPE@ conjugate(@TYPE@ x)
{
    return @CONJUGATE@;
}

void add_products(uint lid)
{
    @LOOP@for (uint e = 0u; e < @EACH@u; e++) {
        uint at = e * @GROUP@u + lid, i = at / WIDTH * (CHUNK + 1u), j = at % WIDTH * (CHUNK + 1u);
        @TYPE@ sum = sums[e];
        @LOOP@for (uint t = 0u; t < CHUNK; t++)
            sum += times(conjugate(chunk[i + t]), chunk[j + t]);
        sums[e] = sum;
    }
}

void put_products(uint lid)
{
    @LOOP@for (uint e = 0u; e < @EACH@u; e++) {
        uint at = e * @GROUP@u + lid, i = at / WIDTH, j = at % WIDTH;
        products[i * PITCH + j] = sums[e];
        turns[i * PITCH + j] = i == j ? @ONE@ : @ZERO@;
    }
    barrier();
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

void choose(uint pair, uint turn)
{
    uint p = first_of(pair, turn), q = second_of(pair, turn);
    @TYPE@ g = products[p * PITCH + q];
    @REAL@ a = products[p * PITCH + p]@RE@, d = products[q * PITCH + q]@RE@, square = @SQUARE@;
    @REAL@ c = 1.0, s = 0.0;
    @TYPE@ e = @ONE@;
    if (square > @TOLERANCE@ * a * d && a > @FLOOR@ && d > @FLOOR@) {
        @REAL@ size = nx_sqrt(square), z = nx_div(d - a, 2.0 * size);
        @REAL@ t = nx_div(z >= 0.0 ? 1.0 : -1.0, abs(z) + nx_sqrt(1.0 + z * z));
        c = nx_div(1.0, nx_sqrt(1.0 + t * t));
        s = c * t;
        e = @PHASE@;
        atomicOr(rotations, 1u);
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

void rotate(uint lid)
{
    for (uint sweep = 0u; sweep < @SWEEPS@u; sweep++) {
        if (lid == 0u)
            rotations = 0u;
        barrier();
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
        uint any = rotations;
        barrier();
        if (any == 0u)
            break;
    }
}

@TYPE@ combined(uint vector, uint t)
{
    @TYPE@ sum = @ZERO@;
    @LOOP@for (uint i = 0u; i < WIDTH; i++)
        sum += times(turns[i * PITCH + vector], chunk[i * (CHUNK + 1u) + t]);
    return sum;
}
