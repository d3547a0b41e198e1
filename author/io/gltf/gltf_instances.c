/* SPDX-License-Identifier: MIT */
/* EXT_mesh_gpu_instancing: a node with instances gets one child node per instance, which draws the mesh once. They are
 * appended, since the file refers to nodes by index. */
#include "author/io/gltf/gltf_reader.h"

#include <string.h>

/* The instances of a node. */
typedef struct instance_arrays {
    int count;
    const float *translations, *rotations, *scales; /* (count x 3, 4, 3) or null each */
} instance_arrays;

static sn_json attributes_of(const sn_json *node, sn_json *extensions, sn_json *extension)
{
    *extensions = sn_json_get(node, "extensions");
    *extension = sn_json_get(extensions, "EXT_mesh_gpu_instancing");
    return sn_json_get(extension, "attributes");
}

/* Returns null if absent or on failure. The first array that is present determines the number of instances. */
static const float *read_array(sn_gltf *g, const sn_json *attributes, const char *key, const sn_gltf_format *format,
                               int *count)
{
    const sn_json at = sn_json_get(attributes, key);
    const sn_gltf_accessor *accessor = sn_gltf_find_accessor(g, attributes, key, format, *count);
    if (!accessor) {
        return NULL;
    }
    const size_t width = (size_t)sn_gltf_width(accessor);
    float *values = SN_GLTF_NEW(g, &g->scratch, &at, float, width *(size_t)accessor->count);
    *count = accessor->count;
    return values && sn_gltf_decode(&at, accessor, values, width) ? values : NULL;
}

/* The count is -1 if there are no arrays. */
static void read_arrays(sn_gltf *g, const sn_json *attributes, instance_arrays *arrays)
{
    static const sn_gltf_format vec3 = {1 << SN_GLTF_VEC3, SN_GLTF_NORMALIZED, "VEC3 of floats or normalized integers"};
    static const sn_gltf_format vec4 = {1 << SN_GLTF_VEC4, SN_GLTF_NORMALIZED, "VEC4 of floats or normalized integers"};
    arrays->count = -1;
    arrays->translations = read_array(g, attributes, "TRANSLATION", &vec3, &arrays->count);
    arrays->rotations = read_array(g, attributes, "ROTATION", &vec4, &arrays->count);
    arrays->scales = read_array(g, attributes, "SCALE", &vec3, &arrays->count);
}

static void set_instance(const sn_json *attributes, const instance_arrays *arrays, int i, sn_scene_node *node)
{
    const sn_json at = sn_json_get(attributes, "ROTATION");
    for (int k = 0; k < 3; ++k) {
        node->translation[k] = arrays->translations ? (double)arrays->translations[3 * (size_t)i + (size_t)k] : 0;
        node->scale[k] = arrays->scales ? (double)arrays->scales[3 * (size_t)i + (size_t)k] : 1;
    }
    for (int k = 0; k < 4; ++k) {
        node->rotation[k] = arrays->rotations ? (double)arrays->rotations[4 * (size_t)i + (size_t)k] : k == 3;
    }
    if (sn_gltf_normalize_rotation(&at, node->rotation)) {
        sn_gltf_compose(node, node->local);
    }
}

/* Adds the instances of node `parent`, which no longer draws the mesh itself. */
static void add_instances(sn_gltf *g, const sn_json *at, int32_t parent, const instance_arrays *arrays,
                          sn_scene_node *first)
{
    sn_json extensions, extension;
    const sn_json attributes = attributes_of(at, &extensions, &extension);
    sn_scene_node *from = &g->scene->nodes[parent];
    for (int i = 0; i < arrays->count && sn_gltf_ok(g); ++i) {
        first[i] = (sn_scene_node){
            .name = from->name, .parent = parent, .mesh = from->mesh, .skin = -1, .is_in_scene = from->is_in_scene};
        set_instance(&attributes, arrays, i, &first[i]);
    }
    from->mesh = -1;
}

/* The number of instances of a node; 0 if it has none. */
static int read_instances(sn_gltf *g, const sn_json *at, int32_t index, instance_arrays *arrays)
{
    const sn_scene_node *node = &g->scene->nodes[index];
    sn_json extensions, extension;
    const sn_json attributes = attributes_of(at, &extensions, &extension);
    if (!attributes.value || node->mesh < 0 || !sn_gltf_ok(g)) {
        return 0;
    }
    if (node->skin >= 0 || g->scene->meshes[node->mesh].morph_count > 0) {
        sn_json_warn(&extension, SN_GLTF_WARNED_INSTANCES,
                     "instances of a mesh with a skin or morph targets are not supported; it is drawn once");
        return 0;
    }
    read_arrays(g, &attributes, arrays);
    arrays->count = sn_gltf_ok(g) && arrays->count > 0 ? arrays->count : 0;
    return arrays->count;
}

void sn_gltf_read_instances(sn_gltf *g)
{
    const sn_json list = sn_json_get(&g->root, "nodes");
    const int count = g->scene->node_count;
    int64_t total = count;
    instance_arrays *arrays = SN_GLTF_NEW(g, &g->scratch, &list, instance_arrays, count);
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        total += read_instances(g, &at, i, &arrays[i]);
    }
    if (total == count || !sn_gltf_ok(g)) {
        return;
    }
    if (total > INT32_MAX) {
        sn_json_fail(&list, SN_ERROR_UNSUPPORTED, "there are too many instances: %lld", (long long)total);
        return;
    }
    sn_scene_node *nodes = SN_GLTF_NEW(g, g->arena, &list, sn_scene_node, total);
    sn_scene_node *next = nodes ? nodes + count : NULL;
    for (int i = 0; i < count && sn_gltf_ok(g); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        if (arrays[i].count > 0) {
            add_instances(g, &at, i, &arrays[i], next);
            next += arrays[i].count;
        }
    }
    if (sn_gltf_ok(g)) {
        memcpy(nodes, g->scene->nodes, (size_t)count * sizeof *nodes);
        g->scene->nodes = nodes;
        g->scene->node_count = (int)total;
    }
}
