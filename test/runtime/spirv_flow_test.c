/* Control flow of SPIR-V from outside: functions written down as text, block by block, and whether
   the verifier admits them. What it admits is structured as SPIR-V wants it, and as the compiler
   writes it; of what is like it and is not, each row has one fault. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/spirv_check.h"
#include "harness.h"

enum { VOID_ID = 1, MAIN_TYPE, MAIN, IMPORT, BOOL, UINT, TRUE_ID, ONE, FUNCTIONS, TYPE_BASE = 20 };
enum { LABELS = 64, VALUES = 192, RESULTS = 224, UNUSED = 380, BOUND = 512, ROOM = 8192 };

static uint32_t words[ROOM], count, results;

static void put(const uint32_t *w, uint32_t n)
{
    memcpy(words + count, w, n * sizeof *w);
    count += n;
}

#define PUT(op, ...)                                                                           \
    put((const uint32_t[]){(uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1) << 16 | (op), \
                           __VA_ARGS__},                                                       \
        sizeof((uint32_t[]){__VA_ARGS__}) / 4 + 1)

static void put_end(uint32_t op)
{
    put((const uint32_t[]){1u << 16 | op}, 1);
}

static void begin(void)
{
    static const uint32_t header[] = {0x07230203, 0x10300, 0, BOUND, 0};
    count = 0, results = RESULTS;
    put(header, 5);
    PUT(OP_Capability, 1);
    PUT(OP_ExtInstImport, IMPORT, 0x4c534c47, 0x6474732e, 0x3035342e, 0); /* GLSL.std.450 */
    PUT(OP_MemoryModel, 0, 1);
    PUT(OP_EntryPoint, 5, MAIN, 0x6e69616d, 0); /* main */
    PUT(OP_ExecutionMode, MAIN, 17, 1, 1, 1);
    PUT(OP_TypeVoid, VOID_ID);
    PUT(OP_TypeBool, BOOL);
    PUT(OP_TypeInt, UINT, 32, 0);
    PUT(OP_TypeFunction, MAIN_TYPE, VOID_ID);
    PUT(OP_TypeFunction, TYPE_BASE, UINT);
    PUT(OP_TypeFunction, TYPE_BASE + 1, VOID_ID, UINT);
    PUT(OP_ConstantTrue, BOOL, TRUE_ID);
    PUT(OP_Constant, UINT, ONE, 1);
    for (uint32_t id = UNUSED; id < UNUSED + 120; id++) /* a module has more words than ids */
        PUT(OP_Constant, UINT, id, id);
}

static bool opens(void)
{
    static const struct spirv_claim claim = {{1, 1, 1}, 0, 0, 0, 0, 0};
    struct spirv_module opened;
    char error[320];
    /* memory that ends where the module does */
    uint32_t *copy = malloc(count * sizeof *copy);
    memcpy(copy, words, count * sizeof *copy);
    bool ok = spirv_open(copy, count, &claim, &opened, error, sizeof error);
    spirv_close(&opened);
    free(copy);
    return ok;
}

/* ---- blocks ---- */

/* A label is a small letter, a value a digit; `-` is id 0, and `?` one that nothing defines. */
static uint32_t id_of(char c)
{
    return islower((unsigned char)c)   ? LABELS + (uint32_t)(c - 'a')
           : isdigit((unsigned char)c) ? VALUES + (uint32_t)(c - '0')
           : c == '-'                  ? 0u
                                       : BOUND - 1u;
}

/* The instructions of a text, each a letter and the ids that it names:
     Lx label   Bx branch   Cxy branch to x or y   Sm selection that ends at m   Omc loop, what
     continues it   R return   D1 defines a value   U1 uses it   P1x2y is 1 from x and 2 from y */
static void put_text(const char *text)
{
    for (const char *t = text; *t;) {
        char c = *t++;
        uint32_t a = *t && c != 'R' && c != ' ' ? id_of(t[0]) : 0;
        switch (c) {
        case 'L': PUT(OP_Label, a), t += 1; break;
        case 'B': PUT(OP_Branch, a), t += 1; break;
        case 'C': PUT(OP_BranchConditional, TRUE_ID, a, id_of(t[1])), t += 2; break;
        case 'S': PUT(OP_SelectionMerge, a, 0), t += 1; break;
        case 'O': PUT(OP_LoopMerge, a, id_of(t[1]), 0), t += 2; break;
        case 'R': put_end(OP_Return); break;
        case 'D': PUT(OP_IAdd, UINT, a, ONE, ONE), t += 1; break;
        case 'U': PUT(OP_IAdd, UINT, results++, a, ONE), t += 1; break;
        case 'P':
            PUT(OP_Phi, UINT, results++, a, id_of(t[1]), id_of(t[2]), id_of(t[3]));
            t += 4;
            break;
        default: break;
        }
    }
}

