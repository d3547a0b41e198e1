/* SPDX-License-Identifier: MIT */
/* Edits the parts of the character's flesh: selects them by a click on the skin, and replaces the model of the playing
 * body when the editor has a new one. */
#include <math.h>
#include <string.h>

#include "host/platform/platform.h"
#include "runtime/session/player_state.h"

#define HIGHLIGHT_SECONDS 1.2
#define CLICK_DISTANCE 0.006 /* of the pointer, window heights: a press that moves farther drags */

sn_result sn_player_parts_start(sn_player *p, const char *path, const sn_cook_desc *cook)
{
    const sn_part_editor_desc desc = {.model = p->model, .path = path, .cook = cook};
    p->parts = (sn_player_parts){.selected = -1, .pressed = -1};
    return p->body_desc.solver == SN_SOLVER_REDUCED ? sn_part_editor_create(&desc, &p->parts.editor) : SN_OK;
}

void sn_player_parts_finish(sn_player *p)
{
    sn_part_editor_destroy(&p->parts.editor);
    p->parts = (sn_player_parts){.selected = -1, .pressed = -1};
}

/* ---- selection ---- */

void sn_player_parts_select(sn_player *p, int part)
{
    p->parts.selected = part;
    p->parts.highlight_end = part >= 0 && sn_player_edit_build_mesh(p) == SN_OK ? sn_now() + HIGHLIGHT_SECONDS : 0;
}

int sn_player_parts_highlighted(const sn_player *p)
{
    return p->parts.editor && sn_now() < p->parts.highlight_end ? p->parts.selected : -1;
}

/* The part of the skin under the pointer, or -1. */
static int part_under(sn_player *p, const double pointer[2])
{
    const sn_camera camera = sn_player_get_camera(p);
    const sn_ray ray = sn_pick_ray(&camera, pointer[0], pointer[1]);
    const sn_posed_surface *surface = &p->grab_tool.surface;
    sn_pick_hit enters, leaves;
    sn_posed_surface_update(&p->grab_tool.surface, p->body);
    if (!sn_pick_volume(surface->positions, p->model->surface_triangles, p->model->counts.surface_triangle_count, &ray,
                        &enters, &leaves)) {
        return -1;
    }
    double point[3] = {0};
    for (int k = 0; k < 3; ++k) {
        const float *x = p->model->surface_positions + 3 * (size_t)p->model->surface_triangles[3 * enters.triangle + k];
        for (int d = 0; d < 3; ++d) {
            point[d] += enters.corners[k] * (double)x[d];
        }
    }
    return sn_part_editor_find(p->parts.editor, point);
}

void sn_player_parts_event(sn_player *p, const sn_window_event *event)
{
    sn_player_parts *parts = &p->parts;
    if (!parts->editor || !p->panel.is_visible || event->button != SN_BUTTON_LEFT) {
        return;
    }
    if (event->type == SN_WINDOW_PRESS) {
        parts->pressed = part_under(p, (const double[]){event->x, event->y});
        parts->moved = 0;
    } else if (event->type == SN_WINDOW_DRAG) {
        parts->moved += hypot(event->x, event->y);
    } else if (event->type == SN_WINDOW_RELEASE) {
        if (parts->pressed >= 0 && parts->moved < CLICK_DISTANCE) {
            sn_player_parts_select(p, parts->pressed);
        }
        parts->pressed = -1;
    }
}

bool sn_player_parts_execute(sn_player *p, sn_player_command command)
{
    sn_part_editor *editor = p->parts.editor;
    if (!editor || (command.action != SN_PLAYER_UNDO && command.action != SN_PLAYER_COMPARE)) {
        return false;
    }
    if (command.action == SN_PLAYER_COMPARE) {
        sn_part_editor_compare(editor, !sn_part_editor_is_comparing(editor));
        sn_player_show_message(p, "flesh as %s", sn_part_editor_is_comparing(editor) ? "cooked" : "edited");
    } else {
        sn_player_show_message(p, "%s", sn_part_editor_undo(editor) ? "undone" : "nothing to undo");
    }
    return true;
}

