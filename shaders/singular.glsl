//! Singular values and vectors of matrices A of ROWS rows and COLUMNS columns, no more. Reflections make A = Q R, and
//!   one-sided Jacobi makes the rows of R orthogonal, by J: J* R = S V*, U = Q J.
//! needs: jacobi.glsl, jacobi_angle.glsl; nx_sqrt and nx_div of TYPE; TYPE ROWS COLUMNS WANTED LANES EACH SLOTS SWEEPS
//!   EPS TINY
//! provides: start reflect keep rotate measure complete element_of
//! threads: all of the workgroup: LANES a matrix, EACH matrices, with their numbers
//! leaves: what is said of each
// A thread has a column of [A I] in registers, of which reflections make [R Q*]. Of that the first COLUMNS rows are the
// vectors of the rotations, since these turn the columns of Q as they do the rows of R.
const uint ROWS = @ROWS@u, COLUMNS = @COLUMNS@u, WANTED = @WANTED@u, LANES = @LANES@u, SLOTS = @SLOTS@u;
const uint LENGTH = COLUMNS + ROWS, PITCH = LENGTH | 1u, SIZE = WIDTH * PITCH;
const uint SHARES = LANES / PAIRS, OWN = (LENGTH + SHARES - 1u) / SHARES; // threads of a pair; elements of one
shared @TYPE@ vectors[@EACH@u * SLOTS]; // in one of two places, by turns; behind them the other rows of Q*
shared @TYPE@ stage[@EACH@u * 2u * (ROWS + 1u)]; // a column below its diagonal, and the element on that; two by turns
shared @TYPE@ lengths[@EACH@u * WIDTH];          // singular values
shared @TYPE@ over_left[@EACH@u * WIDTH];        // what makes columns of U, and of V, of length 1
shared @TYPE@ over_right[@EACH@u * WIDTH];
shared uint order[@EACH@u * WIDTH]; // vectors by length, descending
shared uint far[@EACH@u];           // whether vectors are far from orthogonal in the last sweep
shared uint moving[2];              // the number of the last even sweep, and odd one, that turned any
shared uint lacking[1];             // whether any vector has no direction

@TYPE@ root(@TYPE@ x)
{
    return QUICK ? sqrt(x) : nx_sqrt(x);
}

@TYPE@ quotient(@TYPE@ x, @TYPE@ y)
{
    return QUICK ? x / y : nx_div(x, y);
}

// Whether a value is more than rounding, beside the greatest one.
bool has_direction(@TYPE@ value, @TYPE@ most)
{
    return value > most * @EPS@ * @TYPE@(COLUMNS);
}

// Before all else; behind it a barrier is left out, which reflect has.
void start(uint lid, uint matrix, uint lane)
{
    if (lane == 0u)
        far[matrix] = 0u;
    if (lid == 0u) {
        moving[0] = 0u;
        moving[1] = 0u;
        lacking[0] = 0u;
    }
}

// Makes the first COLUMNS columns triangular; a thread has one column of all, x. The diagonal is not negative but where
// there is nothing to reflect.
void reflect(uint matrix, uint column, inout @TYPE@ x[ROWS])
{
    for (uint k = 0u; k < COLUMNS; k++) {
        uint at = (2u * matrix + (k & 1u)) * (ROWS + 1u);
        if (column == k) {
            [[unroll]] for (uint i = 0u; i < ROWS; i++) {
                stage[at + i] = i > k ? x[i] : 0.0;
                if (i == k)
                    stage[at + ROWS] = x[i];
            }
        }
        barrier();
        @TYPE@ top = stage[at + ROWS], below = 0.0, along = 0.0, own = 0.0, first = 0.0, by = 0.0;
        [[unroll]] for (uint i = 0u; i < ROWS; i++) {
            @TYPE@ v = stage[at + i];
            below += v * v;
            along += v * x[i];
            own = i == k ? x[i] : own;
        }
        if (below > @TINY@) {
            @TYPE@ norm = root(below + top * top);
            first = top <= 0.0 ? top - norm : -quotient(below, top + norm);
            by = quotient(2.0 * (along + first * own), below + first * first);
            top = norm;
        }
        [[unroll]] for (uint i = 0u; i < ROWS; i++) {
            @TYPE@ y = x[i] - by * (i == k ? first : stage[at + i]);
            x[i] = column == k && i >= k ? (i == k ? top : 0.0) : y;
        }
    }
}

// A thread's column, where rotate takes it; behind it a barrier.
void keep(uint matrix, uint column, @TYPE@ x[ROWS])
{
    uint base = matrix * SLOTS;
    if (column < LENGTH) {
        [[unroll]] for (uint i = 0u; i < ROWS; i++)
            if (i < COLUMNS)
                vectors[base + i * PITCH + column] = x[i];
            else if (i < WANTED && column >= COLUMNS)
                vectors[base + 2u * SIZE + (i - COLUMNS) * ROWS + column - COLUMNS] = x[i];
        for (uint i = COLUMNS; i < WIDTH; i++)
            vectors[base + i * PITCH + column] = 0.0;
    }
    barrier();
}

