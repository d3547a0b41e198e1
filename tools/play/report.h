/* SPDX-License-Identifier: MIT */
/* The report of `sinew play` for a character. */
#ifndef SN_TOOLS_PLAY_REPORT_H
#define SN_TOOLS_PLAY_REPORT_H

#include "tools/play/arguments.h"

typedef struct sn_play_result {
    const char *device; /* device name */
    double cook_seconds, total_seconds;
    double solver_ms, drawing_ms; /* medians per frame for pictures, means for a window or headset */
    int frame_count, recovery_count, validation_message_count;
} sn_play_result;

/* Prints one line, or an object with --json. For a window or headset it prints only with --json. */
void sn_play_report(const sn_play_arguments *arguments, const sn_play_result *result);

#endif
