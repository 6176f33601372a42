//! Columns of a matrix eliminated with partial pivoting: what threads that have the rows in registers share.
//! needs: TYPE QUAD GROUP WIDTH ROWS CHUNK BLOCK PARTS PRECISE FUSED MAGNITUDE
//! provides: less(TYPE, TYPE, TYPE) less(QUAD, TYPE, QUAD) put_corner(uint, uint, QUAD) magnitude(TYPE, uint) key_of(int, uint)
//!   row_of(uint) place_of(uint) forget(uint) invert(uint)
//! threads: all of the workgroup, with their number
//! leaves: invert: a barrier behind the inverse of the unit lower triangle in corner, in inverse
// The greatest magnitude is found as integers of the same order, high words first. Every NaN counts as the greatest, as
// in Nx's argmax. Of rows that have it, the one of the lowest place is found by keys, and what it has in the columns of
// the block lies in stage by then: every thread that has such a row offers one.
const uint WIDTH = @WIDTH@u, ROWS = @ROWS@u, CHUNK = @CHUNK@u, PARTS = @PARTS@u, PITCH = WIDTH + 1u;
const uint QUADS = (WIDTH + 3u) / 4u;
shared @QUAD@ upper[@BLOCK@u * QUADS]; // the pivot rows of a block, right of it
shared uint greatest[PARTS * WIDTH];   // of each column
shared uint earliest[WIDTH];           // key of the row that is the pivot
shared uint pivots[WIDTH];
shared @TYPE@ stage[CHUNK * PITCH];   // rows on their way between memory and registers
shared @TYPE@ corner[WIDTH * PITCH];  // the pivot rows
shared @TYPE@ inverse[WIDTH * PITCH]; // below the diagonal

// x - l p; rounded once where that is as quick.
@TYPE@ less(@TYPE@ x, @TYPE@ l, @TYPE@ p)
{
#ifdef @FUSED@
    return @FUSED@(-l, p, x);
#else
    @PRECISE@@TYPE@ rest = x - l * p;
    return rest;
#endif
}

@QUAD@ less(@QUAD@ x, @TYPE@ l, @QUAD@ p)
{
    return @QUAD@(less(x.x, l, p.x), less(x.y, l, p.y), less(x.z, l, p.z), less(x.w, l, p.w));
}

uint magnitude(@TYPE@ x, uint part)
{
    @MAGNITUDE@
}

// The lower its place, the greater the key of a row, which is never 0. There are 2^15 rows at most.
uint key_of(int place, uint row)
{
    return ROWS - uint(place) << 16 | row;
}

uint row_of(uint key)
{
    return key & 0xffffu;
}

int place_of(uint key)
{
    return int(ROWS - (key >> 16));
}

void forget(uint lid)
{
    for (uint i = lid; i < PARTS * WIDTH; i += @GROUP@u)
        greatest[i] = 0u;
    for (uint i = lid; i < WIDTH; i += @GROUP@u)
        earliest[i] = 0u;
}

// Columns w to w + 3 of the row that is pivot k.
void put_corner(uint k, uint w, @QUAD@ x)
{
    uint to = k * PITCH + w;
    if (w < WIDTH)
        corner[to] = x.x;
    if (w + 1u < WIDTH)
        corner[to + 1u] = x.y;
    if (w + 2u < WIDTH)
        corner[to + 2u] = x.z;
    if (w + 3u < WIDTH)
        corner[to + 3u] = x.w;
}

// By halves: of [A 0; L B] it is [1/A 0; -1/B L 1/A, 1/B]. What is right of 1/A has L 1/A, turned.
void invert(uint lid)
{
    for (uint bits = 0u; 1u << bits < WIDTH; bits++) {
        uint size = 1u << bits, all = (WIDTH + size - 1u >> bits + 1u) << 2u * bits;
        for (uint l = lid; l < all; l += @GROUP@u) {
            uint first = l >> 2u * bits << bits + 1u, middle = first + size;
            uint i = middle + (l >> bits & size - 1u), j = first + (l & size - 1u);
            if (i < WIDTH) {
                @TYPE@ x = corner[i * PITCH + j];
                for (uint k = j + 1u; k < middle; k++)
                    x = less(x, -corner[i * PITCH + k], inverse[k * PITCH + j]);
                inverse[j * PITCH + i] = x;
            }
        }
        barrier();
        for (uint l = lid; l < all; l += @GROUP@u) {
            uint first = l >> 2u * bits << bits + 1u, middle = first + size;
            uint i = middle + (l >> bits & size - 1u), j = first + (l & size - 1u);
            if (i < WIDTH) {
                @TYPE@ x = -inverse[j * PITCH + i];
                for (uint k = middle; k < i; k++)
                    x = less(x, inverse[i * PITCH + k], inverse[j * PITCH + k]);
                inverse[i * PITCH + j] = x;
            }
        }
        barrier();
    }
}
