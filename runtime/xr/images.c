/* SPDX-License-Identifier: MIT */
/* The eyes' images: two swapchains of one size, to which the renderer's pictures are copied. */
#include "compute/core/commands.h"
#include "runtime/xr/private.h"

#define FORMAT_LIMIT 64

/* Chooses an 8-bit sRGB format, preferably the renderer's own. */
static sn_result choose_format(const sn_xr *xr, int64_t *format)
{
    int64_t formats[FORMAT_LIMIT];
    uint32_t count = 0;
    sn_result result = SN_OK;
    *format = 0;
    SN_XR(xrEnumerateSwapchainFormats, xr->session, FORMAT_LIMIT, &count, formats);
    for (uint32_t i = 0; i < count && *format != VK_FORMAT_R8G8B8A8_SRGB; ++i) {
        const bool is_supported = formats[i] == VK_FORMAT_R8G8B8A8_SRGB || formats[i] == VK_FORMAT_B8G8R8A8_SRGB;
        *format = is_supported ? formats[i] : *format;
    }
    if (*format == 0) {
        result = sn_fail(SN_ERROR_UNSUPPORTED, "xr: the OpenXR runtime has no 8-bit sRGB images");
    }
done:
    return result;
}

/* The size recommended by the runtime, the maximum of both eyes. */
static sn_result choose_size(sn_xr *xr)
{
    XrViewConfigurationView views[SN_XR_EYE_COUNT];
    uint32_t count = 0;
    sn_result result = SN_OK;
    for (int i = 0; i < SN_XR_EYE_COUNT; ++i) {
        views[i] = (XrViewConfigurationView){.type = XR_TYPE_VIEW_CONFIGURATION_VIEW};
    }
    SN_XR(xrEnumerateViewConfigurationViews, xr->instance, xr->system, XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO,
          SN_XR_EYE_COUNT, &count, views);
    for (uint32_t i = 0; i < count; ++i) {
        const int32_t width = (int32_t)views[i].recommendedImageRectWidth;
        const int32_t height = (int32_t)views[i].recommendedImageRectHeight;
        xr->width = width > xr->width ? width : xr->width;
        xr->height = height > xr->height ? height : xr->height;
    }
done:
    return result;
}

static sn_result get_images(sn_xr *xr, int64_t format, sn_xr_eye *eye)
{
    XrSwapchainImageVulkan2KHR images[SN_XR_IMAGE_LIMIT];
    sn_result result = SN_OK;
    for (int i = 0; i < SN_XR_IMAGE_LIMIT; ++i) {
        images[i] = (XrSwapchainImageVulkan2KHR){.type = XR_TYPE_SWAPCHAIN_IMAGE_VULKAN2_KHR};
    }
    SN_XR(xrEnumerateSwapchainImages, eye->swapchain, SN_XR_IMAGE_LIMIT, &eye->image_count,
          (XrSwapchainImageBaseHeader *)images);
    for (uint32_t i = 0; i < eye->image_count; ++i) {
        eye->images[i] = (sn_gpu_image){.handle = images[i].image,
                                        .desc = {.format = (VkFormat)format,
                                                 .width = (uint32_t)xr->width,
                                                 .height = (uint32_t)xr->height,
                                                 .mip_count = 1,
                                                 .aspect = VK_IMAGE_ASPECT_COLOR_BIT}};
        sn_gpu_name(xr->device, VK_OBJECT_TYPE_IMAGE, (uint64_t)images[i].image, "eye image");
    }
done:
    return result;
}

sn_result sn_xr_images_init(sn_xr *xr)
{
    int64_t format;
    sn_result result = choose_size(xr);
    result = result ? result : choose_format(xr, &format);
    for (int i = 0; i < SN_XR_EYE_COUNT && !result; ++i) {
        const XrSwapchainCreateInfo info = {.type = XR_TYPE_SWAPCHAIN_CREATE_INFO,
                                            .usageFlags = XR_SWAPCHAIN_USAGE_COLOR_ATTACHMENT_BIT |
                                                          XR_SWAPCHAIN_USAGE_TRANSFER_DST_BIT,
                                            .format = format,
                                            .sampleCount = 1,
                                            .width = (uint32_t)xr->width,
                                            .height = (uint32_t)xr->height,
                                            .faceCount = 1,
                                            .arraySize = 1,
                                            .mipCount = 1};
        SN_XR(xrCreateSwapchain, xr->session, &info, &xr->eyes[i].swapchain);
        result = get_images(xr, format, &xr->eyes[i]);
    }
done:
    return result;
}

void sn_xr_images_finish(sn_xr *xr)
{
    for (int i = 0; i < SN_XR_EYE_COUNT; ++i) {
        if (xr->eyes[i].swapchain) {
            xr->call.xrDestroySwapchain(xr->eyes[i].swapchain);
        }
        xr->eyes[i] = (sn_xr_eye){0};
    }
}

void sn_xr_size(const sn_xr *xr, int size[2])
{
    size[0] = xr->width;
    size[1] = xr->height;
}
