/* SPDX-License-Identifier: MIT */
/* glTF 2.0 writer. Every accessor has its own tightly packed buffer view at a multiple of four bytes; positions and
 * times carry their bounds, as the format asks. */
#include "author/io/gltf_write.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/io/png.h"

enum { COMPONENT_U8 = 5121, COMPONENT_U16 = 5123, COMPONENT_U32 = 5125, COMPONENT_F32 = 5126 };
enum { TARGET_NONE = 0, TARGET_VERTICES = 34962, TARGET_INDICES = 34963 };
#define FIRST_BLOCK ((size_t)1 << 16)
#define KEY_CHARS 32

typedef struct writer {
    const char *path;
    const sn_scene_file *scene;
    sn_arena arena;
    uint8_t *bytes; /* (capacity): the binary chunk */
    size_t size, capacity;
    json_t *root, *extensions;
    sn_result result;
} writer;

static bool ok(const writer *w)
{
    return w->result == SN_OK;
}

static void put_bytes(writer *w, const void *bytes, size_t size)
{
    if (!ok(w)) {
        return;
    }
    if (w->capacity - w->size < size + 4) {
        const size_t capacity = 2 * w->capacity + size + FIRST_BLOCK;
        uint8_t *grown = SN_NEW(&w->arena, uint8_t, capacity);
        if (!grown) {
            w->result = SN_ERROR_MEMORY;
            return;
        }
        if (w->size > 0) {
            memcpy(grown, w->bytes, w->size);
        }
        w->bytes = grown;
        w->capacity = capacity;
    }
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static void align(writer *w, uint8_t filler)
{
    while (ok(w) && w->size % 4 != 0) {
        put_bytes(w, &filler, 1);
    }
}

static void put_u32(writer *w, uint64_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    put_bytes(w, bytes, sizeof bytes);
}

/* Appends to the array, which it makes a member of the document at its first element. */
static json_int_t append(writer *w, const char *key, json_t *value)
{
    json_t *list = json_object_get(w->root, key);
    if (!list) {
        list = json_array();
        json_object_set_new(w->root, key, list);
    }
    json_array_append_new(list, value);
    return (json_int_t)json_array_size(list) - 1;
}

static void set_integer(json_t *object, const char *key, json_int_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

static void set_name(json_t *object, const char *name)
{
    if (name && name[0]) {
        json_object_set_new(object, "name", json_string(name));
    }
}

static json_t *reals(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, json_real(values[i]));
    }
    return list;
}

static json_t *floats(const float *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, json_real((double)values[i]));
    }
    return list;
}

/* Opens a view at the end of the chunk; its length is set when it is closed. */
static json_int_t open_view(writer *w, int target)
{
    align(w, 0);
    json_t *view = json_pack("{s:i,s:I}", "buffer", 0, "byteOffset", (json_int_t)w->size);
    if (target != TARGET_NONE) {
        set_integer(view, "target", target);
    }
    return append(w, "bufferViews", view);
}

static void close_view(writer *w, json_int_t view)
{
    json_t *at = json_array_get(json_object_get(w->root, "bufferViews"), (size_t)view);
    const json_int_t start = json_integer_value(json_object_get(at, "byteOffset"));
    set_integer(at, "byteLength", (json_int_t)w->size - start);
}

static json_t *new_accessor(json_int_t view, int component, const char *type, int count)
{
    return json_pack("{s:I,s:i,s:i,s:s}", "bufferView", view, "componentType", component, "count", count, "type", type);
}

static void set_bounds(json_t *accessor, const float *values, int count, int width)
{
    float low[16], high[16];
    for (int k = 0; k < width; ++k) {
        low[k] = high[k] = values[k];
    }
    for (int i = 1; i < count; ++i) {
        for (int k = 0; k < width; ++k) {
            low[k] = fminf(low[k], values[(size_t)i * (size_t)width + (size_t)k]);
            high[k] = fmaxf(high[k], values[(size_t)i * (size_t)width + (size_t)k]);
        }
    }
    json_object_set_new(accessor, "min", floats(low, width));
    json_object_set_new(accessor, "max", floats(high, width));
}

