/* SPDX-License-Identifier: MIT */
/* Tools of edit mode: points, bones and cage vertices. */
#include <math.h>
#include <string.h>

#include "runtime/edit/editor_state.h"

#define MIN_BONE_LENGTH 8 /* units */
#define BOX_MARGIN 0.05   /* fraction of the diagonal, around the body, for a new cage */

static void add_handle(sn_editor *e, const sn_edit_handle *handle)
{
    sn_editor_begin_edit(e);
    e->selected = sn_edit_handles_add(&e->handles, handle);
    if (e->selected < 0) {
        --e->history_count; /* drops the history entry, because nothing has changed */
        sn_editor_set_message(e, "there are too many handles");
        return;
    }
    sn_editor_end_edit(e);
}

static void add_point(sn_editor *e, const sn_flesh_point *point)
{
    sn_edit_handle handle = {.shape = SN_HANDLE_SHAPE_POINT, .parent = -1};
    memcpy(handle.start, point->rest, sizeof handle.start);
    memcpy(handle.end, point->rest, sizeof handle.end);
    add_handle(e, &handle);
}

static void add_loop_vertex(sn_editor *e, const sn_edit_view *view, const double pointer[2],
                            const sn_flesh_point *point)
{
    double first[2];
    const bool is_first_visible =
        e->loop_count > 0 && sn_pick_project(&view->camera, e->loop[0].world_position, first) > 0;
    if (is_first_visible && e->loop_count >= 3 &&
        sn_editor_distance(first, pointer) <= SN_EDIT_ICON_RADIUS * view->unit) {
        sn_editor_close_loop(e);
    } else if (e->handles.count + e->loop_count < SN_EDIT_HANDLE_LIMIT) {
        e->loop[e->loop_count++] = *point;
    }
}

/* ---- cages ---- */

/* A new vertex on an edge or a face, at a weighted mean of its corners. */
typedef struct new_corner {
    int index; /* of the edge or the face; -1: none */
    sn_edit_handle handle;
    double world_position[3];
} new_corner;

static void add_weighted(const sn_editor *e, int handle, double weight, new_corner *corner)
{
    double point[3];
    sn_editor_handle_position(e, handle, point, NULL);
    for (int d = 0; d < 3; ++d) {
        corner->handle.start[d] += weight * e->handles.items[handle].start[d];
        corner->handle.end[d] = corner->handle.start[d];
        corner->world_position[d] += weight * point[d];
    }
}

/* Finds the loop edge under the pointer. */
static new_corner find_edge(const sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    new_corner corner = {.index = -1, .handle = {.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1}};
    double min_distance = SN_EDIT_SHAFT_DISTANCE * view->unit, weight = 0;
    for (int i = 0; i < e->handles.edge_count; ++i) {
        double ends[2][3], at[2][2];
        bool is_visible = true;
        for (int k = 0; k < 2; ++k) {
            sn_editor_handle_position(e, e->handles.edges[i][k], ends[k], NULL);
            is_visible = sn_pick_project(&view->camera, ends[k], at[k]) > 0 && is_visible;
        }
        if (is_visible && sn_editor_shaft_distance(pointer, at[0], at[1]) < min_distance) {
            min_distance = sn_editor_shaft_distance(pointer, at[0], at[1]);
            weight = sn_editor_distance(pointer, at[0]) / fmax(sn_editor_distance(at[0], at[1]), 1e-9);
            corner.index = i;
        }
    }
    if (corner.index >= 0) {
        weight = fmin(fmax(weight, 0.05), 0.95);
        add_weighted(e, e->handles.edges[corner.index][0], 1 - weight, &corner);
        add_weighted(e, e->handles.edges[corner.index][1], weight, &corner);
    }
    return corner;
}

/* Intersects a ray with a face, as a triangle fan around its center; computes the weights of its corners at the hit. */
static double intersect_face(const sn_editor *e, int face, const sn_ray *ray, double min_distance, new_corner *corner)
{
    static const int32_t all[3] = {0, 1, 2};
    const int32_t *corners = e->handles.corners + e->handles.face_starts[face];
    const int count = e->handles.face_starts[face + 1] - e->handles.face_starts[face];
    double points[9] = {0};
    for (int i = 0; i < count; ++i) {
        double point[3];
        sn_editor_handle_position(e, corners[i], point, NULL);
        for (int d = 0; d < 3; ++d) {
            points[6 + d] += point[d] / count;
        }
    }
    for (int i = 0; i < count; ++i) {
        sn_pick_hit enters, leaves;
        sn_editor_handle_position(e, corners[i], points, NULL);
        sn_editor_handle_position(e, corners[(i + 1) % count], points + 3, NULL);
        if (sn_pick_volume(points, all, 1, ray, &enters, &leaves) && enters.distance < min_distance) {
            min_distance = enters.distance;
            *corner = (new_corner){.index = face, .handle = {.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1}};
            for (int k = 0; k < count; ++k) {
                add_weighted(e, corners[k], enters.corners[2] / count, corner);
            }
            add_weighted(e, corners[i], enters.corners[0], corner);
            add_weighted(e, corners[(i + 1) % count], enters.corners[1], corner);
        }
    }
    return min_distance;
}

