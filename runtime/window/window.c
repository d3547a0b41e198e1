/* SPDX-License-Identifier: MIT */
/* The window, and a ring buffer of events from GLFW's callbacks. */
#include "runtime/window/window.h"

#include <stdio.h>
#include <string.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#define EVENT_LIMIT 64

struct sn_window {
    GLFWwindow *handle;
    sn_window_event events[EVENT_LIMIT];
    int first_event, event_count;
    double pointer[2];
    bool is_button_held[SN_BUTTON_COUNT];
    bool is_repeating; /* of the key whose character follows */
    char dropped_path[4096];
};

static char last_error[256]; /* GLFW's error callback is global */

static void keep_error(int code, const char *description)
{
    (void)code;
    snprintf(last_error, sizeof last_error, "%s", description);
}

/* ---- events ---- */

/* Consecutive drags and wheel events are merged. When the buffer is full, events are dropped, except that a release
 * replaces the last event. */
static void add_event(sn_window *window, sn_window_event event)
{
    const int last_slot = (window->first_event + window->event_count + EVENT_LIMIT - 1) % EVENT_LIMIT;
    sn_window_event *last = &window->events[last_slot];
    const bool is_motion = event.type == SN_WINDOW_DRAG || event.type == SN_WINDOW_SCROLL;
    if (is_motion && window->event_count > 0 && last->type == event.type && last->button == event.button) {
        last->x += event.x;
        last->y += event.y;
    } else if (window->event_count < EVENT_LIMIT) {
        window->events[(window->first_event + window->event_count++) % EVENT_LIMIT] = event;
    } else if (event.type == SN_WINDOW_RELEASE) {
        *last = event;
    }
}

static int key_code(int key)
{
    static const int names[][2] = {{GLFW_KEY_ESCAPE, SN_KEY_ESCAPE}, {GLFW_KEY_HOME, SN_KEY_HOME},
                                   {GLFW_KEY_F1, SN_KEY_F1},         {GLFW_KEY_TAB, SN_KEY_TAB},
                                   {GLFW_KEY_ENTER, SN_KEY_ENTER},   {GLFW_KEY_KP_ENTER, SN_KEY_ENTER},
                                   {GLFW_KEY_DELETE, SN_KEY_DELETE}, {GLFW_KEY_BACKSPACE, SN_KEY_DELETE},
                                   {GLFW_KEY_LEFT, SN_KEY_LEFT},     {GLFW_KEY_RIGHT, SN_KEY_RIGHT},
                                   {GLFW_KEY_UP, SN_KEY_UP},         {GLFW_KEY_DOWN, SN_KEY_DOWN}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (names[i][0] == key) {
            return names[i][1];
        }
    }
    return 0;
}

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int modifiers)
{
    sn_window *window = glfwGetWindowUserPointer(handle);
    const int named = key_code(key);
    (void)scancode, (void)modifiers;
    window->is_repeating = action == GLFW_REPEAT;
    if (named != 0 && action != GLFW_RELEASE) {
        add_event(window, (sn_window_event){.type = SN_WINDOW_KEY, .key = named, .is_repeated = window->is_repeating});
    }
}

/* GLFW calls this directly after on_key. */
static void on_character(GLFWwindow *handle, unsigned character)
{
    sn_window *window = glfwGetWindowUserPointer(handle);
    const int key = character >= 'A' && character <= 'Z' ? (int)character + 'a' - 'A' : (int)character;
    add_event(window, (sn_window_event){.type = SN_WINDOW_KEY, .key = key, .is_repeated = window->is_repeating});
}

static void on_button(GLFWwindow *handle, int button, int action, int modifiers)
{
    static const int buttons[SN_BUTTON_COUNT] = {GLFW_MOUSE_BUTTON_LEFT, GLFW_MOUSE_BUTTON_MIDDLE,
                                                 GLFW_MOUSE_BUTTON_RIGHT};
    sn_window *window = glfwGetWindowUserPointer(handle);
    int width, height;
    glfwGetWindowSize(handle, &width, &height);
    for (int i = 0; i < SN_BUTTON_COUNT && height > 0; ++i) {
        if (buttons[i] == button) {
            window->is_button_held[i] = action == GLFW_PRESS;
            add_event(window, (sn_window_event){.type = action == GLFW_PRESS ? SN_WINDOW_PRESS : SN_WINDOW_RELEASE,
                                                .button = (sn_window_button)i,
                                                .is_shift_held = (modifiers & GLFW_MOD_SHIFT) != 0,
                                                .x = (window->pointer[0] - 0.5 * width) / height,
                                                .y = (window->pointer[1] - 0.5 * height) / height});
        }
    }
}

static void on_pointer(GLFWwindow *handle, double x, double y)
{
    sn_window *window = glfwGetWindowUserPointer(handle);
    int width, height;
    glfwGetWindowSize(handle, &width, &height);
    int held_button = 0;
    while (held_button < SN_BUTTON_COUNT && !window->is_button_held[held_button]) {
        ++held_button;
    }
    if (height > 0 && held_button < SN_BUTTON_COUNT) {
        add_event(window, (sn_window_event){.type = SN_WINDOW_DRAG,
                                            .button = (sn_window_button)held_button,
                                            .x = (x - window->pointer[0]) / height,
                                            .y = (y - window->pointer[1]) / height});
    }
    window->pointer[0] = x;
    window->pointer[1] = y;
}

