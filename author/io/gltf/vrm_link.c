/* SPDX-License-Identifier: MIT */
/* Parameters of VRM spring bones. In 1.0 (VRMC_springBone) the tail of each joint in a list is the next joint. In 0.x
 * (secondaryAnimation) all descendants of a group's roots swing; the tail is the first child or, without children, a
 * point 7 cm farther. Defaults are those of the schemas. */
#include "author/io/gltf/vrm_collider.h"

/* A number clamped to 0 .. `max_value`; the default if it is invalid. */
static double read_size(sn_gltf *g, const sn_json *at, const char *key, double fallback, double max_value)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const double value = sn_json_number(at, key, fallback);
    const bool is_read = sn_gltf_end_attempt(g, &a, SN_GLTF_WARNED_SPRING, "VRM's default is used");
    if (is_read && !(value >= 0 && value <= max_value)) {
        const sn_json member = sn_json_get(at, key);
        sn_json_warn(&member, SN_GLTF_WARNED_SPRING, "is out of range and is clamped");
    }
    return !is_read ? fallback : value >= 0 ? (value <= max_value ? value : max_value) : 0;
}

static void read_gravity(sn_gltf *g, const sn_json *at, bool is_new, double *gravity)
{
    sn_gltf_attempt a;
    const sn_json axes = sn_json_get(at, "gravityDir");
    double direction[3] = {0, -1, 0};
    sn_gltf_begin_attempt(&a);
    if (is_new) {
        sn_json_numbers(at, "gravityDir", 3, direction);
    } else if (axes.value) {
        direction[0] = sn_json_number(&axes, "x", 0);
        direction[1] = sn_json_number(&axes, "y", 0);
        direction[2] = -sn_json_number(&axes, "z", 0); /* left-handed, like the offsets of colliders */
    }
    const double power = sn_json_number(at, "gravityPower", 0);
    const bool is_read = sn_gltf_end_attempt(g, &a, SN_GLTF_WARNED_SPRING, "the spring has no gravity");
    for (int d = 0; d < 3; ++d) {
        gravity[d] = is_read ? power * direction[d] : 0;
    }
}

static void add_link(sn_gltf *g, const sn_json *at, bool is_new, int32_t node, int32_t tail)
{
    sn_scene_file *scene = g->scene;
    sn_spring_link *link = &scene->spring_links[scene->spring_link_count++];
    *link = (sn_spring_link){.node = node,
                             .tail = tail,
                             .group = scene->nodes[node].spring,
                             .stiffness = read_size(g, at, is_new ? "stiffness" : "stiffiness", 1, 1e9),
                             .drag = read_size(g, at, "dragForce", is_new ? 0.5 : 0.4, 1),
                             .hit_radius = sn_vrm_read_hit_radius(g, at)};
    read_gravity(g, at, is_new, link->gravity);
}

/* Preorder numbering of the nodes: first is a node's number, end the number after its last descendant. */
typedef struct visit {
    int32_t first, end, child, sibling; /* child: next unvisited child, or -1 */
} visit;

static visit *visit_nodes(sn_gltf *g, const sn_json *list)
{
    const sn_scene_node *nodes = g->scene->nodes;
    const int32_t count = g->scene->node_count;
    visit *visits = SN_GLTF_NEW(g, &g->scratch, list, visit, count);
    int32_t visited_count = 0;
    for (int32_t node = 0; node < count && visits; ++node) {
        visits[node].child = -1;
    }
    for (int32_t node = 0; node < count && visits; ++node) {
        if (nodes[node].parent >= 0) {
            visits[node].sibling = visits[nodes[node].parent].child;
            visits[nodes[node].parent].child = node;
        }
    }
    for (int32_t root = 0; root < count && visits; ++root) {
        int32_t node = nodes[root].parent < 0 ? root : -1;
        visits[root].first = node >= 0 ? visited_count++ : visits[root].first;
        while (node >= 0) {
            const int32_t child = visits[node].child;
            if (child >= 0) {
                visits[node].child = visits[child].sibling;
                visits[child].first = visited_count++;
                node = child;
            } else {
                visits[node].end = visited_count;
                node = nodes[node].parent;
            }
        }
    }
    return visits;
}

static bool is_below(const visit *node, const visit *above)
{
    return node->first >= above->first && node->first < above->end;
}

/* Reads a joint and its successor. A node of several springs belongs to the first one. */
static void read_pair(sn_gltf *g, int group, const sn_json *at, const sn_json *next, const visit *visits,
                      bool *is_assigned)
{
    const int32_t node = sn_json_index(at, "node", g->scene->node_count);
    const int32_t tail = sn_json_index(next, "node", g->scene->node_count);
    if (!sn_gltf_ok(g) || node < 0 || tail < 0 || is_assigned[node] || !g->scene->nodes[node].is_spring ||
        g->scene->nodes[node].spring != group) {
        return;
    }
    if (node == tail || !is_below(&visits[tail], &visits[node])) {
        sn_json_warn(next, SN_GLTF_WARNED_SPRING,
                     "is not a descendant of the previous joint, which is therefore not simulated");
        return;
    }
    is_assigned[node] = true;
    add_link(g, at, true, node, tail);
}

static void read_joints(sn_gltf *g, int group, const sn_json *spring, const visit *visits, bool *is_assigned)
{
    const sn_json joints = sn_json_get(spring, "joints");
    const int count = sn_json_count(&joints);
    for (int i = 0; i + 1 < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&joints, (size_t)i), next = sn_json_entry(&joints, (size_t)i + 1);
        read_pair(g, group, &at, &next, visits, is_assigned);
    }
}

static int32_t first_child(const sn_gltf *g, int32_t node)
{
    const sn_json nodes = sn_json_get(&g->root, "nodes"), at = sn_json_entry(&nodes, (size_t)node);
    const sn_json children = sn_json_get(&at, "children");
    return json_array_size(children.value) > 0 ? sn_json_entry_index(&children, 0, g->scene->node_count) : -1;
}

static void read_groups(sn_gltf *g, const sn_json *list)
{
    for (int32_t node = 0; node < g->scene->node_count && sn_gltf_ok(g); ++node) {
        if (g->scene->nodes[node].is_spring) {
            const sn_json group = sn_json_entry(list, (size_t)g->scene->nodes[node].spring);
            add_link(g, &group, false, node, first_child(g, node));
        }
    }
}

static int32_t read_center(sn_gltf *g, const sn_json *spring)
{
    sn_gltf_attempt a;
    sn_gltf_begin_attempt(&a);
    const bool is_none = sn_json_integer(spring, "center", -1, INT64_MIN, INT64_MAX) < 0;
    const int32_t center = is_none ? -1 : sn_json_index(spring, "center", g->scene->node_count);
    return sn_gltf_end_attempt(g, &a, SN_GLTF_WARNED_SPRING, "the world is used as its center") ? center : -1;
}

void sn_vrm_read_links(sn_gltf *g, const sn_json *list, bool is_new)
{
    bool *is_assigned = SN_GLTF_NEW(g, &g->scratch, list, bool, g->scene->node_count);
    const visit *visits = is_new ? visit_nodes(g, list) : NULL;
    g->scene->spring_links = SN_GLTF_NEW(g, g->arena, list, sn_spring_link, g->scene->node_count);
    for (int i = 0; i < g->scene->spring_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(list, (size_t)i);
        g->scene->springs[i].center = read_center(g, &at);
        if (is_new) {
            read_joints(g, i, &at, visits, is_assigned);
        }
    }
    if (!is_new) {
        read_groups(g, list);
    }
}
