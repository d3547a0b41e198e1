/* SPDX-License-Identifier: MIT */
/* Conversion to display values: tone mapping, dithering, the background. Include after frame.glsl. */

/* Khronos PBR Neutral: preserves base colors, compresses highlights only. */
vec3 sn_tone_map(vec3 color)
{
    const float start = 0.8 - 0.04, desaturation = 0.15;
    const float darkest = min(color.r, min(color.g, color.b));
    color -= darkest < 0.08 ? darkest - 6.25 * darkest * darkest : 0.04;
    const float peak = max(color.r, max(color.g, color.b));
    if (peak < start) {
        return color;
    }
    const float rest = 1 - start;
    const float new_peak = 1 - rest * rest / (peak + rest - start);
    const float grey = 1 - 1 / (desaturation * (peak - new_peak) + 1);
    return mix(color * (new_peak / peak), vec3(new_peak), grey);
}

/* Interleaved gradient noise, 0 .. 1, evenly distributed over any 3 x 3 pixels (Jimenez, Next Generation Post
 * Processing, 2014). */
float sn_gradient_noise(vec2 pixel)
{
    return fract(52.9829189 * fract(dot(floor(pixel), vec2(0.06711056, 0.00583715))));
}

/* Adds up to 1/2 step of the 8-bit sRGB target, which prevents banding of gradients. The pattern is fixed. */
vec3 sn_dither(vec3 color)
{
    const vec3 c = clamp(color, 0, 1);
    // The derivative of light with respect to the stored value.
    const vec3 slope = max(2.4 / 1.055 * pow(max(c, 1e-6), vec3(1.4 / 2.4)), 1 / 12.92);
    return c + slope * ((sn_gradient_noise(gl_FragCoord.xy) - 0.5) * (0.98 / 255));
}

/* A studio backdrop: slightly brighter behind the center, darker towards floor and corners. Uniform in a headset, where
 * a glow would move with the head. */
vec3 sn_background()
{
    if (frame.background.w == 0) {
        return frame.background.rgb;
    }
    const vec2 at = 2 * gl_FragCoord.xy * frame.screen.zw - 1;
    const vec2 from_light = at - vec2(0, -0.15);
    const float glow = exp(-1.1 * dot(from_light, from_light));
    return frame.background.rgb * (0.93 + 0.13 * glow - 0.03 * at.y);
}
