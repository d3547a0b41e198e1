/* SPDX-License-Identifier: MIT */
#include "tools/simulation/layered_run.h"

#include <string.h>

#include "host/layered/solver.h"
#include "host/layered/table.h"
#include "host/math/affine.h"
#include "host/model/model.h"
#include "host/skin/skin.h"
#include "tools/simulation/loop_jump.h"

/* Sweeps per step; on a device from the shared model, which has the same settings. */
static int count_sweeps(const sn_layered_run *run)
{
    if (run->device.gpu) {
        return sn_gpu_world_layered_sweeps(run->body);
    }
    const sn_layered_body *body = ((const sn_layered_table_body *)run->body)->body;
    return body->substep_count * body->settings.sweep_count;
}

static sn_result open_work(sn_layered_run *run, sn_gpu_device *device)
{
    if (!device) {
        run->table = &sn_layered_table;
        return run->table->scratch_create(1, &run->work);
    }
    run->table = &sn_gpu_layered_table;
    const sn_result result = sn_device_run_open(&run->device, device);
    run->work = run->device.world;
    return result;
}

sn_result sn_layered_run_open(sn_layered_run *run, sn_gpu_device *device, const sn_model *model,
                              const sn_solver_desc *desc, const double *pose)
{
    run->model = model;
    sn_result result = open_work(run, device);
    if (result == SN_OK) {
        result = run->table->shared_create(model, desc, run->work, &run->shared);
    }
    if (result == SN_OK) {
        result = run->table->body_create(run->shared, pose, &run->body);
    }
    if (result == SN_OK) { /* the flesh's stiffness may determine the number of substeps */
        run->sweep_count = count_sweeps(run);
    }
    return result;
}

void sn_layered_run_close(sn_layered_run *run)
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
    *run = (sn_layered_run){0};
}

sn_result sn_layered_run_step(sn_layered_run *run, const double *pose, const sn_surroundings *surroundings,
                              bool *is_valid)
{
    *is_valid = run->device.gpu || run->table->body_step(run->body, pose, surroundings);
    return run->device.gpu ? sn_device_run_step(&run->device, run->table, run->body, pose, surroundings) : SN_OK;
}

bool sn_layered_run_read(sn_layered_run *run)
{
    const int before = run->recovery_count;
    run->recovery_count = run->device.gpu ? sn_gpu_world_layered_recoveries(run->body) : 0;
    return run->recovery_count == before;
}

void sn_layered_run_apply_loop_jump(sn_layered_run *run, const sn_loop *loop, const double *pose)
{
    double jump[12];
    if (loop->type == SN_LOOP_TELEPORT) {
        sn_loop_jump_transform(loop, jump);
        run->table->body_teleport(run->body, jump);
    } else {
        run->table->body_reset(run->body, pose);
    }
}

void sn_layered_run_flesh(const sn_layered_run *run, double *positions)
{
    run->table->body_tet_positions(run->body, positions);
}

void sn_layered_rig_positions(const sn_model *m, const double *pose, double *positions)
{
    const int n = m->counts.vertex_count;
    memset(positions, 0, 3 * (size_t)n * sizeof *positions);
    sn_skin_add(m->rig_weights, m->counts.bone_count, pose, m->rest_positions, n, positions);
    for (size_t v = 0; v < (size_t)n; ++v) {
        const float *rest = m->rest_positions + 3 * v;
        if (m->strain_attached_bones[v] >= 0) {
            sn_affine_apply(pose + 12 * (size_t)m->strain_attached_bones[v],
                            (const double[3]){(double)rest[0], (double)rest[1], (double)rest[2]}, positions + 3 * v);
        }
    }
}

sn_body_motion sn_layered_run_motion(const sn_layered_run *run)
{
    sn_body_motion motion = {0};
    run->table->body_motion(run->body, &motion);
    return motion;
}
