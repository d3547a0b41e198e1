/* SPDX-License-Identifier: MIT */
/* What bodies of one model and one set of parameters share: packed cluster matrices and the diagonal system. */
#include "host/reduced/solver.h"

#include <math.h>

sn_reduced_desc sn_default_reduced_desc(void)
{
    return (sn_reduced_desc){.time_step = 1.0 / 60, .stiffness = 1, .iteration_limit = 30, .tolerance = 1e-6};
}

/* Packs (3 cluster_count x columns) row-major into (blocks x columns x 3) lanes. */
static void pack_f64(const double *matrix, int cluster_count, int columns, sn_f64x8 *packed)
{
    for (int c = 0; c < cluster_count; ++c) {
        for (int i = 0; i < 3 * columns; ++i) {
            const size_t at = (size_t)(c / SN_LANES) * 3 * (size_t)columns + (size_t)i;
            packed[at][c % SN_LANES] =
                matrix[((size_t)3 * (size_t)c + (size_t)(i % 3)) * (size_t)columns + (size_t)(i / 3)];
        }
    }
}

static void narrow(const sn_f64x8 *wide, size_t count, sn_f32x8 *narrowed)
{
    for (size_t i = 0; i < count; ++i) {
        for (int lane = 0; lane < SN_LANES; ++lane) {
            narrowed[i][lane] = (float)wide[i][lane];
        }
    }
}

static sn_result pack_clusters(sn_reduced_solver *solver)
{
    const sn_model *model = solver->model;
    const int clusters = model->counts.cluster_count;
    const int blocks = (clusters + SN_LANES - 1) / SN_LANES;
    const size_t coordinate_lanes = (size_t)blocks * 3 * (size_t)solver->coordinate_count;
    const size_t bone_lanes = (size_t)blocks * 3 * (size_t)solver->column_count;
    sn_f64x8 *coordinate64 = SN_NEW(&solver->arena, sn_f64x8, coordinate_lanes);
    sn_f64x8 *bone64 = SN_NEW(&solver->arena, sn_f64x8, bone_lanes);
    sn_f32x8 *coordinate32 = SN_NEW(&solver->arena, sn_f32x8, coordinate_lanes);
    sn_f32x8 *bone32 = SN_NEW(&solver->arena, sn_f32x8, bone_lanes);
    if (!coordinate64 || !bone64 || !coordinate32 || !bone32) {
        return SN_ERROR_MEMORY;
    }
    pack_f64(model->cluster_coordinate, clusters, solver->coordinate_count, coordinate64);
    pack_f64(model->cluster_bone, clusters, solver->column_count, bone64);
    narrow(coordinate64, coordinate_lanes, coordinate32);
    narrow(bone64, bone_lanes, bone32);
    solver->clusters64 =
        (sn_cluster_data_f64){blocks, solver->coordinate_count, solver->column_count, coordinate64, bone64};
    solver->clusters32 =
        (sn_cluster_data_f32){blocks, solver->coordinate_count, solver->column_count, coordinate32, bone32};
    return SN_OK;
}

static sn_result build_system(sn_reduced_solver *solver)
{
    const sn_reduced_desc *desc = &solver->desc;
    const int count = solver->coordinate_count;
    solver->inverse_system = SN_NEW(&solver->arena, double, count);
    solver->gravity = SN_NEW(&solver->arena, double, 3 * count);
    if (!solver->inverse_system || !solver->gravity) {
        return SN_ERROR_MEMORY;
    }
    const double inertia = 1 / (desc->time_step * desc->time_step);
    for (int i = 0; i < count; ++i) {
        solver->inverse_system[i] = 1 / (inertia + desc->stiffness * solver->model->coordinate_stiffness[i]);
        for (int d = 0; d < 3; ++d) {
            solver->gravity[3 * i + d] = solver->model->coordinate_mass[i] * desc->gravity[d];
        }
    }
    solver->velocity_kept = exp(-desc->damping * desc->time_step);
    return SN_OK;
}

static void choose_instructions(sn_reduced_solver *solver)
{
    solver->rig_f32 = sn_cluster_rig_f32;
    solver->pass_f32 = sn_cluster_pass_f32;
#if defined(__x86_64__)
    if (!solver->desc.is_scalar_forced && __builtin_cpu_supports("avx2")) {
        solver->rig_f32 = sn_cluster_rig_f32_avx2;
        solver->pass_f32 = sn_cluster_pass_f32_avx2;
    }
#endif
}

static bool is_desc_sound(const sn_reduced_desc *desc)
{
    return isfinite(desc->time_step) && desc->time_step > 0 && isfinite(desc->stiffness) && desc->stiffness >= 0 &&
           isfinite(desc->damping) && desc->damping >= 0 && isfinite(desc->gravity[0]) && isfinite(desc->gravity[1]) &&
           isfinite(desc->gravity[2]) && desc->iteration_limit >= 1 && isfinite(desc->tolerance) &&
           desc->tolerance >= 0;
}

sn_result sn_reduced_solver_create(const sn_model *model, const sn_reduced_desc *desc, sn_reduced_solver **solver)
{
    *solver = NULL;
    if (!is_desc_sound(desc)) {
        return sn_fail(SN_ERROR_ARGUMENT, "reduced solver: a parameter is not finite or out of its range");
    }
    sn_reduced_solver *made = sn_alloc(1, sizeof *made);
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    made->model = model;
    made->desc = *desc;
    made->coordinate_count = model->counts.coordinate_count;
    made->column_count = 4 * model->counts.bone_count;
    choose_instructions(made);
    sn_result result = build_system(made);
    if (result == SN_OK) {
        result = pack_clusters(made);
    }
    if (result != SN_OK) {
        sn_reduced_solver_destroy(&made);
        return result;
    }
    *solver = made;
    return SN_OK;
}

void sn_reduced_solver_destroy(sn_reduced_solver **solver)
{
    if (*solver) {
        sn_arena_finish(&(*solver)->arena);
        sn_free(*solver, 1, sizeof **solver);
        *solver = NULL;
    }
}

const sn_model *sn_reduced_solver_model(const sn_reduced_solver *solver)
{
    return solver->model;
}
