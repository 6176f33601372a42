/* How much fits a workgroup of a target: rows in shared memory that are sorted in runs, merged
   or scanned; matrices that are factored; values of workgroup programs. The passes that cut work
   to this size and the kernels that hold it must agree on these limits. */
#ifndef VKC_TARGET_LIMITS_H
#define VKC_TARGET_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Of a value that is stored: indices have 32 bits, and threads are rounded up to whole workgroups
   in whole rows of workgroups. */
#define LIMITS_ELEMENTS ((INT64_C(1) << 32) - (1 << 20))

/* Of a workgroup program: elements of a value, which one workgroup can hold and walk in a few
   microseconds, and elements that a reduction or product takes in, of which the tuning may allow
   fewer (program_work). */
enum { PROGRAM_ELEMENTS = 8192, PROGRAM_WORK = 1 << 20 };

/* Neighbouring elements of a thread: sorted, merged or scanned in registers. */
enum { LINES_EACH = 8 };

/* Bytes of shared memory that hold `elements`, of `bytes` each: one in 32 stays free, and a
   thread may look past the end. */
static inline uint32_t lines_slots(uint32_t elements)
{
    return elements + elements / 32 + LINES_EACH + 1;
}

/* The most elements, a power of two, that a workgroup of a target can hold when each takes
   `bytes`. */
static inline uint32_t lines_most(uint32_t invocations, uint32_t shared_bytes, uint32_t bytes)
{
    uint32_t most = LINES_EACH;
    enum { AROUND = 256, MOST_THREADS = 1024 }; /* for what else the kernel shares */
    while (2 * most <= LINES_EACH * invocations && 2 * most <= LINES_EACH * MOST_THREADS &&
           lines_slots(2 * most) * bytes + AROUND <= shared_bytes)
        most *= 2;
    return most;
}

static inline int64_t lines_ceil_power(int64_t n)
{
    int64_t p = LINES_EACH;
    while (p < n)
        p *= 2;
    return p;
}

/* Keys of a tile that a workgroup puts in the order of a digit: so many a thread, in registers. A
   digit is found four bits at a time, and a count of them has 16 bits. More threads than MOST has
   wait longer for each other; fewer than LEAST has are no whole tree of counts. */
enum { DIGITS_EACH = 16, DIGITS_RADIX = 256, DIGITS_LEAST = 1024, DIGITS_MOST = 8192 };
static inline uint32_t digits_bits(int64_t radix)
{
    uint32_t bits = 0;
    while (INT64_C(1) << bits < radix)
        bits++;
    return bits;
}
/* The tile with a gap every 32, and where each digit goes. */
static inline uint32_t digits_tile_bytes(int64_t tile, int64_t radix)
{
    return 4 * (uint32_t)(tile + tile / 32 + radix);
}
/* A tree of counts, too. */
static inline uint32_t digits_shared_bytes(int64_t tile, int64_t radix)
{
    uint32_t threads = (uint32_t)tile / DIGITS_EACH;
    return digits_tile_bytes(tile, radix) + 4 * (threads + threads / 8 + threads / 64);
}
/* In its place two sums of each subgroup of 32, and two words of a thread that stand for what a
   subgroup says. */
static inline uint32_t digits_ranked_bytes(int64_t tile, int64_t radix, bool emulated)
{
    uint32_t threads = (uint32_t)tile / DIGITS_EACH;
    return digits_tile_bytes(tile, radix) + 8 * (threads / 32 + (emulated ? threads : 0));
}
/* Counts of a digit, sums of sixteen of them, the digit that was found, two bits for each item. */
static inline uint32_t digits_select_bytes(int64_t tile)
{
    return 4 * (DIGITS_RADIX + DIGITS_RADIX / 16 + 2 + 2 * (uint32_t)tile / 32);
}
/* 0 where not even the least fits. */
static inline int64_t digits_tile(uint32_t invocations, uint32_t shared_bytes)
{
    int64_t tile = DIGITS_MOST;
    while (tile >= DIGITS_LEAST && (tile / DIGITS_EACH > invocations ||
                                    digits_shared_bytes(tile, DIGITS_RADIX) > shared_bytes))
        tile /= 2;
    return tile >= DIGITS_LEAST ? tile : 0;
}

