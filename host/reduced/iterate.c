/* SPDX-License-Identifier: MIT */
/* The local-global loop, in float or double (paper, section 4; spec, "Step"). Both keep the unknown as a difference to
 * the prediction Z_n + k (Z_n - Z_(n-1)), k the share of velocity that damping leaves. */
#include <math.h>
#include <string.h>

#include "host/reduced/solver.h"

double sn_reduced_change(const sn_model *model, int i, double dx, double dy, double dz)
{
    const double reach = model->coordinate_reach[i];
    return reach * reach * (dx * dx + dy * dy + dz * dz);
}

static sn_reduced_report iterate_f64(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const int size = 3 * solver->coordinate_count;
    sn_reduced_report report = {0};
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->motion[i] = sn_reduced_centred_rig(body->rig_next, i);
    }
    sn_cluster_rig_f64(&solver->clusters64, body->motion, body->rig_gradient64);
    memcpy(body->z64, body->coordinates, (size_t)size * sizeof(double));
    for (report.iteration_count = 0; report.iteration_count < solver->desc.iteration_limit;) {
        double *next = body->local64;
        sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, body->z64, body->lanes64, next);
        for (int i = 0; i < size; ++i) {
            const double force = body->inertia[i] + solver->desc.stiffness * next[i];
            next[i] = solver->inverse_system[i / 3] * force - body->predicted64[i];
        }
        sn_contacts_project(body, next);
        double change2 = 0;
        for (int i = 0; i < solver->coordinate_count; ++i) {
            double change[3];
            for (int d = 0; d < 3; ++d) {
                const int at = 3 * i + d;
                const double z = body->predicted64[at] + next[at];
                change[d] = z - body->z64[at];
                body->z64[at] = z;
            }
            change2 += sn_reduced_change(solver->model, i, change[0], change[1], change[2]);
        }
        report.change = sqrt(change2) / solver->model->diagonal;
        ++report.iteration_count;
        if (report.change <= solver->desc.tolerance) {
            break;
        }
    }
    return report;
}

/* In float the sum with the prediction is taken in double: else a velocity of less than float's rounding over h, met at
 * small steps, would be lost. */
static void start_f32(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->rig32[i] = (float)sn_reduced_centred_rig(body->rig_next, i);
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        body->inertia32[i] = (float)(solver->inverse_system[i / 3] * body->inertia[i] - body->predicted64[i]);
        body->predicted32[i] = (float)body->predicted64[i];
        body->delta32[i] = (float)(body->coordinates[i] - body->predicted64[i]);
        body->z32[i] = (float)body->coordinates[i];
    }
}

static void project_f32(sn_reduced_body *body, float *next)
{
    const int size = 3 * body->solver->coordinate_count;
    if (body->contacts.count == 0) {
        return;
    }
    for (int i = 0; i < size; ++i) {
        body->local64[i] = (double)next[i];
    }
    sn_contacts_project(body, body->local64);
    for (int i = 0; i < size; ++i) {
        next[i] = (float)body->local64[i];
    }
}

static sn_reduced_report iterate_f32(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const int size = 3 * solver->coordinate_count;
    sn_reduced_report report = {0};
    start_f32(body);
    solver->rig_f32(&solver->clusters32, body->rig32, body->rig_gradient32);
    for (report.iteration_count = 0; report.iteration_count < solver->desc.iteration_limit;) {
        float *next = body->local32;
        solver->pass_f32(&solver->clusters32, body->rig_gradient32, body->z32, body->lanes32, next);
        for (int i = 0; i < size; ++i) {
            next[i] = body->inertia32[i] + body->weight32[i / 3] * next[i];
        }
        project_f32(body, next);
        double change2 = 0;
        for (int i = 0; i < solver->coordinate_count; ++i) {
            double change[3];
            for (int d = 0; d < 3; ++d) {
                const int at = 3 * i + d;
                change[d] = (double)(next[at] - body->delta32[at]);
                body->delta32[at] = next[at];
                body->z32[at] = body->predicted32[at] + next[at];
            }
            change2 += sn_reduced_change(solver->model, i, change[0], change[1], change[2]);
        }
        report.change = sqrt(change2) / solver->model->diagonal;
        ++report.iteration_count;
        if (report.change <= solver->desc.tolerance) {
            break;
        }
    }
    for (int i = 0; i < size; ++i) {
        body->z64[i] = body->predicted64[i] + (double)body->delta32[i];
    }
    return report;
}

sn_reduced_report sn_reduced_iterate(sn_reduced_body *body)
{
    return body->solver->desc.is_double ? iterate_f64(body) : iterate_f32(body);
}
