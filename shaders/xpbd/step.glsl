/* SPDX-License-Identifier: MIT */
/* The main function of a step. Needs the following hooks: begin_body, called first; begin_coupling and end_coupling,
 * around the work of a dispatch on a body that is awake; couple, between the sweeps and the end of a substep; repair,
 * after all substeps; and the functions of unattached.glsl. */

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

/* The count is exact in any order. */
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
        if (has_flag(SN_XPBD_ALONG)) {
            damp_along(row);
        } else {
            damp(row);
        }
    }
}

void find_motion(uint substep)
{
    if (has_flag(SN_XPBD_ALONG)) {
        find_fields(substep);
        return;
    }
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

/* ALL_INCLUDES_FINISH: the phase SN_XPBD_ALL includes SN_XPBD_FINISH. */
bool does(uint part)
{
    return phase == part || (phase == SN_XPBD_WHOLE && (part != SN_XPBD_FINISH || IS_WHOLE_FINISHED));
}

void begin_substep(uint substep)
{
    if (does(SN_XPBD_MOVE)) {
        carry(substep);
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
        find_motion(substep);
    }
    if (does(SN_XPBD_DAMP) && has_flag(SN_XPBD_DAMPED)) {
        damp_all();
        synchronise();
    }
}

/* Runs a sweep, with the begin of the substep before its first sweep and the end after its last. */
void take_unit(uint unit)
{
    const uint substep = unit / body.sweep_count, place = unit % body.sweep_count;
    begin_sweep(place);
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
        if (does(SN_XPBD_COUPLE)) {
            couple(substep);
        }
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
    begin_body();
    load_rows();
    if (does(SN_XPBD_START) && first_unit == 0) {
        start_step();
    }
    if (statuses[body.body].is_asleep == 0) {
        begin_coupling();
        for (uint unit = first_unit; unit < end; ++unit) {
            take_unit(unit);
        }
        const bool is_over = does(SN_XPBD_FINISH) && end == unit_count;
        if (is_over) {
            mend();
            finish_step();
        }
        end_coupling(is_over);
    }
    store_rows();
}
