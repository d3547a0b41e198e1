/* SPDX-License-Identifier: MIT */
/* What a violent drag leaves, and neither elasticity nor the fit mends.
 *
 * Elements that are inside out, and lie so among their neighbours that elasticity alone does not turn them back: their
 * vertices are drawn half of the way to the skinned mesh, which is smooth. A sixteenth of the elements is looked at in
 * a step. A body that nothing holds, and that stays tangled all the same, goes back to rest where it is.
 *
 * Handles that are turned by more than a right angle against the flesh that they weigh: the fit has ended in another
 * minimum, with neighbours turned against each other, and the flesh cannot leave it. They take up the flesh's rotation.
 */
#include <math.h>
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

#define ROUND 16             /* steps until all have been looked at */
#define MOST_ROUNDS 8        /* of a tangle of a body that is free, and of flesh turned against what is locked */
#define LEAST 0.02           /* J of an element that is none any more */
#define LEAST_OF_HANDLES 0.1 /* determinant */
#define SHARE 0.5            /* of the way */
#define ALIKE 0.5            /* correlation of flesh with its rest shape, from which it has a rotation of its own */
#define CLEAR 0.02           /* of it, by which another rotation must be worse: thin rods have none about their axis */

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

static void draw_back(sn_coupled_body *body, int row, double share)
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

/* A row now, and at rest. */
static double place_row(const sn_coupled_body *body, int row, double *now, double *rest)
{
    const float *x = body->rig->model->rest + 4 * row;
    sn_xpbd_get_place(body->flesh, row, now);
    for (int d = 0; d < 3; ++d) {
        rest[d] = (double)x[d] + body->rig->model->centre[d];
    }
    return (double)x[3];
}

/* The flesh's rigid motion: its centre's, and the rotation in sum m (x - centre) (rest - centre at rest)^T. */
static void find_rigid(const sn_coupled_body *body, double *transform)
{
    const int count = body->rig->model->vertex_count;
    double centre[3] = {0}, rest_centre[3] = {0}, moment[9] = {0}, mass = 0, now[3], rest[3];
    double turn[4] = {0, 0, 0, 1}, linear[9];
    for (int row = 0; row < count; ++row) {
        const double m = place_row(body, row, now, rest);
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
        const double m = place_row(body, row, now, rest);
        for (int i = 0; i < 9; ++i) {
            moment[i] += m * (now[i / 3] - centre[i / 3]) * (rest[i % 3] - rest_centre[i % 3]);
        }
    }
    moment[8] += body->rig->dimension == 2 ? fabs(moment[0]) + fabs(moment[4]) : 0; /* about z alone */
    sn_quaternion_polar(moment, turn);
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
    for (int batch = part; batch < b->batch_count; batch += ROUND) {
        const int32_t *corners = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH;
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            const double size = size_of(body, b->corner_count, corners, lane, false);
            const double rest = size_of(body, b->corner_count, corners, lane, true);
            for (int k = 0; k < b->corner_count && size / rest < LEAST; ++k) {
                draw_back(body, corners[SN_BATCH * k + lane] / 4, SHARE);
                is_tangled = true;
            }
        }
    }
    return is_tangled;
}

typedef struct sums {
    double mass, place[3], rest[3]; /* sum m w, sum m w x, sum m w (x at rest) */
    double cross[9];                /* sum m w x (x at rest)^T */
    double place_square, rest_square;
} sums;

static void add_row(const sn_coupled_body *body, int row, double weight, sums *s)
{
    double now[3], rest[3];
    const double m = weight * place_row(body, row, now, rest);
    s->mass += m;
    s->place_square += m * sn_dot3(now, now);
    s->rest_square += m * sn_dot3(rest, rest);
    for (int i = 0; i < 9; ++i) {
        s->place[i % 3] += i < 3 ? m * now[i] : 0;
        s->rest[i % 3] += i < 3 ? m * rest[i] : 0;
        s->cross[i] += m * now[i / 3] * rest[i % 3];
    }
}

/* About the centres: the moment that rotations are taken from, and the most that its trace can be. */
static double centre(sums *s)
{
    s->place_square -= sn_dot3(s->place, s->place) / s->mass;
    s->rest_square -= sn_dot3(s->rest, s->rest) / s->mass;
    for (int i = 0; i < 9; ++i) {
        s->cross[i] -= s->place[i / 3] * s->rest[i % 3] / s->mass;
    }
    return sqrt(fmax(s->place_square, 0) * fmax(s->rest_square, 0));
}

static double correlation(const double *moment, const double *turn)
{
    double r[9], sum = 0;
    sn_quaternion_to_matrix(turn, r);
    for (int i = 0; i < 9; ++i) {
        sum += r[i] * moment[i];
    }
    return sum;
}

