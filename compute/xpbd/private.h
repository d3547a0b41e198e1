/* SPDX-License-Identifier: MIT */
/* Internals of the position-based solver on the device, shared by its files. */
#ifndef SN_COMPUTE_XPBD_PRIVATE_H
#define SN_COMPUTE_XPBD_PRIVATE_H

#include "compute/core/grids.h"
#include "compute/core/pace.h"
#include "compute/xpbd/xpbd.h"
#include "host/xpbd/solver.h"
#include "shaders/shared/xpbd.h"

#define SN_XPBD_ROW_BYTES (4 * sizeof(float))
/* A range of items in a buffer. */
typedef struct sn_gpu_xpbd_range {
    uint32_t first, capacity;
} sn_gpu_xpbd_range;

typedef struct sn_gpu_xpbd_model {
    const sn_xpbd_model *model; /* null: a free slot of a body's edited copy */
    sn_gpu_xpbd_range runs, corners, values;
    uint32_t rest;        /* first vec4; unused in copies */
    uint32_t *run_counts; /* (run_count) constraints of each run */
    uint32_t run_count;
    size_t run_capacity;
    uint32_t multiplier_words;
    uint32_t rounds; /* iterations of one workgroup over all runs */
} sn_gpu_xpbd_model;

/* Push constants. */
typedef struct sn_gpu_xpbd_constants {
    uint32_t first_record, first_pin, first_impulse, first_head, first_collider, record, first_unit, last_unit,
        first_run, last_run;
    uint32_t first_coupled;
    float fraction;
} sn_gpu_xpbd_constants;

/* An extension of the step by another solver: a shader that includes and replaces the step shader in some phases, and
 * its resources. */
typedef struct sn_gpu_xpbd_coupling {
    sn_gpu_shader shader, single;     /* single: single precision variant */
    uint32_t phases;                  /* bit mask of the phases in which it is used */
    bool has_separate_finish;         /* the FINISH phase is always a separate dispatch */
    VkDescriptorSetLayout set_layout; /* of descriptor set 1 */
    VkDescriptorSet set;
    uint32_t first_record; /* in the current recording */
    uint32_t work_count;   /* maximum scratch doubles of a body */
} sn_gpu_xpbd_coupling;

/* A collider list shared by bodies: the input, and the records of each substep. */
typedef struct sn_gpu_xpbd_colliders {
    sn_collider *colliders;              /* (capacity) */
    struct sn_xpbd_collider_head *heads; /* (capacity) records are relative to the list's first */
    int count, capacity, substep_count;
    struct sn_xpbd_collider_record *records; /* (record_capacity) */
    size_t record_count, record_capacity;
    int user_count;   /* number of bodies */
    uint32_t first;   /* first head in the current recording */
    bool is_outdated; /* a grid at the same address has been replaced */
} sn_gpu_xpbd_colliders;

/* A body. The slot of a removed body is reused by a body of the same model. */
typedef struct sn_gpu_xpbd_body {
    bool is_used;
    bool is_unstepped; /* it is at rest around record.origin and has not stepped */
    int model;
    int edited; /* index of its edited copy among the models, or -1 */
    sn_xpbd_settings settings;
    struct sn_xpbd_record record; /* request flags accumulate since the last recording */
    sn_gpu_xpbd_range scratch;
    sn_xpbd_pin *pins;
    int pin_count, pin_capacity;
    struct sn_xpbd_impulse_record *impulses; /* since the last step */
    int impulse_count, impulse_capacity;
    int list; /* collider list, or -1 */
    uint64_t collider_hash;
    uint32_t coupling_loops; /* loop iterations of the coupling, per substep and per step */
    int coupling_pin_count;  /* number of pins of CPU bodies, at the beginning, that belong to the coupling */
} sn_gpu_xpbd_body;

