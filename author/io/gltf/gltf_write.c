/* SPDX-License-Identifier: MIT */
/* Writes glTF 2.0: the document and its container; nodes and skins. */
#include "author/io/gltf/gltf_write.h"

#include <stdlib.h>
#include <string.h>

#include "author/io/gltf/gltf_writer.h"
#include "author/io/scene_finite.h"
#include "author/io/source.h"

static void set_transform(json_t *node, const sn_scene_node *from)
{
    static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, no_rotation[4] = {0, 0, 0, 1};
    if (from->has_matrix) {
        double m[16] = {[15] = 1};
        for (int k = 0; k < 12; ++k) {
            m[k % 4 * 4 + k / 4] = from->local[k];
        }
        json_object_set_new(node, "matrix", sn_gltf_reals(m, 16));
        return;
    }
    if (memcmp(from->translation, zero, sizeof zero) != 0) {
        json_object_set_new(node, "translation", sn_gltf_reals(from->translation, 3));
    }
    if (memcmp(from->rotation, no_rotation, sizeof no_rotation) != 0) {
        json_object_set_new(node, "rotation", sn_gltf_reals(from->rotation, 4));
    }
    if (memcmp(from->scale, one, sizeof one) != 0) {
        json_object_set_new(node, "scale", sn_gltf_reals(from->scale, 3));
    }
}

static void write_nodes(sn_gltf_writer *w)
{
    const sn_scene_file *scene = w->scene;
    json_t *roots = json_array();
    for (int i = 0; i < scene->node_count; ++i) {
        const sn_scene_node *from = &scene->nodes[i];
        json_t *node = json_object(), *children = json_array();
        sn_gltf_set_name(node, from->name);
        set_transform(node, from);
        if (from->is_soft_bone) {
            json_object_set_new(node, "extras", json_pack("{s:b}", "sinew_loose", 1));
        }
        if (from->mesh >= 0) {
            sn_gltf_set_integer(node, "mesh", from->mesh);
        }
        if (from->morph_weights) {
            json_object_set_new(node, "weights",
                                sn_gltf_floats(from->morph_weights, scene->meshes[from->mesh].morph_count));
        }
        if (from->skin >= 0) {
            sn_gltf_set_integer(node, "skin", from->skin);
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
        sn_gltf_append(w, "nodes", node);
    }
    sn_gltf_set_integer(w->root, "scene", sn_gltf_append(w, "scenes", json_pack("{s:O}", "nodes", roots)));
    json_decref(roots);
}

static void write_skins(sn_gltf_writer *w)
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
            sn_gltf_set_integer(skin, "inverseBindMatrices",
                                sn_gltf_put_floats(w, matrices, from->joint_count, 16, 16, SN_GLTF_TARGET_NONE));
        } else {
            w->result = SN_ERROR_MEMORY;
        }
        sn_gltf_append(w, "skins", skin);
    }
}

static void write_document(sn_gltf_writer *w)
{
    w->root = json_pack("{s:{s:s,s:s}}", "asset", "version", "2.0", "generator", "Sinew " SN_VERSION_STRING);
    w->extensions = json_array();
    static void (*const steps[])(sn_gltf_writer * w) = {
        write_nodes,         sn_gltf_write_meshes, write_skins, sn_gltf_write_materials, sn_gltf_write_textures,
        sn_gltf_write_clips, sn_gltf_write_vrm};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && sn_gltf_writer_ok(w); ++i) {
        steps[i](w);
    }
    sn_gltf_align(w, 0);
    if (w->size > 0) {
        sn_gltf_append(w, "buffers", json_pack("{s:I}", "byteLength", (json_int_t)w->size));
    }
    if (json_array_size(w->extensions) > 0) {
        json_object_set(w->root, "extensionsUsed", w->extensions);
    }
    json_decref(w->extensions);
}

static void put_chunk(sn_gltf_writer *file, const char *type, const void *bytes, size_t size, uint8_t filler)
{
    sn_gltf_put_u32(file, (size + 3) / 4 * 4);
    sn_gltf_put_bytes(file, type, 4);
    sn_gltf_put_bytes(file, bytes, size);
    sn_gltf_align(file, filler);
}

