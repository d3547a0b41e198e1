/* SPDX-License-Identifier: MIT */
#include "host/mesh/tri_mesh.h"

#include <stdlib.h>
#include <string.h>

#include "host/math/vec3.h"

#define GROUP_COSINE 0.99985 /* cosine of one degree */

static const double up[3] = {0, 1, 0};

/* Corner positions of a triangle. */
typedef struct corner_list {
    const double *x[3];
} corner_list;

static corner_list corners_of(const sn_tri_mesh *mesh, int triangle)
{
    corner_list corners;
    for (int k = 0; k < 3; ++k) {
        corners.x[k] = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + (size_t)k];
    }
    return corners;
}

/* Normal with a length of twice the area. */
static void area_vector(const corner_list *c, double *result)
{
    double a[3], b[3];
    sn_subtract3(c->x[1], c->x[0], a);
    sn_subtract3(c->x[2], c->x[0], b);
    sn_cross3(a, b, result);
}

static double corner_angle(const corner_list *c, int corner)
{
    double a[3], b[3], normal[3];
    sn_subtract3(c->x[(corner + 1) % 3], c->x[corner], a);
    sn_subtract3(c->x[(corner + 2) % 3], c->x[corner], b);
    sn_cross3(a, b, normal);
    return atan2(sn_length3(normal), sn_dot3(a, b));
}

void sn_tri_normals(const sn_tri_mesh *mesh, double *normals)
{
    memset(normals, 0, 3 * (size_t)mesh->vertex_count * sizeof(double));
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const corner_list c = corners_of(mesh, t);
        double normal[3];
        area_vector(&c, normal);
        const double length = sn_length3(normal);
        for (int k = 0; k < 3 && length > 0; ++k) {
            double *sum = normals + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)k];
            const double weight = corner_angle(&c, k) / length;
            for (int d = 0; d < 3; ++d) {
                sum[d] += weight * normal[d];
            }
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        sn_normalize3(normals + 3 * (size_t)v, up);
    }
}

/* Adds the triangle's direction of increasing u, weighted by angle, and its handedness to its vertices. */
static void add_tangent(const sn_tri_mesh *mesh, int triangle, const double *uvs, double *accumulators)
{
    const corner_list c = corners_of(mesh, triangle);
    const int32_t *v = mesh->triangles + 3 * (size_t)triangle;
    const double *uv[3] = {uvs + 2 * (size_t)v[0], uvs + 2 * (size_t)v[1], uvs + 2 * (size_t)v[2]};
    const double u1 = uv[1][0] - uv[0][0], v1 = uv[1][1] - uv[0][1];
    const double u2 = uv[2][0] - uv[0][0], v2 = uv[2][1] - uv[0][1];
    const double determinant = u1 * v2 - u2 * v1;
    double a[3], b[3], tangent[3];
    sn_subtract3(c.x[1], c.x[0], a);
    sn_subtract3(c.x[2], c.x[0], b);
    for (int d = 0; d < 3; ++d) {
        tangent[d] = (a[d] * v2 - b[d] * v1) * (determinant < 0 ? -1 : 1);
    }
    const double length = sn_length3(tangent);
    if (determinant == 0 || !(length > 0)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        double *sum = accumulators + 4 * (size_t)v[k];
        const double weight = corner_angle(&c, k);
        for (int d = 0; d < 3; ++d) {
            sum[d] += weight / length * tangent[d];
        }
        sum[3] +=
            determinant < 0 ? weight : -weight; /* v increases downwards, so that an unmirrored chart has w = +1 */
    }
}

/* Removes the component along the normal; returns false if almost nothing remains. */
static bool project_out(double *vector, const double *normal)
{
    const double before = sn_length3(vector), along = sn_dot3(vector, normal);
    for (int d = 0; d < 3; ++d) {
        vector[d] -= along * normal[d];
    }
    return sn_length3(vector) > 1e-6 * before;
}

void sn_tri_tangents(const sn_tri_mesh *mesh, const double *normals, const double *uvs, double *tangents)
{
    memset(tangents, 0, 4 * (size_t)mesh->vertex_count * sizeof(double));
    for (int t = 0; uvs && t < mesh->triangle_count; ++t) {
        add_tangent(mesh, t, uvs, tangents);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double *tangent = tangents + 4 * (size_t)v;
        const double *normal = normals + 3 * (size_t)v;
        if (!project_out(tangent, normal)) {
            const int axis = fabs(normal[0]) < 0.6 ? 0 : fabs(normal[1]) < 0.6 ? 1 : 2;
            memset(tangent, 0, 3 * sizeof(double));
            tangent[axis] = 1;
            project_out(tangent, normal);
        }
        sn_normalize3(tangent, up);
        tangent[3] = tangent[3] < 0 ? -1 : 1;
    }
}

typedef struct indexed_position {
    const double *position;
    int32_t vertex;
} indexed_position;

