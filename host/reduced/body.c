/* SPDX-License-Identifier: MIT */
/* One body's step: inertia in double, the local-global loop in float or double (paper, section 4; spec, "Step"). */
#include "host/reduced/solver.h"

#include <math.h>
#include <string.h>

/* result (rows x 3) += scale * matrix (rows x columns) values (columns x 3) */
static void add_product(const double *matrix, int rows, int columns, double scale, const double *values, double *result)
{
    for (int i = 0; i < rows; ++i, matrix += columns) {
        double x = 0, y = 0, z = 0;
        for (int k = 0; k < columns; ++k) {
            x += matrix[k] * values[3 * k];
            y += matrix[k] * values[3 * k + 1];
            z += matrix[k] * values[3 * k + 2];
        }
        result[3 * i] += scale * x;
        result[3 * i + 1] += scale * y;
        result[3 * i + 2] += scale * z;
    }
}

/* (bone_count x 3 x 4) row-major to (4 bone_count x 3) */
static void rig_from_pose(const double *pose, int bone_count, double *rig)
{
    for (int b = 0; b < bone_count; ++b) {
        for (int k = 0; k < 4; ++k) {
            for (int d = 0; d < 3; ++d) {
                const double bind = k == d ? 1 : 0;
                rig[(4 * b + k) * 3 + d] = pose ? pose[12 * b + 4 * d + k] : bind;
            }
        }
    }
}

static sn_result allocate_body(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const int z = 3 * solver->coordinate_count;
    const int p = 3 * solver->column_count;
    const int f = 9 * solver->clusters32.block_count;
    sn_arena *arena = &body->arena;
    const bool is_ok =
        (body->coordinates = SN_NEW(arena, double, z)) && (body->coordinates_before = SN_NEW(arena, double, z)) &&
        (body->rig = SN_NEW(arena, double, p)) && (body->rig_before = SN_NEW(arena, double, p)) &&
        (body->rig_next = SN_NEW(arena, double, p)) && (body->motion = SN_NEW(arena, double, p)) &&
        (body->inertia = SN_NEW(arena, double, z)) && (body->rig_gradient64 = SN_NEW(arena, sn_f64x8, f)) &&
        (body->lanes64 = SN_NEW(arena, sn_f64x8, z)) && (body->rig_gradient32 = SN_NEW(arena, sn_f32x8, f)) &&
        (body->lanes32 = SN_NEW(arena, sn_f32x8, z)) && (body->z64 = SN_NEW(arena, double, z)) &&
        (body->local64 = SN_NEW(arena, double, z)) && (body->z32 = SN_NEW(arena, float, z)) &&
        (body->local32 = SN_NEW(arena, float, z)) && (body->rig32 = SN_NEW(arena, float, p)) &&
        (body->inertia32 = SN_NEW(arena, float, z)) && (body->weight32 = SN_NEW(arena, float, z)) &&
        (body->predicted32 = SN_NEW(arena, float, z)) && (body->delta32 = SN_NEW(arena, float, z));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_reduced_body_create(const sn_reduced_solver *solver, const double *pose, sn_reduced_body **body)
{
    *body = NULL;
    sn_reduced_body *made = sn_alloc(1, sizeof *made);
    if (!made) {
        return SN_ERROR_MEMORY;
    }
    made->solver = solver;
    const sn_result result = allocate_body(made);
    if (result != SN_OK) {
        sn_reduced_body_destroy(&made);
        return result;
    }
    sn_reduced_body_set_solver(made, solver);
    sn_reduced_body_reset(made, pose);
    *body = made;
    return SN_OK;
}

void sn_reduced_body_set_solver(sn_reduced_body *body, const sn_reduced_solver *solver)
{
    SN_ASSERT(body->solver->model == solver->model);
    body->solver = solver;
    for (int i = 0; i < solver->coordinate_count; ++i) {
        body->weight32[i] = (float)(solver->desc.stiffness * solver->inverse_system[i]);
    }
}

void sn_reduced_body_reset(sn_reduced_body *body, const double *pose)
{
    const size_t coordinate_bytes = (size_t)(3 * body->solver->coordinate_count) * sizeof(double);
    rig_from_pose(pose, body->solver->model->counts.bone_count, body->rig);
    rig_from_pose(pose, body->solver->model->counts.bone_count, body->rig_before);
    memset(body->coordinates, 0, coordinate_bytes);
    memset(body->coordinates_before, 0, coordinate_bytes);
}

/* rows (count x 3) <- rows R^T, and every fourth row, a translation, plus t where there is one. */
static void turn_rows(const double *m, bool is_placed, int count, double *rows)
{
    for (int i = 0; i < count; ++i, rows += 3) {
        const double x = rows[0], y = rows[1], z = rows[2];
        for (int d = 0; d < 3; ++d) {
            rows[d] = m[4 * d] * x + m[4 * d + 1] * y + m[4 * d + 2] * z;
            rows[d] += is_placed && i % 4 == 3 ? m[4 * d + 3] : 0;
        }
    }
}

void sn_reduced_body_teleport(sn_reduced_body *body, const double *transform)
{
    const int q = body->solver->coordinate_count, p = body->solver->column_count;
    turn_rows(transform, false, q, body->coordinates);
    turn_rows(transform, false, q, body->coordinates_before);
    turn_rows(transform, true, p, body->rig);
    turn_rows(transform, true, p, body->rig_before);
}

void sn_reduced_body_destroy(sn_reduced_body **body)
{
    if (*body) {
        sn_arena_finish(&(*body)->arena);
        sn_free(*body, 1, sizeof **body);
        *body = NULL;
    }
}

/* c0, without the rest's own term: 1/h^2 [ (1 + k) Z_n - k Z_(n-1) + M_J (2 P_n - P_(n-1) - P_(n+1)) ] + V^T M g
 * - s K_J (P_(n+1) - 1), with k the share of velocity that damping leaves. */
static void gather_inertia(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    const double per_h2 = 1 / (solver->desc.time_step * solver->desc.time_step);
    const double kept = solver->velocity_kept;
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        const double predicted = body->coordinates[i] + kept * (body->coordinates[i] - body->coordinates_before[i]);
        body->inertia[i] = per_h2 * predicted + solver->gravity[i];
    }
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->motion[i] = 2 * body->rig[i] - body->rig_before[i] - body->rig_next[i];
    }
    add_product(model->mass_cross, solver->coordinate_count, solver->column_count, per_h2, body->motion, body->inertia);
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        const double rest = i / 3 % 4 == i % 3 ? 1 : 0;
        body->motion[i] = body->rig_next[i] - rest;
    }
    add_product(model->stiffness_cross, solver->coordinate_count, solver->column_count, -solver->desc.stiffness,
                body->motion, body->inertia);
}

