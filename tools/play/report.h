/* SPDX-License-Identifier: MIT */
/* What `sinew play` says of a character that it has played. */
#ifndef SN_TOOLS_PLAY_REPORT_H
#define SN_TOOLS_PLAY_REPORT_H

#include "tools/play/arguments.h"

typedef struct sn_play_result {
    const char *device; /* its name */
    double cook_seconds, total_seconds;
    double solver_ms, drawing_ms; /* medians a frame of pictures, means of a window or headset */
    int frame_count, recovery_count, validation_message_count;
} sn_play_result;

/* Of pictures: a line, or with --json an object. Of a window or a headset with --json alone: somebody watched. */
void sn_play_report(const sn_play_arguments *arguments, const sn_play_result *result);

#endif
