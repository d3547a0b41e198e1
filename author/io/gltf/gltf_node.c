/* SPDX-License-Identifier: MIT */
/* Nodes, scenes and skins. Graph walks are iterative, since the depth comes from the file. */
#include "author/io/gltf/gltf_reader.h"

#include <math.h>
#include <string.h>

#define UNIT_TOLERANCE 1e-2
/* Tolerance for the last row of a matrix, which must be 0 0 0 1. */
#define AFFINE_TOLERANCE 1e-4

bool sn_gltf_normalize_rotation(const sn_json *at, double rotation[4])
{
    double max_value = 0, square = 0;
    for (int k = 0; k < 4; ++k) {
        max_value = fmax(max_value, fabs(rotation[k]));
    }
    if (!(max_value > 0)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the rotation has length 0");
        return false;
    }
    for (int k = 0; k < 4; ++k) {
        rotation[k] /= max_value; /* prevents overflow and underflow of the squares */
        square += rotation[k] * rotation[k];
    }
    if (fabs(sqrt(square) * max_value - 1) > UNIT_TOLERANCE) {
        sn_json_warn(at, SN_GLTF_WARNED_ROTATION, "the rotation has length %g and is normalized",
                     sqrt(square) * max_value);
    }
    for (int k = 0; k < 4; ++k) {
        rotation[k] /= sqrt(square);
    }
    return true;
}

/* Converts the file's column-major 4 x 4 matrix to row-major 3 x 4. */
static bool read_affine(const sn_json *at, const double m[16], double affine[12])
{
    if (!(fabs(m[3]) + fabs(m[7]) + fabs(m[11]) + fabs(m[15] - 1) <= AFFINE_TOLERANCE)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "the matrix is not affine: its last row is %g %g %g %g", m[3], m[7], m[11],
                     m[15]);
        return false;
    }
    for (int k = 0; k < 12; ++k) {
        affine[k] = m[k % 4 * 4 + k / 4];
    }
    return true;
}

void sn_gltf_compose(const sn_scene_node *node, double local[12])
{
    const double x = node->rotation[0], y = node->rotation[1], z = node->rotation[2], w = node->rotation[3];
    const double rotation[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                                2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                                2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            local[4 * row + column] = rotation[3 * row + column] * node->scale[column];
        }
        local[4 * row + 3] = node->translation[row];
    }
}

static void read_transform(const sn_json *at, sn_scene_node *node)
{
    const sn_json matrix = sn_json_get(at, "matrix"), rotation = sn_json_get(at, "rotation");
    double m[16] = {0};
    node->rotation[3] = 1;
    node->scale[0] = node->scale[1] = node->scale[2] = 1;
    if (matrix.value) {
        node->has_matrix = true;
        if (sn_json_has(at, "translation") || rotation.value || sn_json_has(at, "scale")) {
            sn_json_fail(at, SN_ERROR_FORMAT, "has both a matrix and a translation, rotation or scale");
        } else if (sn_json_numbers(at, "matrix", 16, m)) {
            read_affine(&matrix, m, node->local);
        }
        return;
    }
    sn_json_numbers(at, "translation", 3, node->translation);
    sn_json_numbers(at, "scale", 3, node->scale);
    if (sn_json_numbers(at, "rotation", 4, node->rotation)) {
        sn_gltf_normalize_rotation(&rotation, node->rotation);
    }
    sn_gltf_compose(node, node->local); /* finite, since entries are within the range of a float */
}

/* Reads extras.sinew_loose, a custom property of a bone in modelling programs: a boolean or a number. Other types are
 * ignored. */
static bool read_soft_bone(const sn_json *at)
{
    const json_t *is_soft = json_object_get(json_object_get(at->value, "extras"), "sinew_loose");
    return json_is_true(is_soft) || (json_is_number(is_soft) && json_number_value(is_soft) != 0);
}

static void read_node(sn_gltf *g, const sn_json *at, int skin_count, sn_scene_node *node)
{
    node->name = sn_gltf_name(g, at);
    node->parent = -1;
    node->mesh = sn_json_index(at, "mesh", g->scene->mesh_count);
    node->skin = sn_json_index(at, "skin", skin_count);
    node->is_soft_bone = read_soft_bone(at);
    read_transform(at, node);
    if (node->mesh >= 0 && sn_json_has(at, "weights") && g->scene->meshes[node->mesh].primitive_count > 0) {
        node->morph_weights = sn_gltf_read_morph_weights(g, at, g->scene->meshes[node->mesh].morph_count);
    }
}

