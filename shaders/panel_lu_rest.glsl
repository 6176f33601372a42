//! What is right of a block of columns that is eliminated: changed once, for all of its pivots.
//! needs: panel_lu.glsl; x and done of the thread's rows; BLOCK RIGHT UPPER SETTLE NEXT LESS TURN SHIFT
//! threads: all of the workgroup, with their number lid
//! leaves: no barrier behind the reads of upper
        if (start + @BLOCK@u < WIDTH) {
@UPPER@            barrier();
            if (lid < @RIGHT@) {
@SETTLE@            }
            barrier();
            [[dont_unroll]] for (uint c = 0u; c < @BLOCK@u; c++) {
@NEXT@@LESS@            }
        }
@TURN@@SHIFT@