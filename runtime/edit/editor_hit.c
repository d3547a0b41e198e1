/* SPDX-License-Identifier: MIT */
/* Picking in the editor. */
#include "host/math/vec3.h"
#include "runtime/edit/editor_state.h"

double sn_editor_shaft_distance(const double pointer[2], const double a[2], const double b[2])
{
    const double u[3] = {a[0], a[1], 0}, v[3] = {b[0], b[1], 0}, at[3] = {pointer[0], pointer[1], 0};
    const double t = sn_segment_nearest(at, u, v);
    return sn_editor_distance(pointer, (const double[]){a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])});
}

/* Icons have precedence over shafts. The nearest icon wins; of equally near ones the last, which is drawn on top. */
sn_edit_hit sn_editor_hit(const sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_edit_hit hit = {-1, false};
    bool is_icon = false;
    double least = SN_EDIT_ICON_REACH * view->unit, least_shaft = SN_EDIT_SHAFT_REACH * view->unit;
    for (int i = 0; i < e->handles.count; ++i) {
        const bool is_bone = e->handles.items[i].shape == SN_HANDLE_SHAPE_BONE;
        double start[3], end[3], at[2][2];
        sn_editor_place(e, i, start, end);
        const bool is_seen = sn_pick_place(&view->camera, start, at[0]) > 0;
        const bool is_end_seen = is_bone && sn_pick_place(&view->camera, end, at[1]) > 0;
        if (is_seen && sn_editor_distance(pointer, at[0]) <= least) {
            least = sn_editor_distance(pointer, at[0]);
            hit = (sn_edit_hit){i, false};
            is_icon = true;
        }
        if (is_end_seen && sn_editor_distance(pointer, at[1]) < least) {
            least = sn_editor_distance(pointer, at[1]);
            hit = (sn_edit_hit){i, true};
            is_icon = true;
        }
        if (is_seen && is_end_seen && !is_icon && sn_editor_shaft_distance(pointer, at[0], at[1]) < least_shaft) {
            least_shaft = sn_editor_shaft_distance(pointer, at[0], at[1]);
            hit = (sn_edit_hit){i, false};
        }
    }
    return hit;
}

bool sn_editor_find_place(sn_editor *e, const sn_edit_view *view, const double pointer[2], double depth,
                          sn_edit_place *place)
{
    const sn_ray ray = sn_pick_ray(&view->camera, pointer[0], pointer[1]);
    sn_drawn_update(&e->drawn, e->body);
    if (sn_edit_place_in_flesh(&e->drawn, &ray, place)) {
        return true;
    }
    sn_edit_place_beside(&e->drawn, &view->camera, &ray, depth, place);
    return false;
}
