/* SPDX-License-Identifier: MIT */
/* VRM's toon shader MToon: 1.0 (VRMC_materials_mtoon), and 0.x (materialProperties of the extension VRM), whose values
 * are converted to those of 1.0 as UniVRM and three-vrm do. */
#include "author/io/gltf/gltf_reader.h"

#include <math.h>
#include <string.h>

#include "host/math/srgb.h"

#define PI 3.14159265358979323846

static float clamp_unit(double value)
{
    return (float)fmin(fmax(value, 0), 1);
}

static void begin_toon(sn_toon_material *toon)
{
    *toon = (sn_toon_material){.is_toon = 1,
                               .shade_color = {1, 1, 1},
                               .shading_shift_scale = 1,
                               .shading_toony = 0.9F,
                               .matcap = {1, 1, 1},
                               .rim_fresnel_power = 5,
                               .rim_lighting_mix = 1,
                               .outline_lighting_mix = 1,
                               .render_order = SN_ORDER_BLEND};
    for (int use = 0; use < SN_TOON_TEXTURE_USE_COUNT; ++use) {
        toon->textures[use] = -1;
    }
}

/* ---- 1.0 ---- */

static void read_color(const sn_json *at, const char *key, float color[3])
{
    double values[3];
    if (sn_json_numbers(at, key, 3, values)) {
        for (int k = 0; k < 3; ++k) {
            color[k] = clamp_unit(values[k]);
        }
    }
}

static void read_texture(sn_gltf *g, const sn_json *at, const char *key, sn_toon_texture_use use,
                         sn_toon_material *toon)
{
    const sn_json info = sn_json_get(at, key);
    if (info.value && sn_gltf_ok(g)) {
        toon->textures[use] = sn_gltf_texture(g, &info);
    }
}

static void read_outline(sn_gltf *g, const sn_json *at, sn_toon_material *toon)
{
    const char *mode = sn_json_text(at, "outlineWidthMode", "none");
    toon->outline = strcmp(mode, "worldCoordinates") == 0    ? SN_OUTLINE_WORLD
                    : strcmp(mode, "screenCoordinates") == 0 ? SN_OUTLINE_SCREEN
                                                             : SN_OUTLINE_NONE;
    toon->outline_width = (float)fmax(sn_json_number(at, "outlineWidthFactor", 0), 0);
    toon->outline_lighting_mix = clamp_unit(sn_json_number(at, "outlineLightingMixFactor", 1));
    read_color(at, "outlineColorFactor", toon->outline_color);
    read_texture(g, at, "outlineWidthMultiplyTexture", SN_TOON_TEXTURE_OUTLINE_WIDTH, toon);
}

static void read_version_1(sn_gltf *g, const sn_json *at, sn_toon_material *toon)
{
    const sn_json shift = sn_json_get(at, "shadingShiftTexture");
    begin_toon(toon);
    read_color(at, "shadeColorFactor", toon->shade_color);
    read_texture(g, at, "shadeMultiplyTexture", SN_TOON_TEXTURE_SHADE, toon);
    toon->shading_shift = (float)sn_json_number(at, "shadingShiftFactor", 0);
    toon->shading_shift_scale = (float)sn_json_number(&shift, "scale", 1);
    read_texture(g, at, "shadingShiftTexture", SN_TOON_TEXTURE_SHADING_SHIFT, toon);
    toon->shading_toony = clamp_unit(sn_json_number(at, "shadingToonyFactor", 0.9));
    read_color(at, "matcapFactor", toon->matcap);
    read_texture(g, at, "matcapTexture", SN_TOON_TEXTURE_MATCAP, toon);
    read_color(at, "parametricRimColorFactor", toon->rim_color);
    toon->rim_fresnel_power = (float)fmax(sn_json_number(at, "parametricRimFresnelPowerFactor", 5), 0);
    toon->rim_lift = (float)sn_json_number(at, "parametricRimLiftFactor", 0);
    toon->rim_lighting_mix = clamp_unit(sn_json_number(at, "rimLightingMixFactor", 1));
    read_texture(g, at, "rimMultiplyTexture", SN_TOON_TEXTURE_RIM, toon);
    read_outline(g, at, toon);
    read_texture(g, at, "uvAnimationMaskTexture", SN_TOON_TEXTURE_UV_ANIMATION, toon);
    toon->uv_scroll[0] = (float)sn_json_number(at, "uvAnimationScrollXSpeedFactor", 0);
    toon->uv_scroll[1] = (float)sn_json_number(at, "uvAnimationScrollYSpeedFactor", 0);
    toon->uv_rotation = (float)sn_json_number(at, "uvAnimationRotationSpeedFactor", 0);
    toon->writes_depth = sn_json_flag(at, "transparentWithZWrite", false);
    toon->render_order = (toon->writes_depth ? SN_ORDER_BLEND_DEPTH : SN_ORDER_BLEND) +
                         (int32_t)sn_json_integer(at, "renderQueueOffsetNumber", 0, -1000, 1000);
}

