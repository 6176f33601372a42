/* What a device's lock guards changes only under it: a copy that is made when the lock is given
   up must still be right when it is taken again. Stands between the runtime and pthread, by the
   linker's --wrap. */
#ifndef TEST_LOCKS_H
#define TEST_LOCKS_H

struct vkr_device;

/* From now on, until the device's lock is destroyed. A finding counts as one of the watch. */
void locks_watch(struct vkr_device *device);

#endif
