/* SPDX-License-Identifier: MIT */
#version 460
/* The fraction of the sky that bodies hide from each point of the ground: the sum of the form factors h^2 / (pi (d^2 +
 * h^2)^2) of surfaces seen from below at height h and distance d, ignoring steep sides. It varies slowly, so a small
 * map with many taps per texel is smooth, where taps per pixel would be noisy. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"

layout(set = 0, binding = SN_FRAME_CONTACT) uniform sampler2D contact_map;

layout(location = 0) out float cover;

const int sn_cover_taps = 80;

void main()
{
    const float radius = frame.bounds.w, max_distance = 0.6 * radius;
    const vec2 center = (gl_FragCoord.xy * frame.floor_plane.w - 0.5) * SN_COVER_WIDTH + 0.5;
    const vec2 step = vec2(-0.73736888, 0.67549029); // The golden angle, as cosine and sine.
    vec2 direction = vec2(1, 0);
    float sum = 0;
    for (int i = 0; i < sn_cover_taps; ++i) {
        // Taps are denser near the point, where low bodies matter most; each represents the area 2 pi d dd.
        const float u = (i + 0.5) / sn_cover_taps;
        const float d = max_distance * u, area = 6.2831853 * d * max_distance / sn_cover_taps;
        const vec2 at = center + d * direction / frame.floor_plane.z;
        direction = vec2(direction.x * step.x - direction.y * step.y, direction.x * step.y + direction.y * step.x);
        const float depth = textureLod(contact_map, at, 0).r;
        if (depth < 1) {
            // The offset prevents a contact point between taps from having infinite weight.
            const float above = max(0, depth - SN_CONTACT_BELOW) * SN_CONTACT_DEPTH * radius;
            const float h = above + 0.035 * radius, h2 = h * h, sum2 = d * d + h2;
            sum += h2 * area / (3.14159265 * sum2 * sum2);
        }
    }
    cover = clamp(sum, 0, 1);
}
