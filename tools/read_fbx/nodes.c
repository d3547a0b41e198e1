/* SPDX-License-Identifier: MIT */
/* Converts nodes. The library is set to preserve pivots and represents each FBX node as a chain of nodes such as
 * "NAME_$AssimpFbx$_Rotation". Otherwise (version 5.2.5), it would omit the inversion of the post-rotation, let
 * children inherit the geometric transform, and drop the animation of nodes with pivots. Here, each chain is merged
 * into one node. */
#include "tools/read_fbx/read_fbx.h"

#include <assimp/metadata.h>
#include <string.h>

#include "author/bake/trs.h"
#include "author/io/list.h"
#include "host/math/affine.h"

#define TAG "_$AssimpFbx$_"

static const char *const component_names[FBX_COMPONENT_COUNT] = {
    [FBX_TRANSLATION] = "Translation",
    [FBX_ROTATION_OFFSET] = "RotationOffset",
    [FBX_ROTATION_PIVOT] = "RotationPivot",
    [FBX_PRE_ROTATION] = "PreRotation",
    [FBX_ROTATION] = "Rotation",
    [FBX_POST_ROTATION] = "PostRotation",
    [FBX_ROTATION_PIVOT_INVERSE] = "RotationPivotInverse",
    [FBX_SCALING_OFFSET] = "ScalingOffset",
    [FBX_SCALING_PIVOT] = "ScalingPivot",
    [FBX_SCALING] = "Scaling",
    [FBX_SCALING_PIVOT_INVERSE] = "ScalingPivotInverse",
    [FBX_GEOMETRIC_TRANSLATION] = "GeometricTranslation",
    [FBX_GEOMETRIC_ROTATION] = "GeometricRotation",
    [FBX_GEOMETRIC_SCALING] = "GeometricScaling",
};

int fbx_component_find(const char *name, size_t *stem_size)
{
    const char *tag = strstr(name, TAG);
    *stem_size = tag ? (size_t)(tag - name) : strlen(name);
    for (int i = 0; tag && i < FBX_COMPONENT_COUNT; ++i) {
        if (strcmp(tag + strlen(TAG), component_names[i]) == 0) {
            return i;
        }
    }
    return tag ? FBX_COMPONENT_COUNT : -1; /* GeometricRotationInverse and similar nodes, which the chain ends with */
}

/* A node of the queue with its parent. */
typedef struct queued_node {
    const struct aiNode *node;
    int32_t parent;
    double (*components)[12]; /* components of the chain so far, or null */
} queued_node;

static double (*new_components(fbx_reader *r))[12]
{
    double(*components)[12] = sn_arena_alloc(&r->arena, FBX_COMPONENT_COUNT, sizeof *components);
    for (int i = 0; components && i < FBX_COMPONENT_COUNT; ++i) {
        sn_affine_identity(components[i]);
    }
    return components;
}

void fbx_multiply_components(double (*components)[12], int first, int end, double *product)
{
    sn_affine_identity(product);
    for (int i = first; i < end; ++i) {
        double before[12];
        memcpy(before, product, sizeof before);
        sn_affine_multiply(before, components[i], product);
    }
}

static sn_result add_node(fbx_reader *r, const queued_node *w, sn_list *list)
{
    fbx_node *node = SN_LIST_ADD(list, fbx_node, 1);
    if (!node) {
        return SN_ERROR_MEMORY;
    }
    *node = (fbx_node){.from = w->node, .parent = w->parent, .components = w->components};
    fbx_load_affine(&w->node->mTransformation, node->local);
    sn_affine_identity(node->geometric);
    sn_affine_identity(node->to_stored);
    if (w->components) {
        fbx_multiply_components(w->components, 0, FBX_LOCAL_COUNT, node->local);
        fbx_multiply_components(w->components, FBX_LOCAL_COUNT, FBX_COMPONENT_COUNT, node->geometric);
    }
    if (!fbx_is_finite(node->local, 12) || !fbx_is_finite(node->geometric, 12)) {
        return sn_fail(SN_ERROR_FORMAT, "node %s: its transform is not finite", fbx_name(r, &w->node->mName));
    }
    return SN_OK;
}

