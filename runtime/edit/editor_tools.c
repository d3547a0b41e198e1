/* SPDX-License-Identifier: MIT */
/* Tools of edit mode: points, bones and cage vertices. */
#include <math.h>
#include <string.h>

#include "runtime/edit/editor_state.h"

#define SHORTEST_BONE 8 /* units */
#define BOX_MARGIN 0.05 /* fraction of the diagonal, around the body, for a new cage */

static void add_handle(sn_editor *e, const sn_edit_handle *handle)
{
    sn_editor_begin_edit(e);
    e->selected = sn_edit_handles_add(&e->handles, handle);
    if (e->selected < 0) {
        --e->history_count; /* drops the history entry, because nothing has changed */
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
    if (is_first_seen && e->loop_count >= 3 && sn_editor_distance(first, pointer) <= SN_EDIT_ICON_REACH * view->unit) {
        sn_editor_close_loop(e);
    } else if (e->handles.count + e->loop_count < SN_EDIT_HANDLE_LIMIT) {
        e->loop[e->loop_count++] = *place;
    }
}

/* ---- cages ---- */

/* A new vertex on an edge or a face, at a weighted mean of its corners. */
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

/* Finds the loop edge under the pointer. */
static new_corner find_edge(const sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    new_corner corner = {.index = -1, .handle = {.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1}};
    double least = SN_EDIT_SHAFT_REACH * view->unit, share = 0;
    for (int i = 0; i < e->handles.edge_count; ++i) {
        double ends[2][3], at[2][2];
        bool is_seen = true;
        for (int k = 0; k < 2; ++k) {
            sn_editor_place(e, e->handles.edges[i][k], ends[k], NULL);
            is_seen = sn_pick_place(&view->camera, ends[k], at[k]) > 0 && is_seen;
        }
        if (is_seen && sn_editor_shaft_distance(pointer, at[0], at[1]) < least) {
            least = sn_editor_shaft_distance(pointer, at[0], at[1]);
            share = sn_editor_distance(pointer, at[0]) / fmax(sn_editor_distance(at[0], at[1]), 1e-9);
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

/* Intersects a ray with a face, as a triangle fan around its center; computes the weights of its corners at the hit. */
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
        --e->history_count; /* drops the history entry, because nothing has changed */
        sn_editor_tell(e, "there are too many handles");
        return;
    }
    e->selected = vertex;
    sn_editor_end_edit(e);
    memcpy(e->seen[vertex][0], corner->seen, sizeof corner->seen);
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
        sn_editor_tell(e, "there are too many handles");
        return;
    }
    sn_editor_end_edit(e);
}

/* If there is a cage, clicks beside it are ignored. */
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
        place_corner(e, view, pointer, place); /* a loop vertex may be outside the flesh */
    }
}

/* ---- tools ---- */

bool sn_editor_use_tool(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_edit_place place;
    const bool is_flat = sn_model_is_flat(e->model);
    const double depth = sn_pick_depth(&view->camera, (const double[]){0, 0, 0});
    const bool is_in_flesh = e->tool != SN_EDIT_SELECT && sn_editor_find_place(e, view, pointer, depth, &place);
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

void sn_editor_continue_bone(sn_editor *e, const sn_edit_view *view, int parent)
{
    e->action = SN_EDIT_DRAWS;
    e->drawn_parent = parent;
    memcpy(e->drawn_bone[0].rest, e->handles.items[parent].end, sizeof e->drawn_bone[0].rest);
    sn_editor_place(e, parent, NULL, e->drawn_bone[0].seen);
    e->drawn_bone[1] = e->drawn_bone[0];
    e->depth = sn_pick_depth(&view->camera, e->drawn_bone[0].seen);
}

void sn_editor_finish_bone(sn_editor *e, const sn_edit_view *view)
{
    double start[2], end[2];
    sn_pick_place(&view->camera, e->drawn_bone[0].seen, start);
    sn_pick_place(&view->camera, e->drawn_bone[1].seen, end);
    if (sn_editor_distance(start, end) < SHORTEST_BONE * view->unit) {
        sn_editor_tell(e, "drag from a bone's head to its tail");
        return;
    }
    sn_edit_handle handle = {.shape = SN_HANDLE_SHAPE_BONE, .parent = e->drawn_parent};
    memcpy(handle.start, e->drawn_bone[0].rest, sizeof handle.start);
    memcpy(handle.end, e->drawn_bone[1].rest, sizeof handle.end);
    add_handle(e, &handle);
}

void sn_editor_move_handle(sn_editor *e, const sn_edit_view *view, const double pointer[2])
{
    sn_edit_place place;
    sn_edit_handle *handle = &e->handles.items[e->selected];
    const double at[2] = {pointer[0] + e->offset[0], pointer[1] + e->offset[1]};
    sn_editor_find_place(e, view, at, e->depth, &place);
    memcpy(e->is_end_held ? handle->end : handle->start, place.rest, sizeof place.rest);
    if (handle->shape != SN_HANDLE_SHAPE_BONE) {
        memcpy(handle->end, handle->start, sizeof handle->end);
    }
    /* joints follow the end of their parent */
    for (int i = 0; i < e->handles.count; ++i) {
        if (e->is_end_held && e->handles.items[i].parent == e->selected) {
            memcpy(e->handles.items[i].start, handle->end, sizeof handle->end);
        }
    }
    sn_editor_resolve(e);
    memcpy(e->seen[e->selected][e->is_end_held], place.seen, sizeof place.seen);
}
