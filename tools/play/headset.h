/* SPDX-License-Identifier: MIT */
/* play --xr: what there is of a headset. */
#ifndef SN_TOOLS_PLAY_HEADSET_H
#define SN_TOOLS_PLAY_HEADSET_H

#include "compute/core/open.h"
#include "runtime/frontends/headless/playable.h"

typedef struct sn_headset sn_headset;

/* Its runtime then makes the device of the desc. Errors (one line): there is none, or this build has no OpenXR. */
sn_result sn_headset_open(sn_gpu_device_desc *desc, sn_headset **headset);
/* With that device; the size of an eye's picture. */
sn_result sn_headset_start(sn_headset *headset, sn_gpu_device *device, int size[2]);
/* Until the headset's user ends it, or so many frames are drawn (0: no end); height: metres, or 0. */
sn_result sn_headset_play(sn_headset *headset, sn_playable *playable, double height, int frames,
                          sn_player_report *report);
/* Before the device goes. Accepts null. */
void sn_headset_stop(sn_headset *headset);
/* After it. Accepts null. */
void sn_headset_close(sn_headset **headset);

#endif
