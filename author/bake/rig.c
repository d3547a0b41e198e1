/* SPDX-License-Identifier: MIT */
/* Converts bones to joints: rigid bind frames, bounding balls, and weights that a file can store. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/bake/baker.h"
#include "author/bake/trs.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

/* Largest weight first; ties by bone index. */
static int compare_influences(const void *a, const void *b)
{
    const sn_influence *x = a, *y = b;
    return x->weight > y->weight ? -1 : x->weight < y->weight ? 1 : (x->bone > y->bone) - (x->bone < y->bone);
}

int sn_baker_rig_weights(const sn_baker *b, int vertex, int limit, int32_t *bones, double *weights)
{
    sn_influence sorted[SN_BAKE_INFLUENCE_LIMIT];
    int count = 0;
    double sum = 0;
    for (int i = b->model->influence_starts[vertex]; i < b->model->influence_starts[vertex + 1]; ++i) {
        const sn_influence *influence = &b->model->influences[i];
        if (influence->weight > 0) { /* zero weights exist only for derivatives */
            if (count == SN_BAKE_INFLUENCE_LIMIT) {
                qsort(sorted, (size_t)count, sizeof *sorted, compare_influences);
                count -= sorted[count - 1].weight < influence->weight;
            }
            if (count < SN_BAKE_INFLUENCE_LIMIT) {
                sorted[count++] = *influence;
            }
        }
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_influences);
    count = count < limit ? count : limit;
    for (int i = 0; i < count; ++i) {
        sum += (double)sorted[i].weight;
    }
    for (int i = 0; i < count; ++i) {
        bones[i] = sorted[i].bone;
        weights[i] = (double)sorted[i].weight / sum;
    }
    return count;
}

/* Uses the pivot and the bind pose's axes, along which bones are usually scaled. */
static void find_bind(const sn_model *m, int bone, double *bind)
{
    const double origin[3] = {m->origin_x, m->origin_y, m->origin_z};
    double affine[12], pivot[3];
    sn_trs trs;
    for (int k = 0; k < 12; ++k) {
        affine[k] = (double)m->bone_bind[12 * (size_t)bone + (size_t)k];
    }
    sn_trs_from_affine(affine, NULL, &trs);
    sn_model_bone_pivot(m, bone, pivot);
    for (int d = 0; d < 3; ++d) {
        trs.translation[d] = pivot[d] / m->scale + origin[d];
        trs.scale[d] = 1;
    }
    sn_trs_compose(&trs, bind);
}

static sn_result find_centers(sn_baker *b)
{
    double *sums = SN_NEW(&b->scratch, double, 4 * (size_t)b->joint_count);
    if (!sums) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)b->vertex_count * (size_t)b->influence_count; ++i) {
        if (b->weights[i] > 0) {
            double *sum = sums + 4 * (size_t)b->influences[i];
            const float *x = b->rest + 3 * (i / (size_t)b->influence_count);
            for (int d = 0; d < 3; ++d) {
                sum[d] += (double)b->weights[i] * (double)x[d];
            }
            sum[3] += (double)b->weights[i];
        }
    }
    for (int j = 0; j < b->joint_count; ++j) {
        const double *sum = sums + 4 * (size_t)j;
        b->joints[j].radius = -1;
        for (int d = 0; d < 3; ++d) {
            b->joints[j].center[d] = sum[3] > 0 ? sum[d] / sum[3] : b->joints[j].bind[4 * d + 3];
        }
    }
    return SN_OK;
}

sn_result sn_baker_find_bounds(sn_baker *b)
{
    SN_TRY(find_centers(b));
    for (size_t i = 0; i < (size_t)b->vertex_count * (size_t)b->influence_count; ++i) {
        if (b->weights[i] > 0) {
            sn_bake_joint *joint = &b->joints[b->influences[i]];
            const float *x = b->rest + 3 * (i / (size_t)b->influence_count);
            const double point[3] = {(double)x[0], (double)x[1], (double)x[2]};
            joint->radius = fmax(joint->radius, sn_distance3(point, joint->center));
        }
    }
    return SN_OK;
}

