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

#define CHUNK_SIZE 32  /* vertices per bounding ball */
#define PUSH_SPEED 0.5 /* diagonals per second, out of a surface, in each of a substep's two projections */
#define MIN_BOUNDED 4  /* minimal number of colliders for which a ball around the body pays off */
#define ROUNDING 1e-6  /* of a float box, so that the balls never change which vertices touch */

/* A collider during the fractions [from, to] of a step. */
static sn_collider collider_in_substep(const sn_collider *collider, double from, double to)
{
    sn_collider interpolated = *collider;
    sn_collider_blend(collider->transform_before, collider->transform, from, interpolated.transform_before);
    sn_collider_blend(collider->transform_before, collider->transform, to, interpolated.transform);
    return interpolated;
}

static double depth_before(const sn_collider *collider, const double *position)
{
    sn_collider before = *collider;
    double normal[3];
    for (int i = 0; i < 12; ++i) {
        before.transform[i] = collider->transform_before[i];
    }
    return fmax(-sn_collider_distance(&before, position, normal), 0);
}

/* Moves `position` out of the collider; `before` is its position at the substep's start. Returns the part of the push
 * that resolves the depth that existed before. */
static double push_out(const sn_xpbd_body *body, const sn_collider *collider, double distance, const double *normal,
                       const double *before, double *position)
{
    double movement[3], slide[3];
    const double diagonal = body->model->diagonal; /* 0 for a single vertex, which leaves at once */
    const double max_push = diagonal > 0 ? PUSH_SPEED * diagonal * body->substep : INFINITY;
    const double depth = depth_before(collider, before), remaining_depth = fmax(depth - max_push, 0);
    const double collider_impulses = fmax(-distance - remaining_depth, 0);
    for (int d = 0; d < 3; ++d) {
        position[d] += collider_impulses * normal[d];
    }
    sn_collider_movement(collider, position, movement);
    for (int d = 0; d < 3; ++d) {
        slide[d] = position[d] - before[d] - movement[d];
    }
    const double along = sn_dot3(slide, normal);
    for (int d = 0; d < 3; ++d) {
        slide[d] -= along * normal[d];
    }
    const double length = sn_length3(slide), max_friction = collider->friction * collider_impulses;
    const double ratio = length > max_friction ? max_friction / length : 1;
    for (int d = 0; d < 3; ++d) {
        position[d] -= ratio * slide[d];
    }
    return fmin(collider_impulses, depth - remaining_depth);
}

static void project_vertex(sn_xpbd_body *body, const sn_collider *collider, int row)
{
    const size_t at = 4 * (size_t)row;
    double position[3], collider_impulses[3], before[3], normal[3];
    if (!(sn_xpbd_get_real(body, body->state.displacements, at + 3) > 0)) {
        return;
    }
    sn_xpbd_get_position(body, row, position);
    const double distance = sn_collider_distance(collider, position, normal);
    if (!(distance < 0)) {
        return;
    }
    for (size_t d = 0; d < 3; ++d) {
        const double inertial = sn_xpbd_get_real(body, body->state.predicted, at + d) -
                                body->substep * sn_xpbd_get_real(body, body->state.velocities, at + d);
        before[d] = position[d] + (inertial - sn_xpbd_get_real(body, body->state.displacements, at + d));
        collider_impulses[d] = position[d];
    }
    const double recovered = push_out(body, collider, distance, normal, before, collider_impulses);
    for (size_t d = 0; d < (size_t)body->model->dimension; ++d) {
        const double inertial = sn_xpbd_get_real(body, body->state.predicted, at + d);
        sn_xpbd_set_real(body, body->state.predicted, at + d, inertial + recovered * normal[d]);
    }
    collider_impulses[2] = body->model->dimension == 2 ? position[2] : collider_impulses[2];
    const double mass = 1 / sn_xpbd_get_real(body, body->state.displacements, at + 3);
    for (size_t d = 0; d < (size_t)body->model->dimension; ++d) {
        body->contact_impulse[d] += mass * (collider_impulses[d] - position[d] - recovered * normal[d]) / body->substep;
    }
    sn_xpbd_set_position(body, row, collider_impulses);
    ++body->contact_count;
}

/* Bounding ball of rows. */
typedef struct bounding_ball {
    double centre[3], radius;
} bounding_ball;

static bounding_ball bound(const sn_xpbd_body *body, int first, int last)
{
    double low[3], high[3];
    bounding_ball around;
    body->kernels->bound(&body->state, body->model->rest, first, last, low, high);
    for (int d = 0; d < 3; ++d) {
        around.centre[d] = (low[d] + high[d]) / 2 + body->origin[d];
    }
    around.radius = sn_distance3(high, low) / 2 + ROUNDING * (sn_length3(low) + sn_length3(high));
    return around;
}

static void project_chunk(sn_xpbd_body *body, const sn_collider *collider, int first, int last)
{
    const bounding_ball around = bound(body, first, last);
    if (!sn_collider_is_near(collider, around.centre, around.radius, 0)) {
        return;
    }
    for (int row = first; row < last; ++row) {
        project_vertex(body, collider, row);
    }
}

/* Adds the current push to the collider's impulse in this step. */
static void record_impulse(sn_xpbd_body *body, uint32_t key)
{
    int i = 0;
    while (i < body->collider_impulse_count && body->collider_impulses[i].key != key) {
        ++i;
    }
    if (i == body->collider_impulse_count && i < SN_XPBD_COLLIDER_IMPULSE_LIMIT) {
        body->collider_impulses[body->collider_impulse_count++] = (sn_xpbd_collider_impulse){.key = key};
    }
    for (int d = 0; d < 3 && i < SN_XPBD_COLLIDER_IMPULSE_LIMIT; ++d) {
        body->collider_impulses[i].impulse[d] += body->contact_impulse[d];
    }
}

void sn_xpbd_body_collider_impulse(const sn_xpbd_body *body, uint32_t key, double mass, double *impulse)
{
    for (int i = 0; i < body->collider_impulse_count; ++i) {
        for (int d = 0; d < 3 && body->collider_impulses[i].key == key; ++d) {
            impulse[d] += mass * body->collider_impulses[i].impulse[d];
        }
    }
}

/* Returns the number of touching vertices. */
static int project_collider(sn_xpbd_body *body, const sn_collider *collider)
{
    body->contact_impulse[0] = body->contact_impulse[1] = body->contact_impulse[2] = 0;
    const int before = body->contact_count, vertices = body->model->vertex_count;
    for (int first = 0; first < vertices; first += CHUNK_SIZE) {
        project_chunk(body, collider, first, first + CHUNK_SIZE < vertices ? first + CHUNK_SIZE : vertices);
    }
    if (body->contact_count > before) {
        record_impulse(body, collider->key);
    }
    return body->contact_count - before;
}

void sn_xpbd_project_contacts(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep)
{
    const int count = body->settings.substep_count, vertices = body->model->vertex_count;
    const int collider_count = surroundings ? surroundings->collider_count : 0;
    const bool is_bounded = collider_count >= MIN_BOUNDED;
    bounding_ball all = is_bounded ? bound(body, 0, vertices) : (bounding_ball){.radius = 0};
    body->contact_count = 0;
    for (int i = 0; i < collider_count; ++i) {
        if (is_bounded && !sn_collider_may_touch(&surroundings->colliders[i], all.centre, all.radius)) {
            continue;
        }
        const sn_collider collider =
            collider_in_substep(&surroundings->colliders[i], (double)substep / count, (substep + 1.0) / count);
        if (project_collider(body, &collider) > 0 && is_bounded) {
            all = bound(body, 0, vertices);
        }
    }
}
