/* SPDX-License-Identifier: MIT */
/* External forces on the flesh of all bodies in the next step: impulses, wind, contacts. One workgroup per body; writes
 * to the body's state and contacts. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/reduced/body.glsl"
#include "shaders/reduced/samples.glsl"
#include "shaders/reduced/state.glsl"

layout(set = 0, binding = SN_REDUCED_CONTACTS, std430) coherent buffer sn_contact_buffer { float contacts[]; };
layout(set = 0, binding = SN_REDUCED_GRIDS, std430) readonly buffer sn_grid_buffer { vec4 grids[]; };

#include "shaders/reduced/colliders.glsl"
#include "shaders/reduced/impulses.glsl"
#include "shaders/reduced/initial_guess.glsl"
#include "shaders/reduced/contact_warm_start.glsl"
#include "shaders/reduced/contact_detection.glsl"
#include "shaders/reduced/wind.glsl"

void main()
{
    find_body();
    if (external_pass == SN_REDUCED_EXTERNAL_FIRST) {
        apply_flags();
    }
    if (last_iteration > 0) {
        if (body.impulse_count > first_iteration) {
            gather_impulses(first_iteration, last_iteration);
        }
        return;
    }
    if ((body.flags & SN_REDUCED_HAS_WIND) != 0 && first_sample == 0) {
        apply_wind();
    }
    if (body.collider_count + body.grab_count > 0) {
        find_contacts();
    }
}
