/* SPDX-License-Identifier: MIT */
/* Layered bodies of a device world: declarations shared by the files that fill their solver table. */
#ifndef SN_COMPUTE_WORLD_LAYERED_BODY_H
#define SN_COMPUTE_WORLD_LAYERED_BODY_H

#include "compute/layered/private.h"
#include "compute/world/world.h"
#include "host/layered/table.h"

typedef struct sn_gpu_place_layer_shared {
    sn_layered_shared common;
    sn_gpu_place *place;
    int kind; /* index in the world */
} sn_gpu_place_layer_shared;

typedef struct sn_gpu_place_layered {
    sn_gpu_place_body base;
    const sn_gpu_place_layer_shared *shared;
    sn_layered_table_body table; /* CPU table; its body is set only while an operation runs on the CPU */
} sn_gpu_place_layered;

static inline sn_gpu_layered *sn_gpu_place_layers_of(const sn_gpu_place_layered *b)
{
    return b->base.place->layered;
}

static inline const sn_gpu_place_kind *sn_gpu_place_kind_of(const sn_gpu_place_layered *b)
{
    return &b->base.place->kinds[b->shared->kind];
}

#endif
