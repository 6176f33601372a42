/* Gangs: the same dear function of several single numbers, such as the exponentials of a model's
   scales. In a phase every thread would compute all of them, one after the other; as a gang each
   is computed by a thread of its own, all at once, and handed to the others in shared memory. */
#ifndef VKC_GROUP_GANG_H
#define VKC_GROUP_GANG_H

#include "codegen/emit/emit.h"
#include "plan/group/group.h"

/* Elements of the array gang_TYPE, one for each type of gangs: two halves, for levels in turn. */
enum { GANG_MOST = 32, GANG_TYPES = 2 };
/* Bytes of the arrays that there are. */
uint32_t gang_bytes(const struct group *g);

/* What of a phase goes in gangs. */
struct gangs {
    const struct single *singles; /* what they compute, and some of what that is made of */
    uint32_t nsingles;
    const char *text; /* stands before the phase; all threads run it, a barrier having been */
    struct needs needs;
};

/* Of a phase whose body `e` has been written, with places. out->nsingles is 0 where no gang pays or
   shared memory has no room. False when out of memory. */
bool group_gangs(struct group *g, struct emit *e, struct gangs *out, struct diag *d);

/* The arrays' declarations. */
void gang_print_shared(const struct group *g, struct needs *needs, struct str *out);

#endif
