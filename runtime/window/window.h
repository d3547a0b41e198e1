/* SPDX-License-Identifier: MIT */
/* A window of the desktop and what its user does there, by GLFW. One window at a time, on the main thread. */
#ifndef SN_RUNTIME_WINDOW_WINDOW_H
#define SN_RUNTIME_WINDOW_WINDOW_H

#include "compute/core/open.h"

typedef struct sn_window sn_window;

/* A key is the character that it types, letters in lower case, whatever the keyboard's layout; or one of these. */
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

typedef enum sn_window_event_kind {
    SN_WINDOW_KEY,
    SN_WINDOW_PRESS, /* of a button of the mouse */
    SN_WINDOW_DRAG,  /* the pointer, with a button held */
    SN_WINDOW_RELEASE,
    SN_WINDOW_SCROLL, /* the wheel */
    SN_WINDOW_DROP    /* a file, see sn_window_dropped_path */
} sn_window_event_kind;

/* Of several that are held, the first drags. */
typedef enum sn_window_button { SN_BUTTON_LEFT, SN_BUTTON_MIDDLE, SN_BUTTON_RIGHT, SN_BUTTON_COUNT } sn_window_button;

typedef struct sn_window_event {
    sn_window_event_kind kind;
    int key;
    bool is_repeated; /* the key is held */
    bool is_shifted;  /* of a press: with a shift key */
    sn_window_button button;
    /* in heights of the window, right and down: of a drag; of a press, from the middle. Notches of the wheel, up */
    double x, y;
} sn_window_event;

/* Opens hidden. Errors (one line): SN_ERROR_UNSUPPORTED (no display: says to use --headless; no Vulkan for it),
 * SN_ERROR_MEMORY. */
sn_result sn_window_open(const char *title, int width, int height, sn_window **window);
/* What was made for it with Vulkan must be gone. Accepts null. */
void sn_window_close(sn_window **window);

/* For sn_gpu_device_desc. */
const char *const *sn_window_extensions(int *count);
/* The surface goes before the device. SN_ERROR_UNSUPPORTED where the device's queue cannot show anything there. */
sn_result sn_window_create_surface(sn_window *window, const sn_gpu_device *device, VkSurfaceKHR *surface);

void sn_window_show(sn_window *window);
void sn_window_set_title(sn_window *window, const char *title);
/* Of its picture in pixels; 0 x 0 while it is hidden or minimised. */
void sn_window_size(const sn_window *window, int size[2]);
/* Takes in what has happened; waits for up to `seconds` while nothing does, at 0 not at all. */
void sn_window_update(sn_window *window, double seconds);
/* False when there is no more. */
bool sn_window_next_event(sn_window *window, sn_window_event *event);
/* Where the pointer is, as of a press. */
void sn_window_pointer(const sn_window *window, double place[2]);
bool sn_window_is_control_held(const sn_window *window);
/* Pixels that what is one on a plain display should have here. */
float sn_window_scale(const sn_window *window);
/* Its user closes it. */
bool sn_window_is_closing(const sn_window *window);
/* Of the last SN_WINDOW_DROP: the first file. */
const char *sn_window_dropped_path(const sn_window *window);
/* The GLFWwindow. */
void *sn_window_handle(const sn_window *window);

#endif
