/* SPDX-License-Identifier: MIT */
/* The eyes' images, and what was drawn to them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fake_xr/private.h"

fake_swapchain *fake_find_swapchain(XrSwapchain swapchain)
{
    for (int i = 0; i < SN_FAKE_EYES; ++i) {
        if (fake.swapchains[i].is_used && swapchain == FAKE_SWAPCHAIN(i)) {
            return &fake.swapchains[i];
        }
    }
    return NULL;
}

XrResult fake_xrEnumerateSwapchainFormats(XrSession session, uint32_t capacity, uint32_t *count, int64_t *formats)
{
    const XrResult checked = fake_check_session(session);
    *count = 0;
    for (uint32_t i = 0; i < 2 && fake.told.formats[i] != 0; ++i) {
        if (i < capacity) {
            formats[i] = fake.told.formats[i];
        }
        *count = i + 1;
    }
    return checked;
}

static VkDeviceMemory allocate(const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted)
{
    VkPhysicalDeviceMemoryProperties memory;
    VkDeviceMemory allocated = VK_NULL_HANDLE;
    uint32_t type = 0;
    vkGetPhysicalDeviceMemoryProperties(fake.physical, &memory);
    while (!(needs->memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted) {
        ++type;
    }
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size, .memoryTypeIndex = type};
    vkAllocateMemory(fake.device, &info, NULL, &allocated);
    return allocated;
}

static void make_image(fake_swapchain *swapchain, int i)
{
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = swapchain->format,
        .extent = {(uint32_t)swapchain->width, (uint32_t)swapchain->height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage =
            VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
    };
    VkMemoryRequirements needs;
    vkCreateImage(fake.device, &info, NULL, &swapchain->images[i]);
    vkGetImageMemoryRequirements(fake.device, swapchain->images[i], &needs);
    swapchain->memories[i] = allocate(&needs, 0);
    vkBindImageMemory(fake.device, swapchain->images[i], swapchain->memories[i], 0);
}

XrResult fake_xrCreateSwapchain(XrSession session, const XrSwapchainCreateInfo *info, XrSwapchain *handle)
{
    const XrResult checked = fake_check_session(session);
    int i = 0;
    if (XR_FAILED(checked)) {
        return checked;
    }
    while (i < SN_FAKE_EYES && fake.swapchains[i].is_used) {
        ++i;
    }
    FAKE_RULE(i < SN_FAKE_EYES && info->type == XR_TYPE_SWAPCHAIN_CREATE_INFO && info->sampleCount == 1 &&
                  info->faceCount == 1 && info->arraySize == 1 && info->mipCount == 1,
              "another swapchain than an eye's");
    FAKE_RULE(info->format == fake.told.formats[0] || info->format == fake.told.formats[1], "another format");
    FAKE_RULE(info->usageFlags & XR_SWAPCHAIN_USAGE_TRANSFER_DST_BIT, "nothing can be copied to an eye's images");
    fake.swapchains[i] = (fake_swapchain){
        .is_used = true, .format = (VkFormat)info->format, .width = (int)info->width, .height = (int)info->height};
    for (int k = 0; k < FAKE_IMAGES; ++k) {
        make_image(&fake.swapchains[i], k);
    }
    ++fake.told.live_count;
    *handle = FAKE_SWAPCHAIN(i);
    return XR_SUCCESS;
}

XrResult fake_xrDestroySwapchain(XrSwapchain handle)
{
    fake_swapchain *swapchain = fake_find_swapchain(handle);
    FAKE_RULE(swapchain, "no such swapchain is destroyed");
    for (int i = 0; i < FAKE_IMAGES; ++i) {
        vkDestroyImage(fake.device, swapchain->images[i], NULL);
        vkFreeMemory(fake.device, swapchain->memories[i], NULL);
    }
    swapchain->is_used = false;
    --fake.told.live_count;
    return XR_SUCCESS;
}

XrResult fake_xrEnumerateSwapchainImages(XrSwapchain handle, uint32_t capacity, uint32_t *count,
                                         XrSwapchainImageBaseHeader *images)
{
    const fake_swapchain *swapchain = fake_find_swapchain(handle);
    XrSwapchainImageVulkan2KHR *vulkan = (XrSwapchainImageVulkan2KHR *)images;
    FAKE_RULE(swapchain, "images of no swapchain");
    *count = FAKE_IMAGES;
    for (uint32_t i = 0; i < FAKE_IMAGES && i < capacity; ++i) {
        FAKE_RULE(vulkan[i].type == XR_TYPE_SWAPCHAIN_IMAGE_VULKAN2_KHR, "images of another type");
        vulkan[i].image = swapchain->images[i];
    }
    return XR_SUCCESS;
}

XrResult fake_xrAcquireSwapchainImage(XrSwapchain handle, const XrSwapchainImageAcquireInfo *info, uint32_t *index)
{
    fake_swapchain *swapchain = fake_find_swapchain(handle);
    FAKE_RULE(swapchain && (!info || info->type == XR_TYPE_SWAPCHAIN_IMAGE_ACQUIRE_INFO), "an image of no swapchain");
    FAKE_RULE(!swapchain->is_acquired && fake.is_begun, "a second image is acquired, or outside of a frame");
    swapchain->is_acquired = true;
    swapchain->is_waited = false;
    *index = swapchain->image = swapchain->next;
    swapchain->next = (swapchain->next + 1) % FAKE_IMAGES;
    return XR_SUCCESS;
}

XrResult fake_xrWaitSwapchainImage(XrSwapchain handle, const XrSwapchainImageWaitInfo *info)
{
    fake_swapchain *swapchain = fake_find_swapchain(handle);
    FAKE_RULE(swapchain && info->type == XR_TYPE_SWAPCHAIN_IMAGE_WAIT_INFO && info->timeout > 0,
              "an image of no swapchain is waited for");
    FAKE_RULE(swapchain->is_acquired && !swapchain->is_waited, "an image is waited for twice, or was not acquired");
    swapchain->is_waited = !fake.told.is_busy;
    return fake.told.is_busy ? XR_TIMEOUT_EXPIRED : XR_SUCCESS;
}

XrResult fake_xrReleaseSwapchainImage(XrSwapchain handle, const XrSwapchainImageReleaseInfo *info)
{
    fake_swapchain *swapchain = fake_find_swapchain(handle);
    FAKE_RULE(swapchain && (!info || info->type == XR_TYPE_SWAPCHAIN_IMAGE_RELEASE_INFO), "an image of no swapchain");
    FAKE_RULE(swapchain->is_acquired && swapchain->is_waited, "an image is released that was not waited for");
    swapchain->is_acquired = swapchain->is_waited = false;
    swapchain->is_released = true;
    return XR_SUCCESS;
}

/* ---- pictures ---- */

