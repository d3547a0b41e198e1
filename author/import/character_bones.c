/* SPDX-License-Identifier: MIT */
/* The bind transform of a joint is M inverse_bind^-1, where M maps the skin's mesh to the world such that the skin's
 * topmost joint is at its rest transform. If the file's rest pose is its bind pose, M is the same for every joint. The
 * mesh's vertices are at M x in the bind pose, and world_j inverse_bind_j x = (world_j bind_j^-1) (M x) holds exactly
 * for any rest pose. */
#include "author/import/character_bones.h"

#include <math.h>
#include <string.h>

#include "author/retarget/humanoid.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

bool sn_node_has_triangles(const sn_scene_file *scene, int32_t node)
{
    const sn_scene_node *n = &scene->nodes[node];
    if (!n->is_in_scene || n->mesh < 0) {
        return false;
    }
    const sn_scene_mesh *mesh = &scene->meshes[n->mesh];
    for (int i = 0; i < mesh->primitive_count; ++i) {
        if (scene->primitives[mesh->first_primitive + i].triangle_count > 0) {
            return true;
        }
    }
    return false;
}

static double max_difference(const double *a, const double *b, int first, int count)
{
    double max_value = 0;
    for (int i = 0; i < 12; ++i) {
        const int column = i % 4;
        if (column >= first && column < first + count) {
            max_value = fmax(max_value, fabs(a[i] - b[i]));
        }
    }
    return max_value;
}

/* Whether two transforms are equal: linear parts within a relative 1e-4, translations within 1e-4 of the skeleton's
 * size. Far from the origin, where float rounding is coarser than that, 1e-6 of the distance to the origin is allowed.
 */
static bool is_same_transform(const sn_bone_list *list, const double *a, const double *b)
{
    static const double zero[12];
    const double linear = fmax(max_difference(a, zero, 0, 3), max_difference(b, zero, 0, 3));
    const double distance = fmax(max_difference(a, zero, 3, 1), max_difference(b, zero, 3, 1));
    return max_difference(a, b, 0, 3) <= 1e-4 * linear &&
           max_difference(a, b, 3, 1) <= fmax(1e-4 * list->size, 1e-6 * distance);
}

/* Returns the bone of a node with this bind transform; adds it if there is none. */
static int32_t add_bone(sn_bone_list *list, int32_t node, const double *bind)
{
    for (int32_t i = 0; i < list->count; ++i) {
        if (list->bones[i].node == node && is_same_transform(list, list->bones[i].bind, bind)) {
            return i;
        }
    }
    const int32_t bone = list->count++;
    list->bones[bone].node = node;
    memcpy(list->bones[bone].bind, bind, sizeof list->bones[bone].bind);
    if (node >= 0 && list->node_bones[node] < 0) {
        list->node_bones[node] = bone;
    }
    return bone;
}

/* Computes the mesh's bind transform from joint j alone. Returns false if it is singular. */
static bool bind_by_joint(const sn_bone_list *list, const sn_scene_skin *skin, int j, double *mesh_to_bind)
{
    const int32_t node = skin->joints[j], bone = list->node_bones[node];
    const double *world = bone >= 0 ? list->bones[bone].bind : list->pose->world + 12 * (size_t)node;
    double unused[12];
    sn_affine_multiply(world, skin->inverse_bind + 12 * (size_t)j, mesh_to_bind);
    return sn_affine_invert(mesh_to_bind, unused);
}

/* Computes mesh_to_bind of a skin from its topmost joint, or from a joint that another skin has added already. Joints
 * with a singular result (a zero matrix of an unused joint, a scale of 0) are skipped. */
static bool bind_skin(const sn_bone_list *list, const sn_scene_skin *skin, int *topmost, double *mesh_to_bind)
{
    int min_depth = -1;
    bool is_bound = false;
    *topmost = 0;
    for (int j = 0; j < skin->joint_count; ++j) {
        const int depth = sn_scene_node_depth(list->scene, skin->joints[j]);
        const bool has_bone = list->node_bones[skin->joints[j]] >= 0;
        const bool is_better = min_depth < 0 || (has_bone && !is_bound) || (has_bone == is_bound && depth < min_depth);
        if (is_better && bind_by_joint(list, skin, j, mesh_to_bind)) {
            min_depth = depth;
            is_bound = has_bone;
            *topmost = j;
        }
    }
    return min_depth >= 0 && bind_by_joint(list, skin, *topmost, mesh_to_bind);
}

