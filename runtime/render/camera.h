/* SPDX-License-Identifier: MIT */
/* A camera that does not roll: up is +y. */
#ifndef SN_RUNTIME_RENDER_CAMERA_H
#define SN_RUNTIME_RENDER_CAMERA_H

typedef struct sn_camera {
    float eye[3], target[3];
    float vertical_angle; /* radians */
    float near_distance, far_distance;
} sn_camera;

#endif
