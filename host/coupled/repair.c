/* SPDX-License-Identifier: MIT */
/* Repairs elements that a violent drag left inverted and that elasticity cannot recover. Their vertices are moved half
 * of the distance to the skinned mesh, which is smooth. One part in SN_COUPLED_CHECK_BATCHES of the elements, and of
 * the handles (flipped_handles.c), is checked per step. A body that stays tangled is reset to rest: in place, if
 * nothing holds it; else to the targets, if rig and flesh are both tangled and the targets do not require it. */
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

#define MIN_VOLUME_RATIO 0.02 /* relative volume (J) below which an element is degenerate */
#define REPAIR_FRACTION 0.5   /* of the distance to the skinned mesh */

/* A configuration of the rows. */
typedef struct configuration {
    enum {
        AT_REST,
        CURRENT,
        SKINNED,
        AT_TARGETS
    } type;                       /* AT_TARGETS: at rest, except that locked handles are at their targets */
    double rotation[4], shift[3]; /* rigid motion of the rest state for AT_TARGETS */
} configuration;

static void target_handle(const sn_coupled_body *body, int k, const configuration *l, double *position, double *linear)
{
    const sn_coupled_handle_state *handle = &body->handles[k];
    const bool is_flipped = (handle->locks & SN_LOCK_ROTATION) != 0;
    sn_coupled_transformed_position(body->rig, k, l->rotation, l->shift, position);
    if (handle->locks & SN_LOCK_TRANSLATION) {
        memcpy(position, handle->target.position, 3 * sizeof *position);
    }
    sn_quaternion_to_matrix(is_flipped ? handle->target.rotation : l->rotation, linear);
}

static void target_row(const sn_coupled_body *body, int row, const configuration *l, double *position)
{
    const sn_coupled_blocks *b = &body->rig->blocks;
    const float *x = body->rig->model->rest + 4 * row;
    position[0] = position[1] = position[2] = 0;
    for (int slot = b->starts[row / SN_BATCH]; slot < b->starts[row / SN_BATCH + 1]; ++slot) {
        const double weight = (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
        const double *pivot = body->rig->handles[b->handles[slot]].pivot;
        const double arm[3] = {(double)x[0] - pivot[0], (double)x[1] - pivot[1], (double)x[2] - pivot[2]};
        double handle_position[3], linear[9];
        target_handle(body, b->handles[slot], l, handle_position, linear);
        for (int d = 0; d < 3; ++d) {
            position[d] += weight * (handle_position[d] + sn_dot3(linear + 3 * d, arm));
        }
    }
}

/* Edge between two rows in a configuration. */
static void edge_of(const sn_coupled_body *body, int from, int to, const configuration *l, double *edge)
{
    const sn_xpbd_state *state = &body->flesh->state;
    double positions[2][3];
    for (int i = 0; i < 2 && l->type >= SKINNED; ++i) {
        if (l->type == SKINNED) {
            sn_coupled_skin_row(body, i ? to : from, true, positions[i]);
        } else {
            target_row(body, i ? to : from, l, positions[i]);
        }
    }
    for (size_t d = 0; d < 3; ++d) {
        const size_t a = 4 * (size_t)from + d, b = 4 * (size_t)to + d;
        if (l->type >= SKINNED) {
            edge[d] = positions[1][d] - positions[0][d];
            continue;
        }
        edge[d] = (double)body->rig->model->rest[b] - (double)body->rig->model->rest[a];
        edge[d] += l->type == AT_REST ? 0
                                      : sn_xpbd_get_real(body->flesh, state->displacements, b) -
                                            sn_xpbd_get_real(body->flesh, state->displacements, a);
    }
}

/* Area or volume of an element relative to rest. */
static double volume_ratio(const sn_coupled_body *body, int corner_count, const int32_t *rows, const configuration *l)
{
    static const configuration rest = {.type = AT_REST};
    double size[2];
    for (int side = 0; side < 2; ++side) {
        double e[3][3] = {{0}, {0}, {0, 0, 1}}, cross[3];
        for (int k = 0; k < corner_count - 1; ++k) {
            edge_of(body, rows[corner_count - 1], rows[k], side ? &rest : l, e[k]);
        }
        sn_cross3(e[1], e[2], cross);
        size[side] = sn_dot3(e[0], cross);
    }
    return size[0] / size[1];
}

bool sn_coupled_is_free(const sn_coupled_body *body)
{
    for (int k = 0; k < body->rig->handle_count; ++k) {
        if (body->handles[k].locks) {
            return false;
        }
    }
    return body->flesh->pin_count == 0;
}

/* Whether an inverted element cannot recover: nothing holds the body, or the rig is inverted there, too, although its
 * targets do not require it. */
static bool is_stuck(const sn_coupled_body *body, int corner_count, const int32_t *rows)
{
    const configuration skinned = {.type = SKINNED};
    configuration at_targets = {.type = AT_TARGETS};
    if (sn_coupled_is_free(body)) {
        return true;
    }
    sn_coupled_mean_motion(body, at_targets.rotation, at_targets.shift);
    return volume_ratio(body, corner_count, rows, &skinned) < MIN_VOLUME_RATIO &&
           volume_ratio(body, corner_count, rows, &at_targets) > MIN_VOLUME_RATIO;
}

/* Repairs part of the elements; returns whether one is stuck. */
static bool repair_part(sn_coupled_body *body, int part)
{
    const sn_xpbd_batches *b = &body->flesh->model->elements;
    const configuration now = {.type = CURRENT};
    bool is_any_stuck = false;
    for (int batch = part; batch < b->batch_count; batch += SN_COUPLED_CHECK_BATCHES) {
        const int32_t *corners = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH;
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            int32_t rows[4];
            for (int k = 0; k < b->corner_count; ++k) {
                rows[k] = corners[SN_BATCH * k + lane] / 4;
            }
            if (!(volume_ratio(body, b->corner_count, rows, &now) < MIN_VOLUME_RATIO)) {
                continue;
            }
            is_any_stuck = is_any_stuck || is_stuck(body, b->corner_count, rows);
            for (int k = 0; k < b->corner_count; ++k) {
                sn_coupled_pull_to_skin(body, rows[k], REPAIR_FRACTION);
            }
        }
    }
    return is_any_stuck;
}

/* True after SN_COUPLED_MAX_ROUNDS rounds, and then after twice, four times, ... as many. */
static bool is_due(int rounds)
{
    return rounds >= SN_COUPLED_MAX_ROUNDS && (rounds & (rounds - 1)) == 0;
}

bool sn_coupled_repair(sn_coupled_body *body)
{
    body->checked_part = (body->checked_part + 1) % SN_COUPLED_CHECK_BATCHES;
    body->is_tangled |= repair_part(body, body->checked_part);
    sn_coupled_resolve_flips(body, body->checked_part);
    if (body->checked_part > 0) {
        return false;
    }
    body->tangled_rounds = body->is_tangled && body->flesh->pin_count == 0 ? body->tangled_rounds + 1 : 0;
    body->flipped_rounds = body->is_flipped ? body->flipped_rounds + 1 : 0;
    body->is_tangled = body->is_flipped = false;
    return is_due(body->tangled_rounds);
}
