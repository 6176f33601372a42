//! Columns of a matrix made triangular by Householder reflections: what threads that have them in registers share.
//! needs: nx_sqrt and nx_div of TYPE; TYPE QUAD GROUP WIDTH LANES FOURS ROWS CHUNK EPS LEAST QUICK PRECISE FUSED
//! provides: more(TYPE, TYPE, TYPE) more(QUAD, QUAD, QUAD) element(QUAD, uint)
//!   below(QUAD, uint, uint) mirror_of(TYPE, TYPE) start(uint) put_sum(uint, uint, QUAD) total(uint)
//! threads: all of the workgroup: LANES a column
//! leaves: no barrier
// The reflection of a column x is I - tau v v^T, v with a one at row k. Below it v is x / first, where first is
// x[k] - |x|, computed so that nothing cancels, and tau = -first / |x|. So v^T y = y[k] + (x^T y below k) / first, and
// y - tau v (v^T y) is y + x (v^T y) / |x| below k: one sum for each column, and none waits for another. Of columns
// already reflected the same sum is v_j^T v_k, of which T is made: T[i][k] = -tau_k sum of T[i][j] v_j^T v_k.
const uint WIDTH = @WIDTH@u, LANES = @LANES@u, FOURS = @FOURS@u, ROWS = @ROWS@u, CHUNK = @CHUNK@u;
const bool QUICK = @QUICK@; // the driver's roots and quotients do: nothing overflows, what underflows is lost beside 1
const uint PITCH = WIDTH + 1u, QUADS = (LANES + 3u) / 4u;
shared @QUAD@ column[2u * LANES * FOURS]; // of steps by turns, since they are read until the next one's barrier
shared @TYPE@ top[2u * WIDTH];            // row k of every column
shared @QUAD@ sums[WIDTH * QUADS];        // what lanes have
shared @TYPE@ along[WIDTH * WIDTH + WIDTH]; // v_j^T v_k at j < k, zeros elsewhere
shared @TYPE@ triangle[WIDTH * WIDTH];    // T
shared @TYPE@ taus[WIDTH];
shared @TYPE@ stage[CHUNK * PITCH]; // rows on their way between memory and registers

// s + a b; rounded once where that is as quick.
@TYPE@ more(@TYPE@ s, @TYPE@ a, @TYPE@ b)
{
#ifdef @FUSED@
    return @FUSED@(a, b, s);
#else
    @PRECISE@@TYPE@ sum = s + a * b;
    return sum;
#endif
}

@QUAD@ more(@QUAD@ s, @QUAD@ a, @QUAD@ b)
{
    return @QUAD@(more(s.x, a.x, b.x), more(s.y, a.y, b.y), more(s.z, a.z, b.z), more(s.w, a.w, b.w));
}

@TYPE@ element(@QUAD@ x, uint i)
{
    return i < 2u ? (i == 0u ? x.x : x.y) : i == 2u ? x.z : x.w;
}

bvec4 is_below(uint row, uint k)
{
    return greaterThan(uvec4(row, row + 1u, row + 2u, row + 3u), uvec4(k));
}

// Rows from `row` on, zeros up to k.
@QUAD@ below(@QUAD@ x, uint row, uint k)
{
    return mix(@QUAD@(0.0), x, is_below(row, k));
}

struct mirror {
    @TYPE@ tau, norm, over_first, over_norm;
};

// Of x at k and the squares below it. Nothing is done where those are lost beside x. Where they are so small that some
// may have underflowed, of which there are 4096 at most, they are left out, since a tau of other squares than those of v
// would leave Q far from orthogonal: elements are near 1 or less, so that is far below rounding, and x gets its sign.
mirror mirror_of(@TYPE@ x, @TYPE@ squares)
{
    if (squares <= @EPS@ * @EPS@ * x * x)
        return mirror(0.0, x, 0.0, 0.0);
    if (squares <= @LEAST@)
        return mirror(x < 0.0 ? 2.0 : 0.0, abs(x), 0.0, 0.0);
    @TYPE@ square = more(squares, x, x);
    bool is_negative = x <= 0.0;
    if (QUICK) {
        @TYPE@ over_norm = inversesqrt(square), norm = sqrt(square), sum = is_negative ? x - norm : x + norm;
        @TYPE@ first = is_negative ? sum : -squares / sum;
        return mirror(-first * over_norm, norm, is_negative ? 1.0 / sum : -sum / squares, over_norm);
    }
    @TYPE@ norm = nx_sqrt(square), over_norm = nx_div(1.0, norm);
    @TYPE@ first = is_negative ? x - norm : nx_div(-squares, x + norm);
    return mirror(-first * over_norm, norm, nx_div(1.0, first), over_norm);
}

void start(uint lid)
{
    for (uint i = lid; i < WIDTH * QUADS; i += @GROUP@u)
        sums[i] = @QUAD@(0.0);
    for (uint i = lid; i < WIDTH * WIDTH + WIDTH; i += @GROUP@u)
        along[i] = 0.0;
}

void put_sum(uint i, uint lane, @QUAD@ s)
{
    sums[i * QUADS + lane / 4u][lane % 4u] = (s.x + s.y) + (s.z + s.w);
}

@TYPE@ total(uint i)
{
    @QUAD@ s = sums[i * QUADS];
    [[unroll]] for (uint q = 1u; q < QUADS; q++)
        s += sums[i * QUADS + q];
    return (s.x + s.y) + (s.z + s.w);
}
