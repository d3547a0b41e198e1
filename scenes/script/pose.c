/* SPDX-License-Identifier: MIT */
/* Scripted bone transforms of a body: clip or poses C_b, with drives D_b, which children inherit,
 *   E_b = E_parent C_parent^-1 C_b D_b   (a root: C_b D_b);
 * then the body's own transform. Drives are about rest pivots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/script/private.h"

/* ---- setup ---- */

static int find_clip(const sn_model *model, const char *name)
{
    for (int i = 0; i < sn_model_clip_count(model); ++i) {
        if (strcmp(sn_model_clip_name(model, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

int sn_scene_find_bone(const sn_model *model, const char *name)
{
    for (int i = 0; i < sn_model_bone_count(model); ++i) {
        if (strcmp(sn_model_bone_name(model, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool is_zero(const sn_scene_vector *vector)
{
    bool is_zero_vector = true;
    for (int d = 0; d < 3; ++d) {
        const sn_scene_number *n = &vector->at[d];
        is_zero_vector = is_zero_vector && n->constant == 0 && !n->expression && n->key_count == 0;
    }
    return is_zero_vector;
}

bool sn_scene_event_has_handle(const sn_scene_script *script, int body, const char *name)
{
    bool is_match = false;
    for (int i = 0; i < script->event_count; ++i) {
        const sn_cook_handles *handles = script->events[i].handles;
        for (int k = 0; handles && script->events[i].body == body && k < handles->count; ++k) {
            is_match = is_match || (handles->handles[k].name && strcmp(handles->handles[k].name, name) == 0);
        }
    }
    return is_match;
}

static sn_result find_drives(const sn_scene_script *script, sn_scene_entry *entry, int index, sn_scene_error *error)
{
    for (int i = 0; i < entry->script->drive_count; ++i) {
        const sn_scene_drive *drive = &entry->script->drives[i];
        const int bone = sn_scene_find_bone(entry->model, drive->bone);
        if (bone < 0 && (entry->from || sn_scene_event_has_handle(script, index, drive->bone))) {
            continue;
        }
        if (bone < 0) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].drives[%d]: no bone is named '%.80s'", index, i,
                                 drive->bone);
        }
        if (sn_model_is_bone_translation_only(entry->model, bone) && !entry->from &&
            !(is_zero(&drive->rotation) && is_zero(&drive->stretch))) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT,
                                 "bodies[%d].drives[%d]: cage vertex '%.80s' has no rotation or stretch", index, i,
                                 drive->bone);
        }
        entry->drives[bone] = i;
        if (drive->has_pivot) {
            memcpy(entry->pivots + 3 * (size_t)bone, drive->pivot, sizeof drive->pivot);
        }
    }
    return SN_OK;
}

/* Orders bones so that parents come before children. */
static void sort_bones(sn_scene_entry *entry)
{
    bool *is_sorted = calloc((size_t)entry->bone_count, sizeof *is_sorted);
    for (int count = 0; is_sorted && count < entry->bone_count;) {
        const int previous = count;
        for (int b = 0; b < entry->bone_count; ++b) {
            const int parent = sn_model_bone_parent(entry->model, b);
            if (!is_sorted[b] && (parent < 0 || is_sorted[parent])) {
                is_sorted[b] = true;
                entry->order[count++] = b;
            }
        }
        if (count == previous) {
            break; /* cannot happen: a model has no cycles */
        }
    }
    free(is_sorted);
}

/* Allocates everything that depends on the model's bones, except drives. */
static sn_result init_bones(sn_scene_entry *entry, const sn_model *model)
{
    const int bones = sn_model_bone_count(model);
    entry->model = model;
    entry->bone_count = bones;
    entry->order = calloc((size_t)bones, sizeof *entry->order);
    entry->drives = calloc((size_t)bones, sizeof *entry->drives);
    entry->pivots = calloc((size_t)bones, 3 * sizeof *entry->pivots);
    if (!entry->order || !entry->drives || !entry->pivots) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < bones; ++b) {
        entry->drives[b] = -1;
        sn_model_bone_pivot(model, b, entry->pivots + 3 * (size_t)b);
    }
    sort_bones(entry);
    return SN_OK;
}

sn_result sn_scene_entry_change(const sn_scene_entry *entry, const sn_model *model, sn_scene_entry *changed)
{
    sn_scene_error error;
    *changed = *entry;
    changed->order = changed->drives = changed->from = NULL;
    changed->pivots = NULL;
    sn_result result = init_bones(changed, model);
    changed->from = calloc((size_t)changed->bone_count, sizeof *changed->from);
    if (result == SN_OK && !changed->from) {
        result = SN_ERROR_MEMORY;
    }
    for (int b = 0; b < changed->bone_count && result == SN_OK; ++b) {
        changed->from[b] = sn_scene_find_bone(entry->model, sn_model_bone_name(model, b));
    }
    result = result ? result : find_drives(NULL, changed, 0, &error);
    if (result != SN_OK) {
        sn_scene_entry_destroy(changed);
    }
    return result;
}

/* True if a single clip of one frame serves as the standing pose. Coupled bodies start in the bind pose, because their
 * free bones would be thrown off otherwise. */
static bool uses_standing_clip(const sn_scene_body *body, const sn_model *model)
{
    return !body->clip && !body->poses && body->desc.solver == SN_SOLVER_REDUCED && sn_model_clip_count(model) == 1 &&
           sn_model_clip_seconds(model, 0) == 0;
}

sn_result sn_scene_entry_create(const sn_scene_script *script, int index, const sn_model *model, sn_scene_entry *entry,
                                sn_scene_error *error)
{
    const sn_scene_body *body = &script->bodies[index];
    const int bones = sn_model_bone_count(model);
    *entry = (sn_scene_entry){.script = body, .clip = uses_standing_clip(body, model) ? 0 : -1};
    entry->count = body->count > 0 ? body->count : 1;
    if (init_bones(entry, model) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    if (body->clip) {
        entry->clip = find_clip(model, body->clip);
        if (entry->clip < 0) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].clip: no clip is named '%.80s'", index,
                                 body->clip);
        }
    }
    if (body->poses && body->pose_bone_count != bones) {
        return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].motion: the poses have %d bones, the model has %d",
                             index, body->pose_bone_count, bones);
    }
    return find_drives(script, entry, index, error);
}

