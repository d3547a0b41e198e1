/* SPDX-License-Identifier: MIT */
/* What a violent drag leaves, and elasticity does not mend: elements that are inside out, and lie so among their
 * neighbours that elasticity alone does not turn them back. Their vertices are drawn half of the way to the skinned
 * mesh, which is smooth. A sixteenth of the elements, and of the handles (turned.c), is looked at in a step. A body
 * that stays tangled all the same goes back to rest: where it is, if nothing holds it; else to the targets, if rig and
 * flesh are wound up together. */
#include <math.h>
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

#define LEAST 0.02           /* J of an element that is none any more */
#define LEAST_OF_HANDLES 0.1 /* determinant */
#define SHARE 0.5            /* of the way */

/* An affine handle that has been turned inside out as well counts as its rotation. */
static void sound_linear(const sn_coupled_handle_state *handle, double *linear)
{
    double cross[3], turn[4];
    memcpy(linear, handle->linear, sizeof handle->linear);
    sn_cross3(linear + 3, linear + 6, cross);
    if (sn_dot3(linear, cross) < LEAST_OF_HANDLES) {
        memcpy(turn, handle->turn, sizeof turn);
        sn_quaternion_polar(linear, turn);
        sn_quaternion_to_matrix(turn, linear);
    }
}

static void skin_row(const sn_coupled_body *body, int row, bool is_sound, double *place)
{
    const sn_coupled_blocks *b = &body->rig->blocks;
    const float *x = body->rig->model->rest + 4 * row;
    place[0] = place[1] = place[2] = 0;
    for (int slot = b->starts[row / SN_BATCH]; slot < b->starts[row / SN_BATCH + 1]; ++slot) {
        const double weight = (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
        const sn_coupled_handle_state *handle = &body->handles[b->handles[slot]];
        const double *pivot = body->rig->handles[b->handles[slot]].pivot;
        double sound[9];
        const double *linear = is_sound ? sound : handle->linear;
        if (is_sound) {
            sound_linear(handle, sound);
        }
        const double arm[3] = {(double)x[0] - pivot[0], (double)x[1] - pivot[1], (double)x[2] - pivot[2]};
        for (int d = 0; d < 3; ++d) {
            place[d] += weight * (handle->place[d] + sn_dot3(linear + 3 * d, arm));
        }
    }
}

void sn_coupled_body_rig_positions(const sn_coupled_body *body, double *positions)
{
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        skin_row(body, row, false, positions + 3 * (size_t)body->rig->model->order[row]);
    }
}

typedef enum shape { AT_REST, AS_IT_LIES, AS_SKINNED } shape;

/* From a row to another one. */
static void edge_of(const sn_coupled_body *body, int from, int to, shape which, double *edge)
{
    const sn_xpbd_state *state = &body->flesh->state;
    double ends[2][3];
    if (which == AS_SKINNED) {
        skin_row(body, from, true, ends[0]);
        skin_row(body, to, true, ends[1]);
        sn_subtract3(ends[1], ends[0], edge);
        return;
    }
    for (size_t d = 0; d < 3; ++d) {
        const size_t a = 4 * (size_t)from + d, b = 4 * (size_t)to + d;
        edge[d] = (double)body->rig->model->rest[b] - (double)body->rig->model->rest[a];
        edge[d] += which == AT_REST ? 0
                                    : sn_xpbd_get(body->flesh, state->displacements, b) -
                                          sn_xpbd_get(body->flesh, state->displacements, a);
    }
}

/* Area or volume of an element, times 2 or 6. */
static double size_of(const sn_coupled_body *body, int corner_count, const int32_t *rows, shape which)
{
    double e[3][3] = {{0}, {0}, {0, 0, 1}}, cross[3];
    for (int k = 0; k < corner_count - 1; ++k) {
        edge_of(body, rows[corner_count - 1], rows[k], which, e[k]);
    }
    sn_cross3(e[1], e[2], cross);
    return sn_dot3(e[0], cross);
}

void sn_coupled_draw_back(sn_coupled_body *body, int row, double share)
{
    double from[3], to[3];
    if (sn_coupled_is_held(body, row)) {
        return;
    }
    sn_xpbd_get_place(body->flesh, row, from);
    skin_row(body, row, true, to);
    for (int d = 0; d < 3; ++d) {
        to[d] = from[d] + share * (to[d] - from[d]);
    }
    sn_xpbd_put_place(body->flesh, row, to);
}

double sn_coupled_place_row(const sn_coupled_body *body, int row, double *now, double *rest)
{
    const float *x = body->rig->model->rest + 4 * row;
    sn_xpbd_get_place(body->flesh, row, now);
    for (int d = 0; d < 3; ++d) {
        rest[d] = (double)x[d] + body->rig->model->centre[d];
    }
    return (double)x[3];
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

/* Whether an element that is inside out may stay so: where the rig lies so, too, or nothing holds the body, neither
 * elasticity nor the skinned mesh brings it back. */
static bool is_stuck(const sn_coupled_body *body, int corner_count, const int32_t *rows)
{
    return sn_coupled_is_free(body) ||
           size_of(body, corner_count, rows, AS_SKINNED) / size_of(body, corner_count, rows, AT_REST) < LEAST;
}

/* A part of the elements; returns whether one is stuck. */
static bool heal_part(sn_coupled_body *body, int part)
{
    const sn_xpbd_batches *b = &body->flesh->model->elements;
    bool is_any_stuck = false;
    for (int batch = part; batch < b->batch_count; batch += SN_COUPLED_ROUND) {
        const int32_t *corners = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH;
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            int32_t rows[4];
            for (int k = 0; k < b->corner_count; ++k) {
                rows[k] = corners[SN_BATCH * k + lane] / 4;
            }
            const double size = size_of(body, b->corner_count, rows, AS_IT_LIES);
            if (!(size / size_of(body, b->corner_count, rows, AT_REST) < LEAST)) {
                continue;
            }
            is_any_stuck = is_any_stuck || is_stuck(body, b->corner_count, rows);
            for (int k = 0; k < b->corner_count; ++k) {
                sn_coupled_draw_back(body, rows[k], SHARE);
            }
        }
    }
    return is_any_stuck;
}

/* After some rounds, and should that not have helped, after twice, four times as many. */
static bool is_due(int rounds)
{
    return rounds >= SN_COUPLED_MOST_ROUNDS && (rounds & (rounds - 1)) == 0;
}

bool sn_coupled_heal(sn_coupled_body *body)
{
    body->healed = (body->healed + 1) % SN_COUPLED_ROUND;
    body->is_tangled |= heal_part(body, body->healed);
    sn_coupled_turn_back(body, body->healed);
    if (body->healed > 0) {
        return false;
    }
    body->tangled_rounds = body->is_tangled && body->flesh->pin_count == 0 ? body->tangled_rounds + 1 : 0;
    body->turned_rounds = body->is_turned ? body->turned_rounds + 1 : 0;
    body->is_tangled = body->is_turned = false;
    return is_due(body->tangled_rounds);
}
