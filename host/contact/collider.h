/* SPDX-License-Identifier: MIT */
/* Solid shapes that push flesh: signed distances, outward normals, and the motion of the surface. Computed in double
 * without transcendental functions, hence bit-identical everywhere. */
#ifndef SN_HOST_CONTACT_COLLIDER_H
#define SN_HOST_CONTACT_COLLIDER_H

#include "sinew/world.h"

typedef struct sn_collider {
    sn_collider_shape shape;
    double radius, half_height, half_extents[3];
    double friction;
    const sn_grid *grid;                        /* not owned */
    uint32_t key;                               /* of a description, unique over the world's life, unlike an index */
    double transform[12], transform_before[12]; /* rigid, shape to world; at the end and at the start of a step */
} sn_collider;

/* Colliders and wind around a body during one step. */
typedef struct sn_surroundings {
    int collider_count;
    const sn_collider *colliders; /* not owned */
    double wind[3];               /* velocity of the air, model units/s */
} sn_surroundings;

/* Error: SN_ERROR_ARGUMENT if a number is not finite or out of its range, or the transform is not rigid. */
sn_result sn_collider_init(const sn_collider_desc *desc, sn_collider *collider);

/* Converts a float matrix to a rigid transform, orthonormalising its rotation. Returns false if it is not nearly
 * orthonormal. */
bool sn_collider_read_transform(const sn_mat3x4 *matrix, double *transform);

/* Interpolates between two transforms; the result is orthonormal. */
void sn_collider_blend(const double *from, const double *to, double fraction, double *result);

/* Distance of a point from the surface, negative inside, and, unless null, the unit normal there. */
double sn_collider_distance(const sn_collider *collider, const double *point, double *normal);

/* Conservative test: false only if every point within `radius` of a centre is outside, at least `margin` from the
 * surface. */
bool sn_collider_is_near(const sn_collider *collider, const double *centre, double radius, double margin);
/* The box in the shape's frame that, grown by the returned radius, is the sphere, capsule or box, or contains the grid.
 * Not for planes. */
double sn_collider_box(const sn_collider *collider, double *centre, double *half_extents);
/* Max distance of the shape from its origin; infinite for a plane. */
double sn_collider_extent(const sn_collider *collider);
/* A sphere that bounds the shape during the whole step, for any rotation. Returns the radius, infinite for a plane. */
double sn_collider_bound(const sn_collider *collider, double *centre);
/* Conservative test: false only if no point within `radius` of a centre is inside the shape at any time of the step. */
bool sn_collider_may_touch(const sn_collider *collider, const double *centre, double radius);

/* Displacement, during the step, of the shape's material point that is now at `point`. */
void sn_collider_movement(const sn_collider *collider, const double *point, double *movement);

#endif
