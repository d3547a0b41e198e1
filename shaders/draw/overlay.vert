/* SPDX-License-Identifier: MIT */
#version 460
/* A quad per marker, in pixels, with a margin for its edge and the antialiasing. All vertices have w = 1, so
 * interpolation is linear on screen. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"
#include "shaders/shared/overlay.h"

layout(location = 0) in vec4 from_size;
layout(location = 1) in vec4 to_bias;
layout(location = 2) in vec2 offset;
layout(location = 3) in uint marker_shape;
layout(location = 4) in vec4 fill_color;
layout(location = 5) in vec4 edge_color;

layout(location = 0) out vec2 local_position;      // pixels: along, across a line; else from the center
layout(location = 1) flat out vec2 extent; // pixels: size, and length of lines
layout(location = 2) flat out uint shape;
layout(location = 3) flat out vec4 fill;
layout(location = 4) flat out vec4 edge;

/* Screen position of a point, in pixels, and the depth of the point that is `bias` closer to the eye. */
vec3 sn_project(vec3 point, float bias)
{
    const vec4 clip = frame.view_projection * vec4(point, 1);
    const vec3 towards = frame.eye.xyz - point;
    const float distance = length(towards);
    const vec4 before = frame.view_projection * vec4(point + towards * min(bias / max(distance, 1e-6), 0.9), 1);
    return vec3((0.5 * clip.xy / clip.w + 0.5) * frame.screen.xy, clamp(before.z / before.w, 0, 1));
}

vec4 sn_linear(vec4 color)
{
    const vec3 c = color.rgb;
    return vec4(mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045))), color.a);
}

void main()
{
    const vec2 corners[6] = vec2[6](vec2(-1, -1), vec2(1, -1), vec2(-1, 1), vec2(-1, 1), vec2(1, -1), vec2(1, 1));
    const vec2 corner = corners[gl_VertexIndex];
    const float scale = frame.overlay.x;
    const bool is_on_screen = (marker_shape & SN_MARKER_ON_SCREEN) != 0;
    shape = marker_shape & ~SN_MARKER_ON_SCREEN;
    const bool is_long = shape <= SN_MARKER_BONE || is_on_screen;
    vec3 start = from_size.xyz, end = is_long ? to_bias.xyz : start;
    const float start_depth = (frame.view_projection * vec4(start, 1)).z;
    const float end_depth = (frame.view_projection * vec4(end, 1)).z;
    extent = vec2(from_size.w * scale, 0);
    fill = sn_linear(fill_color);
    edge = sn_linear(edge_color);
    local_position = vec2(0);
    gl_Position = vec4(2, 2, 2, 1); // outside the view: nothing is drawn
    if (!is_on_screen && start_depth <= 0 && end_depth <= 0) {
        return;
    }
    // Clips lines at the near plane.
    if (start_depth <= 0 && !is_on_screen) {
        start = mix(start, end, 1.001 * start_depth / (start_depth - end_depth));
    } else if (end_depth <= 0 && !is_on_screen) {
        end = mix(end, start, 1.001 * end_depth / (end_depth - start_depth));
    }
    const vec2 base = vec2(0, from_size.z * frame.screen.y);
    const vec3 a = is_on_screen ? vec3(base + scale * from_size.xy, 0) : sn_project(start, to_bias.w);
    const vec3 b = is_on_screen ? vec3(base + scale * to_bias.xy, 0) : sn_project(end, to_bias.w);
    const float margin = extent.x + 1.5 * scale + 1.5, span = length(b.xy - a.xy);
    const vec2 along = is_long && span > 1e-3 ? (b.xy - a.xy) / span : vec2(1, 0);
    const vec2 across = vec2(-along.y, along.x);
    extent.y = is_long ? span : 0;
    local_position = vec2(corner.x < 0 ? -margin : extent.y + margin, corner.y * margin);
    const vec2 pixel = a.xy + scale * offset + local_position.x * along + local_position.y * across;
    gl_Position = vec4(2 * pixel * frame.screen.zw - 1, corner.x < 0 ? a.z : b.z, 1);
}
