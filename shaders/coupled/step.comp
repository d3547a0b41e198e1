/* SPDX-License-Identifier: MIT */
/* Position-based bodies coupled with a rig: the implementation of host/coupled, with the same order of operations. Each
 * substep's sweep is followed by the rig's fit and the complementary projection; the flesh is that of shaders/xpbd. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/xpbd/body.glsl"
#include "shaders/xpbd/contacts.glsl"
#include "shaders/xpbd/pins.glsl"
#include "shaders/xpbd/unattached.glsl"
#include "shaders/xpbd/sweep.glsl"
#include "shaders/xpbd/vertices.glsl"

#include "shaders/coupled/rig.glsl"
#include "shaders/coupled/wind.glsl"
#include "shaders/xpbd/step_begin_end.glsl"
#include "shaders/coupled/quaternion.glsl"
#include "shaders/coupled/handles.glsl"
#include "shaders/coupled/system.glsl"
#include "shaders/coupled/fit.glsl"
#include "shaders/coupled/limit_change.glsl"
#include "shaders/coupled/project.glsl"
#include "shaders/coupled/flipped_handles.glsl"
#include "shaders/coupled/recovery.glsl"
#include "shaders/coupled/repair.glsl"
#include "shaders/coupled/output_transforms.glsl"

/* In these phases the handles are loaded to scratch. */
const bool has_handles = phase == SN_XPBD_ALL || phase == SN_XPBD_COUPLE || phase == SN_XPBD_FINISH;

bool needs_reset = false;

void begin_body()
{
    if (has_handles || phase == SN_XPBD_START) {
        load_coupling();
    }
}

void begin_coupling()
{
    if ((phase == SN_XPBD_ALL || phase == SN_XPBD_START) && first_unit == 0) {
        clear_impulses();
    }
    if (has_handles) {
        load_handles();
    }
}

void couple(uint substep)
{
    compute_moments();
    write_targets(fraction_of(substep));
    fit_and_project();
}

void repair()
{
    check_speeds();
    needs_reset = repair_step();
}

void finish_coupling()
{
    const bool was_recovered = statuses[body.body].is_recovered != 0, was_invalid = was_recovered || is_invalid();
    store_target_movement();
    for (uint i = lane; i < SN_COUPLED_POSE_NUMBERS * rig.handle_count; i += SN_XPBD_GROUP_SIZE) {
        set_state(at_previous_pose() + i, target_at(own.target + i));
    }
    synchronise();
    if (was_invalid || needs_reset) {
        reset_body(was_invalid);
    }
    if (lane == 0 && !was_recovered && (was_invalid || needs_reset)) {
        statuses[body.body].is_recovered = 1;
        ++statuses[body.body].recovery_count;
    }
    store_output(was_invalid || needs_reset);
}

void end_coupling(bool is_step_done)
{
    if (is_step_done) {
        finish_coupling();
    }
    if (has_handles) {
        store_handles();
    }
}

/* The end of a step is a separate dispatch, since it is long and needs many registers. */
#define ALL_INCLUDES_FINISH false
#include "shaders/xpbd/step.glsl"
