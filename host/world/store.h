/* SPDX-License-Identifier: MIT */
/* Internals of a world, shared by its source files. */
#ifndef SN_HOST_WORLD_STORE_H
#define SN_HOST_WORLD_STORE_H

#include <math.h>

#include "host/base/jobs.h"
#include "host/contact/collider.h"
#include "host/solver/solver.h"
#include "host/springs/springs.h"
#include "sinew/world.h"

/* Solver data shared by bodies of one model with equal parameters. */
typedef struct sn_shared_solver {
    const sn_solver_table *table;
    const sn_model *model;
    sn_solver_desc desc;
    void *shared;
    int body_count;
    bool is_prepared; /* retained even without bodies */
    int next_index;   /* while bodies are being sorted */
    struct sn_shared_solver *next;
} sn_shared_solver;

/* State of a body whose embedded flesh is displayed: host/world/embedded_flesh.h. */
typedef struct sn_embedded_flesh sn_embedded_flesh;

typedef struct sn_body_slot {
    uint32_t generation;
    bool is_used, has_refused_pose, is_refusal_logged, is_recovered;
    sn_body_desc desc;
    sn_shared_solver *solver;
    const sn_solver_table *table; /* the solver's body */
    void *body;
    int bone_count;
    int mode_count, used_mode_count;            /* of the model; of the level of detail */
    double *pose_before, *pose_now, *pose_step; /* (bone_count x 12): at the last sn_world_step; set since; of a step */
    float *matrices;                            /* ((bone_count + mode_count) x 12) */
    uint8_t *locks;                             /* (bone_count) SN_LOCK_... of coupled bodies */
    int morph_count;
    float *morphs;                      /* (morph_count) weights set last */
    float *morphs_before, *morphs_step; /* (morph_count) at the last sn_world_step; of a step */
    sn_embedded_flesh *embedded;        /* or null */
    sn_recorder *recorder;              /* the world's, or null */
    sn_springs *springs;                /* spring bones, or null */
    double *displayed_pose;             /* (bone_count x 12) pose as displayed, or null without springs */
} sn_body_slot;

typedef struct sn_collider_slot {
    uint32_t generation;
    bool is_used;
    sn_collider collider;           /* transform_before: at the last sn_world_step; transform: set since */
    double last_step_transform[12]; /* at the last step, possibly some calls ago */
} sn_collider_slot;

typedef struct sn_world {
    sn_world_desc desc;
    const sn_solver_table *tables[SN_SOLVER_COUNT]; /* null: solver not available */
    void *scratch[SN_SOLVER_COUNT];                 /* scratch data of the tables for worker_count bodies at a time */
    void *backend_world;                            /* the backend's part of this world; null: bodies step on threads */
    bool is_backend_lost;                           /* the backend's device was lost; bodies step on threads since */
    int worker_count;                               /* number of threads */
    sn_jobs *jobs;                                  /* null: one worker, or the user's threads */
    double leftover;                                /* seconds since the last step */
    double display_fraction; /* position of the displayed bones and flesh between the last two steps, 0 .. 1 */
    sn_body_slot **slots; /* (slot_count) allocated separately, so that growing the array moves no slot during a step */
    int slot_count, slot_capacity;
    int32_t *order; /* (slot_capacity) indices of used slots, sorted by solver */
    int order_count;
    bool is_order_stale;
    sn_shared_solver *solvers;
    sn_collider_slot *colliders; /* (collider_count) */
    int collider_count, collider_capacity;
    uint32_t collider_key; /* last assigned key */
    int used_count;        /* number of used colliders */
    sn_collider *moving;   /* (step_limit x collider_capacity) used colliders, step by step */
    /* current call */
    int step_count;
    bool is_cut;                  /* time was dropped */
    bool is_submitted_by_program; /* the program submits the recorded commands later */
    double seconds, start;
    uint32_t min_generation; /* min generation of slots: not below those of earlier worlds with this index */
} sn_world;

