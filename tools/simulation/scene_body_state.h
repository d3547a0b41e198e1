/* SPDX-License-Identifier: MIT */
/* The state of a scene's body after a step, for the measurements of sim and the recordings of bake. */
#ifndef SN_TOOLS_SIMULATION_SCENE_BODY_STATE_H
#define SN_TOOLS_SIMULATION_SCENE_BODY_STATE_H

#include "host/base/arena.h"
#include "host/coupled/coupled.h"
#include "host/world/inspect.h"
#include "scenes/script/scene.h"

typedef struct sn_scene_body_state {
    sn_body_id id;
    const sn_model *model; /* as of the last reading; events change its bones */
    int bone_capacity;     /* capacity in bones */
    bool is_coupled, is_layered;
    bool is_on_device;
    sn_coupled_body *coupled; /* state of a coupled body as of the last reading; not owned */
    int recovery_count;       /* on a device: recoveries since the body was created there */
    double *bones;            /* (bone_capacity x 12): the pose, or a coupled body's simulated bones */
    double *modes;            /* (mode_count x 12); zero for coupled bodies */
    float *mode_floats;       /* (mode_count x 12) scratch */
    double *embedded;         /* ((bone_capacity + embedding matrices) x 12) scratch, for embedded surfaces */
    const double *pose;       /* (bone_count x 12) last pose that was set; not owned */
    const float *morphs;      /* (morph_count) weights; not owned */
} sn_scene_body_state;

/* Arrays live in the arena. SN_ERROR_MEMORY. */
sn_result sn_scene_body_state_open(const sn_scene *scene, int index, sn_arena *arena, sn_scene_body_state *body);
/* Reads bones, modes and morph weights; waits for a device. */
sn_result sn_scene_body_state_read(sn_scene_body_state *body);
/* Computes the surface as of the last reading, (surface_vertex_count x 3): skinned, or embedded in the flesh if that is
 * rendered. normals may be null. */
void sn_scene_body_state_surface(const sn_scene_body_state *body, double *positions, double *normals);

#endif
