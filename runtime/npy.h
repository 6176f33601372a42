/* NumPy's .npy files (versions 1 and 2, C order, little-endian), and how the types of a bundle are
   written in them. Any bytes are safe to read. Used by vkrun and tests; knows no Vulkan. */
#ifndef VKR_NPY_H
#define VKR_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NPY_MAX_RANK 16u

struct npy {
    char type[8]; /* NumPy's: "<f4", "|u1" */
    uint32_t rank;
    uint64_t dims[NPY_MAX_RANK];
    const uint8_t *data; /* within the bytes that were read */
    uint64_t bytes;
};

/* False with a line of text in `error`. */
bool npy_read(const void *bytes, size_t size, struct npy *out, char *error, size_t error_size);

/* False if the file cannot be written. */
bool npy_write(FILE *file, const char *type, uint32_t rank, const uint64_t *dims, const void *data,
               uint64_t bytes);

/* NumPy's type for a type of a bundle ("f32"): those that NumPy lacks are unsigned integers of
   the same size. *Returns* NULL if the type is unknown. */
const char *npy_type(const char *type);

/* Whether an array of NumPy type `found` may fill a tensor of `type`: bools and opaque bytes
   too. */
bool npy_type_fits(const char *found, const char *type);

/* Bytes of an element; 0 if the type is unknown. */
uint32_t npy_element_bytes(const char *type);

/* One element (of a complex number: the real part) as a number, and back. */
double npy_get(const char *type, const void *data, uint64_t index);
void npy_set(const char *type, void *data, uint64_t index, double value);

#endif