/* How many of a row are left if of each tile `first` are, or all of a shorter one. */
static inline int64_t digits_selected(int64_t length, int64_t tile, int64_t first)
{
    int64_t rest = length % tile;
    return length / tile * first + (rest < first ? rest : first);
}

/* The order of the largest matrix that a workgroup factors: longer steps wait less for their
   pivots, but there are more of them. A power of two; its rows lie a word apart, so that columns
   are in different banks. */
enum { PANEL_ORDER = 64 };
static inline uint32_t panel_slots(int64_t order)
{
    return (uint32_t)(order * (order + 1));
}
static inline int64_t panel_order(uint32_t bytes, uint32_t shared_bytes)
{
    int64_t order = PANEL_ORDER;
    while (order > 1 && panel_slots(order) * bytes > shared_bytes)
        order /= 2;
    return order;
}

/* Rows below such a matrix that a workgroup solves beside it: so many, or what there is room
   for. */
enum { PANEL_BELOW = 16 };
static inline int64_t panel_below(int64_t order, uint32_t bytes, uint32_t shared_bytes)
{
    int64_t room = shared_bytes / (bytes * (order + 1)) - order;
    return room < PANEL_BELOW ? room : PANEL_BELOW;
}

/* Columns of a matrix of so many rows that a workgroup eliminates, each thread some rows of them in
   registers: half of those of a multiprocessor hold the panel, and few of a thread's. The more
   rows, the fewer columns; 0 where there is room for none. */
enum { LU_WIDTH = 32, LU_ROW_BYTES = 128, LU_THREAD_BYTES = 256, LU_PANEL_BYTES = 1 << 17 };
/* A thread for each row, up to what the target has. */
static inline uint32_t lu_threads(int64_t rows, uint32_t invocations)
{
    uint32_t threads = 32;
    while (threads < rows && 2 * threads <= invocations && 2 * threads <= 1024)
        threads *= 2;
    return threads;
}
/* Columns of a block: those right of it are changed once for all of its pivots. */
enum { LU_BLOCK = 4 };
/* Two triangles, rows that pass through shared memory at a time on their way to registers and back,
   the pivot rows of a block in fours; of each column the greatest magnitude, the earliest row that
   has it and the pivot. */
static inline uint32_t lu_shared_bytes(int64_t width, uint32_t bytes, uint32_t chunk)
{
    uint32_t w = (uint32_t)width;
    return bytes * (LU_BLOCK * ((w + 3) / 4 * 4) + (2 * w + chunk) * (w + 1)) +
           4 * w * (2 + bytes / 4);
}
static inline uint32_t lu_chunk(int64_t rows, int64_t width, uint32_t bytes, uint32_t shared_bytes)
{
    uint32_t chunk = 256 * LU_WIDTH / (uint32_t)width;
    while (chunk > 1 && (chunk / 2 >= rows || lu_shared_bytes(width, bytes, chunk) > shared_bytes))
        chunk /= 2;
    return chunk;
}
static inline int64_t lu_width(int64_t rows, uint32_t bytes, uint32_t invocations)
{
    int64_t threads = lu_threads(rows, invocations), each = (rows + threads - 1) / threads,
            width = LU_WIDTH;
    while (width * bytes > LU_ROW_BYTES || each * width * bytes > LU_THREAD_BYTES ||
           each * threads * width * bytes > LU_PANEL_BYTES)
        width /= 2;
    return threads <= invocations ? width : 0;
}

/* Columns of a matrix that are reflected by a workgroup: `lanes` threads have one, every fourth
   rows of it in registers, so many fours each if there are threads enough. More threads than that
   have too few registers each. */
