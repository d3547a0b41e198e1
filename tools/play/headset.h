/* SPDX-License-Identifier: MIT */
/* The OpenXR headset of play --xr. */
#ifndef SN_TOOLS_PLAY_HEADSET_H
#define SN_TOOLS_PLAY_HEADSET_H

#include "compute/core/open.h"
#include "runtime/frontends/headless/playable.h"

typedef struct sn_headset sn_headset;

/* Opens the headset; its runtime then creates the Vulkan device of the desc. Fails without a headset or in a build
 * without OpenXR. */
sn_result sn_headset_open(sn_gpu_device_desc *desc, sn_headset **headset);
/* Starts the session on that device; returns the size of an eye's picture. */
sn_result sn_headset_start(sn_headset *headset, sn_gpu_device *device, int size[2]);
/* Runs until the user exits or `frames` frames are rendered (0: no limit). height is in metres, or 0. */
sn_result sn_headset_play(sn_headset *headset, sn_playable *playable, double height, int frames,
                          sn_player_report *report);
/* Call it before the device is destroyed. Accepts null. */
void sn_headset_stop(sn_headset *headset);
/* Call it after the device is destroyed. Accepts null. */
void sn_headset_close(sn_headset **headset);

#endif
