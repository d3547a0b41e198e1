/* SPDX-License-Identifier: MIT */
#include "tools/play/report.h"

#include <stdio.h>

#include "tools/command/json.h"

static json_t *report_window(const sn_play_result *r)
{
    return json_pack("{s:i,s:s,s:{s:o,s:o},s:o,s:o,s:i,s:i}", "frames", r->frame_count, "device", r->device, "seconds",
                     "cook", sn_json_real(r->cook_seconds), "total", sn_json_real(r->total_seconds), "solver_ms_mean",
                     sn_json_real(r->solver_ms), "draw_ms_mean", sn_json_real(r->drawing_ms), "recoveries",
                     r->recovery_count, "validation_messages", r->validation_message_count);
}

static json_t *report_pictures(const sn_play_arguments *a, const sn_play_result *r)
{
    return json_pack("{s:i,s:i,s:i,s:s,s:{s:o,s:o},s:o,s:o,s:i}", "frames", r->frame_count, "width", a->size[0],
                     "height", a->size[1], "device", r->device, "seconds", "cook", sn_json_real(r->cook_seconds),
                     "total", sn_json_real(r->total_seconds), "step_ms_median", sn_json_real(r->solver_ms),
                     "draw_ms_median", sn_json_real(r->drawing_ms), "validation_messages", r->validation_message_count);
}

void sn_play_report(const sn_play_arguments *a, const sn_play_result *r)
{
    if (!a->is_json && a->is_headless) {
        printf("%s: %d frames of %d x %d in %.2f s by %s; %.3f ms a step, %.3f ms a drawing (medians)\n", a->out,
               r->frame_count, a->size[0], a->size[1], r->total_seconds, r->device, r->solver_ms, r->drawing_ms);
    }
    if (!a->is_json) {
        return;
    }
    json_t *report = a->is_headless ? report_pictures(a, r) : report_window(r);
    if (a->live) {
        a->live->report(a->live->user, report);
    }
    sn_print_json(report);
}
