/* SPDX-License-Identifier: MIT */
/* Advances a scene: parameters, poses, colliders, grabs and impulses, then the world's step. */
#include <math.h>
#include <string.h>

#include "scenes/script/private.h"

static void move_colliders(sn_scene *scene)
{
    for (int i = 0; i < scene->script->collider_count; ++i) {
        const sn_collider_desc desc = sn_scene_collider_at(scene, i);
        if (scene->is_removed[i]) {
            continue;
        }
        sn_collider_set_transform(scene->colliders[i], &desc.transform);
    }
}

static sn_scene_state *state_of(const sn_scene *scene, int entry, int copy)
{
    return &scene->bodies[scene->entries[entry].first + copy];
}

/* ---- grabs ---- */

/* Starts, drags or releases a grab at the scene's time. False: a grab found nothing within its radius. */
static bool update_grab(sn_scene *scene, int index)
{
    const sn_scene_grab *grab = &scene->script->grabs[index];
    sn_scene_state *state = state_of(scene, grab->body, grab->copy);
    const sn_number_context now = sn_scene_number_context(scene, state);
    const bool is_active = scene->time >= grab->from - 1e-9 && scene->time < grab->until - 1e-9;
    double target[3], point[3];
    bool has_missed = false;
    sn_vector_value(&grab->path, &now, target);
    if (is_active && !scene->has_grab_started[index]) {
        memcpy(point, grab->has_point ? grab->point : target, sizeof point);
        scene->grabs[index] = sn_body_grab(state->body, point, &grab->desc);
        scene->has_grab_started[index] = true;
        has_missed = scene->grabs[index] < 0;
    }
    if (scene->grabs[index] >= 0 && is_active) {
        sn_body_drag(state->body, scene->grabs[index], target);
    } else if (scene->grabs[index] >= 0) {
        sn_body_release(state->body, scene->grabs[index]);
        scene->grabs[index] = -1;
    }
    return !has_missed;
}

/* ---- impulses ---- */

/* Counts with a tolerance for rounding in accumulated times. */
int sn_scene_count_impulses(const sn_scene_impulse *impulse, double from, double until)
{
    const double first = impulse->seconds + 1e-9;
    if (impulse->period <= 0) {
        return from <= first && first < until;
    }
    const double before = fmax(ceil((from - first) / impulse->period), 0);
    const double after = fmax(ceil((until - first) / impulse->period), 0);
    return (int)fmin(after - before, 1000);
}

static void apply_impulse(const sn_scene *scene, const sn_scene_impulse *impulse, const sn_scene_state *state)
{
    const sn_scene_entry *entry = sn_scene_entry_of(scene, state);
    const sn_number_context context = sn_scene_number_context(scene, state);
    double value[3];
    sn_vector_value(&impulse->impulse, &context, value);
    if (!impulse->bone) {
        sn_body_apply_impulse(state->body, impulse->point, value);
        return;
    }
    const int bone = sn_scene_find_bone(
        entry->model, impulse->bone); /* an event may replace the rig, so the bone may be absent at this time */
    if (bone >= 0) {
        sn_body_apply_bone_impulse(state->body, bone, value);
    }
}

/* Applies the impulses between the scene's time and `until`. */
static void apply_impulses(sn_scene *scene, double until)
{
    for (int i = 0; i < scene->script->impulse_count; ++i) {
        const sn_scene_impulse *impulse = &scene->script->impulses[i];
        const int repeat_count = sn_scene_count_impulses(impulse, scene->time, until),
                  count = scene->entries[impulse->body].count;
        for (int k = 0; k < repeat_count * count; ++k) {
            if (impulse->copy < 0 || impulse->copy == k % count) {
                apply_impulse(scene, impulse, state_of(scene, impulse->body, k % count));
            }
        }
    }
}

/* ---- a step ---- */

/* Sets everything scripted at the scene's time; returns the number of grabs that found nothing. */
static int set_scripted_state(sn_scene *scene)
{
    int missed = 0;
    for (int i = 0; i < scene->instance_count; ++i) {
        sn_scene_set_desc(scene, &scene->bodies[i]);
        sn_scene_pose_body(scene, &scene->bodies[i]);
    }
    move_colliders(scene);
    for (int i = 0; i < scene->script->grab_count; ++i) {
        missed += !update_grab(scene, i);
    }
    return missed;
}

sn_scene_report sn_scene_advance(sn_scene *scene, double seconds)
{
    sn_scene_report report = {0};
    double remaining = seconds > 0 ? seconds : 0;
    do {
        const double interval = remaining < 1.5 * scene->time_step ? remaining : scene->time_step;
        apply_impulses(scene, scene->time + interval);
        sn_scene_apply_events(scene, scene->time, scene->time + interval);
        scene->time += interval;
        remaining -= interval;
        report.world.recovery_count += sn_scene_rigids_advance(scene);
        report.missed_grab_count += set_scripted_state(scene);
        const sn_world_report world = sn_world_step(scene->world, interval);
        report.world.step_count += world.step_count;
        report.world.recovery_count += world.recovery_count;
        report.world.dropped_seconds += world.dropped_seconds;
        report.world.solver_seconds += world.solver_seconds;
    } while (remaining > 0);
    return report;
}
