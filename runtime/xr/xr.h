/* SPDX-License-Identifier: MIT */
/* A headset, by OpenXR 1.0 with XR_KHR_vulkan_enable2: two eyes' pictures, the time at which they are seen, and two
 * hands. The loader of OpenXR is looked for when one is opened, so that programs run where there is none.
 *
 *     sn_xr_open(&xr);
 *     sn_gpu_device_create(&(sn_gpu_device_desc){.maker = sn_xr_gpu_maker(xr)}, &device);
 *     sn_xr_start(xr, device);
 *     until sn_xr_is_ended(xr):
 *         sn_xr_poll(xr);
 *         where sn_xr_is_running(xr): sn_xr_begin_frame(xr, &frame);
 *             sn_xr_draw(xr, renderer, &scene, &place), or sn_xr_skip(xr) where nothing is to be seen
 *     sn_xr_stop(xr);
 *     sn_gpu_device_destroy(&device);
 *     sn_xr_close(&xr);
 *
 * Lengths are metres, in the headset's space: y up from the floor, or, where the runtime has no floor, from
 * SN_XR_SEAT below where it begins. An error is one line; after one only sn_xr_stop and sn_xr_close are allowed. One
 * thread at a time. */
#ifndef SN_RUNTIME_XR_XR_H
#define SN_RUNTIME_XR_XR_H

#include "compute/core/open.h"
#include "runtime/render/renderer.h"
#include "runtime/xr/place.h"

#define SN_XR_EYE_COUNT 2
#define SN_XR_HAND_COUNT 2 /* left, right */
#define SN_XR_SEAT 1.6     /* metres from the floor to the eyes, where the runtime does not know */

typedef struct sn_xr sn_xr;

/* SN_ERROR_UNSUPPORTED, with a line that tells which: no loader, no runtime, no headset, or one without what is
 * needed. */
sn_result sn_xr_open(sn_xr **xr);
/* After the device that it made. Accepts null. */
void sn_xr_close(sn_xr **xr);
/* For the device, which the runtime chooses. Lives as long as the xr. */
const sn_gpu_maker *sn_xr_gpu_maker(const sn_xr *xr);

/* The session, the eyes' images and the hands. The device must have been made by the xr's maker. */
sn_result sn_xr_start(sn_xr *xr, sn_gpu_device *device);
/* Before the device goes; also after a failure. */
void sn_xr_stop(sn_xr *xr);
/* Pixels of an eye's picture, width and height: the renderer's must be as large. */
void sn_xr_size(const sn_xr *xr, int size[2]);

/* Takes what the runtime tells: the session begins, ends, or is lost (SN_ERROR_UNSUPPORTED). */
sn_result sn_xr_poll(sn_xr *xr);
/* Between these a frame after the other must be begun and drawn, or skipped. */
bool sn_xr_is_running(const sn_xr *xr);
/* The user or the runtime has ended the session. */
bool sn_xr_is_ended(const sn_xr *xr);
/* Asks for the end: frames go on until it is there. */
sn_result sn_xr_request_end(sn_xr *xr);

typedef struct sn_xr_hand {
    bool is_tracked;      /* else its poses are those of before */
    sn_xr_pose grip, aim; /* where it holds; from where, along -z, it points */
    double trigger;       /* 0 .. 1 */
} sn_xr_hand;

typedef struct sn_xr_frame {
    double time;    /* seconds, of some clock, at which it is seen */
    double seconds; /* from when the last one was seen to when this one is; 0 of the first, and after a break */
    bool is_seen;   /* else it is to be skipped */
    bool is_recentred, is_reset; /* the runtime has moved its space, or a button asks for either */
    sn_xr_hand hands[SN_XR_HAND_COUNT];
} sn_xr_frame;

/* Waits for when the next frame is due. */
sn_result sn_xr_begin_frame(sn_xr *xr, sn_xr_frame *frame);
/* Where the head is at the time of the frame that was begun; false: nobody knows. */
sn_result sn_xr_head(sn_xr *xr, sn_xr_pose *head, bool *is_known);
/* Draws the scene for both eyes, as late as can be with respect to where they look from, and ends the frame. Camera and
 * eye of the scene are set here. Shadows are drawn once. Where nobody knows where the eyes are, or the runtime's images
 * are not free, nothing is drawn. */
sn_result sn_xr_draw(sn_xr *xr, sn_renderer *renderer, const sn_render_scene *scene, const sn_xr_place *place,
                     bool *is_drawn);
sn_result sn_xr_skip(sn_xr *xr);
/* Milliseconds of the device for both eyes of the last frame that it is known to be done with. */
double sn_xr_drawing_ms(const sn_xr *xr);

/* Shakes a hand's controller: strength 0 .. 1. */
sn_result sn_xr_shake(sn_xr *xr, int hand, double strength, double seconds);

#endif