static void on_scroll(GLFWwindow *handle, double x, double y)
{
    add_event(glfwGetWindowUserPointer(handle), (sn_window_event){.type = SN_WINDOW_SCROLL, .x = x, .y = y});
}

static void on_drop(GLFWwindow *handle, int count, const char **paths)
{
    sn_window *window = glfwGetWindowUserPointer(handle);
    if (count > 0 && strlen(paths[0]) < sizeof window->dropped_path) {
        strcpy(window->dropped_path, paths[0]);
        add_event(window, (sn_window_event){.type = SN_WINDOW_DROP});
    }
}

bool sn_window_next_event(sn_window *window, sn_window_event *event)
{
    if (window->event_count == 0) {
        return false;
    }
    *event = window->events[window->first_event];
    window->first_event = (window->first_event + 1) % EVENT_LIMIT;
    --window->event_count;
    return true;
}

void sn_window_update(sn_window *window, double seconds)
{
    if (seconds > 0 && window->event_count == 0) {
        glfwWaitEventsTimeout(seconds);
    } else {
        glfwPollEvents();
    }
}

const char *sn_window_dropped_path(const sn_window *window)
{
    return window->dropped_path;
}

/* ---- the window ---- */

static sn_result open_handle(sn_window *window, const char *title, int width, int height)
{
    glfwSetErrorCallback(keep_error);
    last_error[0] = 0;
    if (!glfwInit()) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "no display for a window (%s); use --headless to draw to files",
                       last_error);
    }
    if (!glfwVulkanSupported()) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "this display does not support Vulkan windows (%s); use --headless to draw to files",
                       last_error);
    }
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    window->handle = glfwCreateWindow(width, height, title, NULL, NULL);
    if (!window->handle) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "cannot open a window (%s); use --headless to draw to files", last_error);
    }
    return SN_OK;
}

sn_result sn_window_open(const char *title, int width, int height, sn_window **window)
{
    *window = sn_alloc(1, sizeof **window);
    if (!*window) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = open_handle(*window, title, width, height);
    if (result != SN_OK) {
        sn_window_close(window);
        return result;
    }
    GLFWwindow *handle = (*window)->handle;
    glfwSetWindowUserPointer(handle, *window);
    glfwSetKeyCallback(handle, on_key);
    glfwSetCharCallback(handle, on_character);
    glfwSetMouseButtonCallback(handle, on_button);
    glfwSetCursorPosCallback(handle, on_pointer);
    glfwSetScrollCallback(handle, on_scroll);
    glfwSetDropCallback(handle, on_drop);
    return SN_OK;
}

/* Also terminates GLFW. */
void sn_window_close(sn_window **window)
{
    if (*window) {
        glfwTerminate();
        glfwSetErrorCallback(NULL);
        sn_free(*window, 1, sizeof **window);
        *window = NULL;
    }
}

const char *const *sn_window_extensions(int *count)
{
    uint32_t extension_count = 0;
    const char **extensions = glfwGetRequiredInstanceExtensions(&extension_count);
    *count = (int)extension_count;
    return extensions;
}

sn_result sn_window_create_surface(sn_window *window, const sn_gpu_device *device, VkSurfaceKHR *surface)
{
    VkBool32 is_supported = VK_FALSE;
    sn_result result = SN_OK;
    SN_VK_OF("surface", glfwCreateWindowSurface(device->instance, window->handle, NULL, surface));
    SN_VK(vkGetPhysicalDeviceSurfaceSupportKHR(device->physical, device->queue_family, *surface, &is_supported));
    if (!is_supported) {
        result =
            sn_fail(SN_ERROR_UNSUPPORTED, "%s cannot present to this window; choose another --device, or --headless",
                    device->properties.deviceName);
    }
done:
    if (result != SN_OK && *surface) {
        vkDestroySurfaceKHR(device->instance, *surface, NULL);
        *surface = VK_NULL_HANDLE;
    }
    return result;
}

void sn_window_show(sn_window *window)
{
    glfwShowWindow(window->handle);
}

void sn_window_set_title(sn_window *window, const char *title)
{
    glfwSetWindowTitle(window->handle, title);
}

void sn_window_size(const sn_window *window, int size[2])
{
    size[0] = size[1] = 0;
    if (glfwGetWindowAttrib(window->handle, GLFW_VISIBLE) && !glfwGetWindowAttrib(window->handle, GLFW_ICONIFIED)) {
        glfwGetFramebufferSize(window->handle, &size[0], &size[1]);
    }
}

void sn_window_pointer(const sn_window *window, double position[2])
{
    int width, height;
    glfwGetWindowSize(window->handle, &width, &height);
    position[0] = (window->pointer[0] - 0.5 * width) / (height > 0 ? height : 1);
    position[1] = (window->pointer[1] - 0.5 * height) / (height > 0 ? height : 1);
}

bool sn_window_is_control_held(const sn_window *window)
{
    return glfwGetKey(window->handle, GLFW_KEY_LEFT_CONTROL) == GLFW_PRESS ||
           glfwGetKey(window->handle, GLFW_KEY_RIGHT_CONTROL) == GLFW_PRESS;
}

float sn_window_scale(const sn_window *window)
{
    float across = 1, down = 1;
    glfwGetWindowContentScale(window->handle, &across, &down);
    return down > 0 ? down : 1;
}

bool sn_window_is_closing(const sn_window *window)
{
    return glfwWindowShouldClose(window->handle) != 0;
}

void *sn_window_handle(const sn_window *window)
{
    return window->handle;
}
