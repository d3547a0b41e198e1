/* SPDX-License-Identifier: MIT */
/* The images of a window: a renderer's pictures are copied there and shown, one a refresh (FIFO), two frames under way.
 * Images and renderer follow the window's size. */
#ifndef SN_RUNTIME_WINDOW_SWAPCHAIN_H
#define SN_RUNTIME_WINDOW_SWAPCHAIN_H

#include "runtime/render/renderer.h"
#include "runtime/window/window.h"

typedef struct sn_swapchain sn_swapchain;

typedef struct sn_swapchain_desc {
    VkFormat format; /* one of 8 bits, RGBA or BGRA, sRGB or UNORM; VK_FORMAT_UNDEFINED: the best that the window has */
    bool is_readable; /* for tests: sn_swapchain_read */
} sn_swapchain_desc;

/* The device must have the window's extensions; it and the window must outlive the swapchain. Errors (one line):
 * SN_ERROR_UNSUPPORTED (the device cannot show pictures there, no such format), SN_ERROR_MEMORY. */
sn_result sn_swapchain_create(sn_gpu_device *device, sn_window *window, const sn_swapchain_desc *desc,
                              sn_swapchain **swapchain);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_swapchain_destroy(sn_swapchain **swapchain);

/* Draws the scene and shows it. *is_drawn is false, without an error, where the window has no size, or has changed
 * meanwhile: then the next call makes new images. */
sn_result sn_swapchain_draw(sn_swapchain *swapchain, sn_renderer *renderer, const sn_render_scene *scene,
                            bool *is_drawn);

/* Records what is drawn over the renderer's picture, which is and stays in SN_GPU_TRANSFER_READ, before it is shown. */
typedef void sn_swapchain_painter(VkCommandBuffer commands, const sn_gpu_image *picture, void *user);
/* Of the frames from now on; null: nobody. */
void sn_swapchain_set_painter(sn_swapchain *swapchain, sn_swapchain_painter *painter, void *user);

VkFormat sn_swapchain_format(const sn_swapchain *swapchain);
/* How often images were made. */
int sn_swapchain_build_count(const sn_swapchain *swapchain);
/* Waits for the frame drawn last: the bytes of the window's image, (height x width x 4), in the format's order. */
sn_result sn_swapchain_read(sn_swapchain *swapchain, const uint8_t **bytes, int size[2]);

#endif
