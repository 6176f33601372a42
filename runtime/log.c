#include "log.h"

#include <stdarg.h>
#include <stdio.h>

void log_write(const struct log *log, enum log_severity severity, const char *format, ...)
{
    if (!log->function)
        return;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log->function(log->context, severity, text);
}

void log_to_stderr(void *context, int severity, const char *message)
{
    static const char *const names[] = {"error: ", "warning: ", ""};
    (void)context;
    fprintf(stderr, "vkr: %s%s\n", names[severity], message);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *context)
{
    const struct log *log = context;
    enum log_severity level = LOG_INFO;
    (void)types;
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
        level = LOG_ERROR;
    else if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        level = LOG_WARNING;
    if (log->function)
        log->function(log->context, level, data->pMessage);
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT log_messenger(struct log *log)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = log,
    };
}
