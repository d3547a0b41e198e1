/* SPDX-License-Identifier: MIT */
#include "tools/coupled_run.h"

#include "host/coupled/table.h"
#include "host/model/model.h"
#include "host/xpbd/solver.h"

static sn_coupled_body *body_of(const sn_coupled_run *run)
{
    return ((sn_table_body *)run->body)->body;
}

sn_result sn_coupled_run_open(sn_coupled_run *run, const sn_model *model, const sn_solver_desc *desc,
                              const uint8_t *locks, const double *pose)
{
    run->bone_count = model->counts.bone_count;
    sn_result result = sn_coupled_table.work_create(1, &run->work);
    if (result == SN_OK) {
        result = sn_coupled_table.shared_create(model, desc, run->work, &run->shared);
    }
    if (result == SN_OK) {
        result = sn_coupled_table.body_create(run->shared, pose, &run->body);
    }
    if (result == SN_OK) { /* of which the flesh may have asked for the number */
        const sn_xpbd_settings *settings = &sn_coupled_body_flesh(body_of(run))->settings;
        run->sweep_count = settings->substep_count * settings->sweep_count;
    }
    for (int bone = 0; bone < run->bone_count && result == SN_OK; ++bone) {
        sn_coupled_table.body_locks(run->body, bone, locks[bone]);
    }
    return result;
}

void sn_coupled_run_close(sn_coupled_run *run)
{
    if (run->body) {
        sn_coupled_table.body_destroy(&run->body);
    }
    if (run->shared) {
        sn_coupled_table.shared_destroy(&run->shared);
    }
    if (run->work) {
        sn_coupled_table.work_destroy(&run->work);
    }
    *run = (sn_coupled_run){0};
}

bool sn_coupled_run_step(sn_coupled_run *run, const double *pose, const sn_surroundings *surroundings, double *bones)
{
    const bool is_sound = sn_coupled_table.body_step(run->body, pose, surroundings);
    sn_coupled_body_transforms(body_of(run), bones);
    return is_sound;
}

void sn_coupled_run_positions(const sn_coupled_run *run, double *flesh, double *rig)
{
    sn_xpbd_body_positions(sn_coupled_body_flesh(body_of(run)), flesh);
    sn_coupled_body_rig_positions(body_of(run), rig);
}

sn_xpbd_energy sn_coupled_run_energy(const sn_coupled_run *run)
{
    return sn_xpbd_body_energy(sn_coupled_body_flesh(body_of(run)));
}
