/* SPDX-License-Identifier: MIT */
/* Reads the skins of a node's meshes. The file has the mesh's transform when it was bound to a bone (the cluster's
 * Transform), without the geometric transform. */
#include "tools/read_fbx/read_fbx.h"

#include <math.h>
#include <string.h>

#include "author/io/list.h"
#include "host/math/affine.h"

typedef struct skin_builder {
    fbx_reader *r;
    fbx_node *node;
    double to_mesh[12]; /* from stored vertices to the mesh's coordinates */
    sn_list joints;     /* of int32_t, scene nodes */
    sn_list binds;      /* of double[12], parallel to joints */
} skin_builder;

/* The joint with this node and matrix, added if missing; -1: out of memory. */
static int32_t find_joint(skin_builder *b, int32_t node, const double *bind)
{
    for (size_t i = 0; i < b->joints.count; ++i) {
        if (((int32_t *)b->joints.items)[i] == node &&
            memcmp((double *)b->binds.items + 12 * i, bind, 12 * sizeof *bind) == 0) {
            return (int32_t)i;
        }
    }
    int32_t *joint = SN_LIST_ADD(&b->joints, int32_t, 1);
    double *matrix = joint ? sn_list_add(&b->binds, 12 * sizeof *bind, 1) : NULL;
    if (!matrix) {
        return -1;
    }
    *joint = node;
    memcpy(matrix, bind, 12 * sizeof *bind);
    return (int32_t)b->joints.count - 1;
}

/* The joint of a bone; -1: there is no such node, -2: failure. */
static int32_t bone_joint(skin_builder *b, const struct aiBone *bone)
{
    double offset[12], bound[12], bind[12];
    const int32_t node = fbx_node_find(b->r, bone->mName.data, bone->mName.length);
    if (node < 0) {
        sn_log(SN_LOG_WARNING, "the bone %s has no node; it is ignored", fbx_name(b->r, &bone->mName));
        return -1;
    }
    fbx_load_affine(&bone->mOffsetMatrix, offset);
    sn_affine_multiply(offset, b->to_mesh, bound);
    fbx_convert_affine(b->r, bound, bind);
    if (!fbx_is_finite(bind, 12)) {
        sn_fail(SN_ERROR_FORMAT, "the bone %s: its bind matrix is not finite", fbx_name(b->r, &bone->mName));
        return -2;
    }
    const int32_t joint = find_joint(b, b->r->nodes[node].scene_node, bind);
    return joint < 0 ? -2 : joint;
}

static bool is_counted(const struct aiMesh *mesh, const struct aiVertexWeight *w)
{
    return w->mVertexId < mesh->mNumVertices && isfinite(w->mWeight) && w->mWeight > 0;
}

/* Inserts by descending weight; the sort is stable. */
static void insert(fbx_influences *in, int32_t first, int32_t at, int32_t joint, float weight)
{
    for (; at > first && in->weights[at - 1] < weight; --at) {
        in->joints[at] = in->joints[at - 1];
        in->weights[at] = in->weights[at - 1];
    }
    in->joints[at] = joint;
    in->weights[at] = weight;
}

/* The joint for vertices without bones, which is the mesh's own node; 0 if every vertex has a bone; -1 on failure. */
static int32_t find_own_joint(skin_builder *b, const struct aiMesh *mesh, const int32_t *counts)
{
    double bind[12];
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        if (counts[i] == 0) {
            fbx_convert_affine(b->r, b->to_mesh, bind);
            return find_joint(b, b->node->scene_node, bind);
        }
    }
    return 0;
}