/* count elements of width floats, the first of each `stride` floats behind the one before. */
static json_int_t put_floats(writer *w, const float *values, int count, int width, int stride, int target)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    const json_int_t view = open_view(w, target);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < width; ++k) {
            uint32_t bits;
            memcpy(&bits, &values[(size_t)i * (size_t)stride + (size_t)k], sizeof bits);
            put_u32(w, bits);
        }
    }
    close_view(w, view);
    return append(w, "accessors", new_accessor(view, COMPONENT_F32, width == 16 ? "MAT4" : types[width], count));
}

static void bound_last(writer *w, const float *values, int count, int width)
{
    json_t *list = json_object_get(w->root, "accessors");
    set_bounds(json_array_get(list, json_array_size(list) - 1), values, count, width);
}

static json_int_t put_integers(writer *w, const int32_t *values, int count, int width, int stride, int component)
{
    const size_t bytes = component == COMPONENT_U8 ? 1 : component == COMPONENT_U16 ? 2 : 4;
    const json_int_t view = open_view(w, width == 1 ? TARGET_INDICES : TARGET_VERTICES);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < width; ++k) {
            const uint32_t value = (uint32_t)values[(size_t)i * (size_t)stride + (size_t)k];
            const uint8_t little[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                                       (uint8_t)(value >> 24)};
            put_bytes(w, little, bytes);
        }
    }
    close_view(w, view);
    return append(w, "accessors", new_accessor(view, component, width == 1 ? "SCALAR" : "VEC4", count));
}

static void set_attribute(writer *w, json_t *attributes, const char *key, const float *values, int count, int width)
{
    if (values) {
        set_integer(attributes, key, put_floats(w, values, count, width, width, TARGET_VERTICES));
    }
}

static void set_influences(writer *w, json_t *attributes, const sn_scene_primitive *p)
{
    int32_t most = 0;
    for (size_t i = 0; i < (size_t)p->vertex_count * (size_t)p->influence_count; ++i) {
        most = p->joints[i] > most ? p->joints[i] : most;
    }
    for (int set = 0; 4 * set < p->influence_count; ++set) {
        char joints[KEY_CHARS], weights[KEY_CHARS];
        snprintf(joints, sizeof joints, "JOINTS_%d", set);
        snprintf(weights, sizeof weights, "WEIGHTS_%d", set);
        set_integer(attributes, joints,
                    put_integers(w, p->joints + 4 * (size_t)set, p->vertex_count, 4, p->influence_count,
                                 most < 256 ? COMPONENT_U8 : COMPONENT_U16));
        set_integer(
            attributes, weights,
            put_floats(w, p->weights + 4 * (size_t)set, p->vertex_count, 4, p->influence_count, TARGET_VERTICES));
    }
}

static json_t *morph_targets(writer *w, const sn_scene_primitive *p, int count)
{
    json_t *targets = json_array();
    for (int m = 0; m < count; ++m) {
        json_t *target = json_object();
        set_attribute(w, target, "POSITION", p->morph_positions[m], p->vertex_count, 3);
        if (p->morph_positions[m]) {
            bound_last(w, p->morph_positions[m], p->vertex_count, 3);
        }
        set_attribute(w, target, "NORMAL", p->morph_normals[m], p->vertex_count, 3);
        json_array_append_new(targets, target);
    }
    return targets;
}

static json_t *primitive_json(writer *w, const sn_scene_primitive *p, int morph_count)
{
    json_t *attributes = json_object(), *primitive = json_object();
    json_object_set_new(primitive, "attributes", attributes);
    set_attribute(w, attributes, "POSITION", p->positions, p->vertex_count, 3);
    bound_last(w, p->positions, p->vertex_count, 3);
    set_attribute(w, attributes, "NORMAL", p->normals, p->vertex_count, 3);
    set_attribute(w, attributes, "TANGENT", p->tangents, p->vertex_count, 4);
    set_attribute(w, attributes, "TEXCOORD_0", p->uvs[0], p->vertex_count, 2);
    set_attribute(w, attributes, "TEXCOORD_1", p->uvs[1], p->vertex_count, 2);
    set_attribute(w, attributes, "COLOR_0", p->colors, p->vertex_count, 4);
    for (int i = 0; i < SN_PAINT_COUNT; ++i) {
        set_attribute(w, attributes, sn_paint_name((sn_paint)i), p->paint[i], p->vertex_count, 1);
    }
    set_influences(w, attributes, p);
    set_integer(primitive, "indices",
                put_integers(w, p->triangles, 3 * p->triangle_count, 1, 1,
                             p->vertex_count < 65536 ? COMPONENT_U16 : COMPONENT_U32));
    if (p->material >= 0) {
        set_integer(primitive, "material", p->material);
    }
    if (morph_count > 0) {
        json_object_set_new(primitive, "targets", morph_targets(w, p, morph_count));
    }
    return primitive;
}

