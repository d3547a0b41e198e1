/* SPDX-License-Identifier: MIT */
/* A body's state: made, reset, moved, read. */
#include "host/reduced/solver.h"

#include <string.h>

void sn_reduced_add_product(const double *matrix, int rows, int columns, double scale, const double *values,
                            double *result)
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

void sn_reduced_rig_from_pose(const double *pose, int bone_count, double *rig)
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
        (body->local64 = SN_NEW(arena, double, z)) && (body->predicted64 = SN_NEW(arena, double, z)) &&
        (body->z32 = SN_NEW(arena, float, z)) && (body->local32 = SN_NEW(arena, float, z)) &&
        (body->rig32 = SN_NEW(arena, float, p)) && (body->inertia32 = SN_NEW(arena, float, z)) &&
        (body->weight32 = SN_NEW(arena, float, z)) && (body->predicted32 = SN_NEW(arena, float, z)) &&
        (body->delta32 = SN_NEW(arena, float, z));
    return is_ok ? sn_contacts_allocate(arena, solver->coordinate_count, &body->contacts) : SN_ERROR_MEMORY;
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
    sn_reduced_rig_from_pose(pose, body->solver->model->counts.bone_count, body->rig);
    sn_reduced_rig_from_pose(pose, body->solver->model->counts.bone_count, body->rig_before);
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
            sn_reduced_add_product(row, 1, count, amount, coordinates, column);
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
