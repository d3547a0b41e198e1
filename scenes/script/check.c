/* SPDX-License-Identifier: MIT */
/* Validates a script before anything is created. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scenes/script/private.h"

sn_result sn_scene_fail(sn_scene_error *error, sn_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return result;
}

const char *sn_scene_location(const sn_scene_script *script, const char *list, int index, char *text)
{
    snprintf(text, SN_SCENE_LOCATION_SIZE, "%s%s%s[%d]", script->name ? script->name : "", script->name ? ": " : "",
             list, index);
    return text;
}

static sn_result fail_entry(sn_scene_error *error, const char *list, int index, const char *message)
{
    return sn_scene_fail(error, SN_ERROR_ARGUMENT, "%s[%d]%s", list, index, message);
}

static bool is_finite3(const double *value)
{
    return isfinite(value[0]) && isfinite(value[1]) && isfinite(value[2]);
}

/* ---- numbers ---- */

static bool check_number(const sn_scene_number *number, const char *number_path, void *user)
{
    sn_scene_error *error = user;
    sn_expression expression;
    sn_expression_error expression_error;
    bool is_ok = isfinite(number->constant) && number->key_count >= 0 && number->ease < SN_EASE_COUNT;
    if (!is_ok) {
        sn_scene_fail(error, SN_ERROR_ARGUMENT, "%s: not a number", number_path);
    }
    for (int k = 0; k < number->key_count && is_ok; ++k) {
        const sn_scene_key *key = &number->keys[k];
        is_ok = isfinite(key->seconds) && isfinite(key->value) && (k == 0 || key->seconds > key[-1].seconds);
        if (!is_ok) {
            sn_scene_fail(error, SN_ERROR_ARGUMENT, "%s: key %d: keys must be finite, with increasing times",
                          number_path, k);
        }
    }
    if (is_ok && number->expression && !sn_expression_compile(number->expression, &expression, &expression_error)) {
        sn_scene_fail(error, SN_ERROR_ARGUMENT, "%s: '%.80s': character %zu: %s", number_path, number->expression,
                      expression_error.at + 1, expression_error.message);
        is_ok = false;
    }
    return is_ok;
}

/* ---- characters ---- */

static bool is_outline_valid(const sn_scene_shape *shape)
{
    int total = 0;
    for (int i = 0; i < shape->loop_count; ++i) {
        if (shape->loop_lengths[i] < 3 || shape->loop_lengths[i] > shape->point_count - total) {
            return false;
        }
        total += shape->loop_lengths[i];
    }
    bool is_valid = shape->point_count >= 3 && shape->point_count <= SN_SHAPE_POINT_LIMIT &&
                    (shape->loop_count == 0 || total == shape->point_count);
    for (int i = 0; i < shape->point_count && is_valid; ++i) {
        is_valid = isfinite(shape->points[i][0]) && isfinite(shape->points[i][1]);
    }
    return is_valid;
}

static bool is_blob_valid(const sn_scene_blob *blob)
{
    return is_finite3(blob->from) && is_finite3(blob->to) && blob->from_radius > 0 && blob->to_radius > 0 &&
           isfinite(blob->from_radius) && isfinite(blob->to_radius);
}

