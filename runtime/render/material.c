/* SPDX-License-Identifier: MIT */
/* Materials on the device: constants, textures, samplers, and the descriptor set that binds them. */
#include "runtime/render/model.h"

static sn_result create_pixel(sn_gpu_device *device, const char *name, const uint8_t *rgba, sn_gpu_image *image)
{
    const sn_gpu_image_desc desc = {.name = name,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 1,
                                    .height = 1,
                                    .mip_count = 1,
                                    .sample_count = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = SN_TEXTURE_IMAGE_USAGE,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    SN_TRY(sn_gpu_image_create(device, &desc, image));
    return sn_gpu_upload_image(device, image, rgba);
}

sn_result sn_render_palette_init(sn_gpu_device *device, sn_render_palette *palette)
{
    const sn_result result =
        create_pixel(device, "render white", (const uint8_t[]){255, 255, 255, 255}, &palette->white);
    return result ? result : create_pixel(device, "render flat", (const uint8_t[]){128, 128, 255, 255}, &palette->flat);
}

void sn_render_palette_finish(sn_gpu_device *device, sn_render_palette *palette)
{
    for (int i = 0; i < SN_WRAP_COUNT * SN_WRAP_COUNT * 2; ++i) {
        vkDestroySampler(device->handle, palette->samplers[i / (2 * SN_WRAP_COUNT)][i / 2 % SN_WRAP_COUNT][i % 2],
                         NULL);
    }
    sn_gpu_image_destroy(device, &palette->white);
    sn_gpu_image_destroy(device, &palette->flat);
    *palette = (sn_render_palette){0};
}

static sn_result get_sampler(sn_gpu_device *device, sn_render_palette *palette, const sn_texture *texture,
                             VkSampler *sampler)
{
    static const VkSamplerAddressMode modes[SN_WRAP_COUNT] = {
        VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT};
    sn_result result = SN_OK;
    VkSampler *cached = &palette->samplers[texture->wrap_u][texture->wrap_v][texture->is_nearest != 0];
    if (!*cached) {
        /* llvmpipe's anisotropic filter has an unbounded loop, which takes minutes for a triangle seen edge-on */
        const bool is_software = device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        const bool is_anisotropic = device->features.samplerAnisotropy && !texture->is_nearest && !is_software;
        const VkFilter filter = texture->is_nearest ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;
        const float limit = device->properties.limits.maxSamplerAnisotropy;
        const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                          .magFilter = filter,
                                          .minFilter = filter,
                                          .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
                                          .addressModeU = modes[texture->wrap_u],
                                          .addressModeV = modes[texture->wrap_v],
                                          .addressModeW = VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                          .anisotropyEnable = is_anisotropic,
                                          .maxAnisotropy = is_anisotropic ? (limit < 8 ? limit : 8) : 1,
                                          .maxLod = VK_LOD_CLAMP_NONE};
        SN_VK(vkCreateSampler(device->handle, &info, NULL, cached));
        sn_gpu_name(device, VK_OBJECT_TYPE_SAMPLER, (uint64_t)*cached, "render texture");
    }
    *sampler = *cached;
done:
    return result;
}

/* Image of a texture in sRGB (color) or linear format (data), uploaded on first use. */
static sn_result get_image(sn_gpu_device *device, const sn_model *model, int texture, bool is_color,
                           sn_render_model *render_model, VkImageView *view)
{
    const sn_texture *from = &model->textures[texture];
    sn_gpu_image *image = &render_model->images[2 * texture + is_color];
    const uint32_t limit = device->properties.limits.maxImageDimension2D;
    sn_result result = SN_OK;
    if (!image->handle && ((uint32_t)from->width > limit || (uint32_t)from->height > limit)) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "texture %d: %d x %d pixels; the device supports %u per side",
                              texture, from->width, from->height, limit);
    }
    if (!image->handle) {
        const sn_gpu_image_desc desc = {.name = is_color ? "render texture color" : "render texture data",
                                        .format = is_color ? VK_FORMAT_R8G8B8A8_SRGB : VK_FORMAT_R8G8B8A8_UNORM,
                                        .width = (uint32_t)from->width,
                                        .height = (uint32_t)from->height,
                                        .mip_count = 0,
                                        .sample_count = VK_SAMPLE_COUNT_1_BIT,
                                        .usage = SN_TEXTURE_IMAGE_USAGE,
                                        .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
        result = sn_gpu_image_create(device, &desc, image);
        result = result ? result : sn_gpu_upload_image(device, image, model->texture_pixels + from->first_byte);
    }
    *view = image->view;
    return result;
}

static void set(float to[4], const float xyz[3], float w)
{
    memcpy(to, xyz, 3 * sizeof *to);
    to[3] = w;
}

