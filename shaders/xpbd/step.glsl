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
void update_velocities(uint substep)
{
    const uint count = project_contacts(substep);
    for (uint row = first_item; row < body.row_count; row += item_stride) {
        update_velocity(row);
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
        if (has_flag(SN_XPBD_DAMPED_TO_BONES)) {
            damp_to_bones(row);
        } else {
            damp(row);
        }
    }
}

void find_damping_motion(uint substep)
{
    if (has_flag(SN_XPBD_DAMPED_TO_BONES)) {
        compute_velocity_fields(substep);
        return;
    }
    if (has_flag(SN_XPBD_RIGID_UNDAMPED)) {
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
bool includes_phase(uint part)
{
    return phase == part || (phase == SN_XPBD_ALL && (part != SN_XPBD_FINISH || ALL_INCLUDES_FINISH));
}

void begin_substep(uint substep)
{
    if (includes_phase(SN_XPBD_MOVE)) {
        move_attached(substep);
        move_pins(substep);
    }
    if (includes_phase(SN_XPBD_PREDICT)) {
        predict_all(substep);
        synchronise();
    }
}

void end_substep(uint substep)
{
    if (includes_phase(SN_XPBD_VELOCITY)) {
        update_velocities(substep);
        synchronise();
    }
    if (includes_phase(SN_XPBD_MEASURE) && has_flag(SN_XPBD_RIGID_UNDAMPED)) {
        measure_all();
        synchronise();
    }
    if (includes_phase(SN_XPBD_RIGID) && has_flag(SN_XPBD_DAMPED)) {
        find_damping_motion(substep);
    }
    if (includes_phase(SN_XPBD_DAMP) && has_flag(SN_XPBD_DAMPED)) {
        damp_all();
        synchronise();
    }
}

/* Runs a sweep, with the begin of the substep before its first sweep and the end after its last. */
void run_sweep(uint unit)
{
    const uint substep = unit / body.sweep_count, sweep_index = unit % body.sweep_count;
    begin_sweep(sweep_index);
    if (sweep_index == 0) {
        begin_substep(substep);
    }
    if (includes_phase(SN_XPBD_COLOUR) || phase == SN_XPBD_SMALL_RUNS) {
        solve_runs(phase == SN_XPBD_ALL ? 0 : first_run, phase == SN_XPBD_ALL ? body.run_count : last_run,
                   sweep_index == 0);
    }
    if (includes_phase(SN_XPBD_SOFT_PINS)) {
        solve_soft_pins(substep, sweep_index == 0);
    }
    if (sweep_index + 1 == body.sweep_count) {
        if (includes_phase(SN_XPBD_COUPLE)) {
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
    if (includes_phase(SN_XPBD_START) && first_unit == 0) {
        start_step();
    }
    if (statuses[body.body].is_asleep == 0) {
        begin_coupling();
        for (uint unit = first_unit; unit < end; ++unit) {
            run_sweep(unit);
        }
        const bool is_step_done = includes_phase(SN_XPBD_FINISH) && end == unit_count;
        if (is_step_done) {
            repair();
            finish_step();
        }
        end_coupling(is_step_done);
    }
    store_rows();
}
