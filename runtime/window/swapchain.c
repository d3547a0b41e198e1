/* SPDX-License-Identifier: MIT */
/* Presents the renderer's sRGB picture. A blit between formats converts through linear light, so the picture is blitted
 * to an sRGB swapchain image, but copied byte for byte to a UNORM one. If red and blue must be swapped, it is first
 * copied to a UNORM image, from which a blit only reorders the channels. */
#include "runtime/window/swapchain.h"

#include <string.h>

#include "compute/core/commands.h"

enum { FRAME_COUNT = 2, IMAGE_LIMIT = 16, FORMAT_LIMIT = 64 };

struct sn_swapchain {
    sn_gpu_device *device;
    sn_window *window;
    sn_swapchain_desc desc;
    VkSurfaceKHR surface;
    VkFormat format;
    VkSwapchainKHR handle;
    int window_size[2]; /* for which the images were created */
    VkExtent2D extent;
    sn_gpu_image images[IMAGE_LIMIT]; /* (image_count) handle and desc only */
    VkSemaphore drawn[IMAGE_LIMIT];   /* (image_count) signaled when an image can be presented */
    uint32_t image_count;
    sn_gpu_image intermediate; /* intermediate image; zeroed if not needed */
    sn_gpu_buffer pixels;      /* zeroed unless readable */
    VkSemaphore acquired[FRAME_COUNT];
    uint64_t submissions[FRAME_COUNT]; /* that wait for `acquired` */
    uint64_t frame_count;
    uint32_t image;   /* acquired image */
    bool is_acquired; /* the image is not presented yet, and `acquired` of this frame is signaled or about to be */
    bool is_stale;
    bool is_suboptimal_accepted; /* recreating the images did not help; keep the suboptimal ones */
    int build_count;
    sn_swapchain_painter *painter; /* or null */
    void *painter_user;
};

/* ---- surface ---- */

static bool is_srgb(VkFormat format)
{
    return format == VK_FORMAT_B8G8R8A8_SRGB || format == VK_FORMAT_R8G8B8A8_SRGB;
}

static bool can_be_blitted_to(const sn_gpu_device *device, VkFormat format)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(device->physical, format, &properties);
    return format == VK_FORMAT_R8G8B8A8_UNORM || properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT;
}

static bool has_format(const VkSurfaceFormatKHR *formats, uint32_t count, VkFormat format)
{
    for (uint32_t i = 0; i < count; ++i) {
        if (formats[i].format == format && formats[i].colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR) {
            return true;
        }
    }
    return false;
}

static sn_result choose_format(sn_swapchain *s)
{
    static const VkFormat preferred[] = {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM,
                                         VK_FORMAT_B8G8R8A8_UNORM};
    VkSurfaceFormatKHR formats[FORMAT_LIMIT];
    uint32_t count = FORMAT_LIMIT;
    sn_result result = SN_OK;
    SN_VK(vkGetPhysicalDeviceSurfaceFormatsKHR(s->device->physical, s->surface, &count, formats));
    for (size_t i = 0; i < sizeof preferred / sizeof preferred[0] && !s->format; ++i) {
        const bool is_allowed = s->desc.format == VK_FORMAT_UNDEFINED || s->desc.format == preferred[i];
        if (is_allowed && has_format(formats, count, preferred[i]) && can_be_blitted_to(s->device, preferred[i])) {
            s->format = preferred[i];
        }
    }
    if (!s->format) {
        result = sn_fail(SN_ERROR_UNSUPPORTED, "%s: no 8-bit format for this window; choose another --device",
                         s->device->properties.deviceName);
    }
done:
    return result;
}

/* ---- images ---- */

static VkSwapchainCreateInfoKHR swapchain_info(const sn_swapchain *s, const VkSurfaceCapabilitiesKHR *surface)
{
    const uint32_t preferred = surface->minImageCount > 3 ? surface->minImageCount : 3;
    const VkCompositeAlphaFlagsKHR alpha = surface->supportedCompositeAlpha;
    return (VkSwapchainCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = s->surface,
        .minImageCount =
            surface->maxImageCount > 0 && preferred > surface->maxImageCount ? surface->maxImageCount : preferred,
        .imageFormat = s->format,
        .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
        .imageExtent = s->extent,
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | (s->desc.is_readable ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT : 0U),
        /* the picture is not rotated: the compositor rotates it, where it can */
        .preTransform = surface->supportedTransforms & VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR
                            ? VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR
                            : surface->currentTransform,
        /* the picture is opaque: prefer opaque, else any supported mode */
        .compositeAlpha = alpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                              ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                              : (VkCompositeAlphaFlagBitsKHR)(alpha & (~alpha + 1)),
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .clipped = VK_TRUE,
        .oldSwapchain = s->handle};
}