/* ---- 0.x ---- */

typedef struct properties {
    sn_json floats, vectors, textures;
} properties;

static double number_of(const properties *p, const char *key, double fallback)
{
    return sn_json_number(&p->floats, key, fallback);
}

/* Colours of 0.x are sRGB. */
static void color_of(const properties *p, const char *key, float color[3])
{
    double values[4];
    if (sn_json_numbers(&p->vectors, key, 4, values)) {
        for (int k = 0; k < 3; ++k) {
            color[k] = (float)sn_srgb_to_linear(fmin(fmax(values[k], 0), 1));
        }
    }
}

/* Shift and toony factors that give the same ramp. */
static void convert_shading(const properties *p, sn_toon_material *toon)
{
    const double shift = number_of(p, "_ShadeShift", 0), toony = number_of(p, "_ShadeToony", 0.9);
    const double converted = toony + (1 - toony) * (0.5 + 0.5 * shift);
    toon->shading_toony = clamp_unit(converted);
    toon->shading_shift = (float)(-shift - (1 - converted));
}

static void convert_outline(const properties *p, sn_toon_material *toon)
{
    static const sn_toon_outline modes[] = {SN_OUTLINE_NONE, SN_OUTLINE_WORLD, SN_OUTLINE_SCREEN};
    const int mode = (int)fmin(fmax(number_of(p, "_OutlineWidthMode", 0), 0), 2);
    const bool is_lit = number_of(p, "_OutlineColorMode", 0) == 1;
    toon->outline = (int32_t)modes[mode];
    /* centimetres, or per cent of half the picture's height */
    toon->outline_width = (float)fmax((mode == 2 ? 0.005 : 0.01) * number_of(p, "_OutlineWidth", 0), 0);
    toon->outline_lighting_mix = is_lit ? clamp_unit(number_of(p, "_OutlineLightingMix", 1)) : 0;
    color_of(p, "_OutlineColor", toon->outline_color);
}

/* Opaque, cutout, transparent, transparent with depth. */
static void convert_alpha(const properties *p, sn_scene_material *material)
{
    static const sn_alpha_mode modes[] = {SN_ALPHA_OPAQUE, SN_ALPHA_MASK, SN_ALPHA_BLEND, SN_ALPHA_BLEND};
    const int mode = (int)number_of(p, "_BlendMode", -1);
    if (mode >= 0 && mode < 4) {
        material->values.alpha_mode = (int32_t)modes[mode];
        material->toon.writes_depth = mode == 3;
    }
    if (mode == 1) {
        material->values.alpha_cutoff = clamp_unit(number_of(p, "_Cutoff", 0.5));
    }
    if (number_of(p, "_CullMode", 2) == 0) {
        material->values.is_double_sided = true;
    }
}

