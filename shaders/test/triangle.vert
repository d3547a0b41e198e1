/* SPDX-License-Identifier: MIT */
/* One triangle, counter-clockwise on screen, without vertex input. */
#version 460

layout(push_constant) uniform push { float size; };

void main()
{
    const vec2 corners[3] = vec2[3](vec2(-1, 1), vec2(1, 1), vec2(0, -1));
    gl_Position = vec4(size * corners[gl_VertexIndex], 0.5, 1);
}
