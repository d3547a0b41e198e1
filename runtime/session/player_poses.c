/* SPDX-License-Identifier: MIT */
/* Per-model buffers of the player, and replacing the model of its body. */
#include "runtime/session/player_state.h"

void sn_player_free_poses(sn_player *p)
{
    if (p->model) {
        const size_t bone_count = (size_t)p->model->counts.bone_count;
        sn_free(p->pose, 12 * bone_count, sizeof *p->pose);
        sn_free(p->matrices, bone_count, sizeof *p->matrices);
        sn_free(p->morphs, (size_t)p->model->counts.morph_count, sizeof *p->morphs);
        sn_free(p->expression_weights, (size_t)p->model->counts.expression_count, sizeof *p->expression_weights);
    }
    p->pose = NULL;
    p->matrices = NULL;
    p->morphs = NULL;
    p->expression_weights = NULL;
}

sn_result sn_player_allocate_poses(sn_player *p)
{
    const size_t bone_count = (size_t)p->model->counts.bone_count;
    p->pose = sn_alloc(12 * bone_count, sizeof *p->pose);
    p->matrices = sn_alloc(bone_count, sizeof *p->matrices);
    p->morphs = sn_alloc((size_t)p->model->counts.morph_count, sizeof *p->morphs);
    p->expression_weights = sn_alloc((size_t)p->model->counts.expression_count, sizeof *p->expression_weights);
    return p->pose && p->matrices && p->morphs && p->expression_weights ? sn_grab_tool_start(&p->grab_tool, p->model)
                                                                        : SN_ERROR_MEMORY;
}

sn_result sn_player_upload(sn_player *p, const sn_render_model *texture_source)
{
    sn_embedding *previous = p->embedding;
    sn_result result = SN_OK;
    p->embedding = NULL;
    if (p->is_flesh_drawn) {
        result = sn_embedding_create(p->model, &p->embedding);
        result = result ? result : sn_body_set_embedding(p->body, p->embedding);
        result = result ? result
                        : sn_render_model_create_embedded(p->renderer, p->embedding, texture_source, &p->render_model);
    } else {
        result = sn_render_model_create_shared(p->renderer, p->model, texture_source, &p->render_model);
    }
    sn_embedding_destroy(&previous);
    return result;
}

sn_result sn_player_set_flesh_drawn(sn_player *p, bool is_flesh_drawn)
{
    sn_render_model *previous = p->render_model;
    p->is_flesh_drawn = is_flesh_drawn;
    sn_result result = is_flesh_drawn ? SN_OK : sn_body_set_embedding(p->body, NULL);
    result = result ? result : sn_player_upload(p, previous);
    sn_render_model_destroy(p->renderer, &previous);
    return result;
}

sn_result sn_player_replace_model(sn_player *p, const sn_model *model)
{
    sn_grab_tool_release(&p->grab_tool, p->body);
    sn_grab_tool_finish(&p->grab_tool);
    sn_player_free_poses(p);
    p->model = p->body_desc.model = model;
    p->initial_motion = p->motion = (sn_motion){.model = model, .clip = -1};
    p->motion_index = 0;
    p->motion_seconds = p->time = 0;
    p->is_looping = false;
    p->loop = (sn_loop){0};
    sn_render_model *previous = p->render_model; /* owns the textures that the new one shares */
    sn_result result = sn_player_allocate_poses(p);
    result = result ? result : sn_player_upload(p, previous);
    sn_render_model_destroy(p->renderer, &previous);
    return result;
}
