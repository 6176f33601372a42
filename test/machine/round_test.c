/* Loops of workgroup programs that record each round in arrays (plan/group/group_slice.h): what a
   round walks of them, and which barriers are of buffers, run by the machine of this folder for
   every shipped profile. Usage: round_test [NAME], a part of names. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "machine_check.h"

/* Rounds from -1 to 5, of which each puts the next row into a table that shared memory has no room
   for, and one mark of 1024. `next`: that row, n11, of the table n1 and the row n3. */
static const struct rounds {
    const char *name, *put, *next;
    bool barriers; /* of buffers, in a round */
} cases[] = {
    {"recorded", "indexed_put", "n11 = add n3, n3 : f64[8]\n", false},
    {"added up", "indexed_add", "n11 = add n3, n3 : f64[8]\n", false},
    {"read", "indexed_put",
     "n14 = slice n1 starts=[0,0] lengths=[1,8] strides=[1,1] : f64[1,8]\n"
     "n15 = reverse n14 axes=[1] : f64[1,8]\nn16 = reshape n15 : f64[8]\nn11 = add n3, n16 : f64[8]\n",
     true},
};

static const char *graph_of(struct arena *a, const struct rounds *c)
{
    const char *all = "s32[], f64[1024,8], f64[1024], f64[8]";
    return arena_printf(
        a,
        "graph \"t\" entry=f0 callbacks=0\nfunc f0(f64[8], f64[1024]) {\n"
        " n0 = parameter index=0 : f64[8]\n n1 = parameter index=1 : f64[1024]\n"
        " n2 = constant bits=ffffffff : s32[]\n n3 = constant bits=0000000000000000 : f64[1024,8]\n"
        " n4 = while n2, n3, n1, n0 regions=[f1,f2] : %s\n return n4.1, n4.2, n4.3\n}\n"
        "func f1(%s) {\n n0 = parameter index=0 : s32[]\n n1 = constant bits=00000006 : s32[]\n"
        " n2 = less n0, n1 : u8[]\n return n2\n}\n"
        "func f2(%s) {\n n0 = parameter index=0 : s32[]\n n1 = parameter index=1 : f64[1024,8]\n"
        " n2 = parameter index=2 : f64[1024]\n n3 = parameter index=3 : f64[8]\n"
        "%s n4 = reshape n11 : f64[1,8]\n n5 = constant bits=00000000 : s32[]\n"
        " n6 = put_slice n1, n4, n0, n5 : f64[1024,8]\n n7 = reshape n0 : s32[1,1]\n"
        " n8 = sum n3 axes=[0] keep=false : f64[]\n n9 = reshape n8 : f64[1]\n"
        " n10 = %s n2, n7, n9 axes=[0] : f64[1024]\n n12 = constant bits=00000001 : s32[]\n"
        " n13 = add n0, n12 : s32[]\n return n13, n6, n10, n11\n}\n",
        all, all, all, c->next, c->put);
}

int main(int argc, char **argv)
{
    struct machine_check m = {.seed = 1};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rounds *c = &cases[i];
        struct arena a;
        if (!check_wanted(&m.check, c->name))
            continue;
        arena_init(&a, 0);
        const char *graph = graph_of(&a, c);
        char *code = machine_code(&m, c->name, graph);
        char *round = code ? strstr(code, "for (;;)") : NULL, *end;
        end = round ? strstr(round, "\n    }\n") : NULL;
        if (end)
            *end = '\0';
        check_that(&m.check, round != NULL, "%s: a loop", c->name);
        check_that(&m.check, round && !strstr(round, "o < 1024u"), "%s: walks all marks", c->name);
        check_that(&m.check, round && (strstr(round, "memoryBarrierBuffer") != NULL) == c->barriers,
                   "%s: barriers of buffers", c->name);
        free(code);
        machine_compare_all(&m, &(struct machine_case){.name = c->name, .graph = graph});
        arena_finish(&a);
    }
    printf("%lld elements compared; %lld more depend on rounding; %d refused\n",
           (long long)m.compared, (long long)m.loose, m.refused);
    return check_finish(&m.check);
}
