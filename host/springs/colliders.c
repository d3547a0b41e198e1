/* SPDX-License-Identifier: MIT */
/* Collision of joints with a world's colliders. A joint has a fixed length, so that its tail moves on a sphere about
 * its head. The smallest rotation moves it out of the half-space at the nearest surface point, which is exact for
 * planes. If the joint points straight into the surface, the direction is arbitrary, but always the same.
 *
 * Collisions do not bounce: the velocity along the normal is limited to its value before, or to that of the surface.
 * Friction reduces the sliding distance by at most the friction coefficient times the push. Chains therefore come to
 * rest on colliders. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/springs/swing.h"

#define SWEEPS 4
#define MIN_TANGENT 1e-6      /* length of a unit vector's tangential part that counts as 0 */
#define ROUNDING_FACTOR 1.001 /* factor on lengths that covers float rounding */

/* Tested points along a joint, as fractions of its length; a contact at the centre rotates it, too. */
static const double test_points[] = {0.5, 1};
enum { TEST_POINT_COUNT = sizeof test_points / sizeof test_points[0] };

/* A joint in world coordinates. */
typedef struct joint_segment {
    double head[3], direction[3], length, hit_radius;
} joint_segment;

typedef struct surface_contact {
    const sn_collider *collider; /* null: no contact */
    double normal[3], depth;     /* of the deepest contact */
} surface_contact;

/* ---- nearby colliders ---- */

/* Max distance of a joint's head from the anchor, for any rotation of the chain above it. */
static double max_head_distance(const sn_springs *s, const sn_spring_block *b, int lane)
{
    const int32_t parent = b->parents[lane];
    const sn_spring_block *p = parent >= 0 ? &s->blocks[parent / SN_SPRING_LANES] : NULL;
    const int at = parent >= 0 ? parent % SN_SPRING_LANES : 0;
    double displacement[3];
    for (int d = 0; d < 3; ++d) {
        displacement[d] = (double)b->head[d][lane] - (p ? (double)p->head[d][at] : 0);
    }
    return sn_length3(displacement) + (p ? (double)p->max_distance[at] : 0);
}

/* Radius of a sphere about the anchor that contains everything joints can touch. Blocks are sorted from parents to
 * children. */
static double compute_max_distance(sn_springs *s)
{
    double max_extent = 0;
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
            double along[3];
            for (int d = 0; d < 3; ++d) {
                along[d] = (double)b->along[d][lane];
            }
            const double max_distance = max_head_distance(s, b, lane);
            b->max_distance[lane] = (float)max_distance;
            max_extent = fmax(max_extent, max_distance + (1 + (double)b->hit_radius[lane]) * sn_length3(along));
        }
    }
    return ROUNDING_FACTOR * max_extent;
}

/* Removes the most distant collider (the last one of several); distances: (nearby_count) from the anchor. */
static void remove_most_distant(sn_springs *s, double *distances)
{
    int most_distant = 0;
    for (int i = 1; i < s->nearby_count; ++i) {
        most_distant = distances[i] >= distances[most_distant] ? i : most_distant;
    }
    const size_t after = (size_t)(--s->nearby_count - most_distant);
    memmove(&s->nearby[most_distant], &s->nearby[most_distant + 1], after * sizeof s->nearby[0]);
    memmove(&distances[most_distant], &distances[most_distant + 1], after * sizeof distances[0]);
}

void sn_springs_find_nearby_colliders(sn_springs *s, const sn_surroundings *around)
{
    const int count = around ? around->collider_count : 0;
    const double max_distance = count > 0 ? compute_max_distance(s) : 0;
    double distances[SN_SPRING_MAX_NEARBY + 1] = {0};
    s->nearby_count = 0;
    for (int i = 0; i < count; ++i) {
        const sn_collider *collider = &around->colliders[i];
        if (!sn_collider_is_near(collider, s->anchor, max_distance, 0)) {
            continue;
        }
        distances[s->nearby_count] = count > SN_SPRING_MAX_NEARBY ? sn_collider_distance(collider, s->anchor, NULL) : 0;
        s->nearby[s->nearby_count++] = collider;
        if (s->nearby_count > SN_SPRING_MAX_NEARBY) {
            remove_most_distant(s, distances);
        }
    }
}

/* ---- one joint ---- */

static joint_segment read_joint(const sn_springs *s, const sn_spring_block *b, int lane)
{
    joint_segment r;
    for (int d = 0; d < 3; ++d) {
        r.head[d] = s->anchor[d] + (double)b->location[d][lane];
        r.direction[d] = (double)b->now[d][lane] - (double)b->location[d][lane];
    }
    r.length = sn_length3(r.direction);
    r.hit_radius = (double)b->hit_radius[lane] * r.length;
    sn_normalize3(r.direction, (const double[3]){0, 1, 0});
    return r;
}

