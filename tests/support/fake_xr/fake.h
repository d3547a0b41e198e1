/* SPDX-License-Identifier: MIT */
/* A small OpenXR runtime for tests, with a headset that does what the test says: loaded by the loader as any other, by
 * XR_RUNTIME_JSON. It watches the order and arguments of all calls; what breaks a rule is counted. A test in the same
 * process reads and writes this struct, which sn_fake_xr_start hands out; another process has SN_FAKE_XR: words with
 * commas between them,
 *     headless            there is no headset
 *     plain               no XR_KHR_vulkan_enable2
 *     local               no stage: no floor is known
 *     lose=N              the session is lost in frame N (counted from 1, by xrEndFrame)
 *     drop=N              so is the instance
 *     pending=N           the session is about to be lost
 *     exit=N              the user ends it
 *     poke                the right hand goes to and fro before the head
 *     out=FOLDER          each eye's last picture as a PPM, left.ppm and right.ppm */
#ifndef SN_TESTS_SUPPORT_FAKE_XR_FAKE_H
#define SN_TESTS_SUPPORT_FAKE_XR_FAKE_H

#include <stdbool.h>
#include <stdint.h>

#define SN_FAKE_HANDS 2
#define SN_FAKE_EYES 2

typedef struct sn_fake_pose {
    float orientation[4], position[3];
} sn_fake_pose;

typedef struct sn_fake_hand {
    bool is_tracked;
    sn_fake_pose pose; /* grip and aim */
    float trigger;
    bool is_reset, is_recentre; /* buttons held */
} sn_fake_hand;

typedef struct sn_fake_xr {
    /* what the test sets, before the instance or between frames */
    bool is_headless, is_plain, has_no_stage;
    int width, height;  /* of an eye's picture */
    int64_t formats[2]; /* VkFormat, the runtime's order; 0: none */
    double rate;        /* Hz */
    sn_fake_pose head;  /* the left and right eye are 32 mm beside it, the right one turned by 4 degrees */
    sn_fake_hand hands[SN_FAKE_HANDS];
    bool is_hidden;                                     /* frames need not be drawn */
    bool is_lost_view;                                  /* nobody knows where the head is */
    bool is_busy;                                       /* images do not become free */
    bool is_recentred;                                  /* its space moves: told once */
    int lose_at, drop_at, pending_at, exit_at;          /* frames; 0: never */
    int doze_at;                                        /* it is taken off, and put on again at once */
    void (*script)(struct sn_fake_xr *fake, int frame); /* called when a frame is waited for, from 1 on; or null */
    /* what it saw */
    int broken_count;                          /* rules that were broken */
    char broken[256];                          /* the first */
    int begun_count, drawn_count, empty_count; /* sessions begun; frames with and without pictures */
    int shake_count[SN_FAKE_HANDS];
    float shake_most[SN_FAKE_HANDS];
    int live_count;                /* sessions, spaces, swapchains, action sets that are alive */
    uint8_t *pixels[SN_FAKE_EYES]; /* (height x width x 4), of the last drawn frame */
    sn_fake_pose eyes[SN_FAKE_EYES];
    float tangents[SN_FAKE_EYES][4]; /* left, right, down, up, of its pictures */
} sn_fake_xr;

/* sn_fake_xr_start: as it is at first, and without a word said; while there is no instance. */
typedef sn_fake_xr *sn_fake_xr_start_function(void);

#endif
