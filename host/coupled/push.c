/* SPDX-License-Identifier: MIT */
/* Limits the velocity change of a projection. A projection is one Newton step on C = 0 with fixed handles, which is
 * accurate as long as the handles follow the flesh smoothly. In folded flesh, the best fit of a free handle can jump by
 * half a rotation between substeps; C is then as large as the body, and removing it at once would increase the energy
 * about a thousandfold. So the velocity that a projection adds (root mean square by mass) is limited by an acceleration
 * and by the movement of locked handles. The remainder of C is left to the following substeps. Regular steps stay far
 * below the limit. */
#include <math.h>

#include "host/coupled/scalars.h"

#define HARDEST 900.0  /* diagonals per second^2 */
#define OF_TARGETS 2.0 /* factor of the locked handles' movement */

/* Movement of a locked handle's targets in the step, as a length. */
static double reach_of(const sn_coupled_rig *rig, const sn_coupled_handle_state *handle)
{
    const sn_coupled_pose *from = &handle->target_before, *to = &handle->target;
    double place2 = 0, nearer2 = 0, farther2 = 0, stretch2 = 0;
    for (int d = 0; d < 3; ++d) {
        const double moved = to->place[d] - from->place[d];
        place2 += handle->locks >> d & 1 ? moved * moved : 0;
    }
    for (int i = 0; i < 4 && handle->locks & SN_LOCK_ROTATION; ++i) {
        nearer2 += (to->turn[i] - from->turn[i]) * (to->turn[i] - from->turn[i]);
        farther2 += (to->turn[i] + from->turn[i]) * (to->turn[i] + from->turn[i]);
    }
    for (int i = 0; i < 9 && handle->locks & SN_LOCK_STRETCH; ++i) {
        stretch2 += (to->stretch[i] - from->stretch[i]) * (to->stretch[i] - from->stretch[i]);
    }
    return sqrt(place2) + rig->length * (2 * sqrt(fmin(nearer2, farther2)) + sqrt(stretch2));
}

void sn_coupled_measure_reach(sn_coupled_body *body)
{
    body->reach_before = body->reach;
    body->reach = 0;
    for (int k = 0; k < body->rig->handle_count; ++k) {
        body->reach = fmax(body->reach, reach_of(body->rig, &body->handles[k]));
    }
}

void sn_coupled_bound_push(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const double h = body->flesh->substep, substeps = body->settings.xpbd.substep_count;
    const double targets = OF_TARGETS * fmax(body->reach, body->reach_before) / substeps;
    const double bound = HARDEST * rig->length * h * h + targets;
    double square = 0;
    for (int i = 0; i < rig->dimension * rig->basis_count; ++i) {
        square += body->change[i] * body->residual[i];
    }
    square /= body->yielding; /* upper bound of sum m |dx|^2 */
    if (square > rig->mass * bound * bound) {
        const double share = sqrt(rig->mass / square) * bound;
        for (int i = 0; i < rig->dimension * rig->basis_count; ++i) {
            body->change[i] *= share;
        }
    }
}
