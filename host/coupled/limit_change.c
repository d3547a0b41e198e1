/* SPDX-License-Identifier: MIT */
/* Limits the velocity change of a projection. A projection is one Newton step on C = 0 with fixed handles, which is
 * accurate as long as the handles follow the flesh smoothly. In folded flesh, the best fit of a free handle can jump by
 * half a rotation between substeps; C is then as large as the body, and removing it at once would increase the energy
 * about a thousandfold. So the velocity that a projection adds (root mean square by mass) is limited by an acceleration
 * and by the movement of locked handles. The remainder of C is left to the following substeps. Regular steps stay far
 * below the limit. */
#include <math.h>

#include "host/coupled/scalars.h"

#define MAX_ACCELERATION 900.0 /* diagonals per second^2 */
#define TARGET_FACTOR 2.0      /* factor of the locked handles' movement */

/* Movement of a locked handle's targets in the step, as a length. */
static double target_movement_of(const sn_coupled_rig *rig, const sn_coupled_handle_state *handle)
{
    const sn_coupled_pose *from = &handle->target_before, *to = &handle->target;
    double position2 = 0, same_sign2 = 0, opposite_sign2 = 0, stretch2 = 0;
    for (int d = 0; d < 3; ++d) {
        const double moved = to->position[d] - from->position[d];
        position2 += handle->locks >> d & 1 ? moved * moved : 0;
    }
    for (int i = 0; i < 4 && handle->locks & SN_LOCK_ROTATION; ++i) {
        same_sign2 += (to->rotation[i] - from->rotation[i]) * (to->rotation[i] - from->rotation[i]);
        opposite_sign2 += (to->rotation[i] + from->rotation[i]) * (to->rotation[i] + from->rotation[i]);
    }
    for (int i = 0; i < 9 && handle->locks & SN_LOCK_STRETCH; ++i) {
        stretch2 += (to->stretch[i] - from->stretch[i]) * (to->stretch[i] - from->stretch[i]);
    }
    return sqrt(position2) + rig->length * (2 * sqrt(fmin(same_sign2, opposite_sign2)) + sqrt(stretch2));
}

void sn_coupled_measure_target_movement(sn_coupled_body *body)
{
    body->target_movement_before = body->target_movement;
    body->target_movement = 0;
    for (int k = 0; k < body->rig->handle_count; ++k) {
        body->target_movement = fmax(body->target_movement, target_movement_of(body->rig, &body->handles[k]));
    }
}

void sn_coupled_limit_change(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const double h = body->flesh->substep, substeps = body->settings.xpbd.substep_count;
    const double targets = TARGET_FACTOR * fmax(body->target_movement, body->target_movement_before) / substeps;
    const double bound = MAX_ACCELERATION * rig->length * h * h + targets;
    double square = 0;
    for (int i = 0; i < rig->dimension * rig->basis_count; ++i) {
        square += body->change[i] * body->residual[i];
    }
    square /= body->min_compliance_factor; /* upper bound of sum m |dx|^2 */
    if (square > rig->mass * bound * bound) {
        const double scale = sqrt(rig->mass / square) * bound;
        for (int i = 0; i < rig->dimension * rig->basis_count; ++i) {
            body->change[i] *= scale;
        }
    }
}
