/* What is computed row by row, each row by a workgroup of its own: for every rule of
   passes/batch.def a graph that follows it, and graphs that mix rows. Which of them become
   instances is in the plan, and all give the interpreter's results; so do functions of which only
   some kernels, one after another, are of rows. Run from the root of the repository. */
#include <string.h>

#include "e2e.h"
#include "base/str.h"

/* n7 are sums of each row of n0, n10 other sums of products with those, so that a row takes two
   kernels. n1, n2, n3, n5 are shared by all rows. */
static const char head[] =
    "graph \"rows\" entry=f0 callbacks=0\n"
    "func f0(s32[60,8,40], s32[8], s32[], s32[1,40], s32[60,3], s32[40,6], s32[60,40]) {\n"
    "n0 = parameter index=0 : s32[60,8,40]\nn1 = parameter index=1 : s32[8]\n"
    "n2 = parameter index=2 : s32[]\nn3 = parameter index=3 : s32[1,40]\n"
    "n4 = parameter index=4 : s32[60,3]\nn5 = parameter index=5 : s32[40,6]\n"
    "n6 = parameter index=6 : s32[60,40]\n"
    "n7 = sum n0 axes=[2] keep=false : s32[60,8]\n"
    "n8 = broadcast n7 axes=[0,1] : s32[60,8,40]\nn9 = multiply n0, n8 : s32[60,8,40]\n"
    "n10 = sum n9 axes=[1] keep=false : s32[60,40]\n";

/* A round of x = 3 x + reverse(x) + i, and of something that no row changes. */
#define LOOP(types, shared, round, results)                                                  \
    "n11 = constant bits=00000000 : s32[]\n"                                                 \
    "n12 = while n10, " shared ", n11 regions=[f1,f2] : " types ", s32[]\nreturn n12.0\n}\n" \
    "func f1(" types ", s32[]) {\nn0 = parameter index=2 : s32[]\n"                          \
    "n1 = constant bits=0000000c : s32[]\nn2 = less n0, n1 : u8[]\nreturn n2\n}\n"           \
    "func f2(" types ", s32[]) {\nn0 = parameter index=0 : s32[60,40]\n" round               \
    "n20 = reverse n0 axes=[1] : s32[60,40]\nn21 = parameter index=2 : s32[]\n"              \
    "n22 = broadcast n21 axes=[] : s32[60,40]\nn23 = constant bits=00000003 : s32[60,40]\n"  \
    "n24 = multiply n0, n23 : s32[60,40]\nn25 = add n24, n20 : s32[60,40]\n"                 \
    "n26 = add n25, n22 : s32[60,40]\nn27 = constant bits=00000001 : s32[]\n"                \
    "n28 = add n21, n27 : s32[]\n" results

enum expect { INSTANCES, WHOLE, EITHER };

