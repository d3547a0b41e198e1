/* SPDX-License-Identifier: MIT */
/* Reads scene files. The reader is strict: unknown members and out-of-range values are errors. */
#include "tools/scene_json/scene_json.h"

#include <string.h>

#include "author/import/motion_file.h"
#include "author/io/json_load.h"
#include "tools/scene_json/number.h"

/* ---- bodies ---- */

/* Reads locks: "xyzr" from the start, or [[seconds, "xyzr"], ...]. */
static void read_drive_locks(sn_scene_reader *reader, const sn_json *object, sn_scene_drive *drive)
{
    const sn_json at = sn_json_get(object, "locks");
    if (!at.value) {
        return;
    }
    const int count = json_is_array(at.value) ? sn_scene_count(&at, SN_SCENE_PART_LIMIT) : 1;
    sn_scene_lock *locks = SN_SCENE_NEW(reader, sn_scene_lock, count);
    if (locks && !json_is_array(at.value)) {
        locks[0].locks = sn_scene_read_locks(&at);
    }
    for (int i = 0; locks && json_is_array(at.value) && i < count && !sn_json_failed(&at); ++i) {
        const sn_json key = sn_json_entry(&at, (size_t)i), text = sn_json_entry(&key, 1);
        if (sn_json_count(&key) != 2) {
            sn_json_fail(&key, SN_ERROR_FORMAT, "must be [seconds, locks]");
        }
        locks[i].seconds = sn_json_entry_number(&key, 0, 0);
        locks[i].locks = sn_scene_read_locks(&text);
    }
    drive->locks = locks;
    drive->lock_count = count;
}

static void read_drive(sn_scene_reader *reader, const sn_json *at, sn_scene_drive *drive)
{
    static const char *const members[] = {"bone",  "translation", "rotation", "stretch",
                                          "pivot", "locks",       "relative", NULL};
    const sn_json pivot = sn_json_get(at, "pivot");
    sn_json_check_keys(at, members);
    sn_json_require(at, "bone");
    drive->bone = sn_scene_read_text(reader, at, "bone");
    drive->has_pivot = sn_scene_read_point(&pivot, drive->pivot);
    drive->is_relative = sn_json_flag(at, "relative", false);
    sn_scene_read_vector(reader, at, "translation", &drive->translation);
    sn_scene_read_vector(reader, at, "rotation", &drive->rotation);
    sn_scene_read_vector(reader, at, "stretch", &drive->stretch);
    read_drive_locks(reader, at, drive);
}

static void read_drives(sn_scene_reader *reader, const sn_json *object, sn_scene_body *body)
{
    const sn_json list = sn_json_get(object, "drives");
    const int count = sn_scene_count(&list, SN_SCENE_PART_LIMIT);
    sn_scene_drive *drives = SN_SCENE_NEW(reader, sn_scene_drive, count);
    for (int i = 0; drives && i < count && !sn_json_failed(&list); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        read_drive(reader, &at, &drives[i]);
    }
    body->drives = drives;
    body->drive_count = count;
}

/* Reads a character: an index, or the name of one of the script's characters. */
static int find_character(const sn_json *object, const sn_scene_script *script)
{
    const sn_json at = sn_json_get(object, "character");
    const char *name = json_string_value(at.value);
    for (int i = 0; name && i < script->character_count; ++i) {
        if (script->characters[i].name && strcmp(script->characters[i].name, name) == 0) {
            return i;
        }
    }
    if (name) {
        sn_json_fail(&at, SN_ERROR_FORMAT, "no character is called '%.80s'", name);
    }
    return at.value ? sn_json_index(object, "character", script->character_count) : 0;
}

/* In the order of sn_body_solver. */
static const char *const solvers[] = {"reduced", "coupled", "layered", NULL};

enum { OF_REDUCED = 1 << SN_SOLVER_REDUCED, OF_COUPLED = 1 << SN_SOLVER_COUPLED, OF_LAYERED = 1 << SN_SOLVER_LAYERED };

