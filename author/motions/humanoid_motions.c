/* SPDX-License-Identifier: MIT */
#include "author/motions/humanoid_motions.h"

#include <math.h>
#include <string.h>

#include "author/motions/body.h"
#include "host/base/base.h"
#include "host/math/vec3.h"

/* A length of the skeleton's size, in which the motions are computed. */
static double extent_of(const sn_rig_skeleton *skeleton)
{
    double low[3], high[3];
    for (int j = 0; j < skeleton->joint_count; ++j) {
        for (int d = 0; d < 3; ++d) {
            const double position = skeleton->rest[12 * (size_t)j + 4 * (size_t)d + 3];
            low[d] = j == 0 ? position : fmin(low[d], position);
            high[d] = j == 0 ? position : fmax(high[d], position);
        }
    }
    return skeleton->joint_count > 0 ? sn_distance3(low, high) : 0;
}

static sn_result sample(const sn_motion_table *table, const sn_motion_body *body, sn_person *person, int joint_count,
                        sn_arena *arena, sn_humanoid_motion *motion)
{
    const int last = (int)floor(table->seconds * table->rate + 0.5);
    const size_t width = 12 * (size_t)joint_count;
    *motion = (sn_humanoid_motion){.name = table->name,
                                   .frame_count = last + 1,
                                   .frame_rate = table->rate,
                                   .poses = sn_arena_alloc(arena, (size_t)last + 1, width * sizeof(double))};
    if (!motion->poses) {
        return SN_ERROR_MEMORY;
    }
    for (int frame = 0; frame < last; ++frame) {
        double values[2][SN_MOTION_CHANNEL_COUNT];
        sn_person_pose pose;
        sn_motion_evaluate(table, (double)frame / last, values);
        sn_motion_body_pose(body, values, &pose);
        sn_person_apply(person, &pose, NULL, motion->poses + (size_t)frame * width);
    }
    memcpy(motion->poses + (size_t)last * width, motion->poses, width * sizeof(double));
    return SN_OK;
}

/* Finds the person and its measures; *person is null if the skeleton is no humanoid. */
static sn_result measure(const sn_rig_skeleton *skeleton, const sn_motion_surface *surface, sn_arena *arena,
                         sn_person **person, sn_motion_body *body)
{
    const sn_person_desc desc = {.target = skeleton, .metre = extent_of(skeleton), .spreads_arms = true};
    sn_motion_skin skin = {.skeleton = skeleton, .surface = surface};
    sn_captured_log log = {0};
    *person = NULL;
    if (!(desc.metre > 0)) {
        return SN_OK;
    }
    sn_captured_log *previous = sn_capture_log(&log);
    const sn_result created = sn_person_create(&desc, arena, person);
    sn_capture_log(previous);
    if (created != SN_OK) {
        *person = NULL;
        return created == SN_ERROR_MEMORY ? created : SN_OK;
    }
    skin.roles = SN_NEW(arena, int32_t, skeleton->joint_count);
    const sn_result result =
        skin.roles ? sn_humanoid_find_roles(skeleton, false, arena, skin.of_role) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    memset(skin.roles, -1, (size_t)skeleton->joint_count * sizeof *skin.roles);
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (skin.of_role[bone] >= 0) {
            skin.roles[skin.of_role[bone]] = bone;
        }
    }
    *person = sn_motion_body_init(body, *person, &skin) ? *person : NULL;
    return SN_OK;
}

sn_result sn_humanoid_motions_generate(const sn_rig_skeleton *skeleton, const sn_motion_surface *surface,
                                       sn_arena *arena, sn_humanoid_motion **motions)
{
    sn_person *person = NULL;
    sn_motion_body body;
    *motions = NULL;
    sn_result result = measure(skeleton, surface, arena, &person, &body);
    if (result != SN_OK || !person) {
        return result;
    }
    sn_humanoid_motion *list = SN_NEW(arena, sn_humanoid_motion, SN_MOTION_COUNT);
    result = list ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < SN_MOTION_COUNT && result == SN_OK; ++i) {
        result = sample(&sn_motion_tables[i], &body, person, skeleton->joint_count, arena, &list[i]);
    }
    *motions = result == SN_OK ? list : NULL;
    return result;
}