static sn_result add_skin(sn_bone_list *list, int skin_index, const char *name, sn_arena *arena)
{
    const sn_scene_skin *skin = &list->scene->skins[skin_index];
    double *mesh_to_bind = list->mesh_to_bind + 12 * (size_t)skin_index;
    int topmost = 0;
    list->joint_bones[skin_index] = SN_NEW(arena, int32_t, skin->joint_count);
    if (!list->joint_bones[skin_index]) {
        return SN_ERROR_MEMORY;
    }
    if (!bind_skin(list, skin, &topmost, mesh_to_bind)) {
        return sn_fail(
            SN_ERROR_FORMAT,
            "%s: skins[%d].inverseBindMatrices[%d]: the product of the joint's transform and this matrix is singular",
            name, skin_index, topmost);
    }
    for (int j = 0; j < skin->joint_count; ++j) {
        double inverse[12], bind[12];
        if (sn_affine_invert(skin->inverse_bind + 12 * (size_t)j, inverse)) {
            sn_affine_multiply(mesh_to_bind, inverse, bind);
        } else {
            sn_log(SN_LOG_WARNING,
                   "%s: skins[%d].inverseBindMatrices[%d]: the matrix is singular; the joint's rest transform is used",
                   name, skin_index, j);
            memcpy(bind, list->pose->world + 12 * (size_t)skin->joints[j], sizeof bind);
        }
        list->joint_bones[skin_index][j] = add_bone(list, skin->joints[j], bind);
    }
    list->fallback_bones[skin_index] = list->joint_bones[skin_index][topmost];
    return SN_OK;
}

static sn_result check_joint_counts(const sn_scene_file *scene, const bool *is_used, const char *name)
{
    for (int s = 0; s < scene->skin_count; ++s) {
        if (is_used[s] && scene->skins[s].joint_count > SN_BONE_LIMIT) {
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "%s: skins[%d].joints: the skin has %d joints; at most %d are supported", name, s,
                           scene->skins[s].joint_count, SN_BONE_LIMIT);
        }
    }
    return SN_OK;
}

/* The diagonal of the box of the joints of the used skins. */
static double find_diagonal(const sn_bone_list *list, const bool *is_used)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int s = 0; s < list->scene->skin_count; ++s) {
        const sn_scene_skin *skin = &list->scene->skins[s];
        for (int j = 0; is_used[s] && j < skin->joint_count; ++j) {
            for (int d = 0; d < 3; ++d) {
                const double x = list->pose->world[12 * (size_t)skin->joints[j] + 4 * (size_t)d + 3];
                low[d] = fmin(low[d], x);
                high[d] = fmax(high[d], x);
            }
        }
    }
    return low[0] <= high[0] ? sn_distance3(low, high) : 0;
}

/* Marks the skins of drawn nodes; returns their number. */
static int find_used_skins(const sn_scene_file *scene, bool *is_used)
{
    int count = 0;
    for (int32_t node = 0; node < scene->node_count; ++node) {
        const int32_t skin = scene->nodes[node].skin;
        if (skin >= 0 && sn_node_has_triangles(scene, node) && !is_used[skin]) {
            is_used[skin] = true;
            ++count;
        }
    }
    return count;
}

static bool is_ancestor_or_self(const sn_scene_file *scene, int32_t ancestor, int32_t node)
{
    while (node >= 0 && node != ancestor) {
        node = scene->nodes[node].parent;
    }
    return node == ancestor && ancestor >= 0;
}

/* The deepest node that is an ancestor of, or equal to, every drawn node; -1 if there is none. */
static int32_t find_common_node(const sn_scene_file *scene)
{
    int32_t common = -2;
    for (int32_t node = 0; node < scene->node_count; ++node) {
        if (!sn_node_has_triangles(scene, node)) {
            continue;
        }
        common = common == -2 ? node : common;
        while (common >= 0 && !is_ancestor_or_self(scene, common, node)) {
            common = scene->nodes[common].parent;
        }
    }
    return common < 0 ? -1 : common;
}

/* Whether clips move drawn nodes relative to each other: a node below `common`, at or above a drawn node, is animated.
 */
