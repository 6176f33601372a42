/* Tensors that are bound in parts, in every kernel family and at every width of an element: the
   target binds 64 KiB at once, and the device allocates 128 KiB, so that a tensor lies in
   several allocations. Any suite can be run so: PARTS=1 test/run e2e/dot_test. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "../../runtime/bundle.h"
#include "e2e.h"
#include "interp/interp_impl.h"

#define P(i, type) "n" #i " = parameter index=" #i " : " type "\n"

static const struct graph_case {
    const char *name, *params, *body, *result;
    long places; /* integer inputs are places from 0 on below this; 0: of any value */
} cases[] = {
    {"map f32", "f32[50000], f32[50000]",
     P(0, "f32[50000]") P(1, "f32[50000]") "n2 = multiply n0, n1 : f32[50000]", "n2", 0},
    {"map of an odd size", "f32[50001], f32[50001]",
     P(0, "f32[50001]") P(1, "f32[50001]") "n2 = add n0, n1 : f32[50001]", "n2", 0},
    {"map u8", "u8[150001], u8[150001]",
     P(0, "u8[150001]") P(1, "u8[150001]") "n2 = add n0, n1 : u8[150001]", "n2", 0},
    {"map bf16", "bf16[70002], bf16[70002]",
     P(0, "bf16[70002]") P(1, "bf16[70002]") "n2 = multiply n0, n1 : bf16[70002]", "n2", 0},
    {"map s64", "s64[20000], s64[20000]",
     P(0, "s64[20000]") P(1, "s64[20000]") "n2 = multiply n0, n1 : s64[20000]", "n2", 0},
    {"map f64", "f64[20004], f64[20004]",
     P(0, "f64[20004]") P(1, "f64[20004]") "n2 = multiply n0, n1 : f64[20004]", "n2", 0},
    {"map c64", "c64[20000], c64[20000]",
     P(0, "c64[20000]") P(1, "c64[20000]") "n2 = add n0, n1 : c64[20000]", "n2", 0},
    {"map c128", "c128[10001], c128[10001]",
     P(0, "c128[10001]") P(1, "c128[10001]") "n2 = add n0, n1 : c128[10001]", "n2", 0},
    {"transpose f32", "f32[200,300]",
     P(0, "f32[200,300]") "n1 = transpose n0 axes=[1,0] : f32[300,200]", "n1", 0},
    {"transpose u16", "u16[400,300]",
     P(0, "u16[400,300]") "n1 = transpose n0 axes=[1,0] : u16[300,400]", "n1", 0},
    {"reverse and join", "f32[30000], f32[20000]",
     P(0, "f32[30000]") P(
         1,
         "f32[20000]") "n2 = reverse n0 axes=[0] : f32[30000]\nn3 = concatenate n2, n1 axis=0 : f32[50000]",
     "n3", 0},
    {"sum of rows", "f32[90,700]", P(0, "f32[90,700]") "n1 = sum n0 axes=[1] keep=false : f32[90]",
     "n1", 0},
    {"sum of columns", "f32[700,90]",
     P(0, "f32[700,90]") "n1 = sum n0 axes=[0] keep=false : f32[90]", "n1", 0},
    {"greatest of u8", "u8[90,2000]",
     P(0, "u8[90,2000]") "n1 = reduce_max n0 axes=[1] keep=false : u8[90]", "n1", 0},
    {"rows less their greatest", "f32[100,512]",
     P(0, "f32[100,512]") "n1 = reduce_max n0 axes=[1] keep=true : f32[100,1]\n"
                          "n2 = broadcast n1 axes=[0,1] : f32[100,512]\n"
                          "n3 = subtract n0, n2 : f32[100,512]",
     "n3", 0},
    {"matrix product", "f32[200,150], f32[150,180]",
     P(0, "f32[200,150]") P(
         1,
         "f32[150,180]") "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[200,180]",
     "n2", 0},
    {"matrix and vector", "f32[300,200], f32[200]",
     P(0, "f32[300,200]") P(
         1,
         "f32[200]") "n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[300]",
     "n2", 0},
    {"gather of rows", "f32[3000,16], s64[2000,1]",
     P(0, "f32[3000,16]") P(1, "s64[2000,1]") "n2 = gather n0, n1 axes=[0] : f32[2000,16]", "n2",
     3000},
    {"scatter", "f32[3000,16], s64[1500,1], f32[1500,16]",
     P(0, "f32[3000,16]") P(1, "s64[1500,1]")
         P(2, "f32[1500,16]") "n3 = indexed_add n0, n1, n2 axes=[0] : f32[3000,16]",
     "n3", 3000},
    {"scatter of u8", "u8[80000], s32[1500,1], u8[1500]",
     P(0, "u8[80000]") P(1, "s32[1500,1]")
         P(2, "u8[1500]") "n3 = indexed_put n0, n1, n2 axes=[0] : u8[80000]",
     "n3", 80000},
    {"sort of one row", "s32[40000]",
     P(0, "s32[40000]") "n1 = sort n0 axis=0 descending=false stable=false : s32[40000]", "n1", 0},
    {"sort along the first axis", "f32[300,80]",
     P(0, "f32[300,80]") "n1 = sort n0 axis=0 descending=true stable=false : f32[300,80]", "n1", 0},
    {"fft", "c64[10,1024]", P(0, "c64[10,1024]") "n1 = fft n0 axis=1 length=1024 : c64[10,1024]",
     "n1", 0},
    {"part of it, at a place known later", "f32[200,300], s64[], s64[]",
     P(0, "f32[200,300]") P(1, "s64[]") P(
         2, "s64[]") "n3 = dynamic_slice n0, n1, n2 lengths=[150,200] strides=[1,1] : f32[150,200]",
     "n3", 60},
    {"an input as it came", "f32[50000]", P(0, "f32[50000]"), "n0", 0},
};

