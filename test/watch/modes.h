/* Devices with less: $VKR_TEST_MODE, words with commas between them, takes abilities away from
   every device, so that one CPU device stands in for others.

   staged    device memory that the host cannot see
   window    sees it, but moves only small pieces through it
   fences    no timeline semaphores
   rerecord  no update of descriptor sets after they were bound
   rebind    update of descriptor sets after they were bound, on a CPU device that lacks it and
             does without
   closed    no memory of the host
   pieces    at most 64 KiB in one allocation
   late      runs nothing before the host waits for it (watch_be_late)
   unwatched neither watched nor validated, for the thread sanitizer: their locks would order
             what the runtime's do not */
#ifndef TEST_WATCH_MODES_H
#define TEST_WATCH_MODES_H

#include <stdbool.h>

#include "../../runtime/vkr.h"

/* The device may be open already, but nothing may have been done with it. */
vkr_status modes_apply(vkr_device *device, vkr_error *err);

/* Whether the word is among them. */
bool modes_has(const char *word);

#endif
