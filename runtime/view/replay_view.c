/* SPDX-License-Identifier: MIT */
#include "runtime/view/replay_view.h"

#include <math.h>
#include <string.h>

#include "host/model/embedding.h"
#include "runtime/camera/body_box.h"
#include "runtime/view/draw_body.h"
#include "runtime/view/solid.h"
#include "scenes/shapes/shape.h"

#define SHADOW_RADIUS_FACTOR 0.36 /* fraction of the camera's distance: radius around its target that casts shadows */
#define FOLLOW_START 0.2          /* fraction of that distance that bodies may move before the camera follows */

/* Model and embedding belong to the replay and must outlive this. */
typedef struct render_item {
    const sn_model *model;
    const sn_embedding *embedding; /* of drawn flesh, or null */
    sn_render_model *render_model;
} render_item;

typedef struct solid {
    sn_collider_desc desc; /* from which the surface was built */
    sn_shape_mesh mesh;
    sn_arena arena;                /* of the surface */
    sn_render_model *render_model; /* null: not drawn */
    sn_mat3x4 transform;
} solid;

struct sn_replay_view {
    const sn_replay *replay;
    sn_renderer *renderer;
    sn_arena arena;
    render_item *items; /* (item_count) */
    solid *solids;      /* (solid_count) */
    int item_count, item_capacity, solid_count, solid_capacity;
    sn_render_body *bodies; /* (body_capacity) */
    int body_capacity;
    sn_stage stage;
    sn_orbit orbit;
};

/* ---- bodies ---- */

static sn_result find_item(sn_replay_view *view, sn_body_id body, render_item **result_item)
{
    const sn_model *model = sn_body_model(body);
    const sn_embedding *embedding = sn_body_embedding(body);
    for (int i = 0; i < view->item_count; ++i) {
        if (view->items[i].model == model && view->items[i].embedding == embedding) {
            *result_item = &view->items[i];
            return SN_OK;
        }
    }
    render_item *items = sn_grow(view->items, view->item_count, &view->item_capacity, sizeof *items);
    if (!items) {
        return SN_ERROR_MEMORY;
    }
    view->items = items;
    *result_item = &items[view->item_count++];
    **result_item = (render_item){.model = model, .embedding = embedding};
    if (model->counts.part_count == 0) {
        return SN_OK; /* no surface */
    }
    return embedding ? sn_render_model_create_embedded(view->renderer, embedding, NULL, &(*result_item)->render_model)
                     : sn_render_model_create(view->renderer, model, &(*result_item)->render_model);
}

static sn_result add_bodies(sn_replay_view *view)
{
    for (int i = 1; i <= sn_replay_body_count(view->replay); ++i) {
        const sn_body_id body = sn_replay_body(view->replay, i);
        render_item *item;
        SN_TRY(body.index1 ? find_item(view, body, &item) : SN_OK);
    }
    return SN_OK;
}

/* ---- colliders ---- */

static bool is_same_shape(const sn_collider_desc *a, const sn_collider_desc *b)
{
    bool is_same = a->shape == b->shape && a->radius == b->radius && a->half_height == b->half_height;
    for (int d = 0; d < 3; ++d) {
        is_same = is_same && a->half_extents[d] == b->half_extents[d];
    }
    return is_same;
}

static void destroy_solid(const sn_replay_view *view, solid *s)
{
    if (s->render_model) {
        sn_render_model_destroy(view->renderer, &s->render_model);
    }
    sn_shape_mesh_finish(&s->mesh);
    sn_arena_finish(&s->arena);
}

static sn_result build_solid(sn_replay_view *view, const sn_collider_desc *desc, solid *s)
{
    const sn_scene_collider collider = {.desc = *desc};
    sn_model *surface = NULL;
    destroy_solid(view, s);
    s->desc = *desc;
    if (desc->shape == SN_COLLIDER_PLANE || desc->shape == SN_COLLIDER_GRID) {
        return SN_OK;
    }
    SN_TRY(sn_collider_surface_build(&collider, &s->mesh));
    const sn_solid_mesh mesh = {s->mesh.vertex_count, s->mesh.triangle_count, s->mesh.positions, s->mesh.normals,
                                s->mesh.triangles};
    SN_TRY(sn_solid_build_surface(&mesh, &s->arena, &surface));
    return sn_render_model_create(view->renderer, surface, &s->render_model);
}