/* Changes a unit direction to the nearest one whose component along a normal is at least `min_component`. */
static void rotate_out(double *direction, const double *normal, double min_component)
{
    const double along = sn_dot3(direction, normal), tail_targets = fmin(min_component, 1);
    const double other[3] = {normal[1] * normal[1] > 0.5 ? 1 : 0, normal[1] * normal[1] > 0.5 ? 0 : 1, 0};
    double across[3], default_tangent[3];
    for (int d = 0; d < 3; ++d) {
        across[d] = direction[d] - along * normal[d];
        default_tangent[d] = other[d] - sn_dot3(other, normal) * normal[d];
    }
    sn_normalize3(default_tangent, other);
    if (sn_length3(across) < MIN_TANGENT) {
        memcpy(across, default_tangent, sizeof across);
    }
    sn_normalize3(across, default_tangent);
    const double rest = sqrt(fmax(1 - tail_targets * tail_targets, 0));
    for (int d = 0; d < 3; ++d) {
        direction[d] = tail_targets * normal[d] + rest * across[d];
    }
}

/* Returns true if a point was inside, or nearer than the hit radius. */
static bool push_from(joint_segment *r, const sn_collider *c, surface_contact *deepest_contact)
{
    bool is_pushed = false;
    for (int i = 0; i < TEST_POINT_COUNT; ++i) {
        const double arm = test_points[i] * r->length;
        double point[3], normal[3];
        for (int d = 0; d < 3; ++d) {
            point[d] = r->head[d] + arm * r->direction[d];
        }
        const double depth = r->hit_radius - sn_collider_distance(c, point, normal);
        if (!(depth > 0)) {
            continue;
        }
        rotate_out(r->direction, normal, sn_dot3(r->direction, normal) + depth / arm);
        is_pushed = true;
        if (depth > deepest_contact->depth) {
            deepest_contact->collider = c;
            deepest_contact->depth = depth;
            memcpy(deepest_contact->normal, normal, sizeof normal);
        }
    }
    return is_pushed;
}

static void push_from_all(const sn_springs *s, joint_segment *r, surface_contact *deepest_contact)
{
    bool is_pushed = true;
    for (int sweep = 0; sweep < SWEEPS && is_pushed; ++sweep) {
        is_pushed = false;
        for (int i = 0; i < s->nearby_count; ++i) {
            is_pushed |= push_from(r, s->nearby[i], deepest_contact);
        }
    }
}

static void find_tail(const joint_segment *r, double *tail)
{
    for (int d = 0; d < 3; ++d) {
        tail[d] = r->head[d] + r->length * r->direction[d];
    }
}

/* Removes the component along a normal from a vector, and returns it. */
static double remove_component(double *vector, const double *normal)
{
    const double along = sn_dot3(vector, normal);
    for (int d = 0; d < 3; ++d) {
        vector[d] -= along * normal[d];
    }
    return along;
}

/* Applies friction relative to the surface's displacement; from: the tail's position before the step. */
static void apply_friction(const sn_springs *s, joint_segment *r, const surface_contact *t, const double *from,
                           const double *surface_displacement, double pushed)
{
    double tail[3], slide[3];
    surface_contact again = {0};
    find_tail(r, tail);
    for (int d = 0; d < 3; ++d) {
        slide[d] = tail[d] - from[d] - surface_displacement[d];
    }
    remove_component(slide, t->normal);
    const double length = sn_length3(slide), friction_distance = fmin(t->collider->friction * pushed, length);
    if (!(friction_distance > 0)) {
        return;
    }
    for (int d = 0; d < 3; ++d) {
        r->direction[d] = tail[d] - friction_distance / length * slide[d] - r->head[d];
    }
    sn_normalize3(r->direction, t->normal);
    push_from_all(s, r, &again);
}

bool sn_springs_push_out(const sn_springs *s, sn_spring_block *b, int lane)
{
    joint_segment r = read_joint(s, b, lane);
    surface_contact t = {0};
    double swung[3], tail[3], from[3], surface_displacement[3], displacement[3];
    if (!(r.length > 0)) {
        return false;
    }
    find_tail(&r, swung);
    push_from_all(s, &r, &t);
    if (!t.collider) {
        return false;
    }
    find_tail(&r, tail);
    sn_collider_movement(t.collider, tail, surface_displacement);
    for (int d = 0; d < 3; ++d) {
        from[d] = s->anchor[d] + (double)b->before[d][lane];
        surface_displacement[d] /= s->substep_count;
        displacement[d] = tail[d] - swung[d];
    }
    apply_friction(s, &r, &t, from, surface_displacement, fmax(sn_dot3(displacement, t.normal), 0));
    find_tail(&r, tail);
    for (int d = 0; d < 3; ++d) {
        displacement[d] = swung[d] - from[d];
        swung[d] = tail[d] - from[d];
    }
    const double max_value = fmax(sn_dot3(displacement, t.normal), sn_dot3(surface_displacement, t.normal));
    const double bounce = fmax(sn_dot3(swung, t.normal) - max_value, 0);
    for (int d = 0; d < 3; ++d) {
        b->now[d][lane] = (float)(tail[d] - s->anchor[d]);
        b->before[d][lane] = (float)(from[d] + bounce * t.normal[d] - s->anchor[d]);
    }
    return true;
}
