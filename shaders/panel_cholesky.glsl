//! Cholesky factors L of Hermitian matrices A = L L*, and if asked for their inverses, in shared
//!   memory; or X of X L* = C.
//! needs: nx_sqrt and nx_div of REAL, for complex types nx_mul and nx_conj; TYPE REAL ORDER TALL
//!   PITCH SIZE SLOTS BLOCK ROWS PARTS TOGETHER INVERSE TINY QUICK RE ZERO LESS CONJ BY FUSED PRECISE, and the
//!   statements DIAGONAL COLUMNS SOLVE KEEP FIRST REST; matrix m in tile[m * SIZE + i * PITCH + j],
//!   the lower triangle (i >= j) of A, zeros above it, and
//!   TALL - ORDER rows of C below it
//! provides: factor(uint, uint) factor_at(uint, uint, uint) inverse_at(uint, uint, uint)
//! threads: factor: all of the workgroup, with m * SIZE and their number among the ROWS * PARTS of
//!   matrix m
//! leaves: a barrier behind what factor_at and inverse_at read. They give element (i, j) of L, and
//!   of its inverse
// Right-looking, BLOCK columns and three barriers a step. Every thread with a row factors the block on the diagonal for
// itself, so that none waits for another's pivot; then solves x L* = a for its row a; then all rows lose their products
// with the block's columns. The inverse is such rows, too: those of the identity, which become L^-* row by row, above
// the diagonal of the tile.
// A pivot below zero gives NaN from its column on; columns before it are right. A pivot of exactly zero divides as
// 1e-10, so that a matrix of lower rank has zeros where Nx's expansion has them.
const uint ORDER = @ORDER@u, TALL = @TALL@u, PITCH = @PITCH@u, SIZE = @SIZE@u, BLOCK = @BLOCK@u;
const uint ROWS = @ROWS@u, PARTS = @PARTS@u; // threads of a matrix: so many rows at a time, so many a row
const uint TOGETHER = @TOGETHER@u; // elements of a row that a thread changes at once
const bool INVERSE = @INVERSE@;

const bool QUICK = @QUICK@; // the driver's roots and quotients do; a subnormal pivot counts as zero
shared @TYPE@ tile[@SLOTS@];

@REAL@ inverse_of(@REAL@ root)
{
    @REAL@ divisor = root == 0.0 ? @TINY@ : root;
    return QUICK ? 1.0 / divisor : nx_div(1.0, divisor);
}

void root_of(@REAL@ x, out @REAL@ root, out @REAL@ inverse)
{
    if (QUICK) {
        root = x > 0.0 ? sqrt(x) : x == 0.0 ? 0.0 : NX_NAN;
        inverse = x > 0.0 ? inversesqrt(x) : x == 0.0 ? 1.0 / @TINY@ : NX_NAN;
    } else {
        root = nx_sqrt(x);
        inverse = inverse_of(root);
    }
}

// x - a b*; rounded once where that is as quick.
@TYPE@ less(@TYPE@ x, @TYPE@ a, @TYPE@ b)
{
#ifdef @FUSED@
    return @FUSED@(-a, b, x);
#else
    @PRECISE@@TYPE@ rest = x - @LESS@;
    return rest;
#endif
}

void factor(uint base, uint lane)
{
    // all rows; those of the identity in the block come last
    const uint LANES = ROWS * PARTS, COUNT = INVERSE ? ORDER + BLOCK : TALL;
    for (uint k = 0u; k < ORDER; k += BLOCK) {
        barrier();
@DIAGONAL@        if (lane < (INVERSE ? COUNT : COUNT - k)) {
@COLUMNS@        }
        barrier();
        for (uint row = (INVERSE ? 0u : k) + lane; row < COUNT; row += LANES) {
            bool is_unit = INVERSE && row >= ORDER;
            uint i = is_unit ? k + row - ORDER : row, at = base + i * PITCH + k;
            if (i >= TALL)
                break;
@SOLVE@@KEEP@        }
        barrier();
        if (k + BLOCK >= ORDER)
            break;
        for (uint i = (INVERSE ? 0u : k + BLOCK) + lane / PARTS; i < TALL; i += ROWS) {
            uint at = base + i * PITCH + k, most = i < k + BLOCK ? ORDER : min(i + 1u, ORDER);
            bool is_apart = i < k || i >= k + BLOCK;
            @REAL@ own = is_apart ? 0.0 : inverse_of(tile[base + i * (PITCH + 1u)]@RE@);
@FIRST@            for (uint j = k + BLOCK + lane % PARTS; j < most; j += TOGETHER * PARTS) {
                uint to = base + i * PITCH + j;
@REST@            }
        }
    }
}

@TYPE@ factor_at(uint base, uint i, uint j)
{
    return j > i ? @ZERO@ : tile[base + i * PITCH + j];
}

@TYPE@ inverse_at(uint base, uint i, uint j)
{
    @TYPE@ x = tile[base + j * PITCH + i];
    return j > i ? @ZERO@ : j < i ? @CONJ@ : @BY@;
}
