/* SPDX-License-Identifier: MIT */
/* Runs a helper program on untrusted input, so that its crashes and memory use do not affect this process. */
#ifndef SN_AUTHOR_IO_CHILD_PROCESS_H
#define SN_AUTHOR_IO_CHILD_PROCESS_H

#include "author/io/list.h"
#include "author/io/source.h"

typedef struct sn_child_process {
    const char *program;          /* path of the executable */
    const char *const *arguments; /* its argv, null-terminated */
    double seconds;               /* wall-clock timeout, after which it is killed */
    size_t max_bytes;             /* max. size of its output */
} sn_child_process;

/* Runs the program with `input` as its standard input and collects its standard output in `output`, a zeroed list of
 * bytes that the caller must finish also on failure. Its standard error is discarded; it starts with default signal
 * handling. Its environment is empty. It inherits file descriptors that are not close-on-exec. Thread-safe; installs no
 * signal handlers. If the calling program reaps all children itself, the exit status is unknown. Errors, each one line
 * that begins with the input's name: SN_ERROR_FILE if the program cannot be started; SN_ERROR_FORMAT if it crashed,
 * took too long or wrote too much. */
sn_result sn_child_process_run(const sn_child_process *child, const sn_source *input, sn_list *output);

#endif
