/* SPDX-License-Identifier: MIT */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/depth.glsl"

void main()
{
    gl_Position = sn_depth_position();
}
