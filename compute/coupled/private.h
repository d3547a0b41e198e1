/* SPDX-License-Identifier: MIT */
/* Inside of coupled bodies on the device: shared by this folder's files alone. */
#ifndef SN_COMPUTE_COUPLED_PRIVATE_H
#define SN_COMPUTE_COUPLED_PRIVATE_H

#include "compute/coupled/coupled.h"
#include "compute/xpbd/private.h"
#include "host/coupled/solver.h"
#include "shaders/shared/coupled.h"

typedef struct sn_gpu_coupled_rig {
    const sn_coupled_rig *rig;
    int model;                                    /* the flesh's */
    sn_coupled_body *scratch;                     /* of the CPU: what is seldom done to a body is done to it */
    uint32_t state_count, work_count, lane_count; /* of a body */
    uint32_t system_numbers, system_words;        /* room for one */
    uint32_t empty_count;                         /* matrices after the handles' */
    uint32_t loops;       /* of an invocation, in a substep without solutions, and in the wind before a step */
    uint32_t solve_loops; /* in each solution */
    uint32_t elements;    /* first word */
    double wind_limit;
    struct sn_coupled_rig_record record;
} sn_gpu_coupled_rig;

/* What bodies with the same locks, compliances, exact pins and settings share. It stays when nobody uses it, until its
 * place is needed. */
typedef struct sn_gpu_coupled_system {
    int rig, user_count;
    double *key; /* (key_count) */
    size_t key_count;
    uint32_t numbers, words; /* first ones */
} sn_gpu_coupled_system;

typedef struct sn_gpu_coupled_body {
    int rig, system;
    bool is_used;
    bool is_known;  /* `state` is what the device has, or will have */
    bool is_put;    /* `state` goes to the device with the next recording */
    bool is_edited; /* `elements` are its, in place of its rig's */
    sn_coupled_settings settings;
    double wind[3], mass;
    sn_coupled_handle_state *handles; /* (handle_count) locks, targets and compliances; the rest where it is known */
    double *state;                    /* (state_room) as the device keeps it */
    size_t handle_room, state_room;
    sn_gpu_xpbd_range target, kept, work, lanes, matrix, elements; /* numbers; floats; words */
} sn_gpu_coupled_body;

struct sn_gpu_coupled {
    sn_gpu_device *device;
    int recording_limit;
    sn_gpu_xpbd *xpbd;
    sn_gpu_xpbd_coupling coupling;
    VkPipeline show;
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_COUPLED_BINDING_COUNT];
    uint32_t used_numbers, used_words, used_weights;                        /* of rigs and systems */
    uint32_t used_targets, used_states, used_work, used_lanes, used_floats; /* of bodies */
    uint32_t record_room, target_room;                                      /* of a recording */
    sn_gpu_coupled_rig *rigs;
    int rig_count, rig_room;
    sn_gpu_coupled_system *systems;
    int system_count, system_room;
    sn_gpu_coupled_body *bodies;
    int body_count, body_room;
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

/* Buffers of `size` bytes, or larger ones; sets are out of date where one grew. */
sn_result sn_gpu_coupled_enlarge(sn_gpu_coupled *c, int binding, VkDeviceSize size);
/* The descriptor set for the buffers as they are. */
sn_result sn_gpu_coupled_bind(sn_gpu_coupled *c);
/* Turns of an invocation's loops in a substep, if the fit and the projection solve so often in all. */
uint32_t sn_gpu_coupled_loops(const sn_gpu_coupled_rig *r, uint64_t solve_count);

/* At the end of a buffer of tables; *used is how many items there are. */
sn_result sn_gpu_coupled_append(sn_gpu_coupled *c, int binding, const void *items, uint32_t count, size_t size,
                                uint32_t *used);

/* Room in a stream buffer for so many items of each recording. */
sn_result sn_gpu_coupled_make_room(sn_gpu_coupled *c, int binding, uint32_t count, size_t size, uint32_t *room);

/* A model's elements at the end of the tables. */
sn_result sn_gpu_coupled_put_elements(sn_gpu_coupled *c, const sn_xpbd_model *model, uint32_t *first);

/* What shows bodies, when there is a rig. */
sn_result sn_gpu_coupled_build(sn_gpu_coupled *c);

/* The system that a body's locks, compliances, pins and settings ask for. Its old one is given up. */
sn_result sn_gpu_coupled_renew_system(sn_gpu_coupled *c, int body);
void sn_gpu_coupled_free_systems(sn_gpu_coupled *c);

/* Reads a body's state where it is not known. Waits for the device. */
sn_result sn_gpu_coupled_fetch(sn_gpu_coupled *c, int body);
/* The state of handles as they are on the host; is_fresh: all else of it, too, as for a new body. */
void sn_gpu_coupled_pack_state(sn_gpu_coupled *c, sn_gpu_coupled_body *body, bool is_fresh);

/* Where things lie in a body's state. */
static inline size_t sn_gpu_coupled_at_before(const sn_coupled_rig *rig)
{
    return SN_COUPLED_HANDLE_NUMBERS * (size_t)rig->handle_count;
}
static inline size_t sn_gpu_coupled_at_impulses(const sn_coupled_rig *rig)
{
    return (SN_COUPLED_HANDLE_NUMBERS + SN_COUPLED_POSE_NUMBERS) * (size_t)rig->handle_count;
}
static inline size_t sn_gpu_coupled_at_pushed(const sn_coupled_rig *rig)
{
    return sn_gpu_coupled_at_impulses(rig) + 6 * (size_t)rig->handle_count;
}
static inline size_t sn_gpu_coupled_at_shown(const sn_coupled_rig *rig)
{
    return sn_gpu_coupled_at_pushed(rig) + (size_t)(rig->dimension * rig->basis_count);
}
static inline size_t sn_gpu_coupled_at_counts(const sn_coupled_rig *rig)
{
    return sn_gpu_coupled_at_shown(rig) + 24 * (size_t)rig->handle_count;
}
#define SN_COUPLED_COUNTS 6 /* parts healed, rounds tangled and turned, is tangled, is turned, reach */

#endif
