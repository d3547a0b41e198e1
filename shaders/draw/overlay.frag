/* SPDX-License-Identifier: MIT */
#version 460
/* Markers as signed distances in pixels, antialiased by a ramp of one pixel. */
#extension GL_GOOGLE_include_directive : require
#include "shaders/draw/frame.glsl"
#include "shaders/shared/overlay.h"

layout(constant_id = 0) const bool is_hidden = false; // draws the parts behind a body

layout(location = 0) in vec2 local_position;
layout(location = 1) flat in vec2 extent;
layout(location = 2) flat in uint shape;
layout(location = 3) flat in vec4 fill;
layout(location = 4) flat in vec4 edge;

layout(location = 0) out vec4 color;

float sn_cover(float distance)
{
    return clamp(0.5 - distance, 0, 1);
}

float sn_segment(vec2 p, vec2 a, vec2 b)
{
    const vec2 pa = p - a, ba = b - a;
    return length(pa - ba * clamp(dot(pa, ba) / max(dot(ba, ba), 1e-9), 0, 1));
}

float sn_round_box(vec2 p, vec2 half_size, float radius)
{
    const vec2 q = abs(p) - half_size + radius;
    return min(max(q.x, q.y), 0) + length(max(q, 0)) - radius;
}

/* A kite from the origin to (length, 0). */
float sn_bone(vec2 p, float half_width, float span)
{
    const float h = min(half_width, 0.22 * span), shoulder = min(1.4 * h, 0.3 * span);
    const vec2 q = vec2(p.x, abs(p.y)), top = vec2(shoulder, h), tip = vec2(span, 0);
    const float distance = min(sn_segment(q, vec2(0), top), sn_segment(q, top, tip));
    const bool is_inside = q.y * shoulder < q.x * h && q.y * (span - shoulder) < (span - q.x) * h;
    return is_inside ? -distance : distance;
}

/* The strokes of a badge's letter; p in half heights, y down. */
float sn_glyph(vec2 p)
{
    const float thin = 0.13;
    switch (shape) {
    case SN_MARKER_X:
        return sn_segment(abs(p), vec2(0), vec2(0.36, 0.46)) - thin;
    case SN_MARKER_Y:
        return min(sn_segment(vec2(abs(p.x), p.y), vec2(0, 0.02), vec2(0.38, -0.46)),
                   sn_segment(p, vec2(0, 0.02), vec2(0, 0.48))) - thin;
    case SN_MARKER_Z:
        return min(min(sn_segment(p, vec2(-0.36, -0.44), vec2(0.36, -0.44)),
                       sn_segment(p, vec2(-0.36, 0.44), vec2(0.36, 0.44))),
                   sn_segment(p, vec2(0.36, -0.44), vec2(-0.36, 0.44))) - thin;
    case SN_MARKER_ROTATION: {
        // 3/4 of a circle, then the arrow head.
        const float arc = p.x > 0 && p.y < 0 ? min(length(p - vec2(0, -0.44)), length(p - vec2(0.44, 0)))
                                             : abs(length(p) - 0.44);
        const float head = min(sn_segment(p, vec2(0.02, -0.44), vec2(-0.2, -0.72)),
                               sn_segment(p, vec2(0.02, -0.44), vec2(-0.24, -0.2)));
        return min(arc, head) - thin;
    }
    case SN_MARKER_LOCK: {
        const float box = sn_round_box(p - vec2(0, 0.22), vec2(0.46, 0.36), 0.08);
        const vec2 q = p - vec2(0, -0.2);
        const float bow = q.y > 0 ? sn_segment(vec2(abs(q.x), q.y), vec2(0.28, 0), vec2(0.28, 0.2))
                                  : abs(length(q) - 0.28);
        return min(box, bow - 0.1);
    }
    case SN_MARKER_STRETCH: {
        const vec2 q = vec2(abs(p.x), p.y);
        return min(min(sn_segment(q, vec2(0), vec2(0.5, 0)), sn_segment(q, vec2(0.54, 0), vec2(0.26, 0.28))),
                   sn_segment(q, vec2(0.54, 0), vec2(0.26, -0.28))) - thin;
    }
    }
    return 1;
}

float sn_outline()
{
    const float size = extent.x, span = extent.y;
    switch (shape) {
    case SN_MARKER_LINE:
    case SN_MARKER_DASHES:
        return sn_segment(local_position, vec2(0), vec2(span, 0)) - size;
    case SN_MARKER_BONE:
        return sn_bone(local_position, size, span);
    case SN_MARKER_PANEL:
        return sn_round_box(local_position - vec2(0.5 * span, 0), vec2(0.5 * span, size),
            min(size, 7 * frame.overlay.x));
    case SN_MARKER_DISC:
        return length(local_position) - size;
    case SN_MARKER_SQUARE:
        return sn_round_box(local_position, vec2(size), 0.2 * size);
    }
    return sn_round_box(local_position, vec2(size), 0.45 * size);
}

void main()
{
    const float scale = frame.overlay.x, distance = sn_outline();
    const bool is_badge = shape >= SN_MARKER_X && shape != SN_MARKER_PANEL;
    const float inside = sn_cover(distance);
    // The edge color of a badge is the color of its letter, not of a band around it.
    const float band = is_badge ? 0 : sn_cover(distance - 1.5 * scale) - inside;
    vec4 inner = fill;
    if (is_badge) {
        inner = mix(fill, vec4(edge.rgb, fill.a), edge.a * sn_cover(extent.x * sn_glyph(local_position / extent.x)));
    } else if (shape == SN_MARKER_BONE) {
        inner.rgb *= mix(1, 0.62, sn_cover(-local_position.y)); // the facet that faces down
    }
    color = vec4(inner.rgb, 1) * (inner.a * inside) + vec4(edge.rgb, 1) * (edge.a * band);
    if (shape == SN_MARKER_DASHES) {
        const float phase = mod(local_position.x / (5 * scale), 2);
        color *= sn_cover((abs(phase - 0.5) - 0.5) * 5 * scale);
    }
    color *= is_hidden ? frame.overlay.y : 1;
    if (color.a < 1e-3) {
        discard;
    }
}
