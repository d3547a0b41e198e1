/* SPDX-License-Identifier: MIT */
/* Contact of vertices with colliders: push out along the normal, then Coulomb friction on the sliding in the substep
 * (Müller et al. 2007; the two-way paper has only the push).
 *
 * Consecutive vertices lie along a curve, so a few of them fit a small ball. If its centre is farther from a surface
 * than its radius, none of them touches. A vertex that was below the surface at the start of the substep leaves it at a
 * limited speed that adds no velocity, since its predicted position moves along. Otherwise a body that appears inside a
 * collider would be ejected. */
#include <math.h>

#include "host/math/vec3.h"
#include "host/xpbd/solver.h"

#define CHUNK 32        /* vertices per bounding ball */
#define PUSH_SPEED 0.5  /* diagonals per second, out of a surface, in each of a substep's two projections */
#define LEAST_BOUNDED 4 /* minimal number of colliders for which a ball around the body pays off */
#define ROUNDING 1e-6   /* of a float box, so that the balls never change which vertices touch */

/* A collider during the fractions [from, to] of a step. */
static sn_collider during_substep(const sn_collider *collider, double from, double to)
{
    sn_collider moved = *collider;
    sn_collider_blend(collider->transform_before, collider->transform, from, moved.transform_before);
    sn_collider_blend(collider->transform_before, collider->transform, to, moved.transform);
    return moved;
}

static double depth_before(const sn_collider *collider, const double *place)
{
    sn_collider before = *collider;
    double normal[3];
    for (int i = 0; i < 12; ++i) {
        before.transform[i] = collider->transform_before[i];
    }
    return fmax(-sn_collider_distance(&before, place, normal), 0);
}

/* Moves `position` out of the collider; `before` is its position at the substep's start. Returns the part of the push
 * that resolves the depth that existed before. */
static double push_out(const sn_xpbd_body *body, const sn_collider *collider, double distance, const double *normal,
                       const double *before, double *place)
{
    double movement[3], slide[3];
    const double diagonal = body->model->diagonal; /* 0 for a single vertex, which leaves at once */
    const double bearable = diagonal > 0 ? PUSH_SPEED * diagonal * body->substep : INFINITY;
    const double depth = depth_before(collider, before), left = fmax(depth - bearable, 0);
    const double pushed = fmax(-distance - left, 0);
    for (int d = 0; d < 3; ++d) {
        place[d] += pushed * normal[d];
    }
    sn_collider_movement(collider, place, movement);
    for (int d = 0; d < 3; ++d) {
        slide[d] = place[d] - before[d] - movement[d];
    }
    const double along = sn_dot3(slide, normal);
    for (int d = 0; d < 3; ++d) {
        slide[d] -= along * normal[d];
    }
    const double length = sn_length3(slide), held = collider->friction * pushed;
    const double share = length > held ? held / length : 1;
    for (int d = 0; d < 3; ++d) {
        place[d] -= share * slide[d];
    }
    return fmin(pushed, depth - left);
}

static void project_vertex(sn_xpbd_body *body, const sn_collider *collider, int row)
{
    const size_t at = 4 * (size_t)row;
    double place[3], pushed[3], before[3], normal[3];
    if (!(sn_xpbd_get(body, body->state.displacements, at + 3) > 0)) {
        return;
    }
    sn_xpbd_get_place(body, row, place);
    const double distance = sn_collider_distance(collider, place, normal);
    if (!(distance < 0)) {
        return;
    }
    for (size_t d = 0; d < 3; ++d) {
        const double inertial = sn_xpbd_get(body, body->state.predicted, at + d) -
                                body->substep * sn_xpbd_get(body, body->state.velocities, at + d);
        before[d] = place[d] + (inertial - sn_xpbd_get(body, body->state.displacements, at + d));
        pushed[d] = place[d];
    }
    const double recovered = push_out(body, collider, distance, normal, before, pushed);
    for (size_t d = 0; d < (size_t)body->model->dimension; ++d) {
        const double inertial = sn_xpbd_get(body, body->state.predicted, at + d);
        sn_xpbd_put(body, body->state.predicted, at + d, inertial + recovered * normal[d]);
    }
    pushed[2] = body->model->dimension == 2 ? place[2] : pushed[2];
    const double mass = 1 / sn_xpbd_get(body, body->state.displacements, at + 3);
    for (size_t d = 0; d < (size_t)body->model->dimension; ++d) {
        body->push[d] += mass * (pushed[d] - place[d] - recovered * normal[d]) / body->substep;
    }
    sn_xpbd_put_place(body, row, pushed);
    ++body->contact_count;
}

