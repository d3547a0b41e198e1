/* SPDX-License-Identifier: MIT */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/depth.glsl"

layout(location = 3) in vec4 rest_uvs;
layout(location = 4) in vec4 rest_color;

layout(location = 0) out vec4 uvs;
layout(location = 1) out float alpha;

void main()
{
    gl_Position = sn_depth_position();
    uvs = rest_uvs;
    alpha = rest_color.a;
}