static sn_result check_shape(const sn_scene_shape *shape, int index, sn_scene_error *error)
{
    if (shape->type <= SN_SHAPE_NONE || shape->type >= SN_SHAPE_TYPE_COUNT) {
        return fail_entry(error, "characters", index, ": a path or a shape is required");
    }
    if (!(shape->edge_length > 0) || !isfinite(shape->edge_length)) {
        return fail_entry(error, "characters", index, ".shape.edge_length: must be above 0");
    }
    if (shape->type == SN_SHAPE_OUTLINE && !is_outline_valid(shape)) {
        return fail_entry(error, "characters", index, ".shape.outline: each loop needs at least 3 finite points");
    }
    if (shape->type == SN_SHAPE_BLOBS && (shape->blob_count < 1 || shape->blob_count > SN_SHAPE_BLOB_LIMIT ||
                                          !(shape->blend >= 0) || !isfinite(shape->blend))) {
        return fail_entry(error, "characters", index,
                          ".shape.blobs: 1 to 256 blobs and a blend of 0 or more are required");
    }
    for (int i = 0; i < shape->blob_count; ++i) {
        if (!is_blob_valid(&shape->blobs[i])) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT,
                                 "characters[%d].shape.blobs[%d]: ends must be finite and radii above 0", index, i);
        }
    }
    if (shape->type == SN_SHAPE_BOX &&
        !(is_finite3(shape->half_extents) && is_finite3(shape->center) &&
          fmin(shape->half_extents[0], shape->half_extents[1]) > 0 && (shape->is_flat || shape->half_extents[2] > 0))) {
        return fail_entry(error, "characters", index, ".shape.box: extents must be above 0");
    }
    return SN_OK;
}

/* ---- bodies ---- */

static sn_result check_locks(const sn_scene_drive *drive, int body, int index, sn_scene_error *error)
{
    for (int i = 0; i < drive->lock_count; ++i) {
        const sn_scene_lock *lock = &drive->locks[i];
        if (!isfinite(lock->seconds) || (i > 0 && lock->seconds <= lock[-1].seconds) || lock->locks > SN_LOCK_ALL) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].drives[%d].locks[%d]: times must increase", body,
                                 index, i);
        }
    }
    return SN_OK;
}

static sn_result check_drives(const sn_scene_body *body, int index, sn_scene_error *error)
{
    for (int i = 0; i < body->drive_count; ++i) {
        const sn_scene_drive *drive = &body->drives[i];
        if (!drive->bone || !is_finite3(drive->pivot)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT,
                                 "bodies[%d].drives[%d]: a bone and a finite pivot are required", index, i);
        }
        for (int k = 0; k < i; ++k) {
            if (strcmp(drive->bone, body->drives[k].bone) == 0) {
                return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].drives[%d]: '%.80s' is driven twice", index,
                                     i, drive->bone);
            }
        }
        const bool has_locks = drive->lock_count > 0 || drive->is_relative;
        if (has_locks && body->desc.solver != SN_SOLVER_COUPLED) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].drives[%d]: only coupled bodies have locks",
                                 index, i);
        }
        const sn_result result = check_locks(drive, index, i, error);
        if (result != SN_OK) {
            return result;
        }
    }
    return SN_OK;
}

static sn_result check_body(const sn_scene_script *script, int index, sn_scene_error *error)
{
    const sn_scene_body *body = &script->bodies[index];
    if (body->character < 0 || body->character >= script->character_count) {
        return fail_entry(error, "bodies", index, ".character: no character has this index");
    }
    if (body->count < 0 || body->count > SN_SCENE_BODY_LIMIT) {
        return fail_entry(error, "bodies", index, ".count: must be 1 to 10000");
    }
    if (body->drive_count < 0 || body->drive_count > SN_SCENE_PART_LIMIT || body->locks > SN_LOCK_ALL) {
        return fail_entry(error, "bodies", index, ".drives: too many drives, or unknown locks");
    }
    if (body->clip && body->poses) {
        return fail_entry(error, "bodies", index, ": set either a clip or poses");
    }
    if ((body->poses && !(body->pose_count > 0 && body->pose_rate > 0)) || !(body->speed > 0) ||
        !isfinite(body->speed)) {
        return fail_entry(error, "bodies", index, ".speed: speed and pose rate must be above 0");
    }
    return check_drives(body, index, error);
}

static int copies(const sn_scene_body *body)
{
    return body->count > 0 ? body->count : 1;
}

static sn_result check_bodies(const sn_scene_script *script, sn_scene_error *error)
{
    int total = 0;
    for (int i = 0; i < script->body_count; ++i) {
        const sn_result result = check_body(script, i, error);
        if (result != SN_OK) {
            return result;
        }
        total += copies(&script->bodies[i]);
        if (total > SN_SCENE_BODY_LIMIT) {
            return fail_entry(error, "bodies", i, ".count: more than 10000 bodies");
        }
    }
    return SN_OK;
}

