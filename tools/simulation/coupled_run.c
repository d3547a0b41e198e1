/* SPDX-License-Identifier: MIT */
#include "tools/simulation/coupled_run.h"

#include "host/coupled/table.h"
#include "host/model/model.h"
#include "host/xpbd/solver.h"

static sn_result open_work(sn_coupled_run *run, sn_gpu_device *device)
{
    if (!device) {
        run->table = &sn_coupled_table;
        return run->table->scratch_create(1, &run->work);
    }
    run->table = &sn_gpu_coupled_table;
    const sn_result result = sn_device_run_open(&run->device, device);
    run->work = run->device.world;
    return result;
}

/* The device must be idle when the body is read. */
static sn_result read(sn_coupled_run *run, int *recovery_count)
{
    *recovery_count = run->recovery_count;
    run->state = run->device.gpu ? sn_gpu_world_read_coupled(run->body, recovery_count)
                                 : ((sn_coupled_table_body *)run->body)->body;
    return run->state ? SN_OK : SN_ERROR_UNSUPPORTED;
}

sn_result sn_coupled_run_open(sn_coupled_run *run, sn_gpu_device *device, const sn_model *model,
                              const sn_solver_desc *desc, const uint8_t *locks, const double *pose)
{
    run->bone_count = model->counts.bone_count;
    sn_result result = open_work(run, device);
    if (result == SN_OK) {
        result = run->table->shared_create(model, desc, run->work, &run->shared);
    }
    if (result == SN_OK) {
        result = run->table->body_create(run->shared, pose, &run->body);
    }
    for (int bone = 0; bone < run->bone_count && result == SN_OK; ++bone) {
        run->table->body_locks(run->body, bone, locks[bone]);
    }
    if (result == SN_OK) {
        result = read(run, &run->recovery_count);
    }
    if (result == SN_OK) { /* the flesh's stiffness may determine the number of substeps */
        const sn_xpbd_settings *settings = &sn_coupled_body_flesh(run->state)->settings;
        run->sweep_count = settings->substep_count * settings->sweep_count;
    }
    return result;
}

void sn_coupled_run_close(sn_coupled_run *run)
{
    if (run->body) {
        run->table->body_destroy(&run->body);
    }
    if (run->shared) {
        run->table->shared_destroy(&run->shared);
    }
    if (run->work && !run->device.gpu) {
        run->table->scratch_destroy(&run->work);
    }
    sn_device_run_close(&run->device);
    *run = (sn_coupled_run){0};
}

/* ---- steps ---- */

sn_result sn_coupled_run_step(sn_coupled_run *run, const double *pose, const sn_surroundings *surroundings,
                              bool *is_valid)
{
    *is_valid = run->device.gpu || run->table->body_step(run->body, pose, surroundings);
    return run->device.gpu ? sn_device_run_step(&run->device, run->table, run->body, pose, surroundings) : SN_OK;
}

sn_result sn_coupled_run_read(sn_coupled_run *run, double *bones, bool *is_valid)
{
    int count = 0;
    SN_TRY(read(run, &count));
    *is_valid = *is_valid && count == run->recovery_count;
    run->recovery_count = count;
    sn_coupled_body_transforms(run->state, bones);
    return SN_OK;
}

/* ---- measurements ---- */

void sn_coupled_run_positions(const sn_coupled_run *run, double *flesh, double *rig)
{
    sn_xpbd_body_positions(sn_coupled_body_flesh(run->state), flesh);
    sn_coupled_body_rig_positions(run->state, rig);
}

sn_xpbd_energy sn_coupled_run_energy(const sn_coupled_run *run)
{
    return sn_xpbd_body_energy(sn_coupled_body_flesh(run->state));
}