static const struct rule {
    const char *name, *text;
    enum expect expect;
} rules[] = {
    {"element-wise, of a number that all share",
     "n11 = broadcast n2 axes=[] : s32[60,40]\nn12 = multiply n10, n11 : s32[60,40]\n"
     "return n12, n7\n}\n",
     INSTANCES},
    {"a parameter as it is", "return n10, n6\n}\n", INSTANCES},
    {"one result twice", "return n10, n10\n}\n", INSTANCES},
    {"reversed", "n11 = reverse n10 axes=[1] : s32[60,40]\nreturn n11\n}\n", INSTANCES},
    {"rows reversed", "n11 = reverse n10 axes=[0] : s32[60,40]\nreturn n11\n}\n", WHOLE},
    {"sliced",
     "n11 = slice n10 starts=[0,3] lengths=[60,8] strides=[1,2] : s32[60,4]\nreturn n11\n}\n",
     INSTANCES},
    {"rows sliced and repeated",
     "n11 = slice n10 starts=[30,0] lengths=[30,40] strides=[1,1] : s32[30,40]\n"
     "n12 = concatenate n11, n11 axis=0 : s32[60,40]\nreturn n12\n}\n",
     WHOLE},
    {"padded", "n11 = pad n10, n2 lo=[0,1] hi=[0,2] interior=[0,1] : s32[60,82]\nreturn n11\n}\n",
     INSTANCES},
    {"rows moved by padding",
     "n11 = pad n10, n2 lo=[1,0] hi=[-1,0] interior=[0,0] : s32[60,40]\nreturn n11\n}\n", WHOLE},
    {"concatenated", "n11 = concatenate n10, n6, n7 axis=1 : s32[60,88]\nreturn n11\n}\n",
     INSTANCES},
    {"stacked", "n11 = stack n10, n6 axis=1 : s32[60,2,40]\nreturn n11\n}\n", INSTANCES},
    {"transposed",
     "n11 = broadcast n10 axes=[0,2] : s32[60,8,40]\nn12 = add n11, n9 : s32[60,8,40]\n"
     "n13 = transpose n12 axes=[0,2,1] : s32[60,40,8]\nreturn n13\n}\n",
     INSTANCES},
    {"rows transposed",
     "n11 = pad n10, n2 lo=[0,0] hi=[0,20] interior=[0,0] : s32[60,60]\n"
     "n12 = transpose n11 axes=[1,0] : s32[60,60]\nreturn n12\n}\n",
     WHOLE},
    {"where the greatest is",
     "n11 = argmax n10 axis=1 tie_break=\"low\" keep=false : s32[60]\n"
     "n12 = argmin n10 axis=1 tie_break=\"high\" keep=true : s32[60,1]\nreturn n11, n12\n}\n",
     INSTANCES},
    {"numbered", "n11 = iota axis=1 : s32[60,40]\nn12 = add n10, n11 : s32[60,40]\nreturn n12\n}\n",
     INSTANCES},
    {"rows numbered",
     "n11 = iota axis=0 : s32[60,40]\nn12 = add n10, n11 : s32[60,40]\nreturn n12\n}\n", WHOLE},
    {"of another shape, and a shared vector",
     "n11 = reshape n10 : s32[60,8,5]\nn12 = broadcast n1 axes=[1] : s32[60,8,5]\n"
     "n13 = add n11, n12 : s32[60,8,5]\nreturn n13\n}\n",
     INSTANCES},
    {"a shared row",
     "n11 = broadcast n3 axes=[0,1] : s32[60,40]\nn12 = add n10, n11 : s32[60,40]\nreturn n12\n}\n",
     INSTANCES},
    {"rows times a shared matrix",
     "n11 = dot n10, n5 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : s32[60,6]\n"
     "return n11\n}\n",
     INSTANCES},
    {"rows times rows",
     "n11 = dot n10, n6 contract_a=[1] batch_a=[0] contract_b=[1] batch_b=[0] : s32[60]\n"
     "return n11\n}\n",
     INSTANCES},
    {"a shared vector times rows",
     "n11 = dot n1, n7 contract_a=[0] batch_a=[] contract_b=[1] batch_b=[] : s32[60]\n"
     "return n11, n10\n}\n",
     INSTANCES},
    {"a part at a place that all share",
     "n11 = dynamic_slice n10, n2, n2 lengths=[60,10] strides=[1,1] : s32[60,10]\nreturn n11\n}\n",
     INSTANCES},
    {"a part replaced",
     "n11 = slice n6 starts=[0,5] lengths=[60,10] strides=[1,1] : s32[60,10]\n"
     "n12 = put_slice n10, n11, n2, n2 : s32[60,40]\nreturn n12\n}\n",
     INSTANCES},
    {"looked up in what all share",
     "n11 = reshape n4 : s32[60,3,1]\nn12 = gather n1, n11 axes=[0] : s32[60,3]\n"
     "n13 = slice n10 starts=[0,0] lengths=[60,3] strides=[1,1] : s32[60,3]\n"
     "n14 = add n12, n13 : s32[60,3]\nreturn n14\n}\n",
     INSTANCES},
    {"rows looked up",
     "n11 = slice n4 starts=[0,0] lengths=[60,1] strides=[1,1] : s32[60,1]\n"
     "n12 = gather n10, n11 axes=[0] : s32[60,40]\nreturn n12\n}\n",
     WHOLE},
    {"bytes, whole words of them",
     "n11 = slice n10 starts=[0,0] lengths=[60,4] strides=[1,1] : s32[60,4]\n"
     "n12 = constant bits=00000000 : s32[60,4]\nn13 = less n11, n12 : u8[60,4]\nreturn n13\n}\n",
     INSTANCES},
    {"bytes, three of a word",
     "n11 = slice n10 starts=[0,0] lengths=[60,3] strides=[1,1] : s32[60,3]\n"
     "n12 = constant bits=00000000 : s32[60,3]\nn13 = less n11, n12 : u8[60,3]\nreturn n13\n}\n",
     WHOLE},
    {"a sum over all rows",
     "n11 = sum n10 axes=[0] keep=false : s32[40]\nn12 = broadcast n11 axes=[1] : s32[60,40]\n"
     "n13 = add n10, n12 : s32[60,40]\nreturn n13\n}\n",
     WHOLE},
    {"the same for every row",
     "n11 = sum n5 axes=[0] keep=false : s32[6]\nn12 = broadcast n11 axes=[1] : s32[60,6]\n"
     "return n12\n}\n",
     WHOLE},
    {"a loop over a row and what all share",
     LOOP("s32[60,40], s32[8]", "n1",
          "n1 = parameter index=1 : s32[8]\nn2 = constant bits=00000005 : s32[8]\n"
          "n3 = add n1, n2 : s32[8]\n",
          "n29 = slice n1 starts=[3] lengths=[1] strides=[1] : s32[1]\n"
          "n30 = broadcast n29 axes=[1] : s32[60,40]\nn31 = add n26, n30 : s32[60,40]\n"
          "return n31, n3, n28\n}\n"),
     INSTANCES},
    {"a loop that carries all rows of one value, and a row of another",
     LOOP("s32[60,40], s32[60,40]", "n6",
          "n1 = parameter index=1 : s32[60,40]\nn2 = constant bits=00000005 : s32[60,40]\n"
          "n3 = multiply n1, n2 : s32[60,40]\n",
          "n29 = slice n1 starts=[3,0] lengths=[1,40] strides=[1,1] : s32[1,40]\n"
          "n30 = broadcast n29 axes=[0,1] : s32[60,40]\nn31 = add n26, n30 : s32[60,40]\n"
          "return n31, n3, n28\n}\n"),
     EITHER},
    {"a loop whose rows change places",
     LOOP("s32[60,40], s32[8]", "n1", "n1 = parameter index=1 : s32[8]\n",
          "n29 = reverse n26 axes=[0] : s32[60,40]\nreturn n29, n1, n28\n}\n"),
     WHOLE},
};

