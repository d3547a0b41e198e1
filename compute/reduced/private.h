/* SPDX-License-Identifier: MIT */
/* Internals of the reduced solver on the device, shared by its files. */
#ifndef SN_COMPUTE_REDUCED_PRIVATE_H
#define SN_COMPUTE_REDUCED_PRIVATE_H

#include <math.h>

#include "compute/core/grids.h"
#include "compute/core/pace.h"
#include "compute/reduced/reduced.h"
#include "host/reduced/grabs.h"
#include "shaders/shared/reduced.h"

#define SN_REDUCED_VEC4_BYTES (4 * sizeof(float))
#define SN_REDUCED_CONSTANT_COUNT 5

/* A model at one level of detail. Levels refer to their finest level, the source. */
typedef struct sn_gpu_reduced_model {
    int source, used_modes, cluster_level;
    uint32_t coordinate_count, cluster_count, bone_count, mode_count;
    uint32_t sample_count, influence_count, pair_count, clearance_count;
    uint32_t delta_count, max_delta_count; /* morph deltas of all points; maximum of one point */
    uint32_t source_count, basis_rows;     /* coordinates of the source; 0 if this is the source */
    uint32_t first;                        /* first vec4 in the model buffer */
    double diagonal;
    double unit;            /* mass unit of the uploaded data, see sn_reduced_unit */
    double volume;          /* volume member of the body records */
    double limit_stiffness; /* kappa of the strain limits */
    bool has_decay;         /* some coordinate has a decay rate */
    sn_model retained;      /* the arrays that the host still needs: see sn_gpu_reduced_copy_host_data */
    sn_arena arena;
} sn_gpu_reduced_model;

/* Push constants. */
typedef struct sn_gpu_reduced_constants {
    uint32_t first_record, first_pose, first_impulse, first_collider, external_pass, first_iteration, last_iteration;
    float fraction;
    uint32_t first_sample, last_sample;
} sn_gpu_reduced_constants;

typedef struct sn_gpu_reduced_impulse {
    double point[3], impulse[3];
    int bone; /* the bone whose skin receives it; -1: the sample nearest to the point */
} sn_gpu_reduced_impulse;

/* A collider list shared by bodies: (count x SN_REDUCED_COLLIDER_ROWS x 4). */
typedef struct sn_gpu_reduced_colliders {
    float *rows;
    int count, capacity;
    int user_count; /* number of bodies */
    uint32_t first; /* first vec4 in the current recording */
} sn_gpu_reduced_colliders;

/* A body. The slot of a removed body is reused by a body of the same model at any level of detail. */
typedef struct sn_gpu_reduced_body {
    bool is_used;
    int model, previous_model;       /* level of detail, now and in the last recording */
    struct sn_reduced_record record; /* flags and rotation accumulate since the last recording */
    double rotation[9];
    double *pose, *previous_pose;      /* (bone_count x 12) current pose, pose of the last step */
    double *morphs, *previous_morphs;  /* (3 pair_count x 3) morph pair rows of the rig, now and in the last step */
    double *fields;                    /* (morph_field_count) morph fields of the current weights */
    float *weights, *previous_weights; /* (morph_count) morph weights, now and in the last step */
    sn_gpu_reduced_impulse *impulses;  /* since the last step */
    int impulse_count, impulse_capacity;
    sn_grab grabs[SN_GRAB_LIMIT];
    double stiffness, time_step, budget, gravity[3];
    double max_static_response;  /* sn_grabs_max_response; valid while there are grabs */
    int list;                    /* collider list, or -1 */
    uint32_t own_collider_count; /* collider rows for its own bones plus a copy of its list; 0 if disabled */
    bool is_neo_hookean, has_wind, has_contacts, has_invalid_morphs, is_without_bone_colliders, has_gravity_at_rest;
} sn_gpu_reduced_body;

/* Timing of a recording. */
typedef struct sn_gpu_reduced_timing {
    uint32_t body_count;  /* statuses that it copies; 0: not timed, or already read */
    uint64_t start_ticks; /* start time of the timing last read from this slot */
} sn_gpu_reduced_timing;

/* See budget.c; zero until a body has a budget. */
typedef struct sn_gpu_reduced_budget {
    sn_gpu_timer timer;             /* one span per recording */
    sn_gpu_buffer statuses;         /* a copy per recording */
    sn_gpu_reduced_timing *timings; /* (recording_limit) */
    double iteration_seconds;       /* of all bodies together; 0: unknown */
} sn_gpu_reduced_budget;

