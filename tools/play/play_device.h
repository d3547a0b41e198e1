/* SPDX-License-Identifier: MIT */
/* The device of a run, with its window or headset, if any. */
#ifndef SN_TOOLS_PLAY_PLAY_DEVICE_H
#define SN_TOOLS_PLAY_PLAY_DEVICE_H

#include "compute/world/world.h"
#include "runtime/window/window.h"
#include "tools/play/arguments.h"
#include "tools/play/headset.h"

typedef struct sn_play_device {
    sn_window *window;
    sn_headset *headset;
    sn_gpu_device *device;
} sn_play_device;

/* Zero it. Opens the device for the window, the headset or pictures; call it before slow work. On an error, still call
 * sn_play_device_finish. */
sn_result sn_play_device_init(sn_play_device *play_device, const sn_play_arguments *arguments);
/* Call it after all objects of the device are destroyed. */
void sn_play_device_finish(sn_play_device *play_device);

/* Creates the GPU solver context if bodies are simulated on the device; else sets null. */
sn_result sn_play_device_create_gpu(const sn_play_device *play_device, const sn_play_arguments *arguments,
                                    int frames_in_flight, sn_gpu **gpu);

/* --validate: the number of validation messages; SN_ERROR_UNSUPPORTED if there are any. */
int sn_play_device_message_count(const sn_play_device *play_device);
sn_result sn_check_message_count(int count);

#endif
