/* SPDX-License-Identifier: MIT */
/* Inside of the position-based engine on the device: shared by its files alone. */
#ifndef SN_COMPUTE_XPBD_PRIVATE_H
#define SN_COMPUTE_XPBD_PRIVATE_H

#include "compute/core/grids.h"
#include "compute/xpbd/xpbd.h"
#include "host/xpbd/solver.h"
#include "shaders/shared/xpbd.h"

#define SN_XPBD_ROW_BYTES (4 * sizeof(float))
/* Loop iterations of an invocation in one dispatch, of all its loops together. Software Vulkan ends a loop, silently,
 * after 65535; real devices are given back to the desktop after some hundredths of a second. */
#define SN_XPBD_SOFTWARE_LOOPS 60000
#define SN_XPBD_DEVICE_LOOPS 1000000

/* Items of a buffer. */
typedef struct sn_gpu_xpbd_range {
    uint32_t first, room;
} sn_gpu_xpbd_range;

typedef struct sn_gpu_xpbd_model {
    const sn_xpbd_model *model; /* null: it was a body's copy, and waits for another */
    sn_gpu_xpbd_range runs, corners, values;
    uint32_t rest;        /* first vec4; not of copies */
    uint32_t *run_counts; /* (run_count) constraints of each */
    uint32_t run_count;
    size_t run_room;
    uint32_t multiplier_words;
    uint32_t rounds; /* of one workgroup through all runs */
} sn_gpu_xpbd_model;

/* What a dispatch is told. */
typedef struct sn_gpu_xpbd_constants {
    uint32_t first_record, first_pin, first_impulse, first_head, first_collider, record, first_unit, last_unit,
        first_run, last_run;
    uint32_t first_coupled;
    float fraction;
} sn_gpu_xpbd_constants;

/* What else moves all bodies in some parts of a step: a shader in place of ours, which has ours in it, and what it
 * needs. */
typedef struct sn_gpu_xpbd_coupling {
    sn_gpu_shader shader, single;     /* the second in float throughout */
    uint32_t phases;                  /* in which it is in place of ours: a bit each */
    bool is_end_apart;                /* the end of a step is a dispatch of its own, also of whole bodies */
    VkDescriptorSetLayout set_layout; /* of its set, 1 */
    VkDescriptorSet set;
    uint32_t first_record; /* of the recording that is about to be written */
    uint32_t work_count;   /* doubles of scratch that a body takes at most */
} sn_gpu_xpbd_coupling;

/* What may touch some bodies: as it was given, and during each substep. */
typedef struct sn_gpu_xpbd_colliders {
    sn_collider *colliders;              /* (room) */
    struct sn_xpbd_collider_head *heads; /* (room) records counted from the list's first */
    int count, room, substep_count;
    struct sn_xpbd_collider_record *records; /* (record_room) */
    size_t record_count, record_room;
    int user_count; /* bodies */
    uint32_t first; /* head, of the recording that is being written */
    bool is_old;    /* the address of one of its grids has become another's */
} sn_gpu_xpbd_colliders;

/* A removed body's place waits for the next of its model. */
typedef struct sn_gpu_xpbd_body {
    bool is_used;
    bool is_known; /* it is at rest about record.origin, and has not stepped from there */
    int model;
    int edited; /* its copy of that, among the models, or -1 */
    sn_xpbd_settings settings;
    struct sn_xpbd_record record; /* flags that ask for something: since the last recording */
    sn_gpu_xpbd_range kept;
    sn_xpbd_pin *pins;
    int pin_count, pin_room;
    struct sn_xpbd_impulse_record *impulses; /* since the last step */
    int impulse_count, impulse_room;
    int list; /* of colliders, or -1 */
    uint64_t seen;
    uint32_t coupled_loops; /* of an invocation, in a substep's coupling, and in what is done once a step */
    int foreign_pins;       /* the first pins of bodies of the CPU are the coupling's */
} sn_gpu_xpbd_body;

