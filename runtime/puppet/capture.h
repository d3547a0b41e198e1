/* SPDX-License-Identifier: MIT */
/* A puppet's session as a motion file: the person's pose and the weights of its expressions as they were shown, frame
 * by frame, to a .vrma that --motion plays again. */
#ifndef SN_RUNTIME_PUPPET_CAPTURE_H
#define SN_RUNTIME_PUPPET_CAPTURE_H

#include "runtime/puppet/puppet.h"

typedef struct sn_capture sn_capture;

sn_result sn_capture_create(const sn_puppet *puppet, sn_capture **capture);
/* Accepts null. */
void sn_capture_destroy(sn_capture **capture);
/* After a frame, at seconds that ascend from 0. Memory grows; where it is out, or after ten hours, nothing more is
 * taken, with one line. */
void sn_capture_add(sn_capture *capture, double seconds);
int sn_capture_frame_count(const sn_capture *capture);
/* Errors: no frame; those of sn_gltf_write. */
sn_result sn_capture_write(const sn_capture *capture, const char *path);

#endif
