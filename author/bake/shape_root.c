/* SPDX-License-Identifier: MIT */
/* For a surface without a rig: adds a root joint that follows the rigid fit of each key's shape to the first (rotation
 * by Horn 1987, around the centroid). */
#include <string.h>

#include "author/bake/shaper.h"
#include "host/math/affine.h"

#define STRETCH_WITHOUT_RIG 80

static void find_center(const double *shape, int count, double *center)
{
    memset(center, 0, 3 * sizeof *center);
    for (int v = 0; v < count; ++v) {
        for (int d = 0; d < 3; ++d) {
            center[d] += shape[3 * v + d] / count;
        }
    }
}

/* Fits a rigid motion from `first` to `shape`: the moved centroid and the rotation around it, with the quaternion sign
 * of `previous`. */
static void fit_rigid(const double *first, const double *shape, int count, const sn_trs *previous, sn_trs *to)
{
    double center[3], h[9] = {0}, matrix[12] = {0}, rotation[9];
    find_center(first, count, center);
    find_center(shape, count, to->translation);
    for (int v = 0; v < count; ++v) {
        for (int i = 0; i < 9; ++i) {
            h[i] += (shape[3 * v + i / 3] - to->translation[i / 3]) * (first[3 * v + i % 3] - center[i % 3]);
        }
    }
    sn_rotation_towards(h, rotation);
    for (int i = 0; i < 12; ++i) {
        matrix[i] = i % 4 < 3 ? rotation[i / 4 * 3 + i % 4] : to->translation[i / 4];
    }
    sn_trs_from_affine(matrix, previous, to);
}

/* Returns whether a node has a transform or a parent. Programs ignore these for nodes that draw with a skin. */
static bool has_transform(const sn_scene_node *node)
{
    const sn_scene_node default_node = sn_scene_node_default("");
    return node->parent >= 0 || memcmp(node->local, default_node.local, sizeof default_node.local) != 0;
}

static bool has_children(const sn_scene_file *scene, int32_t node)
{
    bool is_parent = false;
    for (int i = 0; i < scene->node_count; ++i) {
        is_parent |= scene->nodes[i].parent == node;
    }
    return is_parent;
}

/* Moves the mesh to a node at the root: the node itself, or `to` if it has children. */
static void move_mesh(sn_scene_node *from, sn_scene_node *to)
{
    sn_scene_node node = sn_scene_node_default(from->name);
    node.mesh = from->mesh;
    node.morph_weights = from->morph_weights;
    node.is_in_scene = from->is_in_scene;
    from->mesh = -1;
    from->morph_weights = NULL;
    *to = node;
}

/* Copies the scene with one more joint as the last node. If the node with the mesh has children, another node before
 * the joint takes the mesh; *drawn is updated. world: transform of the original node. */
static sn_result copy_scene(sn_shaper *s, const double *center, const double *world, int32_t *mesh_node)
{
    sn_scene_file *scene = &s->scene;
    const bool is_parent = has_transform(&scene->nodes[*mesh_node]) && has_children(scene, *mesh_node);
    const size_t count = (size_t)scene->node_count, joint = count + is_parent;
    sn_scene_node *nodes = SN_NEW(s->arena, sn_scene_node, joint + 1);
    sn_scene_skin *skins = SN_NEW(s->arena, sn_scene_skin, 1);
    int32_t *joints = SN_NEW(s->arena, int32_t, 1);
    double *inverse = SN_NEW(s->arena, double, 12);
    if (!nodes || !skins || !joints || !inverse) {
        return SN_ERROR_MEMORY;
    }
    memcpy(nodes, scene->nodes, count * sizeof *nodes);
    if (has_transform(&nodes[*mesh_node])) {
        const int32_t from = *mesh_node;
        *mesh_node = is_parent ? (int32_t)count : from;
        move_mesh(&nodes[from], &nodes[*mesh_node]);
    }
    nodes[joint] = sn_scene_node_default("surface");
    for (int d = 0; d < 3; ++d) {
        nodes[joint].translation[d] = nodes[joint].local[4 * d + 3] = center[d];
    }
    memcpy(inverse, world, 12 * sizeof *inverse);
    for (int d = 0; d < 3; ++d) {
        inverse[4 * d + 3] -= center[d];
    }
    joints[0] = (int32_t)joint;
    skins[0] = (sn_scene_skin){.joint_count = 1, .joints = joints, .inverse_bind = inverse};
    scene->skins = skins;
    scene->skin_count = 1;
    scene->nodes = nodes;
    scene->node_count = (int)joint + 1;
    return SN_OK;
}

