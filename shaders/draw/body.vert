/* SPDX-License-Identifier: MIT */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"
#include "shaders/draw/material.glsl"

layout(set = 0, binding = SN_FRAME_TRANSFORMS, std430) readonly buffer sn_transform_buffer { vec4 transforms[]; };
layout(set = 0, binding = SN_FRAME_MORPHS, std430) readonly buffer sn_morph_weight_buffer { float morph_weights[]; };
#include "shaders/skin/skin.glsl"

layout(constant_id = 1) const uint draw_style = SN_DRAW_LIT;

layout(location = 0) in vec3 rest_position;
layout(location = 1) in vec3 rest_normal;
layout(location = 2) in vec4 rest_tangent;
layout(location = 3) in vec4 rest_uvs;
layout(location = 4) in vec4 rest_color;

layout(location = 0) out vec3 position;
layout(location = 1) out vec3 normal;
layout(location = 2) out vec4 tangent;
layout(location = 3) out vec4 uvs;
layout(location = 4) out vec4 color;

/* The surface, larger by the width of its outline. */
vec4 sn_outline_position(vec3 at, vec3 direction)
{
    const float scale = textureLod(outline_width_texture, sn_uv(rest_uvs, material.uv_sets.x), 0).g;
    const float width = abs(material.outline.w) * scale;
    if (material.outline.w > 0) {
        return frame.view_projection * vec4(at + width * direction, 1);
    }
    // As many pixels at any distance: the direction in the picture, in units of its height.
    vec4 projected = frame.view_projection * vec4(at, 1);
    const vec2 aspect = vec2(frame.screen.x * frame.screen.w, 1);
    const vec2 across = (frame.view_projection * vec4(direction, 0)).xy * aspect;
    projected.xy += 2 * width * projected.w * across / max(length(across), 1e-6) / aspect;
    return projected;
}

void main()
{
    sn_skin_input v;
    v.vertex = gl_VertexIndex;
    v.first_transform = body.first_transform;
    v.bone_count = body.bone_count;
    v.mode_count = body.mode_count;
    v.mode_stride = body.mode_stride;
    v.first_morph = body.first_morph;
    v.morph_count = body.morph_count;
    v.diagonal = body.diagonal;
    v.position = rest_position;
    v.normal = rest_normal;
    v.tangent = rest_tangent;
    const sn_skinned skinned = sn_skin(v);
    gl_Position = draw_style == SN_DRAW_OUTLINE
                      ? sn_outline_position(skinned.position, body.orientation * normalize(skinned.normal))
                      : frame.view_projection * vec4(skinned.position, 1);
    position = skinned.position;
    // Points outwards for either winding.
    normal = body.orientation * skinned.normal;
    tangent = vec4(skinned.tangent, body.orientation * rest_tangent.w);
    uvs = rest_uvs;
    color = rest_color;
}
