//! The registers of attention, where threads compute its products by themselves.
//! needs: COLUMNS: results of a thread
//! provides: tm, tn: the thread's rows and columns of a tile, in fours; most: the greatest of its
//!   rows; part, rest: the sums of its weights, and what rounding took from them; sums: its results
//! threads: 256
uint tn = lid % 16u, tm = lid / 16u;
float most[4], part[4], all[4], rest[4], sums[@COLUMNS@];
[[unroll]] for (uint i = 0u; i < 4u; i++) {
    most[i] = uintBitsToFloat(0xff800000u);
    all[i] = rest[i] = 0.0;
}
[[unroll]] for (uint i = 0u; i < @COLUMNS@u; i++)
    sums[i] = 0.0;
