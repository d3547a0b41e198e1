/* SPDX-License-Identifier: MIT */
/* Writes materials, textures and images. */
#include <math.h>
#include <string.h>

#include "author/io/gltf/gltf_writer.h"
#include "author/io/image/png.h"
#include "author/io/image/webp.h"

static void set_uv_transform(sn_gltf_writer *w, json_t *info, const float m[6])
{
    static const float identity[6] = {1, 0, 0, 0, 1, 0};
    if (memcmp(m, identity, sizeof identity) == 0) {
        return;
    }
    const double determinant = (double)m[0] * (double)m[4] - (double)m[1] * (double)m[3];
    const double scale[2] = {hypot((double)m[0], (double)m[3]),
                             hypot((double)m[1], (double)m[4]) * (determinant < 0 ? -1 : 1)};
    const double offset[2] = {(double)m[2], (double)m[5]};
    json_t *transform = json_pack("{s:o,s:f,s:o}", "offset", sn_gltf_reals(offset, 2), "rotation",
                                  atan2(-(double)m[3], (double)m[0]), "scale", sn_gltf_reals(scale, 2));
    json_object_set_new(info, "extensions", json_pack("{s:o}", "KHR_texture_transform", transform));
    sn_gltf_use_extension(w, "KHR_texture_transform");
}

/* Returns the textureInfo, or null. */
static json_t *set_texture(sn_gltf_writer *w, json_t *parent, const char *key, const sn_scene_material *m,
                           sn_texture_use use)
{
    if (m->values.textures[use] < 0) {
        return NULL;
    }
    json_t *info = json_pack("{s:i}", "index", (int)m->values.textures[use]);
    if (m->values.uv_sets[use] > 0) {
        sn_gltf_set_integer(info, "texCoord", m->values.uv_sets[use]);
    }
    set_uv_transform(w, info, m->uv_transforms[use]);
    json_object_set_new(parent, key, info);
    return info;
}

static void set_emission(sn_gltf_writer *w, json_t *material, json_t *extensions, const sn_scene_material *m)
{
    const float *e = m->values.emissive;
    const double strength = fmax(1, (double)fmaxf(e[0], fmaxf(e[1], e[2])));
    const double factor[3] = {(double)e[0] / strength, (double)e[1] / strength, (double)e[2] / strength};
    if (e[0] > 0 || e[1] > 0 || e[2] > 0) {
        json_object_set_new(material, "emissiveFactor", sn_gltf_reals(factor, 3));
    }
    if (strength > 1) {
        json_object_set_new(extensions, "KHR_materials_emissive_strength",
                            json_pack("{s:f}", "emissiveStrength", strength));
        sn_gltf_use_extension(w, "KHR_materials_emissive_strength");
    }
    set_texture(w, material, "emissiveTexture", m, SN_TEXTURE_EMISSIVE);
}

