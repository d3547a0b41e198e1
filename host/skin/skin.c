/* SPDX-License-Identifier: MIT */
#include "host/skin/skin.h"

#include <stdbool.h>
#include <stddef.h>

#include "host/math/half.h"
#include "host/math/vec3.h"

static void add_scaled(double *sum, double scale, const double *transform)
{
    for (int i = 0; i < 12; ++i) {
        sum[i] += scale * transform[i];
    }
}

/* m [x, w] */
static void apply(const double *m, const double *x, double w, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = m[4 * d] * x[0] + m[4 * d + 1] * x[1] + m[4 * d + 2] * x[2] + m[4 * d + 3] * w;
    }
}

void sn_skin_add(const float *weights, int weight_count, const double *transforms, const float *rest_positions,
                 int vertex_count, double *positions)
{
    for (int v = 0; v < vertex_count; ++v, weights += weight_count, rest_positions += 3, positions += 3) {
        double blended[12] = {0};
        for (int j = 0; j < weight_count; ++j) {
            if (weights[j] != 0) { /* few of many bones move a vertex */
                add_scaled(blended, (double)weights[j], transforms + 12 * (size_t)j);
            }
        }
        for (int d = 0; d < 3; ++d) {
            const double *row = blended + 4 * d;
            positions[d] += row[0] * (double)rest_positions[0] + row[1] * (double)rest_positions[1] +
                            row[2] * (double)rest_positions[2] + row[3];
        }
    }
}

/* A vertex at rest, and its tangent frame, which morph targets may make non-orthonormal. */
typedef struct rest_frame {
    double position[3], tangent[3], bitangent[3];
} rest_frame;

/* Morph deltas of a vertex, from first to last; none without weights. */
static void find_deltas(const sn_surface *surface, int vertex, const float *morphs, int *first, int *last)
{
    const bool has_morphs = morphs && surface->morph_count > 0;
    *first = has_morphs ? surface->morph_starts[vertex] : 0;
    *last = has_morphs ? surface->morph_starts[vertex + 1] : 0;
}

void sn_skin_morph(const sn_surface *surface, int vertex, const float *morphs, double *position)
{
    int first, last;
    for (int d = 0; d < 3; ++d) {
        position[d] = (double)surface->positions[3 * (size_t)vertex + (size_t)d];
    }
    find_deltas(surface, vertex, morphs, &first, &last);
    for (int i = first; i < last; ++i) {
        const sn_morph_delta *delta = &surface->morph_deltas[i];
        for (int d = 0; d < 3; ++d) {
            position[d] += (double)morphs[delta->morph] * (double)delta->offset[d];
        }
    }
}

static rest_frame rest_of_vertex(const sn_surface *surface, int vertex, const float *morphs)
{
    const float *n = surface->normals + 3 * (size_t)vertex, *t = surface->tangents + 4 * (size_t)vertex;
    const double normal[3] = {(double)n[0], (double)n[1], (double)n[2]};
    rest_frame rest = {.tangent = {(double)t[0], (double)t[1], (double)t[2]}};
    int first, last;
    sn_skin_morph(surface, vertex, morphs, rest.position);
    sn_cross3(normal, rest.tangent, rest.bitangent);
    for (int d = 0; d < 3; ++d) {
        rest.bitangent[d] *= (double)t[3];
    }
    find_deltas(surface, vertex, morphs, &first, &last);
    for (int i = first; i < last; ++i) {
        const sn_morph_delta *delta = &surface->morph_deltas[i];
        const double weight = (double)morphs[delta->morph];
        for (int d = 0; d < 3; ++d) {
            rest.tangent[d] += weight * (double)sn_float_from_half(delta->derivatives[d][0]);
            rest.bitangent[d] += weight * (double)sn_float_from_half(delta->derivatives[d][1]);
        }
    }
    return rest;
}

/* Transforms of one vertex, blended with its weights and with their two derivatives. */
typedef struct blend {
    double value[12], along[2][12];
    double rig_position[3], rig_accumulators[2];
} blend;

static void add_weight(blend *b, float weight, const double *derivatives, const double *transform)
{
    add_scaled(b->value, (double)weight, transform);
    add_scaled(b->along[0], derivatives[0], transform);
    add_scaled(b->along[1], derivatives[1], transform);
}

