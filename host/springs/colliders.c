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
#define STRAIGHT 1e-6 /* length of a unit vector's tangential part that counts as 0 */
#define SLACK 1.001   /* factor on lengths that covers float rounding */

/* Tested points along a joint, as fractions of its length; a contact at the centre rotates it, too. */
static const double stations[] = {0.5, 1};
enum { STATION_COUNT = sizeof stations / sizeof stations[0] };

/* A joint in world coordinates. */
typedef struct rod {
    double head[3], direction[3], length, hit_radius;
} rod;

typedef struct touch {
    const sn_collider *collider; /* null: no contact */
    double normal[3], depth;     /* of the deepest contact */
} touch;

/* ---- nearby colliders ---- */

/* Max distance of a joint's head from the anchor, for any rotation of the chain above it. */
static double reach_of_head(const sn_springs *s, const sn_spring_block *b, int lane)
{
    const int32_t parent = b->parents[lane];
    const sn_spring_block *p = parent >= 0 ? &s->blocks[parent / SN_SPRING_LANES] : NULL;
    const int at = parent >= 0 ? parent % SN_SPRING_LANES : 0;
    double way[3];
    for (int d = 0; d < 3; ++d) {
        way[d] = (double)b->head[d][lane] - (p ? (double)p->head[d][at] : 0);
    }
    return sn_length3(way) + (p ? (double)p->reach[at] : 0);
}

/* Radius of a sphere about the anchor that contains everything joints can touch. Blocks are sorted from parents to
 * children. */
static double find_reach(sn_springs *s)
{
    double largest = 0;
    for (int i = 0; i < s->block_count; ++i) {
        sn_spring_block *b = &s->blocks[i];
        for (int lane = 0; lane < SN_SPRING_LANES && b->joints[lane] >= 0; ++lane) {
            double along[3];
            for (int d = 0; d < 3; ++d) {
                along[d] = (double)b->along[d][lane];
            }
            const double reach = reach_of_head(s, b, lane);
            b->reach[lane] = (float)reach;
            largest = fmax(largest, reach + (1 + (double)b->hit_radius[lane]) * sn_length3(along));
        }
    }
    return SLACK * largest;
}

/* Removes the most distant collider (the last one of several); distances: (near_count) from the anchor. */
static void drop_farthest(sn_springs *s, double *distances)
{
    int farthest = 0;
    for (int i = 1; i < s->near_count; ++i) {
        farthest = distances[i] >= distances[farthest] ? i : farthest;
    }
    const size_t after = (size_t)(--s->near_count - farthest);
    memmove(&s->near[farthest], &s->near[farthest + 1], after * sizeof s->near[0]);
    memmove(&distances[farthest], &distances[farthest + 1], after * sizeof distances[0]);
}

void sn_springs_find_near(sn_springs *s, const sn_surroundings *around)
{
    const int count = around ? around->collider_count : 0;
    const double reach = count > 0 ? find_reach(s) : 0;
    double distances[SN_SPRING_NEAR + 1] = {0};
    s->near_count = 0;
    for (int i = 0; i < count; ++i) {
        const sn_collider *collider = &around->colliders[i];
        if (!sn_collider_is_near(collider, s->anchor, reach, 0)) {
            continue;
        }
        distances[s->near_count] = count > SN_SPRING_NEAR ? sn_collider_distance(collider, s->anchor, NULL) : 0;
        s->near[s->near_count++] = collider;
        if (s->near_count > SN_SPRING_NEAR) {
            drop_farthest(s, distances);
        }
    }
}

/* ---- one joint ---- */

static rod take_rod(const sn_springs *s, const sn_spring_block *b, int lane)
{
    rod r;
    for (int d = 0; d < 3; ++d) {
        r.head[d] = s->anchor[d] + (double)b->place[d][lane];
        r.direction[d] = (double)b->now[d][lane] - (double)b->place[d][lane];
    }
    r.length = sn_length3(r.direction);
    r.hit_radius = (double)b->hit_radius[lane] * r.length;
    sn_normalize3(r.direction, (const double[3]){0, 1, 0});
    return r;
}

