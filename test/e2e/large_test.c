/* Real sizes. GPT-2's embedding, f32[50257,768], 154 MB, which lavapipe binds in two parts: rows
   gathered from it, and its product with a vector, against sums in f64 written here. Then
   counters, u32, of 4.8 GB where a GPU has room for that, so that they lie in several
   allocations, else of 200 MB, with what comes of them known in closed form. Needs some 0.5 GB
   and half a minute, so `make test` leaves it out: test/run e2e/large. */
#include <math.h>
#include <string.h>

#include "e2e.h"

enum { TOKENS = 50257, WIDTH = 768, ROWS = 24 };

static const char graph[] =
    "graph \"embedding\" entry=f0 callbacks=0\n"
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

static void check_results(struct e2e *e, const char *variant, const float *embedding,
                          const int64_t *tokens, const float *hidden, void **out)
{
    const float *gathered = out[0], *product = out[1], *squared = out[2];
    uint32_t wrong = 0;
    double worst = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        wrong += memcmp(gathered + (size_t)i * WIDTH, embedding + (size_t)tokens[i] * WIDTH,
                        WIDTH * sizeof *gathered) != 0;
    check_that(&e->check, wrong == 0, "%s: %u of %u rows are not those asked for", variant, wrong,
               ROWS);
    for (uint32_t t = 0; t < TOKENS; t++) {
        double sum = 0, size = 0;
        for (uint32_t k = 0; k < WIDTH; k++) {
            double p = (double)embedding[(size_t)t * WIDTH + k] * (double)hidden[k];
            sum += p, size += fabs(p);
        }
        /* contractions of n: within n u sum |a b| */
        double off = fabs((double)product[t] - sum) / (size * WIDTH * 0x1p-24);
        worst = isnan(off) || off > worst ? off : worst;
    }
    check_that(&e->check, worst <= 1, "%s: the product is off by %g of what it may", variant,
               worst);
    wrong = 0;
    for (uint32_t i = 0; i < TOKENS * WIDTH; i++)
        wrong += squared[i] != embedding[i] * embedding[i];
    check_that(&e->check, wrong == 0, "%s: %u squares are wrong", variant, wrong);
    e->compared += (int64_t)ROWS * WIDTH + TOKENS + (int64_t)TOKENS * WIDTH;
}

/* x = i + start of each i, and then 3 x and the sum of all x, modulo 2^32. */
static void check_counters(struct e2e *e)
{
    vkr_device_info info;
    vkr_counters c;
    char make[512], use[512];
    vkr_error err = {VKR_OK, ""};
    vkr_buffer start = 0, x = 0, out[2] = {0, 0};
    vkr_device_get_info(e->device, &info);
    vkr_device_counters(e->device, &c);
    uint64_t n = info.kind != VKR_CPU && c.memory_budget > 16000000000u ? 1200000007 : 50000007;
    uint32_t first = 4000000000u, sum = 0, wrong = 0, found[4096];
    snprintf(
        make, sizeof make,
        "graph \"count\" entry=f0 callbacks=0\nfunc f0(u32[]) {\nn0 = parameter index=0 : u32[]\n"
        "n1 = iota axis=-1 : u32[%llu]\nn2 = broadcast n0 axes=[] : u32[%llu]\n"
        "n3 = add n1, n2 : u32[%llu]\nreturn n3\n}\n",
        (unsigned long long)n, (unsigned long long)n, (unsigned long long)n);
    snprintf(use, sizeof use,
             "graph \"use\" entry=f0 callbacks=0\nfunc f0(u32[%llu]) {\n"
             "n0 = parameter index=0 : u32[%llu]\nn1 = constant bits=00000003 : u32[%llu]\n"
             "n2 = multiply n0, n1 : u32[%llu]\nn3 = sum n0 axes=[0] keep=false : u32[]\n"
             "return n2, n3\n}\n",
             (unsigned long long)n, (unsigned long long)n, (unsigned long long)n,
             (unsigned long long)n);
    vkr_program *maker = e2e_load(e, "count", make, strlen(make), E2E_AS_TARGET),
                *user = e2e_load(e, "use", use, strlen(use), E2E_AS_TARGET);
    bool ok = maker && user && vkr_buffer_create(e->device, &first, 4, &start, &err) == VKR_OK &&
              vkr_run(maker, &start, 1, &x, 1, NULL, &err) == VKR_OK &&
              vkr_run(user, &x, 1, out, 2, NULL, &err) == VKR_OK &&
              vkr_buffer_read(e->device, out[1], 0, &sum, 4, &err) == VKR_OK;
    check_that(&e->check, ok, "%llu counters: %s", (unsigned long long)n, err.message);
    uint32_t expected = (uint32_t)((n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) + n * first);
    check_that(&e->check, sum == expected, "the sum of %llu counters is %u, must be %u",
               (unsigned long long)n, sum, expected);
    uint64_t span = sizeof found / sizeof *found, step = (n - span) / 64;
    /* spread over all, then around each multiple of 128 MiB */
    for (uint64_t k = 0; ok && k <= 64 + 4 * n / (UINT64_C(1) << 27); k++) {
        uint64_t at = k <= 64 ? k * step : (k - 64) * (UINT64_C(1) << 25) - span / 2;
        at = at > n - span ? n - span : at;
        ok = check_that(&e->check,
                        vkr_buffer_read(e->device, out[0], 4 * at, found, sizeof found, &err) ==
                            VKR_OK,
                        "%s", err.message);
        for (uint64_t i = 0; i < span; i++)
            wrong += found[i] != 3 * ((uint32_t)(at + i) + first);
    }
    check_that(&e->check, wrong == 0, "%u counters are wrong", wrong);
    printf("%llu counters, %.1f MB a tensor\n", (unsigned long long)n, 4e-6 * (double)n);
    e->compared += (int64_t)n;
    vkr_program_unload(maker);
    vkr_program_unload(user);
    vkr_buffer_free(e->device, start, NULL);
    vkr_buffer_free(e->device, x, NULL);
    vkr_buffer_free(e->device, out[0], NULL);
    vkr_buffer_free(e->device, out[1], NULL);
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
    /* around the end of the first part of 128 MiB, row 43690, and elsewhere */
    for (uint32_t i = 0; i < ROWS; i++)
        tokens[i] = i < 8    ? 43687 + i
                    : i == 8 ? 0
                    : i == 9 ? TOKENS - 1
                             : (i * 2654435761u) % TOKENS;
    for (int v = 0; is_open && embedding && v < E2E_VARIANTS; v++) {
        struct tensor types[3] = {{.type = TYPE_F32, .shape = {.rank = 2, .dim = {TOKENS, WIDTH}}},
                                  {.type = TYPE_S64, .shape = {.rank = 2, .dim = {ROWS, 1}}},
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
        printf("peak device memory %.1f MB, the tensors of a run have %.1f MB\n",
               (double)c.memory_peak * 1e-6,
               1e-6 * (2.0 * 4 * TOKENS * WIDTH + 4.0 * TOKENS + 4.0 * ROWS * WIDTH));
    }
    free(embedding);
    if (is_open)
        check_counters(&e);
    return e2e_close(&e);
}