static uint32_t clamp(uint32_t value, uint32_t low, uint32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The surface's size; if it is not fixed, the window's. */
static VkExtent2D choose_extent(const VkSurfaceCapabilitiesKHR *surface, const int size[2])
{
    const VkExtent2D low = surface->minImageExtent, high = surface->maxImageExtent;
    return surface->currentExtent.width != UINT32_MAX ? surface->currentExtent
                                                      : (VkExtent2D){clamp((uint32_t)size[0], low.width, high.width),
                                                                     clamp((uint32_t)size[1], low.height, high.height)};
}

/* The device must be idle. */
static void destroy_images(sn_swapchain *s)
{
    for (uint32_t i = 0; i < s->image_count; ++i) {
        vkDestroySemaphore(s->device->handle, s->drawn[i], NULL);
        s->drawn[i] = VK_NULL_HANDLE;
    }
    s->image_count = 0;
    if (s->is_acquired) { /* nothing waits for the semaphore, which cannot be used again */
        vkDestroySemaphore(s->device->handle, s->acquired[s->frame_count % FRAME_COUNT], NULL);
        s->acquired[s->frame_count % FRAME_COUNT] = VK_NULL_HANDLE;
        s->is_acquired = false;
    }
    sn_gpu_image_destroy(s->device, &s->intermediate);
    sn_gpu_buffer_destroy(s->device, &s->pixels);
}

static sn_result create_semaphore(sn_gpu_device *device, const char *name, VkSemaphore *semaphore)
{
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    sn_result result = SN_OK;
    SN_VK_OF(name, vkCreateSemaphore(device->handle, &info, NULL, semaphore));
    sn_gpu_name(device, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)*semaphore, name);
done:
    return result;
}

static sn_result get_images(sn_swapchain *s)
{
    VkImage handles[IMAGE_LIMIT];
    uint32_t count = 0;
    sn_result result = SN_OK;
    SN_VK(vkGetSwapchainImagesKHR(s->device->handle, s->handle, &count, NULL));
    if (count > IMAGE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "window: the swapchain has %u images; the limit is %d", count,
                       IMAGE_LIMIT);
    }
    SN_VK(vkGetSwapchainImagesKHR(s->device->handle, s->handle, &count, handles));
    for (; s->image_count < count && !result; s->image_count += result == SN_OK) {
        const uint32_t i = s->image_count;
        s->images[i] = (sn_gpu_image){.handle = handles[i],
                                      .desc = {.format = s->format,
                                               .width = s->extent.width,
                                               .height = s->extent.height,
                                               .mip_count = 1,
                                               .aspect = VK_IMAGE_ASPECT_COLOR_BIT}};
        sn_gpu_name(s->device, VK_OBJECT_TYPE_IMAGE, (uint64_t)handles[i], "window image");
        result = create_semaphore(s->device, "window drawn", &s->drawn[i]);
    }
done:
    return result;
}

static sn_result create_helpers(sn_swapchain *s)
{
    const sn_gpu_image_desc intermediate = {.name = "window between",
                                            .format = VK_FORMAT_R8G8B8A8_UNORM,
                                            .width = s->extent.width,
                                            .height = s->extent.height,
                                            .mip_count = 1,
                                            .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                            .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    if (s->format == VK_FORMAT_B8G8R8A8_UNORM) {
        SN_TRY(sn_gpu_image_create(s->device, &intermediate, &s->intermediate));
    }
    if (s->desc.is_readable) {
        const VkDeviceSize size = (VkDeviceSize)s->extent.width * s->extent.height * 4;
        SN_TRY(sn_gpu_buffer_create(s->device, "window pixels", size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    SN_GPU_MEMORY_READBACK, &s->pixels));
    }
    return SN_OK;
}

static sn_result replace_handle(sn_swapchain *s, const VkSurfaceCapabilitiesKHR *surface)
{
    const VkSwapchainCreateInfoKHR info = swapchain_info(s, surface);
    sn_result result = SN_OK;
    if (info.imageUsage & ~surface->supportedUsageFlags) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: cannot copy to this window; choose another --device",
                       s->device->properties.deviceName);
    }
    VkSwapchainKHR replaced = VK_NULL_HANDLE;
    SN_VK_OF("swapchain", vkCreateSwapchainKHR(s->device->handle, &info, NULL, &replaced));
    sn_gpu_name(s->device, VK_OBJECT_TYPE_SWAPCHAIN_KHR, (uint64_t)replaced, "window");
