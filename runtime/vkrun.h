/* What the parts of vkrun share: exit codes, and printing that needs no program. */
#ifndef VKR_VKRUN_H
#define VKR_VKRUN_H

#include "vkr.h"

enum exit_code { EXIT_DONE, EXIT_INPUT, EXIT_USAGE, EXIT_UNSUPPORTED, EXIT_INTERNAL };

struct file {
    void *bytes;
    size_t size;
};

/* Prints "vkrun: what: message" to stderr. *Returns* `code`. */
int complain(int code, const char *what, const char *message);
/* complain with the exit code that a status means. */
int complain_status(vkr_status status, const vkr_error *err);

/* vkrun_files.c. These complain, and *return* an exit code. */
/* A whole file, or the standard input for "-". *Owns*: the caller, free(out->bytes), also after a failure. */
int read_file(const char *path, struct file *out);
/* The values of input `index` from an .npy file or raw bytes, which are t->bytes at *out_data, within the file. */
int read_tensor(const char *path, const vkr_tensor_info *t, uint32_t index, struct file *out, const void **out_data);
/* Says that an input is not given. */
int complain_missing(const vkr_tensor_info *t, uint32_t index);
/* The folder with those above it, where it is missing; that it can be written to. */
int make_folder(const char *path);
/* Writes folder/NAME.npy, or folder/outN.npy where the name is none for a file. */
int save_tensor(const char *folder, const vkr_tensor_info *t, uint32_t index, const void *data);

/* "f32[64,10]" */
void print_shape(const char *type, uint32_t rank, const uint64_t *dims);
/* The same as text, of SHAPE_TEXT bytes at most. */
enum { SHAPE_TEXT = 400 };
void shape_text(const char *type, uint32_t rank, const uint64_t *dims, char out[SHAPE_TEXT]);

/* These print to stdout and *return* an exit code. */
int list_devices(bool json);
int print_profile(const vkr_device_info *info);
/* Signature and plan of a bundle. */
int print_info(const struct file *bundle);

#endif
