/* SPDX-License-Identifier: MIT */
#include "host/world/embedded.h"

#include <string.h>

static size_t pose_size(const sn_body_slot *slot)
{
    return 12 * (size_t)slot->bone_count * sizeof(double);
}

void sn_body_slot_keep_flesh(sn_body_slot *slot, bool is_first_step)
{
    const sn_embedded *e = slot->embedded;
    if (e) {
        slot->table->body_flesh(slot->body, e->flesh[0]);
        memcpy(e->bones[0], is_first_step ? e->bones[1] : slot->pose_step, pose_size(slot));
    }
}

void sn_body_slot_take_flesh(sn_body_slot *slot)
{
    const sn_embedded *e = slot->embedded;
    if (slot->is_recovered) { /* there is no way from where it was */
        sn_body_slot_rest_flesh(slot);
    } else if (e) {
        slot->table->body_flesh(slot->body, e->flesh[1]);
        memcpy(e->bones[1], slot->pose_step, pose_size(slot));
    }
}

void sn_body_slot_rest_flesh(sn_body_slot *slot)
{
    const sn_embedded *e = slot->embedded;
    for (int i = 0; e && i < 2; ++i) {
        slot->table->body_flesh(slot->body, e->flesh[i]);
        memcpy(e->bones[i], slot->pose_now, pose_size(slot));
    }
}

void sn_body_slot_move_flesh(sn_body_slot *slot, const double *m)
{
    const sn_embedded *e = slot->embedded;
    const size_t count = e ? (size_t)sn_model_vertex_count(slot->desc.model) : 0;
    for (size_t v = 0; v < count; ++v) {
        double *at = e->flesh[0] + 3 * v;
        const double x[3] = {at[0], at[1], at[2]};
        for (size_t d = 0; d < 3; ++d) {
            at[d] = m[4 * d] * x[0] + m[4 * d + 1] * x[1] + m[4 * d + 2] * x[2] + m[4 * d + 3];
        }
    }
    if (e) {
        slot->table->body_flesh(slot->body, e->flesh[1]);
        sn_body_move_pose(m, slot->bone_count, e->bones[0]);
        sn_body_move_pose(m, slot->bone_count, e->bones[1]);
    }
}

static double mix(const double *const steps[2], size_t at, double fraction)
{
    return steps[0][at] + fraction * (steps[1][at] - steps[0][at]);
}

void sn_body_slot_embed(sn_body_slot *slot, double fraction)
{
    const sn_embedded *e = slot->embedded;
    if (!e) {
        return;
    }
    const double shown = sn_shown_fraction(fraction);
    const double *const flesh[2] = {e->flesh[0], e->flesh[1]}, *const bones[2] = {e->bones[0], e->bones[1]};
    float *matrices = e->matrices->m[0];
    const size_t bone_numbers = 12 * (size_t)slot->bone_count;
    for (size_t i = 0; i < bone_numbers; ++i) {
        matrices[i] = slot->table->body_bones ? slot->matrices[i] : (float)mix(bones, i, shown);
    }
    for (size_t i = 0; i < 3 * (size_t)sn_model_vertex_count(slot->desc.model); ++i) {
        e->between[i] = mix(flesh, i, shown);
    }
    sn_embedding_matrices(e->embedding, e->between, matrices + bone_numbers);
}

static void free_embedded(const sn_body_slot *slot, sn_embedded *e)
{
    const size_t flesh = 3 * (size_t)sn_model_vertex_count(slot->desc.model), bones = 12 * (size_t)slot->bone_count;
    for (int i = 0; i < 2; ++i) {
        sn_free(e->flesh[i], flesh, sizeof(double));
        sn_free(e->bones[i], bones, sizeof(double));
    }
    sn_free(e->between, flesh, sizeof(double));
    sn_free(e->matrices, (size_t)(slot->bone_count + sn_embedding_matrix_count(e->embedding)), sizeof *e->matrices);
    sn_free(e, 1, sizeof *e);
}

void sn_body_slot_forget_embedding(sn_body_slot *slot)
{
    if (slot->embedded) {
        free_embedded(slot, slot->embedded);
        slot->embedded = NULL;
    }
}

static sn_embedded *make_embedded(const sn_body_slot *slot, const sn_embedding *embedding)
{
    const size_t flesh = 3 * (size_t)sn_model_vertex_count(slot->desc.model), bones = 12 * (size_t)slot->bone_count;
    sn_embedded *e = sn_alloc(1, sizeof *e);
    bool is_ok = e != NULL;
    for (int i = 0; i < 2 && is_ok; ++i) {
        e->embedding = embedding;
        e->flesh[i] = sn_alloc(flesh, sizeof(double));
        e->bones[i] = e->flesh[i] ? sn_alloc(bones, sizeof(double)) : NULL;
        is_ok = e->bones[i] != NULL;
    }
    if (is_ok) {
        e->between = sn_alloc(flesh, sizeof(double));
        e->matrices = e->between ? sn_alloc((size_t)(slot->bone_count + sn_embedding_matrix_count(embedding)),
                                            sizeof *e->matrices)
                                 : NULL;
        is_ok = e->matrices != NULL;
    }
    if (!is_ok && e) {
        free_embedded(slot, e);
    }
    return is_ok ? e : NULL;
}

sn_result sn_body_set_embedding(sn_body_id id, const sn_embedding *embedding)
{
    sn_body_slot *slot = sn_body_need(id);
    const sn_world *w = sn_world_at(id.world0);
    sn_embedded *made = NULL;
    if (embedding) {
        SN_ASSERT(embedding->model == slot->desc.model);
        if (w->place || !slot->table->body_flesh) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "body %d: it has no flesh of its own to be drawn%s", id.index1,
                           w->place ? " on this side of the device" : "");
        }
        made = make_embedded(slot, embedding);
        if (!made) {
            return SN_ERROR_MEMORY;
        }
    }
    sn_body_slot_forget_embedding(slot);
    slot->embedded = made;
    sn_body_slot_rest_flesh(slot);
    sn_body_slot_embed(slot, 1);
    return SN_OK;
}

const sn_embedding *sn_body_embedding(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_need(id);
    return slot->embedded ? slot->embedded->embedding : NULL;
}

sn_body_matrices sn_body_embedded_output(sn_body_id id)
{
    const sn_body_slot *slot = sn_body_need(id);
    SN_ASSERT(slot->embedded);
    return (sn_body_matrices){.matrices = slot->embedded->matrices,
                              .bone_count = slot->bone_count + sn_embedding_matrix_count(slot->embedded->embedding),
                              .morphs = slot->morphs,
                              .morph_count = slot->morph_count};
}
