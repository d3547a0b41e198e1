/* SPDX-License-Identifier: MIT */
/* A copy of those arrays of an uploaded model that the host still needs, since the model may be destroyed before its
 * bodies. Other arrays are null. */
#include <string.h>

#include "compute/reduced/private.h"

/* copy: zeroed memory of count items. */
static bool copy_items(void *copy, const void *items, int64_t count, size_t item_size)
{
    if (copy && count > 0) {
        memcpy(copy, items, (size_t)count * item_size);
    }
    return copy != NULL;
}

/* Positions and influences of the sample vertices, in their order. */
static bool copy_skin(const sn_model *model, sn_arena *arena, sn_model *retained)
{
    const int32_t count = model->counts.sample_count, *from = model->influence_starts;
    int32_t *vertices = SN_NEW(arena, int32_t, count), *starts = SN_NEW(arena, int32_t, count + 1);
    float *positions = SN_NEW(arena, float, 3 * count);
    for (int32_t s = 0; s < count && starts; ++s) {
        const int32_t v = model->sample_vertices[s];
        starts[s + 1] = starts[s] + from[v + 1] - from[v];
    }
    sn_influence *influences = starts ? SN_NEW(arena, sn_influence, starts[count]) : NULL;
    if (!vertices || !positions || !influences) {
        return false;
    }
    for (int32_t s = 0; s < count; ++s) {
        const int32_t v = model->sample_vertices[s];
        vertices[s] = s;
        memcpy(positions + 3 * (size_t)s, model->surface_positions + 3 * (size_t)v, 3 * sizeof *positions);
        memcpy(influences + starts[s], model->influences + from[v],
               (size_t)(from[v + 1] - from[v]) * sizeof *influences);
    }
    retained->sample_vertices = vertices;
    retained->surface_positions = positions;
    retained->influence_starts = starts;
    retained->influences = influences;
    return true;
}

/* Morph deltas of the sample vertices. */
static bool copy_deltas(const sn_model *model, sn_arena *arena, sn_model *retained)
{
    const int32_t count = model->counts.morph_count > 0 ? model->counts.sample_count : 0;
    const int32_t *from = model->morph_starts;
    int32_t *starts = SN_NEW(arena, int32_t, count + 1);
    for (int32_t s = 0; s < count && starts; ++s) {
        const int32_t v = model->sample_vertices[s];
        starts[s + 1] = starts[s] + from[v + 1] - from[v];
    }
    sn_morph_delta *deltas = starts ? SN_NEW(arena, sn_morph_delta, starts[count]) : NULL;
    if (!deltas) {
        return false;
    }
    for (int32_t s = 0; s < count; ++s) {
        memcpy(deltas + starts[s], model->morph_deltas + from[model->sample_vertices[s]],
               (size_t)(starts[s + 1] - starts[s]) * sizeof *deltas);
    }
    retained->morph_starts = starts;
    retained->morph_deltas = deltas;
    return true;
}

#define COPY_ARRAY(name, type, count)                                                                                  \
    type *name = SN_NEW(arena, type, count);                                                                           \
    is_ok &= copy_items(name, model->name, count, sizeof(type));                                                       \
    retained->name = name

sn_result sn_gpu_reduced_copy_host_data(const sn_model *model, sn_arena *arena, sn_model *retained)
{
    const sn_model_counts *c = &model->counts;
    bool is_ok = true;
    *retained = (sn_model){.is_posed = model->is_posed,
                           .counts = *c,
                           .is_flat = model->is_flat,
                           .diagonal = model->diagonal,
                           .total_mass = model->total_mass,
                           .bone_collider_count = model->bone_collider_count};
    COPY_ARRAY(bone_colliders, sn_bone_collider, sn_model_valid_bone_collider_count(model));
    COPY_ARRAY(morph_default_weights, float, c->morph_count);
    COPY_ARRAY(morph_field_weights, double, (int64_t)c->morph_field_count * c->morph_count);
    COPY_ARRAY(morph_pairs, sn_morph_pair, c->morph_pair_count);
    COPY_ARRAY(coordinate_stiffness, double, c->coordinate_count);
    COPY_ARRAY(sample_coordinate, float, (int64_t)c->sample_count * c->coordinate_count);
    is_ok = is_ok && copy_skin(model, arena, retained) && copy_deltas(model, arena, retained);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
