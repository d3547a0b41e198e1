/* SPDX-License-Identifier: MIT */
/* What a violent drag leaves, and elasticity does not mend: elements that are inside out, and lie so among their
 * neighbours that elasticity alone does not turn them back. Their vertices are drawn half of the way to the skinned
 * mesh, which is smooth. A sixteenth of the elements, and of the handles (turned.c), is looked at in a step. A body
 * that nothing holds, and that stays tangled all the same, goes back to rest where it is. */
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

/* Area or volume of an element, times 2 or 6, as it lies or at rest. */
static double size_of(const sn_coupled_body *body, int corner_count, const int32_t *corners, int lane, bool is_rest)
{
    const float *rest = body->rig->model->rest;
    double e[3][3] = {{0}, {0}, {0, 0, 1}}, cross[3];
    const size_t base = (size_t)corners[SN_BATCH * (corner_count - 1) + lane];
    for (int k = 0; k < corner_count - 1; ++k) {
        const size_t at = (size_t)corners[SN_BATCH * k + lane];
        for (size_t d = 0; d < 3; ++d) {
            e[k][d] = (double)rest[at + d] - (double)rest[base + d];
            e[k][d] += is_rest ? 0
                               : sn_xpbd_get(body->flesh, body->flesh->state.displacements, at + d) -
                                     sn_xpbd_get(body->flesh, body->flesh->state.displacements, base + d);
        }
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

void sn_coupled_nearest_turn(const sn_coupled_rig *rig, const double *moment, double *turn)
{
    const double still[4] = {0, 0, 0, 1};
    if (rig->dimension == 2) {
        sn_quaternion_polar_z(moment, turn);
    } else {
        memcpy(turn, still, sizeof still);
        sn_quaternion_polar(moment, turn);
    }
}

/* The flesh's rigid motion: its centre's, and the rotation in sum m (x - centre) (rest - centre at rest)^T. */
static void find_rigid(const sn_coupled_body *body, double *transform)
{
    const int count = body->rig->model->vertex_count;
    double centre[3] = {0}, rest_centre[3] = {0}, moment[9] = {0}, mass = 0, now[3], rest[3];
    double turn[4], linear[9];
    for (int row = 0; row < count; ++row) {
        const double m = sn_coupled_place_row(body, row, now, rest);
        mass += m;
        for (int d = 0; d < 3; ++d) {
            centre[d] += m * now[d];
            rest_centre[d] += m * rest[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        centre[d] /= mass;
        rest_centre[d] /= mass;
    }
    for (int row = 0; row < count; ++row) {
        const double m = sn_coupled_place_row(body, row, now, rest);
        for (int i = 0; i < 9; ++i) {
            moment[i] += m * (now[i / 3] - centre[i / 3]) * (rest[i % 3] - rest_centre[i % 3]);
        }
    }
    sn_coupled_nearest_turn(body->rig, moment, turn);
    sn_quaternion_to_matrix(turn, linear);
    for (int d = 0; d < 3; ++d) {
        memcpy(transform + 4 * d, linear + 3 * d, 3 * sizeof *linear);
        transform[4 * d + 3] = centre[d] - sn_dot3(linear + 3 * d, rest_centre);
    }
}

static bool is_free(const sn_coupled_body *body)
{
    for (int k = 0; k < body->rig->handle_count; ++k) {
        if (body->handles[k].locks) {
            return false;
        }
    }
    return body->flesh->pin_count == 0;
}

/* A part of the elements; returns whether one is inside out. */
static bool heal_part(sn_coupled_body *body, int part)
{
    const sn_xpbd_batches *b = &body->flesh->model->elements;
    bool is_tangled = false;
    for (int batch = part; batch < b->batch_count; batch += SN_COUPLED_ROUND) {
        const int32_t *corners = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH;
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            const double size = size_of(body, b->corner_count, corners, lane, false);
            const double rest = size_of(body, b->corner_count, corners, lane, true);
            for (int k = 0; k < b->corner_count && size / rest < LEAST; ++k) {
                sn_coupled_draw_back(body, corners[SN_BATCH * k + lane] / 4, SHARE);
                is_tangled = true;
            }
        }
    }
    return is_tangled;
}

bool sn_coupled_heal(sn_coupled_body *body)
{
    double transform[12];
    body->healed = (body->healed + 1) % SN_COUPLED_ROUND;
    body->is_tangled |= heal_part(body, body->healed);
    sn_coupled_turn_back(body, body->healed);
    if (body->healed == 0) {
        body->tangled_rounds = body->is_tangled && is_free(body) ? body->tangled_rounds + 1 : 0;
        body->turned_rounds = body->is_turned ? body->turned_rounds + 1 : 0;
        body->is_tangled = body->is_turned = false;
    }
    if (body->tangled_rounds < SN_COUPLED_MOST_ROUNDS) {
        return false;
    }
    find_rigid(body, transform);
    sn_coupled_body_reset(body);
    sn_coupled_body_teleport(body, transform);
    body->tangled_rounds = 0;
    return true;
}
