/* SPDX-License-Identifier: MIT */
/* Internal declarations of the layered solver's function table for worlds. */
#ifndef SN_HOST_LAYERED_TABLE_H
#define SN_HOST_LAYERED_TABLE_H

#include "host/layered/layered.h"
#include "host/solver/solver.h"
#include "host/xpbd/skin.h"

/* A cooked model's flesh and bones in one mode, shared by bodies whatever their other parameters. */
typedef struct sn_layered_shared_model {
    const sn_model *model;
    sn_layered_mode mode;
    sn_layered_model *layered;
    int user_count;
    struct sn_layered_shared_model *next;
} sn_layered_shared_model;

typedef struct sn_layered_shared_data {
    sn_layered_shared_model *models;
    bool is_coloured; /* the models are for a device */
} sn_layered_shared_data;

/* Finds or creates the shared model and counts a user. */
sn_result sn_layered_shared_model_acquire(sn_layered_shared_data *work, const sn_model *model, sn_layered_mode mode,
                                          sn_layered_shared_model **shared_model);
void sn_layered_shared_model_release(sn_layered_shared_data *work, sn_layered_shared_model *shared_model);

typedef struct sn_layered_shared {
    sn_layered_shared_data *work;
    sn_layered_shared_model *shared_model;
    sn_solver_desc desc;
} sn_layered_shared;

sn_layered_settings sn_layered_settings_from_shared(const sn_layered_shared *shared);

typedef struct sn_layered_table_body {
    const sn_layered_shared *shared;
    sn_layered_body *body;
    sn_xpbd_grab grabs[SN_GRAB_LIMIT];
    bool is_asleep; /* in the last step */
} sn_layered_table_body;

/* The skin in the last step's state, for the duration of a call. */
sn_xpbd_skin sn_layered_skin(sn_layered_table_body *body);

#endif
