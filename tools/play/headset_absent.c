/* SPDX-License-Identifier: MIT */
/* play --xr in a build without OpenXR (SN_XR=OFF): opening fails, so the other functions are never called. */
#include "compute/core/open.h"
#include "tools/play/headset.h"

sn_result sn_headset_open(sn_gpu_device_desc *desc, sn_headset **headset)
{
    (void)desc;
    *headset = NULL;
    return sn_fail(SN_ERROR_UNSUPPORTED, "xr: this build has no OpenXR (SN_XR=OFF)");
}

sn_result sn_headset_start(sn_headset *headset, sn_gpu_device *device, int size[2])
{
    (void)headset;
    (void)device;
    size[0] = size[1] = 0;
    return SN_ERROR_UNSUPPORTED;
}

sn_result sn_headset_play(sn_headset *headset, sn_playable *playable, double height, int frames,
                          sn_player_report *report)
{
    (void)headset;
    (void)playable;
    (void)height;
    (void)frames;
    (void)report;
    return SN_ERROR_UNSUPPORTED;
}

void sn_headset_stop(sn_headset *headset)
{
    (void)headset;
}

void sn_headset_close(sn_headset **headset)
{
    *headset = NULL;
}
