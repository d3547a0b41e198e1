/* SPDX-License-Identifier: MIT */
/* Edits of the editor: begin, end, undo. */
#include <string.h>

#include "runtime/edit/editor_state.h"

void sn_editor_begin_edit(sn_editor *e)
{
    if (e->history_count == SN_EDIT_HISTORY) {
        e->history_first = (e->history_first + 1) % SN_EDIT_HISTORY;
        --e->history_count;
    }
    e->history[(e->history_first + e->history_count++) % SN_EDIT_HISTORY] = e->handles;
}

static void request_weights(sn_editor *e)
{
    sn_editor_update_bone_map(e);
    e->is_computing_weights = e->handles.edit != e->model_handles.edit;
    if (e->is_computing_weights) {
        e->requested = e->handles;
        sn_weight_worker_request(e->worker, &e->requested);
    } else {
        sn_weight_worker_cancel(e->worker);
    }
}

void sn_editor_end_edit(sn_editor *e)
{
    e->handles.edit = ++e->edit_count;
    e->is_reverting = false;
    request_weights(e);
}

void sn_editor_end_drag(sn_editor *e)
{
    const sn_edit_action action = e->action;
    e->action = SN_EDIT_ACTION_NONE;
    if (action == SN_EDIT_ACTION_MOVE) {
        sn_editor_end_edit(e);
    } else if (action == SN_EDIT_ACTION_PULL) {
        sn_body_release(e->body, e->grab);
    } else if (action == SN_EDIT_ACTION_DRAG || action == SN_EDIT_ACTION_ROTATE) {
        sn_body_set_locks(e->body, e->bone, e->locks_before);
        /* a bone that the motion drives, and that was not posed before, keeps its dragged transform */
        e->has_target[e->bone] = e->locks_before != 0;
    }
}

bool sn_editor_revert(sn_editor *e)
{
    char name[SN_EDIT_NAME_SIZE] = "";
    const bool has_history = e->history_count > 0;
    sn_editor_end_drag(e);
    if (e->selected >= 0) {
        memcpy(name, e->handles.items[e->selected].name, sizeof name);
    }
    e->handles = has_history ? e->history[(e->history_first + --e->history_count) % SN_EDIT_HISTORY] : e->model_handles;
    e->selected = sn_edit_handles_find(&e->handles, name);
    e->hovered.handle = -1;
    request_weights(e);
    return has_history;
}

void sn_editor_undo(sn_editor *e)
{
    if (e->loop_count > 0) {
        --e->loop_count;
    } else if (e->history_count == 0) {
        sn_editor_set_message(e, "nothing to undo");
    } else {
        sn_editor_revert(e);
        sn_editor_set_message(e, "undone");
    }
}

void sn_editor_remove(sn_editor *e)
{
    if (e->selected < 0) {
        sn_editor_set_message(e, "no handle is selected");
    } else if (e->handles.count == 1) {
        sn_editor_set_message(e, "the last handle cannot be removed");
    } else {
        sn_editor_end_drag(e);
        sn_editor_begin_edit(e);
        sn_editor_set_message(e, "%s removed", e->handles.items[e->selected].name);
        sn_edit_handles_remove(&e->handles, e->selected);
        e->selected = e->hovered.handle = -1;
        sn_editor_end_edit(e);
    }
}

bool sn_editor_close_loop(sn_editor *e)
{
    if (e->loop_count < 3 || e->handles.count + e->loop_count > SN_EDIT_HANDLE_LIMIT ||
        e->handles.edge_count + e->loop_count > SN_EDIT_EDGE_LIMIT) {
        sn_editor_set_message(e,
                              e->loop_count < 3 ? "a loop needs at least three corners" : "there are too many handles");
        return false;
    }
    sn_editor_begin_edit(e);
    for (int i = 0; i < e->loop_count; ++i) {
        sn_edit_handle handle = {.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1};
        memcpy(handle.start, e->loop[i].rest, sizeof handle.start);
        memcpy(handle.end, e->loop[i].rest, sizeof handle.end);
        sn_edit_handles_add(&e->handles, &handle);
    }
    sn_edit_handles_close(&e->handles, e->handles.count - e->loop_count, e->loop_count);
    e->loop_count = 0;
    sn_editor_end_edit(e);
    return true;
}