/* Rig gradients do not see translation: the root's is taken off first, so that float keeps its digits far from the
 * origin. */
static double centred_rig(const double *rig, int i)
{
    return i / 3 % 4 == 3 ? rig[i] - rig[9 + i % 3] : rig[i];
}

static double change_of(const sn_model *model, int i, double dx, double dy, double dz)
{
    const double reach = model->coordinate_reach[i];
    return reach * reach * (dx * dx + dy * dy + dz * dz);
}

static sn_reduced_report iterate_f64(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    sn_reduced_report report = {0};
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->motion[i] = centred_rig(body->rig_next, i);
    }
    sn_cluster_rig_f64(&solver->clusters64, body->motion, body->rig_gradient64);
    memcpy(body->z64, body->coordinates, (size_t)(3 * solver->coordinate_count) * sizeof(double));
    for (report.iteration_count = 0; report.iteration_count < solver->desc.iteration_limit;) {
        sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, body->z64, body->lanes64, body->local64);
        double change2 = 0;
        for (int i = 0; i < solver->coordinate_count; ++i) {
            double delta[3];
            for (int d = 0; d < 3; ++d) {
                const int at = 3 * i + d;
                const double next =
                    solver->inverse_system[i] * (body->inertia[at] + solver->desc.stiffness * body->local64[at]);
                delta[d] = next - body->z64[at];
                body->z64[at] = next;
            }
            change2 += change_of(solver->model, i, delta[0], delta[1], delta[2]);
        }
        report.change = sqrt(change2) / solver->model->diagonal;
        ++report.iteration_count;
        if (report.change <= solver->desc.tolerance) {
            break;
        }
    }
    return report;
}

/* In float, the unknown is the difference to the prediction Z_n + k (Z_n - Z_(n-1)), and the sum is taken in double:
 * else a velocity of less than float's rounding over h, met at small steps, would be lost. */