/* ---- grabs, impulses, events ---- */

static bool has_copy(const sn_scene_script *script, int body, int copy, int min_copy)
{
    return body >= 0 && body < script->body_count && copy >= min_copy && copy < copies(&script->bodies[body]);
}

static sn_result check_events(const sn_scene_script *script, sn_scene_error *error)
{
    for (int i = 0; i < script->grab_count; ++i) {
        const sn_scene_grab *grab = &script->grabs[i];
        if (!has_copy(script, grab->body, grab->copy, 0)) {
            return fail_entry(error, "grabs", i, ".body: no body has this index");
        }
        if (!isfinite(grab->from) || !(grab->until > grab->from) || !is_finite3(grab->point)) {
            return fail_entry(error, "grabs", i, ".until: must be later than `from`");
        }
        if (!(grab->desc.max_distance >= 0) || !(grab->desc.softness >= 0) || !(grab->desc.damping_ratio >= 0) ||
            !(grab->desc.strength >= 0)) {
            return fail_entry(error, "grabs", i, ": reach, softness, damping_ratio and strength must be 0 or more");
        }
    }
    for (int i = 0; i < script->impulse_count; ++i) {
        const sn_scene_impulse *impulse = &script->impulses[i];
        if (!has_copy(script, impulse->body, impulse->copy, -1)) {
            return fail_entry(error, "impulses", i, ".body: no body has this index");
        }
        if (!isfinite(impulse->seconds) || !(impulse->period >= 0) || !is_finite3(impulse->point)) {
            return fail_entry(error, "impulses", i, ": time and point must be finite, the period 0 or more");
        }
    }
    return SN_OK;
}

static sn_result check_parameters(const sn_scene_event *e, sn_body_solver solver, int index, sn_scene_error *error)
{
    const unsigned allowed = solver == SN_SOLVER_COUPLED   ? SN_SCENE_COUPLED_PARAMETERS
                             : solver == SN_SOLVER_LAYERED ? SN_SCENE_LAYERED_PARAMETERS
                                                           : SN_SCENE_REDUCED_PARAMETERS;
    if (!(e->parameters & (SN_SCENE_REDUCED_PARAMETERS | SN_SCENE_COUPLED_PARAMETERS) & ~allowed)) {
        return SN_OK;
    }
    return fail_entry(error, "events", index,
                      solver == SN_SOLVER_COUPLED ? ": a coupled body has no amount"
                      : solver == SN_SOLVER_LAYERED
                          ? ": a layered body has no amount, poisson or compliance"
                          : ": a reduced body has no mass, poisson, compliance, substeps or sweeps");
}

static sn_result check_change(const sn_scene_script *script, int index, sn_scene_error *error)
{
    const sn_scene_event *e = &script->events[index];
    const bool targets_body = e->body >= 0;
    const sn_body_solver solver =
        targets_body && e->body < script->body_count ? script->bodies[e->body].desc.solver : SN_SOLVER_REDUCED;
    if (targets_body && !has_copy(script, e->body, e->copy, -1)) {
        return fail_entry(error, "events", index, ".body: no body has this index");
    }
    if (e->collider < -1 || e->collider >= script->collider_count || targets_body == (e->collider >= 0)) {
        return fail_entry(error, "events", index, ": must refer to either an existing body or an existing collider");
    }
    if (!(e->seconds >= 0) || !isfinite(e->seconds)) {
        return fail_entry(error, "events", index, ".at: must be 0 or later");
    }
    if (e->has_friction && !(e->friction >= 0)) {
        return fail_entry(error, "events", index, ".friction: must be 0 or more");
    }
    if (e->locks > SN_LOCK_ALL) {
        return fail_entry(error, "events", index, ".locks: unknown locks");
    }
    if (e->has_lame && !(e->lame[0] >= 0 && e->lame[1] > 0 && isfinite(e->lame[0] + e->lame[1]))) {
        return fail_entry(error, "events", index, ".lame: lambda must be 0 or more, mu above 0");
    }
    if ((e->bone || e->handles || e->has_lame) && solver != SN_SOLVER_COUPLED) {
        return fail_entry(error, "events", index,
                          ": only coupled bodies have bones, handles and Lame parameters to change");
    }
    return targets_body ? check_parameters(e, solver, index, error) : SN_OK;
}

