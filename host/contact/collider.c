/* SPDX-License-Identifier: MIT */
#include "host/contact/collider.h"

#include <math.h>
#include <string.h>

#include "host/base/base.h"
#include "host/contact/grid.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

/* Min determinant of a blend: below, the rotations are nearly half a turn apart, and no meaningful one is in between.
 */
#define MIN_DETERMINANT 0.01
/* Bound on the rounding error of a distance, relative to the lengths in it. */
#define ROUNDING 1e-12

static const double up[3] = {0, 1, 0};

static void get_column(const double *m, int k, double *column)
{
    for (int d = 0; d < 3; ++d) {
        column[d] = m[4 * d + k];
    }
}

/* Orthonormalises the columns by Gram-Schmidt. Returns their former determinant. */
static double orthonormalise(double *m)
{
    double first[3], second[3], third[3], last[3];
    get_column(m, 0, first);
    get_column(m, 1, second);
    get_column(m, 2, last);
    sn_cross3(first, second, third);
    const double determinant = sn_dot3(third, last);
    sn_normalize3(first, up);
    const double along = sn_dot3(first, second);
    for (int d = 0; d < 3; ++d) {
        second[d] -= along * first[d];
    }
    sn_normalize3(second, up);
    sn_cross3(first, second, third);
    for (int d = 0; d < 3; ++d) {
        m[4 * d] = first[d];
        m[4 * d + 1] = second[d];
        m[4 * d + 2] = third[d];
    }
    return determinant;
}

static bool is_nearly_orthonormal(const double *m)
{
    bool is_orthonormal = true;
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b <= a; ++b) {
            double first[3], second[3];
            get_column(m, a, first);
            get_column(m, b, second);
            is_orthonormal &= fabs(sn_dot3(first, second) - (a == b)) <= 1e-3;
        }
    }
    return is_orthonormal;
}

bool sn_collider_read_transform(const sn_mat3x4 *matrix, double *transform)
{
    double converted[12];
    for (int i = 0; i < 12; ++i) {
        converted[i] = (double)matrix->m[i / 4][i % 4];
    }
    if (!isfinite(converted[3] + converted[7] + converted[11]) || !is_nearly_orthonormal(converted) ||
        orthonormalise(converted) <= 0) {
        return false;
    }
    memcpy(transform, converted, sizeof converted);
    return true;
}

sn_result sn_collider_init(const sn_collider_desc *desc, sn_collider *collider)
{
    *collider = (sn_collider){.shape = desc->shape,
                              .radius = desc->radius,
                              .half_height = desc->half_height,
                              .half_extents = {desc->half_extents[0], desc->half_extents[1], desc->half_extents[2]},
                              .friction = desc->friction,
                              .grid = desc->grid};
    const char *name = desc->name ? desc->name : "collider";
    const double *e = collider->half_extents;
    const double min_size = fmin(fmin(collider->radius, collider->half_height), fmin(e[0], fmin(e[1], e[2])));
    const double sum = collider->radius + collider->half_height + e[0] + e[1] + e[2] + desc->friction;
    if ((unsigned)desc->shape >= SN_COLLIDER_SHAPE_COUNT || !(min_size >= 0) || !(desc->friction >= 0) ||
        !(sum < 1e9)) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: shape %d, radius %g, half height %g, half extents %g %g %g, friction %g: out of range",
                       name, (int)desc->shape, desc->radius, desc->half_height, e[0], e[1], e[2], desc->friction);
    }
    if (desc->shape == SN_COLLIDER_GRID && !desc->grid) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: no grid", name);
    }
    if (!sn_collider_read_transform(&desc->transform, collider->transform)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: the transform is not a rotation and a translation", name);
    }
    memcpy(collider->transform_before, collider->transform, sizeof collider->transform);
    return SN_OK;
}

void sn_collider_blend(const double *from, const double *to, double fraction, double *result)
{
    for (int i = 0; i < 12; ++i) {
        result[i] = from[i] + fraction * (to[i] - from[i]);
    }
    if (orthonormalise(result) < MIN_DETERMINANT) {
        for (int i = 0; i < 12; ++i) {
            result[i] = i % 4 < 3 ? to[i] : result[i];
        }
    }
}

/* Transforms a point to the shape's frame. */
static void to_local(const double *m, const double *point, double *local)
{
    double offset[3];
    for (int d = 0; d < 3; ++d) {
        offset[d] = point[d] - m[4 * d + 3];
    }
    for (int k = 0; k < 3; ++k) {
        local[k] = m[k] * offset[0] + m[4 + k] * offset[1] + m[8 + k] * offset[2];
    }
}

/* Distance of a point from a sphere about the origin. */
static double sphere_distance(const double *offset, double radius, double *normal)
{
    const double length = sn_length3(offset);
    memcpy(normal, offset, 3 * sizeof *normal);
    sn_normalize3(normal, up);
    return length - radius;
}

