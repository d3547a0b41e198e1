/* SPDX-License-Identifier: MIT */
/* Internals of a replay, shared by its source files. */
#ifndef SN_HOST_WORLD_REPLAY_PRIVATE_H
#define SN_HOST_WORLD_REPLAY_PRIVATE_H

#include "host/model/model.h"
#include "host/world/record.h"
#include "host/world/replay_file.h"
#include "sinew/surface.h"

typedef struct replayed_model {
    const sn_model *model;
    sn_model *own; /* loaded from the recording, or null */
    sn_embedding *embedding;
} replayed_model;

typedef struct replayed_body {
    sn_body_id id;
    int model;
} replayed_body;

typedef struct replayed_collider {
    sn_collider_id id;
    sn_collider_desc desc;
} replayed_collider;

struct sn_replay {
    sn_replay_desc desc;
    sn_replay_file file;
    size_t offset;        /* offset of the next record */
    size_t record_offset; /* offset of the current record */
    sn_world_id world;
    replayed_model *models; /* (file.model_count), of which model_count are loaded */
    sn_grid **grids;        /* (file.grid_count), of which grid_count are loaded */
    int model_count, grid_count;
    replayed_body *bodies;        /* (body_count) */
    replayed_collider *colliders; /* (collider_count) */
    int body_count, body_capacity, collider_count, collider_capacity;
    uint64_t *input_checksums; /* (desc.model_count) checksums of the desc's models */
    double *scratch;           /* (scratch_size) */
    size_t scratch_size;
    int step, first_difference;
};

/* Reports an invalid current record and returns SN_ERROR_FORMAT. */
sn_result sn_replay_report_damage(const sn_replay *r, const char *what);
/* Registers a difference from the recording; only the first one is logged. */
void sn_replay_report_difference(sn_replay *r, const char *what);

/* replay_bodies.c */
sn_result sn_replay_create_body(sn_replay *r, const sn_record_call *call);
/* Replays any call for an existing body. */
sn_result sn_replay_change_body(sn_replay *r, const sn_record_call *call);

#endif
