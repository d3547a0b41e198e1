/* SPDX-License-Identifier: MIT */
/* A camera that the mouse turns around what the stage looks at. */
#ifndef SN_RUNTIME_CAMERA_ORBIT_H
#define SN_RUNTIME_CAMERA_ORBIT_H

#include "runtime/camera/stage.h"

typedef struct sn_orbit {
    double yaw, pitch; /* of the eye, radians: from +Z towards +X, above the horizon */
    double scale;      /* of the stage's distance */
    double pan[3];     /* of the target, world */
} sn_orbit;

/* The stage's own view. */
sn_orbit sn_orbit_start(const sn_stage *stage);

/* Drags are in heights of the window, right and down. What is seen follows the pointer: a height is half a turn, and in
 * a pan the target's plane stays under it. */
void sn_orbit_turn(sn_orbit *orbit, double x, double y);
void sn_orbit_move(sn_orbit *orbit, const sn_stage *stage, double x, double y);
/* Notches, nearer upwards. */
void sn_orbit_zoom(sn_orbit *orbit, double notches);

/* Moves the camera of the stage's scene. `widening` >= 1 draws back for a picture narrower than the stage's. */
void sn_orbit_apply(const sn_orbit *orbit, const sn_stage *stage, double widening, sn_camera *camera);

#endif
