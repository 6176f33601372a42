//! A tile of the rows of two blocks of a matrix, and of half as many columns, turned by rotations: from the left, or
//!   from both sides.
//! needs: for complex types nx_mul and nx_conj; TYPE WIDTH EACH ONE ZERO PRODUCT CONJUGATE DIFFERENT
//!   PAIRS
//! provides: place_of, moved, put_turn_right, put_turn_left, multiply, turn_from_right, turn_from_left
//! threads: all of the workgroup, with their number; put_* are for one element each
//! leaves: in `sums` the thread's results: of row lid / ACROSS + (WIDTH / EACH) q and column
//!   lid % ACROSS + ACROSS r at [q * EACH + r]
const uint WIDTH = @WIDTH@u, HALF = WIDTH / 2u, PAIRS = @PAIRS@u, EACH = @EACH@u;
const uint ACROSS = HALF / EACH, DOWN = WIDTH / EACH, PITCH = WIDTH + 1u;
shared @TYPE@ left[WIDTH * PITCH];  // of row k and column i of the left factor at [i * PITCH + k], or the turns' own
shared @TYPE@ right[WIDTH * HALF];  // of row i and column j of the right factor at [i * HALF + j]
shared uint is_left[1], is_right[1]; // whether the turns on that side are any

@TYPE@ times(@TYPE@ x, @TYPE@ y)
{
    return @PRODUCT@;
}

@TYPE@ conjugate(@TYPE@ x)
{
    return @CONJUGATE@;
}

bool differ(@TYPE@ x, @TYPE@ y)
{
    return @DIFFERENT@;
}

// The row of vector i of a pair.
uint place_of(uint pair, uint i)
{
    return (i < HALF ? pair : PAIRS + pair) * HALF + i % HALF;
}

// Where it stands in the next round: the first block stays, the others go up one row and back along the other.
uint moved(uint pair, uint i)
{
    uint to;
    if (i < HALF)
        to = pair == 0u ? 0u : pair + 1u < PAIRS ? pair + 1u : 2u * PAIRS - 1u;
    else
        to = pair > 0u ? PAIRS + pair - 1u : PAIRS > 1u ? 1u : PAIRS;
    return to * HALF + i % HALF;
}

// Element (i, j) of the turns of the rows, and of columns from `first` on; whether there have been any.
void put_turn_left(uint i, uint j, @TYPE@ x, inout bool are_any)
{
    left[i * PITCH + j] = x;
    are_any = are_any || differ(x, i == j ? @ONE@ : @ZERO@);
}

void put_turn_right(uint i, uint j, uint first, @TYPE@ x, inout bool are_any)
{
    right[i * HALF + j] = conjugate(x);
    are_any = are_any || differ(x, i == first + j ? @ONE@ : @ZERO@);
}

void multiply(uint lid, inout @TYPE@ sums[EACH * EACH])
{
    uint row = lid / ACROSS, column = lid % ACROSS;
    [[unroll]] for (uint i = 0u; i < EACH * EACH; i++)
        sums[i] = @ZERO@;
    for (uint k = 0u; k < WIDTH; k++) {
        @TYPE@ x[EACH], y[EACH];
        [[unroll]] for (uint q = 0u; q < EACH; q++) {
            x[q] = left[k * PITCH + row + DOWN * q];
            y[q] = right[k * HALF + column + ACROSS * q];
        }
        [[unroll]] for (uint q = 0u; q < EACH; q++)
            [[unroll]] for (uint r = 0u; r < EACH; r++)
                sums[q * EACH + r] += times(x[q], y[r]);
    }
}

// With a tile in `left`, and the turns of the columns from `first` on in `right`.
void turn_from_right(uint lid, uint first, inout @TYPE@ sums[EACH * EACH])
{
    uint row = lid / ACROSS, column = lid % ACROSS;
    if (is_right[0] != 0u) {
        multiply(lid, sums);
    } else {
        [[unroll]] for (uint q = 0u; q < EACH; q++)
            [[unroll]] for (uint r = 0u; r < EACH; r++)
                sums[q * EACH + r] = left[(first + column + ACROSS * r) * PITCH + row + DOWN * q];
    }
    barrier();
    [[unroll]] for (uint q = 0u; q < EACH; q++)
        [[unroll]] for (uint r = 0u; r < EACH; r++)
            right[(row + DOWN * q) * HALF + column + ACROSS * r] = sums[q * EACH + r];
}

// With the turns of the rows in `left`, and a tile in `right`.
void turn_from_left(uint lid, inout @TYPE@ sums[EACH * EACH])
{
    if (is_left[0] != 0u) {
        multiply(lid, sums);
    } else {
        [[unroll]] for (uint q = 0u; q < EACH; q++)
            [[unroll]] for (uint r = 0u; r < EACH; r++)
                sums[q * EACH + r] = right[(lid / ACROSS + DOWN * q) * HALF + lid % ACROSS + ACROSS * r];
    }
}
