/* SPDX-License-Identifier: MIT */
/* Resolves handles that are rotated by more than 90 degrees relative to their flesh. The fit then is in a wrong
 * minimum, with neighbouring handles flipped, and the flesh cannot leave it. Such a handle takes the flesh's rotation;
 * flesh that stays flipped relative to a locked handle takes the handle's rotation.
 *
 * Only rows that a handle affects are visited, and one part in SN_COUPLED_ROUND of the handles is checked per step.
 * This costs less than a substep's sums, for any number of handles. */
#include <math.h>
#include <string.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

#define ALIKE 0.5  /* minimal correlation of the flesh with its rest shape for which its rotation is defined */
#define CLEAR 0.02 /* minimal loss of correlation by the other rotation; thin rods have none about their axis */

/* The i-th weight in a handle's slots, and its row. */
static double felt_at(const sn_coupled_blocks *b, int i)
{
    return (double)b->weights[SN_BATCH * b->slots[i / SN_BATCH] + i % SN_BATCH];
}

static int felt_row(const sn_coupled_blocks *b, int i)
{
    return SN_BATCH * b->slot_blocks[i / SN_BATCH] + i % SN_BATCH;
}

typedef struct sums {
    double mass, place[3], rest[3]; /* sum m w, sum m w x, sum m w (x at rest) */
    double cross[9];                /* sum m w x (x at rest)^T */
    double place_square, rest_square;
} sums;

static void add_row(const sn_coupled_body *body, int row, double weight, sums *s)
{
    double now[3], rest[3];
    const double m = weight * sn_coupled_place_row(body, row, now, rest);
    s->mass += m;
    s->place_square += m * sn_dot3(now, now);
    s->rest_square += m * sn_dot3(rest, rest);
    for (int i = 0; i < 9; ++i) {
        s->place[i % 3] += i < 3 ? m * now[i] : 0;
        s->rest[i % 3] += i < 3 ? m * rest[i] : 0;
        s->cross[i] += m * now[i / 3] * rest[i % 3];
    }
}

/* Moves the sums to the centres of mass. cross is then the moment that defines the rotation; returns the maximum of its
 * trace. */
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

static void nearest_turn(const sn_coupled_rig *rig, const double *moment, double *turn)
{
    const double still[4] = {0, 0, 0, 1};
    if (rig->dimension == 2) {
        sn_quaternion_polar_z(moment, turn);
    } else {
        memcpy(turn, still, sizeof still);
        sn_quaternion_polar(moment, turn);
    }
}

void sn_coupled_find_motion(const sn_coupled_body *body, double *turn, double *shift)
{
    double r[9], rest[3];
    sums s = {.mass = 0};
    for (int row = 0; row < body->rig->model->vertex_count; ++row) {
        add_row(body, row, 1, &s);
    }
    centre(&s);
    nearest_turn(body->rig, s.cross, turn);
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        rest[d] = s.rest[d] / s.mass;
    }
    for (int d = 0; d < 3; ++d) {
        shift[d] = s.place[d] / s.mass - sn_dot3(r + 3 * d, rest);
    }
}

/* Whether the handle is flipped relative to its flesh; writes the flesh's own rotation. */
static bool is_turned(const sn_coupled_body *body, int handle, double *turn)
{
    const sn_coupled_blocks *b = &body->rig->blocks;
    sums s = {.mass = 0};
    for (int i = SN_BATCH * b->handle_starts[handle]; i < SN_BATCH * b->handle_starts[handle + 1]; ++i) {
        const double weight = felt_at(b, i);
        if (weight > 0) {
            add_row(body, felt_row(b, i), weight, &s);
        }
    }
    if (!(s.mass > 0)) {
        return false;
    }
    const double most = centre(&s);
    nearest_turn(body->rig, s.cross, turn);
    const double *now = body->handles[handle].turn, found = correlation(s.cross, turn);
    const double cosine =
        turn[0] * now[0] + turn[1] * now[1] + turn[2] * now[2] + turn[3] * now[3]; /* of half the angle */
    return 2 * cosine * cosine < 1 && found > ALIKE * most && found - correlation(s.cross, now) > CLEAR * most;
}

/* Rotates all flesh about a handle, from the flesh's rotation to the handle's. */
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

/* Moves flesh to a locked handle: rigidly, if no other handle locks its rotation; else by the handle's weights. */
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
    const sn_coupled_blocks *b = &body->rig->blocks;
    for (int i = SN_BATCH * b->handle_starts[handle]; i < SN_BATCH * b->handle_starts[handle + 1]; ++i) {
        if (felt_at(b, i) != 0) {
            sn_coupled_draw_back(body, felt_row(b, i), felt_at(b, i));
        }
    }
}

/* Checks part of the handles. */
void sn_coupled_turn_back(sn_coupled_body *body, int part)
{
    for (int k = part; k < body->rig->handle_count; k += SN_COUPLED_ROUND) {
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
        } else if (body->turned_rounds >= SN_COUPLED_MOST_ROUNDS) {
            put_flesh(body, k, turn);
        }
    }
}
