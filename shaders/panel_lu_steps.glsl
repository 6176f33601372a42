//! Some columns of a panel eliminated: steps FIRST to END, with the columns from FIRST on in registers.
//! needs: panel_lu.glsl; x, place, is_on and done of the thread's rows; FIRST END GROUP LOOP TYPE START TOP KEEP
//!   EARLIEST TAKE PIVOT UPDATE GATHER
//! threads: all of the workgroup, with their number lid
//! leaves: no barrier behind the last step's reads of pivot
// A step ends with the columns turned by one, so that the next one to eliminate is the first: no name depends on k.
    @LOOP@for (uint k = @FIRST@u; k < @END@u; k++) {
@START@        for (uint part = 0u; part < PARTS; part++) {
            uint top = 0u;
@TOP@            atomicMax(greatest[part * SLOTS + lid % SLOTS], top);
            barrier();
            top = greatest_of(part);
@KEEP@        }
@EARLIEST@        barrier();
        int from = int(ROWS - earliest[0]);
        forget(lid);
@TAKE@        barrier();
        if (lid == 0u)
            earliest[0] = 0u;
        for (uint i = lid; i < (WIDTH - k + 3u) / 4u; i += @GROUP@u)
            put_corner(k, 4u * i, pivot[i]);
@PIVOT@        @TYPE@ divisor = p0.x;
@UPDATE@    }
@GATHER@