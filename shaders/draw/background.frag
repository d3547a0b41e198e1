/* SPDX-License-Identifier: MIT */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"
#include "shaders/draw/display.glsl"

layout(location = 0) out vec4 color;

void main()
{
    color = vec4(sn_dither(sn_background()), 1);
}
