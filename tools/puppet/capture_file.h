/* SPDX-License-Identifier: MIT */
/* What --capture writes: refused, or begun, before anybody moves, so that a session is not lost at its end. */
#ifndef SN_TOOLS_PUPPET_CAPTURE_FILE_H
#define SN_TOOLS_PUPPET_CAPTURE_FILE_H

#include <stdbool.h>

#include "runtime/puppet/capture.h"

/* Zero it. */
typedef struct sn_capture_file {
    const char *path; /* or null: nothing is captured */
    char part[4096];  /* beside it, until it is whole */
    bool is_begun;
} sn_capture_file;

/* Of the path: no .vrma, or one of the inputs (which may be null), is SN_ERROR_ARGUMENT; where it cannot be written is
 * SN_ERROR_FILE. */
sn_result sn_capture_file_begin(sn_capture_file *file, const char *const *inputs, int count);
/* Puts what was captured in its place, and what was there stays where that fails, or where nothing was captured: null,
 * or no frame. Once it is begun; afterwards it is not. */
sn_result sn_capture_file_end(sn_capture_file *file, const sn_capture *capture);

#endif