/* Buffer space that the bodies use; poses per recording. */
typedef struct sn_gpu_reduced_usage {
    uint32_t state_floats, history_floats, matrix_vec4s, pose_vec4s;
} sn_gpu_reduced_usage;

struct sn_gpu_reduced {
    sn_gpu_device *device;
    sn_gpu_reduced_desc desc;
    VkDescriptorSetLayout set_layout; /* owned by the device, as the next two (shared.h) */
    VkPipelineLayout layout;
    VkPipeline step_pipeline, external_pipeline;
    uint32_t
        constants[SN_REDUCED_CONSTANT_COUNT]; /* specialization constants, numbered as in shaders/reduced/body.glsl */
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_REDUCED_BINDING_COUNT];
    sn_gpu_reduced_model *models;
    int model_count, model_capacity;
    sn_gpu_reduced_body *bodies;
    int body_count, body_capacity; /* including free slots */
    sn_gpu_reduced_usage used;
    uint32_t model_vec4s;
    uint32_t pose_capacity, record_capacity, impulse_capacity,
        collider_capacity;              /* capacities per recording: vec4 (poses), else items */
    uint32_t impulse_count, grab_count; /* of all bodies: impulses since the last step, active grabs */
    uint32_t contacts_count;            /* bodies that have or had colliders */
    bool is_contact_memory_exhausted;   /* device memory for contacts is exhausted */
    sn_gpu_reduced_budget budget;
    sn_gpu_pace pace;
    sn_gpu_grids grids;
    sn_gpu_reduced_colliders *lists, packed;
    int list_count, list_capacity, last_list;
    uint32_t own_collider_count;      /* of all bodies */
    uint32_t rejected_collider_count; /* collider count that the device had no memory for; 0: none */
    sn_collider *last_colliders;      /* the colliders that the last list was packed from */
    int last_collider_count, last_collider_capacity;
    uint64_t recording_count;
};

static inline const sn_gpu_reduced_model *sn_gpu_reduced_model_of(const sn_gpu_reduced *r,
                                                                  const sn_gpu_reduced_body *body)
{
    return &r->models[body->model];
}

static inline sn_gpu_reduced_body *sn_gpu_reduced_find(const sn_gpu_reduced *r, int body)
{
    SN_ASSERT(body >= 0 && body < r->body_count && r->bodies[body].is_used);
    return &r->bodies[body];
}

static inline struct sn_reduced_model_layout sn_gpu_reduced_layout_of(const sn_gpu_reduced_model *m)
{
    return sn_reduced_model_layout_of((struct sn_reduced_model_counts){
        m->coordinate_count, m->cluster_count, m->bone_count, m->mode_count, m->sample_count, m->influence_count,
        m->basis_rows, m->pair_count, m->delta_count, m->clearance_count});
}

static inline struct sn_reduced_state_layout sn_gpu_reduced_state_of(const sn_gpu_reduced_model *m)
{
    return sn_reduced_state_layout_of(m->source_count, m->cluster_count, m->bone_count, m->pair_count);
}

/* Number of doubles for a body's poses, morph pairs, fields and weights. */
static inline size_t sn_gpu_reduced_pose_size(const sn_gpu_reduced_model *m)
{
    const sn_model_counts *c = &m->retained.counts;
    return 24 * (size_t)m->bone_count + 18 * (size_t)m->pair_count + (size_t)c->morph_field_count +
           (size_t)c->morph_count;
}

/* vec4s of morph weights in a recording; 0 unless morph targets move surface points. */
static inline uint32_t sn_gpu_reduced_weight_rows(const sn_gpu_reduced_model *m)
{
    return m->delta_count > 0 ? ((uint32_t)m->retained.counts.morph_count + 1) / 2 : 0;
}

static inline uint32_t sn_gpu_reduced_basis_of(const sn_gpu_reduced_model *m)
{
    return m->basis_rows > 0 ? m->first + sn_gpu_reduced_layout_of(m).basis : SN_REDUCED_NO_BASIS;
}

/* Copies the arrays of an uploaded model that the host still needs. */
sn_result sn_gpu_reduced_copy_host_data(const sn_model *model, sn_arena *arena, sn_model *retained);

/* Counts the influences (vec4 of two each) and the morph deltas of a model's points. SN_ERROR_UNSUPPORTED if a float
 * cannot index them. */
sn_result sn_gpu_reduced_count_points(const sn_model *model, sn_gpu_reduced_model *m);
/* Packs samples, points, influences, morph deltas and rows into zeroed vec4s. */
void sn_gpu_reduced_pack_samples(const sn_model *model, double unit, const struct sn_reduced_model_layout *at,
                                 float *packed);

