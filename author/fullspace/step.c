/* SPDX-License-Identifier: MIT */
/* One step. The global system is solved for a change, u <- u - K^-1 (gradient), which is then projected to the
 * constraint. This form of the right-hand side keeps a body at rest exactly at rest, up to rounding. */
#include <math.h>
#include <string.h>

#include "author/fullspace/solver.h"
#include "host/math/affine.h"

static bool are_finite(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += 0 * values[i];
    }
    return sum == 0;
}

static void pose_rig(const sn_fullspace_input *in, const double *pose, double *positions)
{
    const size_t n = (size_t)in->mesh.vertex_count, bones = (size_t)in->bone_count;
    for (size_t v = 0; v < n; ++v) {
        double sum[3] = {0};
        for (size_t b = 0; b < bones; ++b) {
            const double weight = in->rig_weights[v * bones + b];
            double posed[3];
            sn_affine_apply(pose + 12 * b, in->mesh.positions + 3 * v, posed);
            for (int d = 0; d < 3; ++d) {
                sum[d] += weight * posed[d];
            }
        }
        for (size_t d = 0; d < 3; ++d) {
            positions[d * n + v] = sum[d];
        }
    }
}

static void apply_morphs(sn_fullspace_body *body, const double *pose)
{
    const sn_fullspace_input *in = &body->solver->input;
    const size_t n = (size_t)in->mesh.vertex_count, columns = 3 * (size_t)in->pair_count;
    sn_morph_pair_rows(in->morph_pairs, in->pair_count, pose, body->fields, body->rows);
    for (size_t i = 0; i < 3 * n; ++i) {
        const double *row = columns > 0 ? in->morph_columns + i % n * columns : NULL;
        body->morph_next[i] = 0;
        for (size_t k = 0; k < columns; ++k) {
            body->morph_next[i] += row[k] * body->rows[3 * k + i / n];
        }
    }
}

bool sn_fullspace_set_pose(sn_fullspace_body *body, const double *pose)
{
    const sn_fullspace_input *in = &body->solver->input;
    const bool is_valid = are_finite(pose, 12 * (size_t)in->bone_count);
    if (is_valid) {
        pose_rig(in, pose, body->rig_next);
        apply_morphs(body, pose);
    } else {
        memcpy(body->rig_next, body->rig, 3 * (size_t)in->mesh.vertex_count * sizeof(double));
        memcpy(body->morph_next, body->morph, 3 * (size_t)in->mesh.vertex_count * sizeof(double));
    }
    sn_fullspace_measure_rig(body);
    return is_valid;
}

void sn_fullspace_predict(sn_fullspace_body *body)
{
    const sn_fullspace_solver *solver = body->solver;
    const size_t n = (size_t)solver->input.mesh.vertex_count;
    const double h = solver->desc.time_step;
    for (size_t i = 0; i < 3 * n; ++i) {
        const double velocity = solver->velocity_factor * (body->flesh[i] - body->flesh_previous[i]);
        const double rig_inertia = 2 * body->rig[i] - body->rig_previous[i] - body->rig_next[i];
        const double morph_inertia = 2 * body->morph[i] - body->morph_previous[i] - body->morph_next[i];
        body->target[i] = body->flesh[i] + velocity + rig_inertia + morph_inertia + h * h * solver->desc.gravity[i / n];
    }
}

/* Returns the square of the longest of n vectors. */
static double max_square(const double *x, size_t n)
{
    double square = 0;
    for (size_t v = 0; v < n; ++v) {
        square = fmax(square, x[v] * x[v] + x[n + v] * x[n + v] + x[2 * n + v] * x[2 * n + v]);
    }
    return square;
}

static void clear_pins(const sn_fullspace_input *in, double *gradient)
{
    const size_t n = (size_t)in->mesh.vertex_count;
    for (size_t i = 0; in->is_pinned && i < 3 * n; ++i) {
        gradient[i] = in->is_pinned[i % n] ? 0 : gradient[i];
    }
}

/* Iterates into `next`. The solve fails only if memory runs out, which is reported as a value that is not finite. */
static sn_fullspace_report iterate(sn_fullspace_body *body)
{
    sn_fullspace_solver *solver = body->solver;
    const size_t n = (size_t)solver->input.mesh.vertex_count;
    sn_fullspace_report report = {.change = INFINITY};
    memcpy(body->next, body->flesh, 3 * n * sizeof(double));
    while (report.iteration_count < solver->desc.iteration_limit && report.change > solver->desc.tolerance) {
        sn_fullspace_objective(body, body->next, body->change);
        clear_pins(&solver->input, body->change);
        if (sn_factor_solve(solver->factor, 3, body->change) != SN_OK) {
            body->next[0] = NAN;
            break;
        }
        for (size_t i = 0; i < 3 * n; ++i) {
            body->positions[i] = body->next[i] - body->change[i];
        }
        sn_fullspace_constrain(solver, body->positions);
        for (size_t i = 0; i < 3 * n; ++i) {
            body->change[i] = body->positions[i] - body->next[i];
            body->next[i] = body->positions[i];
        }
        report.change = sqrt(max_square(body->change, n)) / solver->diagonal;
        ++report.iteration_count;
    }
    return report;
}

sn_fullspace_report sn_fullspace_body_step(sn_fullspace_body *body, const double *pose)
{
    const sn_fullspace_solver *solver = body->solver;
    const size_t n = (size_t)solver->input.mesh.vertex_count, bytes = 3 * n * sizeof(double);
    const bool is_pose_valid = sn_fullspace_set_pose(body, pose);
    sn_fullspace_predict(body);
    sn_fullspace_report report = iterate(body);
    memcpy(body->rig_previous, body->rig, bytes);
    memcpy(body->rig, body->rig_next, bytes);
    memcpy(body->morph_previous, body->morph, bytes);
    memcpy(body->morph, body->morph_next, bytes);
    report.is_recovered = !is_pose_valid || !are_finite(body->next, 3 * n) ||
                          max_square(body->next, n) > 1e4 * solver->diagonal * solver->diagonal;
    if (report.is_recovered) {
        memset(body->flesh, 0, bytes);
        memset(body->flesh_previous, 0, bytes);
        memcpy(body->rig_previous, body->rig, bytes);
        memcpy(body->morph_previous, body->morph, bytes);
        return report;
    }
    memcpy(body->flesh_previous, body->flesh, bytes);
    memcpy(body->flesh, body->next, bytes);
    return report;
}
