/* SPDX-License-Identifier: MIT */
/* Spring bones of VRM 0.x (secondaryAnimation) and 1.0 (VRMC_springBone): which nodes swing, and their colliders. Their
 * parameters are read in vrm_link.c. */
#include "author/io/gltf/vrm_collider.h"

enum { UNKNOWN, FIXED, SWINGING };

/* Assigns a node to the most recent spring; a node of several springs belongs to the first one. */
static void assign_spring(sn_gltf *g, uint8_t *state, int32_t node, double hit_radius)
{
    if (node >= 0 && state[node] == UNKNOWN) {
        state[node] = SWINGING;
        g->scene->nodes[node].spring = g->scene->spring_count - 1;
        g->scene->nodes[node].hit_radius = hit_radius;
    }
}

/* {"joints": [{"node": 3, "hitRadius": 0.02}, ...]} */
static void read_joints(sn_gltf *g, const sn_json *spring, uint8_t *state)
{
    const sn_json joints = sn_json_get(spring, "joints");
    const int count = sn_json_count(&joints);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&joints, (size_t)i);
        const int32_t node = sn_json_index(&at, "node", g->scene->node_count);
        if (sn_gltf_ok(g)) {
            assign_spring(g, state, node, sn_vrm_read_hit_radius(g, &at));
        }
    }
}

/* {"bones": [3, ...], "hitRadius": 0.02}: the roots of chains. Old exporters write missing bones as -1. */
static void read_group(sn_gltf *g, const sn_json *group, uint8_t *state)
{
    const sn_json bones = sn_json_get(group, "bones");
    const int count = sn_json_count(&bones);
    const double hit_radius = sn_gltf_ok(g) ? sn_vrm_read_hit_radius(g, group) : 0;
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&bones, (size_t)i);
        if (!json_is_integer(at.value) || json_integer_value(at.value) >= 0) {
            assign_spring(g, state, sn_json_entry_index(&bones, (size_t)i, g->scene->node_count), hit_radius);
        }
    }
}

/* Descendants of swinging nodes swing, too. Walks up to a node of known state and stores the result on the path. */
static void propagate_springs(sn_scene_file *scene, uint8_t *state)
{
    for (int32_t start = 0; start < scene->node_count; ++start) {
        int32_t node = start;
        while (node >= 0 && state[node] == UNKNOWN) {
            node = scene->nodes[node].parent;
        }
        const uint8_t result = node < 0 ? FIXED : state[node];
        const sn_scene_node *above = result == SWINGING ? &scene->nodes[node] : NULL;
        for (node = start; node >= 0 && state[node] == UNKNOWN; node = scene->nodes[node].parent) {
            state[node] = result;
            scene->nodes[node].spring = above ? above->spring : -1;
            scene->nodes[node].hit_radius = above ? above->hit_radius : 0;
        }
        scene->nodes[start].is_spring = state[start] == SWINGING;
    }
}

void sn_vrm_read_springs(sn_gltf *g)
{
    const sn_json extensions = sn_json_get(&g->root, "extensions");
    const sn_json new_springs = sn_json_get(&extensions, "VRMC_springBone");
    const sn_json old_vrm = sn_json_get(&extensions, "VRM");
    const sn_json old_springs = sn_json_get(&old_vrm, "secondaryAnimation");
    const bool is_new = new_springs.value;
    const sn_json list = sn_json_get(is_new ? &new_springs : &old_springs, is_new ? "springs" : "boneGroups");
    const int count = sn_json_count(&list);
    uint8_t *state = count > 0 ? SN_GLTF_NEW(g, &g->scratch, &list, uint8_t, g->scene->node_count) : NULL;
    if (!state) {
        return;
    }
    for (int i = 0; i < g->scene->humanoid_bone_count; ++i) { /* humanoid bones are driven by motions */
        state[g->scene->humanoid_bones[i].node] = FIXED;
    }
    sn_vrm_groups groups = {0};
    g->scene->springs = SN_GLTF_NEW(g, g->arena, &list, sn_spring_group, count);
    sn_vrm_read_colliders(g, is_new ? &new_springs : &old_springs, is_new, &groups);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        sn_vrm_add_spring(g, &at, &groups);
        (is_new ? read_joints : read_group)(g, &at, state);
    }
    if (sn_gltf_ok(g)) {
        propagate_springs(g->scene, state);
        sn_vrm_read_links(g, &list, is_new);
    }
}
