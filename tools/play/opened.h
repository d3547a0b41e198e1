/* SPDX-License-Identifier: MIT */
/* The device of a run, with its window or headset, if any. */
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

/* Zero it. Opens the device for the window, the headset or pictures; call it before slow work. On an error, still call
 * sn_opened_finish. */
sn_result sn_opened_init(sn_opened *opened, const sn_play_arguments *arguments);
/* Call it after all objects of the device are destroyed. */
void sn_opened_finish(sn_opened *opened);

/* Creates the GPU solver context if bodies are simulated on the device; else sets null. */
sn_result sn_opened_create_gpu(const sn_opened *opened, const sn_play_arguments *arguments, int frames_in_flight,
                               sn_gpu **gpu);

/* --validate: the number of validation messages; SN_ERROR_UNSUPPORTED if there are any. */
int sn_opened_message_count(const sn_opened *opened);
sn_result sn_check_message_count(int count);

#endif
