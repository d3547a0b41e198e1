/* SPDX-License-Identifier: MIT */
/* Set 2: a material and its textures. Include after frame.glsl. */
layout(set = 2, binding = SN_MATERIAL_CONSTANTS, std140) uniform sn_material_buffer { sn_material_constants material; };
layout(set = 2, binding = SN_MATERIAL_TEXTURES) uniform sampler2D base_color_texture;
layout(set = 2, binding = SN_MATERIAL_TEXTURES + 1) uniform sampler2D metallic_roughness_texture;
layout(set = 2, binding = SN_MATERIAL_TEXTURES + 2) uniform sampler2D normal_texture;
layout(set = 2, binding = SN_MATERIAL_TEXTURES + 3) uniform sampler2D occlusion_texture;
layout(set = 2, binding = SN_MATERIAL_TEXTURES + 4) uniform sampler2D emissive_texture;
layout(set = 2, binding = SN_MATERIAL_TOON_TEXTURES) uniform sampler2D shade_texture;
layout(set = 2, binding = SN_MATERIAL_TOON_TEXTURES + 1) uniform sampler2D shading_shift_texture;
layout(set = 2, binding = SN_MATERIAL_TOON_TEXTURES + 2) uniform sampler2D matcap_texture;
layout(set = 2, binding = SN_MATERIAL_TOON_TEXTURES + 3) uniform sampler2D rim_texture;
layout(set = 2, binding = SN_MATERIAL_TOON_TEXTURES + 4) uniform sampler2D outline_width_texture;
layout(set = 2, binding = SN_MATERIAL_TOON_TEXTURES + 5) uniform sampler2D uv_animation_texture;

/* One of the two UV sets; those of toon materials move. */
vec2 sn_uv(vec4 uvs, float set)
{
    const vec2 uv = mix(uvs.xy, uvs.zw, set);
    const vec3 speed = vec3(material.movement.xy, material.matcap.w);
    if (speed == vec3(0)) {
        return uv;
    }
    const float time = frame.overlay.z * textureLod(uv_animation_texture, uv, 0).b;
    const float angle = speed.z * time, c = cos(angle), s = sin(angle);
    return mat2(c, -s, s, c) * (uv + speed.xy * time - 0.5) + 0.5;
}

/* MToon ignores vertex colors. */
vec4 sn_base_color(vec4 uvs, vec4 color)
{
    const vec4 factor = material.more.y > 0 ? vec4(1) : color;
    return material.base_color * factor * texture(base_color_texture, sn_uv(uvs, material.uv_sets.x));
}
