/* SPDX-License-Identifier: MIT */
/* Inside of a world: shared by its files alone. */
#ifndef SN_HOST_WORLD_STORE_H
#define SN_HOST_WORLD_STORE_H

#include <math.h>

#include "host/base/jobs.h"
#include "host/contact/collider.h"
#include "host/solver/solver.h"
#include "host/springs/springs.h"
#include "sinew/world.h"

/* What bodies of one model with the same parameters share. */
typedef struct sn_shared_solver {
    const sn_solver_table *table;
    const sn_model *model;
    sn_solver_desc desc;
    void *shared;
    int body_count;
    bool is_prepared; /* kept without bodies, too */
    int next_place;   /* while bodies are put in order */
    struct sn_shared_solver *next;
} sn_shared_solver;

/* Of a body that is drawn as its flesh: host/world/embedded.h. */
typedef struct sn_embedded sn_embedded;

typedef struct sn_body_slot {
    uint16_t generation;
    bool is_used, has_refused_pose, is_refusal_told, is_recovered;
    sn_body_desc desc;
    sn_shared_solver *solver;
    const sn_solver_table *table; /* the solver's */
    void *body;
    int bone_count;
    int mode_count, used_mode_count;            /* the model's; of the level of detail */
    double *pose_before, *pose_now, *pose_step; /* (bone_count x 12): at the last sn_world_step, since, of a step */
    float *matrices;                            /* ((bone_count + mode_count) x 12) */
    uint8_t *locks;                             /* (bone_count) of coupled bodies */
    int morph_count;
    float *morphs;                      /* (morph_count) weights that were set last */
    float *morphs_before, *morphs_step; /* (morph_count) at the last sn_world_step, of a step */
    sn_embedded *embedded;              /* or null */
    sn_recorder *recorder;              /* of the world, or null */
    sn_springs *springs;                /* of the model's spring bones, or null */
    double *pose_shown;                 /* where there are springs: (bone_count x 12) as drawn */
} sn_body_slot;

typedef struct sn_collider_slot {
    uint16_t generation;
    bool is_used;
    sn_collider collider;         /* transform_before: at the last sn_world_step; transform: since */
    double transform_stepped[12]; /* at the last step, which may be some calls ago */
} sn_collider_slot;

typedef struct sn_world {
    sn_world_desc desc;
    const sn_solver_table *tables[SN_SOLVER_COUNT]; /* null: none of these here */
    void *works[SN_SOLVER_COUNT];                   /* of the tables: as much as workers need at a time */
    void *place;                                    /* of the desc's backend; null: bodies step on threads */
    int worker_count;                               /* of the threads */
    sn_jobs *jobs;                                  /* null: one worker, or the user's threads */
    double leftover;                                /* seconds since the last step */
    sn_body_slot **slots; /* (slot_count) apart, so that growing moves none that is stepping */
    int slot_count, slot_room;
    int32_t *order; /* (slot_room) indices of the slots in use, solver by solver */
    int order_count;
    bool is_order_stale;
    sn_shared_solver *solvers;
    sn_collider_slot *colliders; /* (collider_count) */
    int collider_count, collider_room;
    uint32_t collider_key; /* the last one that was given */
    int used_count;        /* of them */
    sn_collider *moving;   /* (step_limit x collider_room) of each step, those in use, one after the other */
    /* of the step that is under way */
    int step_count;
    bool is_cut;             /* time was dropped */
    bool is_left_to_program; /* what the call records is submitted later */
    double seconds, start;
    uint16_t generation_floor; /* of slots: not below those of all worlds that were in this place */
} sn_world;

#define SN_WORLD_LIMIT 128 /* of a process */
/* registry.c: puts a world into the table of all; false where that is full. */
bool sn_world_enter(sn_world *w, sn_world_id *id);
/* Takes it out; generation: the highest of its bodies and colliders. */
void sn_world_leave(sn_world_id id, uint16_t generation);
/* Null for an id that is not in use. */
sn_world *sn_world_find(sn_world_id id);
sn_world *sn_world_at(int world0);
/* Where a step is between the last call's pose and the present one: 0 .. 1. Of a call whose steps were cut, the steps
 * are spread evenly. */
static inline double sn_world_step_fraction(const sn_world *w, int step)
{
    const double at = (step + 1) * w->desc.time_step - w->start;
    return w->is_cut ? (step + 1.0) / w->step_count : fmin(fmax(at / w->seconds, 0), 1);
}

sn_result sn_check_body_desc(const sn_world *w, const sn_body_desc *desc);
/* Modes of the level of detail. */
int sn_used_modes(const sn_body_desc *desc);
/* The solver for a model and parameters that are sound, made where there is none yet; counts its user. */
sn_result sn_world_acquire_solver(sn_world *w, const sn_body_desc *desc, sn_shared_solver **solver);
/* Accepts null. */
void sn_world_release_solver(sn_world *w, sn_shared_solver *solver);
void sn_world_free_solvers(sn_world *w);

sn_body_slot *sn_body_need(sn_body_id id);
/* Null for an id that is not in use. */
sn_body_slot *sn_body_find(sn_body_id id);
/* Arrays for the model's bones and morph targets, at rest. A failure leaves what there was. */
sn_result sn_body_slot_allocate(sn_body_slot *slot, const sn_model *model);
void sn_body_slot_free(sn_body_slot *slot);
void sn_body_slot_empty(sn_world *w, sn_body_slot *slot);
/* springs.c: of reduced and layered bodies whose model has spring bones; a failure leaves none. */
sn_result sn_body_slot_add_springs(const sn_world *w, sn_body_slot *slot);
void sn_body_slot_free_springs(sn_body_slot *slot);
/* Whether there is anything of them to step and to see. */
static inline bool sn_body_slot_swings(const sn_body_slot *slot)
{
    return sn_springs_are_on(slot->springs);
}
/* Steps them, from slot->pose_step to what flesh sees; false where they were put to rest. */
bool sn_body_slot_swing(const sn_body_slot *slot, const sn_surroundings *surroundings);
/* The pose that was set last, as its springs have it between their last two steps; borrowed. */
const double *sn_body_slot_pose(sn_body_slot *slot, double fraction);

/* Bones as they are, modes at a fraction of the way between the last two steps; a backend is told to draw them so.
 * Bones that physics moves: at that fraction, too, but at none of it where the last step left them. Modes lag by a step
 * where calls are whole steps; bones would be seen to. */
void sn_body_slot_output(const sn_world *w, sn_body_slot *slot, double fraction);
/* Of what physics moves: at none of the way a call has ended with a step, which is then shown. */
static inline double sn_shown_fraction(double fraction)
{
    return fraction > 1e-6 ? fraction : 1;
}

/* Fills `moving` for the steps of this call. */
void sn_world_move_colliders(sn_world *w);
void sn_world_free_colliders(sn_world *w);

#endif
