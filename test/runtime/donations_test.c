/* Outputs that are the memory of inputs, in the bundle's verifier: an input is donated to one
   output at most, and copies between the two are refused. Needs no device. */
#include "builder.h"
#include "harness.h"

static bool opens(const void *bundle, size_t size, char error[300])
{
    struct vkb_view view;
    error[0] = '\0';
    return bundle_open(bundle, size, &view, error, 300);
}

static void test_two_donations(void)
{
    static struct builder b;
    size_t size;
    char error[300];
    builder_init(&b, "twice");
    builder_input(&b, "x", "f32", 4);
    builder_output(&b, "y", "f32", 4, 0);
    builder_output(&b, "z", "f32", 4, 0);
    void *bundle = builder_finish(&b, &size);
    CHECK(!opens(bundle, size, error) && strstr(error, "two outputs"), "%s", error);
    free(bundle);
}

/* From every tensor to every output, whichever inputs these are donated: refused where both are
   the same memory. */
static void test_copies_of_tensors(void)
{
    enum { TENSORS = 2, NONE = TENSORS };
    for (uint32_t bits = 0; bits < 3 * 3 * 4 * TENSORS; bits++) {
        static struct builder b;
        uint32_t donated[TENSORS] = {bits % 3, bits / 3 % 3}, from = bits / 9 % 4, to = bits / 36,
                 buffers[2 * TENSORS];
        char error[300];
        size_t size;
        if (donated[0] == donated[1] && donated[0] != NONE)
            continue;
        builder_init(&b, "copies");
        for (uint32_t i = 0; i < TENSORS; i++)
            buffers[i] = builder_input(&b, "in", "f32", 4);
        for (uint32_t i = 0; i < TENSORS; i++)
            buffers[TENSORS + i] =
                builder_output(&b, "out", "f32", 4, donated[i] == NONE ? VKB_NONE : donated[i]);
        builder_copy(&b, buffers[from], buffers[TENSORS + to], 16);
        void *bundle = builder_finish(&b, &size);
        bool is_same = from < TENSORS ? from == donated[to] : from == TENSORS + to,
             is_open = opens(bundle, size, error);
        CHECK(is_open == !is_same && (is_open || strstr(error, "overlap")), "%u to output %u: %s",
              from, to, error);
        free(bundle);
    }
}

int main(void)
{
    RUN(test_two_donations());
    RUN(test_copies_of_tensors());
    return harness_report();
}
