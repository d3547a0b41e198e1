/* SPDX-License-Identifier: MIT */
/* Overlay markers of the editor's handles. */
#include <string.h>

#include "runtime/edit/editor_state.h"
#include "runtime/edit/marks.h"

static void mark_loop(const sn_editor *e, sn_mark_list *list)
{
    for (int i = 0; i + 1 < e->loop_count; ++i) {
        sn_mark_edge(list, e->loop[i].seen, e->loop[i + 1].seen, true);
    }
    for (int i = 0; i < e->loop_count; ++i) {
        sn_handle_look look = {.is_ahead = true};
        memcpy(look.start, e->loop[i].seen, sizeof look.start);
        sn_mark_handle(list, SN_HANDLE_SHAPE_CAGE, &look);
    }
}

static void mark_edge(const sn_editor *e, sn_mark_list *list, int a, int b)
{
    double from[3], to[3];
    sn_editor_place(e, a, from, NULL);
    sn_editor_place(e, b, to, NULL);
    sn_mark_edge(list, from, to, e->is_ahead[a] || e->is_ahead[b]);
}

static void mark_lines(const sn_editor *e, sn_mark_list *list)
{
    const sn_edit_handles *h = &e->handles;
    for (int i = 0; i < h->edge_count; ++i) {
        mark_edge(e, list, h->edges[i][0], h->edges[i][1]);
    }
    for (int f = 0; f < h->face_count; ++f) {
        for (int32_t i = h->face_starts[f]; i < h->face_starts[f + 1]; ++i) {
            const int32_t next = h->corners[i + 1 < h->face_starts[f + 1] ? i + 1 : h->face_starts[f]];
            if (h->corners[i] < next) { /* each edge occurs in two faces */
                mark_edge(e, list, h->corners[i], next);
            }
        }
    }
    for (int i = 0; i < h->count; ++i) {
        const sn_edit_handle *handle = &h->items[i];
        if (handle->parent >= 0) {
            double from[3], to[3];
            sn_editor_place(e, i, from, NULL);
            const bool is_bone = h->items[handle->parent].shape == SN_HANDLE_SHAPE_BONE;
            sn_editor_place(e, handle->parent, is_bone ? NULL : to, is_bone ? to : NULL);
            sn_mark_link(list, to, from);
        }
    }
}

int sn_editor_marks(const sn_editor *e, sn_render_mark *marks, int limit)
{
    sn_mark_list list = {.marks = marks, .limit = limit, .reach = SN_HANDLE_REACH * (float)e->model->diagonal};
    mark_lines(e, &list);
    for (int i = 0; i < e->handles.count; ++i) {
        const int bone = e->bones[i];
        sn_handle_look look = {.is_selected = i == e->selected,
                               .is_hovered = i == e->hovered.handle,
                               .is_end_hovered = i == e->hovered.handle && e->hovered.is_end,
                               .is_ahead = e->is_ahead[i],
                               .locks = bone >= 0 ? sn_body_locks(e->body, bone) : 0,
                               .scalars = bone >= 0 ? sn_bone_scalars(e->model, bone) : 0};
        sn_editor_place(e, i, look.start, look.end);
        sn_mark_handle(&list, e->handles.items[i].shape, &look);
    }
    if (e->action == SN_EDIT_DRAWS) {
        sn_handle_look look = {.is_ahead = true};
        memcpy(look.start, e->drawn_bone[0].seen, sizeof look.start);
        memcpy(look.end, e->drawn_bone[1].seen, sizeof look.end);
        sn_mark_handle(&list, SN_HANDLE_SHAPE_BONE, &look);
    }
    mark_loop(e, &list);
    return list.count;
}
