/* SPDX-License-Identifier: MIT */
/* A player in a window under the test's own display, validation on, with injected keys and pointer. Include it after
 * cmocka.h. */
#ifndef SN_TESTS_RENDER_PANELLED_H
#define SN_TESTS_RENDER_PANELLED_H

#include <string.h>

#include "host/world/inspect.h"
#include "runtime/session/player_state.h"
#include "tests/support/render_window.h"

typedef struct panelled {
    sn_window *window;
    sn_gpu_device *device;
    sn_player *player;
    sn_model *model;
    GLFWkeyfun on_key;
    GLFWcharfun on_character;
    mouse pointer;
    int width, height;
    uint8_t *pixels; /* (height x width x 4) of the last picture */
} panelled;

/* A window of width x height in which the model at `path` plays its first clip, or hops. */
static inline panelled open_panelled(const char *path, int width, int height, sn_recorder *recorder)
{
    const sn_swapchain_desc swapchain = {.is_readable = true};
    panelled p = {.width = width, .height = height, .pixels = malloc((size_t)(4 * width * height))};
    sn_set_log(keep_log, NULL);
    log_line_count = 0;
    assert_int_equal(sn_model_open(path, &p.model), SN_OK);
    assert_int_equal(sn_window_open("player", width, height, &p.window), SN_OK);
    p.device = open_device(p.window);
    const sn_player_desc desc = {
        .window = p.window, .device = p.device, .time_step = 1.0 / 60, .worker_count = 1, .recorder = recorder};
    assert_int_equal(sn_player_create(&desc, &p.player), SN_OK);
    sn_swapchain_destroy(&p.player->swapchain);
    assert_int_equal(sn_swapchain_create(p.device, p.window, &swapchain, &p.player->swapchain), SN_OK);
    const bool is_hop = p.model->counts.clip_count == 0;
    const sn_player_character character = {.model = p.model,
                                           .name = path,
                                           .motion = {.model = p.model, .clip = is_hop ? -1 : 0, .is_hop = is_hop},
                                           .body = sn_default_body_desc()};
    assert_int_equal(sn_player_set_character(p.player, &character), SN_OK);
    GLFWwindow *handle = sn_window_handle(p.window);
    p.on_key = glfwSetKeyCallback(handle, NULL);
    p.on_character = glfwSetCharCallback(handle, NULL);
    p.pointer = take_mouse(p.window);
    return p;
}

static inline void close_panelled(panelled *p)
{
    sn_player_destroy(&p->player);
    assert_int_equal(p->device->validation_message_count, 0);
    sn_gpu_device_destroy(&p->device);
    sn_window_close(&p->window);
    sn_model_release(p->model);
    free(p->pixels);
    assert_int_equal(log_line_count, 0);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* So many frames, the last of which is read; time stands still. */
static inline void play(panelled *p, int count)
{
    sn_player_exit_reason end;
    const uint8_t *bytes = NULL;
    int size[2];
    p->player->desc.frame_limit = p->player->report.frame_count + count;
    p->player->playback.is_paused = true;
    p->player->title.message_end = 0; /* no message over the picture */
    assert_int_equal(sn_player_run(p->player, &end), SN_OK);
    assert_int_equal(end, SN_PLAYER_EXIT_CLOSED);
    assert_int_equal(sn_swapchain_read(p->player->swapchain, &bytes, size), SN_OK);
    assert_true(size[0] == p->width && size[1] == p->height);
    memcpy(p->pixels, bytes, (size_t)(4 * p->width * p->height));
}

static inline void type(panelled *p, int key, int character)
{
    press(sn_window_handle(p->window), p->on_key, p->on_character, key, character, GLFW_PRESS);
    play(p, 1);
}

static inline void drag(panelled *p, double from_x, double from_y, double to_x)
{
    p->pointer.on_pointer(p->pointer.handle, from_x, from_y);
    play(p, 1);
    p->pointer.on_button(p->pointer.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_PRESS, 0);
    play(p, 1);
    p->pointer.on_pointer(p->pointer.handle, to_x, from_y);
    play(p, 1);
    p->pointer.on_button(p->pointer.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_RELEASE, 0);
    play(p, 1);
}

static inline uint8_t *copy_pixels(const panelled *p)
{
    uint8_t *copy = malloc((size_t)(4 * p->width * p->height));
    assert_non_null(copy);
    memcpy(copy, p->pixels, (size_t)(4 * p->width * p->height));
    return copy;
}

static inline void keep_picture(const panelled *p, const char *name)
{
    const VkFormat format = sn_swapchain_format(p->player->swapchain);
    const bool is_swapped = format == VK_FORMAT_B8G8R8A8_SRGB || format == VK_FORMAT_B8G8R8A8_UNORM;
    uint8_t *picture = copy_pixels(p);
    for (int i = 0; i < 4 * p->width * p->height && is_swapped; i += 4) {
        const uint8_t blue = picture[i];
        picture[i] = picture[i + 2];
        picture[i + 2] = blue;
    }
    write_picture(name, picture, p->width, p->height);
    free(picture);
}

/* Pixels from column `first` on, up to `last`, that differ. */
static inline int count_differences(const panelled *p, const uint8_t *a, const uint8_t *b, int first, int last)
{
    int count = 0;
    for (int i = 0; i < p->width * p->height; ++i) {
        count += i % p->width >= first && i % p->width < last && memcmp(a + 4 * i, b + 4 * i, 4) != 0;
    }
    return count;
}

#endif