static void toon_constants(const sn_toon_material *toon, sn_material_constants *c)
{
    static const float none[3] = {0};
    const bool has_matcap = toon->textures[SN_TOON_TEXTURE_MATCAP] >= 0;
    const bool has_shift = toon->textures[SN_TOON_TEXTURE_SHADING_SHIFT] >= 0;
    c->more[1] = 1;
    set(c->shade, toon->shade_color, toon->shading_toony);
    set(c->shading, (float[3]){toon->shading_shift, has_shift ? toon->shading_shift_scale : 0, toon->rim_lift}, 0);
    set(c->matcap, has_matcap ? toon->matcap : none, toon->uv_rotation);
    set(c->rim, toon->rim_color, toon->rim_fresnel_power);
    set(c->outline, toon->outline_color,
        toon->outline == SN_OUTLINE_SCREEN ? -toon->outline_width : toon->outline_width);
    set(c->movement, (float[3]){toon->uv_scroll[0], toon->uv_scroll[1], toon->outline_lighting_mix}, 0);
}

void sn_render_material_constants(const sn_material *material, const sn_toon_material *toon,
                                  sn_material_constants *constants)
{
    const bool has_normals = material->textures[SN_TEXTURE_NORMAL] >= 0;
    const int32_t *sets = material->uv_sets;
    /* blended materials cast a shadow where they are at least half opaque */
    const float cutoff = material->alpha_mode == SN_ALPHA_BLEND ? 0.5F : material->alpha_cutoff;
    *constants = (sn_material_constants){
        .emissive = {material->emissive[0], material->emissive[1], material->emissive[2], cutoff},
        .surface = {material->metallic, material->roughness, has_normals ? material->normal_scale : 0,
                    material->occlusion_strength},
        .uv_sets = {(float)sets[0], (float)sets[1], (float)sets[2], (float)sets[3]},
        .more = {(float)sets[4]},
    };
    memcpy(constants->base_color, material->base_color, sizeof constants->base_color);
    if (toon && toon->is_toon) {
        toon_constants(toon, constants);
    }
}

/* The view and the sampler of a texture; default_view: where there is none. */
static sn_result bind_texture(sn_renderer *renderer, const sn_model *model, int texture, bool is_color,
                              VkImageView default_view, sn_render_model *render_model, sn_gpu_binding *binding)
{
    static const sn_texture default_texture = {
        .width = 1, .height = 1, .wrap_u = SN_WRAP_CLAMP, .wrap_v = SN_WRAP_CLAMP, .is_nearest = 1};
    binding->view = default_view;
    const sn_result result =
        texture >= 0 ? get_image(renderer->device, model, texture, is_color, render_model, &binding->view) : SN_OK;
    return result ? result
                  : get_sampler(renderer->device, &renderer->palette,
                                texture >= 0 ? &model->textures[texture] : &default_texture, &binding->sampler);
}

static sn_result bind_toon_textures(sn_renderer *renderer, const sn_model *model, const sn_toon_material *toon,
                                    sn_render_model *render_model, sn_gpu_binding *bindings)
{
    sn_result result = SN_OK;
    for (int use = 0; !result && use < SN_TOON_TEXTURE_USE_COUNT; ++use) {
        const bool is_color =
            use == SN_TOON_TEXTURE_SHADE || use == SN_TOON_TEXTURE_MATCAP || use == SN_TOON_TEXTURE_RIM;
        result = bind_texture(renderer, model, toon && toon->is_toon ? toon->textures[use] : -1, is_color,
                              renderer->palette.white.view, render_model, &bindings[SN_MATERIAL_TOON_TEXTURES + use]);
    }
    return result;
}

static sn_render_material describe(const sn_material *from, const sn_toon_material *toon)
{
    const bool is_toon = toon && toon->is_toon;
    return (sn_render_material){.alpha_mode = from->alpha_mode,
                                .blend_mode = is_toon && toon->writes_depth ? SN_DRAW_BLEND_DEPTH : SN_DRAW_BLEND,
                                .style = is_toon          ? SN_DRAW_TOON
                                         : from->is_unlit ? SN_DRAW_UNLIT
                                                          : SN_DRAW_LIT,
                                .order = is_toon ? toon->render_order : SN_ORDER_BLEND,
                                .is_double_sided = from->is_double_sided != 0,
                                .has_outline = is_toon && toon->outline != SN_OUTLINE_NONE && toon->outline_width > 0};
}

sn_result sn_render_material_init(sn_renderer *renderer, const sn_model *model, int index, sn_gpu_binding constants,
                                  sn_render_model *render_model, sn_render_material *material)
{
    const sn_material *from = &model->materials[index];
    const sn_toon_material *toon = model->toon_count > 0 ? &model->toons[index] : NULL;
    const sn_render_palette *palette = &renderer->palette;
    sn_gpu_binding bindings[SN_MATERIAL_BINDING_COUNT] = {constants};
    sn_result result = SN_OK;
    for (int use = 0; !result && use < SN_TEXTURE_USE_COUNT; ++use) {
        const bool is_color = use == SN_TEXTURE_BASE_COLOR || use == SN_TEXTURE_EMISSIVE;
        result = bind_texture(renderer, model, from->textures[use], is_color,
                              use == SN_TEXTURE_NORMAL ? palette->flat.view : palette->white.view, render_model,
                              &bindings[SN_MATERIAL_TEXTURES + use]);
    }
    *material = describe(from, toon);
    result = result ? result : bind_toon_textures(renderer, model, toon, render_model, bindings);
    return result ? result
                  : sn_gpu_set_create(renderer->device, "render material", renderer->pipelines.material_set,
                                      sn_material_binding_types, bindings, SN_MATERIAL_BINDING_COUNT, &material->set);
}
