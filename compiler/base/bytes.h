/* Bytes written as text: strict base64 and hexadecimal. */
#ifndef VKC_IMPORT_BYTES_H
#define VKC_IMPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes the base64 text stands for, by its length and padding. */
bool base64_size(const char *text, size_t len, size_t *out);
/* RFC 4648 with padding and nothing else: no blanks, no missing padding, unused bits zero. */
bool base64_decode(const char *text, size_t len, unsigned char *out);

/* Two digits a byte, either case; len must be even. */
bool hex_decode(const char *text, size_t len, unsigned char *out);

#endif