static int by_position(const void *left, const void *right)
{
    const indexed_position *a = left, *b = right;
    for (int d = 0; d < 3; ++d) {
        if (a->position[d] != b->position[d]) {
            return a->position[d] < b->position[d] ? -1 : 1;
        }
    }
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static bool is_same_position(const indexed_position *a, const indexed_position *b)
{
    return a->position[0] == b->position[0] && a->position[1] == b->position[1] && a->position[2] == b->position[2];
}

sn_result sn_tri_groups(const sn_tri_mesh *mesh, const double *normals, int32_t *groups, int *group_count)
{
    sn_arena scratch = {0};
    indexed_position *order = SN_NEW(&scratch, indexed_position, mesh->vertex_count);
    if (!order) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        order[v] = (indexed_position){mesh->positions + 3 * (size_t)v, v};
    }
    qsort(order, (size_t)mesh->vertex_count, sizeof *order, by_position);
    *group_count = 0;
    for (int first = 0, i = 0; i < mesh->vertex_count; ++i) {
        if (!is_same_position(&order[first], &order[i])) {
            first = i;
        }
        int32_t group = -1;
        for (int j = first; j < i && group < 0; ++j) {
            const int32_t other = order[j].vertex;
            const bool is_same =
                !normals || sn_dot3(normals + 3 * (size_t)other, normals + 3 * (size_t)order[i].vertex) > GROUP_COSINE;
            group = is_same ? groups[other] : -1;
        }
        groups[order[i].vertex] = group < 0 ? (*group_count)++ : group;
    }
    sn_arena_finish(&scratch);
    return SN_OK;
}

/* grad f = sum_k f_k grad h_k with the hat functions' gradients (3 x 3) in the triangle's plane; false if degenerate.
 */
static bool hat_gradients(const corner_list *c, double *gradients)
{
    double normal[3];
    area_vector(c, normal);
    const double square = sn_dot3(normal, normal);
    for (int k = 0; k < 3; ++k) {
        double opposite[3];
        sn_subtract3(c->x[(k + 2) % 3], c->x[(k + 1) % 3], opposite);
        sn_cross3(normal, opposite, gradients + 3 * k);
        for (int d = 0; d < 3; ++d) {
            gradients[3 * k + d] /= square;
        }
    }
    const double size = sn_length3(gradients) + sn_length3(gradients + 3) + sn_length3(gradients + 6);
    return square > 0 && size - size == 0;
}

typedef struct gradient_accumulators {
    double *gradients; /* (group_count x field_count x 3) */
    double *weights;   /* (group_count) */
} gradient_accumulators;

static void add_gradients(const sn_tri_mesh *mesh, int triangle, const int32_t *groups, const double *fields,
                          size_t field_count, const gradient_accumulators *accumulators)
{
    const corner_list c = corners_of(mesh, triangle);
    const int32_t *v = mesh->triangles + 3 * (size_t)triangle;
    double hats[9];
    if (!hat_gradients(&c, hats)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        const double weight = corner_angle(&c, k);
        const size_t group = (size_t)groups[v[k]];
        double *gradient = accumulators->gradients + group * field_count * 3;
        accumulators->weights[group] += weight;
        for (size_t f = 0; f < field_count; ++f, gradient += 3) {
            for (size_t corner = 0; corner < 3; ++corner) {
                const double value = weight * fields[(size_t)v[corner] * field_count + f];
                gradient[0] += value * hats[3 * corner];
                gradient[1] += value * hats[3 * corner + 1];
                gradient[2] += value * hats[3 * corner + 2];
            }
        }
    }
}

static void project_gradients(const sn_tri_mesh *mesh, const int32_t *groups, const double *normals,
                              const double *tangents, size_t field_count, const gradient_accumulators *accumulators,
                              double *derivatives)
{
    for (size_t v = 0; v < (size_t)mesh->vertex_count; ++v) {
        const double *t = tangents + 4 * v;
        double b[3];
        sn_cross3(normals + 3 * v, t, b);
        const size_t group = (size_t)groups[v];
        const double weight = accumulators->weights[group] > 0 ? 1 / accumulators->weights[group] : 0;
        for (size_t f = 0; f < field_count; ++f, derivatives += 2) {
            const double *gradient = accumulators->gradients + (group * field_count + f) * 3;
            derivatives[0] = weight * sn_dot3(gradient, t);
            derivatives[1] = weight * t[3] * sn_dot3(gradient, b);
        }
    }
}

sn_result sn_tri_derivatives(const sn_tri_mesh *mesh, const int32_t *groups, int group_count, const double *normals,
                             const double *tangents, const double *fields, int field_count, double *derivatives)
{
    sn_arena scratch = {0};
    const gradient_accumulators accumulators = {
        .gradients = sn_arena_alloc(&scratch, (size_t)group_count, 3 * (size_t)field_count * sizeof(double)),
        .weights = SN_NEW(&scratch, double, group_count)};
    const bool is_ok = accumulators.gradients && accumulators.weights;
    for (int t = 0; is_ok && t < mesh->triangle_count; ++t) {
        add_gradients(mesh, t, groups, fields, (size_t)field_count, &accumulators);
    }
    if (is_ok) {
        project_gradients(mesh, groups, normals, tangents, (size_t)field_count, &accumulators, derivatives);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
