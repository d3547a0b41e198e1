/* SPDX-License-Identifier: MIT */
/* Resolves handles that are rotated by more than 90 degrees relative to their flesh. The fit then is in a wrong
 * minimum, with neighbouring handles flipped, and the flesh cannot leave it. Such a handle takes the flesh's rotation;
 * flesh that stays flipped relative to a locked handle takes the handle's rotation.
 *
 * Only rows that a handle affects are visited, and one part in SN_COUPLED_CHECK_BATCHES of the handles is checked per
 * step. This costs less than a substep's sums, for any number of handles. */
#include <math.h>
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

#define MIN_CORRELATION                                                                                                \
    0.5 /* minimal correlation of the flesh with its rest shape for which its rotation is defined                      \
         */
#define MIN_DIFFERENCE                                                                                                 \
    0.02 /* minimal loss of correlation by the other rotation; thin rods have none about their axis */

/* The i-th weight in a handle's slots, and its row. */
static double slot_weight(const sn_coupled_blocks *b, int i)
{
    return (double)b->weights[SN_BATCH * b->slots[i / SN_BATCH] + i % SN_BATCH];
}

static int slot_row(const sn_coupled_blocks *b, int i)
{
    return SN_BATCH * b->slot_blocks[i / SN_BATCH] + i % SN_BATCH;
}

typedef struct row_sums {
    double mass, position[3], rest[3]; /* sum m w, sum m w x, sum m w (x at rest) */
    double cross[9];                   /* sum m w x (x at rest)^T */
    double position_square, rest_square;
} row_sums;

static void add_row(const sn_coupled_body *body, int row, double weight, row_sums *s)
{
    double now[3], rest[3];
    const double m = weight * sn_coupled_row_positions(body, row, now, rest);
    s->mass += m;
    s->position_square += m * sn_dot3(now, now);
    s->rest_square += m * sn_dot3(rest, rest);
    for (int i = 0; i < 9; ++i) {
        s->position[i % 3] += i < 3 ? m * now[i] : 0;
        s->rest[i % 3] += i < 3 ? m * rest[i] : 0;
        s->cross[i] += m * now[i / 3] * rest[i % 3];
    }
}

/* Moves the sums to the centres of mass. cross is then the moment that defines the rotation; returns the maximum of its
 * trace. */
static double centre(row_sums *s)
{
    s->position_square -= sn_dot3(s->position, s->position) / s->mass;
    s->rest_square -= sn_dot3(s->rest, s->rest) / s->mass;
    for (int i = 0; i < 9; ++i) {
        s->cross[i] -= s->position[i / 3] * s->rest[i % 3] / s->mass;
    }
    return sqrt(fmax(s->position_square, 0) * fmax(s->rest_square, 0));
}

static double correlation(const double *moment, const double *rotation)
{
    double r[9], sum = 0;
    sn_quaternion_to_matrix(rotation, r);
    for (int i = 0; i < 9; ++i) {
        sum += r[i] * moment[i];
    }
    return sum;
}

static void nearest_rotation(const sn_coupled_rig *rig, const double *moment, double *rotation)
{
    const double identity[4] = {0, 0, 0, 1};
    if (rig->dimension == 2) {
        sn_quaternion_polar_z(moment, rotation);
    } else {
        memcpy(rotation, identity, sizeof identity);
        sn_quaternion_polar(moment, rotation);
    }
}

void sn_coupled_flesh_motion(const sn_coupled_body *body, double *rotation, double *shift)
{
    double r[9], rest[3];
    row_sums s = {.mass = 0};
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        add_row(body, row, 1, &s);
    }
    centre(&s);
    nearest_rotation(body->rig, s.cross, rotation);
    sn_quaternion_to_matrix(rotation, r);
    for (int d = 0; d < 3; ++d) {
        rest[d] = s.rest[d] / s.mass;
    }
    for (int d = 0; d < 3; ++d) {
        shift[d] = s.position[d] / s.mass - sn_dot3(r + 3 * d, rest);
    }
}

