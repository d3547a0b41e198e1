/* SPDX-License-Identifier: MIT */
#include "tools/play/play_device.h"

#include "compute/core/open.h"

sn_result sn_play_device_init(sn_play_device *o, const sn_play_arguments *a)
{
    sn_gpu_device_desc desc = {.name = a->device, .is_validated = a->is_validated};
    if (a->is_xr) {
        SN_TRY(sn_headset_open(&desc, &o->headset));
    } else if (!a->is_headless) {
        SN_TRY(sn_window_open("sinew", a->size[0], a->size[1], &o->window));
        desc.instance_extensions = sn_window_extensions(&desc.instance_extension_count);
    }
    return sn_gpu_device_create(&desc, &o->device);
}

void sn_play_device_finish(sn_play_device *o)
{
    sn_gpu_device_destroy(&o->device);
    sn_headset_close(&o->headset);
    sn_window_close(&o->window);
}

sn_result sn_play_device_create_gpu(const sn_play_device *o, const sn_play_arguments *a, int frames_in_flight,
                                    sn_gpu **gpu)
{
    *gpu = NULL;
    const sn_result result = sn_play_is_on_device(a) ? sn_gpu_create_on(o->device, frames_in_flight, gpu) : SN_OK;
    if (*gpu) {
        (*gpu)->is_single_precision = a->parameters.is_single_precision;
    }
    return result;
}

int sn_play_device_message_count(const sn_play_device *o)
{
    return o->device ? o->device->validation_message_count : 0;
}

sn_result sn_check_message_count(int count)
{
    return count == 0 ? SN_OK
                      : sn_fail(SN_ERROR_UNSUPPORTED, "play: --validate: %d messages of the validation layer", count);
}
