/* SPDX-License-Identifier: MIT */
/* Plays the character's motion and steps the world. */
#include <math.h>

#include "runtime/camera/follow_camera.h"
#include "runtime/session/player_state.h"
#include "runtime/session/wind_gust.h"

/* A looping motion is sampled just before its end, because its end is its first pose. */
static void sample_motion(const sn_player *p, double seconds, double *pose, float *morphs)
{
    const double end = p->is_looping ? nextafter(p->motion_seconds, 0) : p->motion_seconds;
    sn_motion_pose_at(&p->motion, p->desc.time_step, fmin(seconds, end), pose);
    sn_motion_morphs(&p->motion, fmin(seconds, end), morphs);
}

void sn_player_set_pose(sn_player *p)
{
    sample_motion(p, p->time, p->pose, p->morphs);
    sn_model_add_expressions(p->model, p->expression_weights, p->morphs, p->model->counts.morph_count);
    for (int bone = 0; bone < p->model->counts.bone_count; ++bone) {
        for (int i = 0; i < 12; ++i) {
            p->matrices[bone].m[i / 4][i % 4] = (float)p->pose[12 * bone + i];
        }
    }
    sn_player_edit_pose(p);
    sn_body_set_pose(p->body, p->matrices, p->model->counts.bone_count);
    sn_body_set_morphs(p->body, p->morphs, p->model->counts.morph_count);
}

static void stage_pose(int frame, double *pose, float *morphs, void *user)
{
    const sn_player *p = user;
    sample_motion(p, frame * sn_player_stage_frame_seconds(p), pose, morphs);
}

static sn_result plan_stage(sn_player *p)
{
    int size[2];
    sn_renderer_size(p->renderer, size);
    /* stage_pose reads the frame count */
    p->stage.frame_count = (int)fmin(ceil(p->motion_seconds / SN_STAGE_FRAME_SECONDS), 1e6) + 1;
    const sn_stage_desc desc = {.model = p->model,
                                .name = p->name,
                                .pose = stage_pose,
                                .pose_user = p,
                                .frame_count = p->stage.frame_count,
                                .seconds_per_frame = sn_player_stage_frame_seconds(p),
                                .width = size[0],
                                .height = size[1],
                                .view = p->desc.view};
    sn_stage stage;
    const sn_result result = sn_stage_plan(&desc, &stage);
    p->stage = stage;
    if (result == SN_OK && p->motion.live) {
        sn_follow_camera_start(&p->stage);
    }
    p->stage_aspect = (double)size[0] / size[1];
    p->orbit = sn_orbit_start(&p->stage);
    return result;
}

sn_result sn_player_update_floor(sn_player *p)
{
    sn_collider_desc desc = sn_default_collider_desc();
    desc.transform.m[1][3] = (float)p->stage.ground_height;
    sn_collider_destroy(p->floor);
    p->floor = (sn_collider_id){0};
    return p->is_floor_off ? SN_OK : sn_collider_create(p->world, &desc, &p->floor);
}

void sn_player_seek(sn_player *p, double seconds)
{
    sn_grab_tool_release(&p->grab_tool, p->body);
    p->time = fmin(fmax(seconds, 0), p->motion_seconds);
    sn_player_set_pose(p);
    sn_body_reset(p->body);
}

void sn_player_restart(sn_player *p)
{
    sn_player_seek(p, 0);
}

sn_result sn_player_play_motion(sn_player *p, const sn_motion *motion)
{
    p->motion = *motion;
    p->motion_seconds = sn_motion_seconds(motion, p->desc.time_step);
    /* a motion shorter than a step jumps at every step anyway */
    p->is_looping = !motion->poses && p->motion_seconds > p->desc.time_step;
    p->loop = p->is_looping && motion->clip >= 0 ? sn_loop_plan(p->model, motion->clip) : (sn_loop){0};
    sn_player_restart(p);
    SN_TRY(plan_stage(p));
    return sn_player_update_floor(p);
}

static bool lists_initial_motion(const sn_player *p)
{
    return p->initial_motion.live || (p->initial_motion.clip < 0 && !p->initial_motion.is_hop);
}

/* The initial motion if it is not one of the following, then the clips, then the hop. */
int sn_player_motion_count(const sn_player *p)
{
    const bool has_initial = lists_initial_motion(p);
    return has_initial + p->model->counts.clip_count + 1;
}