static sn_result check_changes(const sn_scene_script *script, sn_scene_error *error)
{
    sn_result result = SN_OK;
    for (int i = 0; i < script->event_count && result == SN_OK; ++i) {
        result = check_change(script, i, error);
    }
    return result;
}

static sn_result check_colliders(const sn_scene_script *script, sn_scene_error *error)
{
    for (int i = 0; i < script->collider_count; ++i) {
        const sn_scene_collider *c = &script->colliders[i];
        if (c->desc.shape == SN_COLLIDER_GRID && (c->vertex_count < 3 || c->triangle_count < 1 || !c->positions)) {
            return fail_entry(error, "colliders", i, ": a grid requires a surface");
        }
    }
    return SN_OK;
}

static sn_result check_counts(const sn_scene_script *script, sn_scene_error *error)
{
    const struct {
        const char *name;
        int count;
    } lists[] = {{"characters", script->character_count}, {"bodies", script->body_count},
                 {"colliders", script->collider_count},   {"grabs", script->grab_count},
                 {"impulses", script->impulse_count},     {"events", script->event_count}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        if (lists[i].count < (i < 2) || lists[i].count > SN_SCENE_PART_LIMIT) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "%s: must have %d to %d entries", lists[i].name, i < 2,
                                 SN_SCENE_PART_LIMIT);
        }
    }
    return SN_OK;
}

static sn_result check_scene(const sn_scene_script *script, sn_scene_error *error)
{
    const sn_scene_camera *camera = &script->camera;
    if (!(script->seconds > 0) || script->seconds > SN_SCENE_SECONDS_LIMIT) {
        return sn_scene_fail(error, SN_ERROR_ARGUMENT, "seconds: must be above 0 and at most a day");
    }
    if (!(script->time_step >= 0) || script->time_step > 1) {
        return sn_scene_fail(error, SN_ERROR_ARGUMENT, "time_step: must be above 0 and at most a second");
    }
    if (script->has_floor &&
        !(isfinite(script->floor_height) && script->floor_friction >= 0 && isfinite(script->floor_friction))) {
        return sn_scene_fail(error, SN_ERROR_ARGUMENT, "floor: height and friction must be finite, friction 0 or more");
    }
    if (camera->is_set && !(is_finite3(camera->target) && camera->distance > 0 && isfinite(camera->distance) &&
                            isfinite(camera->yaw) && fabs(camera->pitch) < 1.57)) {
        return sn_scene_fail(error, SN_ERROR_ARGUMENT,
                             "camera: the distance must be above 0, the pitch within 89 degrees");
    }
    return SN_OK;
}

sn_result sn_scene_check(const sn_scene_script *script, sn_scene_error *error)
{
    error->text[0] = '\0';
    sn_result result = check_scene(script, error);
    result = result ? result : check_counts(script, error);
    for (int i = 0; i < script->character_count && result == SN_OK; ++i) {
        const sn_scene_character *c = &script->characters[i];
        result = c->path ? SN_OK : check_shape(&c->shape, i, error);
    }
    result = result ? result : check_bodies(script, error);
    result = result ? result : check_colliders(script, error);
    result = result ? result : check_events(script, error);
    result = result ? result : sn_scene_check_rigid(script, error);
    result = result ? result : check_changes(script, error);
    if (result == SN_OK && !sn_scene_visit_numbers(script, check_number, error)) {
        result = SN_ERROR_ARGUMENT;
    }
    return result;
}
