/* SPDX-License-Identifier: MIT */
/* The functions of libsinew for languages that call C without its headers (the npm package, the Blender add-on):
 * pointers and numbers instead of structs and ids. */
#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"

#if defined(__wasm__)
#define EXPORT(name) __attribute__((export_name(#name), used))
/* Given by runtime.ts. */
__attribute__((import_module("sinew"), import_name("log"))) extern void log_message(int level, const char *text,
                                                                                    size_t length);
#else
#ifdef _WIN32
#define EXPORT(name) __declspec(dllexport)
#else
#define EXPORT(name) __attribute__((visibility("default")))
#endif
typedef void bridge_log_function(int level, const char *text, size_t length);
static void ignore_log(int level, const char *text, size_t length)
{
    (void)level, (void)text, (void)length;
}
static bridge_log_function *log_message = ignore_log;
/* Sets the function that receives the log; null: none. */
EXPORT(set_log) void bridge_set_log(bridge_log_function *function)
{
    log_message = function ? function : ignore_log;
}
#endif

typedef struct bridge_body {
    sn_body_id id;
    sn_body_desc desc;
} bridge_body;

/* The order of `settingOrder` in runtime.ts and of SETTINGS in library.py. */
typedef enum bridge_setting {
    SETTING_STIFFNESS,
    SETTING_DAMPING,
    SETTING_AMOUNT,
    SETTING_GRAVITY_X,
    SETTING_GRAVITY_Y,
    SETTING_GRAVITY_Z,
    SETTING_WIND_X,
    SETTING_WIND_Y,
    SETTING_WIND_Z,
    SETTING_SPRINGS,
    SETTING_ITERATION_LIMIT,
    SETTING_TOLERANCE,
    SETTING_MODE_COUNT,
    SETTING_CLUSTER_LEVEL
} bridge_setting;

static void receive_log(sn_log_level level, const char *message, void *user)
{
    (void)user;
    log_message((int)level, message, strlen(message));
}

EXPORT(start) void bridge_start(void)
{
    sn_set_log(receive_log, NULL);
}

/* ---- models ---- */

/* The bytes must be aligned to 8 and outlive the model. */
EXPORT(model_load) sn_model *bridge_model_load(const void *bytes, size_t size)
{
    sn_model *model = NULL;
    return sn_model_load(bytes, size, &model) == SN_OK ? model : NULL;
}

EXPORT(model_release) void bridge_model_release(sn_model *model)
{
    sn_model_release(model);
}
EXPORT(model_bone_count) int bridge_model_bone_count(const sn_model *model)
{
    return sn_model_bone_count(model);
}
EXPORT(model_mode_count) int bridge_model_mode_count(const sn_model *model)
{
    return sn_model_mode_count(model);
}
EXPORT(model_morph_count) int bridge_model_morph_count(const sn_model *model)
{
    return sn_model_morph_count(model);
}
EXPORT(model_clip_count) int bridge_model_clip_count(const sn_model *model)
{
    return sn_model_clip_count(model);
}
EXPORT(model_level_count) int bridge_model_level_count(const sn_model *model)
{
    return sn_model_cluster_level_count(model);
}
EXPORT(model_mass) double bridge_model_mass(const sn_model *model)
{
    return sn_model_mass(model);
}
EXPORT(model_scale) double bridge_model_scale(const sn_model *model)
{
    return sn_model_scale(model);
}
EXPORT(model_origin) void bridge_model_origin(const sn_model *model, double *origin)
{
    sn_model_origin(model, origin);
}
EXPORT(model_bone_name) const char *bridge_model_bone_name(const sn_model *model, int bone)
{
    return sn_model_bone_name(model, bone);
}
EXPORT(model_bone_pivot) void bridge_model_bone_pivot(const sn_model *model, int bone, double *pivot)
{
    sn_model_bone_pivot(model, bone, pivot);
}
EXPORT(model_bone_parent) int bridge_model_bone_parent(const sn_model *model, int bone)
{
    return sn_model_bone_parent(model, bone);
}
EXPORT(model_morph_name) const char *bridge_model_morph_name(const sn_model *model, int morph)
{
    return sn_model_morph_name(model, morph);
}
EXPORT(model_clip_name) const char *bridge_model_clip_name(const sn_model *model, int clip)
{
    return sn_model_clip_name(model, clip);
}
EXPORT(model_clip_seconds) double bridge_model_clip_seconds(const sn_model *model, int clip)
{
    return sn_model_clip_seconds(model, clip);
}
EXPORT(model_clip_pose) void bridge_model_clip_pose(const sn_model *model, int clip, double seconds, sn_mat3x4 *bones)
{
    sn_model_clip_pose(model, clip, seconds, bones, sn_model_bone_count(model));
}
EXPORT(surface_vertex_count) int bridge_surface_vertex_count(const sn_model *model)
{
    return sn_model_surface(model).vertex_count;
}
EXPORT(surface_diagonal) double bridge_surface_diagonal(const sn_model *model)
{
    return sn_model_surface(model).diagonal;
}
EXPORT(surface_tangents) const float *bridge_surface_tangents(const sn_model *model)
{
    return sn_model_surface(model).tangents;
}
/* Normals and uvs may be null. Returns false if memory is out. */
EXPORT(surface_find_vertices)
bool bridge_surface_find_vertices(const sn_model *model, int count, const float *positions, const float *normals,
                                  const float *uvs, int32_t *vertices)
{
    const sn_surface surface = sn_model_surface(model);
    const sn_mesh_vertices mesh = {.count = count, .positions = positions, .normals = normals, .uvs = uvs};
    return sn_surface_find_vertices(&surface, &mesh, vertices) == SN_OK;
}
EXPORT(surface_mode_weights) const sn_mode_weight *bridge_surface_mode_weights(const sn_model *model)
{
    return sn_model_surface(model).mode_weights;
}