int sn_player_index_of(const sn_player *p, const sn_motion *motion)
{
    return motion->live ? 0 : motion->is_hop ? sn_player_motion_count(p) - 1 : motion->clip >= 0 ? motion->clip : 0;
}

static sn_motion motion_at(const sn_player *p, int index)
{
    const bool has_initial = lists_initial_motion(p);
    if (has_initial && index == 0) {
        return p->initial_motion;
    }
    const int clip = index - has_initial;
    const bool is_hop = clip == p->model->counts.clip_count;
    return (sn_motion){.model = p->model, .clip = is_hop ? -1 : clip, .is_hop = is_hop};
}

static const char *motion_name(const sn_model *model, const sn_motion *motion)
{
    return motion->live             ? motion->live->name
           : motion->is_hop         ? "hop"
           : motion->is_root_motion ? sn_root_motion_name(motion->root.type)
           : motion->clip >= 0      ? sn_model_clip_name(model, motion->clip)
           : motion->poses          ? "poses"
           : motion->has_expression ? sn_model_expression_name(model, motion->expression)
                                    : "rest";
}

const char *sn_player_motion_name_at(const sn_player *p, int index)
{
    const sn_motion motion = motion_at(p, index);
    return motion_name(p->model, &motion);
}

const char *sn_player_motion_name(const sn_player *p)
{
    const bool is_editing = p->edit.editor && sn_editor_is_editing(p->edit.editor);
    return is_editing ? "editing" : motion_name(p->model, &p->motion);
}

sn_result sn_player_select_motion(sn_player *p, int index)
{
    p->motion_index = index;
    const sn_motion motion = motion_at(p, index);
    const sn_result result = sn_player_play_motion(p, &motion);
    sn_player_show_message(p, "%s (%d of %d)", sn_player_motion_name(p), index + 1, sn_player_motion_count(p));
    return result;
}

sn_result sn_player_change_motion(sn_player *p, int direction)
{
    const int count = sn_player_motion_count(p);
    return sn_player_select_motion(p, (p->motion_index + direction + count) % count);
}

/* ---- time ---- */

sn_result sn_player_apply_desc(sn_player *p)
{
    sn_body_desc desc = p->body_desc;
    desc.amount = p->is_secondary_off ? 0 : desc.amount;
    for (int d = 0; d < 3; ++d) {
        desc.wind[d] *= sn_wind_gust(p->wind_seconds);
    }
    return sn_body_set_desc(p->body, &desc);
}

static void step_world(sn_player *p, double seconds)
{
    sn_player_set_pose(p);
    p->wind_seconds += seconds;
    sn_player_apply_desc(
        p); /* cannot fail: the parameters were validated when they were set, and only the gust differs */
    const sn_world_report report = sn_world_step(p->world, seconds);
    p->title.solver_seconds += report.solver_seconds;
    p->solver_seconds += report.solver_seconds;
    p->report.recovery_count += report.recovery_count;
    sn_panel_record(&p->panel, report.solver_seconds, report.recovery_count);
    if (report.recovery_count > 0) {
        sn_player_show_message(p, "the body was reset, or a target rejected; see the terminal");
    }
    sn_player_edit_record(p, seconds);
}

static void restart_loop(sn_player *p)
{
    p->time = 0;
    if (p->loop.type == SN_LOOP_TELEPORT) {
        sn_body_teleport(p->body, &p->loop.jump);
    } else if (p->loop.type == SN_LOOP_RESET) {
        sn_player_restart(p);
    }
}

void sn_player_advance(sn_player *p, double seconds)
{
    sn_motion_advance(&p->motion, seconds);
    if (p->motion.live) {
        sn_follow_camera_update(&p->stage, p->model, p->motion.live->pose, seconds);
    }
    if (p->motion.live && p->motion.live->has_jumped) {
        sn_player_restart(p);
    }
    while (p->is_looping && p->time + seconds >= p->motion_seconds) {
        const double left = p->motion_seconds - p->time;
        p->time = p->motion_seconds;
        step_world(p, left);
        seconds = fmax(seconds - left, 0);
        restart_loop(p);
    }
    p->time += seconds;
    step_world(p, seconds);
}
