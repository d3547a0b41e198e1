/* SPDX-License-Identifier: MIT */
/* Position-based bodies: the implementation of host/xpbd, with the same order of operations, so that results are equal
 * bit by bit where the device's arithmetic is exact. A body that is processed by one workgroup does all substeps in one
 * dispatch, with its displacements in shared memory if they fit; for others, a dispatch does one part. Constraints come
 * in runs that share no vertex and preserve the order of the CPU's sweep. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/xpbd/body.glsl"
#include "shaders/xpbd/contacts.glsl"
#include "shaders/xpbd/pins.glsl"
#include "shaders/xpbd/unattached.glsl"
#include "shaders/xpbd/sweep.glsl"
#include "shaders/xpbd/vertices.glsl"

/* Empty hooks: these bodies have no coupling. */
void begin_body() {}
void apply_skin_forces() {}
void begin_coupling() {}
void couple(uint substep) {}
void repair() {}
void end_coupling(bool is_step_done) {}

#include "shaders/xpbd/step_begin_end.glsl"

#define ALL_INCLUDES_FINISH true
#include "shaders/xpbd/step.glsl"
