/* SPDX-License-Identifier: MIT */
/* Worlds whose bodies are simulated on a device: the backend of include/sinew/vulkan.h, for tools that create the
 * device themselves and for the files of this folder. */
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
    sn_backend backend; /* first, so that the backend pointer of a world is the sn_gpu */
    sn_gpu_device *device;
    bool owns_device;         /* owns the sn_gpu_device struct */
    bool is_single_precision; /* coupled bodies use single precision only */
    int frames_in_flight;
};

/* Uses a device of the caller, which must outlive the sn_gpu. */
sn_result sn_gpu_create_on(sn_gpu_device *device, int frames_in_flight, sn_gpu **gpu);

/* A model used by bodies of the world. Its upload stays when it has no users, and is reused for a model with the same
 * contents. */
typedef struct sn_gpu_world_model {
    const sn_model *model; /* valid while it has users */
    int user_count;
    uint64_t hash;
    int index; /* in the reduced solver */
} sn_gpu_world_model;

/* The coupled rig that bodies of one model share. Stays like a model's upload. */
typedef struct sn_gpu_world_rig {
    int user_count;
    uint64_t hash;                /* of the model */
    sn_coupled_shared_rig *bones; /* its model is null while it has no users */
    int index;                    /* in the coupled solver, or -1 */
    bool is_uploaded;             /* completely */
    sn_coupled_body *cpu_body;    /* CPU body on which rare operations are performed */
} sn_gpu_world_rig;

/* The data that layered bodies of one model and mode share. Stays like a model's upload. */
typedef struct sn_gpu_world_layered_model {
    int user_count;
    uint64_t hash;                         /* of the model */
    sn_layered_shared_model *shared_model; /* its model is null while it has no users */
    int index;                             /* in the layered solver, or -1 */
    bool is_uploaded;                      /* completely */
    sn_layered_body *cpu_body;             /* CPU body on which rare operations are performed */
} sn_gpu_world_layered_model;

/* Copies of a solver's status buffer, one for each call in flight. */
typedef struct sn_gpu_world_status_copy {
    sn_gpu_buffer buffer;      /* (frames_in_flight x statuses) */
    uint64_t first_valid_call; /* the first call whose statuses it contains */
} sn_gpu_world_status_copy;

typedef struct sn_gpu_world_matrices {
    VkBuffer buffer; /* the buffer that `version` identifies */
    uint64_t version;
} sn_gpu_world_matrices;

/* The bodies of one world. Each world call uses one of frames_in_flight slots, cyclically, for its commands and status
 * copies. A status copy is read when its slot is reused. */
typedef struct sn_gpu_world {
    const sn_gpu *gpu;
    int recording_limit;
    sn_gpu_reduced *reduced;
    sn_gpu_coupled *coupled; /* null until the first coupled body, as the next two until such bodies */
    sn_gpu_layered *layered;
    sn_gpu_embedded *embedded[SN_SOLVER_COUNT]; /* embedded surfaces of the position-based solvers; else null */
    sn_gpu_world_model *models;
    int model_count, model_capacity;
    sn_coupled_shared_data work; /* tetrahedra and rigs of coupled bodies */
    sn_gpu_world_rig *rigs;
    int rig_count, rig_capacity;
    sn_layered_shared_data layered_work; /* tetrahedra of layered bodies */
    sn_gpu_world_layered_model *layered_models;
    int layered_model_count, layered_model_capacity;
    VkCommandBuffer commands; /* of the current call */
    bool has_external_commands;
    int collider_count; /* reserved capacity */
    uint64_t call_count,
        submissions[SN_GPU_FRAME_LIMIT]; /* timeline values of calls recorded into own command buffers; else 0 */
    sn_gpu_world_status_copy statuses[SN_SOLVER_COUNT];
    sn_gpu_world_matrices matrices[SN_SOLVER_COUNT]; /* bones and modes */
    sn_gpu_world_matrices flesh[SN_SOLVER_COUNT];    /* bones and flesh nodes */
} sn_gpu_world;