/* Where other programs look for them. */
static void set_morph_names(json_t *mesh, const sn_scene_mesh *from)
{
    json_t *names = json_array(), *extras = json_object();
    for (int m = 0; m < from->morph_count; ++m) {
        json_array_append_new(names, json_string(from->morph_names[m]));
    }
    json_object_set_new(extras, "targetNames", names);
    json_object_set_new(mesh, "extras", extras);
}

static void write_meshes(writer *w)
{
    for (int i = 0; i < w->scene->mesh_count; ++i) {
        const sn_scene_mesh *from = &w->scene->meshes[i];
        json_t *mesh = json_object(), *primitives = json_array();
        set_name(mesh, from->name);
        for (int k = 0; k < from->primitive_count; ++k) {
            const sn_scene_primitive *p = &w->scene->primitives[from->first_primitive + k];
            json_array_append_new(primitives, primitive_json(w, p, from->morph_count));
        }
        json_object_set_new(mesh, "primitives", primitives);
        if (from->morph_count > 0 && from->morph_weights) {
            json_object_set_new(mesh, "weights", floats(from->morph_weights, from->morph_count));
        }
        if (from->morph_count > 0 && from->morph_names) {
            set_morph_names(mesh, from);
        }
        append(w, "meshes", mesh);
    }
}

static void set_transform(json_t *node, const sn_scene_node *from)
{
    static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, turn[4] = {0, 0, 0, 1};
    if (from->has_matrix) {
        double m[16] = {[15] = 1};
        for (int k = 0; k < 12; ++k) {
            m[k % 4 * 4 + k / 4] = from->local[k];
        }
        json_object_set_new(node, "matrix", reals(m, 16));
        return;
    }
    if (memcmp(from->translation, zero, sizeof zero) != 0) {
        json_object_set_new(node, "translation", reals(from->translation, 3));
    }
    if (memcmp(from->rotation, turn, sizeof turn) != 0) {
        json_object_set_new(node, "rotation", reals(from->rotation, 4));
    }
    if (memcmp(from->scale, one, sizeof one) != 0) {
        json_object_set_new(node, "scale", reals(from->scale, 3));
    }
}

static void write_nodes(writer *w)
{
    const sn_scene_file *scene = w->scene;
    json_t *roots = json_array();
    for (int i = 0; i < scene->node_count; ++i) {
        const sn_scene_node *from = &scene->nodes[i];
        json_t *node = json_object(), *children = json_array();
        set_name(node, from->name);
        set_transform(node, from);
        if (from->mesh >= 0) {
            set_integer(node, "mesh", from->mesh);
        }
        if (from->morph_weights) {
            json_object_set_new(node, "weights", floats(from->morph_weights, scene->meshes[from->mesh].morph_count));
        }
        if (from->skin >= 0) {
            set_integer(node, "skin", from->skin);
        }
        for (int child = 0; child < scene->node_count; ++child) {
            if (scene->nodes[child].parent == i) {
                json_array_append_new(children, json_integer(child));
            }
        }
        if (json_array_size(children) > 0) {
            json_object_set(node, "children", children);
        }
        json_decref(children);
        if (from->parent < 0 && from->is_in_scene) {
            json_array_append_new(roots, json_integer(i));
        }
        append(w, "nodes", node);
    }
    set_integer(w->root, "scene", append(w, "scenes", json_pack("{s:O}", "nodes", roots)));
    json_decref(roots);
}

