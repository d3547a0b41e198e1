/* SPDX-License-Identifier: MIT */
/* Vertex stage of the depth passes: from the light, and from below the ground. */
#include "shaders/draw/frame.glsl"

layout(set = 0, binding = SN_FRAME_TRANSFORMS, std430) readonly buffer sn_transform_buffer { vec4 transforms[]; };
layout(set = 0, binding = SN_FRAME_MORPHS, std430) readonly buffer sn_morph_weight_buffer { float morph_weights[]; };
#include "shaders/skin/skin.glsl"

layout(constant_id = 0) const uint depth_of = SN_DEPTH_OF_SHADOW;

layout(location = 0) in vec3 rest_position;

vec4 sn_depth_position()
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
    v.normal = vec3(0);
    v.tangent = vec4(0);
    const vec4 position = vec4(sn_skin_position(v), 1);
    return depth_of == SN_DEPTH_OF_SHADOW ? frame.shadow_projection * position : frame.contact_projection * position;
}
