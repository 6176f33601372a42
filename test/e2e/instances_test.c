/* What is computed row by row, each row by a workgroup of its own: for every rule of
   passes/batch.def a graph that follows it, and graphs that mix rows. Which of them become
   instances is in the plan, and all give the interpreter's results. Run from the root of the
   repository. */
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
    return e2e_close(&e);
}
