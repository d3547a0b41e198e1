/* SPDX-License-Identifier: MIT */
/* JOINTS_n and WEIGHTS_n: all sets of a primitive concatenated, weights with sum 1. */
#include "author/io/gltf/gltf_reader.h"

#include <stdio.h>

#define KEY_CHARS 32

/* Counts the sets, which are numbered from 0 without gaps; each needs both arrays. */
static int count_sets(const sn_json *attributes)
{
    for (int set = 0;; ++set) {
        char joints[KEY_CHARS], weights[KEY_CHARS];
        snprintf(joints, sizeof joints, "JOINTS_%d", set);
        snprintf(weights, sizeof weights, "WEIGHTS_%d", set);
        const bool has_joints = sn_json_has(attributes, joints);
        if (has_joints != sn_json_has(attributes, weights)) {
            sn_json_require(attributes, has_joints ? weights : joints);
        }
        if (!has_joints || sn_json_failed(attributes)) {
            return set;
        }
    }
}

static bool read_set(sn_gltf *g, const sn_json *attributes, int set, sn_scene_primitive *p)
{
    static const sn_gltf_format joint_format = {1 << SN_GLTF_VEC4, SN_GLTF_INTEGERS_ONLY, "VEC4 of unsigned integers"};
    static const sn_gltf_format weight_format = {1 << SN_GLTF_VEC4, SN_GLTF_NORMALIZED,
                                                 "VEC4 of floats or normalized integers"};
    char joints[KEY_CHARS], weights[KEY_CHARS];
    const size_t stride = (size_t)p->influence_count, first = 4 * (size_t)set;
    snprintf(joints, sizeof joints, "JOINTS_%d", set);
    snprintf(weights, sizeof weights, "WEIGHTS_%d", set);
    const sn_json joints_at = sn_json_get(attributes, joints), weights_at = sn_json_get(attributes, weights);
    const sn_gltf_accessor *a = sn_gltf_find_accessor(g, attributes, joints, &joint_format, p->vertex_count);
    const sn_gltf_accessor *b = sn_gltf_find_accessor(g, attributes, weights, &weight_format, p->vertex_count);
    return a && b && sn_gltf_decode_integers(&joints_at, a, INT32_MAX, "joints", p->joints + first, stride) &&
           sn_gltf_decode(&weights_at, b, p->weights + first, stride);
}

/* Normalizes the weights. Joints of weight 0 may be arbitrary in the file and become 0. */
static void normalise(const sn_json *attributes, size_t vertex, size_t count, int32_t *joints, float *weights)
{
    double sum = 0;
    for (size_t k = 0; k < count; ++k) {
        if (weights[k] < 0) {
            sn_json_warn(attributes, SN_GLTF_WARNED_WEIGHT, "weight %zu of vertex %zu is negative, %g; it counts as 0",
                         k, vertex, (double)weights[k]);
            weights[k] = 0;
        }
        sum += (double)weights[k];
    }
    for (size_t k = 0; k < count; ++k) {
        weights[k] = sum > 0 ? (float)((double)weights[k] / sum) : 0;
        joints[k] = weights[k] > 0 ? joints[k] : 0;
    }
}

bool sn_gltf_read_influences(sn_gltf *g, const sn_json *attributes, sn_scene_primitive *p)
{
    const int set_count = count_sets(attributes);
    const size_t stride = 4 * (size_t)set_count, total = stride * (size_t)p->vertex_count;
    if (set_count == 0 || !sn_gltf_ok(g)) {
        return sn_gltf_ok(g);
    }
    p->influence_count = (int)stride;
    p->joints = SN_GLTF_NEW(g, g->arena, attributes, int32_t, total);
    p->weights = SN_GLTF_NEW(g, g->arena, attributes, float, total);
    bool is_good = sn_gltf_ok(g);
    for (int set = 0; set < set_count && is_good; ++set) {
        is_good = read_set(g, attributes, set, p);
    }
    for (size_t i = 0; i < (size_t)p->vertex_count && is_good; ++i) {
        normalise(attributes, i, stride, p->joints + i * stride, p->weights + i * stride);
    }
    return is_good;
}