enum { QR_WIDTH = 32, QR_LANES = 32, QR_FOURS = 8, QR_THREADS = 512 };
static inline uint32_t qr_lanes(int64_t rows, int64_t width, uint32_t invocations)
{
    uint32_t lanes = 1;
    while (4 * lanes < width ||
           (4 * QR_FOURS * lanes < rows && lanes < QR_LANES && 2 * lanes * width <= invocations &&
            2 * lanes * width <= QR_THREADS))
        lanes *= 2;
    return lanes;
}
static inline uint32_t qr_fours(int64_t rows, uint32_t lanes)
{
    return (uint32_t)((rows + 4 * lanes - 1) / (4 * lanes));
}
/* Two columns, two rows, numbers for columns, sums, two squares, and rows on their way. */
static inline uint32_t qr_shared_bytes(int64_t rows, int64_t width, uint32_t bytes, uint32_t lanes,
                                       uint32_t chunk)
{
    uint32_t w = (uint32_t)width;
    return bytes * (8 * lanes * qr_fours(rows, lanes) + 4 * w + w * ((lanes + 3) / 4 * 4) +
                    2 * w * w + chunk * (w + 1));
}
/* Rows that pass through shared memory at a time; 0: they do not fit. */
static inline uint32_t qr_chunk(int64_t rows, int64_t width, uint32_t bytes, uint32_t lanes,
                                uint32_t shared_bytes)
{
    uint32_t chunk = 256;
    while (chunk >= 4 && qr_shared_bytes(rows, width, bytes, lanes, chunk) > shared_bytes)
        chunk /= 2;
    return chunk >= 4 ? chunk : 0;
}
/* How many columns, of `most`; 0: none. */
static inline int64_t qr_width(int64_t rows, int64_t most, uint32_t bytes, uint32_t invocations,
                               uint32_t shared_bytes)
{
    for (int64_t width = bytes == 8 ? QR_WIDTH / 2 : QR_WIDTH; width >= 8; width /= 2) {
        int64_t columns = most < width ? most : width;
        uint32_t lanes = qr_lanes(rows, columns, invocations);
        if (lanes * columns <= invocations &&
            4 * qr_fours(rows, lanes) * bytes <= LU_THREAD_BYTES &&
            4 * qr_fours(rows, lanes) * lanes * columns * bytes <= LU_PANEL_BYTES &&
            qr_chunk(rows, columns, bytes, lanes, shared_bytes))
            return width;
    }
    return 0;
}

/* Buffers of a kernel, at most: so many does libvkr admit of a bundle that it does not trust
   (runtime/door.h). */
enum { MOST_BINDINGS = 256 };
static inline uint32_t kernel_bindings(uint32_t of_target)
{
    return of_target < MOST_BINDINGS ? of_target : MOST_BINDINGS;
}

/* Vectors whose products a workgroup has. */
enum { JACOBI_MOST = 64, JACOBI_LEAST = 16 };
static inline uint32_t jacobi_shared_bytes(int64_t width, uint32_t bytes, uint32_t real_bytes)
{
    uint32_t w = (uint32_t)width;
    return bytes * (2 * w * w + w) + real_bytes * 2 * w + 12;
}
/* A thread for each two pairs of vectors, if there are as many: up to four times what is usual. */
static inline uint32_t jacobi_threads(int64_t width, uint32_t usual, uint32_t invocations)
{
    uint32_t threads = usual;
    while (threads > invocations)
        threads /= 2;
    while (threads < 2 * usual && 4 * threads < width * width && 2 * threads <= invocations)
        threads *= 2;
    return threads;
}
/* Iterations of a thread's loops, at most. */
static inline uint64_t jacobi_iterations(int64_t width, uint32_t threads, int64_t sweeps)
{
    uint64_t w = (uint64_t)width, each = (w * w + threads - 1) / threads,
             parts = 2 * threads / w - 1, own = (w + parts - 1) / parts, levels = 0;
    while (w >> levels > 1)
        levels++;
    return 2 * each +
           (uint64_t)sweeps * (1 + each + levels * (1 + 2 * own) + w * (2 + w / 4 / parts + own));
}
/* The same where threads have a matrix each: products in one triangle, of the turns a part. A step
   chooses rotations, and each pair meets those from it on, two at a time. A row has at most so many
   bytes: what takes more registers takes lavapipe seconds to compile. */