/* ---- worlds ---- */

EXPORT(world_create) sn_world_id *bridge_world_create(double time_step, int step_limit)
{
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id *world = malloc(sizeof *world);
    desc.time_step = time_step;
    desc.step_limit = step_limit;
    if (!world || sn_world_create(&desc, world) != SN_OK) {
        free(world);
        return NULL;
    }
    return world;
}

EXPORT(world_destroy) void bridge_world_destroy(sn_world_id *world)
{
    sn_world_destroy(*world);
    free(world);
}

EXPORT(world_step) int bridge_world_step(const sn_world_id *world, double seconds)
{
    return sn_world_step(*world, seconds).step_count;
}

/* ---- bodies ---- */

EXPORT(body_create) bridge_body *bridge_body_create(const sn_world_id *world, const sn_model *model)
{
    bridge_body *body = malloc(sizeof *body);
    if (body) {
        body->desc = sn_default_body_desc();
        body->desc.model = model;
        if (sn_body_create(*world, &body->desc, &body->id) == SN_OK) {
            return body;
        }
    }
    free(body);
    return NULL;
}

EXPORT(body_destroy) void bridge_body_destroy(bridge_body *body)
{
    sn_body_destroy(body->id);
    free(body);
}

/* Changes the description; bridge_body_apply then uses it. */
EXPORT(body_set) void bridge_body_set(bridge_body *body, bridge_setting setting, double value)
{
    sn_body_desc *desc = &body->desc;
    switch (setting) {
    case SETTING_STIFFNESS:
        desc->stiffness = value;
        break;
    case SETTING_DAMPING:
        desc->damping = value;
        break;
    case SETTING_AMOUNT:
        desc->amount = value;
        break;
    case SETTING_GRAVITY_X:
    case SETTING_GRAVITY_Y:
    case SETTING_GRAVITY_Z:
        desc->gravity[setting - SETTING_GRAVITY_X] = value;
        break;
    case SETTING_WIND_X:
    case SETTING_WIND_Y:
    case SETTING_WIND_Z:
        desc->wind[setting - SETTING_WIND_X] = value;
        break;
    case SETTING_SPRINGS:
        desc->is_without_springs = value == 0;
        break;
    case SETTING_ITERATION_LIMIT:
        desc->iteration_limit = (int)value;
        break;
    case SETTING_TOLERANCE:
        desc->tolerance = value;
        break;
    case SETTING_MODE_COUNT:
        desc->mode_count = (int)value;
        break;
    case SETTING_CLUSTER_LEVEL:
        desc->cluster_level = (int)value;
        break;
    }
}

/* Returns false, with a log line, if a value is out of range; the body is then unchanged. */
EXPORT(body_apply) bool bridge_body_apply(bridge_body *body)
{
    return sn_body_set_desc(body->id, &body->desc) == SN_OK;
}

EXPORT(body_set_pose) void bridge_body_set_pose(bridge_body *body, const sn_mat3x4 *bones)
{
    sn_body_set_pose(body->id, bones, sn_model_bone_count(body->desc.model));
}

EXPORT(body_set_morphs) void bridge_body_set_morphs(bridge_body *body, const float *weights)
{
    sn_body_set_morphs(body->id, weights, sn_model_morph_count(body->desc.model));
}

EXPORT(body_reset) void bridge_body_reset(bridge_body *body)
{
    sn_body_reset(body->id);
}

EXPORT(body_teleport) void bridge_body_teleport(bridge_body *body, const sn_mat3x4 *transform)
{
    sn_body_teleport(body->id, transform);
}

EXPORT(body_apply_impulse)
void bridge_body_apply_impulse(bridge_body *body, const double *point, const double *impulse)
{
    sn_body_apply_impulse(body->id, point, impulse);
}

EXPORT(body_grab) int bridge_body_grab(bridge_body *body, const double *point, double max_distance)
{
    sn_grab_desc desc = sn_default_grab_desc();
    desc.max_distance = max_distance;
    return sn_body_grab(body->id, point, &desc);
}

EXPORT(body_drag) void bridge_body_drag(bridge_body *body, int grab, const double *target)
{
    sn_body_drag(body->id, grab, target);
}

EXPORT(body_let_go) void bridge_body_let_go(bridge_body *body, int grab)
{
    sn_body_release(body->id, grab);
}

/* Matrices (bone_count + mode_count of the model), valid until the next step. */
EXPORT(body_output) const sn_mat3x4 *bridge_body_output(bridge_body *body)
{
    return sn_body_output(body->id).matrices;
}

/* The modes of the body's level of detail; the matrices of further modes are zero. */
EXPORT(body_output_mode_count) int bridge_body_output_mode_count(bridge_body *body)
{
    return sn_body_output(body->id).mode_count;
}

/* For tests: positions (vertex_count x 3) of the drawn surface, in model units. */
EXPORT(body_skin) bool bridge_body_skin(bridge_body *body, float *positions, float *normals)
{
    const sn_surface surface = sn_model_surface(body->desc.model);
    const sn_body_matrices output = sn_body_output(body->id);
    return sn_surface_skin(&surface, &output, positions, normals, NULL) == SN_OK;
}
