/* SPDX-License-Identifier: MIT */
/* A camera that does not roll: up is +y. */
#ifndef SN_RUNTIME_RENDER_CAMERA_H
#define SN_RUNTIME_RENDER_CAMERA_H

typedef struct sn_camera {
    float eye[3], target[3];
    float vertical_angle; /* radians */
    float near_distance, far_distance;
} sn_camera;

/* What an eye of a headset sees from a camera's place, in place of its target and angle: it is turned in any way, and
 * the middle of its picture is not straight ahead. */
typedef struct sn_eye {
    float orientation[4]; /* unit quaternion xyzw: it looks along its -z, its y is up */
    float left, right;    /* tangents of the angles from there to the picture's sides: left is negative, in general */
    float down, up;       /* and down */
} sn_eye;

#endif
