#version 460
/* SPDX-License-Identifier: MIT */
/* What the vertex stage computes, written to a buffer instead of drawn: for tests and benchmarks. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/shared/skin.h"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;

layout(set = 0, binding = 0, std430) writeonly buffer sn_capture_buffer { float captured[]; };
layout(set = 0, binding = 1, std430) readonly buffer sn_transform_buffer { vec4 transforms[]; };
layout(set = 0, binding = 2, std430) readonly buffer sn_morph_weight_buffer { float morph_weights[]; };
#include "shaders/skin/skin.glsl"

layout(push_constant) uniform sn_capture_constants
{
    uint bone_count, mode_count, morph_count, vertex_count;
    float diagonal;
};

void main()
{
    const uint body = gl_InstanceIndex, first = (body * vertex_count + gl_VertexIndex) * SN_CAPTURE_FLOATS;
    const sn_skinned skinned = sn_skin(sn_skin_input(uint(gl_VertexIndex), body * (bone_count + mode_count), bone_count,
                                                     mode_count, mode_count, body * morph_count, morph_count, diagonal,
                                                     position, normal, tangent));
    for (uint d = 0; d < 3; ++d) {
        captured[first + d] = skinned.position[d];
        captured[first + 3 + d] = skinned.normal[d];
        captured[first + 6 + d] = skinned.tangent[d];
    }
    gl_Position = vec4(0, 0, 0, 1);
    gl_PointSize = 1;
}
