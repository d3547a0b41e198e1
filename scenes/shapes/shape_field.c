/* SPDX-License-Identifier: MIT */
/* Signed distances of outlines and blobs. Blobs are blended by a polynomial smooth minimum (Quilez). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/shapes/shape.h"

#define CURVE_STEPS 8 /* segments between two points of a smooth outline */

/* Catmull-Rom curve from p[1] to p[2]. */
static double curve_at(const double p[4], double u)
{
    return p[1] +
           0.5 * u *
               (p[2] - p[0] + u * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] + u * (3 * (p[1] - p[2]) + p[3] - p[0])));
}

static void add_loop(sn_shape_field *field, const double (*points)[2], int count)
{
    const int steps = field->shape->is_angular ? 1 : CURVE_STEPS;
    for (int i = 0; i < count; ++i) {
        const int around[4] = {(i + count - 1) % count, i, (i + 1) % count, (i + 2) % count};
        for (int s = 0; s < 2 * steps; ++s) { /* start and end of each segment */
            const double u = (double)((s + 1) / 2) / steps;
            double *at = field->curve[2 * field->segment_count + s];
            for (int d = 0; d < 2; ++d) {
                const double p[4] = {points[around[0]][d], points[around[1]][d], points[around[2]][d],
                                     points[around[3]][d]};
                at[d] = steps == 1 ? p[1 + s] : curve_at(p, u);
            }
        }
        field->segment_count += steps;
    }
}

static void grow(sn_shape_field *field, const double *point, double radius)
{
    for (int d = 0; d < 3; ++d) {
        field->low[d] = fmin(field->low[d], point[d] - radius);
        field->high[d] = fmax(field->high[d], point[d] + radius);
    }
}

static sn_result trace_outline(sn_shape_field *field)
{
    const sn_scene_shape *shape = field->shape;
    const int single_loop[1] = {shape->point_count};
    const int *lengths = shape->loop_count > 0 ? shape->loop_lengths : single_loop;
    field->curve = calloc((size_t)shape->point_count * 2 * CURVE_STEPS, sizeof *field->curve);
    if (!field->curve) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0, first = 0; i < (shape->loop_count > 0 ? shape->loop_count : 1); first += lengths[i++]) {
        add_loop(field, shape->points + first, lengths[i]);
    }
    for (int i = 0; i < 2 * field->segment_count; ++i) {
        grow(field, (const double[3]){field->curve[i][0], field->curve[i][1], 0}, 0);
    }
    return SN_OK;
}

sn_result sn_shape_field_init(const sn_scene_shape *shape, sn_shape_field *field)
{
    *field = (sn_shape_field){.shape = shape, .low = {INFINITY, INFINITY, INFINITY}};
    for (int d = 0; d < 3; ++d) {
        field->high[d] = -INFINITY;
    }
    if (shape->type == SN_SHAPE_OUTLINE) {
        return trace_outline(field);
    }
    for (int i = 0; i < shape->blob_count; ++i) {
        const sn_scene_blob *blob = &shape->blobs[i];
        grow(field, blob->from, blob->from_radius + 0.25 * shape->blend);
        grow(field, blob->to, blob->to_radius + 0.25 * shape->blend);
    }
    return SN_OK;
}

void sn_shape_field_finish(sn_shape_field *field)
{
    free(field->curve);
    *field = (sn_shape_field){0};
}

/* Parameter (0 to 1) of the point on segment a-b nearest to a point, and its distance. */
static double nearest_on(const double *a, const double *b, const double *point, int dimension, double *distance)
{
    double dot = 0, square = 0, distance_square = 0;
    for (int d = 0; d < dimension; ++d) {
        dot += (point[d] - a[d]) * (b[d] - a[d]);
        square += (b[d] - a[d]) * (b[d] - a[d]);
    }
    const double u = square > 0 ? fmin(fmax(dot / square, 0), 1) : 0;
    for (int d = 0; d < dimension; ++d) {
        const double offset = point[d] - a[d] - u * (b[d] - a[d]);
        distance_square += offset * offset;
    }
    *distance = sqrt(distance_square);
    return u;
}

static double outline_distance(const sn_shape_field *field, const double point[3])
{
    double min_distance = INFINITY;
    bool is_inside = false;
    for (int i = 0; i < field->segment_count; ++i) {
        const double *a = field->curve[2 * i], *b = field->curve[2 * i + 1];
        double distance = 0;
        nearest_on(a, b, point, 2, &distance);
        min_distance = fmin(min_distance, distance);
        if ((a[1] > point[1]) != (b[1] > point[1]) &&
            point[0] < a[0] + (point[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) {
            is_inside = !is_inside;
        }
    }
    return is_inside ? -min_distance : min_distance;
}

/* Distance to spheres along the segment with linearly varying radius: exact for constant radius, a slight underestimate
 * otherwise. */
static double blob_distance(const sn_scene_blob *blob, const double point[3])
{
    double distance = 0;
    const double u = nearest_on(blob->from, blob->to, point, 3, &distance);
    return distance - (blob->from_radius + u * (blob->to_radius - blob->from_radius));
}

static double smooth_minimum(double a, double b, double blend)
{
    const double h = blend > 0 ? fmax(blend - fabs(a - b), 0) / blend : 0;
    return fmin(a, b) - 0.25 * h * h * blend;
}

double sn_shape_field_distance(const sn_shape_field *field, const double point[3])
{
    const sn_scene_shape *shape = field->shape;
    if (shape->type == SN_SHAPE_OUTLINE) {
        return outline_distance(field, point);
    }
    double distance = INFINITY;
    for (int i = 0; i < shape->blob_count; ++i) {
        const double next = blob_distance(&shape->blobs[i], point);
        distance = i == 0 ? next : smooth_minimum(distance, next, shape->blend);
    }
    return distance;
}

void sn_shape_field_gradient(const sn_shape_field *field, const double point[3], double gradient[3])
{
    const double step = 1e-3 * field->shape->edge_length;
    double length = 0;
    for (int d = 0; d < 3; ++d) {
        double forward[3], backward[3];
        memcpy(forward, point, sizeof forward);
        memcpy(backward, point, sizeof backward);
        forward[d] += step;
        backward[d] -= step;
        gradient[d] = sn_shape_field_distance(field, forward) - sn_shape_field_distance(field, backward);
        length += gradient[d] * gradient[d];
    }
    for (int d = 0; d < 3; ++d) {
        gradient[d] = length > 0 ? gradient[d] / sqrt(length) : 0;
    }
}