static void read_children(sn_gltf *g, const sn_json *at, int32_t parent)
{
    const sn_json children = sn_json_get(at, "children");
    const int count = sn_json_count(&children);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const int32_t child = sn_json_entry_index(&children, (size_t)i, g->scene->node_count);
        if (child >= 0 && g->scene->nodes[child].parent >= 0) {
            const sn_json entry = sn_json_entry(&children, (size_t)i);
            sn_json_fail(&entry, SN_ERROR_FORMAT, "node %d is already a child of node %d", child,
                         g->scene->nodes[child].parent);
        } else if (child >= 0) {
            g->scene->nodes[child].parent = parent;
        }
    }
}

/* Fails if a node is its own ancestor. Each node has at most one parent and is visited once, in linear time. */
static void check_loops(sn_gltf *g, const sn_json *list)
{
    const sn_scene_node *nodes = g->scene->nodes;
    int32_t *visitor = SN_GLTF_NEW(g, &g->scratch, list, int32_t, g->scene->node_count);
    for (int32_t start = 0; visitor && start < g->scene->node_count; ++start) {
        int32_t node = start;
        while (node >= 0 && visitor[node] == 0) {
            visitor[node] = start + 1;
            node = nodes[node].parent;
        }
        if (node >= 0 && visitor[node] == start + 1) {
            const sn_json at = sn_json_entry(list, (size_t)node);
            sn_json_fail(&at, SN_ERROR_FORMAT, "the node is its own ancestor");
            return;
        }
    }
}

enum { UNKNOWN, OUTSIDE, INSIDE }; /* relative to the scene */

/* A node is in the scene if it or an ancestor is listed, and none in between is hidden. Walks up to a node of known
 * state and stores the result on the path. */
static void propagate_scene(sn_gltf *g, uint8_t *state)
{
    sn_scene_node *nodes = g->scene->nodes;
    for (int32_t start = 0; start < g->scene->node_count; ++start) {
        int32_t node = start;
        while (node >= 0 && state[node] == UNKNOWN) {
            node = nodes[node].parent;
        }
        const uint8_t state_found = node < 0 ? OUTSIDE : state[node];
        for (node = start; node >= 0 && state[node] == UNKNOWN; node = nodes[node].parent) {
            state[node] = state_found;
        }
        nodes[start].is_in_scene = state[start] == INSIDE;
    }
}

/* KHR_node_visibility: hidden nodes and their descendants are not drawn; as joints they still move vertices. */
static void hide_nodes(sn_gltf *g, uint8_t *state)
{
    const sn_json nodes = sn_json_get(&g->root, "nodes");
    for (int i = 0; i < g->scene->node_count && sn_gltf_ok(g); ++i) {
        const sn_json node = sn_json_entry(&nodes, (size_t)i), extensions = sn_json_get(&node, "extensions");
        const sn_json visibility = sn_json_get(&extensions, "KHR_node_visibility");
        if (!sn_json_flag(&visibility, "visible", true)) {
            state[i] = OUTSIDE;
        }
    }
}

static void read_scene(sn_gltf *g)
{
    const sn_json scenes = sn_json_get(&g->root, "scenes");
    const int scene_count = sn_json_count(&scenes);
    const int32_t named = sn_json_index(&g->root, "scene", scene_count);
    const sn_json scene = sn_json_entry(&scenes, named < 0 ? 0 : (size_t)named);
    const sn_json list = sn_json_get(&scene, "nodes");
    const int count = sn_json_count(&list);
    uint8_t *state = SN_GLTF_NEW(g, &g->scratch, &scenes, uint8_t, g->scene->node_count);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const int32_t node = sn_json_entry_index(&list, (size_t)i, g->scene->node_count);
        if (node >= 0) {
            state[node] = INSIDE;
        }
    }
    if (sn_gltf_ok(g) && scene_count == 0) {
        for (int i = 0; i < g->scene->node_count; ++i) {
            state[i] = g->scene->nodes[i].parent < 0 ? INSIDE : UNKNOWN;
        }
    }
    if (sn_gltf_ok(g)) {
        hide_nodes(g, state);
    }
    if (sn_gltf_ok(g)) {
        propagate_scene(g, state);
    }
}