static void write_skins(writer *w)
{
    for (int i = 0; i < w->scene->skin_count; ++i) {
        const sn_scene_skin *from = &w->scene->skins[i];
        float *matrices = SN_NEW(&w->arena, float, 16 * (size_t)from->joint_count);
        json_t *joints = json_array(), *skin = json_object();
        for (int j = 0; j < from->joint_count && matrices; ++j) {
            json_array_append_new(joints, json_integer(from->joints[j]));
            for (int k = 0; k < 12; ++k) {
                matrices[16 * j + k % 4 * 4 + k / 4] = (float)from->inverse_bind[12 * j + k];
            }
            matrices[16 * j + 15] = 1;
        }
        json_object_set_new(skin, "joints", joints);
        if (matrices) {
            set_integer(skin, "inverseBindMatrices", put_floats(w, matrices, from->joint_count, 16, 16, TARGET_NONE));
        } else {
            w->result = SN_ERROR_MEMORY;
        }
        append(w, "skins", skin);
    }
}

static void use_extension(writer *w, const char *name)
{
    for (size_t i = 0; i < json_array_size(w->extensions); ++i) {
        if (strcmp(json_string_value(json_array_get(w->extensions, i)), name) == 0) {
            return;
        }
    }
    json_array_append_new(w->extensions, json_string(name));
}

static void set_uv_transform(writer *w, json_t *info, const float m[6])
{
    static const float identity[6] = {1, 0, 0, 0, 1, 0};
    if (memcmp(m, identity, sizeof identity) == 0) {
        return;
    }
    const double determinant = (double)m[0] * (double)m[4] - (double)m[1] * (double)m[3];
    const double scale[2] = {hypot((double)m[0], (double)m[3]),
                             hypot((double)m[1], (double)m[4]) * (determinant < 0 ? -1 : 1)};
    const double offset[2] = {(double)m[2], (double)m[5]};
    json_t *transform = json_pack("{s:o,s:f,s:o}", "offset", reals(offset, 2), "rotation",
                                  atan2(-(double)m[3], (double)m[0]), "scale", reals(scale, 2));
    json_object_set_new(info, "extensions", json_pack("{s:o}", "KHR_texture_transform", transform));
    use_extension(w, "KHR_texture_transform");
}

/* The textureInfo, or null. */
static json_t *set_texture(writer *w, json_t *parent, const char *key, const sn_scene_material *m, sn_texture_use use)
{
    if (m->values.textures[use] < 0) {
        return NULL;
    }
    json_t *info = json_pack("{s:i}", "index", (int)m->values.textures[use]);
    if (m->values.uv_sets[use] > 0) {
        set_integer(info, "texCoord", m->values.uv_sets[use]);
    }
    set_uv_transform(w, info, m->uv_transforms[use]);
    json_object_set_new(parent, key, info);
    return info;
}

static void set_emission(writer *w, json_t *material, json_t *extensions, const sn_scene_material *m)
{
    const float *e = m->values.emissive;
    const double strength = fmax(1, (double)fmaxf(e[0], fmaxf(e[1], e[2])));
    const double factor[3] = {(double)e[0] / strength, (double)e[1] / strength, (double)e[2] / strength};
    if (e[0] > 0 || e[1] > 0 || e[2] > 0) {
        json_object_set_new(material, "emissiveFactor", reals(factor, 3));
    }
    if (strength > 1) {
        json_object_set_new(extensions, "KHR_materials_emissive_strength",
                            json_pack("{s:f}", "emissiveStrength", strength));
        use_extension(w, "KHR_materials_emissive_strength");
    }
    set_texture(w, material, "emissiveTexture", m, SN_TEXTURE_EMISSIVE);
}

