/* SPDX-License-Identifier: MIT */
/* Test poses and pose distances. Four random poses are too few, twelve barely suffice. Path lengths along the skeleton
 * in place of this measure, or the likeness of weights, either tore layers or glued limbs. */
#include "author/mesher/motion.h"

#include <math.h>
#include <string.h>

#include "host/base/random.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define PI 3.14159265358979323846

static void random_axis(uint64_t *random, double *axis)
{
    const double z = 2 * sn_random_unit(random) - 1, angle = 2 * PI * sn_random_unit(random);
    const double r = sqrt(fmax(0, 1 - z * z));
    axis[0] = r * cos(angle), axis[1] = r * sin(angle), axis[2] = z;
}

/* A turn about an axis through a point: x' = R (x - p) + p. */
static void turn_about(const double *axis, double angle, const double *point, double *m)
{
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        m[4 * i + i] = c + (1 - c) * axis[i] * axis[i];
        m[4 * i + j] = (1 - c) * axis[i] * axis[j] - s * axis[k];
        m[4 * i + k] = (1 - c) * axis[i] * axis[k] + s * axis[j];
    }
    for (int i = 0; i < 3; ++i) {
        m[4 * i + 3] = point[i] - sn_dot3(m + 4 * i, point);
    }
}

/* Bones so that parents come before children. A bone whose ancestors run in a circle counts as a root. */
static bool order_bones(const sn_mesher_input *input, sn_arena *scratch, int32_t *order)
{
    bool *is_listed = SN_NEW(scratch, bool, input->bone_count);
    int32_t *path = SN_NEW(scratch, int32_t, input->bone_count);
    if (!is_listed || !path) {
        return false;
    }
    int count = 0;
    for (int32_t bone = 0; bone < input->bone_count; ++bone) {
        int depth = 0;
        for (int32_t b = bone; b >= 0 && !is_listed[b]; b = input->bone_parents[b]) {
            path[depth++] = b;
            is_listed[b] = true;
        }
        while (depth > 0) {
            order[count++] = path[--depth];
        }
    }
    return true;
}

/* One pose; `order` has parents first, a circle's parent is taken as it stands: the identity. */
static void pose_randomly(const sn_surface *surface, const int32_t *order, double angle, uint64_t *random,
                          double *bones)
{
    const sn_mesher_input *input = surface->input;
    for (int b = 0; b < input->bone_count; ++b) {
        sn_affine_identity(bones + 12 * (size_t)b);
    }
    for (int i = 0; i < input->bone_count; ++i) {
        const int32_t b = order[i], parent = input->bone_parents[b];
        double axis[3], origin[3], turn[12];
        random_axis(random, axis);
        for (int d = 0; d < 3; ++d) {
            origin[d] = (input->bone_origins[3 * (size_t)b + (size_t)d] - surface->origin[d]) / surface->scale;
        }
        turn_about(axis, angle, origin, turn);
        if (parent >= 0) {
            sn_affine_multiply(bones + 12 * (size_t)parent, turn, bones + 12 * (size_t)b);
        } else {
            memcpy(bones + 12 * (size_t)b, turn, sizeof turn);
        }
    }
}

static void blend_vertex(const sn_mesher_input *input, int vertex, const double *bones, double *m)
{
    memset(m, 0, 12 * sizeof *m);
    const int32_t first = input->influence_starts[vertex], end = input->influence_starts[vertex + 1];
    for (int32_t i = first; i < end; ++i) {
        const double *bone = bones + 12 * (size_t)input->influence_bones[i];
        for (int j = 0; j < 12; ++j) {
            m[j] += input->influence_weights[i] * bone[j];
        }
    }
    if (first == end) {
        sn_affine_identity(m);
    }
}

static const double *pose_bones(const sn_motion *motion, int pose)
{
    return motion->bones + 12 * (size_t)pose * (size_t)motion->bone_count;
}

static sn_result move_vertices(const sn_surface *surface, sn_arena *arena, sn_motion *motion)
{
    const size_t poses = (size_t)motion->pose_count;
    motion->vertices = SN_NEW(arena, float, 3 * poses * (size_t)surface->vertex_count);
    if (!motion->vertices) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < surface->vertex_count; ++v) {
        for (size_t p = 0; p < poses && surface->places[v] >= 0; ++p) {
            double m[12], x[3];
            blend_vertex(surface->input, v, pose_bones(motion, (int)p), m);
            sn_affine_apply(m, surface->positions + 3 * (size_t)v, x);
            for (size_t d = 0; d < 3; ++d) {
                motion->vertices[(3 * (size_t)v + d) * poses + p] = (float)x[d];
            }
        }
    }
    return SN_OK;
}

