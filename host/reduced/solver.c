/* SPDX-License-Identifier: MIT */
/* Data shared by the bodies of one model and one set of parameters: packed cluster matrices and the diagonal system. */
#include "host/reduced/solver.h"

#include <math.h>

#include "host/math/vec3.h"

sn_reduced_desc sn_default_reduced_desc(void)
{
    return (sn_reduced_desc){.time_step = 1.0 / 60,
                             .stiffness = 1,
                             .has_gravity_at_rest = true,
                             .iteration_limit = 30,
                             .tolerance = 1e-6,
                             .instructions = SN_INSTRUCTIONS_BEST};
}

double sn_reduced_unit(const sn_model *model)
{
    int exponent = 0;
    const bool has_mass = isfinite(model->total_mass) && model->total_mass > 0;
    frexp(has_mass ? sqrt(model->total_mass) : 1, &exponent);
    return ldexp(1, exponent - 1);
}

/* Backward Euler with retained velocity r gives an oscillator of angular frequency w the eigenvalues
 *   x^2 (1 + w^2 h^2) - x (1 + r) + r = 0,
 * so its amplitude falls by sqrt(r / (1 + w^2 h^2)) a step, and r = (1 + w^2 h^2) exp(-2 sigma h) makes that exp(-sigma
 * h). r does not exceed 1, where the integrator itself damps faster than sigma. The eigenvalues become real, and motion
 * returns without a swing, at r = (sqrt(1 + w^2 h^2) - w h)^2. A smaller r would return more slowly. */
double sn_reduced_retention(double time_step, double damping, double decay, double tangent)
{
    const double square = tangent * time_step * time_step, critical = sqrt(1 + square) - sqrt(square);
    const double exact = fmin(1, (1 + square) * exp(-2 * decay * time_step));
    const double own = decay > 0 ? fmax(exact, critical * critical) : 1;
    return own * exp(-damping * time_step);
}

static sn_result allocate_system(sn_reduced_solver *solver)
{
    const int count = solver->coordinate_count, padded = 3 * solver->padded_count;
    sn_arena *arena = &solver->arena;
    const bool is_ok =
        (solver->inverse_system = SN_NEW(arena, double, count)) && (solver->retention = SN_NEW(arena, double, count)) &&
        (solver->system_ratio = SN_NEW(arena, double, count)) && (solver->gravity = SN_NEW(arena, double, 3 * count)) &&
        (solver->system32 = SN_NEW(arena, float, padded)) && (solver->quadratic32 = SN_NEW(arena, float, padded)) &&
        (solver->previous_weight32 = SN_NEW(arena, float, padded)) &&
        (solver->weight32 = SN_NEW(arena, float, padded)) && (solver->bound32 = SN_NEW(arena, float, padded));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

/* The global step's matrix is N = A + s b lambda, with A the quadratic part of the energy. With a linearised volumetric
 * term, N must exceed A for the energy to decrease: it decreases if N is more than half of the curvature. For fixed
 * rotations the term adds at most s 3 volume_bound lambda to the curvature, since tr(R^T F)^2 <= 3 |F|^2. The Hessian
 * at rest, rotated with the body, is no substitute: the clusters' rotations differ too much. */
static void build_system(sn_reduced_solver *solver)
{
    const sn_reduced_desc *desc = &solver->desc;
    const sn_model *model = solver->model;
    const double inertia = 1 / (desc->time_step * desc->time_step);
    for (int i = 0; i < solver->coordinate_count; ++i) {
        const double elastic = desc->stiffness * model->coordinate_stiffness[i];
        const double quadratic = inertia + solver->elastic_factor * elastic;
        const double system = quadratic + SN_VOLUME_BOUND_FACTOR * model->volume_bound * elastic;
        solver->inverse_system[i] = 1 / system;
        solver->retention[i] = sn_reduced_retention(desc->time_step, desc->damping, model->coordinate_decay[i],
                                                    desc->stiffness * model->coordinate_tangent_stiffness[i]);
        solver->system_ratio[i] = system / quadratic;
        const double bound = solver->system_ratio[i] * (solver->unit * model->coordinate_bounds[i] / model->diagonal);
        for (int d = 0; d < 3; ++d) {
            solver->gravity[3 * i + d] = desc->has_gravity_at_rest ? model->coordinate_mass[i] * desc->gravity[d] : 0;
            solver->system32[3 * i + d] = (float)system;
            solver->quadratic32[3 * i + d] = (float)quadratic;
            solver->weight32[3 * i + d] = (float)(desc->stiffness / system);
            solver->previous_weight32[3 * i + d] = (float)(1 - 1 / solver->system_ratio[i]);
            solver->bound32[3 * i + d] = (float)(bound * bound);
        }
    }
}

static double sum_areas(const sn_model *model)
{
    double sum = 0;
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        sum += (double)model->sample_areas[sample];
    }
    return sum;
}

