/* SPDX-License-Identifier: MIT */
/* Repairs elements that a violent drag left inverted and that elasticity cannot recover. Their vertices are moved half
 * of the distance to the skinned mesh, which is smooth. One part in SN_COUPLED_ROUND of the elements, and of the
 * handles (flipped_handles.c), is checked per step. A body that stays tangled is reset to rest: in place, if nothing
 * holds it; else to the targets, if rig and flesh are both tangled and the targets do not require it. */
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

#define LEAST 0.02 /* relative volume (J) below which an element is degenerate */
#define SHARE 0.5  /* of the distance to the skinned mesh */

/* A configuration of the rows. */
typedef struct lie {
    enum {
        AT_REST,
        AS_IT_IS,
        AS_SKINNED,
        AS_HELD
    } which;                  /* AS_HELD: at rest, except that locked handles are at their targets */
    double turn[4], shift[3]; /* rigid motion of the rest state for AS_HELD */
} lie;

static void held_handle(const sn_coupled_body *body, int k, const lie *l, double *place, double *linear)
{
    const sn_coupled_handle_state *handle = &body->handles[k];
    const bool is_turned = (handle->locks & SN_LOCK_ROTATION) != 0;
    sn_coupled_place_moved(body->rig, k, l->turn, l->shift, place);
    if (handle->locks & SN_LOCK_TRANSLATION) {
        memcpy(place, handle->target.place, 3 * sizeof *place);
    }
    sn_quaternion_to_matrix(is_turned ? handle->target.turn : l->turn, linear);
}

static void held_row(const sn_coupled_body *body, int row, const lie *l, double *place)
{
    const sn_coupled_blocks *b = &body->rig->blocks;
    const float *x = body->rig->model->rest + 4 * row;
    place[0] = place[1] = place[2] = 0;
    for (int slot = b->starts[row / SN_BATCH]; slot < b->starts[row / SN_BATCH + 1]; ++slot) {
        const double weight = (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
        const double *pivot = body->rig->handles[b->handles[slot]].pivot;
        const double arm[3] = {(double)x[0] - pivot[0], (double)x[1] - pivot[1], (double)x[2] - pivot[2]};
        double there[3], linear[9];
        held_handle(body, b->handles[slot], l, there, linear);
        for (int d = 0; d < 3; ++d) {
            place[d] += weight * (there[d] + sn_dot3(linear + 3 * d, arm));
        }
    }
}

/* Edge between two rows in a configuration. */
static void edge_of(const sn_coupled_body *body, int from, int to, const lie *l, double *edge)
{
    const sn_xpbd_state *state = &body->flesh->state;
    double ends[2][3];
    for (int i = 0; i < 2 && l->which >= AS_SKINNED; ++i) {
        if (l->which == AS_SKINNED) {
            sn_coupled_skin_row(body, i ? to : from, true, ends[i]);
        } else {
            held_row(body, i ? to : from, l, ends[i]);
        }
    }
    for (size_t d = 0; d < 3; ++d) {
        const size_t a = 4 * (size_t)from + d, b = 4 * (size_t)to + d;
        if (l->which >= AS_SKINNED) {
            edge[d] = ends[1][d] - ends[0][d];
            continue;
        }
        edge[d] = (double)body->rig->model->rest[b] - (double)body->rig->model->rest[a];
        edge[d] += l->which == AT_REST ? 0
                                       : sn_xpbd_get(body->flesh, state->displacements, b) -
                                             sn_xpbd_get(body->flesh, state->displacements, a);
    }
}

/* Area or volume of an element relative to rest. */
static double growth_of(const sn_coupled_body *body, int corner_count, const int32_t *rows, const lie *l)
{
    static const lie rest = {.which = AT_REST};
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
    const lie skinned = {.which = AS_SKINNED};
    lie held = {.which = AS_HELD};
    if (sn_coupled_is_free(body)) {
        return true;
    }
    sn_coupled_mean_motion(body, held.turn, held.shift);
    return growth_of(body, corner_count, rows, &skinned) < LEAST && growth_of(body, corner_count, rows, &held) > LEAST;
}

/* Repairs part of the elements; returns whether one is stuck. */
static bool heal_part(sn_coupled_body *body, int part)
{
    const sn_xpbd_batches *b = &body->flesh->model->elements;
    const lie now = {.which = AS_IT_IS};
    bool is_any_stuck = false;
    for (int batch = part; batch < b->batch_count; batch += SN_COUPLED_ROUND) {
        const int32_t *corners = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH;
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            int32_t rows[4];
            for (int k = 0; k < b->corner_count; ++k) {
                rows[k] = corners[SN_BATCH * k + lane] / 4;
            }
            if (!(growth_of(body, b->corner_count, rows, &now) < LEAST)) {
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

/* True after SN_COUPLED_MOST_ROUNDS rounds, and then after twice, four times, ... as many. */
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
