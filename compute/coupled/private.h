/* SPDX-License-Identifier: MIT */
/* Internals of coupled bodies on the device, shared by the files of this folder. */
#ifndef SN_COMPUTE_COUPLED_PRIVATE_H
#define SN_COMPUTE_COUPLED_PRIVATE_H

#include "compute/coupled/coupled.h"
#include "compute/xpbd/private.h"
#include "host/coupled/solver.h"
#include "shaders/shared/coupled.h"

typedef struct sn_gpu_coupled_rig {
    const sn_coupled_rig *rig;
    int model;                                    /* index of the flesh's model */
    sn_coupled_body *scratch;                     /* CPU body on which rare operations are performed */
    uint32_t state_count, work_count, lane_count; /* per body */
    uint32_t system_numbers, system_words;        /* capacity for one system */
    uint32_t empty_count;                         /* zero matrices after the handles' */
    uint32_t loops; /* loop iterations of an invocation in a substep without solves, and in the wind before a step */
    uint32_t solve_loops; /* loop iterations of each solve */
    uint32_t elements;    /* first word */
    double wind_limit;
    struct sn_coupled_rig_record record;
} sn_gpu_coupled_rig;

/* The system that bodies with the same locks, compliances, hard pins and settings share. It stays without users until
 * its slot is needed. */
typedef struct sn_gpu_coupled_system {
    int rig, user_count;
    double *key; /* (key_count) */
    size_t key_count;
    uint32_t numbers, words; /* begins */
} sn_gpu_coupled_system;

typedef struct sn_gpu_coupled_body {
    int rig, system;
    bool is_used;
    bool is_state_current; /* `state` equals the device's state, now or after the upload */
    bool needs_upload;     /* `state` is uploaded with the next recording */
    bool is_edited;        /* uses its own `elements` instead of its rig's */
    sn_coupled_settings settings;
    double wind[3], mass;
    sn_coupled_handle_state
        *handles;  /* (handle_count) locks, targets and compliances; the pose only while is_state_current */
    double *state; /* (state_capacity) in the device's layout */
    size_t handle_capacity, state_capacity;
    sn_gpu_xpbd_range target, state_range, work, lanes, matrix,
        elements; /* in numbers; lanes and matrix: floats; elements: words */
} sn_gpu_coupled_body;

struct sn_gpu_coupled {
    sn_gpu_device *device;
    int recording_limit;
    sn_gpu_xpbd *xpbd;
    sn_gpu_xpbd_coupling coupling;
    VkPipeline matrix_pipeline;
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_COUPLED_BINDING_COUNT];
    uint32_t used_numbers, used_words;                          /* by rigs and systems */
    uint32_t used_targets, used_states, used_work, used_floats; /* by bodies */
    uint32_t record_capacity, target_capacity;                  /* capacities per recording */
    sn_gpu_coupled_rig *rigs;
    int rig_count, rig_capacity;
    sn_gpu_coupled_system *systems;
    int system_count, system_capacity;
    sn_gpu_coupled_body *bodies;
    int body_count, body_capacity;
    uint64_t recording_count;
};

static inline sn_gpu_coupled_body *sn_gpu_coupled_find(const sn_gpu_coupled *c, int body)
{
    SN_ASSERT(body >= 0 && body < c->body_count && c->bodies[body].is_used);
    return &c->bodies[body];
}

static inline const sn_coupled_rig *sn_gpu_coupled_rig_of(const sn_gpu_coupled *c, const sn_gpu_coupled_body *body)
{
    return c->rigs[body->rig].rig;
}

/* Grows a buffer to `size` bytes; invalidates the descriptor set if it grows. */
sn_result sn_gpu_coupled_enlarge(sn_gpu_coupled *c, int binding, VkDeviceSize size);
/* Creates the descriptor set of the current buffers. */
sn_result sn_gpu_coupled_bind(sn_gpu_coupled *c);
/* Loop iterations of an invocation in a substep with `solve_count` solves of fit and projection. */
uint32_t sn_gpu_coupled_loops(const sn_gpu_coupled_rig *r, uint64_t solve_count);

/* Appends to a buffer of tables; *used is the item count. */
sn_result sn_gpu_coupled_append(sn_gpu_coupled *c, int binding, const void *items, uint32_t count, size_t size,
                                uint32_t *used);

/* Reserves `count` items per recording in a stream buffer. */
sn_result sn_gpu_coupled_reserve(sn_gpu_coupled *c, int binding, uint32_t count, size_t size, uint32_t *capacity);

/* Appends a model's elements to the tables. */
sn_result sn_gpu_coupled_append_elements(sn_gpu_coupled *c, const sn_xpbd_model *model, uint32_t *first);

/* Creates the pipeline of the matrices. */
sn_result sn_gpu_coupled_create_pipeline(sn_gpu_coupled *c);

/* Switches the body to the system for its locks, compliances, pins and settings, and releases the old one. */
sn_result sn_gpu_coupled_update_system(sn_gpu_coupled *c, int body);
void sn_gpu_coupled_free_systems(sn_gpu_coupled *c);

/* Reads a body's state back unless it is known. Waits for the device. */
sn_result sn_gpu_coupled_read_state(sn_gpu_coupled *c, int body);
/* Writes the handles to `state`; is_new: resets all other parts, as for a new body. */
void sn_gpu_coupled_pack_state(sn_gpu_coupled *c, sn_gpu_coupled_body *body, bool is_new);

/* Offsets in a body's state. */
static inline size_t sn_gpu_coupled_previous_pose_offset(const sn_coupled_rig *rig)
{
    return SN_COUPLED_HANDLE_NUMBERS * (size_t)rig->handle_count;
}
static inline size_t sn_gpu_coupled_impulse_offset(const sn_coupled_rig *rig)
{
    return (SN_COUPLED_HANDLE_NUMBERS + SN_COUPLED_POSE_NUMBERS) * (size_t)rig->handle_count;
}
static inline size_t sn_gpu_coupled_multiplier_sum_offset(const sn_coupled_rig *rig)
{
    return sn_gpu_coupled_impulse_offset(rig) + 6 * (size_t)rig->handle_count;
}
static inline size_t sn_gpu_coupled_output_offset(const sn_coupled_rig *rig)
{
    return sn_gpu_coupled_multiplier_sum_offset(rig) + (size_t)(rig->dimension * rig->basis_count);
}
static inline size_t sn_gpu_coupled_counter_offset(const sn_coupled_rig *rig)
{
    return sn_gpu_coupled_output_offset(rig) + 24 * (size_t)rig->handle_count;
}
#define SN_COUPLED_COUNTER_COUNT                                                                                       \
    6 /* repair round, rounds with tangled elements, rounds with flipped handles, is tangled, is flipped, target       \
         movement */

#endif
