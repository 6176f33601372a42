//! Some columns of a panel eliminated, in blocks: FIRST to END, with the columns from FIRST on in registers.
//! needs: panel_lu.glsl; x, place, is_on and done of the thread's rows; FIRST END BLOCK START TOP KEEP KEY OFFER
//!   PIVOT TAKE UPDATE CORNER_ROW REST GATHER
//! threads: all of the workgroup, with their number lid
//! leaves: no barrier behind the last reads of stage and upper
// A step ends with the columns of the block turned by one, so that the next one to eliminate is the first: no name
// depends on k.
    [[dont_unroll]] for (uint start = @FIRST@u; start < @END@u; start += @BLOCK@u) {
        [[dont_unroll]] for (uint step = 0u; step < @BLOCK@u; step++) {
            uint k = start + step, key = 0u;
@START@            for (uint part = 0u; part < PARTS; part++) {
                uint top = 0u;
@TOP@                atomicMax(greatest[part * WIDTH + k], top);
                barrier();
                top = greatest[part * WIDTH + k];
@KEEP@            }
@KEY@            if (key != 0u) {
                atomicMax(earliest[k], key);
@OFFER@            }
            barrier();
            key = earliest[k];
            uint row = row_of(key);
            int from = place_of(key);
@PIVOT@@TAKE@@UPDATE@            if (lid == 0u) {
                pivots[k] = row;
@CORNER_ROW@            }
        }
@REST@    }
@GATHER@