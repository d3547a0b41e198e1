/* SPDX-License-Identifier: MIT */
/* Inside of a replay: shared by its files alone. */
#ifndef SN_HOST_WORLD_REPLAY_PRIVATE_H
#define SN_HOST_WORLD_REPLAY_PRIVATE_H

#include "host/model/model.h"
#include "host/world/record.h"
#include "host/world/replay_file.h"
#include "sinew/surface.h"

typedef struct replayed_model {
    const sn_model *model;
    sn_model *own; /* of the recording's bytes, or null */
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
    size_t at;        /* of the next record */
    size_t record_at; /* of the one that is under way */
    sn_world_id world;
    replayed_model *models; /* (file.model_count), of which model_count are there */
    sn_grid **grids;        /* (file.grid_count), of which grid_count are there */
    int model_count, grid_count;
    replayed_body *bodies;        /* (body_count) */
    replayed_collider *colliders; /* (collider_count) */
    int body_count, body_room, collider_count, collider_room;
    uint64_t *given; /* (desc.model_count) checksums */
    double *scratch; /* (scratch_size) */
    size_t scratch_size;
    int step, first_difference;
};

/* What cannot be, by the record that is under way: SN_ERROR_FORMAT. */
sn_result sn_replay_damaged(const sn_replay *r, const char *what);
/* What is another than was recorded; the first is told. */
void sn_replay_differ(sn_replay *r, const char *what);

/* replay_bodies.c */
sn_result sn_replay_make_body(sn_replay *r, const sn_record_call *call);
/* All that is done to a body that there is. */
sn_result sn_replay_change_body(sn_replay *r, const sn_record_call *call);

#endif