enum { JACOBI_ALONE_BYTES = 4 * 32, JACOBI_ALONE_GROUP = 8 };
static inline uint64_t jacobi_alone_iterations(int64_t width, uint32_t parts, int64_t sweeps)
{
    uint64_t w = (uint64_t)width, pairs = w / 2, products = w * (w + 1) / 2,
             step = 1 + 2 * pairs + pairs * (pairs + 2) / 4;
    return w + products + 2 * w * w / parts + (uint64_t)sweeps * (1 + w + products + w * step);
}
/* The same where some threads have each pair: so many, fours of each vector's elements. */
static inline uint32_t jacobi_lanes(int64_t width)
{
    return width < 64 ? 4 : 8;
}
static inline uint32_t jacobi_pairs_threads(int64_t width)
{
    return (uint32_t)width / 2 * jacobi_lanes(width);
}
static inline uint32_t jacobi_pairs_bytes(int64_t width, uint32_t bytes)
{
    uint32_t w = (uint32_t)width;
    return bytes * (w * (2 * w + 16) + w + 3 * jacobi_pairs_threads(width)) + 8;
}
static inline uint64_t jacobi_pairs_iterations(int64_t width, int64_t sweeps)
{
    uint64_t w = (uint64_t)width, fours = w / 2 / jacobi_lanes(width), each = 1 + 5 * fours;
    return 2 * w * w / jacobi_pairs_threads(width) + (uint64_t)sweeps * w * (2 + each);
}
/* What is turned by these rotations: so many rows and half as many columns at a time, by threads
   that have a square of the results each. */
enum { TURN_THREADS = 128 };
static inline uint32_t turn_each(int64_t width)
{
    return (uint32_t)width / 16;
}
static inline uint32_t turn_shared_bytes(int64_t width, uint32_t bytes)
{
    uint32_t w = (uint32_t)width;
    return bytes * (w * (w + 1) + w * w / 2) + 8;
}
/* The most vectors that a workgroup takes; 0 where not even the least fit. */
static inline int64_t jacobi_width(uint32_t bytes, uint32_t real_bytes, uint32_t shared_bytes)
{
    int64_t width = JACOBI_MOST;
    while (width >= JACOBI_LEAST && jacobi_shared_bytes(width, bytes, real_bytes) > shared_bytes)
        width /= 2;
    return width >= JACOBI_LEAST ? width : 0;
}

/* Small matrices whose singular values a few threads have: their vectors are rows of R, with what
   was done to them beside, in shared memory, by turns in two places. A thread has a column, then a
   part of two vectors. */
static inline uint32_t singular_width(int64_t columns)
{
    uint32_t width = 2;
    while (width < columns)
        width *= 2;
    return width;
}
static inline uint32_t singular_threads(int64_t rows, int64_t columns)
{
    uint32_t threads = 4;
    while (threads < rows + columns)
        threads *= 2;
    return threads;
}
static inline uint32_t singular_slots(int64_t rows, int64_t columns, int64_t wanted)
{
    uint32_t pitch = (uint32_t)(rows + columns) | 1;
    return 2 * singular_width(columns) * pitch + (uint32_t)((wanted - columns) * rows);
}
/* Of a matrix: vectors, two columns on their way, and three numbers and a place for each vector. */
static inline uint32_t singular_bytes(int64_t rows, int64_t columns, int64_t wanted, uint32_t bytes)
{
    uint32_t w = singular_width(columns);
    return bytes * (singular_slots(rows, columns, wanted) + 2 * ((uint32_t)rows + 1) + 3 * w) +
           4 * w + 4;
}
enum { SINGULAR_WORDS = 3 }; /* and for all of a workgroup */
/* Iterations of a thread's loops, at most. */
static inline uint64_t singular_iterations(int64_t rows, int64_t columns, int64_t sweeps)
{
    uint64_t m = (uint64_t)rows, n = (uint64_t)columns, w = singular_width(columns),
             own = (m + n) * w / 2 / singular_threads(rows, columns) + 1;
    return 2 * n * (1 + 3 * m) + 6 * (m + n) +
           (uint64_t)sweeps * (1 + 6 + (w - 1) * (1 + n + own)) + (m + 1) * (m + n + 1);
}

#endif
