/* SPDX-License-Identifier: MIT */
/* Inside of the reduced solver on the device: shared by its files alone. */
#ifndef SN_COMPUTE_REDUCED_PRIVATE_H
#define SN_COMPUTE_REDUCED_PRIVATE_H

#include <math.h>

#include "compute/core/grids.h"
#include "compute/core/timer.h"
#include "compute/reduced/reduced.h"
#include "host/reduced/grabs.h"
#include "shaders/shared/reduced.h"

#define SN_REDUCED_VEC4_BYTES (4 * sizeof(float))
#define SN_REDUCED_CONSTANT_COUNT 5

/* A model at a level of detail; the finest is the first of its levels, their source. */
typedef struct sn_gpu_reduced_model {
    int source, used_modes, cluster_level;
    uint32_t coordinate_count, cluster_count, bone_count, mode_count;
    uint32_t sample_count, influence_count, pair_count, clearance_count;
    uint32_t delta_count, most_deltas; /* of morph targets at points; of one point */
    uint32_t source_count, basis_rows; /* coordinates of the source; 0 where they are its own */
    uint32_t first;                    /* vec4 in the buffer of models */
    double diagonal;
    double unit;   /* sn_reduced_unit: of what is on the device */
    double volume; /* of its bodies' records */
    sn_model kept; /* what the host still asks of it: see kept.c */
    sn_arena arena;
} sn_gpu_reduced_model;

/* What a dispatch is told. */
typedef struct sn_gpu_reduced_constants {
    uint32_t first_record, first_pose, first_impulse, first_collider, is_pushed, first_iteration, last_iteration;
    float fraction;
    uint32_t first_sample, last_sample;
} sn_gpu_reduced_constants;

typedef struct sn_gpu_reduced_impulse {
    double point[3], impulse[3];
    int bone; /* whose skin shares it; -1: the sample nearest to the point takes it */
} sn_gpu_reduced_impulse;

/* What may touch some bodies: (count x SN_REDUCED_COLLIDER_ROWS x 4). */
typedef struct sn_gpu_reduced_colliders {
    float *rows;
    int count, room;
    int user_count; /* bodies */
    uint32_t first; /* vec4, of the recording that is being written */
} sn_gpu_reduced_colliders;

/* A removed body's place waits for the next of its model, at any level of detail. */
typedef struct sn_gpu_reduced_body {
    bool is_used;
    int model, model_before;         /* its level of detail, and that of the last recording */
    struct sn_reduced_record record; /* flags and turn: since the last recording */
    double turn[9];
    double *pose, *pose_before;       /* (bone_count x 12) set last, of the last step */
    double *morphs, *morphs_before;   /* (3 pair_count x 3) the morph pairs' rows of the rig, likewise */
    double *fields;                   /* (morph_field_count) what morph targets that were set last come to */
    float *weights, *weights_before;  /* (morph_count) of morph targets: set last, of the last step */
    sn_gpu_reduced_impulse *impulses; /* since the last step */
    int impulse_count, impulse_room;
    sn_grab grabs[SN_GRAB_LIMIT];
    double stiffness, time_step, budget;
    double softest;     /* sn_grabs_softest, where there are grabs */
    int list;           /* of colliders, or -1 */
    uint32_t own_count; /* what it takes for those on its bones, with a copy of its list; 0 where it feels none */
    bool is_neo_hookean, is_windy, has_contacts, has_refused_morphs, is_without_bone_colliders;
} sn_gpu_reduced_body;

/* What a recording says of its time. */
typedef struct sn_gpu_reduced_timed {
    uint32_t body_count; /* whose statuses it copies; 0: it is not timed, or was looked at */
    uint64_t began;      /* of what was seen last in its place */
} sn_gpu_reduced_timed;

/* See budget.c; nothing where no body ever had one. */
typedef struct sn_gpu_reduced_budget {
    sn_gpu_timer timer;          /* a span a recording */
    sn_gpu_buffer statuses;      /* as each recording left them */
    sn_gpu_reduced_timed *timed; /* (recording_limit) */
    double iteration_seconds;    /* of all bodies; 0: not known */
} sn_gpu_reduced_budget;