static void set_surface(writer *w, json_t *material, const sn_scene_material *m)
{
    const sn_material *v = &m->values;
    json_t *pbr = json_pack("{s:o,s:f,s:f}", "baseColorFactor", floats(v->base_color, 4), "metallicFactor",
                            (double)v->metallic, "roughnessFactor", (double)v->roughness);
    json_object_set_new(material, "pbrMetallicRoughness", pbr);
    set_texture(w, pbr, "baseColorTexture", m, SN_TEXTURE_BASE_COLOR);
    set_texture(w, pbr, "metallicRoughnessTexture", m, SN_TEXTURE_METALLIC_ROUGHNESS);
    json_t *normal = set_texture(w, material, "normalTexture", m, SN_TEXTURE_NORMAL);
    json_t *occlusion = set_texture(w, material, "occlusionTexture", m, SN_TEXTURE_OCCLUSION);
    if (normal && v->normal_scale != 1) {
        json_object_set_new(normal, "scale", json_real((double)v->normal_scale));
    }
    if (occlusion && v->occlusion_strength != 1) {
        json_object_set_new(occlusion, "strength", json_real((double)v->occlusion_strength));
    }
}

static void set_alpha(json_t *material, const sn_material *v)
{
    if (v->alpha_mode != SN_ALPHA_OPAQUE) {
        json_object_set_new(material, "alphaMode", json_string(v->alpha_mode == SN_ALPHA_MASK ? "MASK" : "BLEND"));
    }
    if (v->alpha_mode == SN_ALPHA_MASK) {
        json_object_set_new(material, "alphaCutoff", json_real((double)v->alpha_cutoff));
    }
    if (v->is_double_sided) {
        json_object_set_new(material, "doubleSided", json_true());
    }
}

static void write_materials(writer *w)
{
    for (int i = 0; i < w->scene->material_count; ++i) {
        const sn_scene_material *from = &w->scene->materials[i];
        json_t *material = json_object(), *extensions = json_object();
        set_name(material, from->name);
        set_surface(w, material, from);
        set_emission(w, material, extensions, from);
        set_alpha(material, &from->values);
        if (from->values.is_unlit) {
            json_object_set_new(extensions, "KHR_materials_unlit", json_object());
            use_extension(w, "KHR_materials_unlit");
        }
        if (json_object_size(extensions) > 0) {
            json_object_set(material, "extensions", extensions);
        }
        json_decref(extensions);
        append(w, "materials", material);
    }
}

static void write_image(writer *w, const sn_scene_texture *t)
{
    bool is_opaque = true;
    for (size_t i = 0; i < (size_t)t->width * (size_t)t->height; ++i) {
        is_opaque &= t->pixels[4 * i + 3] == 255;
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    const sn_image image = {t->width, t->height, t->pixels};
    w->result = sn_png_encode(w->path, &image, is_opaque, &w->arena, &bytes, &size);
    const json_int_t view = open_view(w, TARGET_NONE);
    put_bytes(w, bytes, ok(w) ? size : 0);
    close_view(w, view);
    append(w, "images", json_pack("{s:I,s:s}", "bufferView", view, "mimeType", "image/png"));
}

static void write_textures(writer *w)
{
    static const int wraps[SN_WRAP_COUNT] = {
        [SN_WRAP_REPEAT] = 10497, [SN_WRAP_CLAMP] = 33071, [SN_WRAP_MIRROR] = 33648};
    int image_count = 0;
    int32_t *images = SN_NEW(&w->arena, int32_t, w->scene->texture_count);
    w->result = images ? w->result : SN_ERROR_MEMORY;
    for (int i = 0; i < w->scene->texture_count && ok(w); ++i) {
        const sn_scene_texture *from = &w->scene->textures[i];
        images[i] = -1;
        for (int k = 0; k < i && images[i] < 0; ++k) {
            images[i] = w->scene->textures[k].pixels == from->pixels ? images[k] : -1;
        }
        if (images[i] < 0) {
            images[i] = image_count++;
            write_image(w, from);
        }
        const json_int_t sampler = append(w, "samplers",
                                          json_pack("{s:i,s:i,s:i,s:i}", "magFilter", from->is_nearest ? 9728 : 9729,
                                                    "minFilter", from->is_nearest ? 9984 : 9987, "wrapS",
                                                    wraps[from->wrap_u], "wrapT", wraps[from->wrap_v]));
        append(w, "textures", json_pack("{s:I,s:i}", "sampler", sampler, "source", (int)images[i]));
    }
}

static json_t *sampler_json(writer *w, const sn_scene_channel *c, json_int_t input)
{
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const int slots = c->key_count * (c->interpolation == SN_KEYS_CUBIC ? 3 : 1);
    const bool is_list = c->path == SN_PATH_WEIGHTS; /* which are single numbers in the file */
    const json_int_t output = put_floats(w, c->values, is_list ? slots * c->width : slots, is_list ? 1 : c->width,
                                         is_list ? 1 : c->width, TARGET_NONE);
    return json_pack("{s:I,s:s,s:I}", "input", input, "interpolation", names[c->interpolation], "output", output);
}

static void write_clip(writer *w, const sn_scene_clip *clip)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    json_t *channels = json_array(), *samplers = json_array();
    const float *times = NULL;
    json_int_t input = 0;
    for (int i = 0; i < clip->channel_count; ++i) {
        const sn_scene_channel *c = &w->scene->channels[clip->first_channel + i];
        if (c->times != times) { /* tracks of one clip mostly share their times */
            times = c->times;
            input = put_floats(w, times, c->key_count, 1, 1, TARGET_NONE);
            bound_last(w, times, c->key_count, 1);
        }
        json_array_append_new(samplers, sampler_json(w, c, input));
        json_array_append_new(channels, json_pack("{s:i,s:{s:i,s:s}}", "sampler", i, "target", "node", (int)c->node,
                                                  "path", paths[c->path]));
    }
    json_t *animation = json_object();
    set_name(animation, clip->name);
    json_object_set_new(animation, "channels", channels);
    json_object_set_new(animation, "samplers", samplers);
    append(w, "animations", animation);
}

