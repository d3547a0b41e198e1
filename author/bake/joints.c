/* SPDX-License-Identifier: MIT */
/* Adds joints for the displacement that the rig does not produce (B. H. Le, Z. Deng, "Smooth skinning decomposition
 * with rigid bones", SIGGRAPH Asia 2012). Unlike the paper, the rig's bones stay as they are. Displaced vertices are
 * clustered by how well one transform moves them; then weights and motions alternate:
 *   weights of a vertex: min |sum_j w_j (M_j X - x)|^2 over the frames, w >= 0, sum 1, few nonzero (the paper's 3.2);
 *   motion of a joint in a frame: the similarity that best fits the residual of the other joints (3.3, with a uniform
 *   scale).
 * Both use a subset of the frames; afterwards motions are fitted for all frames. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/bake/decomposition.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define MIN_DISPLACEMENT                                                                                               \
    1e-5                /* fraction of the diagonal; vertices with smaller displacements keep their rig weights        \
                         */
#define SAMPLE_LIMIT 72 /* max. frames used while weights and motions alternate */
#define FINAL_SWEEPS 12
#define NAME_CHARS 32

static sn_result find_displaced(sn_decomposition *d)
{
    sn_baker *b = d->baker;
    const double min_displacement = MIN_DISPLACEMENT * b->diagonal;
    d->displaced = SN_NEW(&b->scratch, int32_t, b->vertex_count);
    d->labels = SN_NEW(&b->scratch, int32_t, b->vertex_count);
    d->energies = SN_NEW(&b->scratch, double, b->vertex_count);
    if (!d->displaced || !d->labels || !d->energies) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < b->vertex_count; ++v) {
        double energy = 0, max_square = 0;
        for (int i = 0; i < d->sample_count; ++i) {
            double rest_position[3], residual[3];
            sn_baker_rest(b, d->samples[i], v, rest_position);
            sn_joint_residual(d, d->samples[i], v, rest_position, residual);
            energy += sn_dot3(residual, residual);
            max_square = fmax(max_square, sn_dot3(residual, residual));
        }
        if (max_square > min_displacement * min_displacement) {
            d->energies[v] = energy;
            d->displaced[d->displaced_count++] = v;
        }
    }
    return SN_OK;
}

/* Returns the bone with the largest total weight on the joint's vertices, or -1. */
static int32_t find_parent(const sn_decomposition *d, const sn_joint_lists *lists, int k, double *bone_weights)
{
    int32_t best = -1;
    memset(bone_weights, 0, (size_t)d->bone_count * sizeof(double));
    for (int i = lists->starts[k]; i < lists->starts[k + 1]; ++i) {
        int32_t bones[SN_BAKE_INFLUENCE_LIMIT];
        double weights[SN_BAKE_INFLUENCE_LIMIT];
        const int count = sn_baker_rig_weights(d->baker, lists->vertices[i], SN_BAKE_INFLUENCE_LIMIT, bones, weights);
        for (int j = 0; j < count; ++j) {
            bone_weights[bones[j]] += weights[j] * (double)lists->weights[i];
        }
    }
    for (int b = 0; b < d->bone_count; ++b) {
        best = bone_weights[b] > 0 && (best < 0 || bone_weights[b] > bone_weights[best]) ? b : best;
    }
    return best;
}

static sn_result find_parents(sn_decomposition *d, const sn_joint_lists *lists)
{
    double *bone_weights = SN_NEW(&d->baker->scratch, double, d->bone_count);
    d->parents = SN_NEW(&d->baker->scratch, int32_t, d->count);
    for (int k = 0; bone_weights && d->parents && k < d->count; ++k) {
        d->parents[k] = find_parent(d, lists, k, bone_weights);
    }
    return bone_weights && d->parents ? SN_OK : SN_ERROR_MEMORY;
}

static void extrapolate_motion(sn_decomposition *d, int frame, int k)
{
    const double *previous = sn_motion_source(d, frame - 1, k);
    double inverse[12], back[12];
    memcpy(sn_motion_source(d, frame, k), previous, 12 * sizeof(double));
    if (d->parents[k] >= 0 && sn_affine_invert(sn_joint_motion(d, frame - 1, d->parents[k]), inverse)) {
        sn_affine_multiply(inverse, previous, back);
        sn_affine_multiply(sn_joint_motion(d, frame, d->parents[k]), back, sn_motion_source(d, frame, k));
    }
}