/* ---- models ---- */

static bool is_same(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

/* Whether the render model of one can draw the other. */
static bool has_same_surface(const sn_model *a, const sn_model *b)
{
    const size_t n = (size_t)a->counts.surface_vertex_count, modes = (size_t)a->counts.mode_count;
    return is_same(&a->counts, &b->counts, sizeof a->counts) &&
           is_same(a->surface_positions, b->surface_positions, 3 * n * sizeof *a->surface_positions) &&
           is_same(a->surface_modes, b->surface_modes, n * modes * sizeof *a->surface_modes);
}

/* Replaces the model of the body, which keeps moving if both have the same modes; else it starts at rest. */
static sn_result replace_body_model(sn_player *p, const sn_model *model)
{
    sn_captured_log log = {0};
    sn_captured_log *before = sn_capture_log(&log); /* a refusal is no failure */
    const sn_result result = sn_body_set_model(p->body, model);
    sn_capture_log(before);
    p->body_desc.model = p->start_desc.model = model;
    if (result == SN_OK) {
        return SN_OK;
    }
    sn_body_destroy(p->body);
    p->body = (sn_body_id){0};
    SN_TRY(sn_body_create(p->world, &p->body_desc, &p->body));
    SN_TRY(sn_player_apply_desc(p));
    sn_player_set_pose(p);
    sn_body_reset(p->body);
    return SN_OK;
}

static void set_motion_model(sn_motion *motion, const sn_model *from, const sn_model *to)
{
    motion->model = motion->model == from ? to : motion->model;
}

/* Replaces the buffers of the model; the weights of expressions stay. */
static sn_result replace_poses(sn_player *p, const sn_model *model)
{
    const size_t count = (size_t)p->model->counts.expression_count;
    float *weights = p->expression_weights;
    p->expression_weights = NULL;
    sn_grab_tool_finish(&p->grab_tool);
    sn_player_free_poses(p);
    p->model = model;
    const sn_result result = sn_player_allocate_poses(p);
    if (result == SN_OK && (size_t)model->counts.expression_count == count) {
        memcpy(p->expression_weights, weights, count * sizeof *weights);
    }
    sn_free(weights, count, sizeof *weights);
    return result;
}

/* The new model has the same bones, clips and expressions. */
static sn_result show_model(sn_player *p, const sn_model *model)
{
    const sn_model *before = p->model;
    const bool is_same_surface = has_same_surface(before, model);
    SN_ASSERT(before->counts.bone_count == model->counts.bone_count &&
              before->counts.clip_count == model->counts.clip_count);
    sn_grab_tool_release(&p->grab_tool, p->body);
    set_motion_model(&p->initial_motion, before, model);
    set_motion_model(&p->motion, before, model);
    SN_TRY(replace_poses(p, model));
    SN_TRY(replace_body_model(p, model));
    if (is_same_surface) {
        return SN_OK;
    }
    sn_mesh_lines_finish(&p->edit.mesh);
    p->edit.is_mesh_visible = false;
    p->parts.highlight_end = 0;
    sn_render_model *drawn = p->render_model; /* owns the textures that the new one shares */
    const sn_result result = sn_player_upload(p, drawn);
    sn_render_model_destroy(p->renderer, &drawn);
    return result;
}

sn_result sn_player_parts_update(sn_player *p)
{
    if (!p->parts.editor) {
        return SN_OK;
    }
    const sn_model *model = sn_part_editor_update(p->parts.editor);
    const char *message = sn_part_editor_message(p->parts.editor);
    if (message) {
        sn_player_show_message(p, "%s", message);
    }
    if (p->parts.selected >= sn_part_editor_count(p->parts.editor)) {
        p->parts.selected = -1;
    }
    return model == p->model ? SN_OK : show_model(p, model);
}
