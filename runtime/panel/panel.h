/* SPDX-License-Identifier: MIT */
/* Common part of the settings panels: body parameters under plain names, presets and statistics. */
#ifndef SN_RUNTIME_PANEL_PANEL_H
#define SN_RUNTIME_PANEL_PANEL_H

#include "runtime/edit/part_editor.h"
#include "runtime/input/player_keys.h"
#include "runtime/ui/ui.h"
#include "runtime/window/swapchain.h"

#define SN_PANEL_HISTORY 240 /* frames */

typedef struct sn_panel {
    sn_ui *ui; /* created when first displayed */
    bool is_visible;
    double previous;                 /* time of its last frame */
    float step_ms[SN_PANEL_HISTORY]; /* ring buffer over frames */
    int oldest;
    int recovery_count;
} sn_panel;

/* Shows or hides the panel. A hidden panel costs memory but no time. */
sn_result sn_panel_toggle(sn_panel *panel, sn_gpu_device *device, sn_window *window, sn_swapchain *swapchain);
/* Call before destroying the swapchain. */
void sn_panel_finish(sn_panel *panel);
/* True if the panel consumes the event. */
bool sn_panel_event(const sn_panel *panel, const sn_window_event *event);
/* Records the statistics of a frame; call it even while the panel is hidden. */
void sn_panel_record(sn_panel *panel, double solver_seconds, int recovery_count);

/* Pixels that the panel covers at the right of a picture of this size; 0: it is hidden, or covers more than half, so
 * that the camera does not give way to it. */
int sn_panel_width(const sn_panel *panel, const int size[2]);

/* The panel's content goes between begin and end. begin returns false if the panel is hidden or the window has no size.
 */
bool sn_panel_begin(sn_panel *panel, sn_window *window, const char *title);
void sn_panel_end(const sn_panel *panel);

/* A body, or all bodies of one solver. */
typedef struct sn_panel_body {
    const sn_model *model;
    const double (*directions)[3]; /* (2) unit vectors of gravity and wind, used where these are 0 */
    sn_body_desc start;            /* restored by the first preset */
    bool is_scene_body;            /* show only parameters that scenes can change */
} sn_panel_body;

/* Presets and the five main parameters. Returns the changed ones, one bit per sn_player_parameter. */
unsigned sn_panel_main_parameters(const sn_panel *panel, const sn_panel_body *body, sn_body_desc *desc);
/* All other parameters, in a collapsible section. */
#define SN_PANEL_OTHER (1U << SN_PLAYER_PARAMETER_COUNT) /* bit of any parameter without a key */
unsigned sn_panel_other_parameters(const sn_panel *panel, const sn_panel_body *body, sn_body_desc *desc);
/* The parts of the flesh: a list, the values of the selected part, presets, undo, comparing, saving. True if another
 * part was selected. */
bool sn_panel_parts(const sn_panel *panel, sn_part_editor *editor, int *selected);
/* Solver time of recent frames, and statistics of the body's last step. device_name: the device that steps it. */
void sn_panel_statistics(const sn_panel *panel, sn_body_id body, const char *device_name, double frames_per_second);

#endif
