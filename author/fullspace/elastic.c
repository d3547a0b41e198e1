/* SPDX-License-Identifier: MIT */
/* Elastic energy of the tets, objective of a step, and their gradients. R minimizes |F - R|, where tr(R^T F) is also
 * stationary, so R counts as constant in a gradient. */
#include <string.h>

#include "author/fullspace/solver.h"

/* Uses differences, so that translations cause no loss of precision. */
static void deform(const sn_fullspace_solver *solver, const double *positions, double *deformation)
{
    const size_t n = (size_t)solver->input.mesh.vertex_count;
    const int32_t *tet = solver->input.mesh.tets;
    const double *g = solver->gradients;
    for (int t = 0; t < solver->input.mesh.tet_count; ++t, tet += 4, g += 12) {
        for (size_t d = 0; d < 3; ++d, deformation += 3) {
            const double *x = positions + d * n;
            const double a = x[tet[1]] - x[tet[0]], b = x[tet[2]] - x[tet[0]], c = x[tet[3]] - x[tet[0]];
            for (int k = 0; k < 3; ++k) {
                deformation[k] = a * g[3 + k] + b * g[6 + k] + c * g[9 + k];
            }
        }
    }
}

static void rotate(sn_fullspace_body *body)
{
    const sn_fullspace_solver *solver = body->solver;
    const double *f = body->deformation;
    memset(body->label_sums, 0, 9 * (size_t)solver->block_count * sizeof *body->label_sums);
    for (int t = 0; t < solver->input.mesh.tet_count; ++t, f += 9) {
        sn_f64x8 *label_sums = body->label_sums + 9 * (solver->labels[t] / SN_LANES);
        for (int i = 0; i < 9; ++i) {
            label_sums[i][solver->labels[t] % SN_LANES] += solver->weights[t] * f[i];
        }
    }
    for (int block = 0; block < solver->block_count; ++block) {
        sn_polar_f64(body->label_sums + 9 * block, body->rotations + 9 * block);
    }
}

/* Computes pressures. Returns sum Lambda (tr(R^T F) - 3)^2. Labels without tets contribute nothing. */
static double compute_pressures(sn_fullspace_body *body)
{
    const sn_fullspace_solver *solver = body->solver;
    double energy = 0;
    for (int label = 0; label < SN_LANES * solver->block_count; ++label) {
        const sn_f64x8 *label_sums = body->label_sums + 9 * (label / SN_LANES),
                       *rotation = body->rotations + 9 * (label / SN_LANES);
        const double shear = solver->shear[label], lame = solver->lame[label];
        double trace = 0;
        for (int i = 0; i < 9 && lame > 0; ++i) {
            trace += rotation[i][label % SN_LANES] * label_sums[i][label % SN_LANES];
        }
        const double dilation = lame > 0 ? trace / shear - 3 : 0;
        body->pressures[label] = lame > 0 ? lame / shear * dilation : 0;
        energy += lame * dilation * dilation;
    }
    return energy;
}

/* Adds stress (9) times the hat gradients: the force on each corner. */
static void add_forces(const int32_t *tet, const double *g, const double *stress, size_t n, double *gradient)
{
    for (size_t d = 0; d < 3; ++d, stress += 3, gradient += n) {
        for (int corner = 1; corner < 4; ++corner) {
            const double *hat = g + 3 * corner;
            const double force = stress[0] * hat[0] + stress[1] * hat[1] + stress[2] * hat[2];
            gradient[tet[corner]] += force;
            gradient[tet[0]] -= force;
        }
    }
}

void sn_fullspace_measure_rig(sn_fullspace_body *body)
{
    const sn_fullspace_solver *solver = body->solver;
    if (!solver->input.is_posed) {
        return;
    }
    deform(solver, body->rig_next, body->deformation);
    rotate(body);
    for (size_t i = 0; i < 9 * (size_t)solver->input.mesh.tet_count; ++i) {
        const int32_t label = solver->labels[i / 9];
        const sn_f64x8 *rotation = body->rotations + 9 * (label / SN_LANES);
        body->rig_strain[i] = body->deformation[i] - rotation[i % 9][label % SN_LANES];
    }
}

double sn_fullspace_elastic(sn_fullspace_body *body, const double *positions, double *gradient)
{
    const sn_fullspace_solver *solver = body->solver;
    const sn_tet_mesh *mesh = &solver->input.mesh;
    double energy = 0;
    deform(solver, positions, body->deformation);
    for (size_t i = 0; i < 9 * (size_t)mesh->tet_count; ++i) {
        body->deformation[i] -= body->rig_strain[i];
    }
    rotate(body);
    energy = 0.5 * solver->desc.stiffness * compute_pressures(body);
    for (size_t t = 0; t < (size_t)mesh->tet_count; ++t) {
        const sn_f64x8 *rotation = body->rotations + 9 * (solver->labels[t] / SN_LANES);
        const double weight = solver->desc.stiffness * solver->weights[t];
        double stress[9];
        for (size_t i = 0; i < 9; ++i) {
            const double rotation_entry = rotation[i][solver->labels[t] % SN_LANES];
            const double strain = body->deformation[9 * t + i] - rotation_entry;
            energy += 0.5 * weight * strain * strain;
            stress[i] = weight * (strain + body->pressures[solver->labels[t]] * rotation_entry);
        }
        if (gradient) {
            add_forces(mesh->tets + 4 * t, solver->gradients + 12 * t, stress, (size_t)mesh->vertex_count, gradient);
        }
    }
    return energy;
}

double sn_fullspace_objective(sn_fullspace_body *body, const double *u, double *gradient)
{
    const sn_fullspace_solver *solver = body->solver;
    const size_t n = (size_t)solver->input.mesh.vertex_count;
    const double per_h2 = 1 / (solver->desc.time_step * solver->desc.time_step);
    double inertia = 0;
    for (size_t i = 0; i < 3 * n; ++i) {
        const double from_target = u[i] - body->target[i];
        gradient[i] = per_h2 * solver->input.mass[i % n] * from_target;
        inertia += 0.5 * gradient[i] * from_target;
        body->positions[i] = body->rig_next[i] + u[i];
    }
    return inertia + sn_fullspace_elastic(body, body->positions, gradient);
}

sn_fullspace_energy sn_fullspace_body_energy(sn_fullspace_body *body)
{
    const sn_fullspace_solver *solver = body->solver;
    const size_t n = (size_t)solver->input.mesh.vertex_count;
    const double h = solver->desc.time_step;
    sn_fullspace_energy energy = {0};
    for (size_t i = 0; i < 3 * n; ++i) {
        const double displacement = (body->rig[i] - body->rig_previous[i]) +
                                    (body->morph[i] - body->morph_previous[i]) +
                                    (body->flesh[i] - body->flesh_previous[i]);
        energy.kinetic += 0.5 * solver->input.mass[i % n] * displacement * displacement / (h * h);
        body->positions[i] = body->rig[i] + body->flesh[i];
    }
    energy.elastic = sn_fullspace_elastic(body, body->positions, NULL);
    return energy;
}