/* Grows a buffer to `size` bytes; device memory is preserved. Invalidates the descriptor set if it grows. */
sn_result sn_gpu_reduced_enlarge(sn_gpu_reduced *r, int binding, VkDeviceSize size);
/* Makes the current morph weights those of the last step. */
void sn_gpu_reduced_advance_morphs(const sn_gpu_reduced *r, sn_gpu_reduced_body *body);
/* Creates the descriptor set of the current buffers. */
sn_result sn_gpu_reduced_bind(sn_gpu_reduced *r);
/* Creates the pipelines for the shared memory that the models need. */
sn_result sn_gpu_reduced_create_pipelines(sn_gpu_reduced *r);
/* Allocates the timing data of budgets; may wait for the device. */
sn_result sn_gpu_reduced_create_budget(sn_gpu_reduced *r);
void sn_gpu_reduced_free_budget(sn_gpu_reduced *r);
/* Called before and after the dispatches of a timed step, and before its part of the buffers is reused. */
void sn_gpu_reduced_record_time_begin(const sn_gpu_reduced *r, VkCommandBuffer commands, uint32_t part);
void sn_gpu_reduced_record_time_end(sn_gpu_reduced *r, VkCommandBuffer commands, uint32_t part);
void sn_gpu_reduced_read_time(sn_gpu_reduced *r, uint32_t part);
/* Maximum iterations of a body's next step. */
uint32_t sn_gpu_reduced_affordable_iterations(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body);
/* SN_ERROR_UNSUPPORTED if one iteration exceeds the loop limit of software Vulkan. */
sn_result sn_gpu_reduced_check_loops(const sn_gpu_reduced *r, const sn_gpu_reduced_model *m);
/* Impulses and colliders. */
void sn_gpu_reduced_drop_impulses(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
void sn_gpu_reduced_move_impulses(sn_gpu_reduced_body *body, const double *transform);
void sn_gpu_reduced_release_colliders(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
void sn_gpu_reduced_free_surroundings(sn_gpu_reduced *r);
/* After conversion to float. */
static inline bool sn_gpu_reduced_is_finite(const double *v)
{
    return isfinite((float)v[0]) && isfinite((float)v[1]) && isfinite((float)v[2]);
}

/* Reserves space for one more impulse or grab. */
sn_result sn_gpu_reduced_reserve_impulse(sn_gpu_reduced *r);
/* Allocates a body's contacts. */
sn_result sn_gpu_reduced_allocate_contacts(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
void sn_gpu_reduced_drop_grabs(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
/* Call after parameters or the level of detail changed. */
void sn_gpu_reduced_update_grabs(const sn_gpu_reduced *r, sn_gpu_reduced_body *body);
/* Write to a recording's part of the stream buffers. Return the count. */
uint32_t sn_gpu_reduced_write_impulses(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, float *rows);
uint32_t sn_gpu_reduced_write_grabs(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, float *rows);
/* Returns the count. */
uint32_t sn_gpu_reduced_write_colliders(sn_gpu_reduced *r, float *rows);
#define SN_GPU_REDUCED_COLLIDER_FLOATS (4 * SN_REDUCED_COLLIDER_ROWS)
/* Packs one collider (SN_REDUCED_COLLIDER_ROWS x 4). root (12): transform whose translation is subtracted; null: none.
 */
void sn_gpu_reduced_pack_collider(const sn_gpu_reduced *r, const sn_collider *collider, const double *root,
                                  float *rows);
/* Reserves space for `count` colliders in each recording; growing waits for the device. A count that failed once is not
 * tried again. */
sn_result sn_gpu_reduced_reserve_collider_rows(sn_gpu_reduced *r, uint32_t count);
/* Total number of colliders of the lists in use. */
uint32_t sn_gpu_reduced_count_listed_colliders(const sn_gpu_reduced *r);

/* bone_colliders.c: colliders on a body's own bones. They precede a copy of the body's list.
 *
 * Number of collider rows that all bodies need for this, besides the lists, if every list has at least list_count. */
uint32_t sn_gpu_reduced_count_own_colliders(const sn_gpu_reduced *r, uint32_t list_count);
/* Call after the body's list, use or parameters changed; the second also reserves space. If the device has no memory,
 * this is logged once and the own colliders of some bodies are ignored. */
void sn_gpu_reduced_update_own_colliders(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
void sn_gpu_reduced_reserve_own_colliders(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
/* Writes the body's colliders from index `next` of the recording on (`rows` is index 0) and sets its record; returns
 * the next index. */
uint32_t sn_gpu_reduced_write_own_colliders(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, uint32_t next,
                                            float *rows, struct sn_reduced_record *record);

#endif
