/* SPDX-License-Identifier: MIT */
/* VRM's toon shader MToon 1.0 (VRMC_materials_mtoon), under one white light: what faces it has the base color, as in a
 * viewer without ambient light. Include after frame.glsl and material.glsl. */

struct sn_toon_surface {
    vec3 normal, view; // view: to the eye
    vec3 base_color;
    vec2 uv;
    float shadow; // 1 in full light
};

/* Coordinates in an image of a sphere, from the normal as seen from the eye. */
vec2 sn_matcap_uv(vec3 normal, vec3 view)
{
    const vec3 x = normalize(vec3(view.z, 0, -view.x) + vec3(1e-6, 0, 0)), y = cross(view, x);
    return 0.5 + 0.5 * vec2(dot(x, normal), -dot(y, normal));
}

/* The light is white, so that rim lighting mix has no effect. */
vec3 sn_toon_rim(sn_toon_surface s)
{
    const vec3 matcap = material.matcap.rgb * texture(matcap_texture, sn_matcap_uv(s.normal, s.view)).rgb;
    const float edge = clamp(1 - dot(s.normal, s.view) + material.shading.z, 0, 1);
    const vec3 rim = material.rim.rgb * pow(edge, max(material.rim.w, 1e-5));
    return (matcap + rim) * texture(rim_texture, s.uv).rgb;
}

vec3 sn_shade_toon(sn_toon_surface s)
{
    const vec3 shade = material.shade.rgb * texture(shade_texture, s.uv).rgb;
    const float shift = material.shading.x + material.shading.y * texture(shading_shift_texture, s.uv).r;
    const float softness = max(1 - material.shade.w, 1e-3);
    const float facing = dot(s.normal, -frame.light_along.xyz) + shift;
    const float lit = clamp((facing + softness) / (2 * softness), 0, 1) * s.shadow;
    return mix(shade, s.base_color, lit) + sn_toon_rim(s);
}
