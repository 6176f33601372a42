/* What vkrun reads and writes: bundles, inputs, outputs. Knows nothing of devices. Functions
   complain, and *return* an exit code. */
#ifndef VKR_VKRUN_FILES_H
#define VKR_VKRUN_FILES_H

#include "vkrun_print.h"

struct file {
    void *bytes;
    size_t size;
};

/* A whole file, or the standard input for "-". *Owns*: the caller, free(out->bytes), also after a
   failure. */
int read_file(const char *path, struct file *out);
/* The values of input `index` from an .npy file or raw bytes, which are t->bytes at *out_data,
   within the file. */
int read_tensor(const char *path, const vkr_tensor_info *t, uint32_t index, struct file *out,
                const void **out_data);
/* Says that an input is not given. */
int complain_missing(const vkr_tensor_info *t, uint32_t index);
/* The folder with those above it, where it is missing; that it can be written to. */
int make_folder(const char *path);
/* Writes folder/NAME.npy, or folder/outN.npy where the name is none for a file. */
int save_tensor(const char *folder, const vkr_tensor_info *t, uint32_t index, const void *data);

#endif