static void add_corner(sn_editor *e, const new_corner *corner, bool is_face)
{
    int vertex = -1;
    sn_editor_begin_edit(e);
    const bool was_added = is_face ? sn_edit_handles_split_face(&e->handles, corner->index, &corner->handle, &vertex)
                                   : sn_edit_handles_split_edge(&e->handles, corner->index, &corner->handle, &vertex);
    if (!was_added) {
        --e->history_count; /* drops the history entry, because nothing has changed */
        sn_editor_set_message(e, "there are too many handles");
        return;
    }
    e->selected = vertex;
    sn_editor_end_edit(e);
    memcpy(e->world_position[vertex][0], corner->world_position, sizeof corner->world_position);
}

/* Adds a box cage around the whole body, for the user to shape. */
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
        sn_editor_set_message(e, "there are too many handles");
        return;
    }
    sn_editor_end_edit(e);
}

/* If there is a cage, clicks beside it are ignored. */
static bool use_solid_cage(sn_editor *e, const sn_edit_view *view, const double pointer[2], bool is_in_flesh)
{
    new_corner corner = {.index = -1};
    const sn_ray ray = sn_pick_ray(&view->camera, pointer[0], pointer[1]);
    double min_distance = INFINITY;
    for (int face = 0; face < e->handles.face_count; ++face) {
        min_distance = intersect_face(e, face, &ray, min_distance, &corner);
    }
    if (corner.index >= 0) {
        add_corner(e, &corner, true);
    } else if (is_in_flesh && e->handles.face_count == 0) {
        add_box(e);
    } else {
        e->action = SN_EDIT_ACTION_NONE;
        return false;
    }
    return true;
}

static void use_flat_cage(sn_editor *e, const sn_edit_view *view, const double pointer[2], const sn_flesh_point *point)
{
    const new_corner corner = e->loop_count == 0 ? find_edge(e, view, pointer) : (new_corner){.index = -1};
    if (corner.index >= 0) {
        add_corner(e, &corner, false);
    } else {
        add_loop_vertex(e, view, pointer, point); /* a loop vertex may be outside the flesh */
    }
}

/* ---- tools ---- */

bool sn_editor_use_tool(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_flesh_point point;
    const bool is_flat = sn_model_is_flat(e->model);
    const double depth = sn_pick_depth(&view->camera, (const double[]){0, 0, 0});
    const bool is_in_flesh = e->tool != SN_EDIT_SELECT && sn_editor_find_point(e, view, pointer, depth, &point);
    e->action = SN_EDIT_ACTION_CLICK;
    if (e->tool == SN_EDIT_CAGE && is_flat) {
        use_flat_cage(e, view, pointer, &point);
        return true;
    }
    if (e->tool == SN_EDIT_CAGE) {
        return use_solid_cage(e, view, pointer, is_in_flesh);
    }
    if (!is_in_flesh) {
        e->action = SN_EDIT_ACTION_NONE;
        return false;
    }
    if (e->tool == SN_EDIT_BONE) {
        e->action = SN_EDIT_ACTION_DRAW;
        e->new_bone_parent = -1;
        e->new_bone[0] = e->new_bone[1] = point;
        e->depth = sn_pick_depth(&view->camera, point.world_position);
    } else {
        add_point(e, &point);
    }
    return true;
}

void sn_editor_continue_bone(sn_editor *e, const sn_edit_view *view, int parent)
{
    e->action = SN_EDIT_ACTION_DRAW;
    e->new_bone_parent = parent;
    memcpy(e->new_bone[0].rest, e->handles.items[parent].end, sizeof e->new_bone[0].rest);
    sn_editor_handle_position(e, parent, NULL, e->new_bone[0].world_position);
    e->new_bone[1] = e->new_bone[0];
    e->depth = sn_pick_depth(&view->camera, e->new_bone[0].world_position);
}

void sn_editor_finish_bone(sn_editor *e, const sn_edit_view *view)
{
    double start[2], end[2];
    sn_pick_project(&view->camera, e->new_bone[0].world_position, start);
    sn_pick_project(&view->camera, e->new_bone[1].world_position, end);
    if (sn_editor_distance(start, end) < MIN_BONE_LENGTH * view->unit) {
        sn_editor_set_message(e, "drag from a bone's head to its tail");
        return;
    }
    sn_edit_handle handle = {.shape = SN_HANDLE_SHAPE_BONE, .parent = e->new_bone_parent};
    memcpy(handle.start, e->new_bone[0].rest, sizeof handle.start);
    memcpy(handle.end, e->new_bone[1].rest, sizeof handle.end);
    add_handle(e, &handle);
}

void sn_editor_move_handle(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_flesh_point point;
    sn_edit_handle *handle = &e->handles.items[e->selected];
    const double at[2] = {pointer[0] + e->offset[0], pointer[1] + e->offset[1]};
    sn_editor_find_point(e, view, at, e->depth, &point);
    memcpy(e->is_end_dragged ? handle->end : handle->start, point.rest, sizeof point.rest);
    if (handle->shape != SN_HANDLE_SHAPE_BONE) {
        memcpy(handle->end, handle->start, sizeof handle->end);
    }
    /* joints follow the end of their parent */
    for (int i = 0; i < e->handles.count; ++i) {
        if (e->is_end_dragged && e->handles.items[i].parent == e->selected) {
            memcpy(e->handles.items[i].start, handle->end, sizeof handle->end);
        }
    }
    sn_editor_update_bone_map(e);
    memcpy(e->world_position[e->selected][e->is_end_dragged], point.world_position, sizeof point.world_position);
}
