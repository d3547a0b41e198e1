/* SPDX-License-Identifier: MIT */
/* Render target images and samplers. */
#include "runtime/render/private.h"

static VkSampleCountFlagBits sample_count_of(const sn_gpu_device *device)
{
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;
    const VkSampleCountFlags counts = limits->framebufferColorSampleCounts & limits->framebufferDepthSampleCounts;
    return counts & VK_SAMPLE_COUNT_4_BIT   ? VK_SAMPLE_COUNT_4_BIT
           : counts & VK_SAMPLE_COUNT_2_BIT ? VK_SAMPLE_COUNT_2_BIT
                                            : VK_SAMPLE_COUNT_1_BIT;
}

/* Linear filtering of depth comparisons is optional in Vulkan. */
static VkFilter depth_filter(const sn_gpu_device *device)
{
    VkFormatProperties format;
    vkGetPhysicalDeviceFormatProperties(device->physical, VK_FORMAT_D32_SFLOAT, &format);
    return format.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT ? VK_FILTER_LINEAR
                                                                                            : VK_FILTER_NEAREST;
}

static sn_result create_samplers(sn_gpu_device *device, sn_render_targets *targets)
{
    sn_result result = SN_OK;
    /* the border is at the far plane, so that nothing outside the map is in shadow */
    VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                .magFilter = depth_filter(device),
                                .minFilter = depth_filter(device),
                                .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                .compareEnable = VK_TRUE,
                                .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
                                .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
    SN_VK(vkCreateSampler(device->handle, &info, NULL, &targets->compare_sampler));
    info.magFilter = info.minFilter = VK_FILTER_NEAREST;
    info.compareEnable = VK_FALSE;
    SN_VK(vkCreateSampler(device->handle, &info, NULL, &targets->depth_sampler));
    info.magFilter = info.minFilter = VK_FILTER_LINEAR;
    info.borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
    SN_VK(vkCreateSampler(device->handle, &info, NULL, &targets->cover_sampler));
    sn_gpu_name(device, VK_OBJECT_TYPE_SAMPLER, (uint64_t)targets->cover_sampler, "render cover");
    sn_gpu_name(device, VK_OBJECT_TYPE_SAMPLER, (uint64_t)targets->compare_sampler, "render shadow compare");
    sn_gpu_name(device, VK_OBJECT_TYPE_SAMPLER, (uint64_t)targets->depth_sampler, "render shadow depth");
done:
    return result;
}

/* Creates the picture, its multisampled color and its depth. */
static sn_result create_picture(sn_gpu_device *device, const sn_renderer_desc *desc, sn_render_targets *targets)
{
    const VkImageUsageFlags color = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    sn_gpu_image_desc image = {.name = "render samples",
                               .format = VK_FORMAT_R8G8B8A8_SRGB,
                               .width = (uint32_t)desc->width,
                               .height = (uint32_t)desc->height,
                               .mip_count = 1,
                               .sample_count = targets->sample_count,
                               .usage = color,
                               .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    sn_result result = SN_OK;
    if (image.sample_count != VK_SAMPLE_COUNT_1_BIT) {
        result = sn_gpu_image_create(device, &image, &targets->samples);
    }
    image.name = "render resolved";
    image.sample_count = VK_SAMPLE_COUNT_1_BIT;
    image.usage = color | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    result = result ? result : sn_gpu_image_create(device, &image, &targets->resolved);
    image.name = "render depth";
    image.format = VK_FORMAT_D32_SFLOAT;
    image.sample_count = targets->sample_count;
    image.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    image.aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
    return result ? result : sn_gpu_image_create(device, &image, &targets->depth);
}

/* Creates the shadow, contact and cover maps, whose sizes are independent of the picture. */
static sn_result create_maps(sn_gpu_device *device, const sn_renderer_desc *desc, sn_render_targets *targets)
{
    sn_gpu_image_desc image = {.name = "render shadow map",
                               .format = VK_FORMAT_D32_SFLOAT,
                               .width = (uint32_t)desc->shadow_size,
                               .height = (uint32_t)desc->shadow_size,
                               .mip_count = 1,
                               .sample_count = VK_SAMPLE_COUNT_1_BIT,
                               .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                               .aspect = VK_IMAGE_ASPECT_DEPTH_BIT};
    sn_result result = sn_gpu_image_create(device, &image, &targets->shadow);
    image.name = "render contact map";
    image.width = image.height = SN_CONTACT_SIZE;
    result = result ? result : sn_gpu_image_create(device, &image, &targets->contact);
    image.name = "render cover map";
    image.format = SN_COVER_FORMAT;
    image.width = image.height = SN_COVER_SIZE;
    image.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    image.aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    return result ? result : sn_gpu_image_create(device, &image, &targets->cover);
}

/* Transitions images to the access state in which a frame ends. */
static sn_result transition_images(sn_gpu_device *device, const sn_render_targets *targets, bool has_new_maps)
{
    VkCommandBuffer commands;
    uint64_t submission;
    const sn_result result = sn_gpu_begin(device, &commands);
    if (result) {
        return result;
    }
    if (targets->samples.handle) {
        sn_gpu_barrier_image(commands, &targets->samples, SN_GPU_NONE, SN_GPU_COLOR_WRITE);
    }
    sn_gpu_barrier_image(commands, &targets->resolved, SN_GPU_NONE, SN_GPU_TRANSFER_READ);
    sn_gpu_barrier_image(commands, &targets->depth, SN_GPU_NONE, SN_GPU_DEPTH_WRITE);
    if (has_new_maps) {
        sn_gpu_barrier_image(commands, &targets->shadow, SN_GPU_NONE, SN_GPU_SHADER_READ);
        sn_gpu_barrier_image(commands, &targets->contact, SN_GPU_NONE, SN_GPU_SHADER_READ);
        sn_gpu_barrier_image(commands, &targets->cover, SN_GPU_NONE, SN_GPU_SHADER_READ);
    }
    const sn_result submitted = sn_gpu_submit(device, commands, &submission);
    return submitted ? submitted : sn_gpu_wait(device, submission);
}

static void destroy_picture(sn_gpu_device *device, sn_render_targets *targets)
{
    sn_gpu_image_destroy(device, &targets->samples);
    sn_gpu_image_destroy(device, &targets->resolved);
    sn_gpu_image_destroy(device, &targets->depth);
}

sn_result sn_render_targets_resize(sn_gpu_device *device, const sn_renderer_desc *desc, sn_render_targets *targets)
{
    destroy_picture(device, targets);
    SN_TRY(create_picture(device, desc, targets));
    return transition_images(device, targets, false);
}

sn_result sn_render_targets_init(sn_gpu_device *device, const sn_renderer_desc *desc, sn_render_targets *targets)
{
    targets->sample_count = sample_count_of(device);
    SN_TRY(create_picture(device, desc, targets));
    SN_TRY(create_maps(device, desc, targets));
    SN_TRY(create_samplers(device, targets));
    return transition_images(device, targets, true);
}

void sn_render_targets_finish(sn_gpu_device *device, sn_render_targets *targets)
{
    destroy_picture(device, targets);
    sn_gpu_image_destroy(device, &targets->shadow);
    sn_gpu_image_destroy(device, &targets->contact);
    sn_gpu_image_destroy(device, &targets->cover);
    vkDestroySampler(device->handle, targets->compare_sampler, NULL);
    vkDestroySampler(device->handle, targets->depth_sampler, NULL);
    vkDestroySampler(device->handle, targets->cover_sampler, NULL);
    *targets = (sn_render_targets){0};
}