static void make_buffer(VkDeviceSize size)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;
    vkCreateBuffer(fake.device, &info, NULL, &fake.buffer);
    vkGetBufferMemoryRequirements(fake.device, fake.buffer, &needs);
    fake.memory = allocate(&needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    vkBindBufferMemory(fake.device, fake.buffer, fake.memory, 0);
    vkMapMemory(fake.device, fake.memory, 0, VK_WHOLE_SIZE, 0, &fake.mapped);
}

/* An image is an attachment when it is released, and is left as one. */
static void transition(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                          .oldLayout = from,
                                          .newLayout = to,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .image = image,
                                          .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL,
                         0, NULL, 1, &barrier);
}

static void copy(const fake_swapchain *swapchain)
{
    const VkImage image = swapchain->images[swapchain->image];
    const VkCommandBufferAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                    .commandPool = fake.pool,
                                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                    .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {(uint32_t)swapchain->width, (uint32_t)swapchain->height, 1}};
    VkCommandBuffer commands;
    vkAllocateCommandBuffers(fake.device, &allocation, &commands);
    vkBeginCommandBuffer(commands, &begin);
    transition(commands, image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, fake.buffer, 1, &region);
    transition(commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkEndCommandBuffer(commands);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    vkQueueSubmit(fake.queue, 1, &submit, VK_NULL_HANDLE);
    vkQueueWaitIdle(fake.queue);
    vkFreeCommandBuffers(fake.device, fake.pool, 1, &commands);
}

/* As red, green, blue, alpha. */
static void take_picture(int eye)
{
    const fake_swapchain *swapchain = &fake.swapchains[eye];
    const size_t count = (size_t)swapchain->width * (size_t)swapchain->height;
    const XrPosef pose = fake_eye_pose(eye);
    const XrFovf fov = fake_eye_fov(eye);
    sn_fake_xr *told = &fake.told;
    if (!fake.buffer) {
        make_buffer(4 * count);
    }
    if (!told->pixels[eye]) {
        told->pixels[eye] = malloc(4 * count);
    }
    copy(swapchain);
    memcpy(told->pixels[eye], fake.mapped, 4 * count);
    for (size_t i = 0; i < count && swapchain->format == VK_FORMAT_B8G8R8A8_SRGB; ++i) {
        const uint8_t blue = told->pixels[eye][4 * i];
        told->pixels[eye][4 * i] = told->pixels[eye][4 * i + 2];
        told->pixels[eye][4 * i + 2] = blue;
    }
    memcpy(told->eyes[eye].orientation, &pose.orientation, sizeof pose.orientation);
    memcpy(told->eyes[eye].position, &pose.position, sizeof pose.position);
    told->tangents[eye][0] = tanf(fov.angleLeft);
    told->tangents[eye][1] = tanf(fov.angleRight);
    told->tangents[eye][2] = tanf(fov.angleDown);
    told->tangents[eye][3] = tanf(fov.angleUp);
}

/* With out=FOLDER. */
static void write_picture(int eye)
{
    const char *words = getenv("SN_FAKE_XR"), *out = words ? strstr(words, "out=") : NULL;
    char folder[512], path[600];
    if (!out) {
        return;
    }
    snprintf(folder, sizeof folder, "%s", out + 4);
    folder[strcspn(folder, ",")] = 0;
    snprintf(path, sizeof path, "%s/%s.ppm", folder, eye == 0 ? "left" : "right");
    FILE *file = fopen(path, "wb");
    if (file) {
        fprintf(file, "P6\n%d %d\n255\n", fake.told.width, fake.told.height);
        for (int i = 0; i < fake.told.width * fake.told.height; ++i) {
            fwrite(fake.told.pixels[eye] + 4 * i, 1, 3, file);
        }
        fclose(file);
    }
}

void fake_take_pictures(void)
{
    for (int eye = 0; eye < SN_FAKE_EYES; ++eye) {
        take_picture(eye);
        write_picture(eye);
    }
}

void fake_finish_pictures(void)
{
    if (fake.buffer) {
        vkDestroyBuffer(fake.device, fake.buffer, NULL);
        vkFreeMemory(fake.device, fake.memory, NULL);
        fake.buffer = VK_NULL_HANDLE;
    }
    for (int eye = 0; eye < SN_FAKE_EYES && !fake.is_instance; ++eye) {
        free(fake.told.pixels[eye]);
        fake.told.pixels[eye] = NULL;
    }
}
