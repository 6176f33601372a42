//! Columns of a matrix eliminated with partial pivoting: what threads that have the rows in registers share.
//! needs: TYPE QUAD GROUP WIDTH ROWS CHUNK PARTS PRECISE FUSED MAGNITUDE
//! provides: less(TYPE, TYPE, TYPE) put_corner(uint, uint, QUAD) magnitude(TYPE, uint) greatest_of(uint) forget(uint) invert(uint)
//! threads: all of the workgroup, with their number
//! leaves: invert: a barrier behind the inverse of the unit lower triangle in corner, in inverse
// The greatest magnitude is found as integers of the same order, high words first: the threads of a slot meet in an
// atomic, and every thread looks at all slots. Every NaN counts as the greatest, as in Nx's argmax.
const uint WIDTH = @WIDTH@u, ROWS = @ROWS@u, CHUNK = @CHUNK@u, PARTS = @PARTS@u, SLOTS = 8u, PITCH = WIDTH + 1u;
shared uint greatest[PARTS * SLOTS];
shared uint earliest[1]; // ROWS less the lowest place of a row that has it
shared @QUAD@ pivot[(WIDTH + 3u) / 4u];
shared uint pivots[WIDTH];
shared @TYPE@ stage[CHUNK * PITCH]; // rows on their way between memory and registers
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

uint magnitude(@TYPE@ x, uint part)
{
    @MAGNITUDE@
}

void forget(uint lid)
{
    for (uint i = lid; i < PARTS * SLOTS; i += @GROUP@u)
        greatest[i] = 0u;
}

uint greatest_of(uint part)
{
    uint top = 0u;
    [[unroll]] for (uint i = 0u; i < SLOTS; i++)
        top = max(top, greatest[part * SLOTS + i]);
    return top;
}

// Columns w to w + 3 of those from column k on, of the row that is pivot k.
void put_corner(uint k, uint w, @QUAD@ x)
{
    uint to = k * PITCH + k + w, left = WIDTH - k;
    corner[to] = x.x;
    if (w + 1u < left)
        corner[to + 1u] = x.y;
    if (w + 2u < left)
        corner[to + 2u] = x.z;
    if (w + 3u < left)
        corner[to + 3u] = x.w;
}

// Row i of the inverse loses corner[i][k] times row k of it, for all i > k at once.
void invert(uint lid)
{
    for (uint l = lid; l < WIDTH * WIDTH; l += @GROUP@u)
        inverse[l / WIDTH * PITCH + l % WIDTH] = 0.0;
    barrier();
    for (uint k = 0u; k + 1u < WIDTH; k++) {
        for (uint l = lid; l < (WIDTH - 1u - k) * (k + 1u); l += @GROUP@u) {
            uint i = k + 1u + l / (k + 1u), j = l % (k + 1u), at = i * PITCH + j;
            @TYPE@ x = j == k ? 1.0 : inverse[k * PITCH + j];
            inverse[at] = less(inverse[at], corner[i * PITCH + k], x);
        }
        barrier();
    }
}
