/* SPDX-License-Identifier: MIT */
/* What a pointer does in the editor. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "runtime/edit/editor_state.h"
#include "runtime/edit/marks.h"

#define SHAFT_REACH 6   /* units: of the pointer around a bone between its ends */
#define STILL 3         /* units: a press that moves less is a click */
#define SHORTEST_BONE 8 /* units */
#define BOX_MARGIN 0.05 /* of the diagonal: of a new cage around the body */
#define PULL_REACH 0.2  /* of the diagonal: from a joint to the flesh that is pulled */

static double distance2(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

/* ---- what is under the pointer ---- */

static double shaft_distance(const double pointer[2], const double a[2], const double b[2])
{
    const double u[3] = {a[0], a[1], 0}, v[3] = {b[0], b[1], 0}, at[3] = {pointer[0], pointer[1], 0};
    const double t = sn_segment_nearest(at, u, v);
    return distance2(pointer, (const double[]){a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])});
}

/* Icons first: the nearest wins, and of those as near the last, which is drawn on top. */
sn_edit_hit sn_editor_hit(const sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_edit_hit hit = {-1, false};
    bool is_icon = false;
    double least = SN_EDIT_ICON_REACH * view->unit, least_shaft = SHAFT_REACH * view->unit;
    for (int i = 0; i < e->handles.count; ++i) {
        const bool is_bone = e->handles.items[i].shape == SN_HANDLE_SHAPE_BONE;
        double start[3], end[3], at[2][2];
        sn_editor_place(e, i, start, end);
        const bool is_seen = sn_pick_place(&view->camera, start, at[0]) > 0;
        const bool is_end_seen = is_bone && sn_pick_place(&view->camera, end, at[1]) > 0;
        if (is_seen && distance2(pointer, at[0]) <= least) {
            least = distance2(pointer, at[0]);
            hit = (sn_edit_hit){i, false};
            is_icon = true;
        }
        if (is_end_seen && distance2(pointer, at[1]) < least) {
            least = distance2(pointer, at[1]);
            hit = (sn_edit_hit){i, true};
            is_icon = true;
        }
        if (is_seen && is_end_seen && !is_icon && shaft_distance(pointer, at[0], at[1]) < least_shaft) {
            least_shaft = shaft_distance(pointer, at[0], at[1]);
            hit = (sn_edit_hit){i, false};
        }
    }
    return hit;
}

void sn_editor_point(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    e->hovered = sn_editor_hit(e, view, pointer);
}

/* Whether there is flesh under the pointer; the place is then in it, else beside it, as deep as asked. */
static bool find_place(sn_editor *e, const sn_edit_view *view, const double pointer[2], double depth,
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
        sn_editor_tell(e, "no flesh can be pulled there");
    }
}

