/* SPDX-License-Identifier: MIT */
/* The editor: lifetime, tools and getters. */
#include "runtime/edit/editor.h"

#include "runtime/edit/editor_state.h"

/* ---- tools ---- */

void sn_editor_set_tool(sn_editor *e, sn_edit_tool tool)
{
    e->tool = tool;
    e->loop_count = 0;
}

sn_edit_tool sn_editor_tool(const sn_editor *e)
{
    return e->tool;
}

void sn_editor_set_editing(sn_editor *e, bool is_editing)
{
    sn_editor_end_drag(e);
    e->is_editing = is_editing;
    e->loop_count = 0;
}

bool sn_editor_is_editing(const sn_editor *e)
{
    return e->is_editing;
}

const sn_model *sn_editor_model(const sn_editor *e)
{
    return e->model;
}

/* ---- lifetime ---- */

sn_result sn_editor_create(const sn_model *model, sn_body_id body, sn_editor **editor)
{
    sn_editor *e = sn_alloc(1, sizeof *e);
    *editor = e;
    if (!e) {
        return SN_ERROR_MEMORY;
    }
    e->model = model;
    e->body = body;
    e->selected = e->hovered.handle = -1;
    for (int i = 0; i < SN_EDIT_HANDLE_LIMIT; ++i) {
        e->compliances[i] = -1;
    }
    sn_result result = sn_edit_handles_from_model(&e->handles, model);
    if (result == SN_OK) {
        result = sn_posed_surface_start(&e->surface, model);
    }
    if (result == SN_OK) {
        result = sn_weight_worker_create(model, &e->worker);
    }
    if (result != SN_OK) {
        sn_editor_destroy(editor);
        return result;
    }
    e->model_handles = e->handles;
    sn_editor_update_bone_map(e);
    return SN_OK;
}

void sn_editor_destroy(sn_editor **editor)
{
    sn_editor *e = *editor;
    *editor = NULL;
    if (e) {
        sn_weight_worker_destroy(&e->worker);
        sn_posed_surface_finish(&e->surface);
        sn_edit_model_release(&e->edited_models[0]);
        sn_edit_model_release(&e->edited_models[1]);
        sn_free(e, 1, sizeof *e);
    }
}

const sn_blob *sn_editor_blob(const sn_editor *e)
{
    return e->edited_models[0].model ? &e->edited_models[0].blob : NULL;
}

const sn_edit_handles *sn_editor_handles(const sn_editor *e)
{
    return &e->handles;
}

int sn_editor_selected(const sn_editor *e)
{
    return e->selected;
}

bool sn_editor_is_computing_weights(const sn_editor *e)
{
    return e->is_computing_weights;
}

double sn_editor_weight_seconds(const sn_editor *e)
{
    return e->weight_seconds;
}
