/* SPDX-License-Identifier: MIT */
/* Tracking source that plays a face recording (author/io/motion/arkit_csv.h), interpolated between rows, in a loop. */
#ifndef SN_RUNTIME_PUPPET_FACE_RECORDING_H
#define SN_RUNTIME_PUPPET_FACE_RECORDING_H

#include "runtime/puppet/tracking.h"

/* Errors: those of sn_arkit_csv_read and of reading the file. */
sn_result sn_face_recording_create(const char *path, sn_tracking_source **source);
/* Interpolates the rows at a time. Where no face was detected nothing is tracked. */
void sn_face_recording_sample(const sn_arkit_csv *csv, double seconds, sn_tracking *tracking_frame);

#endif
