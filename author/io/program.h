/* SPDX-License-Identifier: MIT */
/* Where the running program is, and a helper program of this library. */
#ifndef SN_AUTHOR_IO_PROGRAM_H
#define SN_AUTHOR_IO_PROGRAM_H

#include "host/base/arena.h"

/* The path that the environment's `variable` holds; else the file `name` beside this library or the running program, or
 * in libexec/sinew beside the folder that holds either: installed trees may be moved. SN_ERROR_UNSUPPORTED (one line,
 * which begins with `for_file`) where there is none. */
sn_result sn_program_find(const char *name, const char *variable, const char *for_file, sn_arena *arena,
                          const char **path);

#define SN_PROGRAM_PATH_SIZE 4096
/* Of the running program, with its slash; false: the system does not say. */
bool sn_program_folder(char folder[SN_PROGRAM_PATH_SIZE]);

#endif