/* Members that only some solvers support. */
static void check_solver(const sn_json *object, const sn_scene_body *body)
{
    static const struct {
        const char *key;
        int solvers;
    } members[] = {{"substeps", OF_COUPLED | OF_LAYERED},
                   {"sweeps", OF_COUPLED | OF_LAYERED},
                   {"mass", OF_COUPLED | OF_LAYERED},
                   {"rigid_damped", OF_COUPLED | OF_LAYERED},
                   {"sleep_speed", OF_COUPLED | OF_LAYERED},
                   {"poisson", OF_COUPLED},
                   {"compliance", OF_COUPLED},
                   {"driven_only", OF_COUPLED},
                   {"locks", OF_COUPLED},
                   {"flesh", OF_COUPLED},
                   {"layered_mode", OF_LAYERED},
                   {"consolidating", OF_LAYERED},
                   {"amount", OF_REDUCED},
                   {"iterations", OF_REDUCED},
                   {"tolerance", OF_REDUCED},
                   {"modes_used", OF_REDUCED},
                   {"cluster_level", OF_REDUCED},
                   {"neo_hookean", OF_REDUCED},
                   {"bone_colliders", OF_REDUCED},
                   {"gravity_rest", OF_REDUCED},
                   {"springbones", OF_REDUCED | OF_LAYERED},
                   {"spring_area", OF_REDUCED | OF_LAYERED}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i) {
        const sn_json at = sn_json_get(object, members[i].key);
        if (at.value && !(members[i].solvers >> body->desc.solver & 1)) {
            sn_json_fail(&at, SN_ERROR_FORMAT, "is not known to the solver \"%s\"", solvers[body->desc.solver]);
        }
    }
}

static void read_desc(const sn_json *at, sn_body_desc *desc)
{
    static const char *const modes[] = {"unordered", "layers", NULL}; /* of sn_layered_mode */
    int solver = SN_SOLVER_REDUCED, mode = SN_LAYERED_UNORDERED;
    sn_scene_read_choice(at, "solver", solvers, &solver);
    sn_scene_read_choice(at, "layered_mode", modes, &mode);
    desc->solver = (sn_body_solver)solver;
    desc->layered_mode = (sn_layered_mode)mode;
    desc->consolidation_sweep_count =
        (int)sn_json_integer(at, "consolidating", desc->consolidation_sweep_count, 0, 1000);
    desc->substep_count = (int)sn_json_integer(at, "substeps", desc->substep_count, 0, 1000);
    desc->sweep_count = (int)sn_json_integer(at, "sweeps", desc->sweep_count, 1, 1000);
    desc->poisson = sn_json_number(at, "poisson", desc->poisson);
    desc->sleep_speed = sn_json_number(at, "sleep_speed", desc->sleep_speed);
    desc->is_constraint_locked_only = sn_json_flag(at, "driven_only", desc->is_constraint_locked_only);
    desc->is_rigid_damped = sn_json_flag(at, "rigid_damped", desc->is_rigid_damped);
    desc->iteration_limit = (int)sn_json_integer(at, "iterations", desc->iteration_limit, 1, 1000000);
    desc->tolerance = sn_json_number(at, "tolerance", desc->tolerance);
    desc->mode_count = (int)sn_json_integer(at, "modes_used", desc->mode_count, 1, 1000);
    desc->cluster_level = (int)sn_json_integer(at, "cluster_level", desc->cluster_level, 0, 100);
    desc->is_neo_hookean = sn_json_flag(at, "neo_hookean", desc->is_neo_hookean);
    static const char *const springs[] = {"run", "ignore", NULL};
    int is_without_springs = desc->is_without_springs;
    sn_scene_read_choice(at, "springbones", springs, &is_without_springs);
    desc->is_without_springs = is_without_springs == 1;
    desc->spring_wind_area = sn_json_number(at, "spring_area", desc->spring_wind_area);
    desc->has_gravity_at_rest = sn_json_flag(at, "gravity_rest", desc->has_gravity_at_rest);
    desc->is_without_bone_colliders = !sn_json_flag(at, "bone_colliders", !desc->is_without_bone_colliders);
}

