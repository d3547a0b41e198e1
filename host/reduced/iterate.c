/* SPDX-License-Identifier: MIT */
/* The local-global loop (paper, section 4): the double reference, and setup of the float loop. */
#include <math.h>
#include <string.h>

#include "host/platform/platform.h"
#include "host/reduced/solver.h"

#define ENERGY_NOISE 1e-13 /* double rounding, relative to the magnitudes of the terms */
/* Tolerance of contact sweeps: fractions of the step's tolerance and of the last iteration's change, and a minimum in
 * diagonals. */
#define TOLERANCE_FRACTION 0.2
#define CHANGE_FRACTION 0.01
#define MIN_SWEEP_TOLERANCE 1e-7

bool sn_reduced_should_stop(const sn_reduced_desc *desc, double tolerance, double deadline, sn_reduced_report *report)
{
    const bool is_within_tolerance = report->change <= tolerance,
               is_past_deadline = !is_within_tolerance && deadline > 0 && sn_now() >= deadline;
    report->is_converged = report->change <= desc->tolerance;
    report->is_over_budget = is_past_deadline && !report->is_converged;
    return is_within_tolerance || is_past_deadline || report->iteration_count >= desc->iteration_limit;
}

/* The step's objective at the evaluated point, and its rounding error. */
static double measure_energy(const sn_reduced_body *body, double trace, double *noise)
{
    const sn_reduced_solver *solver = body->solver;
    double energy = -solver->desc.stiffness * trace, size = fabs(energy);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        const double system = 1 / (solver->inverse_system[i / 3] * solver->system_ratio[i / 3]), z = body->z64[i];
        const double term = (0.5 * system * z - body->inertia[i]) * z;
        energy += term;
        size += fabs(term);
    }
    *noise = ENERGY_NOISE * size;
    return energy;
}

/* Sets the tolerance of the contact sweeps for the next iteration. */
void sn_contacts_set_tolerance(sn_contact_set *set, double tolerance, double change)
{
    set->sweep_tolerance =
        (float)fmax(fmax(TOLERANCE_FRACTION * tolerance, CHANGE_FRACTION * change), MIN_SWEEP_TOLERANCE);
}

/* z64 <- its image under the global step. Returns a bound on the vertex movement, as a fraction of the diagonal. */
static double apply_global_step(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    double *next = body->local64, change2 = 0;
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        const double force = body->inertia[i] + solver->desc.stiffness * next[i];
        const double retained = (1 - 1 / solver->system_ratio[i / 3]) * body->z64[i];
        next[i] = solver->inverse_system[i / 3] * force + retained - body->predicted64[i];
    }
    sn_contacts_project(body, next);
    for (int i = 0; i < solver->coordinate_count; ++i) {
        double change[3];
        for (int d = 0; d < 3; ++d) {
            const int at = 3 * i + d;
            const double z = body->predicted64[at] + next[at];
            change[d] = solver->system_ratio[i] * (z - body->z64[at]);
            body->z64[at] = z;
        }
        change2 += sn_reduced_squared_bound(solver->model, i, change[0], change[1], change[2]);
    }
    return sqrt(change2) / solver->model->diagonal;
}

/* Unaccelerated iterations from Z_n. With a volumetric term they start at the prediction and use the energy guard of
 * iterate_f32.inc: if the guard shortened a step that started at Z_n, the flesh would lose momentum. Contacts are
 * projected only at accepted points. */
