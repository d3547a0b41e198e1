#version 460
/* SPDX-License-Identifier: MIT */
/* Writes the results of the vertex stage to a buffer instead of rendering: for tests and benchmarks. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/skin/capture.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 tangent;

void main()
{
    sn_capture(gl_InstanceIndex, uint(gl_VertexIndex), position, normal, tangent);
    gl_Position = vec4(0, 0, 0, 1);
    gl_PointSize = 1;
}
