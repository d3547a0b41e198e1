/* SPDX-License-Identifier: MIT */
/* Test poses and pose distances. Twelve random poses are barely enough. Comparing skeleton path lengths or skinning
 * weights instead of poses separates layers or glues limbs. */
#include "author/mesher/motion.h"

#include <math.h>
#include <string.h>

#include "author/mesher/test_poses.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

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
        for (size_t p = 0; p < poses && surface->unique_vertices[v] >= 0; ++p) {
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
    double *origins = SN_NEW(&scratch, double, 3 * (size_t)input->bone_count);
    sn_result result = motion->bones && origins ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < 3 * (size_t)input->bone_count && result == SN_OK; ++i) {
        origins[i] = (input->bone_origins[i] - surface->origin[i % 3]) / surface->scale;
    }
    if (result == SN_OK) {
        const sn_skeleton skeleton = {input->bone_count, input->bone_parents, origins};
        result = sn_test_poses(&skeleton, seed, SN_MOTION_POSES, motion->bones);
    }
    sn_arena_finish(&scratch);
    return result == SN_OK ? move_vertices(surface, arena, motion) : result;
}

/* Removes the uniform scale of files whose scaled armature poses the whole character at another size. */
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

void sn_motion_transform(const sn_motion *motion, const sn_surface *surface, int triangle, const float *barycentric,
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
    float max_square = 0;
    for (size_t p = 0; p < poses; ++p) {
        const float x = a[p] - b[p], y = a[poses + p] - b[poses + p], z = a[2 * poses + p] - b[2 * poses + p];
        const float square = x * x + y * y + z * z;
        max_square = square > max_square ? square : max_square;
    }
    const double growth = sqrt((double)max_square) - distance;
    return growth > 0 ? growth : 0;
}
