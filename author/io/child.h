/* SPDX-License-Identifier: MIT */
/* Another program at work on bytes that nobody vouches for: what happens to it does not happen here. */
#ifndef SN_AUTHOR_IO_CHILD_H
#define SN_AUTHOR_IO_CHILD_H

#include "author/io/list.h"
#include "author/io/source.h"

typedef struct sn_child {
    const char *program;          /* its path */
    const char *const *arguments; /* its argv, ends with null */
    double seconds;               /* of the clock on the wall, until it is killed */
    size_t most_bytes;            /* that it may answer */
} sn_child;

/* Runs the program with `input` as its standard input and collects its standard output in `answer` (bytes, of a zeroed
 * list; finish it either way). Its standard error goes nowhere, no signal is blocked or ignored there; descriptors that
 * the caller did not mark close-on-exec are its own to close. Any thread may call this, and it touches no signal
 * handler; where the calling program reaps all children itself, the cause of a death is not known. Errors, each one
 * line that begins with the input's name: the program cannot be started (SN_ERROR_FILE), or it crashed, answered more
 * than it may, or took too long (SN_ERROR_FORMAT). */
sn_result sn_child_run(const sn_child *child, const sn_source *input, sn_list *answer);

#endif
