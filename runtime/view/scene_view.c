/* SPDX-License-Identifier: MIT */
#include "runtime/view/scene_view.h"

#include <math.h>
#include <string.h>

#include "runtime/camera/body_box.h"
#include "runtime/view/draw_body.h"
#include "runtime/view/solid.h"

#define SHADOW_RADIUS_FACTOR 0.36 /* fraction of the camera's distance: radius around its target that casts shadows */

/* A render model shared by all bodies of one model and embedding. */
typedef struct render_item {
    const sn_model *model;
    const sn_embedding *embedding; /* of drawn flesh, or null */
    sn_render_model *render_model;
} render_item;

struct sn_scene_view {
    sn_scene *scene;
    sn_arena arena;
    sn_renderer *renderer;
    render_item *items; /* (item_count) */
    int item_count;
    int *body_items; /* (body_count) */
    int body_count, collider_count;
    sn_model **surfaces;         /* (collider_count) null: not drawn */
    sn_render_model **solids;    /* (collider_count) */
    sn_render_body *bodies;      /* (body_count + collider_count) */
    sn_mat3x4 *solid_transforms; /* (collider_count) */
    sn_stage stage;
    sn_orbit orbit;
};

/* ---- camera ---- */

/* Bounding box of all bodies in their current pose. */
static sn_result compute_box(sn_scene_view *view, double low[3], double high[3])
{
    for (int i = 0; i < view->body_count; ++i) {
        SN_TRY(sn_body_box_add(sn_scene_body_at(view->scene, i), &view->arena, low, high));
    }
    return SN_OK;
}

/* A camera that frames all bodies in their initial pose, with a margin. */
static sn_result find_camera(sn_scene_view *view, sn_scene_camera *camera)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    const sn_result result = compute_box(view, low, high);
    for (int d = 0; d < 3; ++d) {
        camera->target[d] = (low[d] + high[d]) / 2;
        square += (high[d] - low[d]) * (high[d] - low[d]);
    }
    const bool is_flat = high[2] - low[2] < 1e-6 * sqrt(square);
    camera->distance = fmax(sqrt(square), 1e-3) * 0.8 / tan(sn_stage_vertical_angle() / 2);
    camera->yaw = is_flat ? 0 : 0.6;
    camera->pitch = is_flat ? 0 : sn_stage_pitch();
    return result;
}

static sn_result init_camera(sn_scene_view *view)
{
    const sn_scene_script *script = sn_scene_get_script(view->scene);
    sn_scene_camera camera = script->camera;
    const sn_result result = camera.is_set ? SN_OK : find_camera(view, &camera);
    view->stage = (sn_stage){.frame_count = 1, .key_count = 1, .yaw = camera.yaw, .distance = camera.distance};
    view->stage.radius = SHADOW_RADIUS_FACTOR * view->stage.distance;
    view->stage.ground_height = script->floor_height;
    memcpy(view->stage.center, camera.target, sizeof view->stage.center);
    view->orbit = (sn_orbit){.yaw = camera.yaw, .pitch = camera.pitch, .scale = 1};
    return result;
}

/* ---- lifetime ---- */

static bool matches_body(const render_item *item, sn_body_id body)
{
    return item->model == sn_body_model(body) && item->embedding == sn_body_embedding(body);
}

/* Index of the body's entry; a free entry is set up if there is none. */
static int find_item(sn_scene_view *view, sn_body_id body)
{
    int index = 0, free_index = 0;
    while (index < view->item_count && !matches_body(&view->items[index], body)) {
        ++index;
    }
    if (index < view->item_count) {
        return index;
    }
    while (free_index < view->item_count && view->items[free_index].model) {
        ++free_index;
    }
    SN_ASSERT(free_index < 2 * view->body_count);
    view->item_count += free_index == view->item_count;
    view->items[free_index].model = sn_body_model(body);
    view->items[free_index].embedding = sn_body_embedding(body);
    return free_index;
}

static sn_result add_bodies(sn_scene_view *view, const char *name)
{
    view->body_items = SN_NEW(&view->arena, int, view->body_count);
    view->items =
        SN_NEW(&view->arena, render_item,
               2 * view->body_count); /* twice the bodies: old entries stay until all bodies have changed theirs */
    if (!view->body_items || !view->items) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < view->body_count; ++i) {
        const sn_model *model = sn_body_model(sn_scene_body_at(view->scene, i));
        if (model->counts.part_count == 0) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "%s: bodies[%d]: no surface to draw", name,
                           sn_scene_body_entry(view->scene, i));
        }
        view->body_items[i] = find_item(view, sn_scene_body_at(view->scene, i));
    }
    return SN_OK;
}

static sn_result add_colliders(sn_scene_view *view)
{
    const sn_scene_script *script = sn_scene_get_script(view->scene);
    const int count = script->collider_count;
    view->surfaces = SN_NEW(&view->arena, sn_model *, count);
    view->solids = SN_NEW(&view->arena, sn_render_model *, count);
    view->solid_transforms = SN_NEW(&view->arena, sn_mat3x4, count);
    view->bodies = SN_NEW(&view->arena, sn_render_body, view->body_count + count);
    if (!view->surfaces || !view->solids || !view->solid_transforms || !view->bodies) {
        return SN_ERROR_MEMORY;
    }
    view->collider_count = count;
    for (int i = 0; i < count; ++i) {
        const sn_scene_surface s = sn_scene_collider_surface(view->scene, i);
        const sn_solid_mesh mesh = {s.vertex_count, s.triangle_count, s.positions, s.normals, s.triangles};
        if (s.triangle_count > 0 && !script->colliders[i].is_hidden) {
            SN_TRY(sn_solid_build_surface(&mesh, &view->arena, &view->surfaces[i]));
        }
    }
    return SN_OK;
}