/* Weight of a handle in a row. */
static double weight_of(const sn_coupled_body *body, int handle, int row)
{
    const sn_coupled_blocks *b = &body->rig->blocks;
    for (int slot = b->starts[row / SN_BATCH]; slot < b->starts[row / SN_BATCH + 1]; ++slot) {
        if (b->handles[slot] == handle) {
            return (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
        }
    }
    return 0;
}

/* Whether the handle is turned against its flesh; the flesh's own rotation. */
static bool is_turned(const sn_coupled_body *body, int handle, double *turn)
{
    const bool is_flat = body->rig->dimension == 2;
    const double still[4] = {0, 0, 0, 1};
    sums s = {.mass = 0};
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        const double weight = weight_of(body, handle, row);
        if (weight > 0) {
            add_row(body, row, weight, &s);
        }
    }
    if (!(s.mass > 0)) {
        return false;
    }
    const double most = centre(&s);
    double moment[9];
    memcpy(moment, s.cross, sizeof moment);
    moment[8] += is_flat ? fabs(moment[0]) + fabs(moment[4]) : 0; /* about z alone */
    memcpy(turn, still, sizeof still);
    sn_quaternion_polar(moment, turn);
    const double *now = body->handles[handle].turn, found = correlation(s.cross, turn);
    const double cosine = turn[0] * now[0] + turn[1] * now[1] + turn[2] * now[2] + turn[3] * now[3]; /* of half of it */
    return 2 * cosine * cosine < 1 && found > ALIKE * most && found - correlation(s.cross, now) > CLEAR * most;
}

/* All flesh about a handle, from its own rotation to the handle's. */
static void turn_flesh(sn_coupled_body *body, int handle, const double *from)
{
    const double *pivot = body->handles[handle].place;
    double back[4], turn[4], r[9];
    sn_quaternion_conjugate(from, back);
    sn_quaternion_multiply(body->handles[handle].turn, back, turn);
    sn_quaternion_to_matrix(turn, r);
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        double place[3], arm[3];
        if (sn_coupled_is_held(body, row)) {
            continue;
        }
        sn_xpbd_get_place(body->flesh, row, place);
        sn_subtract3(place, pivot, arm);
        for (int d = 0; d < 3; ++d) {
            place[d] = pivot[d] + sn_dot3(r + 3 * d, arm);
        }
        sn_xpbd_put_place(body->flesh, row, place);
    }
}

/* Flesh to what is locked: as a whole, where no other handle says how it is turned; else what the handle weighs. */
static void put_flesh(sn_coupled_body *body, int handle, const double *turn)
{
    int locked_count = 0;
    for (int k = 0; k < body->rig->handle_count; ++k) {
        locked_count += (body->handles[k].locks & SN_LOCK_ROTATION) != 0;
    }
    if (locked_count == 1 && body->flesh->pin_count == 0) {
        turn_flesh(body, handle, turn);
        return;
    }
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        draw_back(body, row, weight_of(body, handle, row));
    }
}

/* A part of the handles. */
static void turn_back(sn_coupled_body *body, int part)
{
    for (int k = part; k < body->rig->handle_count; k += ROUND) {
        sn_coupled_handle_state *handle = &body->handles[k];
        const bool is_locked = (handle->locks & SN_LOCK_ROTATION) != 0;
        double turn[4];
        if (body->rig->turning[k] < 0 || (!is_locked && body->rig->handles[k].kind == SN_HANDLE_AFFINE) ||
            !is_turned(body, k, turn)) {
            continue;
        }
        body->is_turned |= is_locked;
        if (!is_locked) {
            memcpy(handle->turn, turn, sizeof turn);
            sn_coupled_compose(handle);
            sn_coupled_place_joints(body);
        } else if (body->turned_rounds >= MOST_ROUNDS) {
            put_flesh(body, k, turn);
        }
    }
}

bool sn_coupled_heal(sn_coupled_body *body)
{
    double transform[12];
    body->healed = (body->healed + 1) % ROUND;
    body->is_tangled |= heal_part(body, body->healed);
    turn_back(body, body->healed);
    if (body->healed == 0) {
        body->tangled_rounds = body->is_tangled && is_free(body) ? body->tangled_rounds + 1 : 0;
        body->turned_rounds = body->is_turned ? body->turned_rounds + 1 : 0;
        body->is_tangled = body->is_turned = false;
    }
    if (body->tangled_rounds < MOST_ROUNDS) {
        return false;
    }
    find_rigid(body, transform);
    sn_coupled_body_reset(body);
    sn_coupled_body_teleport(body, transform);
    body->tangled_rounds = 0;
    return true;
}
