/* Map in tiles that turn in shared memory. */
#ifndef VKC_FAMILY_TURN_H
#define VKC_FAMILY_TURN_H

#include "codegen/emit/emit.h"

/* Begins to watch the loads of a plain map kernel, whose threads count `thread`. */
bool turn_watch(struct emit *e, const struct ix *thread);
/* After it: whether tiles are worth it; sets schedule.map.across and .along, for kernel_turn to be
   called. */
bool turn_wanted(struct emit *e);
bool kernel_turn(struct emit *e);
enum { TURN_TILE = 32 };
int64_t turn_tiles(const struct kernel *k);
void turn_shared(struct emit *e, struct str *out);

#endif