static bool moves_separately_below(const sn_scene_file *scene, int32_t common, const bool *is_moving)
{
    for (int32_t node = 0; node < scene->node_count; ++node) {
        const bool is_visible = sn_node_has_triangles(scene, node);
        for (int32_t at = node; is_visible && at >= 0 && at != common; at = scene->nodes[at].parent) {
            if (is_moving[at]) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the node's rest transform is singular (its own or an ancestor's scale is 0 along an axis). */
static bool is_singular(const sn_bone_list *list, int32_t node)
{
    double unused[12];
    return !sn_affine_invert(list->pose->world + 12 * (size_t)node, unused);
}

/* Adds the nearest node at or above this one whose transform is not singular, or the world. */
static int32_t add_node(sn_bone_list *list, int32_t node)
{
    double identity[12];
    while (node >= 0 && is_singular(list, node)) {
        node = list->scene->nodes[node].parent;
    }
    sn_affine_identity(identity);
    return add_bone(list, node, node >= 0 ? list->pose->world + 12 * (size_t)node : identity);
}

/* The nearest joint or humanoid bone at or above a node, or -1. */
static int32_t find_skeleton_node(const sn_scene_file *scene, const bool *is_skeleton, int32_t node)
{
    while (node >= 0 && !is_skeleton[node]) {
        node = scene->nodes[node].parent;
    }
    return node;
}

static bool has_required_bones(const sn_scene_file *scene)
{
    int count = 0, required = 0;
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        count += sn_humanoid_is_required(sn_humanoid_find(scene->humanoid_bones[i].bone));
    }
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        required += sn_humanoid_is_required(bone);
    }
    return count == required;
}

/* Handles a humanoid whose rigid meshes are attached to several of its bones. The humanoid bones that motions require,
 * those with meshes, and their humanoid ancestors up to the hips become bones even without a mesh. */
static void add_humanoid_bones(sn_bone_list *list, bool *is_humanoid)
{
    const sn_scene_file *scene = list->scene;
    if (list->count < 2 || !has_required_bones(scene)) {
        return;
    }
    memset(is_humanoid, 0, (size_t)scene->node_count * sizeof *is_humanoid);
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        is_humanoid[scene->humanoid_bones[i].node] = true;
    }
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        const int32_t node = scene->humanoid_bones[i].node;
        const bool is_needed = sn_humanoid_is_required(sn_humanoid_find(scene->humanoid_bones[i].bone));
        for (int32_t at = is_needed || list->node_bones[node] >= 0 ? node : -1; at >= 0; at = scene->nodes[at].parent) {
            if (is_humanoid[at]) {
                add_node(list, at);
            }
        }
    }
}

/* Adds the bones of a scene in which no drawn node has a skin. */
static sn_result add_unskinned(sn_bone_list *list, sn_arena *arena)
{
    const sn_scene_file *scene = list->scene;
    bool *is_skeleton = SN_NEW(arena, bool, scene->node_count);
    if (!is_skeleton) {
        return SN_ERROR_MEMORY;
    }
    for (int s = 0; s < scene->skin_count; ++s) {
        for (int j = 0; j < scene->skins[s].joint_count; ++j) {
            is_skeleton[scene->skins[s].joints[j]] = true;
        }
    }
    for (int i = 0; i < scene->humanoid_bone_count; ++i) {
        is_skeleton[scene->humanoid_bones[i].node] = true;
    }
    for (int32_t node = 0; node < scene->node_count && list->count <= SN_BONE_LIMIT; ++node) {
        const int32_t bone = sn_node_has_triangles(scene, node) ? find_skeleton_node(scene, is_skeleton, node) : -1;
        if (bone >= 0) {
            add_node(list, bone);
        }
    }
    add_humanoid_bones(list, is_skeleton);
    if (list->count > 0) {
        return SN_OK;
    }
    const int32_t common = find_common_node(scene);
    const bool is_separate = moves_separately_below(scene, common, list->is_moving);
    for (int32_t node = 0; is_separate && node < scene->node_count && list->count <= SN_BONE_LIMIT; ++node) {
        if (sn_node_has_triangles(scene, node)) {
            add_node(list, node);
        }
    }
    if (!is_separate) {
        add_node(list, common);
    }
    return SN_OK;
}