static sn_result collect_influences(skin_builder *b, const struct aiMesh *mesh, const int32_t *joints,
                                    fbx_influences *in)
{
    sn_arena *arena = &b->r->arena;
    int32_t *counts = SN_NEW(arena, int32_t, mesh->mNumVertices);
    in->first = SN_NEW(arena, int32_t, mesh->mNumVertices + 1);
    if (!counts || !in->first) {
        return SN_ERROR_MEMORY;
    }
    for (unsigned k = 0; k < mesh->mNumBones; ++k) {
        for (unsigned i = 0; joints[k] >= 0 && i < mesh->mBones[k]->mNumWeights; ++i) {
            const struct aiVertexWeight *w = &mesh->mBones[k]->mWeights[i];
            counts[is_counted(mesh, w) ? w->mVertexId : 0] += is_counted(mesh, w);
        }
    }
    const int32_t own = find_own_joint(b, mesh, counts);
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        in->first[i + 1] = in->first[i] + (counts[i] > 0 ? counts[i] : 1);
    }
    in->joints = SN_NEW(arena, int32_t, in->first[mesh->mNumVertices]);
    in->weights = SN_NEW(arena, float, in->first[mesh->mNumVertices]);
    if (own < 0 || !in->joints || !in->weights) {
        return SN_ERROR_MEMORY;
    }
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        if (counts[i] == 0) {
            in->joints[in->first[i]] = own;
            in->weights[in->first[i]] = 1;
        }
        counts[i] = 0;
    }
    for (unsigned k = 0; k < mesh->mNumBones; ++k) {
        for (unsigned i = 0; joints[k] >= 0 && i < mesh->mBones[k]->mNumWeights; ++i) {
            const struct aiVertexWeight *w = &mesh->mBones[k]->mWeights[i];
            if (is_counted(mesh, w)) {
                const int32_t first = in->first[w->mVertexId];
                insert(in, first, first + counts[w->mVertexId]++, joints[k], w->mWeight);
            }
        }
    }
    return SN_OK;
}

static sn_result read_bones(skin_builder *b, const struct aiMesh *mesh, fbx_influences *in)
{
    int32_t *joints = SN_NEW(&b->r->arena, int32_t, mesh->mNumBones);
    if (!joints) {
        return SN_ERROR_MEMORY;
    }
    for (unsigned k = 0; k < mesh->mNumBones; ++k) {
        joints[k] = bone_joint(b, mesh->mBones[k]);
        if (joints[k] < -1) {
            return SN_ERROR_FORMAT;
        }
    }
    return collect_influences(b, mesh, joints, in);
}

static sn_result store_skin(skin_builder *b, int32_t *skin)
{
    sn_scene_skin *stored = &b->r->scene.skins[b->r->scene.skin_count];
    stored->joint_count = (int)b->joints.count;
    stored->joints = sn_list_copy(&b->joints, sizeof(int32_t), &b->r->arena);
    stored->inverse_bind = sn_list_copy(&b->binds, 12 * sizeof(double), &b->r->arena);
    *skin = b->r->scene.skin_count++;
    return stored->joints && stored->inverse_bind ? SN_OK : SN_ERROR_MEMORY;
}

/* Computes to_stored and to_mesh. If the node's world transform is singular, vertices are stored in its own
 * coordinates.
 */
static void compute_placing(skin_builder *b)
{
    double world[12], above[12];
    memcpy(world, b->node->local, sizeof world);
    for (int32_t up = b->node->parent; up >= 0; up = b->r->nodes[up].parent) {
        memcpy(above, world, sizeof above);
        sn_affine_multiply(b->r->nodes[up].local, above, world);
    }
    memcpy(b->to_mesh, b->node->geometric, sizeof b->to_mesh);
    if (fbx_is_finite(world, 12) && sn_affine_invert(world, b->to_mesh) && fbx_is_finite(b->to_mesh, 12)) {
        sn_affine_multiply(world, b->node->geometric, b->node->to_stored);
    } else {
        memcpy(b->to_mesh, b->node->geometric, sizeof b->to_mesh);
    }
}

sn_result fbx_skin_read(fbx_reader *r, fbx_node *node, int32_t *skin, fbx_influences *influences)
{
    skin_builder b = {.r = r, .node = node};
    sn_result result = SN_OK;
    *skin = -1;
    bool has_bones = false;
    for (unsigned i = 0; i < node->from->mNumMeshes; ++i) {
        has_bones |= r->from->mMeshes[node->from->mMeshes[i]]->mNumBones > 0;
    }
    if (has_bones) {
        compute_placing(&b);
    }
    for (unsigned i = 0; i < node->from->mNumMeshes && has_bones && result == SN_OK; ++i) {
        result = read_bones(&b, r->from->mMeshes[node->from->mMeshes[i]], &influences[i]);
    }
    if (result == SN_OK && b.joints.count > 0) {
        result = store_skin(&b, skin);
    }
    sn_list_finish(&b.joints);
    sn_list_finish(&b.binds);
    return result;
}