static sn_result add_colliders(sn_replay_view *view)
{
    sn_result result = SN_OK;
    for (int i = 0; i < sn_replay_collider_count(view->replay) && result == SN_OK; ++i) {
        sn_collider_desc desc;
        if (i == view->solid_count) {
            solid *solids = sn_grow(view->solids, view->solid_count, &view->solid_capacity, sizeof *solids);
            if (!solids) {
                return SN_ERROR_MEMORY;
            }
            view->solids = solids;
            view->solids[view->solid_count++] = (solid){.desc.shape = SN_COLLIDER_PLANE};
        }
        if (sn_replay_collider(view->replay, i + 1, &desc)) {
            if (!is_same_shape(&desc, &view->solids[i].desc)) {
                result = build_solid(view, &desc, &view->solids[i]);
            }
            view->solids[i].transform = desc.transform;
        }
    }
    return result;
}

static bool find_ground(const sn_replay_view *view, double *height)
{
    for (int i = 1; i <= sn_replay_collider_count(view->replay); ++i) {
        sn_collider_desc desc;
        if (sn_replay_collider(view->replay, i, &desc) && desc.shape == SN_COLLIDER_PLANE &&
            desc.transform.m[1][1] > 0.9999F) {
            *height = (double)desc.transform.m[1][3];
            return true;
        }
    }
    return false;
}

/* ---- the camera ---- */

/* Frames all bodies with a margin; a single body is viewed from the front. */
static sn_result init_camera(sn_replay_view *view)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    int count = 0;
    double facing = 1;
    sn_result result = SN_OK;
    for (int i = 1; i <= sn_replay_body_count(view->replay) && result == SN_OK; ++i) {
        const sn_body_id body = sn_replay_body(view->replay, i);
        if (body.index1) {
            result = sn_body_box_add(body, &view->arena, low, high);
            facing = sn_body_model(body)->facing;
            ++count;
        }
    }
    if (result == SN_OK && count == 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: nothing to draw", sn_replay_note(view->replay));
    }
    for (int d = 0; d < 3; ++d) {
        view->stage.center[d] = (low[d] + high[d]) / 2;
        square += (high[d] - low[d]) * (high[d] - low[d]);
    }
    const bool is_flat = high[2] - low[2] < 1e-6 * sqrt(square);
    view->stage.frame_count = view->stage.key_count = 1;
    view->stage.distance = fmax(sqrt(square), 1e-3) * 0.6 / tan(sn_stage_vertical_angle() / 2);
    view->stage.radius = SHADOW_RADIUS_FACTOR * view->stage.distance;
    view->stage.yaw = is_flat ? 0 : count == 1 && facing < 0 ? 0.6 + acos(-1) : 0.6;
    view->orbit = (sn_orbit){.yaw = view->stage.yaw, .pitch = is_flat ? 0 : sn_stage_pitch(), .scale = 1};
    return result;
}

/* Mean position of the pivots of all bones; false if there are none. */
static bool find_center(const sn_replay_view *view, double mean[3])
{
    int count = 0;
    memset(mean, 0, 3 * sizeof *mean);
    for (int i = 1; i <= sn_replay_body_count(view->replay); ++i) {
        const sn_body_id body = sn_replay_body(view->replay, i);
        const sn_model *model = body.index1 ? sn_body_model(body) : NULL;
        const sn_body_matrices output = model ? sn_body_output(body) : (sn_body_matrices){0};
        for (int b = 0; b < output.bone_count; ++b) {
            double pivot[3];
            sn_model_bone_pivot(model, b, pivot);
            ++count;
            for (int d = 0; d < 3; ++d) {
                const float *m = output.matrices[b].m[d];
                mean[d] += (double)m[0] * pivot[0] + (double)m[1] * pivot[1] + (double)m[2] * pivot[2] + (double)m[3];
            }
        }
    }
    for (int d = 0; d < 3; ++d) {
        mean[d] /= count > 0 ? count : 1;
    }
    return count > 0;
}