static sn_result build_binary(const sn_gltf_writer *w, const char *text, sn_gltf_writer *file)
{
    const size_t text_size = strlen(text), total = 12 + 8 + (text_size + 3) / 4 * 4 + (w->size ? 8 + w->size : 0);
    if (total > UINT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %zu bytes exceed the limit of a .glb, 4 GiB", w->path, total);
    }
    sn_gltf_put_bytes(file, "glTF", 4);
    sn_gltf_put_u32(file, 2);
    sn_gltf_put_u32(file, total);
    put_chunk(file, "JSON", text, text_size, ' ');
    if (w->size > 0) {
        put_chunk(file, "BIN", w->bytes, w->size, 0);
    }
    return file->result;
}

/* Stores the binary chunk as a data: URI; its size is padded to a multiple of four. */
static void embed_chunk(sn_gltf_writer *w)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char prefix[] = "data:application/octet-stream;base64,";
    const size_t start = sizeof prefix - 1, count = (w->size + 2) / 3;
    char *text = SN_NEW(&w->arena, char, start + 4 * count + 1);
    if (!text) {
        w->result = SN_ERROR_MEMORY;
        return;
    }
    memcpy(text, prefix, start);
    for (size_t i = 0; i < count; ++i) {
        const size_t left = w->size - 3 * i < 3 ? w->size - 3 * i : 3;
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) {
            bits = bits << 8 | (k < left ? w->bytes[3 * i + k] : 0);
        }
        for (size_t k = 0; k < 4; ++k) {
            text[start + 4 * i + k] = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
        }
    }
    json_object_set_new(json_array_get(json_object_get(w->root, "buffers"), 0), "uri", json_string(text));
}

static sn_result write_file(const sn_gltf_writer *w, const char *text)
{
    if (sn_has_extension(w->path, ".gltf")) {
        return sn_file_write(w->path, text, strlen(text));
    }
    sn_gltf_writer file = {.path = w->path};
    sn_result result = build_binary(w, text, &file);
    if (result == SN_OK) {
        result = sn_file_write(w->path, file.bytes, file.size);
    }
    sn_arena_finish(&file.arena);
    return result;
}

/* Returns the document's text, which the caller frees; null on failure. */
static char *build_text(sn_gltf_writer *w)
{
    char *text = sn_gltf_writer_ok(w) ? json_dumps(w->root, JSON_COMPACT) : NULL;
    if (sn_gltf_writer_ok(w) && !text) {
        w->result = sn_fail(SN_ERROR_MEMORY, "%s: cannot create the JSON document", w->path);
    }
    return text;
}

static void finish(sn_gltf_writer *w, char *text)
{
    free(text);
    json_decref(w->root);
    sn_arena_finish(&w->arena);
}

sn_result sn_gltf_write(const char *path, const sn_scene_file *scene)
{
    SN_ASSERT(path && scene);
    const sn_result result = sn_scene_check_finite(scene, path);
    if (result != SN_OK) {
        return result;
    }
    sn_gltf_writer w = {.path = path, .scene = scene};
    write_document(&w);
    if (sn_has_extension(path, ".gltf") && w.size > 0 && sn_gltf_writer_ok(&w)) {
        embed_chunk(&w);
    }
    char *text = build_text(&w);
    w.result = text ? write_file(&w, text) : w.result;
    finish(&w, text);
    return w.result;
}

sn_result sn_gltf_encode(const char *name, const sn_scene_file *scene, const sn_gltf_picture *pictures, sn_arena *arena,
                         uint8_t **bytes, size_t *size)
{
    SN_ASSERT(name && scene && arena && bytes && size);
    sn_gltf_writer w = {.path = name, .scene = scene, .pictures = pictures}, file = {.path = name};
    write_document(&w);
    char *text = build_text(&w);
    w.result = text ? build_binary(&w, text, &file) : w.result;
    uint8_t *copy = sn_gltf_writer_ok(&w) ? SN_NEW(arena, uint8_t, file.size) : NULL;
    if (copy) {
        memcpy(copy, file.bytes, file.size);
        *bytes = copy;
        *size = file.size;
    } else if (sn_gltf_writer_ok(&w)) {
        w.result = SN_ERROR_MEMORY;
    }
    sn_arena_finish(&file.arena);
    finish(&w, text);
    return w.result;
}