/* How much of the buffers bodies take; poses of one recording. */
typedef struct sn_gpu_reduced_extent {
    uint32_t state_floats, history_floats, matrix_vec4s, pose_vec4s;
} sn_gpu_reduced_extent;

struct sn_gpu_reduced {
    sn_gpu_device *device;
    sn_gpu_reduced_desc desc;
    VkDescriptorSetLayout set_layout; /* the device's, as the next two (shared.h) */
    VkPipelineLayout layout;
    VkPipeline step_pipeline, push_pipeline;
    uint32_t constants[SN_REDUCED_CONSTANT_COUNT]; /* of the pipelines, as shaders/reduced/body.glsl numbers them */
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_REDUCED_BINDING_COUNT];
    sn_gpu_reduced_model *models;
    int model_count, model_room;
    sn_gpu_reduced_body *bodies;
    int body_count, body_room; /* used or not */
    sn_gpu_reduced_extent used;
    uint32_t model_vec4s;
    uint32_t pose_room, record_room, impulse_room, collider_room; /* of a recording: vec4, then items */
    uint32_t impulse_count, grab_count;                           /* of all bodies, since the last step; held */
    uint32_t contacts_count;                                      /* bodies that have or had colliders */
    bool is_out_of_contacts;                                      /* the device has no room for more of them */
    sn_gpu_reduced_budget budget;
    sn_gpu_grids grids;
    sn_gpu_reduced_colliders *lists, packed;
    int list_count, list_room, last_list;
    uint32_t own_count;         /* of all bodies */
    uint32_t refused_colliders; /* the device had no room for so many; 0: it had for all */
    sn_collider *seen;          /* what the last list was packed from */
    int seen_count, seen_room;
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

/* Of a body's poses, morph pairs, fields and weights, all in one: doubles. */
static inline size_t sn_gpu_reduced_pose_size(const sn_gpu_reduced_model *m)
{
    const sn_model_counts *c = &m->kept.counts;
    return 24 * (size_t)m->bone_count + 18 * (size_t)m->pair_count + (size_t)c->morph_field_count +
           (size_t)c->morph_count;
}

/* What a recording says of morph targets where they move points: vec4. */
static inline uint32_t sn_gpu_reduced_weight_rows(const sn_gpu_reduced_model *m)
{
    return m->delta_count > 0 ? ((uint32_t)m->kept.counts.morph_count + 1) / 2 : 0;
}

static inline uint32_t sn_gpu_reduced_basis_of(const sn_gpu_reduced_model *m)
{
    return m->basis_rows > 0 ? m->first + sn_gpu_reduced_layout_of(m).basis : SN_REDUCED_NO_BASIS;
}

/* Copies what the host still asks of a model that is uploaded, in its place. */
sn_result sn_gpu_reduced_keep(const sn_model *model, sn_arena *arena, sn_model *kept);

/* Of a model's points: influences, in vec4 of two each; what morph targets add to them, and to one of them at most.
 * SN_ERROR_UNSUPPORTED where they are more than floats can number. */
sn_result sn_gpu_reduced_count_points(const sn_model *model, sn_gpu_reduced_model *m);
/* Into its zeroed vec4s: samples, points, influences, morph targets, rows. */
void sn_gpu_reduced_pack_samples(const sn_model *model, double unit, const struct sn_reduced_model_layout *at,
                                 float *packed);

