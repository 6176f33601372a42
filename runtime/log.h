/* The log callback of a device, and the debug messenger that feeds it. */
#ifndef VKR_LOG_H
#define VKR_LOG_H

#include "vk.h"

enum log_severity { LOG_ERROR, LOG_WARNING, LOG_INFO };

struct log {
    void (*function)(void *context, int severity, const char *message);
    void *context;
};

/* Does nothing without a callback. */
void log_write(const struct log *log, enum log_severity severity, const char *format, ...)
    VKR_FORMAT(3, 4);

/* The `function` of a process that asked for messages by $VKR_DEBUG. */
void log_to_stderr(void *context, int severity, const char *message);

/* Routes driver and validation messages to `log`, which must outlive the messenger. */
VkDebugUtilsMessengerCreateInfoEXT log_messenger(struct log *log);

#endif
