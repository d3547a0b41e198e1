#version 460
/* SPDX-License-Identifier: MIT */
/* The skinning of capture.vert without the vertex stage, one invocation per vertex and a row of workgroups per body:
 * compute devices may run vertex shaders on few cores. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/skin/capture.glsl"

layout(local_size_x = SN_CAPTURE_GROUP_SIZE) in;

layout(set = 0, binding = 3, std430) readonly buffer sn_vertex_buffer { vec4 vertices[]; };

void main()
{
    const uint vertex = gl_GlobalInvocationID.x, row = vertex * SN_VERTEX_ROWS;
    if (vertex < vertex_count) {
        const vec4 a = vertices[row], b = vertices[row + 1], c = vertices[row + 2];
        sn_capture(gl_WorkGroupID.y, vertex, a.xyz, vec3(a.w, b.xy), vec4(b.zw, c.xy));
    }
}