/* Bounding ball of rows. */
typedef struct ball {
    double centre[3], radius;
} ball;

static ball bound(const sn_xpbd_body *body, int first, int last)
{
    double low[3], high[3];
    ball around;
    body->kernels->bound(&body->state, body->model->rest, first, last, low, high);
    for (int d = 0; d < 3; ++d) {
        around.centre[d] = (low[d] + high[d]) / 2 + body->origin[d];
    }
    around.radius = sn_distance3(high, low) / 2 + ROUNDING * (sn_length3(low) + sn_length3(high));
    return around;
}

static void project_chunk(sn_xpbd_body *body, const sn_collider *collider, int first, int last)
{
    const ball around = bound(body, first, last);
    if (!sn_collider_is_near(collider, around.centre, around.radius, 0)) {
        return;
    }
    for (int row = first; row < last; ++row) {
        project_vertex(body, collider, row);
    }
}

/* Adds the current push to the collider's impulse in this step. */
static void keep_push(sn_xpbd_body *body, uint32_t key)
{
    int i = 0;
    while (i < body->pushed_count && body->pushed[i].key != key) {
        ++i;
    }
    if (i == body->pushed_count && i < SN_XPBD_PUSHED_LIMIT) {
        body->pushed[body->pushed_count++] = (sn_xpbd_pushed){.key = key};
    }
    for (int d = 0; d < 3 && i < SN_XPBD_PUSHED_LIMIT; ++d) {
        body->pushed[i].impulse[d] += body->push[d];
    }
}

void sn_xpbd_body_pushed(const sn_xpbd_body *body, uint32_t key, double mass, double *impulse)
{
    for (int i = 0; i < body->pushed_count; ++i) {
        for (int d = 0; d < 3 && body->pushed[i].key == key; ++d) {
            impulse[d] += mass * body->pushed[i].impulse[d];
        }
    }
}

/* Returns the number of touching vertices. */
static int project_collider(sn_xpbd_body *body, const sn_collider *collider)
{
    body->push[0] = body->push[1] = body->push[2] = 0;
    const int before = body->contact_count, vertices = body->model->vertex_count;
    for (int first = 0; first < vertices; first += CHUNK) {
        project_chunk(body, collider, first, first + CHUNK < vertices ? first + CHUNK : vertices);
    }
    if (body->contact_count > before) {
        keep_push(body, collider->key);
    }
    return body->contact_count - before;
}

void sn_xpbd_project_contacts(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep)
{
    const int count = body->settings.substep_count, vertices = body->model->vertex_count;
    const int collider_count = surroundings ? surroundings->collider_count : 0;
    const bool is_bounded = collider_count >= LEAST_BOUNDED;
    ball all = is_bounded ? bound(body, 0, vertices) : (ball){.radius = 0};
    body->contact_count = 0;
    for (int i = 0; i < collider_count; ++i) {
        if (is_bounded && !sn_collider_may_reach(&surroundings->colliders[i], all.centre, all.radius)) {
            continue;
        }
        const sn_collider collider =
            during_substep(&surroundings->colliders[i], (double)substep / count, (substep + 1.0) / count);
        if (project_collider(body, &collider) > 0 && is_bounded) {
            all = bound(body, 0, vertices);
        }
    }
}