static double capsule_distance(const sn_collider *c, const double *local, double *normal)
{
    const double y = fmin(fmax(local[1], -c->half_height), c->half_height);
    const double offset[3] = {local[0], local[1] - y, local[2]};
    return sphere_distance(offset, c->radius, normal);
}

/* A box enlarged and rounded by the radius. */
static double box_distance(const sn_collider *c, const double *local, double *normal)
{
    double outside[3], max_beyond = -INFINITY;
    int axis = 0;
    for (int d = 0; d < 3; ++d) {
        const double beyond = fabs(local[d]) - c->half_extents[d];
        outside[d] = beyond > 0 ? copysign(beyond, local[d]) : 0;
        if (beyond > max_beyond) {
            max_beyond = beyond;
            axis = d;
        }
    }
    if (max_beyond > 0) {
        return sphere_distance(outside, c->radius, normal);
    }
    for (int d = 0; d < 3; ++d) {
        normal[d] = d == axis ? copysign(1, local[d]) : 0;
    }
    return max_beyond - c->radius;
}

double sn_collider_distance(const sn_collider *c, const double *point, double *normal)
{
    double local[3], local_normal[3] = {0, 1, 0}, distance = 0;
    to_local(c->transform, point, local);
    switch (c->shape) {
    case SN_COLLIDER_SPHERE:
        distance = sphere_distance(local, c->radius, local_normal);
        break;
    case SN_COLLIDER_CAPSULE:
        distance = capsule_distance(c, local, local_normal);
        break;
    case SN_COLLIDER_BOX:
        distance = box_distance(c, local, local_normal);
        break;
    case SN_COLLIDER_GRID: /* its normal costs more than its distance */
        distance = sn_grid_distance(c->grid, local, normal ? local_normal : NULL);
        break;
    default: /* a plane */
        distance = local[1];
        break;
    }
    for (int d = 0; normal && d < 3; ++d) {
        const double *row = c->transform + 4 * d;
        normal[d] = row[0] * local_normal[0] + row[1] * local_normal[1] + row[2] * local_normal[2];
    }
    return distance;
}

static double translation_length(const double *m)
{
    const double translation[3] = {m[3], m[7], m[11]};
    return sn_length3(translation);
}

bool sn_collider_is_near(const sn_collider *c, const double *centre, double radius, double margin)
{
    const double slope = c->shape == SN_COLLIDER_GRID ? c->grid->slope : 1;
    const double slack = ROUNDING * (sn_length3(centre) + translation_length(c->transform) + radius);
    /* true for NaN */
    return !(sn_collider_distance(c, centre, NULL) > slope * radius + margin + slack);
}

double sn_collider_box(const sn_collider *c, double *centre, double *half_extents)
{
    const bool is_box = c->shape == SN_COLLIDER_BOX, is_grid = c->shape == SN_COLLIDER_GRID;
    for (int d = 0; d < 3; ++d) {
        half_extents[d] = is_grid ? 0.5 * c->grid->spacing * (c->grid->counts[d] - 1) : is_box ? c->half_extents[d] : 0;
        centre[d] = is_grid ? c->grid->origin[d] + half_extents[d] : 0;
    }
    if (c->shape == SN_COLLIDER_CAPSULE) {
        half_extents[1] = c->half_height;
    }
    return is_grid ? 0 : c->radius;
}

double sn_collider_extent(const sn_collider *c)
{
    double max_corner[3] = {0, 0, 0};
    for (int d = 0; d < 3 && c->shape == SN_COLLIDER_GRID; ++d) {
        const double first = c->grid->origin[d], last = first + c->grid->spacing * (c->grid->counts[d] - 1);
        max_corner[d] = fmax(fabs(first), fabs(last));
    }
    switch (c->shape) {
    case SN_COLLIDER_PLANE:
        return INFINITY;
    case SN_COLLIDER_GRID:
        return sn_length3(max_corner);
    case SN_COLLIDER_BOX:
        return sn_length3(c->half_extents) + c->radius;
    default:
        return c->radius + (c->shape == SN_COLLIDER_CAPSULE ? c->half_height : 0);
    }
}

double sn_collider_bound(const sn_collider *c, double *centre)
{
    const double *from = c->transform_before, *to = c->transform;
    const double displacement[3] = {to[3] - from[3], to[7] - from[7], to[11] - from[11]};
    for (int d = 0; d < 3; ++d) {
        centre[d] = from[4 * d + 3] + displacement[d] / 2;
    }
    return sn_collider_extent(c) + sn_length3(displacement) / 2;
}

bool sn_collider_may_touch(const sn_collider *c, const double *centre, double radius)
{
    double bound_center[3];
    const double extent = sn_collider_bound(c, bound_center);
    const double slack = ROUNDING * (sn_length3(centre) + sn_length3(bound_center));
    return !(sn_distance3(centre, bound_center) > radius + extent + slack);
}

void sn_collider_movement(const sn_collider *c, const double *point, double *movement)
{
    double local[3], before[3];
    to_local(c->transform, point, local);
    sn_affine_apply(c->transform_before, local, before);
    sn_subtract3(point, before, movement);
}
