/* SPDX-License-Identifier: MIT */
/* Panels over the picture: a C interface to the parts of Dear ImGui that the player uses. One panel at a time, on the
 * window's thread. Sizes follow the display's scale.
 *
 * Keyboard: arrows move between widgets. Once the focus is visible, Space and Enter press a widget, arrows change it,
 * Esc leaves it. Ctrl and a click, or Enter, edits a number. */
#ifndef SN_RUNTIME_UI_UI_H
#define SN_RUNTIME_UI_UI_H

#include "compute/core/memory.h"
#include "runtime/window/window.h"

typedef struct sn_ui sn_ui;

/* Errors: SN_ERROR_MEMORY, and those of Vulkan. */
sn_result sn_ui_create(sn_gpu_device *device, sn_window *window, sn_ui **ui);
/* Waits for the device. Accepts null. */
void sn_ui_destroy(sn_ui **ui);

/* True if the panel consumes the event. */
bool sn_ui_event(sn_ui *ui, const sn_window_event *event);

/* A frame: begin, one panel, end. The painter then draws it into pictures until the next frame. size: of the picture in
 * pixels. */
void sn_ui_begin(sn_ui *ui, const int size[2], double seconds);
void sn_ui_end(sn_ui *ui);
/* Painter for sn_swapchain_set_painter; the picture is and stays in SN_GPU_TRANSFER_READ. Draws nothing before the
 * first frame, or into a picture of another size. */
void sn_ui_paint(VkCommandBuffer commands, const sn_gpu_image *picture, void *ui);

/* ---- widgets; `tooltip` may be null ---- */

/* At the right edge; as high as its content, limited by the picture; scrolls. */
void sn_ui_panel_begin(sn_ui *ui, const char *title);
void sn_ui_panel_end(sn_ui *ui);
/* Pixels at the right edge of the picture that the panel of the last frame covers, with its margins. */
int sn_ui_panel_width(const sn_ui *ui);

/* Scope of widget labels: between push and pop, labels may repeat those outside, or be empty. */
void sn_ui_push(sn_ui *ui, int index);
void sn_ui_pop(sn_ui *ui);

typedef struct sn_ui_number {
    const char *label, *tooltip;
    const char *format; /* printf format with the unit: "%.2f m" */
    double min, max;    /* range of the slider; typed numbers may exceed it */
    bool is_logarithmic;
} sn_ui_number;
/* True if the value changed. */
bool sn_ui_slider(sn_ui *ui, const sn_ui_number *number, double *value);
/* For integers; the format uses %d. */
bool sn_ui_int_slider(sn_ui *ui, const sn_ui_number *number, int *value);
bool sn_ui_checkbox(sn_ui *ui, const char *label, const char *tooltip, bool *value);
/* Returns the name of an item of a list. */
typedef const char *sn_ui_item_name(int index, void *user);
bool sn_ui_combo(sn_ui *ui, const char *label, const char *tooltip, sn_ui_item_name *names, void *user, int count,
                 int *index);
/* A list of at most `row_count` visible rows, which scrolls; true if another item was chosen. */
bool sn_ui_list(sn_ui *ui, const char *label, sn_ui_item_name *names, void *user, int count, int row_count, int *index);
/* True if pressed. is_same_line: on the same line as the last widget. */
bool sn_ui_button(sn_ui *ui, const char *label, const char *tooltip, bool is_same_line);
/* A collapsible section; true if it is open, and its content should follow. */
bool sn_ui_section(sn_ui *ui, const char *label, bool is_initially_open);
/* A name and a formatted value. */
void sn_ui_value(sn_ui *ui, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Plots `count` values of a ring buffer whose oldest is `first`; range 0 to `max`. */
void sn_ui_plot(sn_ui *ui, const char *label, const float *values, int count, int first, float max);

#endif
