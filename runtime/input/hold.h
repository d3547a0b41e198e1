/* SPDX-License-Identifier: MIT */
/* Grab tool: the pointer grabs the visible flesh under it and drags it. */
#ifndef SN_RUNTIME_INPUT_HOLD_H
#define SN_RUNTIME_INPUT_HOLD_H

#include "runtime/edit/drawn.h"
#include "runtime/edit/pick.h"

/* Zero it, then start it for a model. */
typedef struct sn_hold {
    sn_drawn drawn;
    bool is_held;
    int grab;
    double pointer[2]; /* in the coordinates of sn_pick_ray */
    double depth;      /* of the grabbed point, in front of the camera */
} sn_hold;

sn_result sn_hold_start(sn_hold *hold, const sn_model *model);
/* Safe after a failed start; the body may already be destroyed. */
void sn_hold_finish(sn_hold *hold);

/* Distance along the pointer's ray to the body's surface as drawn; INFINITY: no hit. */
double sn_hold_distance(sn_hold *hold, sn_body_id body, const sn_camera *camera, const double *pointer);

/* Grabs the body's surface where the pointer's ray hits it, unless one of the solids (solid_count) is in front. True if
 * there was soft flesh to grab. */
bool sn_hold_take(sn_hold *hold, sn_body_id body, const sn_camera *camera, const double *pointer,
                  const sn_collider *solids, int solid_count);
/* Drags the grabbed point to the pointer, at a constant depth in front of the camera. */
void sn_hold_pull(const sn_hold *hold, sn_body_id body, const sn_camera *camera);
void sn_hold_let_go(sn_hold *hold, sn_body_id body);

#endif