static void convert_textures(sn_gltf *g, const properties *p, sn_toon_material *toon)
{
    static const char *const keys[SN_TOON_TEXTURE_USE_COUNT] = {[SN_TOON_TEXTURE_SHADE] = "_ShadeTexture",
                                                                [SN_TOON_TEXTURE_MATCAP] = "_SphereAdd",
                                                                [SN_TOON_TEXTURE_RIM] = "_RimTexture",
                                                                [SN_TOON_TEXTURE_OUTLINE_WIDTH] =
                                                                    "_OutlineWidthTexture",
                                                                [SN_TOON_TEXTURE_UV_ANIMATION] = "_UvAnimMaskTexture"};
    for (int use = 0; use < SN_TOON_TEXTURE_USE_COUNT; ++use) {
        if (keys[use] && sn_json_has(&p->textures, keys[use])) {
            toon->textures[use] = sn_gltf_texture_member(g, &p->textures, keys[use]);
        }
    }
}

/* Unity's scale and offset of the main texture, with v pointing up, apply to all textures. */
static void convert_transform(const properties *p, sn_scene_material *material)
{
    double t[4]; /* offset, scale */
    if (!sn_json_numbers(&p->vectors, "_MainTex", 4, t) || (t[0] == 0 && t[1] == 0 && t[2] == 1 && t[3] == 1)) {
        return;
    }
    const float m[6] = {(float)t[2], 0, (float)t[0], 0, (float)t[3], (float)(1 - t[3] - t[1])};
    for (int use = 0; use < SN_TEXTURE_USE_COUNT; ++use) {
        memcpy(material->uv_transforms[use], m, sizeof m);
    }
}

static void read_version_0(sn_gltf *g, const sn_json *at, sn_scene_material *material)
{
    const properties p = {sn_json_get(at, "floatProperties"), sn_json_get(at, "vectorProperties"),
                          sn_json_get(at, "textureProperties")};
    sn_toon_material *toon = &material->toon;
    begin_toon(toon);
    color_of(&p, "_ShadeColor", toon->shade_color);
    convert_shading(&p, toon);
    color_of(&p, "_RimColor", toon->rim_color);
    toon->rim_fresnel_power = (float)fmax(number_of(&p, "_RimFresnelPower", 1), 0);
    toon->rim_lift = (float)number_of(&p, "_RimLift", 0);
    toon->rim_lighting_mix = clamp_unit(number_of(&p, "_RimLightingMix", 0));
    convert_outline(&p, toon);
    toon->uv_scroll[0] = (float)number_of(&p, "_UvAnimScrollX", 0);
    toon->uv_scroll[1] = -(float)number_of(&p, "_UvAnimScrollY", 0);
    toon->uv_rotation = (float)(2 * PI * number_of(&p, "_UvAnimRotation", 0));
    color_of(&p, "_EmissionColor", material->values.emissive);
    convert_alpha(&p, material);
    convert_transform(&p, material);
    convert_textures(g, &p, toon);
    const int64_t queue = sn_json_integer(at, "renderQueue", -1, INT32_MIN, INT32_MAX);
    toon->render_order = queue > 0 ? (int32_t)queue : toon->writes_depth ? SN_ORDER_BLEND_DEPTH : SN_ORDER_BLEND;
}

void sn_vrm_read_toon(sn_gltf *g, const sn_json *extensions, size_t index, sn_scene_material *material)
{
    const sn_json version_1 = sn_json_get(extensions, "VRMC_materials_mtoon");
    const sn_json document = sn_json_get(&g->root, "extensions");
    const sn_json vrm = sn_json_get(&document, "VRM");
    const sn_json list = sn_json_get(&vrm, "materialProperties");
    const sn_json version_0 = sn_json_entry(&list, index);
    if (version_1.value) {
        read_version_1(g, &version_1, &material->toon);
    } else if (strcmp(sn_json_text(&version_0, "shader", ""), "VRM/MToon") == 0) {
        read_version_0(g, &version_0, material);
    }
}
