/* SPDX-License-Identifier: MIT */
/* What clusters of anchored flesh are built from. A cluster shares a rotation, so it must not span two bones, and must
 * not contain the core, whose tets all move with the rig. */
#include <math.h>

#include "author/cook/anchored/anchored.h"
#include "host/base/random.h"

#define BONE_DIMENSIONS 6    /* of the random projection of the rig's weights */
#define BONE_SCALE 0.7       /* of the bones' features relative to the modes' */
#define CORE_VOLUME 1e-6     /* weight of the core's tets relative to their volume */
#define ENERGY_EXPONENT 0.25 /* stiff modes are local, as of a belly beside ears, and count almost as much */
#define RANDOM_SEED UINT64_C(0x2545f4914f6cdd1d)

static bool is_core(const sn_cook_context *cook, size_t tet)
{
    bool is_free = false;
    for (size_t k = 0; k < 4; ++k) {
        is_free = is_free || !cook->is_pinned[cook->mesh.tets[4 * tet + k]];
    }
    return !is_free;
}

/* Cuts the faces between core and free flesh. */
static void cut(const sn_cook_context *cook, int32_t *neighbours, double *volumes)
{
    for (size_t t = 0; t < (size_t)cook->mesh.tet_count; ++t) {
        const bool is_in_core = is_core(cook, t);
        volumes[t] = cook->volumes[t] * (is_in_core ? CORE_VOLUME : 1);
        for (size_t face = 0; face < 4; ++face) {
            const int32_t next = cook->neighbours[4 * t + face];
            neighbours[4 * t + face] = next >= 0 && is_core(cook, (size_t)next) == is_in_core ? next : -1;
        }
    }
}

static void fill_features(const sn_cook_context *cook, const double *directions, const sn_modes *features)
{
    const size_t modes = (size_t)cook->modes.mode_count, bones = (size_t)cook->bone_count;
    const size_t stride = (size_t)features->mode_count, n = (size_t)cook->mesh.vertex_count;
    for (size_t j = 0; j < stride; ++j) {
        double max_weight = 0;
        features->eigenvalues[j] =
            j < modes ? pow(cook->modes.eigenvalues[j] / cook->modes.eigenvalues[0], ENERGY_EXPONENT) : 1;
        for (size_t v = 0; v < n && j < modes; ++v) {
            max_weight = fmax(max_weight, fabs(cook->modes.weights[v * modes + j]));
        }
        for (size_t v = 0; v < n; ++v) {
            double value = j < modes ? cook->modes.weights[v * modes + j] / max_weight : 0;
            for (size_t b = 0; b < bones && j >= modes; ++b) {
                value += BONE_SCALE * cook->rig_weights[v * bones + b] * directions[b * BONE_DIMENSIONS + j - modes];
            }
            features->weights[v * stride + j] = value;
        }
    }
}

sn_result sn_anchored_prepare_clusters(sn_cook_context *cook, sn_cluster_source *source)
{
    const size_t n = (size_t)cook->mesh.vertex_count, t = (size_t)cook->mesh.tet_count;
    const size_t count = (size_t)cook->modes.mode_count + BONE_DIMENSIONS;
    const size_t direction_count = BONE_DIMENSIONS * (size_t)cook->bone_count;
    int32_t *neighbours = SN_NEW(&cook->arena, int32_t, 4 * t);
    double *volumes = SN_NEW(&cook->arena, double, t), *directions = SN_NEW(&cook->arena, double, direction_count);
    source->modes = (sn_modes){.mode_count = (int)count,
                               .eigenvalues = SN_NEW(&cook->arena, double, count),
                               .weights = SN_NEW(&cook->arena, double, n *count)};
    if (!neighbours || !volumes || !directions || !source->modes.eigenvalues || !source->modes.weights) {
        return SN_ERROR_MEMORY;
    }
    uint64_t random = RANDOM_SEED;
    for (size_t i = 0; i < direction_count; ++i) {
        directions[i] = (2 * sn_random_unit(&random) - 1) * sqrt(3.0 / BONE_DIMENSIONS);
    }
    cut(cook, neighbours, volumes);
    fill_features(cook, directions, &source->modes);
    source->neighbours = neighbours;
    source->volumes = volumes;
    return SN_OK;
}

sn_result sn_anchored_merge_core(sn_cook_context *cook)
{
    const size_t t = (size_t)cook->mesh.tet_count, before = (size_t)cook->report.cluster_count;
    int32_t *new_label = SN_NEW(&cook->arena, int32_t, before);
    bool *has_flesh = SN_NEW(&cook->arena, bool, before);
    if (!new_label || !has_flesh) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < t; ++i) {
        has_flesh[cook->clusters[i]] = has_flesh[cook->clusters[i]] || !is_core(cook, i);
    }
    int32_t count = 0, core = -1;
    for (size_t c = 0; c < before; ++c) {
        new_label[c] = has_flesh[c] || core < 0 ? count++ : core;
        core = has_flesh[c] || core >= 0 ? core : new_label[c];
    }
    for (size_t i = 0; i < t; ++i) {
        cook->clusters[i] = new_label[cook->clusters[i]];
    }
    cook->report.cluster_count = count;
    return SN_OK;
}
