/* SPDX-License-Identifier: MIT */
/* Writes meshes: primitives, skin influences and morph targets. */
#include <stdio.h>

#include "author/io/gltf/gltf_writer.h"

#define KEY_CHARS 32

static void set_attribute(sn_gltf_writer *w, json_t *attributes, const char *key, const float *values, int count,
                          int width)
{
    if (values) {
        sn_gltf_set_integer(attributes, key,
                            sn_gltf_put_floats(w, values, count, width, width, SN_GLTF_TARGET_VERTICES));
    }
}

static void set_influences(sn_gltf_writer *w, json_t *attributes, const sn_scene_primitive *p)
{
    int32_t max_joint = 0;
    for (size_t i = 0; i < (size_t)p->vertex_count * (size_t)p->influence_count; ++i) {
        max_joint = p->joints[i] > max_joint ? p->joints[i] : max_joint;
    }
    for (int set = 0; 4 * set < p->influence_count; ++set) {
        char joints[KEY_CHARS], weights[KEY_CHARS];
        snprintf(joints, sizeof joints, "JOINTS_%d", set);
        snprintf(weights, sizeof weights, "WEIGHTS_%d", set);
        sn_gltf_set_integer(attributes, joints,
                            sn_gltf_put_integers(w, p->joints + 4 * (size_t)set, p->vertex_count, 4, p->influence_count,
                                                 max_joint < 256 ? SN_GLTF_U8 : SN_GLTF_U16));
        sn_gltf_set_integer(attributes, weights,
                            sn_gltf_put_floats(w, p->weights + 4 * (size_t)set, p->vertex_count, 4, p->influence_count,
                                               SN_GLTF_TARGET_VERTICES));
    }
}

static void set_offsets(sn_gltf_writer *w, json_t *target, const char *key, const float *offsets, int count)
{
    if (offsets) {
        sn_gltf_set_integer(target, key, sn_gltf_put_offsets(w, offsets, count));
    }
}

static json_t *morph_targets(sn_gltf_writer *w, const sn_scene_primitive *p, int count)
{
    json_t *targets = json_array();
    for (int m = 0; m < count; ++m) {
        json_t *target = json_object();
        set_offsets(w, target, "POSITION", p->morph_positions[m], p->vertex_count);
        set_offsets(w, target, "NORMAL", p->morph_normals[m], p->vertex_count);
        json_array_append_new(targets, target);
    }
    return targets;
}

static json_t *primitive_json(sn_gltf_writer *w, const sn_scene_primitive *p, int morph_count)
{
    json_t *attributes = json_object(), *primitive = json_object();
    json_object_set_new(primitive, "attributes", attributes);
    set_attribute(w, attributes, "POSITION", p->positions, p->vertex_count, 3);
    sn_gltf_set_last_bounds(w, p->positions, p->vertex_count, 3);
    set_attribute(w, attributes, "NORMAL", p->normals, p->vertex_count, 3);
    set_attribute(w, attributes, "TANGENT", p->tangents, p->vertex_count, 4);
    set_attribute(w, attributes, "TEXCOORD_0", p->uvs[0], p->vertex_count, 2);
    set_attribute(w, attributes, "TEXCOORD_1", p->uvs[1], p->vertex_count, 2);
    set_attribute(w, attributes, "COLOR_0", p->colors, p->vertex_count, 4);
    for (int i = 0; i < SN_PAINTED_COUNT; ++i) {
        set_attribute(w, attributes, sn_painted_quantity_name((sn_painted_quantity)i), p->paint[i], p->vertex_count, 1);
    }
    set_influences(w, attributes, p);
    sn_gltf_set_integer(primitive, "indices",
                        sn_gltf_put_integers(w, p->triangles, 3 * p->triangle_count, 1, 1,
                                             p->vertex_count < 65536 ? SN_GLTF_U16 : SN_GLTF_U32));
    if (p->material >= 0) {
        sn_gltf_set_integer(primitive, "material", p->material);
    }
    if (morph_count > 0) {
        json_object_set_new(primitive, "targets", morph_targets(w, p, morph_count));
    }
    return primitive;
}

/* Writes the names to extras.targetNames, where other programs expect them. */
static void set_morph_names(json_t *mesh, const sn_scene_mesh *from)
{
    json_t *names = json_array(), *extras = json_object();
    for (int m = 0; m < from->morph_count; ++m) {
        json_array_append_new(names, json_string(from->morph_names[m]));
    }
    json_object_set_new(extras, "targetNames", names);
    json_object_set_new(mesh, "extras", extras);
}

void sn_gltf_write_meshes(sn_gltf_writer *w)
{
    for (int i = 0; i < w->scene->mesh_count; ++i) {
        const sn_scene_mesh *from = &w->scene->meshes[i];
        json_t *mesh = json_object(), *primitives = json_array();
        sn_gltf_set_name(mesh, from->name);
        for (int k = 0; k < from->primitive_count; ++k) {
            const sn_scene_primitive *p = &w->scene->primitives[from->first_primitive + k];
            json_array_append_new(primitives, primitive_json(w, p, from->morph_count));
        }
        json_object_set_new(mesh, "primitives", primitives);
        if (from->morph_count > 0 && from->morph_weights) {
            json_object_set_new(mesh, "weights", sn_gltf_floats(from->morph_weights, from->morph_count));
        }
        if (from->morph_count > 0 && from->morph_names) {
            set_morph_names(mesh, from);
        }
        sn_gltf_append(w, "meshes", mesh);
    }
}