static blend blend_vertex(const sn_surface *surface, int vertex, const double *position, const double *bones,
                          const double *modes)
{
    blend b = {{0}, {{0}, {0}}, {0}, {0}};
    for (int i = surface->influence_starts[vertex]; i < surface->influence_starts[vertex + 1]; ++i) {
        const sn_influence *influence = &surface->influences[i];
        const double derivatives[2] = {(double)sn_float_from_half(influence->derivatives[0]),
                                       (double)sn_float_from_half(influence->derivatives[1])};
        add_weight(&b, influence->weight, derivatives, bones + 12 * (size_t)influence->bone);
        b.rig_accumulators[0] += derivatives[0];
        b.rig_accumulators[1] += derivatives[1];
    }
    apply(b.value, position, 1, b.rig_position);
    const size_t mode_count = (size_t)surface->mode_count;
    for (size_t j = 0; j < mode_count; ++j) {
        const sn_mode_weight *mode = &surface->mode_weights[(size_t)vertex * mode_count + j];
        const double derivatives[2] = {(double)sn_float_from_half(mode->derivatives[0]),
                                       (double)sn_float_from_half(mode->derivatives[1])};
        add_weight(&b, mode->weight, derivatives, modes + 12 * j);
    }
    return b;
}

/* J times the direction whose weight derivatives are those of `side`. */
static void push_direction(const blend *b, int side, const double *position, const double *direction, double diagonal,
                           double *result)
{
    double varied[3];
    apply(b->value, direction, 0, result);
    apply(b->along[side], position, 1, varied);
    for (int d = 0; d < 3; ++d) {
        result[d] += (varied[d] - b->rig_accumulators[side] * b->rig_position[d]) / diagonal;
    }
}

static void frame_vertex(const sn_surface *surface, int vertex, const blend *b, const rest_frame *rest, double *normal,
                         double *tangent)
{
    const float *n = surface->normals + 3 * (size_t)vertex, *t = surface->tangents + 4 * (size_t)vertex;
    const double rest_normal[3] = {(double)n[0], (double)n[1], (double)n[2]};
    const double rest_tangent[3] = {(double)t[0], (double)t[1], (double)t[2]};
    double jt[3], jb[3], n_out[3], t_out[3];
    push_direction(b, 0, rest->position, rest->tangent, surface->diagonal, jt);
    push_direction(b, 1, rest->position, rest->bitangent, surface->diagonal, jb);
    sn_cross3(jt, jb, n_out);
    for (int d = 0; d < 3; ++d) {
        n_out[d] *= (double)t[3];
    }
    /* a surface that collapses to a line uses the normal of its linear part */
    if (sn_dot3(n_out, n_out) < 1e-12 * sn_dot3(jt, jt) * sn_dot3(jb, jb) || sn_dot3(n_out, n_out) == 0) {
        apply(b->value, rest_normal, 0, n_out);
    }
    sn_normalize3(n_out, rest_normal);
    const double along = sn_dot3(n_out, jt);
    for (int d = 0; d < 3; ++d) {
        t_out[d] = jt[d] - along * n_out[d];
    }
    sn_normalize3(t_out, rest_tangent);
    for (int d = 0; d < 3; ++d) {
        if (normal) {
            normal[d] = n_out[d];
        }
        if (tangent) {
            tangent[d] = t_out[d];
        }
    }
}

static void compute_rest_vertex(const sn_surface *surface, int vertex, const double *position, const double *bones,
                                const double *modes, double *result)
{
    double value[12] = {0};
    for (int i = surface->influence_starts[vertex]; i < surface->influence_starts[vertex + 1]; ++i) {
        const sn_influence *influence = &surface->influences[i];
        add_scaled(value, (double)influence->weight, bones + 12 * (size_t)influence->bone);
    }
    const size_t mode_count = (size_t)surface->mode_count;
    for (size_t j = 0; j < mode_count; ++j) {
        add_scaled(value, (double)surface->mode_weights[(size_t)vertex * mode_count + j].weight, modes + 12 * j);
    }
    apply(value, position, 1, result);
}

void sn_skin_vertex(const sn_surface *surface, int vertex, const double *bones, const double *modes,
                    const float *morphs, double *position, double *normal, double *tangent)
{
    if (!normal && !tangent) {
        double rest[3];
        sn_skin_morph(surface, vertex, morphs, rest);
        compute_rest_vertex(surface, vertex, rest, bones, modes, position);
        return;
    }
    const rest_frame rest = rest_of_vertex(surface, vertex, morphs);
    const blend b = blend_vertex(surface, vertex, rest.position, bones, modes);
    apply(b.value, rest.position, 1, position);
    frame_vertex(surface, vertex, &b, &rest, normal, tangent);
}

void sn_skin_surface(const sn_surface *surface, const double *bones, const double *modes, const float *morphs,
                     double *positions, double *normals, double *tangents)
{
    for (int v = 0; v < surface->vertex_count; ++v) {
        const size_t at = 3 * (size_t)v;
        sn_skin_vertex(surface, v, bones, modes, morphs, positions + at, normals ? normals + at : NULL,
                       tangents ? tangents + at : NULL);
    }
}
