/* SPDX-License-Identifier: MIT */
/* Orbit camera around the stage's target, controlled by the mouse. */
#ifndef SN_RUNTIME_CAMERA_ORBIT_H
#define SN_RUNTIME_CAMERA_ORBIT_H

#include "runtime/camera/stage.h"

typedef struct sn_orbit {
    double yaw, pitch; /* of the eye, radians: yaw from +Z towards +X, pitch above the horizon */
    double scale;      /* factor on the stage's camera distance */
    double pan[3];     /* offset of the target, world */
} sn_orbit;

/* The stage's initial view. */
sn_orbit sn_orbit_start(const sn_stage *stage);

/* Drags (x right, y down) in window heights. The picture follows the pointer: one height rotates by half a turn;
 * panning moves the target plane by as much as the pointer. */
void sn_orbit_rotate(sn_orbit *orbit, double x, double y);
void sn_orbit_pan(sn_orbit *orbit, const sn_stage *stage, double x, double y);
/* Mouse wheel notches; positive zooms in. */
void sn_orbit_zoom(sn_orbit *orbit, double notches);

/* Centres the stage, planned for a picture of width / height = aspect, in a picture whose right part is covered
 * (pixels). Returns the widening for sn_orbit_apply. */
double sn_orbit_center(sn_orbit *orbit, const sn_stage *stage, double aspect, const int size[2], int covered);

/* Applies the orbit to the camera of the stage's scene. `widening` >= 1 scales the distance for a picture narrower than
 * the stage's. */
void sn_orbit_apply(const sn_orbit *orbit, const sn_stage *stage, double widening, sn_camera *camera);

#endif
