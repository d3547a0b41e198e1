/* SPDX-License-Identifier: MIT */
/* Internal declarations of the layered solver's function table for worlds. */
#ifndef SN_HOST_LAYERED_TABLE_H
#define SN_HOST_LAYERED_TABLE_H

#include "host/layered/layered.h"
#include "host/solver/solver.h"
#include "host/xpbd/skin.h"

/* A cooked model's flesh and bones in one mode, shared by bodies whatever their other parameters. */
typedef struct sn_layered_kind {
    const sn_model *model;
    sn_layered_mode mode;
    sn_layered_model *layered;
    int user_count;
    struct sn_layered_kind *next;
} sn_layered_kind;

typedef struct sn_layered_work {
    sn_layered_kind *kinds;
    bool is_coloured; /* the models are for a device */
} sn_layered_work;

/* Finds or creates the shared model and counts a user. */
sn_result sn_layered_kind_acquire(sn_layered_work *work, const sn_model *model, sn_layered_mode mode,
                                  sn_layered_kind **kind);
void sn_layered_kind_release(sn_layered_work *work, sn_layered_kind *kind);

typedef struct sn_layered_shared {
    sn_layered_work *work;
    sn_layered_kind *kind;
    sn_solver_desc desc;
} sn_layered_shared;

sn_layered_settings sn_layered_settings_of(const sn_layered_shared *shared);

typedef struct sn_layered_table_body {
    const sn_layered_shared *shared;
    sn_layered_body *body;
    sn_xpbd_grab grabs[SN_GRAB_LIMIT];
    bool is_asleep; /* in the last step */
} sn_layered_table_body;

/* The skin in the last step's state, for the duration of a call. */
sn_xpbd_skin sn_layered_skin(sn_layered_table_body *body);

#endif
