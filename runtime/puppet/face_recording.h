/* SPDX-License-Identifier: MIT */
/* A recording of a face (author/io/motion/arkit_csv.h) as a source of moments: it plays on as it is advanced, between
 * its rows too, and begins again at its end. */
#ifndef SN_RUNTIME_PUPPET_FACE_RECORDING_H
#define SN_RUNTIME_PUPPET_FACE_RECORDING_H

#include "runtime/puppet/tracking.h"

/* Errors: those of sn_arkit_csv_read, and of reading the file. */
sn_result sn_face_recording_create(const char *path, sn_tracking_source **source);
/* The moment at a time, row between rows; where no face was seen nothing is tracked. */
void sn_face_recording_sample(const sn_arkit_csv *csv, double seconds, sn_tracking *moment);

#endif
