/* SPDX-License-Identifier: MIT */
#version 460
/* Cuts the holes of a masked material out of the shadow. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"
#include "shaders/draw/material.glsl"

layout(location = 0) in vec4 uvs;
layout(location = 1) in float alpha;

void main()
{
    if (sn_base_color(uvs, vec4(1, 1, 1, alpha)).a < material.emissive.w) {
        discard;
    }
}
