/* SPDX-License-Identifier: MIT */
/* Panels over the picture, by Dear ImGui: a C face of what the player needs of it. One at a time, on the thread of the
 * window. Colours and sizes are its own; sizes go with the display's scale.
 *
 * Keyboard. Arrows go from widget to widget and, once one is seen to be chosen, Space and Enter press it, arrows change
 * it, Esc leaves; Ctrl and a click, or Enter, on a number edits it. */
#ifndef SN_RUNTIME_UI_UI_H
#define SN_RUNTIME_UI_UI_H

#include "compute/core/memory.h"
#include "runtime/window/window.h"

typedef struct sn_ui sn_ui;

/* For a window of the device. Errors: SN_ERROR_MEMORY, those of Vulkan. */
sn_result sn_ui_create(sn_gpu_device *device, sn_window *window, sn_ui **ui);
/* Waits for the device. Accepts null; nulls the pointer. */
void sn_ui_destroy(sn_ui **ui);

/* Whether the event is the panel's, and nobody else's. */
bool sn_ui_event(sn_ui *ui, const sn_window_event *event);

/* A frame: begin, one panel, end; then the painter draws it into a picture until the next frame. size: of the picture
 * in pixels. */
void sn_ui_begin(sn_ui *ui, const int size[2], double seconds);
void sn_ui_end(sn_ui *ui);
/* For sn_swapchain_set_painter: the picture is and stays in SN_GPU_TRANSFER_READ. Nothing is drawn into one of another
 * size, or before the first frame. */
void sn_ui_paint(VkCommandBuffer commands, const sn_gpu_image *picture, void *ui);

/* ---- what is in a panel; says: told where the pointer rests, or null ---- */

/* At the right edge, as high as it needs and the picture has; scrolls. */
void sn_ui_panel_begin(sn_ui *ui, const char *title);
void sn_ui_panel_end(sn_ui *ui);

/* In between, labels need differ from one another alone, and may be empty. */
void sn_ui_push(sn_ui *ui, int index);
void sn_ui_pop(sn_ui *ui);

typedef struct sn_ui_number {
    const char *label, *says;
    const char *format; /* printf's, with the unit: "%.2f m" */
    double least, most; /* of the slider; numbers that are typed may be beyond */
    bool is_logarithmic;
} sn_ui_number;
/* True: it was changed. */
bool sn_ui_slider(sn_ui *ui, const sn_ui_number *number, double *value);
/* With a format of %d. */
bool sn_ui_whole_slider(sn_ui *ui, const sn_ui_number *number, int *value);
bool sn_ui_switch(sn_ui *ui, const char *label, const char *says, bool *value);
/* names(index, user) of `count`. */
typedef const char *sn_ui_name(int index, void *user);
bool sn_ui_choice(sn_ui *ui, const char *label, const char *says, sn_ui_name *names, void *user, int count, int *index);
/* Beside the last one where is_beside. True: it was pressed. */
bool sn_ui_button(sn_ui *ui, const char *label, const char *says, bool is_beside);
/* True: it is open, and what follows is in it. */
bool sn_ui_fold(sn_ui *ui, const char *label, bool is_open_at_first);
/* A name and what it is. */
void sn_ui_line(sn_ui *ui, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Of `count` values in a ring, `first` the oldest; 0 .. most. */
void sn_ui_plot(sn_ui *ui, const char *label, const float *values, int count, int first, float most);

#endif