/* Traverses breadth first with a queue, since the depth comes from the file. Parents precede children. */
static sn_result collect(fbx_reader *r, sn_list *list, sn_list *queue)
{
    queued_node *first = SN_LIST_ADD(queue, queued_node, 1);
    sn_result result = first ? SN_OK : SN_ERROR_MEMORY;
    if (first) { /* the library's root node has no transform and is dropped */
        *first = (queued_node){.node = r->from->mRootNode, .parent = -1};
    }
    for (size_t at = 0; at < queue->count && result == SN_OK; ++at) {
        queued_node w = ((queued_node *)queue->items)[at];
        size_t stem_size;
        const int component = fbx_component_find(w.node->mName.data, &stem_size);
        if (component >= 0 && component < FBX_COMPONENT_COUNT) {
            w.components = w.components ? w.components : new_components(r);
            if (!w.components) {
                return SN_ERROR_MEMORY;
            }
            fbx_load_affine(&w.node->mTransformation, w.components[component]);
        } else if (component < 0 && w.node != r->from->mRootNode) {
            result = add_node(r, &w, list);
            w.parent = (int32_t)list->count - 1;
            w.components = NULL;
        }
        queued_node *children = SN_LIST_ADD(queue, queued_node, w.node->mNumChildren);
        if (!children) {
            return SN_ERROR_MEMORY;
        }
        for (unsigned i = 0; i < w.node->mNumChildren; ++i) {
            children[i] = (queued_node){w.node->mChildren[i], w.parent, i == 0 ? w.components : NULL};
        }
    }
    return result;
}

/* Reads sinew_loose, a custom property of a bone in modelling programs: a boolean or a number. */
static bool read_soft_bone(const struct aiNode *node)
{
    for (unsigned i = 0; node->mMetaData && i < node->mMetaData->mNumProperties; ++i) {
        const struct aiMetadataEntry *value = &node->mMetaData->mValues[i];
        if (strcmp(node->mMetaData->mKeys[i].data, "sinew_loose") == 0) {
            static const size_t sizes[] = {
                [AI_BOOL] = sizeof(bool), [AI_INT32] = 4, [AI_UINT64] = 8, [AI_FLOAT] = 4, [AI_DOUBLE] = 8};
            static const char zeros[8];
            return (size_t)value->mType < sizeof sizes / sizeof sizes[0] && value->mData &&
                   memcmp(value->mData, zeros, sizes[value->mType]) != 0;
        }
    }
    return false;
}

static sn_scene_node *add_scene_node(fbx_reader *r, const char *name, int32_t parent, const double *local)
{
    sn_scene_node *node = &r->scene.nodes[r->scene.node_count++];
    double converted[12];
    sn_trs trs;
    fbx_convert_affine(r, local, converted);
    sn_trs_from_affine(converted, NULL, &trs);
    *node = (sn_scene_node){.name = name, .parent = parent, .mesh = -1, .skin = -1, .is_in_scene = true};
    memcpy(node->translation, trs.translation, sizeof node->translation);
    memcpy(node->rotation, trs.rotation, sizeof node->rotation);
    memcpy(node->scale, trs.scale, sizeof node->scale);
    return node;
}

sn_result fbx_nodes_read(fbx_reader *r)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    sn_list list = {0}, queue = {0};
    sn_result result = collect(r, &list, &queue);
    r->node_count = (int)list.count;
    r->nodes = result == SN_OK ? sn_list_copy(&list, sizeof(fbx_node), &r->arena) : NULL;
    r->scene.nodes = SN_NEW(&r->arena, sn_scene_node, 2 * list.count);
    sn_list_finish(&list);
    sn_list_finish(&queue);
    if (result != SN_OK || !r->nodes || !r->scene.nodes) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    for (int i = 0; i < r->node_count; ++i) {
        fbx_node *node = &r->nodes[i];
        const char *name = fbx_name(r, &node->from->mName);
        if (!name) {
            return SN_ERROR_MEMORY;
        }
        node->scene_node = node->mesh_node = r->scene.node_count;
        add_scene_node(r, name, node->parent < 0 ? -1 : r->nodes[node->parent].scene_node, node->local)->is_soft_bone =
            read_soft_bone(node->from);
        if (node->from->mNumMeshes > 0 && memcmp(node->geometric, identity, sizeof identity) != 0) {
            node->mesh_node = r->scene.node_count;
            add_scene_node(r, name, node->scene_node, node->geometric);
        }
    }
    return SN_OK;
}

int32_t fbx_node_find(const fbx_reader *r, const char *name, size_t size)
{
    for (int i = 0; i < r->node_count; ++i) {
        const struct aiString *other = &r->nodes[i].from->mName;
        if (other->length == size && memcmp(other->data, name, size) == 0) {
            return i;
        }
    }
    return -1;
}