struct sn_gpu_xpbd {
    sn_gpu_device *device;
    sn_gpu_xpbd_desc desc;                /* is_single_precision is also set if the device lacks doubles */
    const sn_gpu_xpbd_coupling *coupling; /* may be null */
    VkDescriptorSetLayout set_layout;     /* owned by the device, as layout and pipelines (shared.h) */
    VkPipelineLayout layout;
    VkPipeline pipelines[SN_XPBD_PHASE_COUNT]; /* with displacements in device memory; null until needed */
    VkPipeline shared_pipeline;                /* with displacements in shared memory */
    uint32_t recipes;                          /* bit mask of constraint types that the pipelines support */
    uint32_t shared_rows;                      /* row capacity of shared_pipeline */
    uint32_t work_count;                       /* scratch capacity of the pipelines for the coupling */
    bool has_shared, has_unshared;             /* there are models that fit into shared memory; that do not */
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_XPBD_BINDING_COUNT];
    sn_gpu_xpbd_model *models;
    int model_count, model_capacity;
    sn_gpu_xpbd_body *bodies;
    int body_count, body_capacity;                             /* including free slots */
    uint32_t used_runs, used_corners, used_values, used_rests; /* by models */
    uint32_t used_rows, used_scratch;                          /* by bodies */
    uint32_t record_capacity, pin_capacity, impulse_capacity, head_capacity,
        collider_capacity;             /* capacities per recording */
    uint32_t pin_count, impulse_count; /* of all bodies */
    sn_gpu_xpbd_colliders *lists;
    int list_count, list_capacity, last_list;
    sn_gpu_grids grids;
    sn_gpu_pace pace;
    uint64_t recording_count;
    int dispatch_count;
};

/* coupling: null for none, else it must outlive `xpbd`. */
sn_result sn_gpu_xpbd_create_coupled(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc,
                                     const sn_gpu_xpbd_coupling *coupling, sn_gpu_xpbd **xpbd);

static inline bool sn_gpu_xpbd_has_coupling_phase(const sn_gpu_xpbd *x, uint32_t phase)
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

/* Whether the displacements of `row_count` rows fit into the shared memory of a workgroup. */
bool sn_gpu_xpbd_is_shared(const sn_gpu_xpbd *x, int row_count);

/* Grows a buffer to `size` bytes. Invalidates the descriptor set if it grows. */
sn_result sn_gpu_xpbd_enlarge(sn_gpu_xpbd *x, int binding, VkDeviceSize size);
/* Reserves `count` items per recording in a stream buffer. */
sn_result sn_gpu_xpbd_reserve(sn_gpu_xpbd *x, int binding, uint32_t count, size_t item_bytes, uint32_t *capacity);
/* Creates the descriptor set of the current buffers. */
sn_result sn_gpu_xpbd_bind(sn_gpu_xpbd *x);
/* Extends the pipelines to bodies of `row_count` rows and these constraint types. */
sn_result sn_gpu_xpbd_create_pipelines(sn_gpu_xpbd *x, int row_count, uint32_t recipes);
/* Creates the pipelines for bodies that take several dispatches per substep. */
sn_result sn_gpu_xpbd_create_split_pipelines(sn_gpu_xpbd *x);

/* Grows a body's scratch range to the words that it needs between dispatches. */
sn_result sn_gpu_xpbd_reserve_scratch(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body);
/* Replaces a body's pins. */
sn_result sn_gpu_xpbd_set_pins(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body, const sn_xpbd_pin *pins, int count);
/* Copies the pins to a CPU body, in their order. */
sn_result sn_gpu_xpbd_copy_pins_to(const sn_gpu_xpbd_body *body, sn_xpbd_body *to);
/* Reads back the world position of a row. */
sn_result sn_gpu_xpbd_read_position(sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, int row, double *position);

void sn_gpu_xpbd_release_colliders(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body);
void sn_gpu_xpbd_free_colliders(sn_gpu_xpbd *x);
/* As sn_gpu_xpbd_add_grid, without invalidating lists. */
sn_result sn_gpu_xpbd_upload_grid(sn_gpu_xpbd *x, const sn_grid *grid);
/* Recomputes the list after the substep count changed. */
sn_result sn_gpu_xpbd_update_colliders(sn_gpu_xpbd *x, sn_gpu_xpbd_body *body);
/* Writes to a recording's part of the stream buffers. */
void sn_gpu_xpbd_write_colliders(sn_gpu_xpbd *x, struct sn_xpbd_collider_head *heads,
                                 struct sn_xpbd_collider_record *records);

#endif
