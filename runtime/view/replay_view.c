/* SPDX-License-Identifier: MIT */
#include "runtime/view/replay_view.h"

#include <math.h>
#include <string.h>

#include "host/model/embedding.h"
#include "runtime/camera/body_box.h"
#include "runtime/view/draw_body.h"
#include "runtime/view/solid.h"
#include "scenes/shapes/shape.h"

#define SHADOW_SHARE 0.36 /* fraction of the camera's distance: radius around its target that casts shadows */
#define LEASH 0.2         /* fraction of that distance that bodies may move before the camera follows */

/* Model and embedding belong to the replay and must outlive this. */
typedef struct look {
    const sn_model *model;
    const sn_embedding *embedding; /* of drawn flesh, or null */
    sn_render_model *drawn;
} look;

typedef struct solid {
    sn_collider_desc desc; /* from which the surface was built */
    sn_shape_mesh mesh;
    sn_arena arena;         /* of the surface */
    sn_render_model *drawn; /* null: not drawn */
    sn_mat3x4 transform;
} solid;

struct sn_replay_view {
    const sn_replay *replay;
    sn_renderer *renderer;
    sn_arena arena;
    look *looks;   /* (look_count) */
    solid *solids; /* (solid_count) */
    int look_count, look_room, solid_count, solid_room;
    sn_render_body *bodies; /* (body_room) */
    int body_room;
    sn_stage stage;
    sn_orbit orbit;
};

/* ---- bodies ---- */

static sn_result find_look(sn_replay_view *view, sn_body_id body, look **found)
{
    const sn_model *model = sn_body_model(body);
    const sn_embedding *embedding = sn_body_embedding(body);
    for (int i = 0; i < view->look_count; ++i) {
        if (view->looks[i].model == model && view->looks[i].embedding == embedding) {
            *found = &view->looks[i];
            return SN_OK;
        }
    }
    look *looks = sn_grow(view->looks, view->look_count, &view->look_room, sizeof *looks);
    if (!looks) {
        return SN_ERROR_MEMORY;
    }
    view->looks = looks;
    *found = &looks[view->look_count++];
    **found = (look){.model = model, .embedding = embedding};
    if (model->counts.part_count == 0) {
        return SN_OK; /* no surface */
    }
    return embedding ? sn_render_model_create_embedded(view->renderer, embedding, NULL, &(*found)->drawn)
                     : sn_render_model_create(view->renderer, model, &(*found)->drawn);
}

