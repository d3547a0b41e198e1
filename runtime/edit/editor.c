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
    sn_editor_let_go(e);
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
    sn_result result = sn_edit_handles_take(&e->handles, model);
    if (result == SN_OK) {
        result = sn_drawn_start(&e->drawn, model);
    }
    if (result == SN_OK) {
        result = sn_edit_weigher_create(model, &e->weigher);
    }
    if (result != SN_OK) {
        sn_editor_destroy(editor);
        return result;
    }
    e->good = e->handles;
    sn_editor_resolve(e);
    return SN_OK;
}

void sn_editor_destroy(sn_editor **editor)
{
    sn_editor *e = *editor;
    *editor = NULL;
    if (e) {
        sn_edit_weigher_destroy(&e->weigher);
        sn_drawn_finish(&e->drawn);
        sn_edit_model_release(&e->made[0]);
        sn_edit_model_release(&e->made[1]);
        sn_free(e, 1, sizeof *e);
    }
}

const sn_blob *sn_editor_blob(const sn_editor *e)
{
    return e->made[0].model ? &e->made[0].blob : NULL;
}

const sn_edit_handles *sn_editor_handles(const sn_editor *e)
{
    return &e->handles;
}

int sn_editor_selected(const sn_editor *e)
{
    return e->selected;
}

bool sn_editor_is_weighing(const sn_editor *e)
{
    return e->is_weighing;
}

double sn_editor_weigh_seconds(const sn_editor *e)
{
    return e->weigh_seconds;
}
