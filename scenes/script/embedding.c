/* SPDX-License-Identifier: MIT */
/* Embeddings of bodies that are drawn as flesh instead of the skin of their bones. */
#include "scenes/script/private.h"
#include "sinew/surface.h"

/* Copies of a body share the embedding of their model; a body with another rig has its own. */
sn_result sn_scene_embed(sn_scene *scene, sn_scene_state *state)
{
    sn_scene_entry *entry = &scene->entries[state->entry];
    const sn_model *model = sn_body_model(state->body);
    sn_embedding *previous = state->embedding,
                 **embedding = model == entry->model ? &entry->embedding : &state->embedding;
    sn_result result = SN_OK;
    if (!entry->script->is_flesh_drawn && entry->script->desc.solver != SN_SOLVER_LAYERED) {
        return SN_OK;
    }
    state->embedding = NULL;
    if (!*embedding) {
        result = sn_embedding_create(model, embedding);
    }
    result = result ? result : sn_body_set_embedding(state->body, *embedding);
    sn_embedding_destroy(&previous);
    return result;
}
