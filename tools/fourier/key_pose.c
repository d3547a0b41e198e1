/* SPDX-License-Identifier: MIT */
#include "tools/fourier/key_pose.h"

#include <math.h>
#include <string.h>

#define SHEAR_LIMIT 1e-6 /* relative to the largest entry of the matrix */

static int find_node(const sn_scene_file *scene, const char *name)
{
    int node = 0;
    while (node < scene->node_count && strcmp(scene->nodes[node].name, name) != 0) {
        ++node;
    }
    return node < scene->node_count ? node : -1;
}

static bool is_near(const double *a, const double *b)
{
    double max_entry = 0, max_error = 0;
    for (int i = 0; i < 12; ++i) {
        max_entry = i % 4 < 3 ? fmax(max_entry, fabs(a[i])) : max_entry;
        max_error = fmax(max_error, fabs(a[i] - b[i]));
    }
    return max_error <= SHEAR_LIMIT * max_entry;
}

/* Decomposes a matrix; returns false if it has shear. */
static bool decompose(sn_scene_node *node)
{
    sn_trs parts;
    double composed[12];
    sn_trs_from_affine(node->local, NULL, &parts);
    sn_trs_compose(&parts, composed);
    if (!is_near(node->local, composed)) {
        return false;
    }
    memcpy(node->translation, parts.translation, sizeof parts.translation);
    memcpy(node->rotation, parts.rotation, sizeof parts.rotation);
    memcpy(node->scale, parts.scale, sizeof parts.scale);
    node->has_matrix = false;
    return true;
}

static sn_result open_key(const char *path, const sn_sequence_file *file, int key, sn_scene_file *scene)
{
    for (int i = 0; i < file->keys[key].joint_count; ++i) {
        const char *name = file->keys[key].joints[i].node;
        const int node = find_node(scene, name);
        if (node < 0) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: keys[%d].pose: '%.80s': %s has no node of that name", path, key,
                           name, file->character);
        }
        if (scene->nodes[node].has_matrix && !decompose(&scene->nodes[node])) {
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "%s: keys[%d].pose.%.80s: has a sheared matrix in %s, which a pose cannot replace", path,
                           key, name, file->character);
        }
    }
    return SN_OK;
}

sn_result sn_key_poses_open(const char *path, const sn_sequence_file *file, sn_scene_file *scene)
{
    for (int k = 0; k < file->key_count; ++k) {
        SN_TRY(open_key(path, file, k, scene));
    }
    return SN_OK;
}

sn_result sn_key_pose_compute(const sn_sequence_key *key, const sn_scene_file *scene, sn_arena *arena,
                              const sn_trs **pose)
{
    sn_trs *parts = SN_NEW(arena, sn_trs, scene->node_count);
    if (!parts) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < scene->node_count; ++i) {
        const sn_scene_node *node = &scene->nodes[i];
        memcpy(parts[i].translation, node->translation, sizeof parts[i].translation);
        memcpy(parts[i].rotation, node->rotation, sizeof parts[i].rotation);
        memcpy(parts[i].scale, node->scale, sizeof parts[i].scale);
    }
    for (int i = 0; i < key->joint_count; ++i) {
        const sn_sequence_joint *joint = &key->joints[i];
        sn_trs *to = &parts[find_node(scene, joint->node)];
        if (joint->has_translation) {
            memcpy(to->translation, joint->translation, sizeof joint->translation);
        }
        if (joint->has_rotation) {
            memcpy(to->rotation, joint->rotation, sizeof joint->rotation);
        }
        if (joint->has_scale) {
            memcpy(to->scale, joint->scale, sizeof joint->scale);
        }
    }
    *pose = parts;
    return SN_OK;
}