sn_result sn_motion_random(const sn_surface *surface, uint64_t seed, sn_arena *arena, sn_motion *motion)
{
    const sn_mesher_input *input = surface->input;
    *motion = (sn_motion){.bone_count = input->bone_count};
    if (input->bone_count == 0) {
        return SN_OK;
    }
    motion->pose_count = SN_MOTION_POSES;
    motion->bones = SN_NEW(arena, double, 12 * (size_t)SN_MOTION_POSES * (size_t)input->bone_count);
    sn_arena scratch = {0};
    int32_t *order = SN_NEW(&scratch, int32_t, input->bone_count);
    const bool is_ok = motion->bones && order && order_bones(input, &scratch, order);
    for (int p = 0; p < SN_MOTION_POSES && is_ok; ++p) {
        const double angle = (p % 2 ? 50 : 30) * PI / 180;
        pose_randomly(surface, order, angle, &seed, motion->bones + 12 * (size_t)p * (size_t)input->bone_count);
    }
    sn_arena_finish(&scratch);
    return is_ok ? move_vertices(surface, arena, motion) : SN_ERROR_MEMORY;
}

/* Files whose armature is scaled pose the whole character at another size: undo that. */
static void undo_scale(double *bones, int bone_count)
{
    double mean = 0;
    for (int b = 0; b < bone_count; ++b) {
        const double *m = bones + 12 * (size_t)b;
        double normal[3];
        sn_cross3(m, m + 4, normal);
        mean += cbrt(fabs(sn_dot3(normal, m + 8))) / bone_count;
    }
    if (!(mean > 1e-12) || (mean > 0.67 && mean < 1.5)) {
        return;
    }
    for (size_t i = 0; i < 12 * (size_t)bone_count; ++i) {
        bones[i] /= mean;
    }
}

sn_result sn_motion_clips(const sn_surface *surface, sn_arena *arena, sn_motion *motion)
{
    const sn_mesher_input *input = surface->input;
    *motion = (sn_motion){.bone_count = input->bone_count};
    if (input->bone_count == 0 || input->pose_count == 0) {
        return SN_OK;
    }
    motion->pose_count = input->pose_count < SN_MOTION_POSES ? input->pose_count : SN_MOTION_POSES;
    const size_t stride = 12 * (size_t)input->bone_count;
    motion->bones = SN_NEW(arena, double, stride *(size_t)motion->pose_count);
    if (!motion->bones) {
        return SN_ERROR_MEMORY;
    }
    for (int p = 0; p < motion->pose_count; ++p) {
        const size_t from = (size_t)p * (size_t)input->pose_count / (size_t)motion->pose_count;
        double *bones = motion->bones + (size_t)p * stride;
        for (size_t b = 0; b < (size_t)input->bone_count; ++b) {
            sn_affine_rescale(input->poses + from * stride + 12 * b, surface->origin, 1 / surface->scale,
                              bones + 12 * b);
        }
        undo_scale(bones, input->bone_count);
    }
    return move_vertices(surface, arena, motion);
}

void sn_motion_add(const sn_motion *motion, const sn_surface *surface, int triangle, const float *barycentric,
                   float weight, float *moved)
{
    const size_t width = 3 * (size_t)motion->pose_count;
    const int32_t *corners = surface->triangles + 3 * (size_t)triangle;
    const float *a = motion->vertices + width * (size_t)corners[0];
    const float *b = motion->vertices + width * (size_t)corners[1];
    const float *c = motion->vertices + width * (size_t)corners[2];
    const float wa = weight * barycentric[0], wb = weight * barycentric[1], wc = weight * barycentric[2];
    for (size_t i = 0; i < width; ++i) {
        moved[i] += wa * a[i] + wb * b[i] + wc * c[i];
    }
}

void sn_motion_carry(const sn_motion *motion, const sn_surface *surface, int triangle, const float *barycentric,
                     const double *point, float *moved)
{
    const size_t poses = (size_t)motion->pose_count;
    for (size_t p = 0; p < poses; ++p) {
        double sum[3] = {0, 0, 0};
        for (size_t k = 0; k < 3; ++k) {
            double m[12], x[3];
            blend_vertex(surface->input, surface->triangles[3 * (size_t)triangle + k], pose_bones(motion, (int)p), m);
            sn_affine_apply(m, point, x);
            for (size_t d = 0; d < 3; ++d) {
                sum[d] += (double)barycentric[k] * x[d];
            }
        }
        for (size_t d = 0; d < 3; ++d) {
            moved[d * poses + p] = (float)sum[d];
        }
    }
}

double sn_motion_growth(const sn_motion *motion, double distance, const float *a, const float *b)
{
    const size_t poses = (size_t)motion->pose_count;
    float largest = 0;
    for (size_t p = 0; p < poses; ++p) {
        const float x = a[p] - b[p], y = a[poses + p] - b[poses + p], z = a[2 * poses + p] - b[2 * poses + p];
        const float square = x * x + y * y + z * z;
        largest = square > largest ? square : largest;
    }
    const double growth = sqrt((double)largest) - distance;
    return growth > 0 ? growth : 0;
}
