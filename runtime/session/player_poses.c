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
    return p->pose && p->matrices && p->morphs && p->expression_weights ? sn_hold_start(&p->hold, p->model)
                                                                        : SN_ERROR_MEMORY;
}

sn_result sn_player_upload(sn_player *p, const sn_render_model *like)
{
    sn_embedding *before = p->embedding;
    sn_result result = SN_OK;
    p->embedding = NULL;
    if (p->is_flesh_drawn) {
        result = sn_embedding_create(p->model, &p->embedding);
        result = result ? result : sn_body_set_embedding(p->body, p->embedding);
        result = result ? result : sn_render_model_create_embedded(p->renderer, p->embedding, like, &p->render_model);
    } else {
        result = sn_render_model_create_like(p->renderer, p->model, like, &p->render_model);
    }
    sn_embedding_destroy(&before);
    return result;
}

sn_result sn_player_show_flesh(sn_player *p, bool is_flesh_drawn)
{
    sn_render_model *before = p->render_model;
    p->is_flesh_drawn = is_flesh_drawn;
    sn_result result = is_flesh_drawn ? SN_OK : sn_body_set_embedding(p->body, NULL);
    result = result ? result : sn_player_upload(p, before);
    sn_render_model_destroy(p->renderer, &before);
    return result;
}

sn_result sn_player_take_rig(sn_player *p, const sn_model *model)
{
    sn_hold_let_go(&p->hold, p->body);
    sn_hold_finish(&p->hold);
    sn_player_free_poses(p);
    p->model = p->body_desc.model = model;
    p->given = p->motion = (sn_motion){.model = model, .clip = -1};
    p->motion_index = 0;
    p->motion_seconds = p->time = 0;
    p->is_looping = false;
    p->loop = (sn_loop){0};
    sn_render_model *before = p->render_model; /* owns the textures that the new one shares */
    sn_result result = sn_player_allocate_poses(p);
    result = result ? result : sn_player_upload(p, before);
    sn_render_model_destroy(p->renderer, &before);
    return result;
}
