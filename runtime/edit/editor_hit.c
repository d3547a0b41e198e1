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
sn_edit_hit sn_editor_pick(const sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_edit_hit hit = {-1, false};
    bool is_icon = false;
    double min_distance = SN_EDIT_ICON_RADIUS * view->unit, min_shaft_distance = SN_EDIT_SHAFT_DISTANCE * view->unit;
    for (int i = 0; i < e->handles.count; ++i) {
        const bool is_bone = e->handles.items[i].shape == SN_HANDLE_SHAPE_BONE;
        double start[3], end[3], at[2][2];
        sn_editor_handle_position(e, i, start, end);
        const bool is_visible = sn_pick_project(&view->camera, start, at[0]) > 0;
        const bool is_end_visible = is_bone && sn_pick_project(&view->camera, end, at[1]) > 0;
        if (is_visible && sn_editor_distance(pointer, at[0]) <= min_distance) {
            min_distance = sn_editor_distance(pointer, at[0]);
            hit = (sn_edit_hit){i, false};
            is_icon = true;
        }
        if (is_end_visible && sn_editor_distance(pointer, at[1]) < min_distance) {
            min_distance = sn_editor_distance(pointer, at[1]);
            hit = (sn_edit_hit){i, true};
            is_icon = true;
        }
        if (is_visible && is_end_visible && !is_icon &&
            sn_editor_shaft_distance(pointer, at[0], at[1]) < min_shaft_distance) {
            min_shaft_distance = sn_editor_shaft_distance(pointer, at[0], at[1]);
            hit = (sn_edit_hit){i, false};
        }
    }
    return hit;
}

bool sn_editor_find_point(sn_editor *e, const sn_edit_view *view, const double pointer[2], double depth,
                          sn_flesh_point *point)
{
    const sn_ray ray = sn_pick_ray(&view->camera, pointer[0], pointer[1]);
    sn_posed_surface_update(&e->surface, e->body);
    if (sn_flesh_point_pick(&e->surface, &ray, point)) {
        return true;
    }
    sn_flesh_point_at_depth(&e->surface, &view->camera, &ray, depth, point);
    return false;
}
