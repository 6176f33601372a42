#include "base/cancel.h"

#include <stddef.h>

bool cancel_poll(struct cancel *c)
{
    if (!c || !c->is_cancelled)
        return false;
    if (atomic_load_explicit(&c->is_seen, memory_order_relaxed))
        return true;
    if (!c->is_cancelled(c->context))
        return false;
    atomic_store_explicit(&c->is_seen, true, memory_order_relaxed);
    return true;
}

bool cancel_check(struct cancel *c, struct diag *d)
{
    return !cancel_poll(c) || FAIL(d, CANCELLED, "cancelled");
}
