/* SPDX-License-Identifier: MIT */
#include "tools/simulation/scene_body_state.h"

#include <string.h>

#include "compute/world/world.h"
#include "host/coupled/table.h"
#include "host/model/model.h"
#include "host/skin/skin.h"

sn_result sn_scene_body_state_open(const sn_scene *scene, int index, sn_arena *arena, sn_scene_body_state *body)
{
    *body = (sn_scene_body_state){.id = sn_scene_body_at(scene, index)};
    body->model = sn_body_model(body->id);
    const sn_solver_table *table = sn_body_inspect(body->id).table;
    body->is_coupled = table == &sn_coupled_table || table == &sn_gpu_coupled_table;
    body->is_layered = table == &sn_layered_table || table == &sn_gpu_layered_table;
    body->is_on_device = table == &sn_gpu_table || table == &sn_gpu_coupled_table || table == &sn_gpu_layered_table;
    const sn_model_counts *c = &body->model->counts;
    const sn_scene_script *script = sn_scene_get_script(scene);
    body->bone_capacity = c->bone_count;
    for (int i = 0; i < script->event_count; ++i) {
        const sn_scene_event *event = &script->events[i];
        const bool has_handles = event->handles && event->body == sn_scene_body_entry(scene, index);
        body->bone_capacity =
            has_handles && event->handles->count > body->bone_capacity ? event->handles->count : body->bone_capacity;
    }
    body->bones = SN_NEW(arena, double, 12 * (size_t)body->bone_capacity);
    body->modes = SN_NEW(arena, double, 12 * (size_t)c->mode_count);
    body->mode_floats = SN_NEW(arena, float, 12 * (size_t)c->mode_count);
    const sn_embedding *embedding = sn_body_embedding(body->id);
    const size_t matrices = embedding ? (size_t)(body->bone_capacity + sn_embedding_matrix_count(embedding)) : 0;
    body->embedded = SN_NEW(arena, double, 12 * matrices);
    return body->bones && body->modes && body->mode_floats && body->embedded ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_coupled(const sn_body_inspection *body, sn_scene_body_state *b)
{
    b->coupled = b->is_on_device ? sn_gpu_world_read_coupled(body->body, &b->recovery_count)
                                 : ((sn_coupled_table_body *)body->body)->body;
    if (!b->coupled) {
        return SN_ERROR_UNSUPPORTED;
    }
    sn_coupled_body_transforms(b->coupled, b->bones);
    return SN_OK;
}

static sn_result read_reduced(const sn_body_inspection *body, sn_scene_body_state *b)
{
    const sn_model_counts *c = &b->model->counts;
    sn_result result = SN_OK;
    memcpy(b->bones, body->pose, 12 * (size_t)c->bone_count * sizeof(double));
    if (b->is_layered) { /* coupled and layered bodies do not use the model's modes */
        b->recovery_count = b->is_on_device ? sn_gpu_world_layered_recoveries(body->body) : 0;
        return SN_OK;
    }
    if (b->is_on_device) {
        result = sn_gpu_world_read_modes(body->body, b->mode_floats, &b->recovery_count);
    } else {
        body->table->body_modes(body->body, 1, body->amount, b->mode_floats);
    }
    for (int i = 0; i < 12 * c->mode_count; ++i) {
        b->modes[i] = (double)b->mode_floats[i];
    }
    return result;
}

sn_result sn_scene_body_state_read(sn_scene_body_state *b)
{
    const sn_body_inspection body = sn_body_inspect(b->id);
    b->model = sn_body_model(b->id);
    b->pose = body.pose;
    b->morphs = body.morphs;
    return (b->is_coupled ? read_coupled : read_reduced)(&body, b);
}

void sn_scene_body_state_surface(const sn_scene_body_state *b, double *positions, double *normals)
{
    const sn_embedding *embedding = sn_body_embedding(b->id);
    if (!embedding) {
        const sn_surface skin = sn_model_surface(b->model);
        sn_skin_surface(&skin, b->bones, b->modes, b->morphs, positions, normals, NULL);
        return;
    }
    const sn_surface surface = sn_embedding_surface(embedding);
    const sn_body_matrices output = sn_body_embedded_output(b->id);
    for (int i = 0; i < 12 * output.bone_count; ++i) {
        b->embedded[i] = (double)output.matrices[i / 12].m[i % 12 / 4][i % 4];
    }
    sn_skin_surface(&surface, b->embedded, NULL, output.morphs, positions, normals, NULL);
}
