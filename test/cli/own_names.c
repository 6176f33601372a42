/* A program with functions of its own that are called as some of libvkr are: it links with the
   archive, and libvkr does not call them. Opens a device where there is one, which calls those of
   libvkr.

   With --abi it prints what programs that are compiled know of libvkr: sizes, and enumerators
   that come last. */
#include <stdio.h>
#include <string.h>

#include <vkr.h>

int pool_alloc(void);
int queue_init(void);
int log_write(void);
int vkb_sha256(void);

static int calls;

int pool_alloc(void)
{
    return ++calls;
}
int queue_init(void)
{
    return ++calls;
}
int log_write(void)
{
    return ++calls;
}
int vkb_sha256(void)
{
    return ++calls;
}

static void print_abi(void)
{
    printf("abi %d\n", VKR_ABI);
#define SIZE(type) printf("%s %zu\n", #type, sizeof(type));
    SIZE(vkr_error)
    SIZE(vkr_device_info)
    SIZE(vkr_device_options)
    SIZE(vkr_load_options)
    SIZE(vkr_tensor_info)
    SIZE(vkr_program_info)
    SIZE(vkr_run_options)
    SIZE(vkr_call_callback)
    SIZE(vkr_counters)
    SIZE(vkr_kernel_time)
    SIZE(vkr_buffer)
#define LAST(name) printf("%s %d\n", #name, (int)name);
    LAST(VKR_INTERNAL)
    LAST(VKR_OTHER)
    LAST(VKR_CALL_TURN)
}

int main(int argc, char **argv)
{
    vkr_device *device = NULL;
    vkr_buffer buffer = 0;
    vkr_error err = {0};
    if (argc > 1 && strcmp(argv[1], "--abi") == 0)
        return print_abi(), 0;
    if (strcmp(vkr_version(), VKR_VERSION) != 0)
        return fprintf(stderr, "libvkr is %s, its header %s\n", vkr_version(), VKR_VERSION), 1;
    vkr_status status = vkr_device_open(&(vkr_device_options){.pipeline_cache = ""}, &device, &err);
    if (status == VKR_OK)
        status = vkr_buffer_create(device, "four", 4, &buffer, &err);
    if (status != VKR_OK && status != VKR_NO_DEVICE)
        return fprintf(stderr, "%s: %s\n", vkr_status_name(status), err.message), 1;
    vkr_device_close(device);
    if (calls)
        return fprintf(stderr, "libvkr called a function of this program\n"), 1;
    return pool_alloc() + queue_init() + log_write() + vkb_sha256() == 10 ? 0 : 1;
}