static void set_surface(sn_gltf_writer *w, json_t *material, const sn_scene_material *m)
{
    const sn_material *v = &m->values;
    json_t *pbr = json_pack("{s:o,s:f,s:f}", "baseColorFactor", sn_gltf_floats(v->base_color, 4), "metallicFactor",
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

/* Textures of toon materials use the coordinates of the base colour. */
static json_t *set_toon_texture(json_t *toon, const char *key, const sn_scene_material *m, sn_toon_texture_use use)
{
    if (m->toon.textures[use] < 0) {
        return NULL;
    }
    json_t *info = json_pack("{s:i}", "index", (int)m->toon.textures[use]);
    if (m->values.uv_sets[SN_TEXTURE_BASE_COLOR] > 0) {
        sn_gltf_set_integer(info, "texCoord", m->values.uv_sets[SN_TEXTURE_BASE_COLOR]);
    }
    json_object_set_new(toon, key, info);
    return info;
}

static int clamp(int value, int min_value, int max_value)
{
    return value < min_value ? min_value : value > max_value ? max_value : value;
}

/* The inverse of vrm_toon.c. The format has offsets of 0 to 9 if the material writes depth, else of -9 to 0. */
static void set_render_order(json_t *toon, const sn_scene_material *m)
{
    const bool writes_depth = m->toon.writes_depth != 0;
    const int min_offset = writes_depth ? 0 : -9;
    const int offset = (int)m->toon.render_order - (writes_depth ? SN_ORDER_BLEND_DEPTH : SN_ORDER_BLEND);
    if (m->values.alpha_mode == SN_ALPHA_BLEND) {
        json_object_set_new(toon, "transparentWithZWrite", json_boolean(writes_depth));
        sn_gltf_set_integer(toon, "renderQueueOffsetNumber", clamp(offset, min_offset, min_offset + 9));
    }
}

static void set_number(json_t *object, const char *key, float value)
{
    json_object_set_new(object, key, json_real((double)value));
}

static void set_toon(sn_gltf_writer *w, json_t *extensions, const sn_scene_material *m)
{
    static const char *const outlines[SN_OUTLINE_COUNT] = {"none", "worldCoordinates", "screenCoordinates"};
    const sn_toon_material *t = &m->toon;
    json_t *toon = json_pack("{s:s}", "specVersion", "1.0");
    set_render_order(toon, m);
    json_object_set_new(toon, "shadeColorFactor", sn_gltf_floats(t->shade_color, 3));
    set_toon_texture(toon, "shadeMultiplyTexture", m, SN_TOON_TEXTURE_SHADE);
    set_number(toon, "shadingShiftFactor", t->shading_shift);
    json_t *shift = set_toon_texture(toon, "shadingShiftTexture", m, SN_TOON_TEXTURE_SHADING_SHIFT);
    if (shift) {
        set_number(shift, "scale", t->shading_shift_scale);
    }
    set_number(toon, "shadingToonyFactor", t->shading_toony);
    json_object_set_new(toon, "matcapFactor", sn_gltf_floats(t->matcap, 3));
    set_toon_texture(toon, "matcapTexture", m, SN_TOON_TEXTURE_MATCAP);
    json_object_set_new(toon, "parametricRimColorFactor", sn_gltf_floats(t->rim_color, 3));
    set_number(toon, "parametricRimFresnelPowerFactor", t->rim_fresnel_power);
    set_number(toon, "parametricRimLiftFactor", t->rim_lift);
    set_number(toon, "rimLightingMixFactor", t->rim_lighting_mix);
    set_toon_texture(toon, "rimMultiplyTexture", m, SN_TOON_TEXTURE_RIM);
    json_object_set_new(toon, "outlineWidthMode", json_string(outlines[t->outline]));
    set_number(toon, "outlineWidthFactor", t->outline_width);
    set_toon_texture(toon, "outlineWidthMultiplyTexture", m, SN_TOON_TEXTURE_OUTLINE_WIDTH);
    json_object_set_new(toon, "outlineColorFactor", sn_gltf_floats(t->outline_color, 3));
    set_number(toon, "outlineLightingMixFactor", t->outline_lighting_mix);
    set_toon_texture(toon, "uvAnimationMaskTexture", m, SN_TOON_TEXTURE_UV_ANIMATION);
    set_number(toon, "uvAnimationScrollXSpeedFactor", t->uv_scroll[0]);
    set_number(toon, "uvAnimationScrollYSpeedFactor", t->uv_scroll[1]);
    set_number(toon, "uvAnimationRotationSpeedFactor", t->uv_rotation);
    json_object_set_new(extensions, "VRMC_materials_mtoon", toon);
    sn_gltf_use_extension(w, "VRMC_materials_mtoon");
}

void sn_gltf_write_materials(sn_gltf_writer *w)
{
    for (int i = 0; i < w->scene->material_count; ++i) {
        const sn_scene_material *from = &w->scene->materials[i];
        json_t *material = json_object(), *extensions = json_object();
        sn_gltf_set_name(material, from->name);
        set_surface(w, material, from);
        set_emission(w, material, extensions, from);
        set_alpha(material, &from->values);
        if (from->values.is_unlit) {
            json_object_set_new(extensions, "KHR_materials_unlit", json_object());
            sn_gltf_use_extension(w, "KHR_materials_unlit");
        }
        if (from->toon.is_toon) {
            set_toon(w, extensions, from);
        }
        if (json_object_size(extensions) > 0) {
            json_object_set(material, "extensions", extensions);
        }
        json_decref(extensions);
        sn_gltf_append(w, "materials", material);
    }
}

static void write_view_image(sn_gltf_writer *w, const uint8_t *bytes, size_t size, const char *type)
{
    const json_int_t view = sn_gltf_open_view(w, SN_GLTF_TARGET_NONE);
    sn_gltf_put_bytes(w, bytes, sn_gltf_writer_ok(w) ? size : 0);
    sn_gltf_close_view(w, view);
    sn_gltf_append(w, "images", json_pack("{s:I,s:s}", "bufferView", view, "mimeType", type));
}

static void write_picture(sn_gltf_writer *w, const sn_gltf_picture *picture)
{
    if (picture->bytes) {
        const bool is_png = picture->size > 0 && picture->bytes[0] == 0x89;
        write_view_image(w, picture->bytes, picture->size, is_png ? "image/png" : "image/jpeg");
    } else {
        sn_gltf_append(w, "images", json_pack("{s:s}", "uri", picture->uri));
    }
}

static void write_image(sn_gltf_writer *w, const sn_scene_texture *t)
{
    if (t->encoded) {
        write_view_image(w, t->encoded, t->encoded_size,
                         sn_is_webp(t->encoded, t->encoded_size) ? "image/webp" : "image/jpeg");
        return;
    }
    bool is_opaque = true;
    for (size_t i = 0; i < (size_t)t->width * (size_t)t->height; ++i) {
        is_opaque &= t->pixels[4 * i + 3] == 255;
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    const sn_image image = {t->width, t->height, t->pixels};
    w->result = sn_png_encode(w->path, &image, is_opaque, &w->arena, &bytes, &size);
    write_view_image(w, bytes, size, "image/png");
}

static bool is_same_picture(const sn_gltf_writer *w, int a, int b)
{
    return w->pictures ? w->pictures[a].bytes == w->pictures[b].bytes && w->pictures[a].uri == w->pictures[b].uri
                       : w->scene->textures[a].pixels == w->scene->textures[b].pixels;
}

void sn_gltf_write_textures(sn_gltf_writer *w)
{
    static const int wraps[SN_WRAP_COUNT] = {
        [SN_WRAP_REPEAT] = 10497, [SN_WRAP_CLAMP] = 33071, [SN_WRAP_MIRROR] = 33648};
    int image_count = 0;
    int32_t *images = SN_NEW(&w->arena, int32_t, w->scene->texture_count);
    w->result = images ? w->result : SN_ERROR_MEMORY;
    for (int i = 0; i < w->scene->texture_count && sn_gltf_writer_ok(w); ++i) {
        const sn_scene_texture *from = &w->scene->textures[i];
        images[i] = -1;
        for (int k = 0; k < i && images[i] < 0; ++k) {
            images[i] = is_same_picture(w, k, i) ? images[k] : -1;
        }
        if (images[i] < 0) {
            images[i] = image_count++;
            if (w->pictures) {
                write_picture(w, &w->pictures[i]);
            } else {
                write_image(w, from);
            }
        }
        const json_int_t sampler = sn_gltf_append(
            w, "samplers",
            json_pack("{s:i,s:i,s:i,s:i}", "magFilter", from->is_nearest ? 9728 : 9729, "minFilter",
                      from->is_nearest ? 9984 : 9987, "wrapS", wraps[from->wrap_u], "wrapT", wraps[from->wrap_v]));
        json_t *source = json_pack("{s:i}", "source", (int)images[i]);
        if (!w->pictures && from->encoded && sn_is_webp(from->encoded, from->encoded_size)) {
            source = json_pack("{s:{s:o}}", "extensions", "EXT_texture_webp", source);
            sn_gltf_use_extension(w, "EXT_texture_webp");
            json_object_set_new(w->root, "extensionsRequired", json_pack("[s]", "EXT_texture_webp"));
        }
        json_object_set_new(source, "sampler", json_integer(sampler));
        sn_gltf_append(w, "textures", source);
    }
}
