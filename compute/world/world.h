/* SPDX-License-Identifier: MIT */
/* Worlds that step on a device: the backend that a world is handed through its desc. include/sinew/vulkan.h has what
 * programs see; this is for those that have a device of ours, and for the files of this folder. */
#ifndef SN_COMPUTE_WORLD_WORLD_H
#define SN_COMPUTE_WORLD_WORLD_H

#include "compute/coupled/coupled.h"
#include "compute/layered/layered.h"
#include "compute/reduced/reduced.h"
#include "compute/xpbd/embedded.h"
#include "host/coupled/table.h"
#include "host/layered/table.h"
#include "host/solver/solver.h"
#include "sinew/vulkan.h"

#define SN_GPU_FRAME_LIMIT 8

struct sn_gpu {
    sn_backend backend; /* first, so that a world's backend is the sn_gpu */
    sn_gpu_device *device;
    bool is_owner;  /* of the device's struct */
    bool is_single; /* coupled bodies step without doubles */
    int frames_in_flight;
};

/* On a device of ours, which must outlive it. */
sn_result sn_gpu_create_on(sn_gpu_device *device, int frames_in_flight, sn_gpu **gpu);

/* A model of the world's bodies. What was uploaded of it stays, also for others with the same content. */
typedef struct sn_gpu_place_model {
    const sn_model *model; /* while it has users */
    int user_count;
    uint64_t hash;
    int index; /* in the reduced solver */
} sn_gpu_place_model;

/* What coupled bodies of one model have: its bones on its flesh. It stays as a model's upload does. */
typedef struct sn_gpu_place_rig {
    int user_count;
    uint64_t hash;           /* of the model */
    sn_coupled_bones *bones; /* whose model is null while it has no users */
    int index;               /* in the coupled solver, or -1 */
    bool is_uploaded;        /* all of it */
    sn_coupled_body *twin;   /* of the CPU: what is seldom done to a body is done to it */
} sn_gpu_place_rig;

/* What layered bodies of one model in one mode have. It stays as a model's upload does. */
typedef struct sn_gpu_place_kind {
    int user_count;
    uint64_t hash;         /* of the model */
    sn_layered_kind *kind; /* whose model is null while it has no users */
    int index;             /* in the layered solver, or -1 */
    bool is_uploaded;      /* all of it */
    sn_layered_body *twin; /* of the CPU: what is seldom done to a body is done to it */
} sn_gpu_place_kind;

/* A copy of a solver's statuses for each call under way. */
typedef struct sn_gpu_place_copy {
    sn_gpu_buffer buffer; /* (frames_in_flight x statuses) */
    uint64_t from;        /* the first call whose statuses are in it */
} sn_gpu_place_copy;

typedef struct sn_gpu_place_matrices {
    VkBuffer buffer; /* of that version */
    uint64_t version;
} sn_gpu_place_matrices;

/* The bodies of one world. Each call of the world has a slot, in turn: of its commands, and of the copies of the
 * statuses, which are looked at when the slot's turn comes again. */
typedef struct sn_gpu_place {
    const sn_gpu *gpu;
    sn_gpu_reduced *reduced;
    sn_gpu_coupled *coupled;
    sn_gpu_layered *layered;
    sn_gpu_embedded *drawn[SN_SOLVER_COUNT]; /* flesh of position-based bodies; else null */
    sn_gpu_place_model *models;
    int model_count, model_room;
    sn_coupled_work work; /* fleshes and rigs of coupled bodies */
    sn_gpu_place_rig *rigs;
    int rig_count, rig_room;
    sn_layered_work layered_work; /* likewise */
    sn_gpu_place_kind *kinds;
    int kind_count, kind_room;
    VkCommandBuffer commands; /* of a call that is under way */
    bool has_given_commands;
    int collider_count;                                   /* reserved */
    uint64_t call_count, submissions[SN_GPU_FRAME_LIMIT]; /* of the calls whose commands are ours, else 0 */
    sn_gpu_place_copy statuses[SN_SOLVER_COUNT];
    sn_gpu_place_matrices matrices[SN_SOLVER_COUNT]; /* bones and modes */
    sn_gpu_place_matrices flesh[SN_SOLVER_COUNT];    /* bones and nodes of flesh */
} sn_gpu_place;

