/* SPDX-License-Identifier: MIT */
/* A live motion that layers a puppet's tracking data over the character's own (base) motion. */
#ifndef SN_RUNTIME_SESSION_LIVE_H
#define SN_RUNTIME_SESSION_LIVE_H

#include "runtime/puppet/puppet.h"
#include "runtime/session/motion.h"

typedef struct sn_live sn_live;

typedef struct sn_live_desc {
    sn_motion base;     /* motion of everything that is not tracked */
    double row_seconds; /* time between rows of the base's pose array */
    sn_puppet *puppet;  /* of the base's model; must outlive the live motion */
    bool is_at_rest;    /* keep the arms as in the rest pose if the base is the rest pose (default: lower them) */
    bool is_realtime;   /* wait in each frame until its time has come; needed without a window */
    void (*frame_callback)(void *user,
                           double seconds); /* called after each frame with the seconds since the first; or null */
    void *frame_callback_user;
} sn_live_desc;

sn_result sn_live_create(const sn_live_desc *desc, sn_live **live);
/* Accepts null. */
void sn_live_destroy(sn_live **live);
const sn_live_motion *sn_live_get_motion(const sn_live *live);

#endif