/* Fits the other frames. Each starts with the previous frame's motions, transformed along with the bones. */
static void finish_motions(sn_decomposition *d, const sn_joint_lists *lists)
{
    int next = 0;
    for (int v = 0; v < d->baker->vertex_count; ++v) {
        d->vertex_weights[v] = 1;
    }
    for (int frame = 0; frame < d->baker->frame_count; ++frame) {
        if (next < d->sample_count && d->samples[next] == frame) {
            ++next;
            continue;
        }
        for (int k = 0; k < d->count; ++k) {
            extrapolate_motion(d, frame, k);
        }
        for (int sweep = 0; sweep < FINAL_SWEEPS; ++sweep) {
            sn_joints_fit(d, lists, frame);
        }
    }
}

/* Adds the joints to the baker. Joints without vertices are removed. */
static sn_result store_joints(sn_decomposition *d, const sn_joint_lists *lists)
{
    sn_baker *b = d->baker;
    int32_t *new_indices = SN_NEW(&b->scratch, int32_t, d->count);
    if (!new_indices) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < d->count; ++k) {
        if (lists->starts[k] == lists->starts[k + 1]) {
            continue;
        }
        char *name = SN_NEW(b->arena, char, NAME_CHARS);
        if (!name) {
            return SN_ERROR_MEMORY;
        }
        snprintf(name, NAME_CHARS, "flesh %d", b->joint_count - d->bone_count);
        new_indices[k] = b->joint_count;
        b->joints[b->joint_count++] = (sn_bake_joint){
            .name = name, .parent = d->parents[k], .motion = d->motion + 12 * (size_t)k, .stride = d->count};
    }
    for (size_t i = 0; i < (size_t)b->vertex_count * (size_t)b->influence_count; ++i) {
        if (b->influences[i] >= d->bone_count) {
            b->influences[i] = new_indices[b->influences[i] - d->bone_count];
        }
    }
    SN_TRY(sn_baker_find_bounds(b));
    for (int j = d->bone_count; j < b->joint_count; ++j) {
        sn_affine_identity(b->joints[j].bind);
        for (int c = 0; c < 3; ++c) {
            b->joints[j].bind[4 * c + 3] = b->joints[j].center[c];
        }
    }
    return SN_OK;
}

static sn_result prepare(sn_decomposition *d)
{
    sn_baker *b = d->baker;
    d->sample_count = b->frame_count < SAMPLE_LIMIT ? b->frame_count : SAMPLE_LIMIT;
    d->samples = SN_NEW(&b->scratch, int32_t, d->sample_count);
    d->moments = SN_NEW(&b->scratch, sn_similarity_moments, d->count);
    d->motion = sn_arena_alloc(&b->scratch, (size_t)b->frame_count, 12 * (size_t)d->count * sizeof(double));
    if (!d->samples || !d->moments || !d->motion) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < d->sample_count; ++i) {
        d->samples[i] = (int32_t)((int64_t)i * b->frame_count / d->sample_count);
    }
    for (size_t i = 0; i < (size_t)b->frame_count * (size_t)d->count; ++i) {
        sn_affine_identity(d->motion + 12 * i);
    }
    return find_displaced(d);
}

sn_result sn_baker_add_joints(sn_baker *b)
{
    sn_decomposition d = {.baker = b, .bone_count = b->joint_count, .count = b->desc.count};
    sn_joint_lists lists;
    sn_result result = prepare(&d);
    if (result != SN_OK || d.displaced_count == 0 || d.count == 0) {
        return result;
    }
    d.count = d.count < d.displaced_count ? d.count : d.displaced_count;
    result = sn_joints_seed(&d);
    if (result == SN_OK) {
        sn_joints_cluster(&d);
        result = sn_joints_alternate(&d, &lists);
    }
    if (result == SN_OK) {
        result = find_parents(&d, &lists);
    }
    if (result == SN_OK) {
        finish_motions(&d, &lists);
        result = store_joints(&d, &lists);
    }
    return result;
}
