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
#include "shaders/xpbd/plain.glsl"
#include "shaders/xpbd/sweep.glsl"
#include "shaders/xpbd/vertices.glsl"

/* Empty hooks: these bodies have no coupling. */
void begin_body() {}
void push_skin() {}
void begin_coupling() {}
void couple(uint substep) {}
void mend() {}
void end_coupling(bool is_over) {}

#include "shaders/xpbd/survey.glsl"

#define IS_WHOLE_FINISHED true
#include "shaders/xpbd/step.glsl"
