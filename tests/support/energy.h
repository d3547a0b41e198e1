/* SPDX-License-Identifier: MIT */
/* Whether a step has raised its own energy: the objective, in double, of where it ended and of where it began. */
#ifndef SN_TESTS_SUPPORT_ENERGY_H
#define SN_TESTS_SUPPORT_ENERGY_H

#include <math.h>
#include <string.h>

#include "host/reduced/solver.h"

#define SN_TEST_COORDINATE_LIMIT 96

/* The twin, a body of the same model and solver, becomes what the body is before a step. */
static inline void sn_test_copy_body(const sn_reduced_body *body, sn_reduced_body *twin)
{
    const size_t z = 3 * (size_t)body->solver->coordinate_count * sizeof(double);
    const size_t p = 3 * (size_t)body->solver->column_count * sizeof(double);
    memcpy(twin->coordinates, body->coordinates, z);
    memcpy(twin->coordinates_before, body->coordinates_before, z);
    memcpy(twin->velocity_change, body->velocity_change, z);
    memcpy(twin->rig, body->rig, p);
    memcpy(twin->rig_before, body->rig_before, p);
    for (int k = 0; k < SN_CORRECTION_COUNT; ++k) {
        memcpy(twin->corrections.steps[k], body->corrections.steps[k],
               3 * (size_t)body->solver->padded_count * sizeof(float));
    }
    twin->stored_forces = body->stored_forces;
    twin->corrections.count = body->corrections.count;
    twin->corrections.is_extrapolable = body->corrections.is_extrapolable;
}

/* Where the twin's next step starts ahead of its prediction: b + p, see host/reduced/kernels/iterate_f32.inc. */
static inline void sn_test_start_ahead(sn_reduced_body *twin, const double *pose, double *predicted)
{
    const sn_reduced_solver *solver = twin->solver;
    const float *const *corrections = (const float *const *)twin->corrections.steps;
    sn_reduced_scratch_acquire(twin);
    sn_reduced_set_next_pose(twin, pose);
    sn_reduced_gather_inertia(twin);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        const double foretold = 3 * ((double)corrections[0][i] - (double)corrections[1][i]) + (double)corrections[2][i];
        const double inverse = solver->inverse_system[i / 3] * solver->system_ratio[i / 3];
        predicted[i] = inverse * twin->inertia[i] + solver->unit * foretold;
    }
    sn_reduced_scratch_release(twin);
}

/* Of a step from the twin's state to `pose`, without wind and contacts: its energy at `coordinates`. */
static inline double sn_test_step_energy(sn_reduced_body *twin, const double *pose, const double *coordinates)
{
    double gradient[3 * SN_TEST_COORDINATE_LIMIT];
    SN_ASSERT(twin->solver->coordinate_count <= SN_TEST_COORDINATE_LIMIT);
    return sn_reduced_body_objective(twin, pose, coordinates, gradient);
}

/* Where float steps begin: the flesh goes on as fast as it was, or as its pulls foretell. */
static inline double sn_test_first_energy(sn_reduced_body *twin, const double *pose)
{
    const sn_reduced_solver *solver = twin->solver;
    double predicted[3 * SN_TEST_COORDINATE_LIMIT];
    SN_ASSERT(solver->coordinate_count <= SN_TEST_COORDINATE_LIMIT);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        predicted[i] = twin->coordinates[i] + solver->desc.time_step * twin->velocity_change[i] +
                       solver->retention[i / 3] * (twin->coordinates[i] - twin->coordinates_before[i]);
    }
    if (twin->corrections.is_extrapolable) {
        sn_test_start_ahead(twin, pose, predicted);
    }
    return sn_test_step_energy(twin, pose, predicted);
}

/* Two energies differ by more than float's rounding, or are not finite. */
static inline bool sn_test_has_risen(const sn_reduced_solver *solver, double before, double after)
{
    const double size = fabs(before) + fabs(after) + solver->model->total_stiffness * solver->desc.stiffness;
    return !(after <= before + 1e-6 * size);
}

#endif
