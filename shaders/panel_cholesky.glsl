//! Cholesky factors L of Hermitian matrices A = L L*, and if asked for their inverses, in shared
//!   memory.
//! needs: nx_sqrt and nx_div of REAL, for complex types nx_mul and nx_conj; TYPE REAL RE ORDER
//!   PITCH SIZE SLOTS ROWS PARTS INVERSE OVER TINY ONE ZERO ROOT PRECISE PRODUCT; matrix m in
//!   tile[m * SIZE + i * PITCH + j], the lower triangle (i >= j) of A, and zeros above it
//! provides: factor(uint, uint) factor_at(uint, uint, uint) inverse_at(uint, uint, uint)
//! threads: factor: all of the workgroup, with m * SIZE and their number among the ROWS * PARTS of
//!   matrix m
//! leaves: a barrier behind what factor_at and inverse_at read. They give element (i, j) of L, and
//!   of its inverse
// Right-looking, a column and a barrier a step. In step k row i loses l[i][k] / root(k) times column k of A, and the
// same of row k of the inverse. Both lie in column k of the tile, since the inverse stands transposed above the
// diagonal. What is left in a place lacks the factor root(k) of its row or column.
// A pivot below zero gives NaN from its column on; columns before it are right. A pivot of exactly zero divides as
// 1e-10, so that a matrix of lower rank has zeros where Nx's expansion has them.
const uint ORDER = @ORDER@u, PITCH = @PITCH@u, SIZE = @SIZE@u;
const uint ROWS = @ROWS@u, PARTS = @PARTS@u; // threads of a matrix: so many rows at a time, so many a row
const bool INVERSE = @INVERSE@;
shared @TYPE@ tile[@SLOTS@];

@TYPE@ over(@TYPE@ x, @REAL@ d)
{
    return @OVER@;
}

@REAL@ root(uint base, uint k)
{
    return nx_sqrt(tile[base + k * (PITCH + 1u)]@RE@);
}

@REAL@ divisor(uint base, uint k)
{
    @REAL@ d = root(base, k);
    return d == 0.0 ? @TINY@ : d;
}

void factor(uint base, uint lane)
{
    barrier();
    for (uint k = 0u; k + 1u < ORDER; k++) {
        @REAL@ d = divisor(base, k);
        for (uint i = k + 1u + lane / PARTS; i < ORDER; i += ROWS) {
            @TYPE@ c = over(over(tile[base + i * PITCH + k], d), d);
            for (uint j = (INVERSE ? 0u : k + 1u) + lane % PARTS; j <= i; j += PARTS) {
                bool is_above = j <= k;
                uint at = is_above ? base + j * PITCH + i : base + i * PITCH + j;
                @TYPE@ x = j == k ? @ONE@ : tile[base + j * PITCH + k];
                @PRECISE@@TYPE@ rest = tile[at] - @PRODUCT@;
                tile[at] = rest;
            }
        }
        barrier();
    }
}

@TYPE@ factor_at(uint base, uint i, uint j)
{
    if (j >= i)
        return j == i ? @ROOT@ : @ZERO@;
    return over(tile[base + i * PITCH + j], divisor(base, j));
}

@TYPE@ inverse_at(uint base, uint i, uint j)
{
    if (j > i)
        return @ZERO@;
    return over(j == i ? @ONE@ : tile[base + j * PITCH + i], divisor(base, i));
}
