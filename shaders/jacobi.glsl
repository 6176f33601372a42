//! Rotations of pairs of vectors x_i that make them orthogonal to each other (one-sided Jacobi), found on the matrix
//!   of their products; or that make a Hermitian matrix diagonal, which is the same.
//! needs: nx_sqrt and nx_div of REAL, for complex types nx_mul and nx_conj; TYPE REAL WIDTH LEAST QUICK ONE CONJUGATE
//!   TURNED SQUARE SIZE ROOT PHASE TURNING
//! provides: meeting rotation first_of(uint, meeting) second_of(uint, meeting) conjugate(TYPE) turned(TYPE, TYPE)
//!   is_turned(REAL, REAL, REAL) choose(TYPE, REAL, REAL, rotation)
//! threads: each by itself
// With g = <x_p, x_q>, a = <x_p, x_p>, d = <x_q, x_q> and e = g / |g|, the vectors c x_p - s conj(e) x_q and
// s x_p + c conj(e) x_q have product 0 for t = s / c the smaller root of t^2 + 2 z t = 1, z = (d - a) / (2 |g|). Of
// real numbers e is left out, and z has the sign of g.
// WIDTH / 2 disjoint pairs turn at a time. First the vectors of one half meet those of the other, each once, then
// halves of halves, down to blocks of 2 LEAST vectors: WIDTH - 1 steps with 1, WIDTH / 2 with WIDTH / 2.
const uint WIDTH = @WIDTH@u, PAIRS = WIDTH / 2u, LEAST = @LEAST@u;
const bool QUICK = @QUICK@; // the driver's roots and quotients do: angles need not be exact, and what is too large is 0

// A step: vectors of a pair are in the halves of a block of 2 `apart`, the second ones moved on by `turn`.
struct meeting {
    uint apart, turn;
};

struct rotation {
    @REAL@ c, s;
    @TYPE@ phase; // conj(e)
};

@TYPE@ conjugate(@TYPE@ x)
{
    return @CONJUGATE@;
}

// conj(e) x
@TYPE@ turned(@TYPE@ phase, @TYPE@ x)
{
    return @TURNED@;
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

// For g = <x_p, x_q>, a = <x_p, x_p>, d = <x_q, x_q>. Whether the pair is to be turned; else nothing is.
bool choose(@TYPE@ g, @REAL@ a, @REAL@ d, out rotation by)
{
    @REAL@ square = @SQUARE@;
    by = rotation(1.0, 0.0, @ONE@);
    if (!is_turned(square, a, d))
        return false;
    @REAL@ size, t;
    if (QUICK) {
        size = @SIZE@;
        @REAL@ z = (d - a) / (2.0 * size);
        t = (z >= 0.0 ? 1.0 : -1.0) / (abs(z) + sqrt(1.0 + z * z));
        by.c = inversesqrt(1.0 + t * t);
    } else {
        size = @ROOT@;
        @REAL@ z = nx_div(d - a, 2.0 * size);
        t = nx_div(z >= 0.0 ? 1.0 : -1.0, abs(z) + nx_sqrt(1.0 + z * z));
        by.c = nx_div(1.0, nx_sqrt(1.0 + t * t));
    }
    by.s = by.c * t;
    by.phase = conjugate(@PHASE@);
    return true;
}