static const struct {
    const char *text;
    bool is_admitted;
} rows[] = {
    /* blocks one after the other */
    {"La R", true},
    {"La Bb Lb R", true},
    {"La Bb Lb Bc Lc R", true},
    {"La Bb", false},
    {"La", false},
    {"", false},
    {"La R R", false},
    {"La R Lb R", false},
    {"La Bb Lc R", false},
    {"La Ba", false},
    {"La B- L- R", false},
    {"La Bb Lb Ba", false},
    {"La Bb Lb Bb", false},
    {"La Cbc Lb R Lc R", false},
    {"La La R", false},
    {"La Bb Lb Lb R", false},
    /* selections */
    {"La Sd Cbc Lb Bd Lc Bd Ld R", true},
    {"La Sd Cbc Lc Bd Lb Bd Ld R", true},
    {"La Sd Cbd Lb Bd Ld R", true},
    {"La Sd Cdb Lb Bd Ld R", true},
    {"La Sd Cbc Lb R Lc R Ld R", true},
    {"La Sd Cbc Lb Be Le Bd Lc Bd Ld R", true},
    {"La Sd Cbc Lb Bd Ld R", false},
    {"La Sd Cbc Lb Bd Lc Bd", false},
    {"La Sd Cbc Ld R Lb Bd Lc Bd", false},
    {"La Sd Cbb Lb Bd Ld R", false},
    {"La Sd Cdd Ld R", false},
    {"La Sd C-b Lb Bd Ld R", false},
    {"La Sd Cb- Lb Bd Ld R", false},
    {"La Sd Cab Lb Bd Ld R", false},
    {"La Sd Bb Lb Bd Ld R", false},
    {"La Sd Cbc Lb Bc Lc Bd Ld R", false},
    {"La Sd Cbc Lb Bd Lc Bb Ld R", false},
    {"La Sd Cbc Lb Bd Lc Ba Ld R", false},
    {"La Sd Cbc Lb Bd Lb Bd Lc Bd Ld R", false},
    {"La Sa Cbc Lb Ba Lc Ba", false},
    {"La Sd Sd Cbc Lb Bd Lc Bd Ld R", false},
    {"La Sd R", false},
    {"La S- Cbc Lb B- Lc B- L- R", false},
    {"La Sd Cbc Lb Cdc Lc Bd Ld R", false},
    {"La Sd Cbc Lb Sd Cef Le Bd Lf Bd Lc Bd Ld R", false},
    {"La Sd Cbc Lb Sg Cef Le Bg Lf Bg Lg Bd Lc Bd Ld R", true},
    {"La Sd Cbc Lb Sg Cef Le Bd Lf Bg Lg Bd Lc Bd Ld R", false},
    {"La Sd Cbc Lb Sg Cef Le Bg Lc Bd Lf Bg Lg Bd Ld R", false},
    {"La Sd Cbc Lb Bd Lc Bd Le R Ld R", false},
    /* loops: a header, a test, a body, what continues it */
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cmb Lb Bk Lk Bh Lm R", true},
    {"La Bh Lh Omk Bb Lb Bk Lk Chm Lm R", true},
    {"La Bh Lh Omk Bb Lb Bk Lk Cmh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bm Lk Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbk Lb Bk Lk Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb Se Cfe Lf Bk Le Bk Lk Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb Se Cfe Lf Bm Le Bk Lk Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb Se Cfg Lf Bm Lg Bk Le Bk Lk Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb R Lk Bh Lm R", true},
    {"La Omk Bt Lt Bk Lk Ba Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bh Lk Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Bm Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Bk Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk R Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Bt Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Cbm Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Chb Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Cmm Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Chh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Cmb Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Cbh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lm R Lk Bh", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Bh", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Bh Lx R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lx Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Be Le Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Bh Lk Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Ckm Lk Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbc Lb Bk Lc Bk Lk Bh Lm R", false},
    {"La Bh Lh Omm Bt Lt Bm Lm R", false},
    {"La Bh Lh Ohk Bt Lt Bk Lk Bh", false},
    {"La Bh Lh Omh Bt Lt Bh Lm R", false},
    {"La Bh Lh Omk Cbm Lb Bk Lk Bh Lm R", false},
    {"La Bh Lh Omk Bk Lk Bh Lm R", false},
    {"La Bh Lh Omk Bm Lm R", false},
    {"La Bh Lh Omk Omk Bt Lt Bk Lk Bh Lm R", false},
    {"La Bh Lh Omk R Lk Bh Lm R", false},
    {"La Bh Lh Bk Omk Lk Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Se Cfe Lf Be Le Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Se Cfe Lf Bm Le Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Se Cfe Lf Bk Le Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Se Cfe Lf Bh Le Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk Cem Le Bh Lm R", false},
    /* a loop inside of another: only the inner one is left */
    {"La Bh Lh Omk Bt Lt Cbm Lb Bi Li Onj Bu Lu Ccn Lc Bj Lj Bi Ln Bk Lk Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bi Li Onj Bu Lu Ccn Lc Bk Lj Bi Ln Bk Lk Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bi Li Onj Bu Lu Ccn Lc Bm Lj Bi Ln Bk Lk Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bi Li Onj Bu Lu Ccn Lc Bj Lj Bh Ln Bk Lk Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bi Li Onj Bu Lu Ccn Lc Bj Lj Bi Lk Bh Ln Bk Lm R", false},
    {"La Sd Cbd Lb Bh Lh Omk Bt Lt Cem Le Bk Lk Bh Lm Bd Ld R", true},
    {"La Sd Cbd Lb Bh Lh Omk Bt Lt Cem Le Bd Lk Bh Lm Bd Ld R", false},
    {"La Sd Cbd Lb Bh Lh Omk Bt Lt Cdm Le Bk Lk Bh Lm Bd Ld R", false},
    /* what is defined where */
    {"La D1 U1 R", true},
    {"La U1 D1 R", false},
    {"La D1 D1 R", false},
    {"La D1 Bb Lb U1 R", true},
    {"La D1 Sd Cbc Lb U1 Bd Lc U1 Bd Ld U1 R", true},
    {"La Sd Cbc Lb D1 U1 Bd Lc Bd Ld R", true},
    {"La Sd Cbc Lb D1 Bd Lc U1 Bd Ld R", false},
    {"La Sd Cbc Lb D1 Bd Lc Bd Ld U1 R", false},
    {"La Sd Cbd Lb D1 Bd Ld U1 R", false},
    {"La Bh Lh D1 Omk Bt Lt U1 Cbm Lb U1 Bk Lk U1 Bh Lm U1 R", true},
    {"La Bh Lh Omk Bt Lt D1 Cbm Lb U1 Bk Lk Bh Lm R", true},
    {"La Bh Lh Omk Bt Lt Cbm Lb D1 Bk Lk U1 Bh Lm R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb Bk Lk D1 Bh Lm U1 R", false},
    {"La Bh Lh Omk Bt Lt Cbm Lb D1 Bk Lk Bh Lm U1 R", false},
    {"La Sd Cbd Lb Bh Lh Omk Bt Lt Cem Le Bk Lk Bh Lm D1 U1 Bd Ld U1 R", false},
    {"La D1 Sd Omk Cbd Lb Bd Ld R", false},
    {"La Sd D1 Cbd Lb Bd Ld R", false},
    {"La D1 Sd Cbd Lb Bd Ld R U1", false},
    /* values that meet */
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2b3c R", true},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P3c2b R", true},
    {"La D1 Sd Cbd Lb D2 Bd Ld P1a2b R", true},
    {"La D1 Sd Cdb Lb D2 Bd Ld P1a2b R", true},
    {"La D1 Sd Cbc Lb Bd Lc Bd Ld P1b1c P1c1b R", true},
    {"La D1 Sd Cbc Lb D2 Be Le Bd Lc Bd Ld P2e1c R", true},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2c3b R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2b3b R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2a3c R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2b3d R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2b3? R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2b3- R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2b32 R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2b?c R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld U1 P2b3c R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc D3 Bd Ld P2b4c D4 R", false},
    {"La D1 Sd Cbc Lb D2 Bd Lc R Ld P2b1c R", false},
    {"La D1 Sd Cbc Lb D2 Be Le Bd Lc D3 Bd Ld P2b3c R", false},
    {"La D1 Bb Lb P1a1a R", false},
    {"La P1a1a R", false},
    {"La D1 Bh Lh P1a1k Omk Bt Lt Cbm Lb Bk Lk Bh Lm R", false},
    {"La D1 Bh Lh Omk Bt Lt Cbm Lb Bk Lk Bh Lm P1t1b R", false},
    {"La D1 Sd Cbc Lb Sg Cef Le D2 Bg Lf D3 Bg Lg P2e3f Bd Lc Bd Ld P1g1c R", true},
    {"La D1 Sd Cbc Lb Sg Cef Le D2 Bg Lf D3 Bg Lg Bd Lc Bd Ld P2g1c R", false},
};

