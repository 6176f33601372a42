/* .npy files: what is written is read back; damaged ones are refused, never followed. */
#include "../../runtime/npy.h"
#include "harness.h"

static size_t written(uint8_t *out, size_t size, const char *type, uint32_t rank,
                      const uint64_t *dims, const void *data, uint64_t bytes)
{
    FILE *file = tmpfile();
    size_t n = 0;
    if (!file)
        return 0;
    if (npy_write(file, type, rank, dims, data, bytes)) {
        rewind(file);
        n = fread(out, 1, size, file);
    }
    fclose(file);
    return n;
}

static void test_round_trip(void)
{
    static const uint64_t dims[3] = {2, 3, 4};
    uint8_t file[1024], data[96];
    struct npy a;
    char error[200] = "";
    for (int i = 0; i < 96; i++)
        data[i] = (uint8_t)i;
    for (uint32_t rank = 0; rank <= 3; rank++) {
        uint64_t bytes = 4;
        for (uint32_t i = 0; i < rank; i++)
            bytes *= dims[i];
        size_t n = written(file, sizeof file, "<f4", rank, dims, data, bytes);
        CHECK(n > bytes && (n - bytes) % 64 == 0, "aligned to 64");
        CHECK(npy_read(file, n, &a, error, sizeof error), "%s", error);
        CHECK(a.rank == rank && !memcmp(a.dims, dims, rank * sizeof *dims) && a.bytes == bytes &&
                  !memcmp(a.data, data, bytes),
              "rank %u", rank);
    }
}

static void refused(const char *header, const char *text)
{
    uint8_t file[512];
    struct npy a;
    char error[200] = "";
    size_t n = strlen(header);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (uint8_t)n, file[9] = 0;
    memcpy(file + 10, header, n);
    memset(file + 10 + n, 0, 64);
    CHECK(!npy_read(file, n + 74, &a, error, sizeof error) && strstr(error, text), "%s: %s", header,
          error);
}

static void test_refused(void)
{
    struct npy a;
    char error[200] = "";
    CHECK(!npy_read("", 0, &a, error, sizeof error) &&
              !npy_read("\x93NUMPY\x01\x00\xff\xff", 10, &a, error, sizeof error),
          "short");
    CHECK(!npy_read("\x93NUMPY\x03\x00\x00\x00\x00\x00", 12, &a, error, sizeof error), "version 3");
    refused("[]", "not a dict");
    refused("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", "Fortran");
    refused("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "big-endian");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (100,)}", "needs 400 bytes");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296,4)}",
            "too large");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "too large");
    refused(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
        "dimensions");
    refused("{'descr': '<f4', 'fortran_order': False}", "missing");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "not a number");
    refused("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "not a number type");
    refused("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "quoted");
    refused("{'descr': '<f4", "does not end");
    refused("{'x': 1}", "not expected");
}

/* Random bytes, and a good file with random bytes in it. */
static void test_noise(void)
{
    static const uint64_t dims[2] = {3, 3};
    uint8_t good[512], bad[512], data[36] = {0};
    size_t n = written(good, sizeof good, "<f4", 2, dims, data, sizeof data);
    uint32_t state = 7;
    for (int round = 0; round < 100000; round++) {
        struct npy a;
        char error[64];
        memcpy(bad, good, n);
        for (int k = 0; k < 3; k++) {
            state = state * 1664525 + 1013904223;
            bad[state >> 8 & 127] = (uint8_t)(state >> 24);
        }
        if (npy_read(bad, n - (state >> 16 & 31), &a, error, sizeof error) &&
            a.data + a.bytes > bad + n)
            CHECK(false, "data beyond the file");
    }
    CHECK(true, "no crash");
}

static void test_values(void)
{
    static const struct {
        const char *type;
        double value;
    } rows[] = {{"f32", 1.5},
                {"f64", -2.25},
                {"f16", 0.3330078125},
                {"f16", -1024},
                {"f16", 6.103515625e-05},
                {"f16", 5.9604644775390625e-08},
                {"bf16", 3.140625},
                {"u8", 200},
                {"s8", -3},
                {"s16", -1234},
                {"s32", -5},
                {"u32", 4e9},
                {"s64", -7},
                {"u64", 9},
                {"c64", 2.5},
                {"c128", -2.5},
                {"f16", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t data[32] = {0};
        npy_set(rows[i].type, data, 1, rows[i].value);
        double got = npy_get(rows[i].type, data, 1);
        CHECK(!(got < rows[i].value) && !(got > rows[i].value), "%s %g: %g", rows[i].type,
              rows[i].value, got);
    }
    CHECK(npy_type_fits("<f4", "f32") && !npy_type_fits("<f8", "f32") &&
              npy_type_fits("|b1", "u8") && npy_type_fits("<u2", "bf16") &&
              npy_type_fits("|V2", "bf16") && !npy_type_fits("", "f32") && !npy_type("x7"),
          "types");
}

int main(void)
{
    RUN(test_round_trip());
    RUN(test_refused());
    RUN(test_noise());
    RUN(test_values());
    return harness_report();
}
