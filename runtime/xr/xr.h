/* SPDX-License-Identifier: MIT */
/* A headset through OpenXR 1.0 with XR_KHR_vulkan_enable2: two eyes, predicted display times, and two hands. The OpenXR
 * loader is opened at run time, so that programs run without it.
 *
 *     sn_xr_open(&xr);
 *     sn_gpu_device_create(&(sn_gpu_device_desc){.maker = sn_xr_gpu_device_factory(xr)}, &device);
 *     sn_xr_start(xr, device);
 *     until sn_xr_is_ended(xr):
 *         sn_xr_poll(xr);
 *         if sn_xr_is_running(xr): sn_xr_begin_frame(xr, &frame);
 *             sn_xr_draw(xr, renderer, &scene, &placement), or sn_xr_skip(xr) if the frame is not displayed
 *     sn_xr_stop(xr);
 *     sn_gpu_device_destroy(&device);
 *     sn_xr_close(&xr);
 *
 * Lengths are in metres in the headset's space: y up from the floor. If the runtime does not know the floor, it is
 * assumed SN_XR_EYE_HEIGHT below the head's initial position. Errors are logged; after an error only sn_xr_stop and
 * sn_xr_close may be called. Not thread-safe. */
#ifndef SN_RUNTIME_XR_XR_H
#define SN_RUNTIME_XR_XR_H

#include "compute/core/open.h"
#include "runtime/render/renderer.h"
#include "runtime/xr/placement.h"

#define SN_XR_EYE_COUNT 2
#define SN_XR_HAND_COUNT 2   /* left, right */
#define SN_XR_EYE_HEIGHT 1.6 /* assumed eye height above the floor, metres */

typedef struct sn_xr sn_xr;

/* Errors: SN_ERROR_UNSUPPORTED; the message says which: no loader, no runtime, no headset, or a required feature is
 * missing. */
sn_result sn_xr_open(sn_xr **xr);
/* Call after destroying the device. Accepts null. */
void sn_xr_close(sn_xr **xr);
/* For the creation of the device, which the runtime chooses. Lives as long as xr. */
const sn_gpu_device_factory *sn_xr_gpu_device_factory(const sn_xr *xr);

/* Creates session, images and hand input. The device must have been created with sn_xr_gpu_device_factory. */
sn_result sn_xr_start(sn_xr *xr, sn_gpu_device *device);
/* Call before destroying the device; also after a failed start. */
void sn_xr_stop(sn_xr *xr);
/* Width and height of an eye's picture in pixels; the renderer must have the same size. */
void sn_xr_size(const sn_xr *xr, int size[2]);

/* Processes the runtime's events. Errors: SN_ERROR_UNSUPPORTED (the session was lost). */
sn_result sn_xr_poll(sn_xr *xr);
/* While running, every frame must be begun and then drawn or skipped. */
bool sn_xr_is_running(const sn_xr *xr);
/* The user or the runtime has ended the session. */
bool sn_xr_is_ended(const sn_xr *xr);
/* Requests the end of the session; frames continue until it has ended. */
sn_result sn_xr_request_end(sn_xr *xr);

typedef struct sn_xr_hand {
    bool is_tracked;      /* else the poses are the last known ones */
    sn_xr_pose grip, aim; /* where it holds; pointing ray along -z */
    double trigger;       /* 0 to 1 */
} sn_xr_hand;

typedef struct sn_xr_frame {
    double time;                 /* predicted display time, seconds of an arbitrary clock */
    double seconds;              /* since the last displayed frame; 0 for the first and after a pause */
    bool is_displayed;           /* the frame is displayed; else skip it */
    bool is_recentred, is_reset; /* the runtime has moved its space, or a button was pressed */
    sn_xr_hand hands[SN_XR_HAND_COUNT];
} sn_xr_frame;

/* Waits until the next frame is due. */
sn_result sn_xr_begin_frame(sn_xr *xr, sn_xr_frame *frame);
/* Head pose at the time of the current frame; *is_known is false if it is not tracked. */
sn_result sn_xr_head(sn_xr *xr, sn_xr_pose *head, bool *is_known);
/* Draws the scene for both eyes, located as late as possible, and ends the frame. Sets camera and eye of the scene.
 * Shadows are drawn once. *is_drawn is false if the eyes are not tracked or no image is free. */
sn_result sn_xr_draw(sn_xr *xr, sn_renderer *renderer, const sn_render_scene *scene, const sn_xr_placement *placement,
                     bool *is_drawn);
sn_result sn_xr_skip(sn_xr *xr);
/* GPU time in ms for both eyes, of the last frame known to be complete. */
double sn_xr_drawing_ms(const sn_xr *xr);

/* Vibrates a hand's controller; strength 0 to 1. */
sn_result sn_xr_vibrate(sn_xr *xr, int hand, double strength, double seconds);

#endif
