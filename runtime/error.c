#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *vkr_version(void)
{
    return VKR_VERSION;
}

const char *vkr_status_name(vkr_status status)
{
    switch (status) {
    case VKR_OK: return "ok";
    case VKR_INVALID_ARGUMENT: return "invalid argument";
    case VKR_INVALID_HANDLE: return "invalid handle";
    case VKR_SIZE_MISMATCH: return "size mismatch";
    case VKR_INVALID_BUNDLE: return "invalid bundle";
    case VKR_UNSUPPORTED: return "unsupported by the device";
    case VKR_NO_DEVICE: return "no device";
    case VKR_OUT_OF_HOST_MEMORY: return "out of host memory";
    case VKR_OUT_OF_DEVICE_MEMORY: return "out of device memory";
    case VKR_DEVICE_LOST: return "device lost";
    case VKR_TIMEOUT: return "timeout";
    case VKR_CALLBACK_FAILED: return "callback failed";
    case VKR_CANCELLED: return "cancelled";
    case VKR_INTERNAL: return "internal error";
    }
    return "unknown status";
}

vkr_status error_set(vkr_error *err, vkr_status status, const char *format, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    err->status = status;
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

vkr_status error_memory(vkr_error *err)
{
    return error_set(err, VKR_OUT_OF_HOST_MEMORY, "out of host memory");
}

void *host_alloc(size_t count, size_t size)
{
    if (FAULT("host_alloc"))
        return NULL;
    return calloc(count ? count : 1, size ? size : 1);
}