/* Sees to it that a buffer has `size` bytes; what lies in device memory stays. Sets are out of date where it grew. */
sn_result sn_gpu_reduced_enlarge(sn_gpu_reduced *r, int binding, VkDeviceSize size);
/* What was set of morph targets becomes the last step's. */
void sn_gpu_reduced_keep_morphs(const sn_gpu_reduced *r, sn_gpu_reduced_body *body);
/* The descriptor set for the buffers as they are. */
sn_result sn_gpu_reduced_bind(sn_gpu_reduced *r);
/* The pipelines for the shared memory that the models need. */
sn_result sn_gpu_reduced_build(sn_gpu_reduced *r);
/* Room for a body that has a budget; may wait for the device. */
sn_result sn_gpu_reduced_make_budget(sn_gpu_reduced *r);
void sn_gpu_reduced_free_budget(sn_gpu_reduced *r);
/* Around the dispatches of a step in a recording's part; and once that is done, before it is written again. */
void sn_gpu_reduced_begin_time(const sn_gpu_reduced *r, VkCommandBuffer commands, uint32_t part);
void sn_gpu_reduced_end_time(sn_gpu_reduced *r, VkCommandBuffer commands, uint32_t part);
void sn_gpu_reduced_take_time(sn_gpu_reduced *r, uint32_t part);
/* Iterations that a body's next step may have. */
uint32_t sn_gpu_reduced_afford(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body);
/* SN_ERROR_UNSUPPORTED where one iteration is more than software Vulkan can loop. */
sn_result sn_gpu_reduced_check_loops(const sn_gpu_reduced *r, const sn_gpu_reduced_model *m);
/* What is asked of a body's impulses and colliders elsewhere. */
void sn_gpu_reduced_drop_impulses(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
void sn_gpu_reduced_move_impulses(sn_gpu_reduced_body *body, const double *transform);
void sn_gpu_reduced_release_colliders(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
void sn_gpu_reduced_free_surroundings(sn_gpu_reduced *r);
/* In float. */
static inline bool sn_gpu_reduced_is_finite(const double *v)
{
    return isfinite((float)v[0]) && isfinite((float)v[1]) && isfinite((float)v[2]);
}

/* Room for one impulse or grab more than there are. */
sn_result sn_gpu_reduced_reserve_push(sn_gpu_reduced *r);
/* Where a body's contacts lie. */
sn_result sn_gpu_reduced_make_contacts(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
void sn_gpu_reduced_drop_grabs(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
/* After parameters or the level of detail have changed. */
void sn_gpu_reduced_update_grabs(const sn_gpu_reduced *r, sn_gpu_reduced_body *body);
/* Into a recording's part of the stream buffers. Return how many there are. */
uint32_t sn_gpu_reduced_write_impulses(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, float *rows);
uint32_t sn_gpu_reduced_write_grabs(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, float *rows);
/* Returns how many. */
uint32_t sn_gpu_reduced_write_colliders(sn_gpu_reduced *r, float *rows);
#define SN_GPU_REDUCED_COLLIDER_FLOATS (4 * SN_REDUCED_COLLIDER_ROWS)
/* Of one: (SN_REDUCED_COLLIDER_ROWS x 4). root (12): the transform that its place is relative to; null: it is not. */
void sn_gpu_reduced_pack_collider(const sn_gpu_reduced *r, const sn_collider *collider, const double *root,
                                  float *rows);
/* Room in each recording for so many; more than before waits for the device. What it has refused it is not asked again.
 */
sn_result sn_gpu_reduced_hold_colliders(sn_gpu_reduced *r, uint32_t count);
/* Of all lists that a recording may have to write. */
uint32_t sn_gpu_reduced_count_listed(const sn_gpu_reduced *r);

/* bone_colliders.c: colliders on bodies' own bones, which lie before those of a body's list, in a copy of that.
 *
 * What all bodies take of that, beside the lists, if none of their lists has fewer than list_count. */
uint32_t sn_gpu_reduced_count_own(const sn_gpu_reduced *r, uint32_t list_count);
/* After the body's list, its use or its parameters have changed; and with room for what it takes. Where the device has
 * none, which has its line once, those of some bodies do not count. */
void sn_gpu_reduced_update_own(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
void sn_gpu_reduced_reserve_own(sn_gpu_reduced *r, sn_gpu_reduced_body *body);
/* Writes the body's from number `next` of the recording on, `rows` being those of number 0, and says so in its record;
 * returns the next number. */
uint32_t sn_gpu_reduced_write_own(const sn_gpu_reduced *r, const sn_gpu_reduced_body *body, uint32_t next, float *rows,
                                  struct sn_reduced_record *record);

#endif
