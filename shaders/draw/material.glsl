/* SPDX-License-Identifier: MIT */
/* Set 2: a material and its textures. Include after frame.glsl. */
layout(set = 2, binding = SN_MATERIAL_CONSTANTS, std140) uniform sn_material_buffer { sn_material_constants material; };
layout(set = 2, binding = SN_MATERIAL_TEXTURES) uniform sampler2D base_color_texture;
layout(set = 2, binding = SN_MATERIAL_TEXTURES + 1) uniform sampler2D metallic_roughness_texture;
layout(set = 2, binding = SN_MATERIAL_TEXTURES + 2) uniform sampler2D normal_texture;
layout(set = 2, binding = SN_MATERIAL_TEXTURES + 3) uniform sampler2D occlusion_texture;
layout(set = 2, binding = SN_MATERIAL_TEXTURES + 4) uniform sampler2D emissive_texture;

/* One of the two UV sets. */
vec2 sn_uv(vec4 uvs, float set)
{
    return mix(uvs.xy, uvs.zw, set);
}

vec4 sn_base_color(vec4 uvs, vec4 color)
{
    return material.base_color * color * texture(base_color_texture, sn_uv(uvs, material.uv_sets.x));
}