static sn_result skin_mesh(sn_shaper *s, int32_t node)
{
    sn_scene_file *scene = &s->scene;
    sn_scene_primitive *primitives = SN_NEW(s->arena, sn_scene_primitive, scene->primitive_count);
    if (!primitives) {
        return SN_ERROR_MEMORY;
    }
    memcpy(primitives, scene->primitives, (size_t)scene->primitive_count * sizeof *primitives);
    for (int i = 0; i < scene->primitive_count; ++i) {
        sn_scene_primitive *p = &primitives[i];
        const size_t n = 4 * (size_t)p->vertex_count;
        p->influence_count = 4;
        p->joints = SN_NEW(s->arena, int32_t, n);
        p->weights = SN_NEW(s->arena, float, n);
        for (size_t k = 0; p->joints && p->weights && k < n; k += 4) {
            p->weights[k] = 1;
        }
        if (!p->joints || !p->weights) {
            return SN_ERROR_MEMORY;
        }
    }
    scene->primitives = primitives;
    scene->nodes[node].skin = 0;
    return SN_OK;
}

static sn_result add_poses(sn_shaper *s, const double *first)
{
    const int count = sn_shapes_vertex_count(&s->scene), nodes = s->scene.node_count;
    s->poses = SN_NEW(&s->scratch, sn_trs, (size_t)nodes * (size_t)s->desc.key_count);
    if (!s->poses) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < s->desc.key_count; ++k) {
        sn_trs *parts = s->poses + (size_t)k * (size_t)nodes, *root = &parts[nodes - 1];
        const double *shape = s->desc.keys[k].shape;
        for (int i = 0; i < nodes; ++i) {
            memcpy(parts[i].translation, s->scene.nodes[i].translation, sizeof parts[i].translation);
            memcpy(parts[i].rotation, s->scene.nodes[i].rotation, sizeof parts[i].rotation);
            memcpy(parts[i].scale, s->scene.nodes[i].scale, sizeof parts[i].scale);
        }
        if (shape) {
            fit_rigid(first, shape, count, k > 0 ? root - nodes : NULL, root);
        } else if (k > 0) {
            *root = root[-nodes];
        }
    }
    return SN_OK;
}

static bool has_rig(const sn_shapes_desc *desc)
{
    bool has_pose = desc->scene->skin_count > 0;
    for (int k = 0; k < desc->key_count; ++k) {
        has_pose |= desc->keys[k].pose || desc->keys[k].clip >= 0;
    }
    return has_pose;
}

sn_fourier_material sn_shapes_default_material(const sn_shapes_desc *desc)
{
    sn_fourier_material material = sn_default_fourier_material();
    material.stretch = has_rig(desc) ? material.stretch : STRETCH_WITHOUT_RIG;
    return material;
}

sn_result sn_shaper_add_root(sn_shaper *s)
{
    int32_t mesh_node = -1;
    int mesh_node_count = 0;
    for (int32_t i = 0; i < s->scene.node_count; ++i) {
        mesh_node_count += s->scene.nodes[i].mesh >= 0;
        mesh_node = s->scene.nodes[i].mesh >= 0 ? i : mesh_node;
    }
    /* Several nodes with meshes cannot share one skin. They stay unskinned, and all motion goes into the targets. */
    if (has_rig(&s->desc) || mesh_node_count != 1) {
        return SN_OK;
    }
    sn_scene_pose pose;
    const int count = sn_shapes_vertex_count(&s->scene);
    double *rest = SN_NEW(&s->scratch, double, 3 * (size_t)count), center[3];
    sn_result result = rest ? sn_scene_pose_init(&s->scene, &s->scratch, &pose) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    const sn_scene_mesh *mesh = &s->scene.meshes[s->scene.nodes[mesh_node].mesh];
    for (int k = 0, at = 0; k < mesh->primitive_count; ++k) {
        const sn_scene_primitive *p = &s->scene.primitives[mesh->first_primitive + k];
        for (int v = 0; v < p->vertex_count; ++v, ++at) {
            const double x[3] = {(double)p->positions[3 * v], (double)p->positions[3 * v + 1],
                                 (double)p->positions[3 * v + 2]};
            sn_affine_apply(pose.world + 12 * (size_t)mesh_node, x, rest + 3 * (size_t)at);
        }
    }
    find_center(rest, count, center);
    s->is_rigid = true;
    result = copy_scene(s, center, pose.world + 12 * (size_t)mesh_node, &mesh_node);
    if (result == SN_OK) {
        result = skin_mesh(s, mesh_node);
    }
    return result == SN_OK ? add_poses(s, rest) : result;
}