static void test_blocks(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        PUT(OP_Function, VOID_ID, MAIN, 0, MAIN_TYPE);
        put_text(rows[i].text);
        put_end(OP_FunctionEnd);
        CHECK(opens() == rows[i].is_admitted, "\"%s\" is %s", rows[i].text,
              rows[i].is_admitted ? "refused" : "admitted");
    }
}

/* ---- functions ---- */

static void put_main(void)
{
    PUT(OP_Function, VOID_ID, MAIN, 0, MAIN_TYPE);
    put_text("La R");
    put_end(OP_FunctionEnd);
}

/* A function with another head, parameters and end than it may have. */
static void test_functions(void)
{
    static const struct {
        uint32_t result, id, control, type, parameters, parameter;
        bool returns, is_admitted;
    } heads[] = {
        {VOID_ID, FUNCTIONS, 0, MAIN_TYPE, 0, 0, false, true},
        {UINT, FUNCTIONS, 0, TYPE_BASE, 0, 0, true, true},
        {VOID_ID, FUNCTIONS, 0, TYPE_BASE + 1, 1, UINT, false, true},
        {VOID_ID, FUNCTIONS, 1, MAIN_TYPE, 0, 0, false, false},
        {UINT, FUNCTIONS, 0, MAIN_TYPE, 0, 0, true, false},
        {VOID_ID, FUNCTIONS, 0, TYPE_BASE, 0, 0, false, false},
        {UINT, FUNCTIONS, 0, TYPE_BASE, 0, 0, false, false},
        {VOID_ID, FUNCTIONS, 0, MAIN_TYPE, 0, 0, true, false},
        {VOID_ID, FUNCTIONS, 0, UINT, 0, 0, false, false},
        {VOID_ID, FUNCTIONS, 0, BOUND, 0, 0, false, false},
        {VOID_ID, FUNCTIONS, 0, TYPE_BASE + 1, 0, UINT, false, false},
        {VOID_ID, FUNCTIONS, 0, TYPE_BASE + 1, 2, UINT, false, false},
        {VOID_ID, FUNCTIONS, 0, TYPE_BASE + 1, 1, BOOL, false, false},
        {VOID_ID, FUNCTIONS, 0, MAIN_TYPE, 1, UINT, false, false},
        {VOID_ID, MAIN, 0, MAIN_TYPE, 0, 0, false, false},
        {VOID_ID, UINT, 0, MAIN_TYPE, 0, 0, false, false},
        {VOID_ID, 0, 0, MAIN_TYPE, 0, 0, false, false},
        {VOID_ID, BOUND, 0, MAIN_TYPE, 0, 0, false, false},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        begin();
        put_main();
        PUT(OP_Function, heads[i].result, heads[i].id, heads[i].control, heads[i].type);
        for (uint32_t k = 0; k < heads[i].parameters; k++)
            PUT(OP_FunctionParameter, heads[i].parameter, FUNCTIONS + 1 + k);
        PUT(OP_Label, LABELS + 40);
        if (heads[i].returns)
            PUT(OP_ReturnValue, ONE);
        else
            put_end(OP_Return);
        put_end(OP_FunctionEnd);
        CHECK(opens() == heads[i].is_admitted, "function %zu", i);
    }
    begin();
    PUT(OP_Function, VOID_ID, MAIN, 0, MAIN_TYPE);
    PUT(OP_Label, LABELS);
    PUT(OP_ReturnValue, 0);
    put_end(OP_FunctionEnd);
    CHECK(!opens(), "the value 0 is returned");
    static const uint32_t mains[][2] = {{UINT, TYPE_BASE}, {VOID_ID, TYPE_BASE + 1}};
    for (int i = 0; i < 2; i++) { /* the entry point has no result, and no parameters */
        begin();
        PUT(OP_Function, mains[i][0], MAIN, 0, mains[i][1]);
        if (i)
            PUT(OP_FunctionParameter, UINT, FUNCTIONS);
        PUT(OP_Label, LABELS);
        if (i)
            put_end(OP_Return);
        else
            PUT(OP_ReturnValue, ONE);
        put_end(OP_FunctionEnd);
        CHECK(!opens(), "an entry point with %s", i ? "parameters" : "a result");
    }
    for (int i = 0; i < 4; i++) { /* what is left out, or stands twice */
        begin();
        if (i != 0)
            PUT(OP_Function, VOID_ID, MAIN, 0, MAIN_TYPE);
        if (i == 1)
            PUT(OP_Function, VOID_ID, FUNCTIONS, 0, MAIN_TYPE);
        put_text("La R");
        for (int k = 0; k < (i == 2 ? 0 : i == 3 ? 2 : 1); k++)
            put_end(OP_FunctionEnd);
        CHECK(!opens(), "part %d", i);
    }
}