static sn_result take_bodies(sn_replay_view *view)
{
    sn_result result = SN_OK;
    for (int i = 1; i <= sn_replay_body_count(view->replay) && result == SN_OK; ++i) {
        const sn_body_id body = sn_replay_body(view->replay, i);
        look *seen;
        result = body.index1 ? find_look(view, body, &seen) : SN_OK;
    }
    return result;
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

static void drop_solid(const sn_replay_view *view, solid *s)
{
    if (s->drawn) {
        sn_render_model_destroy(view->renderer, &s->drawn);
    }
    sn_shape_mesh_finish(&s->mesh);
    sn_arena_finish(&s->arena);
}

static sn_result make_solid(sn_replay_view *view, const sn_collider_desc *desc, solid *s)
{
    const sn_scene_collider collider = {.desc = *desc};
    sn_model *surface = NULL;
    drop_solid(view, s);
    s->desc = *desc;
    if (desc->shape == SN_COLLIDER_PLANE || desc->shape == SN_COLLIDER_GRID) {
        return SN_OK;
    }
    sn_result result = sn_collider_surface_build(&collider, &s->mesh);
    const sn_solid_mesh mesh = {s->mesh.vertex_count, s->mesh.triangle_count, s->mesh.positions, s->mesh.normals,
                                s->mesh.triangles};
    result = result ? result : sn_solid_surface(&mesh, &s->arena, &surface);
    return result ? result : sn_render_model_create(view->renderer, surface, &s->drawn);
}

static sn_result take_colliders(sn_replay_view *view)
{
    sn_result result = SN_OK;
    for (int i = 0; i < sn_replay_collider_count(view->replay) && result == SN_OK; ++i) {
        sn_collider_desc desc;
        if (i == view->solid_count) {
            solid *solids = sn_grow(view->solids, view->solid_count, &view->solid_room, sizeof *solids);
            if (!solids) {
                return SN_ERROR_MEMORY;
            }
            view->solids = solids;
            view->solids[view->solid_count++] = (solid){.desc.shape = SN_COLLIDER_PLANE};
        }
        if (sn_replay_collider(view->replay, i + 1, &desc)) {
            if (!is_same_shape(&desc, &view->solids[i].desc)) {
                result = make_solid(view, &desc, &view->solids[i]);
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
static sn_result plan(sn_replay_view *view)
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
    view->stage.radius = SHADOW_SHARE * view->stage.distance;
    view->stage.yaw = is_flat ? 0 : count == 1 && facing < 0 ? 0.6 + acos(-1) : 0.6;
    view->orbit = (sn_orbit){.yaw = view->stage.yaw, .pitch = is_flat ? 0 : sn_stage_pitch(), .scale = 1};
    return result;
}

/* Mean position of the pivots of all bones; false if there are none. */
static bool find_middle(const sn_replay_view *view, double middle[3])
{
    int count = 0;
    memset(middle, 0, 3 * sizeof *middle);
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
                middle[d] += (double)m[0] * pivot[0] + (double)m[1] * pivot[1] + (double)m[2] * pivot[2] + (double)m[3];
            }
        }
    }
    for (int d = 0; d < 3; ++d) {
        middle[d] /= count > 0 ? count : 1;
    }
    return count > 0;
}

static void follow(sn_replay_view *view)
{
    double middle[3], way[3], length = 0;
    if (!find_middle(view, middle)) {
        return;
    }
    for (int d = 0; d < 3; ++d) {
        way[d] = middle[d] - view->stage.center[d];
        length += way[d] * way[d];
    }
    length = sqrt(length);
    const double most = LEASH * view->stage.distance;
    for (int d = 0; d < 3 && length > most && isfinite(length); ++d) {
        view->stage.center[d] += way[d] * (1 - most / length);
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
    sn_result result = plan(view);
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
    for (int i = 0; i < v->look_count; ++i) {
        if (v->looks[i].drawn) {
            sn_render_model_destroy(v->renderer, &v->looks[i].drawn);
        }
    }
    for (int i = 0; i < v->solid_count; ++i) {
        drop_solid(v, &v->solids[i]);
    }
    sn_free(v->looks, (size_t)v->look_room, sizeof *v->looks);
    sn_free(v->solids, (size_t)v->solid_room, sizeof *v->solids);
    sn_free(v->bodies, (size_t)v->body_room, sizeof *v->bodies);
    sn_arena_finish(&v->arena);
    sn_free(v, 1, sizeof *v);
}

sn_result sn_replay_view_update(sn_replay_view *view)
{
    const int most = sn_replay_body_count(view->replay) + sn_replay_collider_count(view->replay);
    sn_result result = take_bodies(view);
    result = result ? result : take_colliders(view);
    if (result == SN_OK && most > view->body_room) {
        sn_render_body *bodies = sn_alloc((size_t)most, sizeof *bodies);
        if (!bodies) {
            return SN_ERROR_MEMORY;
        }
        sn_free(view->bodies, (size_t)view->body_room, sizeof *view->bodies);
        view->bodies = bodies;
        view->body_room = most;
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
        look *seen = NULL;
        if (body.index1 && find_look(view, body, &seen) == SN_OK && seen->drawn) {
            view->bodies[count] = (sn_render_body){.model = seen->drawn};
            sn_draw_body(body, &view->bodies[count++], scene);
        }
    }
    for (int i = 0; i < view->solid_count; ++i) {
        if (view->solids[i].drawn && i < sn_replay_collider_count(view->replay) &&
            sn_replay_collider(view->replay, i + 1, &desc)) {
            view->bodies[count++] =
                (sn_render_body){.model = view->solids[i].drawn, .transforms = view->solids[i].transform.m[0]};
        }
    }
    sn_orbit_apply(orbit, &view->stage, widening, &scene->camera);
    scene->has_ground = has_ground;
    scene->bodies = view->bodies;
    scene->body_count = count;
}
