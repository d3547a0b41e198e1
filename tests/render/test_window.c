/* SPDX-License-Identifier: MIT */
/* The window, under a display of its own, validation on: what it shows is what the renderer draws, whatever the format
 * of its images; it follows every size; it goes without a message. Skips (77) where there is no Xvfb. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/core/open.h"
#include "tests/support/render_window.h"

typedef struct shown {
    fixture f;
    sn_window *window;
    sn_swapchain *swapchain;
} shown;

/* The renderer begins with another size than the window's. */
static shown open_shown(int width, int height, VkFormat format, bool is_readable)
{
    shown s = {.f = {.width = width, .height = height}};
    sn_set_log(keep_log, NULL);
    log_line_count = 0;
    assert_int_equal(sn_window_open("test", width, height, &s.window), SN_OK);
    s.f.device = open_device(s.window);
    const sn_swapchain_desc desc = {.format = format, .is_readable = is_readable};
    assert_int_equal(sn_swapchain_create(s.f.device, s.window, &desc, &s.swapchain), SN_OK);
    sn_renderer_desc renderer = sn_default_renderer_desc();
    renderer.width = 16;
    renderer.height = 9;
    renderer.shadow_size = 256;
    assert_int_equal(sn_renderer_create(s.f.device, &renderer, &s.f.renderer), SN_OK);
    return s;
}

