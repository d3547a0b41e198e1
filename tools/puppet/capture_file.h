/* SPDX-License-Identifier: MIT */
/* The output file of --capture. It is checked and opened before tracking starts, so that a session is not lost at its
 * end. */
#ifndef SN_TOOLS_PUPPET_CAPTURE_FILE_H
#define SN_TOOLS_PUPPET_CAPTURE_FILE_H

#include "author/io/source.h"
#include "runtime/puppet/capture.h"

/* Zero it. */
typedef struct sn_capture_file {
    const char *path; /* or null: no capture */
    sn_file_output *output;
} sn_capture_file;

/* Checks the path and opens the file. SN_ERROR_ARGUMENT if it is no .vrma or equals one of the inputs (null entries are
 * skipped); SN_ERROR_FILE if it cannot be written. */
sn_result sn_capture_file_begin(sn_capture_file *file, const char *const *inputs, int count);
/* Completes the file and moves it to its path. An existing file stays if that fails or nothing was captured (null, or
 * no frame). Does nothing if the file is not open. */
sn_result sn_capture_file_end(sn_capture_file *file, const sn_capture *capture);

#endif
