/* SPDX-License-Identifier: MIT */
/* Advances a scene: parameters, poses, colliders, grabs and impulses, then the world's step. */
#include <math.h>
#include <string.h>

#include "scenes/script/private.h"

static void move_colliders(sn_scene *scene)
{
    for (int i = 0; i < scene->script->collider_count; ++i) {
        const sn_collider_desc desc = sn_scene_collider_at(scene, i);
        if (scene->is_gone[i]) {
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
static bool pull(sn_scene *scene, int index)
{
    const sn_scene_grab *grab = &scene->script->grabs[index];
    sn_scene_state *state = state_of(scene, grab->body, grab->copy);
    const sn_moment now = sn_scene_moment(scene, state);
    const bool is_due = scene->time >= grab->from - 1e-9 && scene->time < grab->until - 1e-9;
    double target[3], point[3];
    bool is_missed = false;
    sn_vector_value(&grab->path, &now, target);
    if (is_due && !scene->is_grab_done[index]) {
        memcpy(point, grab->has_point ? grab->point : target, sizeof point);
        scene->grabs[index] = sn_body_grab(state->body, point, &grab->desc);
        scene->is_grab_done[index] = true;
        is_missed = scene->grabs[index] < 0;
    }
    if (scene->grabs[index] >= 0 && is_due) {
        sn_body_drag(state->body, scene->grabs[index], target);
    } else if (scene->grabs[index] >= 0) {
        sn_body_release(state->body, scene->grabs[index]);
        scene->grabs[index] = -1;
    }
    return !is_missed;
}

/* ---- impulses ---- */

/* Counts with a tolerance for rounding in accumulated times. */
int sn_scene_beats_between(const sn_scene_impulse *impulse, double from, double until)
{
    const double first = impulse->seconds + 1e-9;
    if (impulse->period <= 0) {
        return from <= first && first < until;
    }
    const double before = fmax(ceil((from - first) / impulse->period), 0);
    const double behind = fmax(ceil((until - first) / impulse->period), 0);
    return (int)fmin(behind - before, 1000);
}

static void hit(const sn_scene *scene, const sn_scene_impulse *impulse, const sn_scene_state *state)
{
    const sn_scene_entry *entry = sn_scene_entry_of(scene, state);
    const sn_moment moment = sn_scene_moment(scene, state);
    double value[3];
    sn_vector_value(&impulse->impulse, &moment, value);
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
static void hit_all(sn_scene *scene, double until)
{
    for (int i = 0; i < scene->script->impulse_count; ++i) {
        const sn_scene_impulse *impulse = &scene->script->impulses[i];
        const int beats = sn_scene_beats_between(impulse, scene->time, until),
                  count = scene->entries[impulse->body].count;
        for (int k = 0; k < beats * count; ++k) {
            if (impulse->copy < 0 || impulse->copy == k % count) {
                hit(scene, impulse, state_of(scene, impulse->body, k % count));
            }
        }
    }
}

/* ---- a step ---- */

/* Sets everything scripted at the scene's time; returns the number of grabs that found nothing. */
static int set_moment(sn_scene *scene)
{
    int missed = 0;
    for (int i = 0; i < scene->all_count; ++i) {
        sn_scene_set_desc(scene, &scene->bodies[i]);
        sn_scene_pose_body(scene, &scene->bodies[i]);
    }
    move_colliders(scene);
    for (int i = 0; i < scene->script->grab_count; ++i) {
        missed += !pull(scene, i);
    }
    return missed;
}

sn_scene_report sn_scene_advance(sn_scene *scene, double seconds)
{
    sn_scene_report report = {0};
    double left = seconds > 0 ? seconds : 0;
    do {
        const double piece = left < 1.5 * scene->time_step ? left : scene->time_step;
        hit_all(scene, scene->time + piece);
        sn_scene_happen(scene, scene->time, scene->time + piece);
        scene->time += piece;
        left -= piece;
        report.world.recovery_count += sn_scene_rigids_advance(scene);
        report.missed_grab_count += set_moment(scene);
        const sn_world_report world = sn_world_step(scene->world, piece);
        report.world.step_count += world.step_count;
        report.world.recovery_count += world.recovery_count;
        report.world.dropped_seconds += world.dropped_seconds;
        report.world.solver_seconds += world.solver_seconds;
    } while (left > 0);
    return report;
}
