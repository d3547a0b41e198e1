/* SPDX-License-Identifier: MIT */
/* Sockets: points of the drawn surface that carry objects. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "host/base/base.h"
#include "host/math/vec3.h"
#include "host/mesh/embedding.h"
#include "host/skin/skin.h"

#define MIN_SINE 1e-6 /* of a triangle's corner; below, its plane is undefined */

static void add_transformed(const sn_mat3x4 *m, double weight, const double *x, double *sum)
{
    for (int d = 0; d < 3; ++d) {
        sum[d] += weight * ((double)m->m[d][0] * x[0] + (double)m->m[d][1] * x[1] + (double)m->m[d][2] * x[2] +
                            (double)m->m[d][3]);
    }
}

/* As sn_skin_vertex, from the output's own matrices. */
static void skin_corner(const sn_surface *surface, const sn_body_matrices *output, int vertex, double *position)
{
    const sn_mode_weight *modes = surface->mode_weights + (size_t)vertex * (size_t)surface->mode_count;
    double rest[3];
    sn_skin_morph(surface, vertex, output->morphs, rest);
    memset(position, 0, 3 * sizeof *position);
    for (int32_t i = surface->influence_starts[vertex]; i < surface->influence_starts[vertex + 1]; ++i) {
        add_transformed(&output->matrices[surface->influences[i].bone], (double)surface->influences[i].weight, rest,
                        position);
    }
    for (int j = 0; j < output->mode_count; ++j) {
        add_transformed(&output->matrices[output->bone_count + j], (double)modes[j].weight, rest, position);
    }
}

/* Point and orthonormal axes (rows: first edge, in the plane across it, normal) of a socket on a triangle. Returns
 * false if the triangle has no plane; the axes are then undefined. */
static bool find_frame(const double corners[3][3], const sn_socket *socket, double point[3], double axes[3][3])
{
    double other[3];
    for (int d = 0; d < 3; ++d) {
        point[d] = 0;
        for (int k = 0; k < 3; ++k) {
            point[d] += (double)socket->barycentric[k] * corners[k][d];
        }
        axes[0][d] = corners[1][d] - corners[0][d];
        other[d] = corners[2][d] - corners[0][d];
    }
    sn_cross3(axes[0], other, axes[2]);
    const double size = sn_length3(axes[0]) * sn_length3(other), area = sn_length3(axes[2]);
    if (!(area > MIN_SINE * size) || !isfinite(area)) {
        return false;
    }
    const double edge = sn_length3(axes[0]);
    for (int d = 0; d < 3; ++d) {
        axes[0][d] /= edge;
        axes[2][d] /= area;
    }
    sn_cross3(axes[2], axes[0], axes[1]);
    return true;
}

void sn_surface_socket_transform(const sn_surface *surface, const sn_body_matrices *output, const sn_socket *socket,
                                 sn_mat3x4 *transform)
{
    double rest[3][3], posed[3][3], rest_point[3], point[3], rest_axes[3][3], axes[3][3], rotation[3][3];
    SN_ASSERT(socket->triangle >= 0 && socket->triangle < surface->triangle_count &&
              output->morph_count == surface->morph_count);
    for (int k = 0; k < 3; ++k) {
        const int32_t vertex = surface->triangles[3 * (size_t)socket->triangle + (size_t)k];
        for (int d = 0; d < 3; ++d) {
            rest[k][d] = (double)surface->positions[3 * (size_t)vertex + (size_t)d];
        }
        skin_corner(surface, output, vertex, posed[k]);
    }
    const bool has_rest = find_frame(rest, socket, rest_point, rest_axes);
    const bool has_axes = find_frame(posed, socket, point, axes) && has_rest;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            rotation[i][j] = i == j ? 1 : 0;
            if (has_axes) {
                rotation[i][j] =
                    axes[0][i] * rest_axes[0][j] + axes[1][i] * rest_axes[1][j] + axes[2][i] * rest_axes[2][j];
            }
        }
        transform->m[i][3] = (float)(point[i] - sn_dot3(rotation[i], rest_point));
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            transform->m[i][j] = (float)rotation[i][j];
        }
    }
}

sn_socket sn_surface_nearest_socket(const sn_surface *surface, const float point[3])
{
    const double target[3] = {(double)point[0], (double)point[1], (double)point[2]};
    sn_socket nearest = {.triangle = -1};
    double min_distance = DBL_MAX;
    for (int t = 0; t < surface->triangle_count; ++t) {
        double corners[3][3], barycentric[3];
        for (int i = 0; i < 9; ++i) {
            const int32_t vertex = surface->triangles[3 * (size_t)t + (size_t)(i / 3)];
            corners[i / 3][i % 3] = (double)surface->positions[3 * (size_t)vertex + (size_t)(i % 3)];
        }
        const double *const list[3] = {corners[0], corners[1], corners[2]};
        const double distance = sn_triangle_nearest(list, target, barycentric);
        if (distance < min_distance) {
            min_distance = distance;
            nearest = (sn_socket){.triangle = t,
                                  .barycentric = {(float)barycentric[0], (float)barycentric[1], (float)barycentric[2]}};
        }
    }
    return nearest;
}
