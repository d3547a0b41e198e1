/* SPDX-License-Identifier: MIT */
/* Energy of a body and the objective of a step, in double. */
#include <math.h>
#include <string.h>

#include "host/reduced/solver.h"

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* tr(x^T matrix y) with matrix (rows x columns); x and y have three columns. */
static double bilinear(const double *matrix, int rows, int columns, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < rows; ++i) {
        double row[3] = {0, 0, 0};
        sn_reduced_add_product(matrix + (size_t)i * (size_t)columns, 1, columns, 1, y, row);
        sum += dot(x + 3 * i, row, 3);
    }
    return sum;
}

/* sum_c tr F_c, with S_J P in rig_gradient64; S_B^T 1 = K_J 1. */
static double trace_of_gradients(const sn_reduced_body *body, const double *coordinates)
{
    const sn_reduced_solver *solver = body->solver;
    double sum = 0;
    for (int i = 0; i < 9 * SN_GROUP * solver->clusters64.group_count; ++i) {
        sum += i / SN_GROUP % 9 % 4 == 0 ? body->rig_gradient64[i] : 0;
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        const double *row = solver->model->stiffness_cross + (size_t)(i / 3) * (size_t)solver->column_count;
        for (int column = i % 3; column < solver->column_count; column += 4) {
            sum += row[column] * coordinates[i];
        }
    }
    return sum;
}

/* Contribution of the morph targets' motion m to |dx|^2_M: m^T E^T M (2 V dZ + 2 Jc dP + E m). dZ is in z64, dP in
 * motion. */
static double sum_morphs(sn_reduced_body *body)
{
    const sn_model *model = body->solver->model;
    const int q = body->solver->coordinate_count, p = body->solver->column_count, m = 3 * body->solver->pair_count;
    double sum = 0;
    for (int i = 0; i < 3 * m; ++i) {
        body->morph_motion[i] = body->morphs[i] - body->morphs_before[i];
    }
    for (int i = 0; i < m; ++i) {
        const double *row = model->morph_mass + (size_t)i * (size_t)(p + m);
        double product[3] = {0, 0, 0};
        sn_reduced_add_product(row, 1, p, 2, body->motion, product);
        sn_reduced_add_product(row + p, 1, m, 1, body->morph_motion, product);
        sum += dot(body->morph_motion + 3 * (size_t)i, product, 3);
    }
    return sum + 2 * bilinear(model->morph_cross, q, m, body->z64, body->morph_motion);
}

/* Elastic energy relative to the bind pose, without 1/2 (1 + kappa) Z^T lambda Z. */
static double bind_elastic(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    const int q = solver->coordinate_count, p = solver->column_count;
    const double gradients = trace_of_gradients(body, body->coordinates);
    const double trace =
        sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, body->coordinates, body->lanes64, body->local64);
    const double stretch = bilinear(model->stiffness_bone, p, p, body->motion, body->motion) +
                           2 * bilinear(model->stiffness_cross, q, p, body->coordinates, body->motion);
    const double at_rest = 0.5 * sn_model_rest_trace(model) * model->total_stiffness;
    return solver->elastic_factor * (0.5 * stretch - gradients + at_rest) - trace;
}

/* Elastic energy relative to the rig's pose, likewise: the terms beyond first order. */
static double posed_elastic(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const int size = 3 * solver->coordinate_count;
    memset(body->z64, 0, (size_t)size * sizeof(double));
    const double at_rest =
        sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, body->z64, body->lanes64, body->local64);
    const double along = dot(body->local64, body->coordinates, size);
    return at_rest + along -
           sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, body->coordinates, body->lanes64,
                               body->local64);
}

sn_reduced_energy sn_reduced_body_energy(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    const int q = solver->coordinate_count, p = solver->column_count;
    const double h = solver->desc.time_step;
    sn_reduced_scratch_acquire(body);
    for (int i = 0; i < 3 * q; ++i) {
        body->z64[i] = body->coordinates[i] - body->coordinates_before[i];
    }
    for (int i = 0; i < 3 * p; ++i) {
        body->motion[i] = body->rig[i] - body->rig_before[i];
    }
    const double moved = dot(body->z64, body->z64, 3 * q) +
                         2 * bilinear(model->mass_cross, q, p, body->z64, body->motion) +
                         bilinear(model->mass_bone, p, p, body->motion, body->motion) + sum_morphs(body);
    sn_reduced_centre_rig(solver->model, body->rig, body->motion);
    sn_cluster_rig_f64(&solver->clusters64, body->motion, body->rig_gradient64);
    double elastic = solver->clusters64.posed ? posed_elastic(body) : bind_elastic(body);
    for (int i = 0; i < 3 * q; ++i) {
        elastic += 0.5 * solver->elastic_factor * model->coordinate_stiffness[i / 3] * body->coordinates[i] *
                   body->coordinates[i];
    }
    sn_reduced_scratch_release(body);
    return (sn_reduced_energy){.kinetic = 0.5 * moved / (h * h), .elastic = solver->desc.stiffness * fmax(elastic, 0)};
}

double sn_reduced_body_objective(sn_reduced_body *body, const double *pose, const double *coordinates, double *gradient)
{
    const sn_reduced_solver *solver = body->solver;
    const double stiffness = solver->desc.stiffness;
    sn_reduced_scratch_acquire(body);
    sn_reduced_set_next_pose(body, pose);
    sn_reduced_gather_inertia(body);
    sn_reduced_centre_rig(solver->model, body->rig_next, body->motion);
    sn_cluster_rig_f64(&solver->clusters64, body->motion, body->rig_gradient64);
    const double trace =
        sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, coordinates, body->lanes64, body->local64);
    double value = -stiffness * trace;
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        const double system = 1 / (solver->inverse_system[i / 3] * solver->system_ratio[i / 3]);
        value += (0.5 * system * coordinates[i] - body->inertia[i]) * coordinates[i];
        gradient[i] = system * coordinates[i] - body->inertia[i] - stiffness * body->local64[i];
    }
    sn_reduced_scratch_release(body);
    return value;
}