static void read_body(sn_scene_reader *reader, const sn_json *at, const sn_scene_script *script, sn_scene_body *body,
                      const char **motion)
{
    static const char *const members[] = {"character",
                                          "solver",
                                          "count",
                                          "translation",
                                          "rotation",
                                          "clip",
                                          "motion",
                                          "rate",
                                          "speed",
                                          "delay",
                                          "stiffness",
                                          "damping",
                                          "amount",
                                          "compliance",
                                          "substeps",
                                          "sleep_speed",
                                          "sweeps",
                                          "poisson",
                                          "driven_only",
                                          "rigid_damped",
                                          "iterations",
                                          "tolerance",
                                          "modes_used",
                                          "locks",
                                          "drives",
                                          "cluster_level",
                                          "mass",
                                          "neo_hookean",
                                          "bone_colliders",
                                          "flesh",
                                          "layered_mode",
                                          "consolidating",
                                          "springbones",
                                          "spring_area",
                                          "rigid",
                                          "gravity_rest",
                                          NULL};
    const sn_json locks = sn_json_get(at, "locks");
    *body = sn_default_scene_body();
    sn_json_check_keys(at, members);
    read_desc(at, &body->desc);
    check_solver(at, body);
    body->is_flesh_drawn = sn_json_flag(at, "flesh", false);
    body->character = find_character(at, script);
    body->count = (int)sn_json_integer(at, "count", 1, 1, SN_SCENE_BODY_LIMIT);
    sn_scene_read_vector(reader, at, "translation", &body->translation);
    sn_scene_read_vector(reader, at, "rotation", &body->rotation);
    body->clip = sn_scene_read_text(reader, at, "clip");
    *motion = sn_scene_read_path(reader, at, "motion");
    body->pose_rate = sn_json_number(at, "rate", 60);
    body->speed = sn_json_number(at, "speed", 1);
    sn_scene_read_number(reader, at, "delay", &body->delay);
    sn_scene_read_number(reader, at, "stiffness", &body->stiffness);
    sn_scene_read_number(reader, at, "damping", &body->damping);
    sn_scene_read_number(reader, at, "amount", &body->amount);
    sn_scene_read_number(reader, at, "compliance", &body->compliance);
    sn_scene_read_number(reader, at, "mass", &body->mass);
    body->locks = locks.value ? sn_scene_read_locks(&locks) : SN_LOCK_ALL;
    read_drives(reader, at, body);
    body->rigid = sn_scene_read_rigid(reader, at);
    if (body->clip && *motion) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have either a clip or a motion");
    }
    if (*motion && sn_is_motion_file(*motion) && sn_json_has(at, "rate")) {
        const sn_json rate = sn_json_get(at, "rate");
        sn_json_fail(&rate, SN_ERROR_FORMAT, "belongs to an array: the motion has its own");
    }
}

/* ---- colliders and events ---- */

/* Required members of each shape, and members that only surfaces have. */
static void check_shape(const sn_json *at, int shape)
{
    static const char *const needed[SN_COLLIDER_SHAPE_COUNT] = {[SN_COLLIDER_SPHERE] = "radius",
                                                                [SN_COLLIDER_CAPSULE] = "radius",
                                                                [SN_COLLIDER_BOX] = "half_extents",
                                                                [SN_COLLIDER_GRID] = "surface"};
    const sn_json file = sn_json_get(at, "surface");
    if (needed[shape]) {
        sn_json_require(at, needed[shape]);
    }
    if (shape != SN_COLLIDER_GRID && file.value) {
        sn_json_fail(&file, SN_ERROR_FORMAT, "belongs to the shape \"surface\", and to no other");
    }
}

