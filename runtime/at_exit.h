/* What is done at exit(), before the destructors of the driver's library run. A driver that still
   works then, on whatever thread, uses what they have destroyed, and the process dies of a
   signal in place of its exit status: with Mesa 22.3's lavapipe, whose code is made by LLVM, every
   third did. So nothing more is begun, and what is under way is waited for. What takes
   longer dies with the process, whose destructors are then left out. Must not know what it is. */
#ifndef VKR_AT_EXIT_H
#define VKR_AT_EXIT_H

#include "error.h"

#define AT_EXIT_SECONDS 30u /* for what is under way */

/* Something that exit() waits for: `wait` returns when it is done, or false after
   AT_EXIT_SECONDS. */
struct at_exit_work {
    bool (*wait)(void *context);
    void *context;
    struct at_exit_work *next;
};

/* *Owns*: the caller, at_exit_remove. */
void at_exit_add(struct at_exit_work *work);
/* Accepts what was not added. *Blocks* while exit() waits. */
void at_exit_remove(struct at_exit_work *work);

/* Around a call of the driver that takes long. VKR_CANCELLED once exit() has begun, and then not
   to be left. */
vkr_status at_exit_enter(vkr_error *err);
void at_exit_leave(void);

/* VKR_CANCELLED once exit() has begun. */
vkr_status at_exit_check(vkr_error *err);

/* Registers it with exit() once more: what is registered last is done first, and drivers register
   destructors when they are loaded and when they first compile (first_shader.h). */
void at_exit_renew(void);

/* Does what exit() does: *returns* false if something is still under way. */
bool at_exit_begin(void);

#endif
