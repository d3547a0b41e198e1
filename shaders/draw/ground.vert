/* SPDX-License-Identifier: MIT */
#version 460
/* A square of ground around the bounds, large enough to fade into the background before its edge. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"

layout(location = 0) out vec3 position;

void main()
{
    const vec2 corners[4] = vec2[4](vec2(-1, 1), vec2(1, 1), vec2(-1, -1), vec2(1, -1));
    const int order[6] = int[6](0, 1, 2, 2, 1, 3);
    const vec2 at = frame.bounds.xz + 16 * frame.bounds.w * corners[order[gl_VertexIndex]];
    position = vec3(at.x, frame.floor_plane.x, at.y);
    gl_Position = frame.view_projection * vec4(position, 1);
}