void sn_baker_set_weights(sn_baker *b, int vertex, int count, const int32_t *joints, const double *weights)
{
    const size_t width = (size_t)b->influence_count, at = (size_t)vertex * width;
    for (size_t k = 0; k < width; ++k) {
        const bool is_used = (int)k < count && (float)weights[k] > 0;
        b->influences[at + k] = is_used ? joints[k] : 0;
        b->weights[at + k] = is_used ? (float)weights[k] : 0;
    }
}

static int max_influences(const sn_baker *b)
{
    int32_t bones[SN_BAKE_INFLUENCE_LIMIT];
    double weights[SN_BAKE_INFLUENCE_LIMIT];
    int max_count = 1;
    for (int v = 0; v < b->vertex_count; ++v) {
        const int count = sn_baker_rig_weights(b, v, SN_BAKE_INFLUENCE_LIMIT, bones, weights);
        max_count = count > max_count ? count : max_count;
    }
    return max_count;
}

static sn_result load_weights(sn_baker *b)
{
    const int max_count = max_influences(b);
    const int limit = b->desc.influence_limit > 0                           ? b->desc.influence_limit
                      : b->desc.form == SN_BAKE_JOINTS && b->desc.count > 0 ? 4
                                                                            : SN_BAKE_INFLUENCE_LIMIT;
    b->influence_count = b->desc.form == SN_BAKE_JOINTS || max_count > limit ? limit : (max_count + 3) / 4 * 4;
    const size_t count = (size_t)b->vertex_count * (size_t)b->influence_count;
    b->influences = SN_NEW(b->arena, int32_t, count);
    b->weights = SN_NEW(b->arena, float, count);
    if (!b->influences || !b->weights) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < b->vertex_count; ++v) {
        int32_t bones[SN_BAKE_INFLUENCE_LIMIT];
        double weights[SN_BAKE_INFLUENCE_LIMIT];
        const int weight_count = sn_baker_rig_weights(b, v, b->influence_count, bones, weights);
        sn_baker_set_weights(b, v, weight_count, bones, weights);
    }
    return SN_OK;
}

sn_result sn_baker_load_rig(sn_baker *b)
{
    const sn_model *m = b->model;
    b->joint_count = m->counts.bone_count;
    b->joints = SN_NEW(&b->scratch, sn_bake_joint, b->joint_count + SN_BAKE_JOINT_LIMIT);
    if (!b->joints) {
        return SN_ERROR_MEMORY;
    }
    for (int j = 0; j < b->joint_count; ++j) {
        b->joints[j] = (sn_bake_joint){.name = sn_model_bone_name(m, j),
                                       .parent = m->bone_parents[j],
                                       .motion = b->poses + 12 * (size_t)j,
                                       .stride = b->joint_count};
        find_bind(m, j, b->joints[j].bind);
    }
    SN_TRY(load_weights(b));
    return sn_baker_find_bounds(b);
}

sn_result sn_bake_rig_error(const sn_bake_motion *motion, double *error)
{
    const sn_model *m = motion->model;
    sn_bake_motion rig = *motion;
    const size_t n = (size_t)m->counts.surface_vertex_count;
    double max_distance = 0;
    sn_arena arena = {0};
    double *motion_surface = SN_NEW(&arena, double, 3 * n), *rig_surface = SN_NEW(&arena, double, 3 * n);
    const sn_result result = motion_surface && rig_surface ? SN_OK : SN_ERROR_MEMORY;
    rig.modes = NULL;
    rig.surface = rig.surface_normals = NULL;
    for (int f = 0; f < motion->frame_count && (motion->modes || motion->surface) && result == SN_OK; ++f) {
        sn_bake_surface(&rig, f, rig_surface, NULL);
        sn_bake_surface(motion, f, motion_surface, NULL);
        for (size_t v = 0; v < n; ++v) {
            max_distance = fmax(max_distance, sn_distance3(motion_surface + 3 * v, rig_surface + 3 * v));
        }
    }
    sn_arena_finish(&arena);
    *error = max_distance / m->diagonal;
    return result;
}
