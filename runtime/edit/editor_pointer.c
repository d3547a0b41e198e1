/* SPDX-License-Identifier: MIT */
/* Pointer input of the editor. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "runtime/edit/editor_state.h"
#include "runtime/edit/marks.h"

#define STILL 3        /* units: a press that moves less is a click */
#define PULL_REACH 0.2 /* fraction of the diagonal: from a joint to the flesh that is pulled */

void sn_editor_point(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    e->hovered = sn_editor_hit(e, view, pointer);
}

/* ---- posing ---- */

static void begin_turn(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    double at[2];
    e->action = SN_EDIT_TURNS;
    sn_editor_transform(e, e->bone, e->turn_base);
    sn_editor_place(e, e->selected, e->turn_place, NULL);
    sn_pick_place(&view->camera, e->turn_place, at);
    e->turn_from = atan2(pointer[1] - at[1], pointer[0] - at[0]);
}

static void begin_pull(sn_editor *e, const double place[3])
{
    sn_grab_desc desc = sn_default_grab_desc();
    desc.reach = PULL_REACH * e->model->diagonal;
    e->grab = sn_body_grab(e->body, place, &desc);
    e->action = e->grab >= 0 ? SN_EDIT_PULLS : SN_EDIT_CLICKS;
    if (e->grab < 0) {
        sn_editor_tell(e, "there is no flesh to pull");
    }
}

static void begin_pose(sn_editor *e, const sn_edit_view *view, const double pointer[2], bool is_turning)
{
    double place[3];
    e->bone = e->bones[e->selected];
    e->action = SN_EDIT_CLICKS;
    if (e->bone < 0) {
        sn_editor_tell(e, "its weights are still being computed");
        return;
    }
    const unsigned scalars = sn_bone_scalars(e->model, e->bone);
    const unsigned wanted = is_turning ? SN_LOCK_ROTATION : SN_LOCK_TRANSLATION;
    sn_editor_place(e, e->selected, place, NULL);
    if (!is_turning && !(scalars & SN_LOCK_TRANSLATION)) {
        begin_pull(e, place);
        return;
    }
    if (!(scalars & wanted)) {
        sn_editor_tell(e, "a cage corner has a position but no rotation");
        return;
    }
    e->locks_before = sn_body_locks(e->body, e->bone) & scalars;
    if (is_turning) {
        begin_turn(e, view, pointer);
    } else {
        e->action = SN_EDIT_DRAGS;
    }
    sn_editor_transform(e, e->bone, e->targets[e->bone]);
    e->has_target[e->bone] = true;
    sn_body_set_locks(e->body, e->bone, e->locks_before | (wanted & scalars));
}

/* Moves the target so that the handle is at `position`; its linear part is unchanged. */
static void aim(sn_editor *e, const double place[3])
{
    double *m = e->targets[e->bone];
    const double *pivot = e->good.items[e->bone].start;
    for (int d = 0; d < 3; ++d) {
        m[4 * d + 3] = place[d] - sn_dot3(m + 4 * d, pivot);
    }
}

static void turn(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    double axis[3], at[2], *m = e->targets[e->bone];
    sn_pick_view(&view->camera, axis);
    if (sn_model_is_flat(e->model)) {
        axis[0] = axis[1] = 0;
        axis[2] = axis[2] < 0 ? -1 : 1;
    }
    sn_pick_place(&view->camera, e->turn_place, at);
    const double angle = atan2(pointer[1] - at[1], pointer[0] - at[0]) - e->turn_from;
    const double c = cos(angle), s = sin(angle);
    for (int column = 0; column < 3; ++column) { /* Rodrigues' rotation formula */
        const double v[3] = {e->turn_base[column], e->turn_base[4 + column], e->turn_base[8 + column]};
        double across[3];
        sn_cross3(axis, v, across);
        for (int d = 0; d < 3; ++d) {
            m[4 * d + column] = c * v[d] + s * across[d] + (1 - c) * sn_dot3(axis, v) * axis[d];
        }
    }
    aim(e, e->turn_place);
}

/* Position of a dragged handle: in the plane of a flat body, else at constant depth. */
static void follow(const sn_editor *e, const sn_edit_view *view, const double pointer[2], double place[3])
{
    const sn_ray ray = sn_pick_ray(&view->camera, pointer[0] + e->offset[0], pointer[1] + e->offset[1]);
    if (!sn_model_is_flat(e->model) || !sn_edit_in_plane(&ray, 0, place)) {
        sn_pick_at_depth(&view->camera, &ray, e->depth, place);
    }
}

/* ---- press, drag, release ---- */

static void hold(sn_editor *e, const sn_edit_view *view, const double pointer[2], sn_edit_hit hit)
{
    double start[3], end[3], at[2];
    e->selected = hit.handle;
    e->is_end_held = hit.is_end;
    sn_editor_place(e, hit.handle, start, end);
    e->depth = sn_pick_place(&view->camera, hit.is_end ? end : start, at);
    e->offset[0] = at[0] - pointer[0];
    e->offset[1] = at[1] - pointer[1];
}

bool sn_editor_press(sn_editor *e, const sn_edit_view *view, const double pointer[2], bool is_turning)
{
    sn_editor_let_go(e);
    if (!isfinite(pointer[0]) || !isfinite(pointer[1])) {
        return false;
    }
    memcpy(e->pressed, pointer, sizeof e->pressed);
    const sn_edit_hit hit = sn_editor_hit(e, view, pointer);
    if (hit.handle < 0 || e->loop_count > 0) {
        return e->is_editing && sn_editor_use_tool(e, view, pointer);
    }
    hold(e, view, pointer, hit);
    if (!e->is_editing) {
        begin_pose(e, view, pointer, is_turning || hit.is_end);
    } else if (e->tool == SN_EDIT_BONE && hit.is_end) {
        sn_editor_continue_bone(e, view, hit.handle);
    } else {
        e->action = SN_EDIT_PRESSES;
    }
    return true;
}

void sn_editor_drag(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    double place[3];
    if (!isfinite(pointer[0]) || !isfinite(pointer[1])) {
        return;
    }
    switch (e->action) {
    case SN_EDIT_PRESSES:
        if (sn_editor_distance(pointer, e->pressed) > STILL * view->unit) {
            sn_editor_begin_edit(e);
            e->action = SN_EDIT_MOVES;
            sn_editor_move_handle(e, view, pointer);
        }
        break;
    case SN_EDIT_MOVES:
        sn_editor_move_handle(e, view, pointer);
        break;
    case SN_EDIT_DRAWS:
        sn_editor_find_place(e, view, pointer, e->depth, &e->drawn_bone[1]);
        break;
    case SN_EDIT_DRAGS:
        follow(e, view, pointer, place);
        aim(e, place);
        break;
    case SN_EDIT_TURNS:
        turn(e, view, pointer);
        break;
    case SN_EDIT_PULLS:
        follow(e, view, pointer, place);
        sn_body_drag(e->body, e->grab, place);
        break;
    default:
        break;
    }
}

void sn_editor_release(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_editor_drag(e, view, pointer);
    const bool is_bone_drawn = e->action == SN_EDIT_DRAWS;
    sn_editor_let_go(e);
    if (is_bone_drawn) {
        sn_editor_finish_bone(e, view);
    }
}
