/* SPDX-License-Identifier: MIT */
/* Swapchain of a window: copies a renderer's pictures and presents them in FIFO mode, with two frames in flight. Images
 * and renderer follow the window's size. */
#ifndef SN_RUNTIME_WINDOW_SWAPCHAIN_H
#define SN_RUNTIME_WINDOW_SWAPCHAIN_H

#include "runtime/render/renderer.h"
#include "runtime/window/window.h"

typedef struct sn_swapchain sn_swapchain;

typedef struct sn_swapchain_desc {
    VkFormat format;  /* 8-bit RGBA or BGRA, sRGB or UNORM; VK_FORMAT_UNDEFINED: the best available */
    bool is_readable; /* enables sn_swapchain_read, for tests */
} sn_swapchain_desc;

/* The device needs the window's extensions; device and window must outlive the swapchain. Errors: SN_ERROR_UNSUPPORTED
 * (the device cannot present to the window, or no such format), SN_ERROR_MEMORY. */
sn_result sn_swapchain_create(sn_gpu_device *device, sn_window *window, const sn_swapchain_desc *desc,
                              sn_swapchain **swapchain);
/* Waits for the device. Accepts null. */
void sn_swapchain_destroy(sn_swapchain **swapchain);

/* Draws the scene and presents it. *is_drawn is false, without an error, if the window has zero size or was resized
 * meanwhile; the next call then recreates the images. */
sn_result sn_swapchain_draw(sn_swapchain *swapchain, sn_renderer *renderer, const sn_render_scene *scene,
                            bool *is_drawn);

/* Records commands that draw over the renderer's picture before it is presented. The picture is and must stay in
 * SN_GPU_TRANSFER_READ. */
typedef void sn_swapchain_painter(VkCommandBuffer commands, const sn_gpu_image *picture, void *user);
/* Sets the painter of the following frames; null: none. */
void sn_swapchain_set_painter(sn_swapchain *swapchain, sn_swapchain_painter *painter, void *user);

VkFormat sn_swapchain_format(const sn_swapchain *swapchain);
/* How often the images were created. */
int sn_swapchain_build_count(const sn_swapchain *swapchain);
/* Waits for the last frame and returns the bytes of its image, (height x width x 4), in the order of the format. */
sn_result sn_swapchain_read(sn_swapchain *swapchain, const uint8_t **bytes, int size[2]);

#endif
