/* SPDX-License-Identifier: MIT */
/* What panels of settings have in common: a body's parameters under plain names, presets, and how it is doing. */
#ifndef SN_RUNTIME_PANEL_PANEL_H
#define SN_RUNTIME_PANEL_PANEL_H

#include "runtime/input/player_keys.h"
#include "runtime/ui/ui.h"
#include "runtime/window/swapchain.h"

#define SN_PANEL_HISTORY 240 /* frames */

typedef struct sn_panel {
    sn_ui *ui; /* made when it is first shown */
    bool is_shown;
    double before;                   /* when its last frame was */
    float step_ms[SN_PANEL_HISTORY]; /* in a ring, of frames */
    int oldest;
    int recovery_count;
} sn_panel;

/* Shows it, or hides it: hidden, it costs nothing but its memory. */
sn_result sn_panel_toggle(sn_panel *panel, sn_gpu_device *device, sn_window *window, sn_swapchain *swapchain);
/* Before the swapchain. */
void sn_panel_finish(sn_panel *panel);
/* Whether the event is the panel's alone. */
bool sn_panel_event(const sn_panel *panel, const sn_window_event *event);
/* Of every frame, shown or not. */
void sn_panel_note(sn_panel *panel, double solver_seconds, int recovery_count);

/* In between is what the panel holds; false where it is hidden, or the window has no size. */
bool sn_panel_begin(sn_panel *panel, sn_window *window, const char *title);
void sn_panel_end(const sn_panel *panel);

/* Of one solver. */
typedef struct sn_panel_body {
    const sn_model *model;
    const double (*directions)[3]; /* (2) of gravity and wind, unit, where these are 0 */
    sn_body_desc start;            /* what the first preset goes back to */
    bool is_of_scene;              /* of the rest it has what scenes let change */
} sn_panel_body;

/* Presets, and the five that matter most. Returns which were changed, a bit a sn_player_parameter. */
unsigned sn_panel_parameters(const sn_panel *panel, const sn_panel_body *body, sn_body_desc *desc);
/* All others, in a fold. */
#define SN_PANEL_OTHER (1U << SN_PLAYER_PARAMETER_COUNT) /* one that has no key */
unsigned sn_panel_more(const sn_panel *panel, const sn_panel_body *body, sn_body_desc *desc);
/* Milliseconds a frame, and of the last seconds; and of a body its last step. place: where it steps. */
void sn_panel_statistics(const sn_panel *panel, sn_body_id body, const char *place, double frames_per_second);

#endif
