/* SPDX-License-Identifier: MIT */
/* Windows under a display of the test's own, their device and their events. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_RENDER_WINDOW_H
#define SN_TESTS_SUPPORT_RENDER_WINDOW_H

#include <stdio.h>
#include <stdlib.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "compute/core/open.h"
#include "runtime/window/swapchain.h"
#include "tests/support/render_fixture.h"
#include "tests/support/virtual_display.h"

static inline sn_gpu_device *open_device(const sn_window *window)
{
    sn_gpu_device *device = NULL;
    sn_gpu_device_desc desc = {.name = getenv("SN_TEST_DEVICE"), .is_validated = true};
    assert_non_null(window);
    desc.instance_extensions = sn_window_extensions(&desc.instance_extension_count);
    assert_int_equal(sn_gpu_device_create(&desc, &device), SN_OK);
    return device;
}

static inline void press(GLFWwindow *handle, GLFWkeyfun on_key, GLFWcharfun on_character, int key, int character,
                         int action)
{
    on_key(handle, key, 0, action, 0);
    if (character) {
        on_character(handle, (unsigned)character);
    }
}

typedef struct mouse {
    GLFWwindow *handle;
    GLFWmousebuttonfun on_button;
    GLFWcursorposfun on_pointer;
} mouse;

static inline mouse take_mouse(sn_window *window)
{
    GLFWwindow *handle = sn_window_handle(window);
    /* without GLFW's own calls, what the display's pointer does is no matter */
    return (mouse){handle, glfwSetMouseButtonCallback(handle, NULL), glfwSetCursorPosCallback(handle, NULL)};
}

#endif
