/* SPDX-License-Identifier: MIT */
/* Position-based bodies coupled with a rig: the implementation of host/coupled, with the same order of operations. Each
 * substep's sweep is followed by the rig's fit and the complementary projection; the flesh is that of shaders/xpbd. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/xpbd/body.glsl"
#include "shaders/xpbd/contacts.glsl"
#include "shaders/xpbd/pins.glsl"
#include "shaders/xpbd/plain.glsl"
#include "shaders/xpbd/sweep.glsl"
#include "shaders/xpbd/vertices.glsl"

#include "shaders/coupled/rig.glsl"
#include "shaders/coupled/wind.glsl"
#include "shaders/xpbd/survey.glsl"
#include "shaders/coupled/quaternion.glsl"
#include "shaders/coupled/handles.glsl"
#include "shaders/coupled/system.glsl"
#include "shaders/coupled/fit.glsl"
#include "shaders/coupled/push.glsl"
#include "shaders/coupled/project.glsl"
#include "shaders/coupled/turned.glsl"
#include "shaders/coupled/lost.glsl"
#include "shaders/coupled/heal.glsl"
#include "shaders/coupled/shown.glsl"

/* In these phases the handles are loaded to scratch. */
const bool has_handles = phase == SN_XPBD_WHOLE || phase == SN_XPBD_COUPLE || phase == SN_XPBD_FINISH;

bool is_tangled = false;

void begin_body()
{
    if (has_handles || phase == SN_XPBD_START) {
        find_coupling();
    }
}

void begin_coupling()
{
    if ((phase == SN_XPBD_WHOLE || phase == SN_XPBD_START) && first_unit == 0) {
        clear_impulses();
    }
    if (has_handles) {
        load_handles();
    }
}

void couple(uint substep)
{
    take_moments();
    write_targets(fraction_of(substep));
    fit_and_project();
}

void mend()
{
    calm();
    is_tangled = heal();
}

void finish_coupling()
{
    const bool was_recovered = statuses[body.body].is_recovered != 0, has_torn = was_recovered || is_torn();
    keep_reach();
    for (uint i = lane; i < SN_COUPLED_POSE_NUMBERS * rig.handle_count; i += SN_XPBD_GROUP_SIZE) {
        set_state(at_before() + i, target_at(own.target + i));
    }
    synchronise();
    if (has_torn || is_tangled) {
        come_back(has_torn);
    }
    if (lane == 0 && !was_recovered && (has_torn || is_tangled)) {
        statuses[body.body].is_recovered = 1;
        ++statuses[body.body].recovery_count;
    }
    keep_shown(has_torn || is_tangled);
}

void end_coupling(bool is_over)
{
    if (is_over) {
        finish_coupling();
    }
    if (has_handles) {
        store_handles();
    }
}

/* The end of a step is a separate dispatch, since it is long and needs many registers. */
#define IS_WHOLE_FINISHED false
#include "shaders/xpbd/step.glsl"
