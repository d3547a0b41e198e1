/* SPDX-License-Identifier: MIT */
/* Common to the capture shaders: buffers, and a function that skins and writes a vertex of a body. */
#include "shaders/shared/skin.h"

layout(set = 0, binding = 0, std430) writeonly buffer sn_capture_buffer { float captured[]; };
layout(set = 0, binding = 1, std430) readonly buffer sn_transform_buffer { vec4 transforms[]; };
layout(set = 0, binding = 2, std430) readonly buffer sn_morph_weight_buffer { float morph_weights[]; };
#include "shaders/skin/skin.glsl"

layout(push_constant) uniform sn_capture_constants
{
    uint bone_count, mode_count, morph_count, vertex_count;
    float diagonal;
};

void sn_capture(uint body, uint vertex, vec3 position, vec3 normal, vec4 tangent)
{
    const uint first = (body * vertex_count + vertex) * SN_CAPTURE_FLOATS;
    const sn_skinned skinned =
        sn_skin(sn_skin_input(vertex, body * (bone_count + mode_count), bone_count, mode_count, mode_count,
                              body * morph_count, morph_count, diagonal, position, normal, tangent));
    for (uint d = 0; d < 3; ++d) {
        captured[first + d] = skinned.position[d];
        captured[first + 3 + d] = skinned.normal[d];
        captured[first + 6 + d] = skinned.tangent[d];
    }
}