static void read_collider(sn_scene_reader *reader, const sn_json *at, sn_scene_collider *collider, const char **surface)
{
    static const char *const members[] = {"shape",    "radius",      "half_height", "half_extents",
                                          "friction", "translation", "rotation",    "surface",
                                          "cells",    "hidden",      NULL};
    static const char *const shapes[SN_COLLIDER_SHAPE_COUNT + 1] = {[SN_COLLIDER_PLANE] = "plane",
                                                                    [SN_COLLIDER_SPHERE] = "sphere",
                                                                    [SN_COLLIDER_CAPSULE] = "capsule",
                                                                    [SN_COLLIDER_BOX] = "box",
                                                                    [SN_COLLIDER_GRID] = "surface"};
    const sn_json extents = sn_json_get(at, "half_extents");
    int shape = SN_COLLIDER_PLANE;
    collider->desc = sn_default_collider_desc();
    sn_json_check_keys(at, members);
    sn_json_require(at, "shape");
    sn_scene_read_choice(at, "shape", shapes, &shape);
    collider->desc.shape = (sn_collider_shape)shape;
    collider->desc.radius = sn_json_number(at, "radius", 0);
    collider->desc.half_height = sn_json_number(at, "half_height", 0);
    sn_scene_read_point(&extents, collider->desc.half_extents);
    collider->desc.friction = sn_json_number(at, "friction", collider->desc.friction);
    collider->cells = (int)sn_json_integer(at, "cells", 96, 2, 256);
    collider->is_hidden = sn_json_flag(at, "hidden", false);
    sn_scene_read_vector(reader, at, "translation", &collider->translation);
    sn_scene_read_vector(reader, at, "rotation", &collider->rotation);
    *surface = sn_scene_read_path(reader, at, "surface");
    collider->name = *surface;
    check_shape(at, shape);
}

static void read_grab(sn_scene_reader *reader, const sn_json *at, const sn_scene_script *script, sn_scene_grab *grab)
{
    static const char *const members[] = {"body",  "copy",     "from",          "until",    "point", "path",
                                          "reach", "softness", "damping_ratio", "strength", NULL};
    const sn_json point = sn_json_get(at, "point");
    grab->desc = sn_default_grab_desc();
    sn_json_check_keys(at, members);
    sn_json_require(at, "path");
    grab->body = sn_json_has(at, "body") ? sn_json_index(at, "body", script->body_count) : 0;
    grab->copy = (int)sn_json_integer(at, "copy", 0, 0, SN_SCENE_BODY_LIMIT);
    grab->from = sn_json_number(at, "from", 0);
    grab->until = sn_json_number(at, "until", SN_SCENE_SECONDS_LIMIT);
    grab->has_point = sn_scene_read_point(&point, grab->point);
    sn_scene_read_vector(reader, at, "path", &grab->path);
    grab->desc.max_distance = sn_json_number(at, "reach", grab->desc.max_distance);
    grab->desc.softness = sn_json_number(at, "softness", grab->desc.softness);
    grab->desc.damping_ratio = sn_json_number(at, "damping_ratio", grab->desc.damping_ratio);
    grab->desc.strength = sn_json_number(at, "strength", grab->desc.strength);
}

static void read_impulse(sn_scene_reader *reader, const sn_json *at, const sn_scene_script *script,
                         sn_scene_impulse *impulse)
{
    static const char *const members[] = {"body", "copy", "at", "every", "bone", "point", "impulse", NULL};
    const sn_json point = sn_json_get(at, "point");
    sn_json_check_keys(at, members);
    sn_json_require(at, "impulse");
    impulse->body = sn_json_has(at, "body") ? sn_json_index(at, "body", script->body_count) : 0;
    impulse->copy = (int)sn_json_integer(at, "copy", -1, 0, SN_SCENE_BODY_LIMIT);
    impulse->seconds = sn_json_number(at, "at", 0);
    impulse->period = sn_json_number(at, "every", 0);
    impulse->bone = sn_scene_read_text(reader, at, "bone");
    sn_scene_read_vector(reader, at, "impulse", &impulse->impulse);
    if (sn_scene_read_point(&point, impulse->point) == (impulse->bone != NULL)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have either a bone or a point");
    }
}

/* ---- the scene ---- */

static void read_floor(const sn_json *at, sn_scene_script *script)
{
    static const char *const members[] = {"height", "friction", NULL};
    script->has_floor = at->value != NULL;
    sn_json_check_keys(at, members);
    script->floor_height = sn_json_number(at, "height", 0);
    script->floor_friction = sn_json_number(at, "friction", sn_default_collider_desc().friction);
}