/* The part that bodies of all kinds begin with. */
typedef struct sn_gpu_place_body {
    sn_gpu_place *place;
    sn_body_solver solver;
    int index; /* in its solver */
    int bone_count, mode_count;
    uint64_t first_call;
    uint32_t recovery_count; /* of which the world was told */
    /* of reduced bodies */
    sn_body_effort effort;
    double diagonal;
} sn_gpu_place_body;

extern const sn_solver_table sn_gpu_table, sn_gpu_coupled_table, sn_gpu_layered_table;

sn_result sn_gpu_place_create(const sn_backend *backend, int step_limit, void **place);
void sn_gpu_place_destroy(void **place);
sn_result sn_gpu_place_reserve_colliders(void *place, const sn_collider *collider, int count);
void sn_gpu_place_begin(void *place);
void sn_gpu_place_record_step(void *place);
void sn_gpu_place_end(void *place, double fraction);
void sn_gpu_place_show(void *body, const double *pose, double amount);
sn_result sn_gpu_place_embed(void *body, const sn_embedding *embedding);
sn_result sn_gpu_place_read_embedded(void *body, int count, float *matrices);

/* The place's number of a model, uploaded where that has not been yet; counts its user. */
sn_result sn_gpu_place_acquire_model(sn_gpu_place *place, const sn_model *model, int *number);
void sn_gpu_place_release_model(sn_gpu_place *place, int number);
/* As those, for coupled bodies; of one Poisson's ratio. */
sn_result sn_gpu_place_acquire_rig(sn_gpu_place *place, const sn_model *model, double poisson, int *number);
void sn_gpu_place_release_rig(sn_gpu_place *place, int number);
void sn_gpu_place_free_rigs(sn_gpu_place *place);
/* And for layered ones. */
sn_result sn_gpu_place_acquire_kind(sn_gpu_place *place, const sn_model *model, sn_layered_mode mode, int *number);
void sn_gpu_place_release_kind(sn_gpu_place *place, int number);
void sn_gpu_place_free_kinds(sn_gpu_place *place);
uint64_t sn_gpu_model_hash(const sn_model *model);
/* After bodies were added: which buffers the matrices are in. Waits for the device where there is another one. */
sn_result sn_gpu_place_watch_matrices(sn_gpu_place *place);
/* Bones' matrices of layered bodies, at a fraction of the way between their last two steps, to where they are drawn. */
void sn_gpu_place_write_bones(sn_gpu_place *place, double fraction);
/* The engine of position-based bodies. */
sn_gpu_xpbd *sn_gpu_place_engine(const sn_gpu_place *place, sn_body_solver solver);
/* After bodies were added: room for all that steps will ask for. */
sn_result sn_gpu_place_make_room(sn_gpu_place *place);
/* Takes the effort of the last step whose call is known to be done. Has a step until then put the body back, of which
 * nobody was told? */
bool sn_gpu_place_take_status(sn_gpu_place_body *body);

/* For tools that measure: what the last submitted call left. These wait for the device. */

/* A coupled body: one of the CPU that has its state, lent until the next call on a body of its model. Null after a
 * failure, which has its line. recovery_count: since the body was made. */
sn_coupled_body *sn_gpu_place_read_coupled(void *body, int *recovery_count);
/* Sweeps of a layered body's step over its tets. */
int sn_gpu_place_layered_sweeps(const void *body);
/* How often a layered body was put back since it was made. */
int sn_gpu_place_layered_recoveries(const void *body);
/* A reduced body's modes after its last step, (mode_count x 12), as the solver table's body_modes has them at 1. All
 * bodies are drawn so until the world's next call. */
sn_result sn_gpu_place_read_modes(void *body, float *modes, int *recovery_count);

#endif
