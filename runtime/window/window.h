/* SPDX-License-Identifier: MIT */
/* A desktop window and its input events (GLFW). One window at a time, on the main thread. */
#ifndef SN_RUNTIME_WINDOW_WINDOW_H
#define SN_RUNTIME_WINDOW_WINDOW_H

#include "compute/core/open.h"

typedef struct sn_window sn_window;

/* Key codes: the typed character, letters in lower case, in any keyboard layout; or one of these. */
enum {
    SN_KEY_ESCAPE = 0x110000,
    SN_KEY_HOME,
    SN_KEY_F1,
    SN_KEY_TAB,
    SN_KEY_ENTER,
    SN_KEY_DELETE,
    SN_KEY_LEFT,
    SN_KEY_RIGHT,
    SN_KEY_UP,
    SN_KEY_DOWN
};

typedef enum sn_window_event_type {
    SN_WINDOW_KEY,
    SN_WINDOW_PRESS, /* mouse button pressed */
    SN_WINDOW_DRAG,  /* pointer moved with a button held */
    SN_WINDOW_RELEASE,
    SN_WINDOW_SCROLL, /* mouse wheel */
    SN_WINDOW_DROP    /* file dropped; see sn_window_dropped_path */
} sn_window_event_type;

/* If several buttons are held, drags belong to the first in this order. */
typedef enum sn_window_button { SN_BUTTON_LEFT, SN_BUTTON_MIDDLE, SN_BUTTON_RIGHT, SN_BUTTON_COUNT } sn_window_button;

typedef struct sn_window_event {
    sn_window_event_type type;
    int key;
    bool is_repeated;   /* auto-repeat of a held key */
    bool is_shift_held; /* of a press: Shift is held */
    sn_window_button button;
    /* drag: motion in window heights, right and down; press: position from the center; scroll: wheel notches, up */
    double x, y;
} sn_window_event;

/* Opens a hidden window. Errors: SN_ERROR_UNSUPPORTED (no display, or no Vulkan for it; the message suggests
 * --headless), SN_ERROR_MEMORY. */
sn_result sn_window_open(const char *title, int width, int height, sn_window **window);
/* Destroy its Vulkan objects first. Accepts null. */
void sn_window_close(sn_window **window);

/* Required Vulkan extensions, for sn_gpu_device_desc. */
const char *const *sn_window_extensions(int *count);
/* Destroy the surface before the device. Errors: SN_ERROR_UNSUPPORTED (the device's queue cannot present). */
sn_result sn_window_create_surface(sn_window *window, const sn_gpu_device *device, VkSurfaceKHR *surface);

void sn_window_show(sn_window *window);
void sn_window_set_title(sn_window *window, const char *title);
/* Framebuffer size in pixels; 0 x 0 while hidden or minimised. */
void sn_window_size(const sn_window *window, int size[2]);
/* Processes pending events; waits up to `seconds` for one if there is none. */
void sn_window_update(sn_window *window, double seconds);
/* False if there are no more events. */
bool sn_window_next_event(sn_window *window, sn_window_event *event);
/* Current pointer position, in the coordinates of a press. */
void sn_window_pointer(const sn_window *window, double position[2]);
bool sn_window_is_control_held(const sn_window *window);
/* Display scale: pixels per pixel of a standard-density display. */
float sn_window_scale(const sn_window *window);
/* The user has requested to close the window. */
bool sn_window_is_closing(const sn_window *window);
/* The first file of the last SN_WINDOW_DROP. */
const char *sn_window_dropped_path(const sn_window *window);
/* The GLFWwindow. */
void *sn_window_handle(const sn_window *window);

#endif