void sn_gltf_read_nodes(sn_gltf *g)
{
    sn_scene_file *scene = g->scene;
    const sn_json list = sn_json_get(&g->root, "nodes"), skins = sn_json_get(&g->root, "skins");
    const int skin_count = sn_json_count(&skins);
    scene->node_count = sn_json_count(&list);
    scene->nodes = SN_GLTF_NEW(g, g->arena, &list, sn_scene_node, scene->node_count);
    for (int i = 0; i < scene->node_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_node(g, &at, skin_count, &scene->nodes[i]);
    }
    for (int i = 0; i < scene->node_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_children(g, &at, i);
    }
    if (sn_gltf_ok(g)) {
        check_loops(g, &list);
    }
    if (sn_gltf_ok(g)) {
        read_scene(g);
    }
}

static void read_inverse_binds(sn_gltf *g, const sn_json *at, sn_scene_skin *skin)
{
    static const sn_gltf_format format = {1 << SN_GLTF_MAT4, SN_GLTF_FLOATS_ONLY, "MAT4 of floats"};
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const sn_json key = sn_json_get(at, "inverseBindMatrices");
    const sn_gltf_accessor *accessor = sn_gltf_find_accessor(g, at, "inverseBindMatrices", &format, -1);
    if (accessor && accessor->count < skin->joint_count) {
        sn_json_fail(&key, SN_ERROR_FORMAT, "there are only %d matrices for %d joints", accessor->count,
                     skin->joint_count);
    }
    float *matrices = accessor ? SN_GLTF_NEW(g, &g->scratch, &key, float, 16 * (size_t)accessor->count) : NULL;
    if (!sn_gltf_ok(g) || (matrices && !sn_gltf_decode(&key, accessor, matrices, 16))) {
        return;
    }
    bool is_affine = true;
    for (int j = 0; j < skin->joint_count && is_affine; ++j) {
        double m[16], *inverse_bind = skin->inverse_bind + 12 * (size_t)j;
        memcpy(inverse_bind, identity, sizeof identity);
        for (int k = 0; matrices && k < 16; ++k) {
            m[k] = (double)matrices[16 * (size_t)j + (size_t)k];
        }
        is_affine = !matrices || read_affine(&key, m, inverse_bind);
    }
}

static void read_skin(sn_gltf *g, const sn_json *at, sn_scene_skin *skin)
{
    const sn_json joints = sn_json_get(at, "joints");
    skin->joint_count = sn_json_require(at, "joints") ? sn_json_count(&joints) : 0;
    if (skin->joint_count == 0) {
        sn_json_fail(&joints, SN_ERROR_FORMAT, "is empty");
        return;
    }
    skin->joints = SN_GLTF_NEW(g, g->arena, &joints, int32_t, skin->joint_count);
    skin->inverse_bind = SN_GLTF_NEW(g, g->arena, &joints, double, 12 * (size_t)skin->joint_count);
    for (int j = 0; j < skin->joint_count && sn_gltf_ok(g); ++j) {
        skin->joints[j] = sn_json_entry_index(&joints, (size_t)j, g->scene->node_count);
    }
    if (sn_gltf_ok(g)) {
        read_inverse_binds(g, at, skin);
    }
}

/* Checks the joint indices of meshes, whose skins are determined by the nodes. */
static void check_joints(sn_gltf *g)
{
    const sn_json nodes = sn_json_get(&g->root, "nodes");
    for (int i = 0; i < g->scene->node_count && sn_gltf_ok(g); ++i) {
        const sn_scene_node *node = &g->scene->nodes[i];
        if (node->mesh < 0 || node->skin < 0) {
            continue;
        }
        const int32_t joint = g->mesh_max_joints[node->mesh];
        const int joint_count = g->scene->skins[node->skin].joint_count;
        if (joint >= joint_count) {
            const sn_json at = sn_json_entry(&nodes, (size_t)i);
            sn_json_fail(
                &at, SN_ERROR_FORMAT,
                "joint %d, which meshes[%d].primitives[%d] uses, does not exist: there are only %d joints in skin %d",
                joint, node->mesh, g->mesh_primitives[node->mesh], joint_count, node->skin);
        }
    }
}

void sn_gltf_read_skins(sn_gltf *g)
{
    sn_scene_file *scene = g->scene;
    const sn_json list = sn_json_get(&g->root, "skins");
    scene->skin_count = sn_json_count(&list);
    scene->skins = SN_GLTF_NEW(g, g->arena, &list, sn_scene_skin, scene->skin_count);
    for (int i = 0; i < scene->skin_count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_skin(g, &at, &scene->skins[i]);
    }
    if (sn_gltf_ok(g)) {
        check_joints(g);
    }
}
