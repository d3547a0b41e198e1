/* SPDX-License-Identifier: MIT */
/* Solid shapes that push flesh: signed distances, outward normals, and how their surface moves. Double, no
 * transcendentals: the same bits everywhere. */
#ifndef SN_HOST_CONTACT_COLLIDER_H
#define SN_HOST_CONTACT_COLLIDER_H

#include "sinew/world.h"

typedef struct sn_collider {
    sn_collider_shape shape;
    double radius, half_height, half_extents[3];
    double friction;
    const sn_grid *grid; /* borrowed */
    uint32_t key;        /* tells it from others that had its number in the surroundings before */
    double transform[12], transform_before[12]; /* rigid, shape to world; at the end and at the start of a step */
} sn_collider;

/* What surrounds a body during one step. */
typedef struct sn_surroundings {
    int collider_count;
    const sn_collider *colliders; /* borrowed */
    double wind[3];               /* velocity of the air, model units a second */
} sn_surroundings;

/* SN_ERROR_ARGUMENT where a number is not finite or out of its range, or the transform is not rigid. */
sn_result sn_collider_init(const sn_collider_desc *desc, sn_collider *collider);

/* A rigid motion from the doubles of a float matrix: the rotation is made orthonormal; false if it is not nearly so. */
bool sn_collider_take_transform(const sn_mat3x4 *matrix, double *transform);

/* The transform at a fraction of the way between two, orthonormal. */
void sn_collider_blend(const double *from, const double *to, double fraction, double *result);

/* Distance of a point from the surface, negative inside, and, unless null, the unit normal there. */
double sn_collider_distance(const sn_collider *collider, const double *point, double *normal);

/* False only where no point within `radius` of a centre is nearer to the surface than `reach`, nor inside. */
bool sn_collider_is_near(const sn_collider *collider, const double *centre, double radius, double reach);
/* The box, grown by the radius that is returned, which is a sphere, a capsule or a box, and which holds a grid: its
 * centre in the shape's frame. Not of a plane. */
double sn_collider_box(const sn_collider *collider, double *centre, double *half_extents);
/* How far from its origin the shape reaches, at most; infinite for a plane. */
double sn_collider_extent(const sn_collider *collider);
/* A ball around all places that it takes on its way in a step, however it turns; returns the radius, infinite for a
 * plane. */
double sn_collider_bound(const sn_collider *collider, double *centre);
/* False only where no point within `radius` of a centre is inside of it at any moment of that way. */
bool sn_collider_may_reach(const sn_collider *collider, const double *centre, double radius);

/* How far the shape's own point that is now at `point` has come during the step. */
void sn_collider_movement(const sn_collider *collider, const double *point, double *movement);

#endif
