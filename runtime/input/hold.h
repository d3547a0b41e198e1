/* SPDX-License-Identifier: MIT */
/* The pointer takes hold of flesh that is seen under it, and pulls. */
#ifndef SN_RUNTIME_INPUT_HOLD_H
#define SN_RUNTIME_INPUT_HOLD_H

#include "runtime/edit/drawn.h"
#include "runtime/edit/pick.h"

/* Zero it, start it for a model. */
typedef struct sn_hold {
    sn_drawn drawn;
    bool is_held;
    int grab;
    double pointer[2]; /* as sn_pick_ray has it */
    double depth;      /* of what is held, in front of the camera */
} sn_hold;

sn_result sn_hold_start(sn_hold *hold, const sn_model *model);
/* Also after a failure; the body may be gone. */
void sn_hold_finish(sn_hold *hold);

/* How far along the ray through the pointer the body's surface is met, as it is drawn now; INFINITY: nowhere. */
double sn_hold_distance(sn_hold *hold, sn_body_id body, const sn_camera *camera, const double *pointer);

/* Of the body's surface as it is drawn now, where the ray through the pointer meets it first, and no solid
 * (solid_count) stands before that. Whether there was soft flesh. */
bool sn_hold_take(sn_hold *hold, sn_body_id body, const sn_camera *camera, const double *pointer,
                  const sn_collider *solids, int solid_count);
/* What is held follows the pointer, as far from the camera as it was, wherever that has gone. */
void sn_hold_pull(const sn_hold *hold, sn_body_id body, const sn_camera *camera);
void sn_hold_let_go(sn_hold *hold, sn_body_id body);

#endif
