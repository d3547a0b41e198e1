/* SPDX-License-Identifier: MIT */
/* Position-based flesh attached to bones: the implementation of host/layered, with the same order of operations; the
 * flesh is that of shaders/xpbd. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/xpbd/body.glsl"
#include "shaders/xpbd/contacts.glsl"
#include "shaders/xpbd/pins.glsl"
#include "shaders/coupled/quaternion.glsl"
#include "shaders/layered/bones.glsl"
#include "shaders/xpbd/vertices.glsl"
#include "shaders/layered/attached.glsl"
#include "shaders/xpbd/sweep.glsl"
#include "shaders/layered/wind.glsl"

void begin_body()
{
    find_own();
}

void begin_sweep(uint sweep)
{
    choose_weights(sweep);
}

void begin_coupling() {}
void couple(uint substep) {}
void repair() {}
void end_coupling(bool is_step_done) {}

#include "shaders/xpbd/step_begin_end.glsl"

#define ALL_INCLUDES_FINISH true
#include "shaders/xpbd/step.glsl"
