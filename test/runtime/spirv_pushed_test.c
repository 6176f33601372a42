/* Push constants in SPIR-V from outside, with no device: each row spoils a module that is admitted
   (line.comp) in one way, and names what the complaint says. */
#include "spoil.h"

enum { WORDS = 2 };

static void make(struct module *m)
{
    make_of(m, K_LINE, (struct spirv_claim){{64, 1, 1}, 0, 1, WORDS, 0, 0});
}

#define REFUSED(change, text) SPOILT(make, change, text)

/* The nth chain into push constants: its word. */
static uint32_t chain(struct module *m, uint32_t nth)
{
    uint32_t i = 0, place = at(m, OP_AccessChain, 0);
    while (place > 5 && (defines(m, m->words[place + 1])[2] != STORAGE_PushConstant || nth-- != 0))
        place = at(m, OP_AccessChain, ++i);
    return place;
}

/* The variable, the pointer that is its type, the block, the array in it. */
static uint32_t variable(struct module *m)
{
    return m->words[chain(m, 0) + 3];
}

static uint32_t pointer(struct module *m)
{
    return defines(m, variable(m))[1];
}

static uint32_t array(struct module *m)
{
    return defines(m, defines(m, pointer(m))[3])[2];
}

/* The first that decorates the id: its word. */
static uint32_t decoration(struct module *m, uint32_t id)
{
    uint32_t i = 0, place = at(m, OP_Decorate, 0);
    while (place > 5 && m->words[place + 1] != id)
        place = at(m, OP_Decorate, ++i);
    return place;
}

static uint32_t *stride(struct module *m)
{
    return &m->words[decoration(m, array(m)) + 3];
}

/* A type of 32 bits that is not the array's. */
static uint32_t signed_type(struct module *m)
{
    return defines(m, m->words[chain(m, 0) + 4])[1];
}

static void test_array(void)
{
    for (uint32_t more = 0; more < 2; more++) { /* a kernel may have more than it reads */
        static struct module whole;
        char said[320] = "";
        make(&whole);
        whole.claim.npushed += more;
        CHECK(opens(&whole, said), "said: %s", said);
    }
    REFUSED(m->claim.npushed = WORDS - 1, "at most 1 words");
    REFUSED(m->claim.npushed = 0, "at most 0 words");
    REFUSED(*stride(m) = 8, "at most 2 words");
    REFUSED(*stride(m) = 0, "at most 2 words");
    REFUSED(defines(m, array(m))[2] = signed_type(m), "at most 2 words");
}

/* The variable's type becomes a pointer to one word, declared just before it. */
static void make_word(struct module *m)
{
    uint32_t place = (uint32_t)(defines(m, variable(m)) - m->words), type = new_id(m),
             word = defines(m, array(m))[2];
    INSERT(m, place, OP_TypePointer, type, STORAGE_PushConstant, word);
    m->words[place + 5] = type;
}

static void test_block(void)
{
    REFUSED(drop(m, decoration(m, defines(m, pointer(m))[3])),
            "must be a block of one array at offset 0");
    REFUSED(defines(m, pointer(m))[2] = STORAGE_StorageBuffer,
            "points to something that cannot be there");
    REFUSED(defines(m, m->words[chain(m, 0) + 1])[3] = signed_type(m),
            "points to something that cannot be there");
    /* the variable is a single word; there is a second block */
    REFUSED(make_word(m), "is not a block of words");
    REFUSED(INSERT(m, (uint32_t)(defines(m, variable(m)) - m->words), OP_Variable, pointer(m),
                   new_id(m), STORAGE_PushConstant),
            "or the second one");
}

static void test_access(void)
{
    uint32_t place;
    /* the block has one member, so its index 1 names none */
    REFUSED(m->words[chain(m, 0) + 4] = m->words[chain(m, 1) + 5], "names no member");
    REFUSED(defines(m, m->words[chain(m, 1) + 5])[3] = WORDS, "names no push constant");
    REFUSED(m->words[chain(m, 1) + 5] = m->words[at(m, OP_Load, 1) + 2], "names no push constant");
    REFUSED((place = chain(m, 0) + 6,
             INSERT(m, place, OP_Store, m->words[place - 4], m->words[at(m, OP_Load, 0) + 2])),
            "writes an input, a push constant or texels");
}

int main(void)
{
    test_array();
    test_block();
    test_access();
    return harness_report();
}
