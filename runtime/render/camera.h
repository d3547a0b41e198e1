/* SPDX-License-Identifier: MIT */
/* A camera without roll: up is +y. */
#ifndef SN_RUNTIME_RENDER_CAMERA_H
#define SN_RUNTIME_RENDER_CAMERA_H

typedef struct sn_camera {
    float eye[3], target[3];
    float vertical_angle; /* vertical field of view, radians */
    float near_distance, far_distance;
} sn_camera;

/* An eye of a headset at the camera's position; replaces its target and angle. Any orientation, with an asymmetric
 * frustum. */
typedef struct sn_eye {
    float orientation[4]; /* unit quaternion xyzw: the eye looks along its -z, its y is up */
    float left, right;    /* tangents of the angles to the sides of the frustum; `left` is usually negative */
    float down, up;       /* likewise; `down` is usually negative */
} sn_eye;

#endif