sn_result sn_bone_list_build(const sn_scene_file *scene, sn_scene_pose *pose, const char *name, sn_arena *arena,
                             sn_bone_list *list)
{
    size_t limit = (size_t)scene->node_count + 1;
    for (int s = 0; s < scene->skin_count; ++s) {
        limit += (size_t)scene->skins[s].joint_count;
    }
    *list = (sn_bone_list){.scene = scene,
                           .pose = pose,
                           .bones = SN_NEW(arena, sn_bone, limit),
                           .is_moving = SN_NEW(arena, bool, scene->node_count),
                           .node_bones = SN_NEW(arena, int32_t, scene->node_count),
                           .joint_bones = SN_NEW(arena, int32_t *, scene->skin_count),
                           .mesh_to_bind = SN_NEW(arena, double, 12 * (size_t)scene->skin_count),
                           .fallback_bones = SN_NEW(arena, int32_t, scene->skin_count)};
    bool *is_used = SN_NEW(arena, bool, scene->skin_count);
    if (!list->bones || !list->is_moving || !list->node_bones || !list->joint_bones || !list->mesh_to_bind ||
        !list->fallback_bones || !is_used) {
        return SN_ERROR_MEMORY;
    }
    memset(list->node_bones, -1, (size_t)scene->node_count * sizeof(int32_t));
    sn_scene_find_animated_nodes(scene, list->is_moving);
    for (int i = 0; i < scene->spring_link_count; ++i) { /* nodes of spring bones move, too */
        list->is_moving[scene->spring_links[i].node] = true;
    }
    if (find_used_skins(scene, is_used) == 0) {
        return add_unskinned(list, arena);
    }
    sn_result result = check_joint_counts(scene, is_used, name);
    list->size = result == SN_OK ? find_diagonal(list, is_used) : 0;
    for (int s = 0; s < scene->skin_count && result == SN_OK && list->count <= SN_BONE_LIMIT; ++s) {
        result = is_used[s] ? add_skin(list, s, name, arena) : SN_OK;
    }
    return result;
}

/* The bind transform of a node at or below a bone's node (-1: the world): the bone's bind transform times the node's
 * transform relative to the bone in the pose. */
static void transform_below(const sn_bone_list *list, int32_t bone_node, int32_t node, double *to_bind)
{
    const double *world = list->pose->world;
    double bone_inverse[12], relative[12];
    if (bone_node < 0) {
        memcpy(to_bind, world + 12 * (size_t)node, sizeof relative);
        return;
    }
    if (!sn_affine_invert(world + 12 * (size_t)bone_node, bone_inverse)) {
        sn_affine_identity(bone_inverse);
    }
    sn_affine_multiply(bone_inverse, world + 12 * (size_t)node, relative);
    sn_affine_multiply(list->bones[list->node_bones[bone_node]].bind, relative, to_bind);
}

int32_t sn_bone_of_mesh_node(sn_bone_list *list, int32_t node, double *mesh_to_bind)
{
    int32_t at = node, top = node, moving = -1;
    while (at >= 0 && list->node_bones[at] < 0) {
        moving = moving < 0 && list->is_moving[at] && !is_singular(list, at) ? at : moving;
        top = at;
        at = list->scene->nodes[at].parent;
    }
    if (at < 0 && list->bones[0].node < 0) { /* the only bone is the world */
        transform_below(list, -1, node, mesh_to_bind);
        return 0;
    }
    if (moving >= 0) {
        double bind[12];
        transform_below(list, at, moving, bind);
        add_bone(list, moving, bind);
        at = moving;
    } else if (at < 0) { /* outside of the skeleton: the mesh moves with its own root node */
        const int32_t bone = add_node(list, top);
        transform_below(list, list->bones[bone].node, node, mesh_to_bind);
        return bone;
    }
    transform_below(list, at, node, mesh_to_bind);
    return list->node_bones[at];
}

int32_t sn_bone_above_node(const sn_bone_list *list, int32_t node, double *to_bind)
{
    int32_t at = node;
    while (at >= 0 && list->node_bones[at] < 0) {
        at = list->scene->nodes[at].parent;
    }
    if (at < 0 && !(list->count > 0 && list->bones[0].node < 0)) {
        return -1;
    }
    transform_below(list, at, node, to_bind);
    return at < 0 ? 0 : list->node_bones[at];
}
