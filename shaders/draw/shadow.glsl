/* SPDX-License-Identifier: MIT */
/* Soft shadows of a directional light of finite size: percentage-closer soft shadows (Fernando 2005). Lengths are in
 * metres of the light's frame: xy across the light, z along it.
 *
 * Taps are on a Vogel spiral that is rotated by interleaved gradient noise for each quad of 2 x 2 pixels. The pixels of
 * a quad share their results, so each benefits from four times its own taps. In the blocker search, each pixel takes
 * every fourth point of one spiral. In the filter, each has a whole spiral, rotated by 90 degrees from the next
 * pixel's; results are shared only if the penumbra is several pixels wide, as its edge would otherwise show the quads.
 * The map contains the first blocker only: where a second one touches the receiver, the penumbra is too wide and some
 * light leaks into the crease. Sums are shared through derivatives: call from uniform control flow. */

layout(set = 0, binding = SN_FRAME_SHADOW) uniform sampler2DShadow shadow_map;
layout(set = 0, binding = SN_FRAME_SHADOW_DEPTH) uniform sampler2D shadow_depths;

const int sn_search_taps = 12;
const int sn_filter_taps = 26;
/* Penumbra radii, in pixels, at which sharing begins and is complete. */
const vec2 sn_shared_pixels = vec2(3, 8);
/* Maximum slope of the receiver's plane; steeper planes are at the terminator. */
const float sn_slope_limit = 6;

/* Mean over the quad of 2 x 2 pixels. */
vec2 sn_quad_mean(vec2 value)
{
    const vec2 toward = 0.5 - mod(floor(gl_FragCoord.xy), 2);
    value += dFdxFine(value) * toward.x;
    return value + dFdyFine(value) * toward.y;
}

/* An iterator over this pixel's spiral in the unit disk. */
struct sn_spiral {
    vec2 direction, rotation; // rotation from point to point, as cosine and sine
    float quad_index;          // index of the pixel in the quad, 0 .. 3
};

const float sn_golden_angle = 2.39996323;
const vec2 sn_golden_rotation = vec2(-0.73736888, 0.67549029), sn_golden_rotation_4 = vec2(-0.98471349, -0.17418195);

/* start: in radians; step: angle from one pixel of the quad to the next. */
sn_spiral sn_spiral_begin(float start, float step, vec2 rotation)
{
    const vec2 lane = mod(floor(gl_FragCoord.xy), 2);
    const float quad_index = lane.x + 2 * lane.y, angle = start + quad_index * step;
    return sn_spiral(vec2(cos(angle), sin(angle)), rotation, quad_index);
}

/* Point i of `count`; call with consecutive i. */
vec2 sn_spiral_next(inout sn_spiral spiral, int i, int count)
{
    const vec2 d = spiral.direction, s = spiral.rotation;
    spiral.direction = vec2(d.x * s.x - d.y * s.y, d.x * s.y + d.y * s.x);
    return d * sqrt((i + 0.25 * spiral.quad_index + 0.125) / count);
}

float sn_quad_rotation()
{
    return 6.2831853 * sn_gradient_noise(floor(gl_FragCoord.xy / 2));
}

struct sn_receiver {
    vec3 at;    // in the light's frame
    vec2 slope; // dz/dxy of its tangent plane: taps follow the plane, which prevents self-shadowing
    float bias;
};

sn_receiver sn_shadow_receiver(vec3 position, vec3 normal)
{
    const vec3 along = frame.light_along.xyz;
    const float facing = -dot(normal, along);
    const float texel = frame.shadow.z;
    // Moves the receiver off the surface, further at grazing light, where the facets of a coarse mesh deviate most from
    // their normals.
    const float offset = texel * (1 + 2 * (1 - abs(facing))) + 0.006 * frame.bounds.w * pow(1 - clamp(facing, 0, 1), 2);
    const vec3 p = position + normal * offset - frame.bounds.xyz;
    sn_receiver receiver;
    receiver.at = vec3(dot(p, frame.light_right.xyz), dot(p, frame.light_up.xyz), dot(p, along));
    receiver.slope = vec2(dot(normal, frame.light_right.xyz), dot(normal, frame.light_up.xyz)) / max(facing, 0.05);
    const float steepness = length(receiver.slope);
    receiver.slope *= min(1, sn_slope_limit / max(steepness, 1e-6));
    receiver.bias = texel * (0.5 + 0.75 * min(steepness, sn_slope_limit));
    return receiver;
}