static void close_shown(shown *s)
{
    remove_bodies(&s->f);
    sn_renderer_destroy(&s->f.renderer);
    sn_swapchain_destroy(&s->swapchain);
    assert_int_equal(s->f.device->validation_message_count, 0);
    sn_gpu_device_destroy(&s->f.device);
    sn_window_close(&s->window);
    assert_int_equal(log_line_count, 0);
    sn_arena_finish(&s->f.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Frames drawn of as many as are tried; events are taken in before each. */
static int draw_frames(shown *s, int count)
{
    int drawn_count = 0;
    for (int i = 0; i < count; ++i) {
        bool is_drawn = false;
        sn_window_update(s->window, 0);
        const sn_render_scene scene = make_scene(&s->f);
        assert_int_equal(sn_swapchain_draw(s->swapchain, s->f.renderer, &scene, &is_drawn), SN_OK);
        drawn_count += is_drawn;
    }
    return drawn_count;
}

/* Until a frame of the window's present size is drawn. */
static void draw_at(shown *s, int width, int height)
{
    int size[2] = {0}, drawn[2] = {0};
    for (int i = 0; i < 200 && (size[0] != width || size[1] != height); ++i) {
        sn_window_update(s->window, 0.05);
        sn_window_size(s->window, size);
    }
    assert_int_equal(size[0], width);
    assert_int_equal(size[1], height);
    assert_true(draw_frames(s, 3) >= 2);
    sn_renderer_size(s->f.renderer, drawn);
    assert_memory_equal(drawn, size, sizeof size);
}

static void draws_and_follows_the_window(void **state)
{
    (void)state;
    shown s = open_shown(200, 120, VK_FORMAT_UNDEFINED, false);
    GLFWwindow *handle = sn_window_handle(s.window);
    add(&s.f, SN_TEST_TORUS, sn_test_material(0.8F, 0.5F, 0.2F), 0.7F, 0, 0, 0.3F, 0);
    assert_int_equal(draw_frames(&s, 3), 0); /* hidden */
    assert_int_equal(sn_swapchain_build_count(s.swapchain), 0);
    sn_window_show(s.window);
    draw_at(&s, 200, 120);
    assert_true(draw_frames(&s, 10) >= 9);
    const int before = sn_swapchain_build_count(s.swapchain);
    static const int sizes[][2] = {{320, 90}, {77, 301}, {1, 1}, {200, 120}};
    for (int i = 0; i < 4; ++i) {
        glfwSetWindowSize(handle, sizes[i][0], sizes[i][1]);
        draw_at(&s, sizes[i][0], sizes[i][1]);
    }
    assert_true(sn_swapchain_build_count(s.swapchain) >= before + 4);
    assert_true(sn_swapchain_build_count(s.swapchain) <= before + 12);
    glfwIconifyWindow(handle); /* nobody manages windows here: nothing may come of it */
    draw_frames(&s, 3);
    glfwHideWindow(handle);
    sn_window_update(s.window, 0.05);
    assert_int_equal(draw_frames(&s, 3), 0);
    glfwShowWindow(handle);
    draw_at(&s, 200, 120);
    close_shown(&s);
}

/* Frames that fail after their image was acquired, more than there are images: by markers that are too many. */
static void fail_frames(shown *s, int count)
{
    static const sn_render_marker marker;
    const uint32_t limit = s->f.device->properties.limits.maxStorageBufferRange;
    s->f.device->properties.limits.maxStorageBufferRange = 1;
    for (int i = 0; i < count; ++i) {
        bool is_drawn = true;
        sn_render_scene scene = make_scene(&s->f);
        scene.overlay = (sn_render_overlay){.markers = &marker, .marker_count = 1, .scale = 1};
        assert_int_equal(sn_swapchain_draw(s->swapchain, s->f.renderer, &scene, &is_drawn), SN_ERROR_ARGUMENT);
        assert_false(is_drawn);
    }
    s->f.device->properties.limits.maxStorageBufferRange = limit;
    assert_int_equal(log_line_count, count);
    log_line_count = 0;
}

static void frames_that_fail_leave_the_window(void **state)
{
    (void)state;
    shown s = open_shown(200, 120, VK_FORMAT_UNDEFINED, false);
    add(&s.f, SN_TEST_TORUS, sn_test_material(0.8F, 0.5F, 0.2F), 0.7F, 0, 0, 0.3F, 0);
    sn_window_show(s.window);
    draw_at(&s, 200, 120);
    fail_frames(&s, 8);
    assert_int_equal(draw_frames(&s, 10), 10);
    fail_frames(&s, 1);
    glfwSetWindowSize(sn_window_handle(s.window), 320, 90); /* while an image is acquired */
    draw_at(&s, 320, 90);
    fail_frames(&s, 1);
    close_shown(&s);
}

/* The window's bytes against a picture that the renderer hands out. */
static int largest_difference(const uint8_t *shown_bytes, const uint8_t *pixels, int count, bool is_swapped)
{
    int largest = 0;
    for (int i = 0; i < 4 * count; ++i) {
        const int channel = is_swapped && i % 4 != 3 ? 2 - i % 4 : i % 4;
        const int difference = abs(shown_bytes[i] - pixels[i - i % 4 + channel]);
        largest = i % 4 != 3 && difference > largest ? difference : largest;
    }
    return largest;
}

static bool has_format(const sn_gpu_device *device, sn_window *window, VkFormat format)
{
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    VkSurfaceFormatKHR formats[64];
    uint32_t count = 64;
    bool is_found = false;
    assert_int_equal(sn_window_create_surface(window, device, &surface), SN_OK);
    assert_true(vkGetPhysicalDeviceSurfaceFormatsKHR(device->physical, surface, &count, formats) >= 0);
    vkDestroySurfaceKHR(device->instance, surface, NULL);
    for (uint32_t i = 0; i < count; ++i) {
        is_found |= formats[i].format == format;
    }
    return is_found;
}

static void check_format(VkFormat format, const char *name, bool is_swapped)
{
    sn_window *probe = NULL;
    assert_int_equal(sn_window_open("probe", 64, 64, &probe), SN_OK);
    sn_gpu_device *device = open_device(probe);
    const bool is_there = has_format(device, probe, format);
    sn_gpu_device_destroy(&device);
    sn_window_close(&probe);
    print_message("%s: %s\n", name, is_there ? "shown" : "not there");
    if (!is_there) {
        return;
    }
    shown s = open_shown(213, 120, format, true);
    const uint8_t *bytes = NULL, *pixels = NULL;
    int size[2];
    add_sheet(&s.f);
    sn_window_show(s.window);
    draw_at(&s, 213, 120);
    assert_int_equal(sn_swapchain_format(s.swapchain), format);
    assert_int_equal(sn_swapchain_read(s.swapchain, &bytes, size), SN_OK);
    const sn_renderer_desc desc = {213, 120, 256, 64};
    sn_renderer *apart = NULL;
    assert_int_equal(sn_renderer_create(s.f.device, &desc, &apart), SN_OK);
    const sn_render_scene scene = make_scene(&s.f);
    assert_int_equal(sn_renderer_draw(apart, &scene), SN_OK);
    assert_int_equal(sn_renderer_read(apart, &pixels), SN_OK);
    assert_true(size[0] == 213 && size[1] == 120);
    assert_in_range(largest_difference(bytes, pixels, 213 * 120, is_swapped), 0, 1);
    sn_renderer_destroy(&apart);
    close_shown(&s);
}

static void shows_the_colours_of_the_picture(void **state)
{
    (void)state;
    check_format(VK_FORMAT_B8G8R8A8_SRGB, "B8G8R8A8_SRGB", true);
    check_format(VK_FORMAT_R8G8B8A8_SRGB, "R8G8B8A8_SRGB", false);
    check_format(VK_FORMAT_B8G8R8A8_UNORM, "B8G8R8A8_UNORM", true);
    check_format(VK_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8_UNORM", false);
}

/* A renderer that was resized draws what one made for the size draws, and goes on handing out pictures. */
static void a_resized_renderer_draws_the_same(void **state)
{
    (void)state;
    const size_t size = (size_t)160 * 90 * 4;
    uint8_t *expected = malloc(size);
    assert_non_null(expected);
    fixture f = open_fixture(160, 90);
    add_sheet(&f);
    sn_render_scene scene = make_scene(&f);
    memcpy(expected, draw(&f, &scene, "made"), size);
    close_fixture(&f);
    f = open_fixture(31, 77);
    add_sheet(&f);
    scene = make_scene(&f);
    draw(&f, &scene, "before");
    assert_int_equal(sn_renderer_draw(f.renderer, &scene), SN_OK); /* never read */
    assert_int_equal(sn_renderer_resize(f.renderer, 160, 90), SN_OK);
    f.width = 160;
    f.height = 90;
    for (int i = 0; i < 3; ++i) {
        assert_memory_equal(draw(&f, &scene, "resized"), expected, size);
    }
    free(expected);
    close_fixture(&f);
}

/* ---- events ---- */

static void keys_come_as_they_are_typed(void **state)
{
    (void)state;
    sn_window *window = NULL;
    sn_window_event event;
    assert_int_equal(sn_window_open("keys", 64, 64, &window), SN_OK);
    GLFWwindow *handle = sn_window_handle(window);
    const GLFWkeyfun on_key = glfwSetKeyCallback(handle, NULL);
    const GLFWcharfun on_character = glfwSetCharCallback(handle, NULL);
    const GLFWscrollfun on_scroll = glfwSetScrollCallback(handle, NULL);
    press(handle, on_key, on_character, GLFW_KEY_R, 'R', GLFW_PRESS);
    press(handle, on_key, on_character, GLFW_KEY_R, 'r', GLFW_REPEAT);
    press(handle, on_key, on_character, GLFW_KEY_R, 0, GLFW_RELEASE);
    press(handle, on_key, on_character, GLFW_KEY_F1, 0, GLFW_PRESS);
    on_scroll(handle, 0, 1);
    on_scroll(handle, 0, 0.5);
    const sn_window_event expected[] = {{.type = SN_WINDOW_KEY, .key = 'r'},
                                        {.type = SN_WINDOW_KEY, .key = 'r', .is_repeated = true},
                                        {.type = SN_WINDOW_KEY, .key = SN_KEY_F1},
                                        {.type = SN_WINDOW_SCROLL, .y = 1.5}};
    for (int i = 0; i < 4; ++i) {
        assert_true(sn_window_next_event(window, &event));
        assert_true(event.type == expected[i].type && event.key == expected[i].key &&
                    event.is_repeated == expected[i].is_repeated && event.y == expected[i].y);
    }
    assert_false(sn_window_next_event(window, &event));
    for (int i = 0; i < 1000; ++i) { /* more than there is room for: the rest is lost */
        on_character(handle, (unsigned)('a' + i % 26));
    }
    int count = 0;
    for (; sn_window_next_event(window, &event); ++count) {
        assert_int_equal(event.key, 'a' + count % 26);
    }
    assert_true(count > 0 && count < 1000);
    sn_window_close(&window);
}

static void the_mouse_presses_drags_and_lets_go(void **state)
{
    (void)state;
    sn_window *window = NULL;
    sn_window_event event;
    assert_int_equal(sn_window_open("mouse", 200, 100, &window), SN_OK);
    const mouse m = take_mouse(window);
    m.on_pointer(m.handle, 150, 20);
    assert_false(sn_window_next_event(window, &event)); /* nothing is held */
    m.on_button(m.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_PRESS, 0);
    m.on_pointer(m.handle, 160, 20);
    m.on_pointer(m.handle, 160, 70);
    m.on_button(m.handle, GLFW_MOUSE_BUTTON_RIGHT, GLFW_PRESS, 0);
    m.on_button(m.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_RELEASE, 0);
    m.on_pointer(m.handle, 170, 70);
    m.on_button(m.handle, GLFW_MOUSE_BUTTON_RIGHT, GLFW_RELEASE, 0);
    m.on_pointer(m.handle, 0, 0);
    const sn_window_event expected[] = {
        {.type = SN_WINDOW_PRESS, .button = SN_BUTTON_LEFT, .x = 0.5, .y = -0.3},
        {.type = SN_WINDOW_DRAG, .button = SN_BUTTON_LEFT, .x = 0.1, .y = 0.5},
        {.type = SN_WINDOW_PRESS, .button = SN_BUTTON_RIGHT, .x = 0.6, .y = 0.2},
        {.type = SN_WINDOW_RELEASE, .button = SN_BUTTON_LEFT, .x = 0.6, .y = 0.2},
        {.type = SN_WINDOW_DRAG, .button = SN_BUTTON_RIGHT, .x = 0.1, .y = 0},
        {.type = SN_WINDOW_RELEASE, .button = SN_BUTTON_RIGHT, .x = 0.7, .y = 0.2},
    };
    for (int i = 0; i < 6; ++i) {
        assert_true(sn_window_next_event(window, &event));
        assert_true(event.type == expected[i].type && event.button == expected[i].button);
        assert_true(fabs(event.x - expected[i].x) < 1e-12 && fabs(event.y - expected[i].y) < 1e-12);
    }
    assert_false(sn_window_next_event(window, &event));
    m.on_button(m.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_PRESS, 0);
    for (int i = 0; i < 200; ++i) { /* no room is left for anything, but what is let go is let go */
        m.on_button(m.handle, GLFW_MOUSE_BUTTON_MIDDLE, GLFW_PRESS, 0);
    }
    m.on_button(m.handle, GLFW_MOUSE_BUTTON_LEFT, GLFW_RELEASE, 0);
    sn_window_event last = {.type = SN_WINDOW_KEY};
    while (sn_window_next_event(window, &event)) {
        last = event;
    }
    assert_true(last.type == SN_WINDOW_RELEASE && last.button == SN_BUTTON_LEFT);
    sn_window_close(&window);
}

static void no_display_is_one_line(void **state)
{
    (void)state;
    sn_window *window = NULL;
    char display[64];
    snprintf(display, sizeof display, "%s", getenv("DISPLAY"));
    unsetenv("DISPLAY");
    sn_set_log(keep_log, NULL);
    log_line_count = 0;
    assert_int_equal(sn_window_open("none", 64, 64, &window), SN_ERROR_UNSUPPORTED);
    assert_null(window);
    assert_int_equal(log_line_count, 1);
    assert_non_null(strstr(log_line, "--headless"));
    setenv("DISPLAY", display, 1);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_window(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_display_is_one_line),
        cmocka_unit_test(keys_come_as_they_are_typed),
        cmocka_unit_test(draws_and_follows_the_window),
        cmocka_unit_test(frames_that_fail_leave_the_window),
        cmocka_unit_test(shows_the_colours_of_the_picture),
        cmocka_unit_test(a_resized_renderer_draws_the_same),
        cmocka_unit_test(the_mouse_presses_drags_and_lets_go),
    };
    return SN_TEST_RUN_UNDER_DISPLAY(tests);
}