static void begin_pose(sn_editor *e, const sn_edit_view *view, const double pointer[2], bool is_turning)
{
    double place[3];
    e->bone = e->bones[e->selected];
    e->action = SN_EDIT_CLICKS;
    if (e->bone < 0) {
        sn_editor_tell(e, "its weights are not there yet");
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
        sn_editor_tell(e, "a cage's corner has a place alone");
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

/* The linear part stays, the handle goes to the place. */
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
    for (int column = 0; column < 3; ++column) { /* Rodrigues */
        const double v[3] = {e->turn_base[column], e->turn_base[4 + column], e->turn_base[8 + column]};
        double across[3];
        sn_cross3(axis, v, across);
        for (int d = 0; d < 3; ++d) {
            m[4 * d + column] = c * v[d] + s * across[d] + (1 - c) * sn_dot3(axis, v) * axis[d];
        }
    }
    aim(e, e->turn_place);
}

/* In the plane of a flat body, else across the view. */
static void follow(const sn_editor *e, const sn_edit_view *view, const double pointer[2], double place[3])
{
    const sn_ray ray = sn_pick_ray(&view->camera, pointer[0] + e->offset[0], pointer[1] + e->offset[1]);
    if (!sn_model_is_flat(e->model) || !sn_edit_in_plane(&ray, 0, place)) {
        sn_pick_at_depth(&view->camera, &ray, e->depth, place);
    }
}

/* ---- at rest ---- */

static void add_handle(sn_editor *e, const sn_edit_handle *handle)
{
    sn_editor_begin_edit(e);
    e->selected = sn_edit_handles_add(&e->handles, handle);
    if (e->selected < 0) {
        --e->history_count; /* nothing has changed */
        sn_editor_tell(e, "there are too many handles");
        return;
    }
    sn_editor_end_edit(e);
}

static void place_point(sn_editor *e, const sn_edit_place *place)
{
    sn_edit_handle handle = {.shape = SN_HANDLE_SHAPE_POINT, .parent = -1};
    memcpy(handle.start, place->rest, sizeof handle.start);
    memcpy(handle.end, place->rest, sizeof handle.end);
    add_handle(e, &handle);
}

static void place_corner(sn_editor *e, const sn_edit_view *view, const double pointer[2], const sn_edit_place *place)
{
    double first[2];
    const bool is_first_seen = e->loop_count > 0 && sn_pick_place(&view->camera, e->loop[0].seen, first) > 0;
    if (is_first_seen && e->loop_count >= 3 && distance2(first, pointer) <= SN_EDIT_ICON_REACH * view->unit) {
        sn_editor_close_loop(e);
    } else if (e->handles.count + e->loop_count < SN_EDIT_HANDLE_LIMIT) {
        e->loop[e->loop_count++] = *place;
    }
}

/* ---- cages ---- */

/* A vertex that an edge or a face gets, at a mean of the corners around. */
typedef struct new_corner {
    int index; /* of the edge or the face; -1: none */
    sn_edit_handle handle;
    double seen[3];
} new_corner;

static void add_share(const sn_editor *e, int handle, double share, new_corner *corner)
{
    double place[3];
    sn_editor_place(e, handle, place, NULL);
    for (int d = 0; d < 3; ++d) {
        corner->handle.start[d] += share * e->handles.items[handle].start[d];
        corner->handle.end[d] = corner->handle.start[d];
        corner->seen[d] += share * place[d];
    }
}

/* The edge of a loop under the pointer. */
static new_corner find_edge(const sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    new_corner corner = {.index = -1, .handle = {.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1}};
    double least = SHAFT_REACH * view->unit, share = 0;
    for (int i = 0; i < e->handles.edge_count; ++i) {
        double ends[2][3], at[2][2];
        bool is_seen = true;
        for (int k = 0; k < 2; ++k) {
            sn_editor_place(e, e->handles.edges[i][k], ends[k], NULL);
            is_seen = sn_pick_place(&view->camera, ends[k], at[k]) > 0 && is_seen;
        }
        if (is_seen && shaft_distance(pointer, at[0], at[1]) < least) {
            least = shaft_distance(pointer, at[0], at[1]);
            share = distance2(pointer, at[0]) / fmax(distance2(at[0], at[1]), 1e-9);
            corner.index = i;
        }
    }
    if (corner.index >= 0) {
        share = fmin(fmax(share, 0.05), 0.95);
        add_share(e, e->handles.edges[corner.index][0], 1 - share, &corner);
        add_share(e, e->handles.edges[corner.index][1], share, &corner);
    }
    return corner;
}

/* Where the ray meets a face first: of the triangles from its sides to its middle, the shares of its corners there. */
static double meet_face(const sn_editor *e, int face, const sn_ray *ray, double least, new_corner *corner)
{
    static const int32_t all[3] = {0, 1, 2};
    const int32_t *corners = e->handles.corners + e->handles.face_starts[face];
    const int count = e->handles.face_starts[face + 1] - e->handles.face_starts[face];
    double points[9] = {0};
    for (int i = 0; i < count; ++i) {
        double place[3];
        sn_editor_place(e, corners[i], place, NULL);
        for (int d = 0; d < 3; ++d) {
            points[6 + d] += place[d] / count;
        }
    }
    for (int i = 0; i < count; ++i) {
        sn_pick_hit enters, leaves;
        sn_editor_place(e, corners[i], points, NULL);
        sn_editor_place(e, corners[(i + 1) % count], points + 3, NULL);
        if (sn_pick_through(points, all, 1, ray, &enters, &leaves) && enters.distance < least) {
            least = enters.distance;
            *corner = (new_corner){.index = face, .handle = {.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1}};
            for (int k = 0; k < count; ++k) {
                add_share(e, corners[k], enters.corners[2] / count, corner);
            }
            add_share(e, corners[i], enters.corners[0], corner);
            add_share(e, corners[(i + 1) % count], enters.corners[1], corner);
        }
    }
    return least;
}

static void add_corner(sn_editor *e, const new_corner *corner, bool is_face)
{
    int vertex = -1;
    sn_editor_begin_edit(e);
    const bool is_added = is_face ? sn_edit_handles_split_face(&e->handles, corner->index, &corner->handle, &vertex)
                                  : sn_edit_handles_split_edge(&e->handles, corner->index, &corner->handle, &vertex);
    if (!is_added) {
        --e->history_count; /* nothing has changed */
        sn_editor_tell(e, "there are too many handles");
        return;
    }
    e->selected = vertex;
    sn_editor_end_edit(e);
    memcpy(e->seen[vertex][0], corner->seen, sizeof corner->seen);
}

/* A box around the whole body, to be drawn closer. */
static void add_box(sn_editor *e)
{
    const sn_model *m = e->model;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * m->counts.vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], (double)m->rest_positions[i] - BOX_MARGIN * m->diagonal);
        high[i % 3] = fmax(high[i % 3], (double)m->rest_positions[i] + BOX_MARGIN * m->diagonal);
    }
    sn_editor_begin_edit(e);
    if (!sn_edit_handles_add_box(&e->handles, low, high)) {
        --e->history_count;
        sn_editor_tell(e, "there are too many handles");
        return;
    }
    sn_editor_end_edit(e);
}