/* Functions that each call the next twice: as many words as they come to, written out. */
static void test_expanded(void)
{
    for (uint32_t depth = 1; depth < 20; depth++) {
        uint64_t expanded = 8; /* of the last one, up to its end */
        begin();
        for (uint32_t i = 0; i <= depth; i++) {
            PUT(OP_Function, VOID_ID, i ? VALUES + i : MAIN, 0, MAIN_TYPE);
            PUT(OP_Label, LABELS + i);
            for (uint32_t k = 0; k < 2 && i < depth; k++)
                PUT(OP_FunctionCall, VOID_ID, RESULTS + 2 * i + k, VALUES + i + 1);
            put_end(OP_Return);
            put_end(OP_FunctionEnd);
            expanded = i < depth ? 2 * expanded + 16 : expanded;
        }
        CHECK(opens() == (expanded <= SPIRV_MAX_EXPANDED), "%u deep, %llu words", depth,
              (unsigned long long)expanded);
    }
}

/* Functions that each call the next: so deep and no deeper; and constructs in one another. */
static void test_depth(void)
{
    for (uint32_t depth = 1; depth <= SPIRV_MAX_CALLS + 2; depth++) {
        begin();
        for (uint32_t i = 0; i <= depth; i++) {
            PUT(OP_Function, VOID_ID, i ? VALUES + i : MAIN, 0, MAIN_TYPE);
            PUT(OP_Label, LABELS + i);
            if (i < depth)
                PUT(OP_FunctionCall, VOID_ID, RESULTS + 100 + i, VALUES + i + 1);
            put_end(OP_Return);
            put_end(OP_FunctionEnd);
        }
        CHECK(opens() == (depth <= SPIRV_MAX_CALLS), "%u calls deep", depth);
    }
    for (uint32_t depth = SPIRV_MAX_NESTING - 1; depth <= SPIRV_MAX_NESTING + 1; depth++) {
        begin();
        PUT(OP_Function, VOID_ID, MAIN, 0, MAIN_TYPE);
        PUT(OP_Label, LABELS);
        for (uint32_t i = 1; i <= depth; i++) {
            PUT(OP_SelectionMerge, LABELS + 2 * i, 0);
            PUT(OP_BranchConditional, TRUE_ID, LABELS + 2 * i + 1, LABELS + 2 * i);
            PUT(OP_Label, LABELS + 2 * i + 1);
        }
        for (uint32_t i = depth; i > 0; i--) {
            PUT(OP_Branch, LABELS + 2 * i);
            PUT(OP_Label, LABELS + 2 * i);
        }
        put_end(OP_Return);
        put_end(OP_FunctionEnd);
        CHECK(opens() == (depth <= SPIRV_MAX_NESTING), "%u constructs deep", depth);
    }
}

int main(void)
{
    RUN(test_blocks());
    RUN(test_functions());
    RUN(test_expanded());
    RUN(test_depth());
    return harness_report();
}
