/* SPDX-License-Identifier: MIT */
/* Position-based bodies: the twin of host/xpbd, in its order of operations, so that both give the same bits where a
 * device's arithmetic is exact. A body that one workgroup takes goes through all substeps in one dispatch, its
 * displacements in shared memory where they fit; of others a dispatch does one part. Constraints come in runs that
 * share no vertex, and that keep the order of the CPU's sweep. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/xpbd/body.glsl"
#include "shaders/xpbd/contacts.glsl"
#include "shaders/xpbd/pins.glsl"
#include "shaders/xpbd/plain.glsl"
#include "shaders/xpbd/sweep.glsl"
#include "shaders/xpbd/vertices.glsl"

/* Nothing else moves these bodies. */
void begin_body() {}
void push_skin() {}
void begin_coupling() {}
void couple(uint substep) {}
void mend() {}
void end_coupling(bool is_over) {}

#include "shaders/xpbd/survey.glsl"

#define IS_WHOLE_FINISHED true
#include "shaders/xpbd/step.glsl"