static void choose_instructions(sn_reduced_solver *solver)
{
    solver->kernels = &sn_reduced_kernels_f32;
#if defined(__x86_64__)
    const sn_instructions max_set = solver->desc.instructions;
    if (max_set >= SN_INSTRUCTIONS_AVX2 && __builtin_cpu_supports("avx2")) {
        solver->kernels = &sn_reduced_kernels_f32_avx2;
    }
    if (max_set >= SN_INSTRUCTIONS_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
        solver->kernels = &sn_reduced_kernels_f32_avx512;
    }
#endif
}

static bool is_desc_valid(const sn_reduced_desc *desc)
{
    return isfinite(desc->time_step) && desc->time_step > 0 && isfinite(desc->stiffness) && desc->stiffness >= 0 &&
           isfinite(desc->damping) && desc->damping >= 0 && isfinite(desc->gravity[0]) && isfinite(desc->gravity[1]) &&
           isfinite(desc->gravity[2]) && desc->iteration_limit >= 1 && isfinite(desc->budget_seconds) &&
           desc->budget_seconds >= 0 && desc->mode_count >= 0 && desc->cluster_level >= 0 &&
           isfinite(desc->tolerance) && desc->tolerance >= 0;
}

sn_result sn_reduced_solver_create(const sn_model *model, const sn_reduced_desc *desc, sn_reduced_solver **solver)
{
    *solver = NULL;
    if (!is_desc_valid(desc)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "reduced solver: a parameter is not finite or out of its range");
    }
    if (model->counts.mode_count == 0) {
        return sn_fail_within(
            SN_ERROR_UNSUPPORTED,
            "reduced solver: the model has no modes; it was cooked for coupled or layered bodies only");
    }
    if (desc->is_neo_hookean && sn_model_is_flat(model)) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED,
                              "reduced solver: flat bodies do not support the Neo-Hookean material");
    }
    sn_reduced_solver *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->source = model;
    created->desc = *desc;
    sn_result result =
        sn_reduced_view_build(model, desc->mode_count, desc->cluster_level, &created->arena, &created->view);
    created->model = &created->view.model;
    created->unit = sn_reduced_unit(model);
    created->has_volume = model->volume_bound > 0 || desc->is_neo_hookean;
    created->coordinate_count = created->model->counts.coordinate_count;
    created->column_count = 4 * model->counts.bone_count;
    created->pair_count = model->counts.morph_pair_count;
    created->padded_count = (created->coordinate_count + SN_GROUP - 1) / SN_GROUP * SN_GROUP;
    created->sample_area = sum_areas(created->model);
    created->has_relative_gravity = !desc->has_gravity_at_rest && sn_dot3(desc->gravity, desc->gravity) > 0;
    created->elastic_factor = 1 + model->strain_limit_stiffness;
    choose_instructions(created);
    result = result == SN_OK ? allocate_system(created) : result;
    if (result == SN_OK) {
        build_system(created);
        result = sn_reduced_pack_clusters(created);
    }
    if (result == SN_OK) {
        result = sn_samples_pack(created->model, &created->arena, &created->sample_rows, &created->sample_skin);
    }
    if (result == SN_OK) {
        result = sn_contacts_prepare(created);
    }
    if (result == SN_OK) {
        result = sn_reduced_pack_rig_load(created);
    }
    if (result == SN_OK) {
        result = sn_reduced_pack_morph_load(created);
    }
    if (result == SN_OK && !desc->work) {
        result = sn_reduced_scratch_pool_create(1, &created->own_work);
    }
    if (result == SN_OK) {
        created->work = desc->work ? desc->work : created->own_work;
        result = sn_reduced_scratch_pool_fit(created->work, created);
    }
    if (result != SN_OK) {
        sn_reduced_solver_destroy(&created);
        return result;
    }
    *solver = created;
    return SN_OK;
}

void sn_reduced_solver_destroy(sn_reduced_solver **solver)
{
    if (*solver) {
        sn_reduced_scratch_pool_destroy(&(*solver)->own_work);
        sn_arena_finish(&(*solver)->arena);
        sn_free(*solver, 1, sizeof **solver);
        *solver = NULL;
    }
}

const sn_model *sn_reduced_solver_model(const sn_reduced_solver *solver)
{
    return solver->source;
}

int sn_reduced_solver_coordinate_count(const sn_reduced_solver *solver)
{
    return solver->coordinate_count;
}

int sn_reduced_solver_mode_count(const sn_reduced_solver *solver)
{
    return solver->view.mode_count;
}
