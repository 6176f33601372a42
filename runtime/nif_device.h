/* Devices and buffers. */
#ifndef VKR_NIF_DEVICE_H
#define VKR_NIF_DEVICE_H

#include "nif_types.h"

/* The destructors. */
void nif_device_down(ErlNifEnv *env, void *device);
void nif_buffer_down(ErlNifEnv *env, void *buffer);

nif_function nif_devices, nif_device_open, nif_device_info, nif_device_counters,
    nif_device_messages, nif_device_wait;
nif_function nif_buffer_create, nif_buffer_alloc, nif_buffer_copy, nif_buffer_write,
    nif_buffer_read, nif_buffer_wait, nif_buffer_free, nif_buffer_info, nif_buffer_address,
    nif_buffer_import;

#endif
