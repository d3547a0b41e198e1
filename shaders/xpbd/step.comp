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
#include "shaders/xpbd/survey.glsl"
#include "shaders/xpbd/sweep.glsl"
#include "shaders/xpbd/vertices.glsl"

void predict_all(uint substep)
{
    for (uint row = first_item; row < body.row_count; row += item_stride) {
        predict(row);
    }
    project_contacts(substep);
    if (first_item == 0) {
        statuses[body.body].contact_count = 0;
    }
}

/* Counting is exact in any order. */
void take_velocities(uint substep)
{
    const uint count = project_contacts(substep);
    for (uint row = first_item; row < body.row_count; row += item_stride) {
        take_velocity(row);
    }
    if (count > 0) {
        atomicAdd(statuses[body.body].contact_count, count);
    }
}

void measure_all()
{
    for (uint block = first_item; block < block_count(); block += item_stride) {
        measure(block);
    }
}

void damp_all()
{
    for (uint row = first_item; row < body.row_count; row += item_stride) {
        damp(row);
    }
}

void find_motion()
{
    if (has_flag(SN_XPBD_RIGID_KEPT)) {
        sum_moments();
    }
    find_rigid();
}

// ---- the step ----

void load_rows()
{
    for (uint row = lane; row < body.row_count && is_shared; row += SN_XPBD_GROUP_SIZE) {
        pool[row] = displacements[body.row + row];
    }
    synchronise();
}

void store_rows()
{
    for (uint row = lane; row < body.row_count && is_shared; row += SN_XPBD_GROUP_SIZE) {
        displacements[body.row + row] = pool[row];
    }
}

bool does(uint part)
{
    return phase == SN_XPBD_WHOLE || phase == part;
}

void begin_substep(uint substep)
{
    if (does(SN_XPBD_MOVE)) {
        move_pins(substep);
    }
    if (does(SN_XPBD_PREDICT)) {
        predict_all(substep);
        synchronise();
    }
}

void end_substep(uint substep)
{
    if (does(SN_XPBD_VELOCITY)) {
        take_velocities(substep);
        synchronise();
    }
    if (does(SN_XPBD_MEASURE) && has_flag(SN_XPBD_RIGID_KEPT)) {
        measure_all();
        synchronise();
    }
    if (does(SN_XPBD_RIGID) && has_flag(SN_XPBD_DAMPED)) {
        find_motion();
    }
    if (does(SN_XPBD_DAMP) && has_flag(SN_XPBD_DAMPED)) {
        damp_all();
        synchronise();
    }
}

/* A sweep, with the parts of the substep that stand before its first and after its last. */
void take_unit(uint unit)
{
    const uint substep = unit / body.sweep_count, place = unit % body.sweep_count;
    if (place == 0) {
        begin_substep(substep);
    }
    if (does(SN_XPBD_COLOUR) || phase == SN_XPBD_TAIL) {
        solve_runs(phase == SN_XPBD_WHOLE ? 0 : first_run, phase == SN_XPBD_WHOLE ? body.run_count : last_run,
                   place == 0);
    }
    if (does(SN_XPBD_PULL)) {
        pull_to_pins(substep, place == 0);
    }
    if (place + 1 == body.sweep_count) {
        end_substep(substep);
    }
}

void main()
{
    find_body();
    const uint unit_count = body.substep_count * body.sweep_count, end = min(last_unit, unit_count);
    if (first_unit >= unit_count) {
        return;
    }
    load_rows();
    if (does(SN_XPBD_START) && first_unit == 0) {
        start_step();
    }
    if (statuses[body.body].is_asleep == 0) {
        for (uint unit = first_unit; unit < end; ++unit) {
            take_unit(unit);
        }
        if (does(SN_XPBD_FINISH) && end == unit_count) {
            finish_step();
        }
    }
    store_rows();
}
