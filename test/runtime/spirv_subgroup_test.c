/* What the verifier of SPIR-V from outside admits of subgroups: see spirv_test.c. */
#include "spoil.h"

enum { BALLOT = OP_GroupNonUniformBallot, SUM = OP_GroupNonUniformIAdd };

static void make(struct module *m)
{
    make_of(m, K_BALLOT,
            (struct spirv_claim){
                {32, 1, 1}, 128, 1, 0, VKB_FEATURE_BALLOT_32 | VKB_FEATURE_SUBGROUP_ARITHMETIC, 0});
}

#define REFUSED(change, text) SPOILT(make, change, text)

/* The capability of that number. */
static uint32_t capability(const struct module *m, uint32_t number)
{
    for (uint32_t nth = 0;; nth++) {
        uint32_t place = at(m, OP_Capability, nth);
        if (m->words[place + 1] == number)
            return place;
    }
}

static void test_admitted(void)
{
    static struct module plain;
    char said[320] = "";
    make(&plain);
    CHECK(opens(&plain, said), "as it is: %s", said);
}

static void test_capabilities(void)
{
    REFUSED(m->claim.features = VKB_FEATURE_SUBGROUP_ARITHMETIC, "capability 61 is not among");
    REFUSED(m->claim.features = VKB_FEATURE_BALLOT_32, "capability 63 is not among");
    REFUSED(m->words[capability(m, 63) + 1] = 62, "capability 62 is not admitted");
    REFUSED(drop(m, capability(m, 61)), "is not of the workgroup, or a subgroup");
    REFUSED(drop(m, capability(m, 63)), "lacks the capability");
    REFUSED(drop(m, capability(m, 64)), "lacks the capability");
}

static void test_operands(void)
{
    REFUSED(*operand(m, BALLOT, 0, 3) = *operand(m, OP_ControlBarrier, 0, 3), "of a subgroup");
    REFUSED(*operand(m, BALLOT, 0, 3) = *operand(m, BALLOT, 0, 4), "of a subgroup");
    REFUSED(*operand(m, BALLOT, 0, 4) = *operand(m, OP_Load, 0, 2), "four words of a bool");
    REFUSED(*operand(m, BALLOT, 0, 1) = *operand(m, SUM, 0, 1), "four words of a bool");
    REFUSED(*operand(m, BALLOT, 0, 4) = UINT32_MAX, "not a value that is defined");
    REFUSED(*operand(m, SUM, 0, 3) = *operand(m, OP_ControlBarrier, 0, 3), "of a subgroup");
    REFUSED(*operand(m, SUM, 0, 4) = 0, "operation 0 is not admitted");
    REFUSED(*operand(m, SUM, 0, 4) = 3, "operation 3 is not admitted");
    REFUSED(*operand(m, SUM, 0, 5) = *operand(m, BALLOT, 0, 4), "operand 0");
    REFUSED(*operand(m, OP_ControlBarrier, 0, 1) = *operand(m, OP_ControlBarrier, 0, 3),
            "is not of the workgroup, or a subgroup");
    REFUSED(*operand(m, OP_ControlBarrier, 0, 2) = *operand(m, OP_ControlBarrier, 0, 3),
            "is not of the workgroup, or a subgroup");
    REFUSED(*operand(m, OP_ControlBarrier, 0, 3) = *operand(m, OP_ControlBarrier, 0, 1),
            "is not of the workgroup, or a subgroup");
}

int main(void)
{
    test_admitted();
    test_capabilities();
    test_operands();
    return harness_report();
}