struct sn_gpu_xpbd {
    sn_gpu_device *device;
    sn_gpu_xpbd_desc desc;                /* is_single also where the device leaves no choice */
    const sn_gpu_xpbd_coupling *coupling; /* or null */
    VkDescriptorSetLayout set_layout;     /* the device's, as layout and pipelines (shared.h) */
    VkPipelineLayout layout;
    VkPipeline pipelines[SN_XPBD_PHASE_COUNT]; /* of displacements in device memory: null until one is needed */
    VkPipeline shared_pipeline;                /* of bodies in shared memory */
    uint32_t recipes;                          /* that they know: a bit each */
    uint32_t shared_rows;                      /* that it has */
    uint32_t work_count;                       /* of the coupling, that they have */
    bool has_shared, has_others;               /* there are models of bodies in shared memory, or not in it */
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_XPBD_BINDING_COUNT];
    sn_gpu_xpbd_model *models;
    int model_count, model_room;
    sn_gpu_xpbd_body *bodies;
    int body_count, body_room;                                              /* used or not */
    uint32_t used_runs, used_corners, used_values, used_rests;              /* of models */
    uint32_t used_rows, used_kept;                                          /* of bodies */
    uint32_t record_room, pin_room, impulse_room, head_room, collider_room; /* of a recording */
    uint32_t pin_count, impulse_count;                                      /* of all bodies */
    sn_gpu_xpbd_colliders *lists;
    int list_count, list_room, last_list;
    sn_gpu_grids grids;
    uint64_t recording_count;
    int dispatch_count;
};

/* Null: no coupling; else it must outlive `xpbd`. */
sn_result sn_gpu_xpbd_create_coupled(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc,
                                     const sn_gpu_xpbd_coupling *coupling, sn_gpu_xpbd **xpbd);

static inline bool sn_gpu_xpbd_is_of_coupling(const sn_gpu_xpbd *x, uint32_t phase)
{
    return x->coupling && x->coupling->phases >> phase & 1;
}

static inline sn_gpu_xpbd_body *sn_gpu_xpbd_find(const sn_gpu_xpbd *x, int body)
{
    SN_ASSERT(body >= 0 && body < x->body_count && x->bodies[body].is_used);
    return &x->bodies[body];
}

static inline const sn_gpu_xpbd_model *sn_gpu_xpbd_model_of(const sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body)
{
    return &x->models[body->edited >= 0 ? body->edited : body->model];
}

/* Whether one workgroup holds the displacements of so many rows in its shared memory. */
bool sn_gpu_xpbd_is_shared(const sn_gpu_xpbd *x, int row_count);

/* Sees to it that a buffer has `size` bytes. Sets are out of date where it grew. */
sn_result sn_gpu_xpbd_enlarge(sn_gpu_xpbd *x, int binding, VkDeviceSize size);
/* Room in a stream buffer for so many items of each recording. */
sn_result sn_gpu_xpbd_make_room(sn_gpu_xpbd *x, int binding, uint32_t count, size_t item_bytes, uint32_t *room);
/* The descriptor set for the buffers as they are. */
sn_result sn_gpu_xpbd_bind(sn_gpu_xpbd *x);
/* The pipelines for bodies of so many rows, with these recipes, too. */
sn_result sn_gpu_xpbd_build(sn_gpu_xpbd *x, int row_count, uint32_t recipes);
/* Those for bodies that take several dispatches a substep, too, whatever their size. */
sn_result sn_gpu_xpbd_build_parts(sn_gpu_xpbd *x);

/* The words that a body keeps between dispatches have room in its range. */
sn_result sn_gpu_xpbd_fit_kept(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body);
/* Its pins, its own. */
sn_result sn_gpu_xpbd_take_pins(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body, const sn_xpbd_pin *pins, int count);
/* A body of the CPU gets the pins, in their order. */
sn_result sn_gpu_xpbd_give_pins(const sn_gpu_xpbd_body *body, sn_xpbd_body *to);
/* Where a row is in the world, read from the device. */
sn_result sn_gpu_xpbd_read_place(sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, int row, double *place);

void sn_gpu_xpbd_release_colliders(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body);
void sn_gpu_xpbd_free_colliders(sn_gpu_xpbd *x);
/* sn_gpu_xpbd_add_grid without its lists. */
sn_result sn_gpu_xpbd_upload_grid(sn_gpu_xpbd *x, const sn_grid *grid);
/* The list for another count of substeps. */
sn_result sn_gpu_xpbd_renew_colliders(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body);
/* Into a recording's part of the stream buffers. */
void sn_gpu_xpbd_write_colliders(sn_gpu_xpbd *x, struct sn_xpbd_collider_head *heads,
                                 struct sn_xpbd_collider_record *records);

#endif