void sn_scene_entry_destroy(sn_scene_entry *entry)
{
    free(entry->order);
    free(entry->drives);
    free(entry->pivots);
    free(entry->from);
    *entry = (sn_scene_entry){0};
}

/* ---- evaluation ---- */

/* Samples an array of poses: linear interpolation, clamped at the ends. */
static void sample_poses(const sn_scene_body *body, int bone_count, double seconds, sn_mat3x4 *pose)
{
    const double at = fmin(fmax(seconds * body->pose_rate, 0), body->pose_count - 1);
    const int row = (int)at, next = row + 1 < body->pose_count ? row + 1 : row;
    const float fraction = (float)(at - row);
    for (int i = 0; i < 12 * bone_count; ++i) {
        const float *a = body->poses[(size_t)row * (size_t)bone_count + (size_t)(i / 12)].m[i % 12 / 4] + i % 4;
        const float *b = body->poses[(size_t)next * (size_t)bone_count + (size_t)(i / 12)].m[i % 12 / 4] + i % 4;
        pose[i / 12].m[i % 12 / 4][i % 4] = *a + fraction * (*b - *a);
    }
}

/* Computes C_b; for another rig, by bone name. */
static void find_base(sn_scene *scene, const sn_scene_state *state, const sn_scene_entry *entry,
                      const sn_number_context *context)
{
    const sn_scene_entry *script_entry = &scene->entries[state->entry];
    const sn_scene_body *body = entry->script;
    const double seconds = body->speed * (context->t - sn_number_value(&body->delay, context));
    if (script_entry->clip >= 0) {
        sn_model_clip_pose(script_entry->model, script_entry->clip, seconds, scene->pose, script_entry->bone_count);
    } else if (body->poses) {
        sample_poses(body, script_entry->bone_count, seconds, scene->pose);
    }
    for (int b = 0; b < entry->bone_count; ++b) {
        const int from = entry->from ? entry->from[b] : b;
        const bool is_moved = from >= 0 && (script_entry->clip >= 0 || body->poses);
        scene->base[b] = is_moved ? sn_frame_from_matrix(&scene->pose[from]) : sn_frame_identity;
    }
}

/* Computes D_b. */
static sn_frame drive_of(const sn_scene_entry *entry, int bone, const sn_number_context *context)
{
    double translation[3], rotation[3], stretch[3];
    if (entry->drives[bone] < 0) {
        return sn_frame_identity;
    }
    const sn_scene_drive *drive = &entry->script->drives[entry->drives[bone]];
    sn_vector_value(&drive->translation, context, translation);
    sn_vector_value(&drive->rotation, context, rotation);
    sn_vector_value(&drive->stretch, context, stretch);
    return sn_frame_about_pivot(entry->pivots + 3 * (size_t)bone, rotation, stretch, translation);
}