static void read_camera(const sn_json *at, sn_scene_camera *camera)
{
    static const char *const members[] = {"target", "distance", "yaw", "pitch", NULL};
    const sn_json target = sn_json_get(at, "target");
    camera->is_set = at->value != NULL;
    sn_json_check_keys(at, members);
    sn_scene_read_point(&target, camera->target);
    camera->distance = sn_json_number(at, "distance", 0);
    camera->yaw = sn_json_number(at, "yaw", 0);
    camera->pitch = sn_json_number(at, "pitch", 0);
}

/* Reads a list into the arena: one `type` per entry by `read`, which may use the index `i`. */
#define READ_LIST(type, member, list_of, count_of, read)                                                               \
    do {                                                                                                               \
        const sn_json list = sn_json_get(&root, member);                                                               \
        const int count = sn_scene_count(&list, SN_SCENE_PART_LIMIT);                                                  \
        type *items = SN_SCENE_NEW(reader, type, count);                                                               \
        for (int i = 0; items && i < count && !sn_json_failed(&root); ++i) {                                           \
            const sn_json at = sn_json_entry(&list, (size_t)i);                                                        \
            read;                                                                                                      \
        }                                                                                                              \
        list_of = items;                                                                                               \
        count_of = count;                                                                                              \
    } while (0)

static void read_root(sn_scene_reader *reader, const json_t *value, sn_scene_script *script, sn_scene_files *files)
{
    static const char *const members[] = {"says",  "seconds",  "time_step",  "gravity", "wind",
                                          "floor", "camera",   "characters", "bodies",  "colliders",
                                          "grabs", "impulses", "events",     NULL};
    const sn_json root = sn_json_root(&reader->json, value);
    if (!json_is_object(value)) {
        sn_json_fail(&root, SN_ERROR_FORMAT, "is not an object");
        return;
    }
    const sn_json floor = sn_json_get(&root, "floor"), camera = sn_json_get(&root, "camera");
    sn_json_check_keys(&root, members);
    script->description = sn_scene_read_text(reader, &root, "says");
    script->seconds = sn_json_number(&root, "seconds", 10);
    script->time_step = sn_json_number(&root, "time_step", 0);
    sn_scene_read_vector(reader, &root, "gravity", &script->gravity);
    sn_scene_read_vector(reader, &root, "wind", &script->wind);
    read_floor(&floor, script);
    read_camera(&camera, &script->camera);
    READ_LIST(sn_scene_character, "characters", script->characters, script->character_count,
              sn_scene_read_character(reader, &at, &items[i]));
    files->motions = SN_SCENE_NEW(reader, const char *, SN_SCENE_PART_LIMIT);
    files->surfaces = SN_SCENE_NEW(reader, const char *, SN_SCENE_PART_LIMIT);
    if (!files->motions || !files->surfaces) {
        return;
    }
    READ_LIST(sn_scene_body, "bodies", script->bodies, script->body_count,
              read_body(reader, &at, script, &items[i], &files->motions[i]));
    READ_LIST(sn_scene_collider, "colliders", script->colliders, script->collider_count,
              read_collider(reader, &at, &items[i], &files->surfaces[i]));
    READ_LIST(sn_scene_grab, "grabs", script->grabs, script->grab_count, read_grab(reader, &at, script, &items[i]));
    READ_LIST(sn_scene_impulse, "impulses", script->impulses, script->impulse_count,
              read_impulse(reader, &at, script, &items[i]));
    READ_LIST(sn_scene_event, "events", script->events, script->event_count,
              sn_scene_read_event(reader, &at, script, &items[i]));
}

sn_result sn_scene_json_read(const sn_source *source, sn_arena *arena, sn_scene_script *script, sn_scene_files *files)
{
    sn_scene_reader reader = {.json = {.name = source->name}, .arena = arena, .path = source->name};
    json_t *root = NULL;
    *script = (sn_scene_script){.name = source->name};
    *files = (sn_scene_files){0};
    const sn_result result = sn_json_load(source, JSON_REJECT_DUPLICATES, &root);
    if (result != SN_OK) {
        return result;
    }
    read_root(&reader, root, script, files);
    json_decref(root);
    return reader.json.result;
}
