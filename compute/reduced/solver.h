/* SPDX-License-Identifier: MIT */
/* Inside of the reduced solver on the device: shared by its files alone. */
#ifndef SN_COMPUTE_REDUCED_SOLVER_H
#define SN_COMPUTE_REDUCED_SOLVER_H

#include "compute/core/pipeline.h"
#include "compute/reduced/reduced.h"
#include "shaders/shared/reduced.h"

#define SN_REDUCED_VEC4_BYTES (4 * sizeof(float))

typedef struct sn_gpu_reduced_model {
    uint32_t coordinate_count, cluster_count, bone_count, mode_count;
    uint32_t first; /* vec4 in the buffer of models */
    double diagonal;
    double volume; /* of its bodies' records */
} sn_gpu_reduced_model;

/* What a dispatch is told. */
typedef struct sn_gpu_reduced_constants {
    uint32_t first_record, first_pose, first_iteration, last_iteration;
    float fraction;
} sn_gpu_reduced_constants;

/* A removed body's place waits for the next of its model. */
typedef struct sn_gpu_reduced_body {
    bool is_used;
    int model;
    struct sn_reduced_record record; /* flags and turn: since the last recording */
    double turn[9];
    double *pose, *pose_before; /* (bone_count x 12) set last, of the last step */
} sn_gpu_reduced_body;

/* How much of the buffers bodies take; poses of one recording. */
typedef struct sn_gpu_reduced_extent {
    uint32_t state_floats, matrix_vec4s, pose_vec4s;
} sn_gpu_reduced_extent;

struct sn_gpu_reduced {
    sn_gpu_device *device;
    sn_gpu_reduced_desc desc;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    uint32_t constants[3]; /* of the pipeline: floats of shared memory, whether rotations and gradients spill */
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_REDUCED_BINDING_COUNT];
    sn_gpu_reduced_model *models;
    int model_count, model_room;
    sn_gpu_reduced_body *bodies;
    int body_count, body_room; /* used or not */
    sn_gpu_reduced_extent used;
    uint32_t model_vec4s;
    uint32_t pose_room, record_room; /* of a recording: vec4, records */
    uint64_t recording_count;
};

static inline const sn_gpu_reduced_model *sn_gpu_reduced_model_of(const sn_gpu_reduced *r,
                                                                  const sn_gpu_reduced_body *body)
{
    return &r->models[body->model];
}

/* Sees to it that a buffer has `size` bytes; what lies in device memory stays. Sets are out of date where it grew. */
sn_result sn_gpu_reduced_enlarge(sn_gpu_reduced *r, int binding, VkDeviceSize size);
/* The descriptor set for the buffers as they are. */
sn_result sn_gpu_reduced_bind(sn_gpu_reduced *r);
/* The pipeline for the shared memory that the models need. */
sn_result sn_gpu_reduced_build(sn_gpu_reduced *r);
/* `items` with room for one more: itself, or a larger copy. Null where memory is out; `items` stays then. */
void *sn_gpu_reduced_grow(void *items, int count, int *room, size_t item_size);

#endif
