/* GPT-2's embedding at its size, f32[50257,768], 154 MB, which lavapipe binds in two parts: rows gathered from it, and
   its product with a vector, against sums in f64 written here. Needs some 0.5 GB and half a minute, so `make test`
   leaves it out: test/run e2e/large. */
#include <math.h>
#include <string.h>

#include "e2e.h"

enum { TOKENS = 50257, WIDTH = 768, ROWS = 24 };

static const char graph[] = "graph \"embedding\" entry=f0 callbacks=0\n"
                            "func f0(f32[50257,768] \"embedding\", s64[24,1] \"tokens\", f32[768] \"hidden\") {\n"
                            "n0 = parameter index=0 : f32[50257,768]\nn1 = parameter index=1 : s64[24,1]\nn2 = parameter index=2 : f32[768]\n"
                            "n3 = gather n0, n1 axes=[0] : f32[24,768]\n"
                            "n4 = dot n0, n2 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[50257]\n"
                            "n5 = multiply n0, n0 : f32[50257,768]\n"
                            "return n3, n4, n5\n}\n";

/* Between -1 and 1; each element has its own. */
static float element(uint32_t i)
{
    i *= 2654435761u;
    return (float)((i ^ i >> 15) >> 8) * 0x1p-23f - 1;
}

static void check_results(struct e2e *e, const char *variant, const float *embedding, const int64_t *tokens, const float *hidden, void **out)
{
    const float *gathered = out[0], *product = out[1], *squared = out[2];
    uint32_t wrong = 0;
    double worst = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        wrong += memcmp(gathered + (size_t)i * WIDTH, embedding + (size_t)tokens[i] * WIDTH, WIDTH * sizeof *gathered) != 0;
    check_that(&e->check, wrong == 0, "%s: %u of %u rows are not those asked for", variant, wrong, ROWS);
    for (uint32_t t = 0; t < TOKENS; t++) {
        double sum = 0, size = 0;
        for (uint32_t k = 0; k < WIDTH; k++) {
            double p = (double)embedding[(size_t)t * WIDTH + k] * (double)hidden[k];
            sum += p, size += fabs(p);
        }
        double off = fabs((double)product[t] - sum) / (size * WIDTH * 0x1p-24); /* contractions of n: within n u sum |a b| */
        worst = isnan(off) || off > worst ? off : worst;
    }
    check_that(&e->check, worst <= 1, "%s: the product is off by %g of what it may", variant, worst);
    wrong = 0;
    for (uint32_t i = 0; i < TOKENS * WIDTH; i++)
        wrong += squared[i] != embedding[i] * embedding[i];
    check_that(&e->check, wrong == 0, "%s: %u squares are wrong", variant, wrong);
    e->compared += (int64_t)ROWS * WIDTH + TOKENS + (int64_t)TOKENS * WIDTH;
}

int main(void)
{
    static int64_t tokens[ROWS];
    static float hidden[WIDTH];
    struct e2e e;
    bool is_open = e2e_open(&e);
    float *embedding = malloc((size_t)TOKENS * WIDTH * sizeof *embedding);
    e.text_ir = true;
    for (uint32_t i = 0; embedding && i < TOKENS * WIDTH; i++)
        embedding[i] = element(i);
    for (uint32_t i = 0; i < WIDTH; i++)
        hidden[i] = element(~i);
    for (uint32_t i = 0; i < ROWS; i++) /* around the end of the first part of 128 MiB, row 43690, and elsewhere */
        tokens[i] = i < 8 ? 43687 + i : i == 8 ? 0 : i == 9 ? TOKENS - 1 : (i * 2654435761u) % TOKENS;
    for (int v = 0; is_open && embedding && v < E2E_VARIANTS; v++) {
        struct tensor types[3] = {{.type = TYPE_F32, .shape = {.rank = 2, .dim = {TOKENS, WIDTH}}}, {.type = TYPE_S64, .shape = {.rank = 2, .dim = {ROWS, 1}}},
                                  {.type = TYPE_F32, .shape = {.rank = 1, .dim = {WIDTH}}}};
        struct array inputs[3] = {{types[0], embedding}, {types[1], tokens}, {types[2], hidden}};
        void *out[3] = {NULL};
        vkr_program *program = e2e_load(&e, "embedding", graph, strlen(graph), (enum e2e_variant)v);
        if (program && e2e_run(&e, "embedding", program, inputs, out))
            check_results(&e, e2e_variant_names[v], embedding, tokens, hidden, out);
        for (int i = 0; i < 3; i++)
            free(out[i]);
        vkr_program_unload(program);
    }
    if (is_open) {
        vkr_counters c;
        vkr_device_counters(e.device, &c);
        printf("peak device memory %.1f MB, the tensors of a run have %.1f MB\n", (double)c.memory_peak * 1e-6,
               1e-6 * (2.0 * 4 * TOKENS * WIDTH + 4.0 * TOKENS + 4.0 * ROWS * WIDTH));
    }
    free(embedding);
    return e2e_close(&e);
}