static void start_f32(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->rig32[i] = (float)centred_rig(body->rig_next, i);
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        const double moved = solver->velocity_kept * (body->coordinates[i] - body->coordinates_before[i]);
        body->z64[i] = body->coordinates[i] + moved;
        body->inertia32[i] = (float)(solver->inverse_system[i / 3] * body->inertia[i] - body->z64[i]);
        body->predicted32[i] = (float)body->z64[i];
        body->delta32[i] = (float)-moved;
        body->z32[i] = (float)body->coordinates[i];
    }
}

static sn_reduced_report iterate_f32(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    sn_reduced_report report = {0};
    start_f32(body);
    solver->rig_f32(&solver->clusters32, body->rig32, body->rig_gradient32);
    for (report.iteration_count = 0; report.iteration_count < solver->desc.iteration_limit;) {
        solver->pass_f32(&solver->clusters32, body->rig_gradient32, body->z32, body->lanes32, body->local32);
        double change2 = 0;
        for (int i = 0; i < solver->coordinate_count; ++i) {
            double change[3];
            for (int d = 0; d < 3; ++d) {
                const int at = 3 * i + d;
                const float next = body->inertia32[at] + body->weight32[i] * body->local32[at];
                change[d] = (double)(next - body->delta32[at]);
                body->delta32[at] = next;
                body->z32[at] = body->predicted32[at] + next;
            }
            change2 += change_of(solver->model, i, change[0], change[1], change[2]);
        }
        report.change = sqrt(change2) / solver->model->diagonal;
        ++report.iteration_count;
        if (report.change <= solver->desc.tolerance) {
            break;
        }
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        body->z64[i] += (double)body->delta32[i];
    }
    return report;
}

static bool are_finite(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += 0 * values[i];
    }
    return sum == 0;
}

/* The bound on what any vertex has moved is beyond a hundred diagonals. */
static bool is_exploded(const sn_model *model, const double *coordinates)
{
    double square = 0;
    for (int i = 0; i < model->counts.coordinate_count; ++i, coordinates += 3) {
        square += change_of(model, i, coordinates[0], coordinates[1], coordinates[2]);
    }
    return square > 1e4 * model->diagonal * model->diagonal;
}

/* The last sound pose stays where the new one is not finite. */
static bool take_pose(sn_reduced_body *body, const double *pose)
{
    const int bones = body->solver->model->counts.bone_count;
    const bool is_sound = are_finite(pose, 12 * bones);
    if (is_sound) {
        rig_from_pose(pose, bones, body->rig_next);
    } else {
        memcpy(body->rig_next, body->rig, (size_t)(12 * bones) * sizeof(double));
    }
    return is_sound;
}

sn_reduced_report sn_reduced_body_step(sn_reduced_body *body, const double *pose)
{
    const sn_reduced_solver *solver = body->solver;
    const size_t coordinate_bytes = (size_t)(3 * solver->coordinate_count) * sizeof(double);
    const size_t rig_bytes = (size_t)(3 * solver->column_count) * sizeof(double);
    const bool is_pose_sound = take_pose(body, pose);
    gather_inertia(body);
    sn_reduced_report report = solver->desc.is_double ? iterate_f64(body) : iterate_f32(body);
    memcpy(body->rig_before, body->rig, rig_bytes);
    memcpy(body->rig, body->rig_next, rig_bytes);
    report.is_recovered =
        !is_pose_sound || !are_finite(body->z64, 3 * solver->coordinate_count) || is_exploded(solver->model, body->z64);
    if (report.is_recovered) {
        memset(body->coordinates, 0, coordinate_bytes);
        memset(body->coordinates_before, 0, coordinate_bytes);
        memcpy(body->rig_before, body->rig, rig_bytes);
        return report;
    }
    memcpy(body->coordinates_before, body->coordinates, coordinate_bytes);
    memcpy(body->coordinates, body->z64, coordinate_bytes);
    return report;
}

const double *sn_reduced_body_coordinates(const sn_reduced_body *body)
{
    return body->coordinates;
}

void sn_reduced_body_set_coordinates(sn_reduced_body *body, const double *coordinates)
{
    const size_t bytes = (size_t)(3 * body->solver->coordinate_count) * sizeof(double);
    memcpy(body->coordinates, coordinates, bytes);
    memcpy(body->coordinates_before, coordinates, bytes);
}