/* Depth in the map of a tap on the receiver's plane. */
float sn_tap_depth(sn_receiver receiver, vec2 offset)
{
    // Beyond a short distance the plane is a poor approximation and light would leak in where surfaces meet.
    const float max_offset = 0.15 * frame.bounds.w;
    const float on_plane = clamp(dot(receiver.slope, offset), -max_offset, max_offset);
    return (receiver.at.z + on_plane - receiver.bias) / frame.shadow.y + 0.5;
}

/* Number of blockers within `search` metres, and the sum of their distances. */
vec2 sn_find_blockers(sn_receiver receiver, float search, float rotation)
{
    sn_spiral spiral = sn_spiral_begin(rotation, sn_golden_angle, sn_golden_rotation_4);
    vec2 blockers = vec2(0);
    for (int i = 0; i < sn_search_taps; ++i) {
        const vec2 offset = search * sn_spiral_next(spiral, i, sn_search_taps);
        const float depth = textureLod(shadow_depths, (receiver.at.xy + offset) / frame.shadow.x + 0.5, 0).r;
        const float distance = sn_tap_depth(receiver, offset) - depth;
        blockers += distance > 0 && depth < 1 ? vec2(1, distance) : vec2(0);
    }
    return blockers;
}

float sn_filter_shadow(sn_receiver receiver, float radius, float rotation)
{
    sn_spiral spiral = sn_spiral_begin(rotation, 1.57079633, sn_golden_rotation);
    float light = 0;
    for (int i = 0; i < sn_filter_taps; ++i) {
        const vec2 offset = radius * sn_spiral_next(spiral, i, sn_filter_taps);
        const float depth = min(sn_tap_depth(receiver, offset), 1);
        light += textureLod(shadow_map, vec3((receiver.at.xy + offset) / frame.shadow.x + 0.5, depth), 0);
    }
    return light / sn_filter_taps;
}

/* 1 in full light, 0 in full shadow. */
float sn_shadow(vec3 position, vec3 normal)
{
    const sn_receiver receiver = sn_shadow_receiver(position, normal);
    const float rotation = sn_quad_rotation();
    const float texel = frame.shadow.z, light_size = frame.light_along.w;
    // Maximum lateral distance of a blocker: the nearest one to the light is a radius before the center.
    const float search = max(light_size * (receiver.at.z + frame.bounds.w), 2 * texel);
    const bool is_near = all(lessThan(abs(receiver.at.xy), vec2(0.5 * frame.shadow.x + search)));
    const bool is_facing = -dot(normal, frame.light_along.xyz) > -light_size; // else it is unlit
    vec2 blockers = vec2(0);
    if (is_near && is_facing) {
        blockers = sn_find_blockers(receiver, search, rotation);
    }
    blockers = sn_quad_mean(blockers);
    const float penumbra = light_size * blockers.y / max(blockers.x, 1e-3) * frame.shadow.y;
    const float radius = max(penumbra, 1.5 * texel);
    const float pixel = length(fwidth(receiver.at));
    float light = 1;
    if (blockers.x > sn_search_taps - 0.1) {
        light = 0;
    } else if (blockers.x > 0) {
        light = sn_filter_shadow(receiver, radius, rotation);
    }
    return mix(light, sn_quad_mean(vec2(light)).x, smoothstep(sn_shared_pixels.x, sn_shared_pixels.y, radius / pixel));
}