/* x[60,200], w[200,6], v[6]: the softmax of x w + v, its product with w, and sums over rows of
   both, so that the whole function does not compute rows from rows. */
#define THREE "f32[60,200], f32[200,6], f32[6]"
#define FOUR THREE ", s32[]"
#define LAYERS                                                                              \
    "n0 = parameter index=0 : f32[60,200]\nn1 = parameter index=1 : f32[200,6]\n"           \
    "n2 = parameter index=2 : f32[6]\n"                                                     \
    "n3 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[60,6]\n"     \
    "n4 = broadcast n2 axes=[1] : f32[60,6]\nn5 = add n3, n4 : f32[60,6]\n"                 \
    "n6 = reduce_max n5 axes=[1] keep=false : f32[60]\n"                                    \
    "n7 = broadcast n6 axes=[0] : f32[60,6]\nn8 = subtract n5, n7 : f32[60,6]\n"            \
    "n9 = exp n8 : f32[60,6]\nn10 = sum n9 axes=[1] keep=false : f32[60]\n"                 \
    "n11 = broadcast n10 axes=[0] : f32[60,6]\nn12 = divide n9, n11 : f32[60,6]\n"          \
    "n13 = dot n12, n1 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[60,200]\n" \
    "n14 = dot n0, n12 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f32[200,6]\n"  \
    "n15 = sum n13 axes=[0] keep=false : f32[200]\n"
#define FUNCTION "graph \"layers\" entry=f0 callbacks=0\nfunc f0(" THREE ") {\n" LAYERS

