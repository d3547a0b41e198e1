/* SPDX-License-Identifier: MIT */
/* A puppet as a motion: a character's own motion goes on below, and what is tracked is on top. */
#ifndef SN_RUNTIME_SESSION_LIVE_H
#define SN_RUNTIME_SESSION_LIVE_H

#include "runtime/puppet/puppet.h"
#include "runtime/session/motion.h"

typedef struct sn_live sn_live;

typedef struct sn_live_desc {
    sn_motion base;     /* what it does where nothing is tracked */
    double row_seconds; /* of the base's array of poses */
    sn_puppet *puppet;  /* of the base's model; outlives it */
    bool is_at_rest;    /* where the base is the rest pose, arms are as it has them, not lowered */
    bool is_paced;      /* frames wait until their time has come: without a window nothing else does */
    void (*after)(void *user, double seconds); /* after each frame, at seconds from the first; or null */
    void *after_user;
} sn_live_desc;

sn_result sn_live_create(const sn_live_desc *desc, sn_live **live);
/* Accepts null. */
void sn_live_destroy(sn_live **live);
const sn_live_motion *sn_live_get_motion(const sn_live *live);

#endif
