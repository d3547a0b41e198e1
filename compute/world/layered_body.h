/* SPDX-License-Identifier: MIT */
/* Layered bodies of a device world: declarations shared by the files that fill their solver table. */
#ifndef SN_COMPUTE_WORLD_LAYERED_BODY_H
#define SN_COMPUTE_WORLD_LAYERED_BODY_H

#include "compute/layered/private.h"
#include "compute/world/world.h"
#include "host/layered/table.h"

typedef struct sn_gpu_world_layered_shared {
    sn_layered_shared common;
    sn_gpu_world *world;
    int shared_model; /* index in the world */
} sn_gpu_world_layered_shared;

typedef struct sn_gpu_world_layered_body {
    sn_gpu_world_body base;
    const sn_gpu_world_layered_shared *shared;
    sn_layered_table_body table; /* CPU table; its body is set only while an operation runs on the CPU */
} sn_gpu_world_layered_body;

static inline sn_gpu_layered *sn_gpu_world_layered_of(const sn_gpu_world_layered_body *b)
{
    return b->base.world->layered;
}

static inline const sn_gpu_world_layered_model *sn_gpu_world_layered_model_of(const sn_gpu_world_layered_body *b)
{
    return &b->base.world->layered_models[b->shared->shared_model];
}

#endif