sn_result sn_scene_view_create(sn_scene *scene, const char *name, sn_scene_view **result_view)
{
    sn_scene_view *view = sn_alloc(1, sizeof *view);
    *result_view = view;
    if (!view) {
        return SN_ERROR_MEMORY;
    }
    view->scene = scene;
    view->body_count = sn_scene_body_count(scene);
    sn_result result = add_bodies(view, name);
    result = result ? result : add_colliders(view);
    result = result ? result : init_camera(view);
    if (result != SN_OK) {
        sn_scene_view_destroy(result_view);
    }
    return result;
}

int sn_scene_view_matrix_count(const sn_scene_view *view)
{
    int count = view->collider_count;
    for (int i = 0; i < view->body_count; ++i) {
        const render_item *item = &view->items[view->body_items[i]];
        const sn_model_counts *c = &item->model->counts;
        count += c->bone_count + (item->embedding ? sn_embedding_matrix_count(item->embedding) : c->mode_count);
    }
    return count;
}

static sn_result upload(const sn_scene_view *view, render_item *item, const sn_render_model *texture_source)
{
    return item->embedding
               ? sn_render_model_create_embedded(view->renderer, item->embedding, texture_source, &item->render_model)
               : sn_render_model_create_shared(view->renderer, item->model, texture_source, &item->render_model);
}

sn_result sn_scene_view_upload(sn_scene_view *view, sn_renderer *renderer)
{
    view->renderer = renderer;
    for (int i = 0; i < view->item_count; ++i) {
        SN_TRY(upload(view, &view->items[i], NULL));
    }
    for (int i = 0; i < view->collider_count; ++i) {
        if (view->surfaces[i]) {
            SN_TRY(sn_render_model_create(renderer, view->surfaces[i], &view->solids[i]));
        }
    }
    return SN_OK;
}

static void destroy_unused(sn_scene_view *view)
{
    for (int i = 0; i < view->item_count; ++i) {
        bool is_used = false;
        for (int b = 0; b < view->body_count; ++b) {
            is_used = is_used || view->body_items[b] == i;
        }
        if (!is_used && view->items[i].model) {
            sn_render_model_destroy(view->renderer, &view->items[i].render_model);
            view->items[i].model = NULL;
        }
    }
}

sn_result sn_scene_view_update(sn_scene_view *view)
{
    bool is_changed = false;
    sn_result result = SN_OK;
    for (int i = 0; i < view->body_count && result == SN_OK; ++i) {
        const sn_body_id body = sn_scene_body_at(view->scene, i);
        const render_item *previous = &view->items[view->body_items[i]];
        if (matches_body(previous, body)) {
            continue;
        }
        const sn_render_model *texture_source = previous->render_model;
        view->body_items[i] = find_item(view, body);
        render_item *current = &view->items[view->body_items[i]];
        is_changed = true;
        if (!current->render_model) {
            result = upload(view, current, texture_source);
        }
    }
    if (is_changed) {
        destroy_unused(view);
    }
    return result;
}

void sn_scene_view_destroy(sn_scene_view **view)
{
    sn_scene_view *v = *view;
    *view = NULL;
    if (!v) {
        return;
    }
    for (int i = 0; i < v->item_count; ++i) {
        if (v->items[i].render_model) {
            sn_render_model_destroy(v->renderer, &v->items[i].render_model);
        }
    }
    for (int i = 0; i < v->collider_count; ++i) {
        if (v->solids[i]) {
            sn_render_model_destroy(v->renderer, &v->solids[i]);
        }
    }
    sn_arena_finish(&v->arena);
    sn_free(v, 1, sizeof *v);
}

/* ---- a frame ---- */

const sn_stage *sn_scene_view_stage(const sn_scene_view *view)
{
    return &view->stage;
}

sn_orbit sn_scene_view_orbit(const sn_scene_view *view)
{
    return view->orbit;
}

void sn_scene_view_fill(sn_scene_view *view, const sn_orbit *orbit, double widening, sn_render_scene *scene)
{
    int count = 0;
    sn_stage_scene(&view->stage, 0, scene);
    scene->seconds = (float)sn_scene_time(view->scene);
    for (int i = 0; i < view->body_count; ++i) {
        view->bodies[count] = (sn_render_body){.model = view->items[view->body_items[i]].render_model};
        sn_draw_body(sn_scene_body_at(view->scene, i), &view->bodies[count++], scene);
    }
    for (int i = 0; i < view->collider_count; ++i) {
        if (view->solids[i] && sn_scene_has_collider(view->scene, i)) {
            view->solid_transforms[i] = sn_scene_collider_at(view->scene, i).transform;
            view->bodies[count++] =
                (sn_render_body){.model = view->solids[i], .transforms = view->solid_transforms[i].m[0]};
        }
    }
    sn_orbit_apply(orbit, &view->stage, widening, &scene->camera);
    scene->has_ground = sn_scene_get_script(view->scene)->has_floor;
    scene->bodies = view->bodies;
    scene->body_count = count;
}
