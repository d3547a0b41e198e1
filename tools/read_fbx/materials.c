/* SPDX-License-Identifier: MIT */
/* Converts materials to metallic-roughness. Colors are linear, as in .obj files; a texture replaces its color, as
 * connections do in FBX. */
#include "tools/read_fbx/read_fbx.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/io/list.h"
#include "author/io/surface/obj_material.h"
#include "tools/read_fbx/pictures.h"

#define MIN_ROUGHNESS 0.05F

static float clamp(float value, float min_value, float max_value, float fallback)
{
    return isfinite(value) ? fminf(fmaxf(value, min_value), max_value) : fallback;
}

static bool read_color(const struct aiMaterial *from, const char *key, float *rgb)
{
    struct aiColor4D color;
    if (aiGetMaterialColor(from, key, 0, 0, &color) != aiReturn_SUCCESS) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        rgb[k] = clamp((&color.r)[k], 0, 1, 0);
    }
    return true;
}

static float read_real(const struct aiMaterial *from, const char *key, float min_value, float max_value, float fallback)
{
    ai_real value;
    return aiGetMaterialFloatArray(from, key, 0, 0, &value, NULL) == aiReturn_SUCCESS
               ? clamp((float)value, min_value, max_value, fallback)
               : fallback;
}

/* Converts u' = scale u + offset from v up to glTF's v down. */
static void read_uv_transform(const struct aiMaterial *from, enum aiTextureType type, float *transform)
{
    struct aiUVTransform t;
    if (aiGetMaterialUVTransform(from, AI_MATKEY_UVTRANSFORM(type, 0), &t) != aiReturn_SUCCESS) {
        return;
    }
    const float values[4] = {t.mScaling.x, t.mScaling.y, t.mTranslation.x, t.mTranslation.y};
    for (int k = 0; k < 4; ++k) {
        if (!isfinite(values[k]) || fabsf(values[k]) > 1e4F) {
            return;
        }
    }
    transform[0] = t.mScaling.x;
    transform[2] = t.mTranslation.x;
    transform[4] = t.mScaling.y;
    transform[5] = 1 - t.mScaling.y - t.mTranslation.y;
}

/* Finds the texture in the scene, or adds it. */
static sn_result read_texture(fbx_reader *r, const struct aiMaterial *from, enum aiTextureType type, sn_texture_use use,
                              sn_scene_material *material)
{
    struct aiString path;
    int set = 0;
    sn_gltf_picture picture;
    bool file_exists;
    if (aiGetMaterialString(from, AI_MATKEY_TEXTURE(type, 0), &path) != aiReturn_SUCCESS || path.length == 0) {
        return SN_OK;
    }
    const sn_result result = fbx_picture_find(r, &path, &picture, &file_exists);
    if (result != SN_OK) {
        return result;
    }
    int32_t index = 0;
    while (index < r->scene.texture_count &&
           (r->pictures[index].bytes != picture.bytes || r->pictures[index].uri != picture.uri)) {
        ++index;
    }
    if (index == r->scene.texture_count) {
        r->pictures[index] = picture;
        r->scene.texture_count++;
    }
    material->values.textures[use] = index;
    for (int k = 0; k < 3 && file_exists; ++k) {
        material->values.base_color[k] = use == SN_TEXTURE_BASE_COLOR ? 1 : material->values.base_color[k];
        material->values.emissive[k] = use == SN_TEXTURE_EMISSIVE ? 1 : material->values.emissive[k];
    }
    if (aiGetMaterialIntegerArray(from, AI_MATKEY_UVWSRC(type, 0), &set, NULL) == aiReturn_SUCCESS && set == 1) {
        material->values.uv_sets[use] = 1;
    }
    read_uv_transform(from, type, material->uv_transforms[use]);
    return SN_OK;
}

/* Opacity 0 is ignored: some exporters write it for opaque materials. */
static void read_opacity(const struct aiMaterial *from, sn_material *values)
{
    const float opacity = read_real(from, "$mat.opacity", 0, 1, 1);
    if (opacity > 0 && opacity < 1) {
        values->base_color[3] = opacity;
        values->alpha_mode = SN_ALPHA_BLEND;
    }
}

/* If color and opacity have the same picture, its alpha is a mask (hair, lashes). */
static void read_cutout(const struct aiMaterial *from, sn_material *values)
{
    struct aiString color, opacity;
    if (aiGetMaterialString(from, AI_MATKEY_TEXTURE(aiTextureType_DIFFUSE, 0), &color) == aiReturn_SUCCESS &&
        aiGetMaterialString(from, AI_MATKEY_TEXTURE(aiTextureType_OPACITY, 0), &opacity) == aiReturn_SUCCESS &&
        strcmp(color.data, opacity.data) == 0) {
        values->base_color[3] = 1;
        values->alpha_mode = SN_ALPHA_MASK;
    }
}

static sn_result read_material(fbx_reader *r, const struct aiMaterial *from, sn_scene_material *material)
{
    static const struct {
        enum aiTextureType type;
        sn_texture_use use;
    } textures[] = {{aiTextureType_DIFFUSE, SN_TEXTURE_BASE_COLOR},
                    {aiTextureType_BASE_COLOR, SN_TEXTURE_BASE_COLOR},
                    {aiTextureType_NORMALS, SN_TEXTURE_NORMAL},
                    {aiTextureType_EMISSIVE, SN_TEXTURE_EMISSIVE}};
    struct aiString name = {0};
    aiGetMaterialString(from, AI_MATKEY_NAME, &name);
    *material = sn_obj_default_material(fbx_name(r, &name));
    sn_material *values = &material->values;
    sn_result result = material->name ? SN_OK : SN_ERROR_MEMORY;
    read_color(from, "$clr.diffuse", values->base_color);
    read_color(from, "$clr.base", values->base_color);
    read_color(from, "$clr.emissive", values->emissive);
    values->roughness = read_real(from, "$mat.roughnessFactor", MIN_ROUGHNESS, 1, values->roughness);
    values->metallic = read_real(from, "$mat.metallicFactor", 0, 1, 0);
    read_opacity(from, values);
    for (size_t i = 0; i < sizeof textures / sizeof textures[0] && result == SN_OK; ++i) {
        result = read_texture(r, from, textures[i].type, textures[i].use, material);
    }
    read_cutout(from, values);
    return result;
}

sn_result fbx_materials_read(fbx_reader *r)
{
    const size_t count = r->from->mNumMaterials;
    r->scene.materials = SN_NEW(&r->arena, sn_scene_material, count);
    r->scene.textures = SN_NEW(&r->arena, sn_scene_texture, SN_TEXTURE_USE_COUNT * count);
    r->pictures = SN_NEW(&r->arena, sn_gltf_picture, SN_TEXTURE_USE_COUNT * count);
    sn_result result = r->scene.materials && r->scene.textures && r->pictures ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        result = read_material(r, r->from->mMaterials[i], &r->scene.materials[i]);
    }
    r->scene.material_count = (int)count;
    return result;
}