/* Changes a unit direction to the nearest one whose component along a normal is at least `min_component`. */
static void lift(double *direction, const double *normal, double least)
{
    const double along = sn_dot3(direction, normal), wanted = fmin(least, 1);
    const double other[3] = {normal[1] * normal[1] > 0.5 ? 1 : 0, normal[1] * normal[1] > 0.5 ? 0 : 1, 0};
    double across[3], least_across[3];
    for (int d = 0; d < 3; ++d) {
        across[d] = direction[d] - along * normal[d];
        least_across[d] = other[d] - sn_dot3(other, normal) * normal[d];
    }
    sn_normalize3(least_across, other);
    if (sn_length3(across) < STRAIGHT) {
        memcpy(across, least_across, sizeof across);
    }
    sn_normalize3(across, least_across);
    const double rest = sqrt(fmax(1 - wanted * wanted, 0));
    for (int d = 0; d < 3; ++d) {
        direction[d] = wanted * normal[d] + rest * across[d];
    }
}

/* Returns true if a point was inside, or nearer than the hit radius. */
static bool push_from(rod *r, const sn_collider *c, touch *deepest)
{
    bool is_pushed = false;
    for (int i = 0; i < STATION_COUNT; ++i) {
        const double arm = stations[i] * r->length;
        double point[3], normal[3];
        for (int d = 0; d < 3; ++d) {
            point[d] = r->head[d] + arm * r->direction[d];
        }
        const double depth = r->hit_radius - sn_collider_distance(c, point, normal);
        if (!(depth > 0)) {
            continue;
        }
        lift(r->direction, normal, sn_dot3(r->direction, normal) + depth / arm);
        is_pushed = true;
        if (depth > deepest->depth) {
            deepest->collider = c;
            deepest->depth = depth;
            memcpy(deepest->normal, normal, sizeof normal);
        }
    }
    return is_pushed;
}

static void push_from_all(const sn_springs *s, rod *r, touch *deepest)
{
    bool is_pushed = true;
    for (int sweep = 0; sweep < SWEEPS && is_pushed; ++sweep) {
        is_pushed = false;
        for (int i = 0; i < s->near_count; ++i) {
            is_pushed |= push_from(r, s->near[i], deepest);
        }
    }
}

static void find_tail(const rod *r, double *tail)
{
    for (int d = 0; d < 3; ++d) {
        tail[d] = r->head[d] + r->length * r->direction[d];
    }
}

/* Removes the component along a normal from a vector, and returns it. */
static double split(double *vector, const double *normal)
{
    const double along = sn_dot3(vector, normal);
    for (int d = 0; d < 3; ++d) {
        vector[d] -= along * normal[d];
    }
    return along;
}

/* Applies friction relative to the surface's displacement; from: the tail's position before the step. */
static void rub(const sn_springs *s, rod *r, const touch *t, const double *from, const double *carried, double pushed)
{
    double tail[3], slide[3];
    touch again = {0};
    find_tail(r, tail);
    for (int d = 0; d < 3; ++d) {
        slide[d] = tail[d] - from[d] - carried[d];
    }
    split(slide, t->normal);
    const double length = sn_length3(slide), held = fmin(t->collider->friction * pushed, length);
    if (!(held > 0)) {
        return;
    }
    for (int d = 0; d < 3; ++d) {
        r->direction[d] = tail[d] - held / length * slide[d] - r->head[d];
    }
    sn_normalize3(r->direction, t->normal);
    push_from_all(s, r, &again);
}

bool sn_springs_push_out(const sn_springs *s, sn_spring_block *b, int lane)
{
    rod r = take_rod(s, b, lane);
    touch t = {0};
    double swung[3], tail[3], from[3], carried[3], way[3];
    if (!(r.length > 0)) {
        return false;
    }
    find_tail(&r, swung);
    push_from_all(s, &r, &t);
    if (!t.collider) {
        return false;
    }
    find_tail(&r, tail);
    sn_collider_movement(t.collider, tail, carried);
    for (int d = 0; d < 3; ++d) {
        from[d] = s->anchor[d] + (double)b->before[d][lane];
        carried[d] /= s->substep_count;
        way[d] = tail[d] - swung[d];
    }
    rub(s, &r, &t, from, carried, fmax(sn_dot3(way, t.normal), 0));
    find_tail(&r, tail);
    for (int d = 0; d < 3; ++d) {
        way[d] = swung[d] - from[d];
        swung[d] = tail[d] - from[d];
    }
    const double most = fmax(sn_dot3(way, t.normal), sn_dot3(carried, t.normal));
    const double bounce = fmax(sn_dot3(swung, t.normal) - most, 0);
    for (int d = 0; d < 3; ++d) {
        b->now[d][lane] = (float)(tail[d] - s->anchor[d]);
        b->before[d][lane] = (float)(from[d] + bounce * t.normal[d] - s->anchor[d]);
    }
    return true;
}