static void follow(sn_replay_view *view)
{
    double mean[3], displacement[3], length = 0;
    if (!find_center(view, mean)) {
        return;
    }
    for (int d = 0; d < 3; ++d) {
        displacement[d] = mean[d] - view->stage.center[d];
        length += displacement[d] * displacement[d];
    }
    length = sqrt(length);
    const double max_value = FOLLOW_START * view->stage.distance;
    for (int d = 0; d < 3 && length > max_value && isfinite(length); ++d) {
        view->stage.center[d] += displacement[d] * (1 - max_value / length);
    }
}

/* ---- lifetime ---- */

sn_result sn_replay_view_create(const sn_replay *replay, sn_renderer *renderer, sn_replay_view **result_view)
{
    sn_replay_view *view = sn_alloc(1, sizeof *view);
    *result_view = view;
    if (!view) {
        return SN_ERROR_MEMORY;
    }
    view->replay = replay;
    view->renderer = renderer;
    sn_result result = init_camera(view);
    result = result ? result : sn_replay_view_update(view);
    if (result != SN_OK) {
        sn_replay_view_destroy(result_view);
    }
    return result;
}

void sn_replay_view_destroy(sn_replay_view **view)
{
    sn_replay_view *v = *view;
    *view = NULL;
    if (!v) {
        return;
    }
    for (int i = 0; i < v->item_count; ++i) {
        if (v->items[i].render_model) {
            sn_render_model_destroy(v->renderer, &v->items[i].render_model);
        }
    }
    for (int i = 0; i < v->solid_count; ++i) {
        destroy_solid(v, &v->solids[i]);
    }
    sn_free(v->items, (size_t)v->item_capacity, sizeof *v->items);
    sn_free(v->solids, (size_t)v->solid_capacity, sizeof *v->solids);
    sn_free(v->bodies, (size_t)v->body_capacity, sizeof *v->bodies);
    sn_arena_finish(&v->arena);
    sn_free(v, 1, sizeof *v);
}

sn_result sn_replay_view_update(sn_replay_view *view)
{
    const int max_value = sn_replay_body_count(view->replay) + sn_replay_collider_count(view->replay);
    sn_result result = add_bodies(view);
    result = result ? result : add_colliders(view);
    if (result == SN_OK && max_value > view->body_capacity) {
        sn_render_body *bodies = sn_alloc((size_t)max_value, sizeof *bodies);
        if (!bodies) {
            return SN_ERROR_MEMORY;
        }
        sn_free(view->bodies, (size_t)view->body_capacity, sizeof *view->bodies);
        view->bodies = bodies;
        view->body_capacity = max_value;
    }
    follow(view);
    return result;
}

/* ---- a frame ---- */

const sn_stage *sn_replay_view_stage(const sn_replay_view *view)
{
    return &view->stage;
}

sn_orbit sn_replay_view_orbit(const sn_replay_view *view)
{
    return view->orbit;
}

void sn_replay_view_fill(sn_replay_view *view, const sn_orbit *orbit, double widening, sn_render_scene *scene)
{
    int count = 0;
    sn_collider_desc desc;
    const bool has_ground = find_ground(view, &view->stage.ground_height);
    sn_stage_scene(&view->stage, 0, scene);
    for (int i = 1; i <= sn_replay_body_count(view->replay); ++i) {
        const sn_body_id body = sn_replay_body(view->replay, i);
        render_item *item = NULL;
        if (body.index1 && find_item(view, body, &item) == SN_OK && item->render_model) {
            view->bodies[count] = (sn_render_body){.model = item->render_model};
            sn_draw_body(body, &view->bodies[count++], scene);
        }
    }
    for (int i = 0; i < view->solid_count; ++i) {
        if (view->solids[i].render_model && i < sn_replay_collider_count(view->replay) &&
            sn_replay_collider(view->replay, i + 1, &desc)) {
            view->bodies[count++] =
                (sn_render_body){.model = view->solids[i].render_model, .transforms = view->solids[i].transform.m[0]};
        }
    }
    sn_orbit_apply(orbit, &view->stage, widening, &scene->camera);
    scene->has_ground = has_ground;
    scene->bodies = view->bodies;
    scene->body_count = count;
}