static void iterate_f64(sn_reduced_body *body, double deadline, sn_reduced_report *report)
{
    const sn_reduced_solver *solver = body->solver;
    const int size = 3 * solver->coordinate_count;
    const bool has_volume = solver->has_volume;
    bool is_done = false, can_stop = !has_volume;
    double step_fraction = 1, accepted_energy = INFINITY, energy_decrease = 0, noise = 0;
    sn_reduced_centre_rig(solver->model, body->rig_next, body->motion);
    sn_cluster_rig_f64(&solver->clusters64, body->motion, body->rig_gradient64);
    memcpy(body->z64, has_volume ? body->predicted64 : body->coordinates, (size_t)size * sizeof(double));
    while (!is_done) {
        const double trace =
            sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, body->z64, body->lanes64, body->local64);
        double energy_without_contacts = 0, energy = 0;
        if (has_volume) {
            energy_without_contacts = measure_energy(body, trace, &noise);
            sn_contacts_evaluate_points(body);
            energy = energy_without_contacts + sn_contacts_energy(body, &noise);
        }
        const bool has_accepted = has_volume && report->iteration_count > 0;
        const bool is_rejected =
            has_accepted && !(energy <= accepted_energy + noise + SN_CONTACT_ENERGY_TOLERANCE * energy_decrease);
        ++report->iteration_count;
        report->rejected_count += is_rejected;
        can_stop = can_stop || (has_accepted && !is_rejected);
        if (is_rejected) {
            step_fraction *= 0.5;
            for (int i = 0; i < size; ++i) {
                body->z64[i] = 0.5 * (body->z64[i] + body->accepted64[i]);
            }
        } else {
            step_fraction = 1;
            energy_decrease += has_accepted && body->contacts.count > 0 ? accepted_energy - energy : 0;
            memcpy(body->accepted64, body->z64, (size_t)size * sizeof(double));
            sn_contacts_set_tolerance(&body->contacts, solver->desc.tolerance, report->change);
            report->change = apply_global_step(body);
            accepted_energy = has_volume ? energy_without_contacts + sn_contacts_energy(body, &noise) : 0;
        }
        can_stop = can_stop || report->change <= solver->desc.tolerance;
        is_done = (sn_reduced_should_stop(&solver->desc, solver->desc.tolerance, deadline, report) && can_stop) ||
                  step_fraction < SN_MIN_STEP_FRACTION;
    }
    if (has_volume && report->change > solver->desc.tolerance) {
        memcpy(body->z64, body->accepted64, (size_t)size * sizeof(double));
    }
}

/* Approximate movement of the rig in the step, as a fraction of the diagonal, relative to the first bone's translation.
 * A uniform translation affects the flesh only when it changes. */
static double rig_movement(const sn_reduced_body *body)
{
    const double diagonal = body->solver->model->diagonal;
    double max_square = 0;
    for (int i = 0; i < 3 * body->solver->column_count; i += 12) {
        double square = 0;
        for (int k = 0; k < 12; ++k) {
            const double moved = body->rig_next[i + k] - body->rig[i + k];
            const double weighted = k < 9 ? moved * diagonal : moved - (body->rig_next[k] - body->rig[k]);
            square += weighted * weighted;
        }
        max_square = fmax(max_square, square);
    }
    return sqrt(max_square) / diagonal;
}

/* Adds the prediction in double: at small time steps, velocities below float rounding over h would be lost. */
static void start_f32(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    sn_iteration_f32 *it = &body->f32;
    it->is_unaccelerated =
        solver->desc.is_unaccelerated && !solver->desc.is_neo_hookean; /* Neo-Hookean steps need the guard */
    it->is_anderson_step = it->has_accepted = false;
    it->energy_decrease = 0;
    it->column_count = it->next_column = 0;
    it->step_fraction = 1;
    it->rig_displacement = rig_movement(body);
    for (int i = 0; i < solver->coordinate_count; ++i) {
        const double inverse = solver->inverse_system[i] * solver->system_ratio[i]; /* 1 / A */
        for (int at = 3 * i; at < 3 * i + 3; ++at) {
            const double predicted = body->predicted64[at];
            it->inertia[at] = (float)((inverse * body->inertia[at] - predicted) / solver->unit);
            it->predicted[at] = (float)(predicted / solver->unit);
            it->start_offset[at] = (float)((body->coordinates[at] - predicted) / solver->unit);
            it->difference[at] = it->is_unaccelerated ? it->start_offset[at] : 0;
        }
    }
}

sn_reduced_report sn_reduced_iterate(sn_reduced_body *body, double deadline)
{
    sn_reduced_report report = {0};
    if (body->solver->desc.is_double) {
        iterate_f64(body, deadline, &report);
        return report;
    }
    start_f32(body);
    body->solver->kernels->iterate(body, deadline, &report);
    for (int i = 0; i < 3 * body->solver->coordinate_count; ++i) {
        body->z64[i] = body->predicted64[i] + body->solver->unit * (double)body->f32.accepted_image[i];
    }
    return report;
}