static void write_clips(writer *w)
{
    for (int i = 0; i < w->scene->clip_count; ++i) {
        if (w->scene->clips[i].channel_count > 0) { /* a file may hold no empty animation */
            write_clip(w, &w->scene->clips[i]);
        }
    }
}

static void write_document(writer *w)
{
    w->root = json_pack("{s:{s:s,s:s}}", "asset", "version", "2.0", "generator", "Sinew " SN_VERSION_STRING);
    w->extensions = json_array();
    static void (*const steps[])(writer * w) = {write_nodes,     write_meshes,   write_skins,
                                                write_materials, write_textures, write_clips};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && ok(w); ++i) {
        steps[i](w);
    }
    align(w, 0);
    if (w->size > 0) {
        append(w, "buffers", json_pack("{s:I}", "byteLength", (json_int_t)w->size));
    }
    if (json_array_size(w->extensions) > 0) {
        json_object_set(w->root, "extensionsUsed", w->extensions);
    }
    json_decref(w->extensions);
}

static void put_chunk(writer *file, const char *kind, const void *bytes, size_t size, uint8_t filler)
{
    put_u32(file, (size + 3) / 4 * 4);
    put_bytes(file, kind, 4);
    put_bytes(file, bytes, size);
    align(file, filler);
}

static sn_result write_file(const writer *w, const char *text)
{
    const size_t text_size = strlen(text), total = 12 + 8 + (text_size + 3) / 4 * 4 + (w->size ? 8 + w->size : 0);
    if (total > UINT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %zu bytes are more than a .glb can hold", w->path, total);
    }
    writer file = {.path = w->path};
    put_bytes(&file, "glTF", 4);
    put_u32(&file, 2);
    put_u32(&file, total);
    put_chunk(&file, "JSON", text, text_size, ' ');
    if (w->size > 0) {
        put_chunk(&file, "BIN", w->bytes, w->size, 0);
    }
    const sn_result result = ok(&file) ? sn_file_write(w->path, file.bytes, file.size) : file.result;
    sn_arena_finish(&file.arena);
    return result;
}

sn_result sn_gltf_write(const char *path, const sn_scene_file *scene)
{
    SN_ASSERT(path && scene);
    writer w = {.path = path, .scene = scene};
    write_document(&w);
    char *text = ok(&w) ? json_dumps(w.root, JSON_COMPACT) : NULL;
    if (ok(&w)) {
        w.result = text ? write_file(&w, text) : sn_fail(SN_ERROR_MEMORY, "%s: cannot make its JSON", path);
    }
    free(text);
    json_decref(w.root);
    sn_arena_finish(&w.arena);
    return w.result;
}
