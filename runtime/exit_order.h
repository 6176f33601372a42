/* Keeps what at_exit.h registers behind what drivers register, on a device that is a CPU: its
   driver compiles when a shader first runs, on a thread of its own. So while the device works, a
   thread of ours registers again and again, until that has been so for long enough. */
#ifndef VKR_EXIT_ORDER_H
#define VKR_EXIT_ORDER_H

#include <stdbool.h>

#include "error.h"

struct exit_order;

/* `is_idle` tells whether the device has nothing to do; called by the thread. *Owns*: the caller,
   exit_order_finish. */
vkr_status exit_order_start(bool (*is_idle)(void *context), void *context, struct exit_order **out,
                            vkr_error *err);
/* Something was submitted. Accepts NULL. */
void exit_order_note(struct exit_order *order);
/* Accepts NULL. *Blocks* until the thread has ended: 20 ms at most. */
void exit_order_finish(struct exit_order *order);

#endif