done:
    vkDestroySwapchainKHR(s->device->handle, s->handle, NULL);
    s->handle = replaced;
    return result;
}

/* Creates the images for a window size; *is_ready is false if the surface has zero size. */
static sn_result create_images(sn_swapchain *s, const int size[2], bool *is_ready)
{
    VkSurfaceCapabilitiesKHR surface;
    sn_result result = SN_OK;
    SN_VK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(s->device->physical, s->surface, &surface));
    const VkExtent2D extent = choose_extent(&surface, size);
    *is_ready = extent.width > 0 && extent.height > 0;
    if (!*is_ready) {
        goto done;
    }
    s->is_suboptimal_accepted =
        s->handle && s->is_stale && extent.width == s->extent.width && extent.height == s->extent.height;
    sn_gpu_device_wait(s->device); /* the only way to ensure that no image is being presented */
    destroy_images(s);
    s->extent = extent;
    memcpy(s->window_size, size, sizeof s->window_size);
    s->is_stale = false;
    ++s->build_count;
    result = replace_handle(s, &surface);
    for (int i = 0; i < FRAME_COUNT && !result; ++i) {
        result = s->acquired[i] ? SN_OK : create_semaphore(s->device, "window acquired", &s->acquired[i]);
    }
    result = result ? result : get_images(s);
    result = result ? result : create_helpers(s);
done:
    return result;
}

/* ---- lifetime ---- */

sn_result sn_swapchain_create(sn_gpu_device *device, sn_window *window, const sn_swapchain_desc *desc,
                              sn_swapchain **swapchain)
{
    sn_swapchain *s = sn_alloc(1, sizeof *s);
    *swapchain = s;
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    s->device = device;
    s->window = window;
    s->desc = *desc;
    sn_result result = sn_window_create_surface(window, device, &s->surface);
    result = result ? result : choose_format(s);
    if (result) {
        sn_swapchain_destroy(swapchain);
    }
    return result;
}

void sn_swapchain_destroy(sn_swapchain **swapchain)
{
    sn_swapchain *s = *swapchain;
    *swapchain = NULL;
    if (!s) {
        return;
    }
    sn_gpu_device_wait(s->device);
    destroy_images(s);
    for (int i = 0; i < FRAME_COUNT; ++i) {
        vkDestroySemaphore(s->device->handle, s->acquired[i], NULL);
    }
    vkDestroySwapchainKHR(s->device->handle, s->handle, NULL);
    if (s->surface) {
        vkDestroySurfaceKHR(s->device->instance, s->surface, NULL);
    }
    sn_free(s, 1, sizeof *s);
}

/* ---- a frame ---- */

/* Resizes images and renderer to the window. */
static sn_result resize_to_window(sn_swapchain *s, sn_renderer *renderer, bool *is_ready)
{
    int size[2], drawn[2];
    sn_result result = SN_OK;
    sn_window_size(s->window, size);
    *is_ready = size[0] > 0 && size[1] > 0;
    if (*is_ready && (!s->handle || s->is_stale || memcmp(size, s->window_size, sizeof size) != 0)) {
        result = create_images(s, size, is_ready);
    }
    if (result || !*is_ready) {
        return result;
    }
    sn_renderer_size(renderer, drawn);
    const bool has_same_size = (uint32_t)drawn[0] == s->extent.width && (uint32_t)drawn[1] == s->extent.height;
    return has_same_size ? SN_OK : sn_renderer_resize(renderer, (int)s->extent.width, (int)s->extent.height);
}

/* Returns false for errors; marks the images as stale if they must be recreated. */
static bool check_present(sn_swapchain *s, VkResult code)
{
    s->is_stale |= code == VK_ERROR_OUT_OF_DATE_KHR || (code == VK_SUBOPTIMAL_KHR && !s->is_suboptimal_accepted);
    return code >= 0 || code == VK_ERROR_OUT_OF_DATE_KHR;
}

/* Waits for the frame before the last, so that its semaphore is free, and acquires an image, unless a frame that failed
 * left one. */
static sn_result acquire(sn_swapchain *s, bool *is_ready)
{
    const uint64_t slot = s->frame_count % FRAME_COUNT;
    if (s->is_acquired) {
        *is_ready = true;
        return SN_OK;
    }
    sn_result result = sn_gpu_wait(s->device, s->submissions[slot]);
    if (result) {
        return result;
    }
    const VkResult code =
        vkAcquireNextImageKHR(s->device->handle, s->handle, UINT64_MAX, s->acquired[slot], VK_NULL_HANDLE, &s->image);
    *is_ready = s->is_acquired = code >= 0;
    return check_present(s, code) ? SN_OK : sn_gpu_fail(code, "vkAcquireNextImageKHR");
}

