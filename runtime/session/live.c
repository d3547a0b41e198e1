/* SPDX-License-Identifier: MIT */
#include "runtime/session/live.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "host/base/arena.h"
#include "host/platform/platform.h"
#include "runtime/session/loop.h"

#define WAITING "waiting for tracking data"

struct sn_live {
    sn_live_desc desc;
    sn_arena arena;
    sn_live_motion motion;
    double *pose;
    double *standing_pose; /* relaxed standing pose that replaces a rest pose as the base, or null */
    float *morphs;
    double base_length; /* seconds after which the base motion loops; 0: it does not */
    bool has_loop_jump; /* the pose jumps when the base loops */
    double base_seconds, seconds, start;
    bool has_started;
};

static void wait_until(double when)
{
    const double left = when - sn_now();
    if (left > 0) {
        const struct timespec time = {(time_t)left, (long)(1e9 * (left - floor(left)))};
        nanosleep(&time, NULL);
    }
}

static void pose_base(sn_live *l)
{
    if (l->standing_pose) {
        memcpy(l->pose, l->standing_pose, 12 * (size_t)l->desc.base.model->counts.bone_count * sizeof *l->pose);
    } else {
        sn_motion_pose_at(&l->desc.base, l->desc.row_seconds, l->base_seconds, l->pose);
    }
}

static void advance(void *user, double seconds)
{
    sn_live *l = user;
    l->start = l->has_started ? l->start : sn_now();
    l->has_started = true;
    l->seconds += seconds;
    l->base_seconds += seconds;
    l->motion.has_jumped = false;
    if (l->base_length > 0 && l->base_seconds >= l->base_length) {
        l->base_seconds = fmod(l->base_seconds, l->base_length);
        l->motion.has_jumped = l->has_loop_jump;
    }
    if (l->desc.is_realtime) {
        wait_until(l->start + l->seconds);
    }
    pose_base(l);
    sn_motion_morphs(&l->desc.base, l->base_seconds, l->morphs);
    sn_puppet_advance(l->desc.puppet, seconds, l->pose, l->morphs);
    l->motion.name = sn_puppet_get_report(l->desc.puppet)->tracking_frame_count > 0 ? "puppet" : WAITING;
    if (l->desc.frame_callback) {
        l->desc.frame_callback(l->desc.frame_callback_user, l->seconds);
    }
}

sn_result sn_live_create(const sn_live_desc *desc, sn_live **live)
{
    const sn_model_counts *c = &desc->base.model->counts;
    sn_live *l = sn_alloc(1, sizeof *l);
    *live = l;
    if (!l) {
        return SN_ERROR_MEMORY;
    }
    l->desc = *desc;
    l->pose = SN_NEW(&l->arena, double, 12 * (size_t)c->bone_count);
    l->morphs = SN_NEW(&l->arena, float, c->morph_count);
    double *standing_pose = SN_NEW(&l->arena, double, 12 * (size_t)c->bone_count);
    if (!l->pose || !l->morphs || !standing_pose) {
        sn_live_destroy(live);
        return SN_ERROR_MEMORY;
    }
    if (desc->base.clip >= 0 && !desc->base.poses && !desc->base.is_hop) {
        l->base_length = sn_motion_seconds(&desc->base, desc->row_seconds);
        l->has_loop_jump = sn_loop_plan(desc->base.model, desc->base.clip).type != SN_LOOP_CONTINUOUS;
    }
    if (!desc->is_at_rest && !desc->base.poses && desc->base.clip < 0 && !desc->base.is_hop &&
        sn_puppet_standing_pose(desc->puppet, standing_pose)) {
        l->standing_pose = standing_pose;
    }
    pose_base(l);
    sn_motion_morphs(&desc->base, 0, l->morphs);
    l->motion = (sn_live_motion){.advance = advance, .user = l, .name = WAITING, .pose = l->pose, .morphs = l->morphs};
    return SN_OK;
}

void sn_live_destroy(sn_live **live)
{
    sn_live *l = *live;
    *live = NULL;
    if (l) {
        sn_arena_finish(&l->arena);
        sn_free(l, 1, sizeof *l);
    }
}

const sn_live_motion *sn_live_get_motion(const sn_live *live)
{
    return &live->motion;
}