/* Whether the handle is flipped relative to its flesh; writes the flesh's own rotation. */
static bool is_flipped(const sn_coupled_body *body, int handle, double *rotation)
{
    const sn_coupled_blocks *b = &body->rig->blocks;
    row_sums s = {.mass = 0};
    for (int i = SN_BATCH * b->handle_starts[handle]; i < SN_BATCH * b->handle_starts[handle + 1]; ++i) {
        const double weight = slot_weight(b, i);
        if (weight > 0) {
            add_row(body, slot_row(b, i), weight, &s);
        }
    }
    if (!(s.mass > 0)) {
        return false;
    }
    const double max_trace = centre(&s);
    nearest_rotation(body->rig, s.cross, rotation);
    const double *now = body->handles[handle].rotation, best = correlation(s.cross, rotation);
    const double cosine = rotation[0] * now[0] + rotation[1] * now[1] + rotation[2] * now[2] +
                          rotation[3] * now[3]; /* of half the angle */
    return 2 * cosine * cosine < 1 && best > MIN_CORRELATION * max_trace &&
           best - correlation(s.cross, now) > MIN_DIFFERENCE * max_trace;
}

/* Rotates all flesh about a handle, from the flesh's rotation to the handle's. */
static void rotate_flesh(sn_coupled_body *body, int handle, const double *from)
{
    const double *pivot = body->handles[handle].position;
    double inverse[4], rotation[4], r[9];
    sn_quaternion_conjugate(from, inverse);
    sn_quaternion_multiply(body->handles[handle].rotation, inverse, rotation);
    sn_quaternion_to_matrix(rotation, r);
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        double position[3], arm[3];
        if (sn_coupled_is_pinned(body, row)) {
            continue;
        }
        sn_xpbd_get_position(body->flesh, row, position);
        sn_subtract3(position, pivot, arm);
        for (int d = 0; d < 3; ++d) {
            position[d] = pivot[d] + sn_dot3(r + 3 * d, arm);
        }
        sn_xpbd_set_position(body->flesh, row, position);
    }
}

/* Moves flesh to a locked handle: rigidly, if no other handle locks its rotation; else by the handle's weights. */
static void move_flesh(sn_coupled_body *body, int handle, const double *rotation)
{
    int locked_count = 0;
    for (int k = 0; k < body->rig->handle_count; ++k) {
        locked_count += (body->handles[k].locks & SN_LOCK_ROTATION) != 0;
    }
    if (locked_count == 1 && body->flesh->pin_count == 0) {
        rotate_flesh(body, handle, rotation);
        return;
    }
    const sn_coupled_blocks *b = &body->rig->blocks;
    for (int i = SN_BATCH * b->handle_starts[handle]; i < SN_BATCH * b->handle_starts[handle + 1]; ++i) {
        if (slot_weight(b, i) != 0) {
            sn_coupled_pull_to_skin(body, slot_row(b, i), slot_weight(b, i));
        }
    }
}

/* Checks part of the handles. */
void sn_coupled_resolve_flips(sn_coupled_body *body, int part)
{
    for (int k = part; k < body->rig->handle_count; k += SN_COUPLED_CHECK_BATCHES) {
        sn_coupled_handle_state *handle = &body->handles[k];
        const bool is_locked = (handle->locks & SN_LOCK_ROTATION) != 0;
        double rotation[4];
        if (body->rig->rotation_column[k] < 0 || (!is_locked && body->rig->handles[k].type == SN_HANDLE_AFFINE) ||
            !is_flipped(body, k, rotation)) {
            continue;
        }
        body->is_flipped |= is_locked;
        if (!is_locked) {
            memcpy(handle->rotation, rotation, sizeof rotation);
            sn_coupled_compose(handle);
            sn_coupled_update_joints(body);
        } else if (body->flipped_rounds >= SN_COUPLED_MAX_ROUNDS) {
            move_flesh(body, k, rotation);
        }
    }
}