/* A click beside the cage, where there is one, is none. */
static bool use_solid_cage(sn_editor *e, const sn_edit_view *view, const double pointer[2], bool is_in_flesh)
{
    new_corner corner = {.index = -1};
    const sn_ray ray = sn_pick_ray(&view->camera, pointer[0], pointer[1]);
    double least = INFINITY;
    for (int face = 0; face < e->handles.face_count; ++face) {
        least = meet_face(e, face, &ray, least, &corner);
    }
    if (corner.index >= 0) {
        add_corner(e, &corner, true);
    } else if (is_in_flesh && e->handles.face_count == 0) {
        add_box(e);
    } else {
        e->action = SN_EDIT_IDLE;
        return false;
    }
    return true;
}

static void use_flat_cage(sn_editor *e, const sn_edit_view *view, const double pointer[2], const sn_edit_place *place)
{
    const new_corner corner = e->loop_count == 0 ? find_edge(e, view, pointer) : (new_corner){.index = -1};
    if (corner.index >= 0) {
        add_corner(e, &corner, false);
    } else {
        place_corner(e, view, pointer, place); /* a loop may lie beside the flesh */
    }
}

/* Whether there is something that the tool can be used on. */
static bool use_tool(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_edit_place place;
    const bool is_flat = sn_model_is_flat(e->model);
    const double depth = sn_pick_depth(&view->camera, (const double[]){0, 0, 0});
    const bool is_in_flesh = e->tool != SN_EDIT_SELECT && find_place(e, view, pointer, depth, &place);
    e->action = SN_EDIT_CLICKS;
    if (e->tool == SN_EDIT_CAGE && is_flat) {
        use_flat_cage(e, view, pointer, &place);
        return true;
    }
    if (e->tool == SN_EDIT_CAGE) {
        return use_solid_cage(e, view, pointer, is_in_flesh);
    }
    if (!is_in_flesh) {
        e->action = SN_EDIT_IDLE;
        return false;
    }
    if (e->tool == SN_EDIT_BONE) {
        e->action = SN_EDIT_DRAWS;
        e->drawn_parent = -1;
        e->drawn_bone[0] = e->drawn_bone[1] = place;
        e->depth = sn_pick_depth(&view->camera, place.seen);
    } else {
        place_point(e, &place);
    }
    return true;
}

/* A bone that begins where another ends is carried by it. */
static void continue_bone(sn_editor *e, const sn_edit_view *view, int parent)
{
    e->action = SN_EDIT_DRAWS;
    e->drawn_parent = parent;
    memcpy(e->drawn_bone[0].rest, e->handles.items[parent].end, sizeof e->drawn_bone[0].rest);
    sn_editor_place(e, parent, NULL, e->drawn_bone[0].seen);
    e->drawn_bone[1] = e->drawn_bone[0];
    e->depth = sn_pick_depth(&view->camera, e->drawn_bone[0].seen);
}

static void finish_bone(sn_editor *e, const sn_edit_view *view)
{
    double start[2], end[2];
    sn_pick_place(&view->camera, e->drawn_bone[0].seen, start);
    sn_pick_place(&view->camera, e->drawn_bone[1].seen, end);
    if (distance2(start, end) < SHORTEST_BONE * view->unit) {
        sn_editor_tell(e, "drag from a bone's head to its tail");
        return;
    }
    sn_edit_handle handle = {.shape = SN_HANDLE_SHAPE_BONE, .parent = e->drawn_parent};
    memcpy(handle.start, e->drawn_bone[0].rest, sizeof handle.start);
    memcpy(handle.end, e->drawn_bone[1].rest, sizeof handle.end);
    add_handle(e, &handle);
}

static void move_handle(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_edit_place place;
    sn_edit_handle *handle = &e->handles.items[e->selected];
    const double at[2] = {pointer[0] + e->offset[0], pointer[1] + e->offset[1]};
    find_place(e, view, at, e->depth, &place);
    memcpy(e->is_end_held ? handle->end : handle->start, place.rest, sizeof place.rest);
    if (handle->shape != SN_HANDLE_SHAPE_BONE) {
        memcpy(handle->end, handle->start, sizeof handle->end);
    }
    /* a joint stays at its parent's end, and a parent's end at its joints */
    for (int i = 0; i < e->handles.count; ++i) {
        if (e->is_end_held && e->handles.items[i].parent == e->selected) {
            memcpy(e->handles.items[i].start, handle->end, sizeof handle->end);
        }
    }
    sn_editor_resolve(e);
    memcpy(e->seen[e->selected][e->is_end_held], place.seen, sizeof place.seen);
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
        return e->is_editing && use_tool(e, view, pointer);
    }
    hold(e, view, pointer, hit);
    if (!e->is_editing) {
        begin_pose(e, view, pointer, is_turning || hit.is_end);
    } else if (e->tool == SN_EDIT_BONE && hit.is_end) {
        continue_bone(e, view, hit.handle);
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
        if (distance2(pointer, e->pressed) > STILL * view->unit) {
            sn_editor_begin_edit(e);
            e->action = SN_EDIT_MOVES;
            move_handle(e, view, pointer);
        }
        break;
    case SN_EDIT_MOVES:
        move_handle(e, view, pointer);
        break;
    case SN_EDIT_DRAWS:
        find_place(e, view, pointer, e->depth, &e->drawn_bone[1]);
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
        finish_bone(e, view);
    }
}