/* Base of all bodies. */
typedef struct sn_gpu_world_body {
    sn_gpu_world *world;
    sn_body_solver solver;
    int index; /* in its solver */
    int bone_count, mode_count;
    uint64_t first_call;
    uint32_t recovery_count; /* recoveries already reported to the world */
    /* reduced bodies only */
    sn_body_step_stats step_stats;
    double diagonal;
} sn_gpu_world_body;

extern const sn_solver_table sn_gpu_table, sn_gpu_coupled_table, sn_gpu_layered_table;

sn_result sn_gpu_world_create(const sn_backend *backend, int step_limit, void **world);
void sn_gpu_world_destroy(void **world);
sn_result sn_gpu_world_reserve_colliders(void *world, const sn_collider *collider, int count);
void sn_gpu_world_begin_call(void *world);
void sn_gpu_world_record_step(void *world);
void sn_gpu_world_end_call(void *world, double mode_fraction, double bone_fraction);
bool sn_gpu_world_is_lost(const void *world);
void sn_gpu_world_display_pose(void *body, const double *pose, double amount);
sn_result sn_gpu_world_set_embedding(void *body, const sn_embedding *embedding);
sn_result sn_gpu_world_read_embedded(void *body, int count, float *matrices);

/* Index of a model in the world; uploads the model if necessary and counts a user. */
sn_result sn_gpu_world_acquire_model(sn_gpu_world *world, const sn_model *model, int *number);
void sn_gpu_world_release_model(sn_gpu_world *world, int number);
/* The same for the rig of coupled bodies, for one Poisson's ratio. */
sn_result sn_gpu_world_acquire_rig(sn_gpu_world *world, const sn_model *model, double poisson, int *number);
void sn_gpu_world_release_rig(sn_gpu_world *world, int number);
void sn_gpu_world_free_rigs(sn_gpu_world *world);
/* The same for layered bodies. */
sn_result sn_gpu_world_acquire_layered_model(sn_gpu_world *world, const sn_model *model, sn_layered_mode mode,
                                             int *number);
void sn_gpu_world_release_layered_model(sn_gpu_world *world, int number);
void sn_gpu_world_free_layered_models(sn_gpu_world *world);
/* Creates the solver of coupled or layered bodies unless it exists. */
sn_result sn_gpu_world_create_solver(sn_gpu_world *world, sn_body_solver solver);
uint64_t sn_gpu_model_hash(const sn_model *model);
/* Call after adding bodies: assigns new versions to matrix buffers that were reallocated. Waits for the device if there
 * are any. */
sn_result sn_gpu_world_update_matrix_versions(sn_gpu_world *world);
/* Writes the bone matrices of layered bodies, interpolated between their last two steps, for rendering. */
void sn_gpu_world_write_bones(sn_gpu_world *world, double fraction);
/* The position-based solver of coupled or layered bodies; null for others, or if it does not exist. */
sn_gpu_xpbd *sn_gpu_world_xpbd_of(const sn_gpu_world *world, sn_body_solver solver);
/* Call after adding bodies: reserves the buffers that later steps need. */
sn_result sn_gpu_world_reserve(sn_gpu_world *world);
/* Reads the status of the last step that is known to be complete. Returns whether the body was reset since the previous
 * report. */
bool sn_gpu_world_read_status(sn_gpu_world_body *body);

/* For measurement tools: the results of the last submitted call. These functions wait for the device. */

/* A CPU body with the state of a coupled body, valid until the next call on a body of its model. Null after a failure,
 * which is logged. recovery_count: since the body was created. */
sn_coupled_body *sn_gpu_world_read_coupled(void *body, int *recovery_count);
/* Number of constraint sweeps in a step of a layered body. */
int sn_gpu_world_layered_sweeps(const void *body);
/* Number of recoveries of a layered body since it was created. */
int sn_gpu_world_layered_recoveries(const void *body);
/* Mode matrices (mode_count x 12) of a reduced body after its last step, as body_modes of the solver table has them at
 * fraction 1. All bodies are rendered in this state until the world's next call. */
sn_result sn_gpu_world_read_modes(void *body, float *modes, int *recovery_count);

#endif