static void transforms_from(const sn_model *model, const double *coordinates, double amount, double *transforms)
{
    const int count = model->counts.coordinate_count;
    for (int j = 0; j < model->counts.mode_count; ++j) {
        for (int k = 0; k < 4; ++k) {
            const double *row = model->mode_from_coordinate + (size_t)(4 * j + k) * (size_t)count;
            double column[3] = {0, 0, 0};
            add_product(row, 1, count, amount, coordinates, column);
            for (int d = 0; d < 3; ++d) {
                transforms[12 * j + 4 * d + k] = column[d];
            }
        }
    }
}

void sn_reduced_body_mode_transforms(const sn_reduced_body *body, double amount, double *transforms)
{
    transforms_from(body->solver->model, body->coordinates, amount, transforms);
}

void sn_reduced_body_blended_transforms(sn_reduced_body *body, double fraction, double amount, double *transforms)
{
    for (int i = 0; i < 3 * body->solver->coordinate_count; ++i) {
        const double before = body->coordinates_before[i];
        body->z64[i] = before + fraction * (body->coordinates[i] - before);
    }
    transforms_from(body->solver->model, body->z64, amount, transforms);
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* x^T (cross) y with cross (coordinate_count x column_count), both x and y with three columns */
static double bilinear(const double *matrix, int rows, int columns, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < rows; ++i) {
        double row[3] = {0, 0, 0};
        add_product(matrix + (size_t)i * (size_t)columns, 1, columns, 1, y, row);
        sum += dot(x + 3 * i, row, 3);
    }
    return sum;
}

sn_reduced_energy sn_reduced_body_energy(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    const int q = solver->coordinate_count, p = solver->column_count;
    const double h = solver->desc.time_step;
    for (int i = 0; i < 3 * q; ++i) {
        body->z64[i] = body->coordinates[i] - body->coordinates_before[i];
    }
    for (int i = 0; i < 3 * p; ++i) {
        body->motion[i] = body->rig[i] - body->rig_before[i];
    }
    const double moved = dot(body->z64, body->z64, 3 * q) +
                         2 * bilinear(model->mass_cross, q, p, body->z64, body->motion) +
                         bilinear(model->mass_bone, p, p, body->motion, body->motion);
    for (int i = 0; i < 3 * p; ++i) {
        body->motion[i] = centred_rig(body->rig, i);
    }
    sn_cluster_rig_f64(&solver->clusters64, body->motion, body->rig_gradient64);
    const double trace =
        sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, body->coordinates, body->lanes64, body->local64);
    double stretch = bilinear(model->stiffness_bone, p, p, body->motion, body->motion) +
                     2 * bilinear(model->stiffness_cross, q, p, body->coordinates, body->motion);
    for (int i = 0; i < 3 * q; ++i) {
        stretch += model->coordinate_stiffness[i / 3] * body->coordinates[i] * body->coordinates[i];
    }
    const double elastic = 0.5 * stretch - trace + 1.5 * model->total_stiffness;
    return (sn_reduced_energy){.kinetic = 0.5 * moved / (h * h), .elastic = solver->desc.stiffness * fmax(elastic, 0)};
}

double sn_reduced_body_objective(sn_reduced_body *body, const double *pose, const double *coordinates, double *gradient)
{
    const sn_reduced_solver *solver = body->solver;
    const double stiffness = solver->desc.stiffness;
    take_pose(body, pose);
    gather_inertia(body);
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->motion[i] = centred_rig(body->rig_next, i);
    }
    sn_cluster_rig_f64(&solver->clusters64, body->motion, body->rig_gradient64);
    const double trace =
        sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, coordinates, body->lanes64, body->local64);
    /* the trace holds the rest's share of S_B Z too, which gather_inertia left out: K_J 1 puts it back */
    double value = -stiffness * trace;
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        const double *stiffness_row = solver->model->stiffness_cross + (size_t)(i / 3) * (size_t)solver->column_count;
        double rest = 0;
        for (int column = i % 3; column < solver->column_count; column += 4) {
            rest += stiffness_row[column];
        }
        const double system = 1 / solver->inverse_system[i / 3];
        value += (0.5 * system * coordinates[i] - body->inertia[i] + stiffness * rest) * coordinates[i];
        gradient[i] = system * coordinates[i] - body->inertia[i] - stiffness * body->local64[i];
    }
    return value;
}