/* A slot whose generations are all used is retired, so that no id comes back. */
#define SN_LAST_GENERATION UINT32_MAX

#define SN_WORLD_LIMIT 128 /* per process */
/* registry.c: adds a world to the table of all worlds; false if the table is full. */
bool sn_world_register(sn_world *w, sn_world_id *id);
/* Removes a world; generation: the maximum of its bodies and colliders. */
void sn_world_unregister(sn_world_id id, uint32_t generation);
/* Returns null for an invalid id. */
sn_world *sn_world_try_get(sn_world_id id);
sn_world *sn_world_by_index(int world0);
/* Interpolation parameter of a step between the last call's pose and the current one, 0 .. 1. If time was dropped, the
 * steps are distributed evenly. */
static inline double sn_world_step_fraction(const sn_world *w, int step)
{
    const double at = (step + 1) * w->desc.time_step - w->start;
    return w->is_cut ? (step + 1.0) / w->step_count : fmin(fmax(at / w->seconds, 0), 1);
}

sn_result sn_check_body_desc(const sn_world *w, const sn_body_desc *desc);
/* Number of modes of the level of detail. */
int sn_level_mode_count(const sn_body_desc *desc);
/* Finds or creates the solver data for a model and valid parameters, and increments its user count. */
sn_result sn_world_acquire_solver(sn_world *w, const sn_body_desc *desc, sn_shared_solver **solver);
/* Accepts null. */
void sn_world_release_solver(sn_world *w, sn_shared_solver *solver);
void sn_world_free_solvers(sn_world *w);
/* Frees those that no body uses, prepared or not. */
void sn_world_free_unused_solvers(sn_world *w);

sn_body_slot *sn_body_get(sn_body_id id);
/* Returns null for an invalid id. */
sn_body_slot *sn_body_try_get(sn_body_id id);
/* Allocates the arrays for the model's bones and morph targets, in the rest state. A failure leaves the slot unchanged.
 */
sn_result sn_body_slot_allocate(sn_body_slot *slot, const sn_model *model);
void sn_body_slot_free(sn_body_slot *slot);
void sn_body_slot_clear(sn_world *w, sn_body_slot *slot);
/* springs.c: creates spring bones for reduced and layered bodies of a model that has some. A failure leaves none. */
sn_result sn_body_slot_add_springs(const sn_world *w, sn_body_slot *slot);
void sn_body_slot_free_springs(sn_body_slot *slot);
/* Whether spring bones need to be stepped and displayed. */
static inline bool sn_body_slot_has_active_springs(const sn_body_slot *slot)
{
    return sn_springs_are_active(slot->springs);
}
/* Steps spring bones: replaces slot->pose_step by the resulting pose. Returns false if they were reset to rest. */
bool sn_body_slot_step_springs(const sn_body_slot *slot, const sn_surroundings *surroundings);
/* The pose set last with spring bones at a fraction between their last two steps. Valid until the next call. */
const double *sn_body_slot_displayed_pose(sn_body_slot *slot, double fraction);

/* Computes the output: driven bones without delay, modes interpolated between the last two steps. Simulated bones and
 * flesh are interpolated as well, at w->display_fraction, since a delay is noticeable for bones, but not for modes. A
 * backend receives the pose instead. */
void sn_body_slot_output(const sn_world *w, sn_body_slot *slot);
/* Position of the modes between the last two steps. */
static inline double sn_world_mode_fraction(const sn_world *w)
{
    return w->leftover / w->desc.time_step;
}

/* Chooses the solver tables, and creates the threads or the backend's world. */
sn_result sn_world_choose_solvers(sn_world *w);
/* lost_backend.c: moves the bodies to the CPU, at rest in their poses, if the device is lost. A failure (logged) leaves
 * the world as it is. */
void sn_world_leave_lost_backend(sn_world *w);

/* Computes `moving` for the steps of this call. */
void sn_world_move_colliders(sn_world *w);
void sn_world_free_colliders(sn_world *w);

#endif
