/* Fusion: see fuse.c. Shares with code generation the notion of a hero. */
#ifndef VKC_FUSE_H
#define VKC_FUSE_H

#include "emit.h"
#include "plan.h"

#endif