// Turns vectors until all are orthogonal in a sweep. Gives where they are.
uint rotate(uint matrix, uint lane)
{
    uint pair = lane / SHARES, share = lane % SHARES, from = matrix * SLOTS, to = from + SIZE;
    meeting now = meeting(PAIRS, 0u, 0u);
    for (uint sweep = 0u; sweep < @SWEEPS@u; sweep++) {
        for (now.apart = PAIRS; now.apart >= LEAST; now.apart /= 2u)
            for (now.turn = 0u; now.turn < now.apart; now.turn++) {
                uint p = first_of(pair, now) * PITCH, q = second_of(pair, now) * PITCH;
                @TYPE@ g = 0.0, a = 0.0, d = 0.0, c = 1.0, s = 0.0, e;
                [[unroll]] for (uint k = 0u; k < COLUMNS; k++) {
                    @TYPE@ x = vectors[from + p + k], y = vectors[from + q + k];
                    g += x * y;
                    a += x * x;
                    d += y * y;
                }
                @TYPE@ square = g * g;
                if (is_turned(square, a, d)) {
#include "jacobi_angle.glsl"
                    if (share == 0u)
                        atomicMax(moving[sweep & 1u], sweep + 1u);
                    if (share == 0u && sweep + 1u == @SWEEPS@u && square > 1.0e-7 * a * d)
                        atomicOr(far[matrix], 1u);
                }
                [[unroll]] for (uint r = 0u; r < OWN; r++) {
                    uint k = r * SHARES + share;
                    if (k < LENGTH) {
                        @TYPE@ x = vectors[from + p + k], y = vectors[from + q + k];
                        vectors[to + p + k] = c * x - s * y;
                        vectors[to + q + k] = s * x + c * y;
                    }
                }
                uint next = from;
                from = to;
                to = next;
                barrier();
            }
        if (moving[sweep & 1u] != sweep + 1u)
            break;
    }
    return from;
}

// Values and their order; behind it a barrier.
void measure(uint matrix, uint lane, uint from)
{
    uint base = matrix * WIDTH, v = base + lane;
    if (lane < COLUMNS) {
        @TYPE@ right = 0.0, left = 0.0;
        [[unroll]] for (uint k = 0u; k < LENGTH; k++) {
            @TYPE@ x = vectors[from + lane * PITCH + k];
            if (k < COLUMNS)
                right += x * x;
            else
                left += x * x;
        }
        @TYPE@ length = root(left);
        right = root(right);
        lengths[v] = quotient(right, length);
        over_left[v] = quotient(1.0, length);
        over_right[v] = right > 0.0 ? quotient(1.0, right) : 0.0;
    }
    barrier();
    if (lane < COLUMNS) {
        // of a matrix that is not finite, too, places are all different
        @TYPE@ own = lengths[v] > 0.0 ? lengths[v] : 0.0;
        uint place = 0u;
        for (uint i = 0u; i < COLUMNS; i++) {
            @TYPE@ other = lengths[base + i] > 0.0 ? lengths[base + i] : 0.0;
            place += uint(other > own || (other == own && i < lane));
        }
        order[base + place] = lane;
    }
    barrier();
}

// Vectors of V where A gives them no direction: those of the Q of V, in which they are zeros, orthogonal to all others.
// Behind it a barrier.
void complete(uint matrix, uint lane, uint from)
{
    uint base = matrix * WIDTH;
    @TYPE@ x[ROWS], most = lengths[base + order[base]];
    if (lane < COLUMNS && !has_direction(lengths[base + lane], most))
        atomicOr(lacking[0], 1u);
    barrier();
    if (lacking[0] == 0u)
        return;
    uint v = order[base + lane % COLUMNS];
    bool is_some = lane < COLUMNS && has_direction(lengths[base + v], most);
    [[unroll]] for (uint i = 0u; i < ROWS; i++) {
        x[i] = lane == COLUMNS + i ? 1.0 : 0.0;
        if (is_some && i < COLUMNS)
            x[i] = vectors[from + v * PITCH + i] * over_right[base + v];
    }
    reflect(matrix, lane, x);
    if (lane >= COLUMNS && lane < 2u * COLUMNS) {
        [[unroll]] for (uint i = 0u; i < COLUMNS; i++) {
            v = order[base + i];
            if (!has_direction(lengths[base + v], most)) {
                vectors[from + v * PITCH + lane - COLUMNS] = x[i];
                if (lane == COLUMNS)
                    over_right[base + v] = 1.0;
            }
        }
    }
    barrier();
}

// Element j of row i of the result: a column of U, one of V, and the value.
@TYPE@ element_of(uint matrix, uint i, uint j, uint from)
{
    if (i >= COLUMNS)
        return j < ROWS ? vectors[matrix * SLOTS + 2u * SIZE + (i - COLUMNS) * ROWS + j] : 0.0;
    uint v = order[matrix * WIDTH + i], at = from + v * PITCH;
    v += matrix * WIDTH;
    if (j < ROWS)
        return vectors[at + COLUMNS + j] * over_left[v];
    if (j < LENGTH)
        return vectors[at + j - ROWS] * over_right[v];
    return far[matrix] != 0u ? -1.0 : lengths[v];
}
