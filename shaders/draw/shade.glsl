/* SPDX-License-Identifier: MIT */
/* Surface shading: GGX with the height-correlated Smith term, Schlick's Fresnel, Lambert; one directional light and a
 * studio environment. Include after frame.glsl.
 *
 * Radiances are relative to a white diffuse surface: facing a light of radiance 1, its radiance is 1. */

struct sn_surface {
    vec3 position, normal, face; // face: the interpolated normal, without the normal map
    vec3 view;                   // to the eye
    vec3 base_color;
    float metallic, roughness, occlusion;
};

/* Converts the normal variation within a pixel to roughness, which prevents sparkling highlights (Tokuyoshi and
 * Kaplanyan 2019). Call from uniform control flow. */
float sn_filtered_alpha(float roughness, vec3 normal)
{
    const vec3 dx = dFdx(normal), dy = dFdy(normal);
    const float variance = 0.25 * (dot(dx, dx) + dot(dy, dy));
    const float alpha = roughness * roughness;
    return sqrt(clamp(alpha * alpha + min(2 * variance, 0.18), 1e-4, 1));
}

/* Irradiance of a light with an extent: its disk sets gradually, which softens the terminator. */
float sn_facing_light(float cosine, float size)
{
    const float s = max(size, 0.02), above = clamp(cosine + s, 0, 2 * s);
    return cosine > s ? cosine : above * above / (4 * s);
}

vec3 sn_fresnel(vec3 f0, float cosine)
{
    return f0 + (1 - f0) * pow(1 - clamp(cosine, 0, 1), 5);
}

vec3 sn_direct(sn_surface s, vec3 diffuse, vec3 f0, float alpha)
{
    const vec3 light = -frame.light_along.xyz;
    const float size = frame.light_along.w;
    const vec3 h = normalize(s.view + light);
    const float nl = sn_facing_light(dot(s.normal, light), size), nv = max(dot(s.normal, s.view), 1e-3);
    const float nh = clamp(dot(s.normal, h), 0, 1), lh = clamp(dot(light, h), 0, 1);
    // The light's disk widens the lobe.
    const float a2 = min(alpha * alpha + 0.25 * size * size, 1);
    const float d = (nh * a2 - nh) * nh + 1;
    const float smith = nl * sqrt(nv * nv * (1 - a2) + a2) + nv * sqrt(nl * nl * (1 - a2) + a2);
    const vec3 f = sn_fresnel(f0, lh);
    const vec3 specular = f * (a2 / (d * d) * 0.5 / max(smith, 1e-4)); // times pi, like all terms here
    // Removes light on mapped normals where the surface itself faces away.
    const float above = smoothstep(-0.5 * size - 0.02, 0.5 * size + 0.1, dot(s.face, light));
    return (diffuse * (1 - f) + specular) * (nl * above) * frame.light_radiance.rgb;
}

/* 1 inside an interval of this half width around 0, 0 outside, with an edge of width `blur`. */
float sn_window(float x, float half_width, float blur)
{
    return 1 - smoothstep(half_width - blur, half_width + blur, abs(x));
}

/* Reflected environment for a roughness: sky over ground, a softbox overhead, and two upright ones, a wide one on the
 * light's side and a narrow one opposite. */
vec3 sn_studio(vec3 direction, float roughness)
{
    const float blur = 0.06 + roughness;
    const vec3 sky = frame.sky.rgb, floor_light = frame.ground.rgb;
    const float up = smoothstep(-blur, blur, direction.y);
    vec3 light = mix(floor_light * (1.15 + 0.65 * min(direction.y, 0)), sky * (1.05 - 0.55 * max(direction.y, 0)), up);
    const vec2 across = direction.y > 0.05 ? direction.xz / direction.y : direction.xz * 20;
    const float overhead = sn_window(across.x, 0.8, 0.8 * blur) * sn_window(across.y, 0.55, 0.8 * blur);
    const vec2 side = normalize(frame.light_along.xz + vec2(1e-5, 0)), flat_direction = normalize(direction.xz + 1e-5);
    // Angles around the vertical, as cosines, from the light's side rotated by 42 degrees.
    const vec2 key_side = -(side + 0.9 * vec2(-side.y, side.x)) * 0.743294;
    const float key = acos(clamp(dot(flat_direction, key_side), -1, 1));
    const float rim = acos(clamp(dot(flat_direction, -key_side), -1, 1));
    const float upright = sn_window(direction.y - 0.28, 0.42, 0.35 * blur);
    const float boxes = 1.6 * overhead * up + 1.5 * upright * sn_window(key, 0.38, 0.4 * blur) +
                        1.1 * upright * sn_window(rim, 0.16, 0.4 * blur);
    return light + sky * boxes * mix(1.0, 0.45, roughness);
}

/* Ambient irradiance of a diffuse surface. */
vec3 sn_hemisphere(sn_surface s)
{
    // The light from the ground is weak below a body, which shades it.
    const float height = (s.position.y - frame.floor_plane.x) / frame.bounds.w;
    const float bounce = mix(1, mix(0.6, 1, smoothstep(0.0, 0.8, height)), frame.floor_plane.y);
    return mix(frame.ground.rgb * bounce, frame.sky.rgb, smoothstep(-1.0, 1.0, s.normal.y));
}

/* The split sum's second factor (Karis, Physically based shading on mobile, 2014): scale and bias of f0. */
vec2 sn_environment_brdf(float roughness, float nv)
{
    const vec4 r = roughness * vec4(-1, -0.0275, -0.572, 0.022) + vec4(1, 0.0425, 1.04, -0.04);
    const float a = min(r.x * r.x, exp2(-9.28 * nv)) * r.x + r.y;
    return vec2(-1.04, 1.04) * a + r.zw;
}

vec3 sn_ambient(sn_surface s, vec3 diffuse, vec3 f0, float roughness)
{
    const float nv = clamp(dot(s.normal, s.view), 1e-3, 1);
    const vec2 ab = sn_environment_brdf(roughness, nv);
    // Multiple scattering of rough surfaces, which the split sum omits (Fdez-Agüera 2019).
    const vec3 gain = 1 + f0 * (1 / max(ab.x + ab.y, 0.05) - 1);
    const vec3 reflected = reflect(-s.view, s.normal);
    const float horizon = clamp(1 + 1.2 * dot(reflected, s.face), 0, 1);
    const float occlusion =
        clamp(pow(nv + s.occlusion, exp2(-16 * roughness - 1)) - 1 + s.occlusion, 0, 1); // Lagarde and de Rousiers 2014
    const vec3 mirrored = f0 * ab.x + ab.y;
    const vec3 specular = mirrored * gain * sn_studio(reflected, roughness) * (horizon * horizon * occlusion);
    return diffuse * (1 - mirrored) * sn_hemisphere(s) * s.occlusion + specular;
}

/* shadow: 1 in full light. */
vec3 sn_shade(sn_surface s, float shadow)
{
    const vec3 f0 = mix(vec3(0.04), s.base_color, s.metallic);
    const vec3 diffuse = s.base_color * (1 - s.metallic);
    const float alpha = sn_filtered_alpha(s.roughness, s.normal);
    return sn_direct(s, diffuse, f0, alpha) * shadow + sn_ambient(s, diffuse, f0, sqrt(alpha));
}
