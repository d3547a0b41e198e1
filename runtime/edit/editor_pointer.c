/* SPDX-License-Identifier: MIT */
/* Pointer input of the editor. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "runtime/edit/editor_state.h"
#include "runtime/edit/markers.h"

#define CLICK_DISTANCE 3 /* units: a press that moves less is a click */
#define PULL_RADIUS 0.2  /* fraction of the diagonal: from a joint to the flesh that is pulled */

void sn_editor_hover(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    e->hovered = sn_editor_pick(e, view, pointer);
}

/* ---- posing ---- */

static void begin_rotate(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    double at[2];
    e->action = SN_EDIT_ACTION_ROTATE;
    sn_editor_bone_transform(e, e->bone, e->rotation_base);
    sn_editor_handle_position(e, e->selected, e->rotation_center, NULL);
    sn_pick_project(&view->camera, e->rotation_center, at);
    e->rotation_start_angle = atan2(pointer[1] - at[1], pointer[0] - at[0]);
}

static void begin_pull(sn_editor *e, const double position[3])
{
    sn_grab_desc desc = sn_default_grab_desc();
    desc.max_distance = PULL_RADIUS * e->model->diagonal;
    e->grab = sn_body_grab(e->body, position, &desc);
    e->action = e->grab >= 0 ? SN_EDIT_ACTION_PULL : SN_EDIT_ACTION_CLICK;
    if (e->grab < 0) {
        sn_editor_set_message(e, "there is no flesh to pull");
    }
}

static void begin_pose(sn_editor *e, const sn_edit_view *view, const double pointer[2], bool is_rotating)
{
    double position[3];
    e->bone = e->bones[e->selected];
    e->action = SN_EDIT_ACTION_CLICK;
    if (e->bone < 0) {
        sn_editor_set_message(e, "its weights are still being computed");
        return;
    }
    const unsigned scalars = sn_bone_scalars(e->model, e->bone);
    const unsigned required_locks = is_rotating ? SN_LOCK_ROTATION : SN_LOCK_TRANSLATION;
    sn_editor_handle_position(e, e->selected, position, NULL);
    if (!is_rotating && !(scalars & SN_LOCK_TRANSLATION)) {
        begin_pull(e, position);
        return;
    }
    if (!(scalars & required_locks)) {
        sn_editor_set_message(e, "a cage corner has a position but no rotation");
        return;
    }
    e->locks_before = sn_body_locks(e->body, e->bone) & scalars;
    if (is_rotating) {
        begin_rotate(e, view, pointer);
    } else {
        e->action = SN_EDIT_ACTION_DRAG;
    }
    sn_editor_bone_transform(e, e->bone, e->targets[e->bone]);
    e->has_target[e->bone] = true;
    sn_body_set_locks(e->body, e->bone, e->locks_before | (required_locks & scalars));
}

/* Moves the target so that the handle is at `position`; its linear part is unchanged. */
static void move_target(sn_editor *e, const double position[3])
{
    double *m = e->targets[e->bone];
    const double *pivot = e->model_handles.items[e->bone].start;
    for (int d = 0; d < 3; ++d) {
        m[4 * d + 3] = position[d] - sn_dot3(m + 4 * d, pivot);
    }
}

static void rotate(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    double axis[3], at[2], *m = e->targets[e->bone];
    sn_pick_view_direction(&view->camera, axis);
    if (sn_model_is_flat(e->model)) {
        axis[0] = axis[1] = 0;
        axis[2] = axis[2] < 0 ? -1 : 1;
    }
    sn_pick_project(&view->camera, e->rotation_center, at);
    const double angle = atan2(pointer[1] - at[1], pointer[0] - at[0]) - e->rotation_start_angle;
    const double c = cos(angle), s = sin(angle);
    for (int column = 0; column < 3; ++column) { /* Rodrigues' rotation formula */
        const double v[3] = {e->rotation_base[column], e->rotation_base[4 + column], e->rotation_base[8 + column]};
        double cross[3];
        sn_cross3(axis, v, cross);
        for (int d = 0; d < 3; ++d) {
            m[4 * d + column] = c * v[d] + s * cross[d] + (1 - c) * sn_dot3(axis, v) * axis[d];
        }
    }
    move_target(e, e->rotation_center);
}

/* Position of a dragged handle: in the plane of a flat body, else at constant depth. */
static void drag_position(const sn_editor *e, const sn_edit_view *view, const double pointer[2], double position[3])
{
    const sn_ray ray = sn_pick_ray(&view->camera, pointer[0] + e->offset[0], pointer[1] + e->offset[1]);
    if (!sn_model_is_flat(e->model) || !sn_pick_plane(&ray, 0, position)) {
        sn_pick_at_depth(&view->camera, &ray, e->depth, position);
    }
}

/* ---- press, drag, release ---- */

static void start_drag(sn_editor *e, const sn_edit_view *view, const double pointer[2], sn_edit_hit hit)
{
    double start[3], end[3], at[2];
    e->selected = hit.handle;
    e->is_end_dragged = hit.is_end;
    sn_editor_handle_position(e, hit.handle, start, end);
    e->depth = sn_pick_project(&view->camera, hit.is_end ? end : start, at);
    e->offset[0] = at[0] - pointer[0];
    e->offset[1] = at[1] - pointer[1];
}

bool sn_editor_press(sn_editor *e, const sn_edit_view *view, const double pointer[2], bool is_rotating)
{
    sn_editor_end_drag(e);
    if (!isfinite(pointer[0]) || !isfinite(pointer[1])) {
        return false;
    }
    memcpy(e->pressed, pointer, sizeof e->pressed);
    const sn_edit_hit hit = sn_editor_pick(e, view, pointer);
    if (hit.handle < 0 || e->loop_count > 0) {
        return e->is_editing && sn_editor_use_tool(e, view, pointer);
    }
    start_drag(e, view, pointer, hit);
    if (!e->is_editing) {
        begin_pose(e, view, pointer, is_rotating || hit.is_end);
    } else if (e->tool == SN_EDIT_BONE && hit.is_end) {
        sn_editor_continue_bone(e, view, hit.handle);
    } else {
        e->action = SN_EDIT_ACTION_PRESS;
    }
    return true;
}

void sn_editor_drag(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    double position[3];
    if (!isfinite(pointer[0]) || !isfinite(pointer[1])) {
        return;
    }
    switch (e->action) {
    case SN_EDIT_ACTION_PRESS:
        if (sn_editor_distance(pointer, e->pressed) > CLICK_DISTANCE * view->unit) {
            sn_editor_begin_edit(e);
            e->action = SN_EDIT_ACTION_MOVE;
            sn_editor_move_handle(e, view, pointer);
        }
        break;
    case SN_EDIT_ACTION_MOVE:
        sn_editor_move_handle(e, view, pointer);
        break;
    case SN_EDIT_ACTION_DRAW:
        sn_editor_find_point(e, view, pointer, e->depth, &e->new_bone[1]);
        break;
    case SN_EDIT_ACTION_DRAG:
        drag_position(e, view, pointer, position);
        move_target(e, position);
        break;
    case SN_EDIT_ACTION_ROTATE:
        rotate(e, view, pointer);
        break;
    case SN_EDIT_ACTION_PULL:
        drag_position(e, view, pointer, position);
        sn_body_drag(e->body, e->grab, position);
        break;
    default:
        break;
    }
}

void sn_editor_release(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_editor_drag(e, view, pointer);
    const bool is_bone_drawn = e->action == SN_EDIT_ACTION_DRAW;
    sn_editor_end_drag(e);
    if (is_bone_drawn) {
        sn_editor_finish_bone(e, view);
    }
}
