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

static void ask(sn_editor *e)
{
    sn_editor_resolve(e);
    e->is_weighing = e->handles.edit != e->good.edit;
    if (e->is_weighing) {
        e->asked = e->handles;
        sn_edit_weigher_ask(e->weigher, &e->asked);
    } else {
        sn_edit_weigher_cancel(e->weigher);
    }
}

void sn_editor_end_edit(sn_editor *e)
{
    e->handles.edit = ++e->edit_count;
    e->is_taken_back = false;
    ask(e);
}

void sn_editor_let_go(sn_editor *e)
{
    const sn_edit_action action = e->action;
    e->action = SN_EDIT_IDLE;
    if (action == SN_EDIT_MOVES) {
        sn_editor_end_edit(e);
    } else if (action == SN_EDIT_PULLS) {
        sn_body_release(e->body, e->grab);
    } else if (action == SN_EDIT_DRAGS || action == SN_EDIT_TURNS) {
        sn_body_set_locks(e->body, e->bone, e->locks_before);
        /* a bone that the motion drives, and that was not posed before, keeps its dragged transform */
        e->has_target[e->bone] = e->locks_before != 0;
    }
}

bool sn_editor_take_back(sn_editor *e)
{
    char name[SN_EDIT_NAME_SIZE] = "";
    const bool is_remembered = e->history_count > 0;
    sn_editor_let_go(e);
    if (e->selected >= 0) {
        memcpy(name, e->handles.items[e->selected].name, sizeof name);
    }
    e->handles = is_remembered ? e->history[(e->history_first + --e->history_count) % SN_EDIT_HISTORY] : e->good;
    e->selected = sn_edit_handles_find(&e->handles, name);
    e->hovered.handle = -1;
    ask(e);
    return is_remembered;
}

void sn_editor_undo(sn_editor *e)
{
    if (e->loop_count > 0) {
        --e->loop_count;
    } else if (e->history_count == 0) {
        sn_editor_tell(e, "nothing to undo");
    } else {
        sn_editor_take_back(e);
        sn_editor_tell(e, "undone");
    }
}

void sn_editor_remove(sn_editor *e)
{
    if (e->selected < 0) {
        sn_editor_tell(e, "no handle is selected");
    } else if (e->handles.count == 1) {
        sn_editor_tell(e, "the last handle cannot be removed");
    } else {
        sn_editor_let_go(e);
        sn_editor_begin_edit(e);
        sn_editor_tell(e, "%s removed", e->handles.items[e->selected].name);
        sn_edit_handles_remove(&e->handles, e->selected);
        e->selected = e->hovered.handle = -1;
        sn_editor_end_edit(e);
    }
}

bool sn_editor_close_loop(sn_editor *e)
{
    if (e->loop_count < 3 || e->handles.count + e->loop_count > SN_EDIT_HANDLE_LIMIT ||
        e->handles.edge_count + e->loop_count > SN_EDIT_EDGE_LIMIT) {
        sn_editor_tell(e, e->loop_count < 3 ? "a loop needs at least three corners" : "there are too many handles");
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
