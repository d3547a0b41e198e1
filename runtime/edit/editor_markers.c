/* SPDX-License-Identifier: MIT */
/* Overlay markers of the editor's handles. */
#include <string.h>

#include "runtime/edit/editor_state.h"
#include "runtime/edit/markers.h"

static void add_loop(const sn_editor *e, sn_marker_list *list)
{
    for (int i = 0; i + 1 < e->loop_count; ++i) {
        sn_marker_add_edge(list, e->loop[i].world_position, e->loop[i + 1].world_position, true);
    }
    for (int i = 0; i < e->loop_count; ++i) {
        sn_handle_style style = {.is_pending = true};
        memcpy(style.start, e->loop[i].world_position, sizeof style.start);
        sn_marker_add_handle(list, SN_HANDLE_SHAPE_CAGE, &style);
    }
}

static void add_edge(const sn_editor *e, sn_marker_list *list, int a, int b)
{
    double from[3], to[3];
    sn_editor_handle_position(e, a, from, NULL);
    sn_editor_handle_position(e, b, to, NULL);
    sn_marker_add_edge(list, from, to, e->is_pending[a] || e->is_pending[b]);
}

static void add_lines(const sn_editor *e, sn_marker_list *list)
{
    const sn_edit_handles *h = &e->handles;
    for (int i = 0; i < h->edge_count; ++i) {
        add_edge(e, list, h->edges[i][0], h->edges[i][1]);
    }
    for (int f = 0; f < h->face_count; ++f) {
        for (int32_t i = h->face_starts[f]; i < h->face_starts[f + 1]; ++i) {
            const int32_t next = h->corners[i + 1 < h->face_starts[f + 1] ? i + 1 : h->face_starts[f]];
            if (h->corners[i] < next) { /* each edge occurs in two faces */
                add_edge(e, list, h->corners[i], next);
            }
        }
    }
    for (int i = 0; i < h->count; ++i) {
        const sn_edit_handle *handle = &h->items[i];
        if (handle->parent >= 0) {
            double from[3], to[3];
            sn_editor_handle_position(e, i, from, NULL);
            const bool is_bone = h->items[handle->parent].shape == SN_HANDLE_SHAPE_BONE;
            sn_editor_handle_position(e, handle->parent, is_bone ? NULL : to, is_bone ? to : NULL);
            sn_marker_add_link(list, to, from);
        }
    }
}

int sn_editor_add_markers(const sn_editor *e, sn_render_marker *markers, int limit)
{
    sn_marker_list list = {
        .markers = markers, .limit = limit, .visible_depth = SN_HANDLE_VISIBLE_DEPTH * (float)e->model->diagonal};
    add_lines(e, &list);
    for (int i = 0; i < e->handles.count; ++i) {
        const int bone = e->bones[i];
        sn_handle_style style = {.is_selected = i == e->selected,
                                 .is_hovered = i == e->hovered.handle,
                                 .is_end_hovered = i == e->hovered.handle && e->hovered.is_end,
                                 .is_pending = e->is_pending[i],
                                 .locks = bone >= 0 ? sn_body_locks(e->body, bone) : 0,
                                 .scalars = bone >= 0 ? sn_bone_scalars(e->model, bone) : 0};
        sn_editor_handle_position(e, i, style.start, style.end);
        sn_marker_add_handle(&list, e->handles.items[i].shape, &style);
    }
    if (e->action == SN_EDIT_ACTION_DRAW) {
        sn_handle_style style = {.is_pending = true};
        memcpy(style.start, e->new_bone[0].world_position, sizeof style.start);
        memcpy(style.end, e->new_bone[1].world_position, sizeof style.end);
        sn_marker_add_handle(&list, SN_HANDLE_SHAPE_BONE, &style);
    }
    add_loop(e, &list);
    return list.count;
}