static void read_back(VkCommandBuffer commands, const sn_gpu_image *image, VkBuffer pixels)
{
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {image->desc.width, image->desc.height, 1}};
    sn_gpu_barrier(commands, SN_GPU_HOST_READ, SN_GPU_TRANSFER_WRITE);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE,
                   SN_GPU_TRANSFER_WRITE); /* orders the copy after the previous frame's */
    vkCmdCopyImageToBuffer(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
}

/* Output callback of the renderer: copies its picture to the swapchain image. */
static void record(VkCommandBuffer commands, const sn_gpu_image *picture, void *user)
{
    const sn_swapchain *s = user;
    const sn_gpu_image *image = &s->images[s->image];
    if (s->painter) {
        s->painter(commands, picture, s->painter_user);
    }
    sn_gpu_barrier_image(commands, image, SN_GPU_NONE, SN_GPU_TRANSFER_WRITE);
    if (is_srgb(s->format)) {
        sn_gpu_blit_image(commands, picture, image);
    } else if (!s->intermediate.handle) {
        sn_gpu_copy_image(commands, picture, image);
    } else {
        sn_gpu_barrier_image(commands, &s->intermediate, SN_GPU_NONE, SN_GPU_TRANSFER_WRITE);
        sn_gpu_copy_image(commands, picture, &s->intermediate);
        sn_gpu_barrier_image(commands, &s->intermediate, SN_GPU_TRANSFER_WRITE, SN_GPU_TRANSFER_READ);
        sn_gpu_blit_image(commands, &s->intermediate, image);
    }
    if (s->desc.is_readable) {
        sn_gpu_barrier_image(commands, image, SN_GPU_TRANSFER_WRITE, SN_GPU_TRANSFER_READ);
        read_back(commands, image, s->pixels.handle);
        sn_gpu_barrier_image(commands, image, SN_GPU_TRANSFER_READ, SN_GPU_PRESENT);
    } else {
        sn_gpu_barrier_image(commands, image, SN_GPU_TRANSFER_WRITE, SN_GPU_PRESENT);
    }
}

static sn_result present(sn_swapchain *s)
{
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &s->drawn[s->image],
                                   .swapchainCount = 1,
                                   .pSwapchains = &s->handle,
                                   .pImageIndices = &s->image};
    const VkResult code = vkQueuePresentKHR(s->device->queue, &info);
    return check_present(s, code) ? SN_OK : sn_gpu_fail(code, "vkQueuePresentKHR");
}

sn_result sn_swapchain_draw(sn_swapchain *s, sn_renderer *renderer, const sn_render_scene *scene, bool *is_drawn)
{
    const uint64_t slot = s->frame_count % FRAME_COUNT;
    bool is_ready = false;
    *is_drawn = false;
    sn_result result = resize_to_window(s, renderer, &is_ready);
    if (!result && is_ready) {
        result = acquire(s, &is_ready);
    }
    if (result || !is_ready) {
        return result;
    }
    const sn_render_output output = {
        .record = record, .user = s, .wait = s->acquired[slot], .signal = s->drawn[s->image]};
    result = sn_renderer_draw_to(renderer, scene, &output);
    if (result) {
        return result;
    }
    s->submissions[slot] = s->device->submitted;
    s->is_acquired = false;
    ++s->frame_count;
    result = present(s);
    *is_drawn = result == SN_OK;
    return result;
}

void sn_swapchain_set_painter(sn_swapchain *swapchain, sn_swapchain_painter *painter, void *user)
{
    swapchain->painter = painter;
    swapchain->painter_user = user;
}

VkFormat sn_swapchain_format(const sn_swapchain *swapchain)
{
    return swapchain->format;
}

int sn_swapchain_build_count(const sn_swapchain *swapchain)
{
    return swapchain->build_count;
}

sn_result sn_swapchain_read(sn_swapchain *s, const uint8_t **bytes, int size[2])
{
    SN_ASSERT(s->desc.is_readable && s->frame_count > 0);
    sn_result result = sn_gpu_wait(s->device, s->submissions[(s->frame_count - 1) % FRAME_COUNT]);
    result = result ? result : sn_gpu_buffer_invalidate(s->device, &s->pixels);
    *bytes = result ? NULL : s->pixels.mapped;
    size[0] = (int)s->extent.width;
    size[1] = (int)s->extent.height;
    return result;
}