/* Computes E_b. */
static void find_driven(sn_scene *scene, const sn_scene_entry *entry, const sn_number_context *context)
{
    for (int k = 0; k < entry->bone_count; ++k) {
        const int bone = entry->order[k], parent = sn_model_bone_parent(entry->model, bone);
        const sn_frame drive = drive_of(entry, bone, context);
        sn_frame own = sn_frame_multiply(&scene->base[bone], &drive);
        if (parent >= 0) {
            const sn_frame inverse_base = sn_frame_inverse(&scene->base[parent]);
            own = sn_frame_multiply(&inverse_base, &own);
            own = sn_frame_multiply(&scene->driven[parent], &own);
        }
        scene->driven[bone] = own;
    }
}

static unsigned locks_of(const sn_scene_entry *entry, int bone, double t)
{
    unsigned locks =
        entry->from && entry->from[bone] < 0 ? 0 : entry->script->locks; /* bones that only the new rig has are free */
    const sn_scene_drive *drive = entry->drives[bone] < 0 ? NULL : &entry->script->drives[entry->drives[bone]];
    for (int i = 0; drive && i < drive->lock_count && drive->locks[i].seconds <= t + 1e-9; ++i) {
        locks = drive->locks[i].locks;
    }
    return locks;
}

/* Applies changed locks. A relative drive starts from its bone's current transform whenever more scalars get locked. */
static void set_locks(sn_scene *scene, sn_scene_state *state, const sn_scene_entry *entry)
{
    for (int b = 0; b < entry->bone_count; ++b) {
        const unsigned locks = locks_of(entry, b, scene->time), previous = state->locks[b];
        const bool is_relative = entry->drives[b] >= 0 && entry->script->drives[entry->drives[b]].is_relative;
        if (locks == previous) {
            continue;
        }
        if (is_relative && (locks & ~previous)) {
            const sn_frame current = sn_frame_from_matrix(&sn_body_output(state->body).matrices[b]);
            const sn_frame inverse_base = sn_frame_inverse(&scene->driven[b]);
            state->offsets[b] = sn_frame_multiply(&inverse_base, &current);
        }
        sn_body_set_locks(state->body, b, locks);
        state->locks[b] = locks;
    }
}

sn_frame sn_scene_scripted_frame(const sn_scene_body *body, const sn_number_context *context)
{
    double translation[3], rotation[3];
    sn_vector_value(&body->translation, context, translation);
    sn_vector_value(&body->rotation, context, rotation);
    return sn_frame_rigid(rotation, translation);
}

void sn_scene_pose_body(sn_scene *scene, sn_scene_state *state)
{
    const sn_scene_entry *entry = sn_scene_entry_of(scene, state);
    const sn_number_context context = sn_scene_number_context(scene, state);
    const sn_frame body_frame = sn_scene_is_rigid_dynamic(entry->script)
                                    ? state->rigid_frame
                                    : sn_scene_scripted_frame(entry->script, &context);
    find_base(scene, state, entry, &context);
    find_driven(scene, entry, &context);
    for (int b = 0; b < entry->bone_count; ++b) {
        scene->driven[b] = sn_frame_multiply(&body_frame, &scene->driven[b]);
    }
    if (state->locks) {
        set_locks(scene, state, entry);
    }
    for (int b = 0; b < entry->bone_count; ++b) {
        const sn_frame target =
            state->offsets ? sn_frame_multiply(&scene->driven[b], &state->offsets[b]) : scene->driven[b];
        scene->pose[b] = sn_frame_to_matrix(&target);
    }
    if (scene->pose_callback) {
        scene->pose_callback((int)(state - scene->bodies), scene->pose, entry->bone_count, scene->pose_callback_user);
    }
    sn_body_set_pose(state->body, scene->pose, entry->bone_count);
    const int morphs = sn_model_morph_count(entry->model);
    if (entry->clip >= 0 && morphs > 0 && !entry->from) {
        const double seconds = entry->script->speed * (context.t - sn_number_value(&entry->script->delay, &context));
        sn_model_clip_morphs(entry->model, entry->clip, seconds, scene->morphs, morphs);
        sn_body_set_morphs(state->body, scene->morphs, morphs);
    }
}

sn_result sn_scene_reserve_bones(sn_scene *scene, int bone_count)
{
    const size_t bones = (size_t)bone_count;
    if (bone_count <= scene->bone_capacity) {
        return SN_OK;
    }
    sn_frame *base = calloc(bones, sizeof *base), *driven = calloc(bones, sizeof *driven);
    sn_mat3x4 *pose = calloc(bones, sizeof *pose);
    const bool is_allocated = base && driven && pose; /* on failure the old buffers are kept */
    free(is_allocated ? scene->base : base);
    free(is_allocated ? scene->driven : driven);
    free(is_allocated ? scene->pose : pose);
    if (!is_allocated) {
        return SN_ERROR_MEMORY;
    }
    scene->base = base;
    scene->driven = driven;
    scene->pose = pose;
    scene->bone_capacity = bone_count;
    return SN_OK;
}