static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    const struct graph_case *c = context;
    (void)input, (void)set;
    if (!c->places || (vkc_types[x->tensor.type].kind != KIND_SINT)) {
        e2e_fill(x, random, false);
        return;
    }
    for (int64_t i = 0; i < shape_size(&x->tensor.shape); i++) {
        *random ^= *random << 13, *random ^= *random >> 7, *random ^= *random << 17;
        number_store(x->tensor.type, x->data, i,
                     (union number){.s = (int64_t)(*random % (uint64_t)c->places)});
    }
}

/* Whether anything was in parts at all. */
static void check_used(struct e2e *e, const char *name, const char *text)
{
    struct vkc_result result;
    struct vkb_view view;
    char error[256];
    if (e2e_compile(e, name, text, strlen(text), E2E_AS_TARGET, &result))
        check_that(&e->check,
                   bundle_open(result.bundle, result.bundle_size, &view, error, sizeof error) &&
                       view.program->part_bytes == 65536 &&
                       view.program->features & VKB_FEATURE_ADDRESSES,
                   "%s: nothing is used in parts", name);
    vkc_result_free(&result);
}

/* Vectors go through shared memory and back, after loads that something is computed from precisely:
   glslang found no end to what was precise then. */
static void check_reflections(struct e2e *e)
{
#define A "{\"type\": \"f32\", \"shape\": [1, 20000, 17]}"
#define R "{\"type\": \"f32\", \"shape\": [1, 17, 17]}"
#define P0 \
    "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [" A "], \"attrs\": {\"index\": 0}}"
    static const char json[] =
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"qr\", \"entry\": 0, \"funcs\": ["
        "{\"params\": [" A "], \"nodes\": [" P0
        ", {\"id\": 1, \"op\": \"block\", \"ins\": [[0, 0]], "
        "\"outs\": [" A ", " R "], \"attrs\": {\"name\": \"LinAlg.QR\"}, \"regions\": [1]}], "
        "\"results\": [[1, 0], [1, 1]]}, "
        "{\"params\": [" A "], \"nodes\": [" P0 ", {\"id\": 1, \"op\": \"iota\", \"ins\": [], "
        "\"outs\": [" A "], \"attrs\": {\"axis\": 0}}, {\"id\": 2, \"op\": \"iota\", \"ins\": [], "
        "\"outs\": [" R "], \"attrs\": {\"axis\": 0}}], \"results\": [[1, 0], [2, 0]]}], "
        "\"literals\": [], \"donations\": [], \"callbacks\": 0}";
    struct vkc_result result;
    e->text_ir = false;
    if (e2e_compile(e, "tall columns", json, strlen(json), E2E_ALSO, &result))
        check_that(&e->check, strstr(result.plan, "panel_qr") != NULL, "no panel in\n%s",
                   result.plan);
    vkc_result_free(&result);
}

int main(void)
{
    struct e2e e;
    setenv("PARTS", "1", 1);
    bool is_open = e2e_open(&e);
    e.text_ir = true;
    if (is_open && !(e.target.features & VKB_FEATURE_ADDRESSES)) {
        printf("skipped: the device has no addresses of buffers\n");
        e.check.skipped++;
        is_open = false;
    }
    for (size_t i = 0; is_open && i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        const struct graph_case *c = &cases[i];
        snprintf(text, sizeof text,
                 "graph \"parts\" entry=f0 callbacks=0\nfunc f0(%s) {\n%s\nreturn %s\n}\n",
                 c->params, c->body, c->result);
        check_used(&e, c->name, text);
        e2e_compare_json(&e, c->name, text, 1, fill, c,
                         1u << E2E_AS_TARGET | 1u << E2E_AS_GPU | 1u << E2E_UNFUSED);
    }
    if (is_open)
        check_reflections(&e);
    return e2e_close(&e);
}
