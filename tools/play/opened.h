/* SPDX-License-Identifier: MIT */
/* What anything is played with: a device, and a window or a headset of it, or neither. */
#ifndef SN_TOOLS_PLAY_OPENED_H
#define SN_TOOLS_PLAY_OPENED_H

#include "compute/world/world.h"
#include "runtime/window/window.h"
#include "tools/play/arguments.h"
#include "tools/play/headset.h"

typedef struct sn_opened {
    sn_window *window;
    sn_headset *headset;
    sn_gpu_device *device;
} sn_opened;

/* Zero it. Before anything that takes long: a device for the window, or the headset's. Errors: one line; close it then,
 * too. */
sn_result sn_opened_init(sn_opened *opened, const sn_play_arguments *arguments);
/* After all that is of the device. */
void sn_opened_finish(sn_opened *opened);

/* Where bodies step, if they do so on the device; else null. */
sn_result sn_opened_create_gpu(const sn_opened *opened, const sn_play_arguments *arguments, int frames_in_flight,
                               sn_gpu **gpu);

/* --validate: how many messages there were, and SN_ERROR_UNSUPPORTED (one line) for any. */
int sn_opened_message_count(const sn_opened *opened);
sn_result sn_check_message_count(int count);

#endif
