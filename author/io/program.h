/* SPDX-License-Identifier: MIT */
/* Finds the folder of the running program, and helper programs of this library. */
#ifndef SN_AUTHOR_IO_PROGRAM_H
#define SN_AUTHOR_IO_PROGRAM_H

#include "host/base/arena.h"

/* Finds a helper program: the path in the environment variable `variable`, else the file `name` beside this library or
 * the running program, or in libexec/sinew beside either folder, so that installed trees can be moved. Errors:
 * SN_ERROR_UNSUPPORTED if it is not found; the message begins with `for_file`. */
sn_result sn_program_find(const char *name, const char *variable, const char *for_file, sn_arena *arena,
                          const char **path);

#define SN_PROGRAM_PATH_SIZE 4096
/* The folder of the running program, with a slash; false if the system does not report it. */
bool sn_program_folder(char folder[SN_PROGRAM_PATH_SIZE]);

#endif
