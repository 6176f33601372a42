/* A folder of files that nobody else may write: what a cache returns is run, so it has to be our
   own. Nothing is followed on the way into it: not a link in place of the folder or of a file, nor
   a FIFO or a device. Files have mode 0600, folders that are made 0700.

   Every function that fails writes one line to `why`. */
#ifndef VKR_PRIVATE_FOLDER_H
#define VKR_PRIVATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FOLDER_NONE = -1 };

/* Opens the folder. With `make`, the folder and its parents are created if they are missing.
   Fails if the path is not a folder, if the folder belongs to another user, or if others may
   write to it. *Owns*: the caller, close(). *Returns* a descriptor or FOLDER_NONE; `why` is ""
   if there is no such folder. */
int private_folder_open(const char *path, bool make, char *why, size_t why_size);

/* A whole file of at most `limit` bytes. NULL where there is none (`why` is ""), where it is not
   a plain file of this user's that only this user may write, or where it is empty. *Owns*: the
   caller, free(). */
void *private_file_read(int folder, const char *name, size_t limit, size_t *out_size, char *why,
                        size_t why_size);

struct file_part {
    const void *data;
    size_t size; /* bytes */
};

/* Writes the parts one after the other, under another name first, so that a reader sees all of
   it or nothing. Removes what killed writers left, too. */
bool private_file_write(int folder, const char *name, const struct file_part *parts, size_t count,
                        char *why, size_t why_size);

/* Of the plain files of this user whose names have this ending, removes those that were read or
   written longest ago, until the rest have `most` bytes. For lack of memory it removes none. */
void private_folder_trim(int folder, const char *ending, uint64_t most);

/* The same after a file of `bytes` was written. Looking at all files takes longer than writing one,
   so it is done for one in 64, which `random`, bits of the file's key, decides, and for those that
   are larger than such a part of all. */
void private_folder_wrote(int folder, const char *ending, uint64_t most, uint64_t bytes,
                          uint64_t random);

#endif
