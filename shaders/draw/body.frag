/* SPDX-License-Identifier: MIT */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"
#include "shaders/draw/material.glsl"
#include "shaders/draw/display.glsl"
#include "shaders/draw/shadow.glsl"
#include "shaders/draw/shade.glsl"
#include "shaders/draw/toon.glsl"

layout(constant_id = 0) const uint alpha_mode = SN_DRAW_OPAQUE;
layout(constant_id = 1) const uint draw_style = SN_DRAW_LIT;
layout(constant_id = 2) const bool has_coverage = true; // multisampling: the alpha of a mask becomes coverage

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;
layout(location = 3) in vec4 uvs;
layout(location = 4) in vec4 color;

layout(location = 0) out vec4 out_color;

/* Coverage of a mask: a ramp of one pixel around the cutoff antialiases its edge. */
float sn_mask(float alpha)
{
    // Compensates for the averaging of small mips.
    const float level = textureQueryLod(base_color_texture, sn_uv(uvs, material.uv_sets.x)).x;
    const float mip_alpha = alpha * (1 + 0.2 * max(level, 0));
    const float ramp = max(fwidth(mip_alpha), 1e-3);
    return clamp((mip_alpha - material.emissive.w) / ramp + 0.5, 0, 1);
}

/* The mapped normal of the visible side; on the back, bumps become dents. */
vec3 sn_mapped_normal(vec3 front, float side)
{
    if (material.surface.z == 0) {
        return front * side;
    }
    // Before the return of single pixels: the derivatives of a lookup need all pixels of the quad.
    vec3 mapped = 2 * texture(normal_texture, sn_uv(uvs, material.uv_sets.z)).xyz - 1;
    const vec3 along = tangent.xyz - front * dot(front, tangent.xyz);
    if (dot(along, along) < 1e-12) {
        return front * side;
    }
    const vec3 t = normalize(along), b = tangent.w * cross(front, t);
    mapped.xy *= material.surface.z;
    return normalize(mapped.x * t + mapped.y * b + mapped.z * front) * side;
}

sn_surface sn_surface_here(vec3 base_color)
{
    const float side = gl_FrontFacing == (body.orientation > 0) ? 1 : -1;
    const vec3 mixed = texture(metallic_roughness_texture, sn_uv(uvs, material.uv_sets.y)).rgb;
    const float occlusion = texture(occlusion_texture, sn_uv(uvs, material.uv_sets.w)).r;
    sn_surface s;
    s.position = position;
    const vec3 front = normalize(normal);
    s.face = front * side;
    s.normal = sn_mapped_normal(front, side);
    s.view = normalize(frame.eye.xyz - position);
    // Interpolated and mapped normals may face away from the eye; a visible surface does not.
    s.normal = normalize(s.normal + s.view * max(0.02 - dot(s.normal, s.view), 0));
    s.base_color = base_color;
    s.metallic = clamp(material.surface.x * mixed.b, 0, 1);
    s.roughness = clamp(material.surface.y * mixed.g, 0.045, 1);
    s.occlusion = 1 + material.surface.w * (occlusion - 1);
    return s;
}

vec3 sn_emission()
{
    return material.emissive.rgb * texture(emissive_texture, sn_uv(uvs, material.more.x)).rgb;
}

vec3 sn_lit_color(vec3 base_color)
{
    const sn_surface s = sn_surface_here(base_color);
    const vec3 light = sn_tone_map(sn_shade(s, sn_shadow(s.position, s.face)) + sn_emission());
    return alpha_mode != SN_DRAW_BLEND ? sn_dither(light) : light;
}

/* Of the surface, or of its outline. */
vec3 sn_toon_color(vec3 base_color)
{
    const sn_surface s = sn_surface_here(base_color);
    sn_toon_surface toon;
    toon.normal = draw_style == SN_DRAW_OUTLINE ? -s.normal : s.normal; // an outline shows back faces
    toon.view = s.view;
    toon.base_color = base_color;
    toon.uv = sn_uv(uvs, material.uv_sets.x);
    toon.shadow = sn_shadow(s.position, s.face);
    const vec3 color = sn_shade_toon(toon);
    return draw_style == SN_DRAW_OUTLINE ? material.outline.rgb * mix(vec3(1), color, material.movement.z)
                                         : color + sn_emission();
}

void main()
{
    const vec4 base_color = sn_base_color(uvs, color);
    float alpha = base_color.a;
    if (alpha_mode == SN_DRAW_MASK) {
        alpha = sn_mask(alpha);
    }
    vec3 light = base_color.rgb;
    if (draw_style == SN_DRAW_LIT) {
        light = sn_lit_color(base_color.rgb);
    } else if (draw_style >= SN_DRAW_TOON) {
        light = clamp(sn_toon_color(base_color.rgb), 0, 1);
    }
    if (alpha_mode == SN_DRAW_SOLID && alpha < 0.99) {
        discard;
    }
    if (alpha_mode == SN_DRAW_MASK && alpha < (has_coverage ? 0.01 : 0.5)) {
        discard;
    }
    const bool is_opaque = alpha_mode == SN_DRAW_OPAQUE || alpha_mode == SN_DRAW_SOLID;
    out_color = vec4(light * (alpha_mode == SN_DRAW_BLEND ? alpha : 1), is_opaque ? 1 : alpha);
}
