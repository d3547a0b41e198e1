/* SPDX-License-Identifier: MIT */
/* Internals of layered bodies on the device, shared by the files of this folder. */
#ifndef SN_COMPUTE_LAYERED_PRIVATE_H
#define SN_COMPUTE_LAYERED_PRIVATE_H

#include "compute/layered/layered.h"
#include "compute/xpbd/private.h"
#include "host/layered/solver.h"
#include "shaders/shared/layered.h"

typedef struct sn_gpu_layered_model {
    const sn_layered_model *model;
    int flesh;                  /* index of the flesh's model */
    sn_layered_body *scratch;   /* CPU body on which rare operations are performed */
    double *attached_fractions; /* (bone_count) fraction of the attached vertices of each bone */
    double attached_mean[3];    /* mean rest position of the attached vertices, in the coordinates of rows */
    uint32_t loops;             /* loop iterations of an invocation per substep */
    double wind_limit;
    struct sn_layered_model_record record;
} sn_gpu_layered_model;

typedef struct sn_gpu_layered_body {
    int model;
    bool is_used;
    sn_layered_settings settings;
    double *poses; /* (3 x bone_count x 12) before and after the last recorded step; of the next step */
    int bone_count;
    double wind[3], mass;
    sn_gpu_xpbd_range bones, work; /* in numbers */
} sn_gpu_layered_body;

enum { SN_GPU_LAYERED_BEFORE, SN_GPU_LAYERED_NOW, SN_GPU_LAYERED_NEXT };

struct sn_gpu_layered {
    sn_gpu_device *device;
    int recording_limit;
    sn_gpu_xpbd *xpbd;
    sn_gpu_xpbd_coupling coupling;
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_LAYERED_BINDING_COUNT];
    uint32_t used_words, used_numbers;       /* by models */
    uint32_t used_bones, used_work;          /* by bodies */
    uint32_t record_capacity, bone_capacity; /* capacities per recording */
    sn_gpu_layered_model *models;
    int model_count, model_capacity;
    sn_gpu_layered_body *bodies;
    int body_count, body_capacity;
    uint64_t recording_count;
};

static inline sn_gpu_layered_body *sn_gpu_layered_find(const sn_gpu_layered *l, int body)
{
    SN_ASSERT(body >= 0 && body < l->body_count && l->bodies[body].is_used);
    return &l->bodies[body];
}

static inline const sn_layered_model *sn_gpu_layered_model_of(const sn_gpu_layered *l, const sn_gpu_layered_body *body)
{
    return l->models[body->model].model;
}

/* A pose (bone_count x 12) of a body: SN_GPU_LAYERED_BEFORE, _NOW or _NEXT. */
static inline double *sn_gpu_layered_pose(const sn_gpu_layered_body *body, int which)
{
    return body->poses + 12 * (size_t)which * (size_t)body->bone_count;
}

/* As the functions of compute/core/buffer_set.h. */
sn_result sn_gpu_layered_enlarge(sn_gpu_layered *l, int binding, VkDeviceSize size);
sn_result sn_gpu_layered_append(sn_gpu_layered *l, int binding, const void *items, size_t count, size_t size,
                                uint32_t *used);
sn_result sn_gpu_layered_reserve(sn_gpu_layered *l, int binding, uint32_t count, size_t size, uint32_t *capacity);
sn_result sn_gpu_layered_bind(sn_gpu_layered *l);

#endif
