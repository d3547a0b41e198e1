/* SPDX-License-Identifier: MIT */
#version 460
/* The ground is the background, darkened by shadows and occlusion, so it has no horizon and no edge. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"
#include "shaders/draw/display.glsl"
#include "shaders/draw/shadow.glsl"

layout(set = 0, binding = SN_FRAME_COVER) uniform sampler2D cover_map;

layout(location = 0) in vec3 position;
layout(location = 0) out vec4 color;

void main()
{
    const float light = sn_shadow(position, vec3(0, 1, 0));
    const vec2 from_center = position.xz - frame.bounds.xz;
    const float covered = texture(cover_map, from_center / (frame.floor_plane.z * SN_COVER_WIDTH) + 0.5).r;
    const vec3 direct = frame.light_radiance.rgb * max(0, -frame.light_along.y);
    const vec3 sky = frame.sky.rgb;
    const vec3 shade = (sky * (1 - 0.9 * covered) + direct * light) / max(sky + direct, 1e-4);
    const float distance = length(from_center) / frame.bounds.w;
    // Shadows fade at a larger distance than the pool of light around the body.
    const float pool = exp(-0.35 * distance * distance), near = 1 - smoothstep(3.0, 9.0, distance);
    const vec3 lit = sn_background() * (1 + 0.09 * pool) * mix(vec3(1), shade, near);
    color = vec4(sn_dither(lit), 1);
}
