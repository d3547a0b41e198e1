/* SPDX-License-Identifier: MIT */
/* A body of a scene as it is after a step: what sim measures and bake records. */
#ifndef SN_TOOLS_SIMULATION_PLAYED_BODY_H
#define SN_TOOLS_SIMULATION_PLAYED_BODY_H

#include "host/base/arena.h"
#include "host/coupled/coupled.h"
#include "host/world/inspect.h"
#include "scenes/script/scene.h"

typedef struct sn_played_body {
    sn_body_id id;
    const sn_model *model; /* as of the last reading: events change its bones */
    int bone_room;         /* that it has at most */
    bool is_coupled, is_layered;
    bool is_on_device;
    sn_coupled_body *coupled; /* a coupled one as of the last reading, borrowed */
    int recovery_count;       /* on a device: since the body was made there */
    double *bones;            /* (bone_room x 12): the pose, or, of a coupled body, its own */
    double *modes;            /* (mode_count x 12): zero of a coupled body */
    float *mode_floats;       /* (mode_count x 12) scratch */
    double *embedded;         /* ((bone_room + the embedding's) x 12) scratch, of one that has an embedding */
    const double *pose;       /* (bone_count x 12) that was set last, borrowed */
    const float *morphs;      /* (morph_count) borrowed */
} sn_played_body;

/* Arrays live in the arena. SN_ERROR_MEMORY. */
sn_result sn_played_body_open(const sn_scene *scene, int index, sn_arena *arena, sn_played_body *body);
/* Bones, modes and morphs as they are now; waits for a device. */
sn_result sn_played_body_read(sn_played_body *body);
/* The surface as it was read, positions and normals (or null), (surface_vertex_count x 3): the skin, or the flesh's own
 * where that is drawn. */
void sn_played_body_surface(const sn_played_body *body, double *positions, double *normals);

#endif
