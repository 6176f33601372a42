//! Rotations of pairs of vectors x_i that make them orthogonal to each other (one-sided Jacobi), found on the matrix
//!   of their products; or that make a Hermitian matrix diagonal, which is the same.
//! needs: for complex types nx_conj; TYPE REAL WIDTH LEAST QUICK CONJUGATE TURNING
//! provides: meeting first_of(uint, meeting) second_of(uint, meeting) conjugate(TYPE) is_turned(REAL, REAL, REAL)
//! threads: each by itself
// With g = <x_p, x_q>, a = <x_p, x_p>, d = <x_q, x_q> and e = g / |g|, the vectors c x_p - s conj(e) x_q and
// s x_p + c conj(e) x_q have product 0 for t = s / c the smaller root of t^2 + 2 z t = 1, z = (d - a) / (2 |g|). Of
// real numbers e is left out, and z has the sign of g.
// WIDTH / 2 disjoint pairs turn at a time. First the vectors of one half meet those of the other, each once, then
// halves of halves, down to blocks of 2 LEAST vectors: WIDTH - 1 steps with 1, WIDTH / 2 with WIDTH / 2.
const uint WIDTH = @WIDTH@u, PAIRS = WIDTH / 2u, LEAST = @LEAST@u;
const bool QUICK = @QUICK@; // the driver's roots and quotients do: angles need not be exact, and what is too large is 0

// A step: vectors of a pair are in the halves of a block of 2 `apart`, the second ones moved on by `turn`. Where
// rotations of several steps are kept, this one's are those from `at` on.
struct meeting {
    uint apart, turn, at;
};

@TYPE@ conjugate(@TYPE@ x)
{
    return @CONJUGATE@;
}

uint first_of(uint pair, meeting m)
{
    return pair + (pair & ~(m.apart - 1u));
}

uint second_of(uint pair, meeting m)
{
    return 2u * (pair & ~(m.apart - 1u)) + m.apart + ((pair + m.turn) & (m.apart - 1u));
}

bool is_turned(@REAL@ square, @REAL@ a, @REAL@ d)
{
    return @TURNING@;
}
