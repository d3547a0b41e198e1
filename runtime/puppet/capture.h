/* SPDX-License-Identifier: MIT */
/* Records a puppet session to a motion file (.vrma): the person's pose and the displayed expression weights of each
 * frame. --motion plays it back. */
#ifndef SN_RUNTIME_PUPPET_CAPTURE_H
#define SN_RUNTIME_PUPPET_CAPTURE_H

#include "runtime/puppet/puppet.h"

typedef struct sn_capture sn_capture;

sn_result sn_capture_create(const sn_puppet *puppet, sn_capture **capture);
/* Accepts null. */
void sn_capture_destroy(sn_capture **capture);
/* Adds a frame at `seconds`, which increase from 0. Memory grows with the recording. If memory runs out, or after 10
 * hours, a warning is logged and later frames are ignored. */
void sn_capture_add(sn_capture *capture, double seconds);
int sn_capture_frame_count(const sn_capture *capture);
/* The bytes of the file, in the arena; `name` is for messages. Errors: SN_ERROR_ARGUMENT (no frame), and those of
 * sn_gltf_encode. */
sn_result sn_capture_encode(const sn_capture *capture, const char *name, sn_arena *arena, uint8_t **bytes,
                            size_t *size);

#endif