/* Of which kernels a chain is, as the plan has it. NULL: of none. */
static const struct {
    const char *name, *text, *chain;
} chains[] = {
    {"a chain, its last value alone", FUNCTION "return n15\n}\n", "60 x n13,"},
    {"a chain, of which others read two values", FUNCTION "return n14, n15\n}\n", "60 x n12, n13,"},
    {"a chain whose values are results", FUNCTION "return n14, n15, n5, n13\n}\n",
     "60 x n5, n12, n13,"},
    {"a chain whose values are reshaped",
     FUNCTION "n16 = reshape n12 : f32[10,36]\nn17 = sum n16 axes=[1] keep=false : f32[10]\n"
              "n18 = reshape n13 : f32[12000]\nreturn n15, n17, n18\n}\n",
     "60 x n12, n13,"},
    {"a chain, and later a kernel that is equal to its first",
     "graph \"layers\" entry=f0 callbacks=0\nfunc f0(" THREE ", f32[60,60]) {\n" LAYERS
     "n16 = parameter index=3 : f32[60,60]\n"
     "n17 = dot n16, n13 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f32[60,200]\n"
     "n18 = dot n17, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[60,6]\n"
     "n19 = sum n18 axes=[0] keep=false : f32[6]\nreturn n19\n}\n",
     "60 x n13,"},
    {"a chain in a loop that changes what it reads",
     "graph \"layers\" entry=f0 callbacks=0\nfunc f0(" THREE ") {\n"
     "n0 = parameter index=0 : f32[60,200]\nn1 = parameter index=1 : f32[200,6]\n"
     "n2 = parameter index=2 : f32[6]\nn3 = constant bits=00000000 : s32[]\n"
     "n4 = while n0, n1, n2, n3 regions=[f1,f2] : " FOUR "\nreturn n4.0, n4.1, n4.2\n}\n"
     "func f1(" FOUR ") {\nn0 = parameter index=3 : s32[]\nn1 = constant bits=00000005 : s32[]\n"
     "n2 = less n0, n1 : u8[]\nreturn n2\n}\n"
     "func f2(" FOUR ") {\n" LAYERS "n16 = multiply n0, n13 : f32[60,200]\n"
     "n17 = constant bits=3dcccccd : f32[200,6]\nn18 = multiply n14, n17 : f32[200,6]\n"
     "n19 = subtract n1, n18 : f32[200,6]\nn20 = sum n12 axes=[0] keep=false : f32[6]\n"
     "n21 = parameter index=3 : s32[]\nn22 = constant bits=00000001 : s32[]\n"
     "n23 = add n21, n22 : s32[]\nreturn n16, n19, n20, n23\n}\n",
     "60 x n12, n16,"},
    {"a chain of which one reads all rows of what the next would write over",
     "graph \"over\" entry=f0 callbacks=0\ndonate 1 -> 0\nfunc f0(s32[100,100], s32[100]) {\n"
     "n0 = parameter index=0 : s32[100,100]\nn1 = parameter index=1 : s32[100]\n"
     "n2 = broadcast n1 axes=[1] : s32[100,100]\nn3 = multiply n0, n2 : s32[100,100]\n"
     "n4 = dot n3, n0 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : s32[100,100]\n"
     "n5 = reduce_max n4 axes=[1] keep=false : s32[100]\n"
     "n6 = add n5, n1 : s32[100]\nreturn n6\n}\n",
     NULL},
};

int main(void)
{
    struct e2e e;
    if (!e2e_open(&e))
        return e2e_close(&e);
    e.text_ir = true;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct arena a;
        arena_init(&a, 0);
        const char *text = arena_printf(&a, "%s%s", head, rules[i].text);
        if (rules[i].expect != EITHER)
            e2e_check_plan(&e, rules[i].name, text, "60 x rows", rules[i].expect == INSTANCES);
        e2e_compare_json(&e, rules[i].name, text, 1, NULL, NULL,
                         1u << E2E_AS_TARGET | 1u << E2E_AS_GPU | 1u << E2E_PARTS);
        arena_finish(&a);
    }
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        const char *chain = chains[i].chain;
        e2e_check_plan(&e, chains[i].name, chains[i].text, chain ? chain : "00 x n", chain);
        /* small results that a chain reads on are in shared memory */
        e2e_check_plan(&e, chains[i].name, chains[i].text, "rw ", false);
        e2e_compare_json(&e, chains[i].name, chains[i].text, 2, NULL, NULL,
                         1u << E2E_AS_TARGET | 1u << E2E_AS_GPU | 1u << E2E_PARTS);
    }
    return e2e_close(&e);
}
