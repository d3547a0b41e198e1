/* SPDX-License-Identifier: MIT */
/* A body's state: made, reset, moved, read. */
#include "host/reduced/solver.h"

#include <string.h>

#include "host/math/affine.h"

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

/* A body has room for every level of detail of its model. */
static int most_coordinates(const sn_reduced_solver *solver)
{
    return (solver->source->counts.coordinate_count + SN_GROUP - 1) / SN_GROUP * SN_GROUP;
}

static int most_groups(const sn_reduced_solver *solver)
{
    return (solver->source->counts.cluster_count + SN_GROUP - 1) / SN_GROUP;
}

static bool allocate_f32(const sn_reduced_solver *solver, sn_arena *arena, sn_iteration_f32 *it)
{
    const int z = 3 * most_coordinates(solver), p = 3 * solver->column_count, groups = most_groups(solver);
    it->column_limit = solver->has_volume ? SN_ANDERSON_VOLUME_COUNT : SN_ANDERSON_COUNT;
    return (it->predicted = SN_NEW(arena, float, z)) && (it->inertia = SN_NEW(arena, float, z)) &&
           (it->difference = SN_NEW(arena, float, z)) && (it->coordinates = SN_NEW(arena, float, z)) &&
           (it->local = SN_NEW(arena, float, z)) && (it->image = SN_NEW(arena, float, z)) &&
           (it->residual = SN_NEW(arena, float, z)) && (it->image_kept = SN_NEW(arena, float, z)) &&
           (it->residual_kept = SN_NEW(arena, float, z)) &&
           (it->image_changes = SN_NEW(arena, float, it->column_limit *z)) &&
           (it->residual_changes = SN_NEW(arena, float, it->column_limit *z)) && (it->rig = SN_NEW(arena, float, p)) &&
           (it->motion = SN_NEW(arena, float, p)) && (it->strain = SN_NEW(arena, float, p)) &&
           (it->lanes = SN_NEW(arena, float, SN_LANES *z)) &&
           (it->rig_gradient = SN_NEW(arena, float, 9 * SN_GROUP * groups));
}

static sn_result allocate_body(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const int z = 3 * most_coordinates(solver), p = 3 * solver->column_count, groups = most_groups(solver);
    sn_arena *arena = &body->arena;
    const bool is_ok = (body->coordinates = SN_NEW(arena, double, z)) &&
                       (body->coordinates_before = SN_NEW(arena, double, z)) &&
                       (body->velocity_change = SN_NEW(arena, double, z)) && (body->rig = SN_NEW(arena, double, p)) &&
                       (body->rig_before = SN_NEW(arena, double, p)) && (body->rig_next = SN_NEW(arena, double, p)) &&
                       (body->motion = SN_NEW(arena, double, p)) && (body->inertia = SN_NEW(arena, double, z)) &&
                       (body->predicted64 = SN_NEW(arena, double, z)) &&
                       (body->rig_gradient64 = SN_NEW(arena, double, 9 * SN_GROUP * groups)) &&
                       (body->lanes64 = SN_NEW(arena, double, SN_LANES *z)) && (body->z64 = SN_NEW(arena, double, z)) &&
                       (body->local64 = SN_NEW(arena, double, z)) && allocate_f32(solver, arena, &body->f32);
    if (!is_ok || sn_samples_allocate(&solver->sample_rows, arena, &body->samples) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    return sn_contacts_allocate(arena, solver->source, &body->contacts);
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

/* z: Z of one solver's basis, and then V_to^T M V_from Z of the other's, by way of the model's coordinates. */
static void change_basis(const sn_reduced_solver *from, const sn_reduced_solver *to, double *scratch, double *z)
{
    const size_t row = 3 * sizeof *z;
    const int all = to->source->counts.coordinate_count;
    if (from->view.basis) {
        memset(scratch, 0, (size_t)all * row);
        sn_reduced_add_product(from->view.basis, all, from->coordinate_count, 1, z, scratch);
    } else {
        memcpy(scratch, z, (size_t)all * row);
    }
    if (!to->view.basis) {
        memcpy(z, scratch, (size_t)all * row);
        return;
    }
    memset(z, 0, (size_t)to->coordinate_count * row);
    for (int i = 0; i < all; ++i) {
        const double *basis = to->view.basis + (size_t)i * (size_t)to->coordinate_count;
        for (int k = 0; k < 3 * to->coordinate_count; ++k) {
            z[k] += basis[k / 3] * scratch[3 * i + k % 3];
        }
    }
}

void sn_reduced_body_set_solver(sn_reduced_body *body, const sn_reduced_solver *solver)
{
    const sn_reduced_solver *before = body->solver;
    SN_ASSERT(before->source == solver->source);
    body->solver = solver;
    body->f32.size = 3 * solver->padded_count;
    if (before->view.mode_count == solver->view.mode_count) {
        return;
    }
    const size_t size = (size_t)body->f32.size * sizeof(float);
    change_basis(before, solver, body->local64, body->coordinates);
    change_basis(before, solver, body->local64, body->coordinates_before);
    change_basis(before, solver, body->local64, body->velocity_change);
    memset(body->f32.predicted, 0, size); /* beyond the coordinates that there are, these stay 0 */
    memset(body->f32.inertia, 0, size);
    memset(body->f32.difference, 0, size);
}

void sn_reduced_body_reset(sn_reduced_body *body, const double *pose)
{
    const size_t coordinate_bytes = (size_t)(3 * body->solver->coordinate_count) * sizeof(double);
    sn_reduced_rig_from_pose(pose, body->solver->model->counts.bone_count, body->rig);
    sn_reduced_rig_from_pose(pose, body->solver->model->counts.bone_count, body->rig_before);
    memset(body->coordinates, 0, coordinate_bytes);
    memset(body->coordinates_before, 0, coordinate_bytes);
    memset(body->velocity_change, 0, coordinate_bytes);
    memset(body->grabs, 0, sizeof body->grabs);
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
    turn_rows(transform, false, q, body->velocity_change);
    turn_rows(transform, true, p, body->rig);
    turn_rows(transform, true, p, body->rig_before);
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        double target[3];
        memcpy(target, body->grabs[i].target, sizeof target);
        sn_affine_apply(transform, target, body->grabs[i].target);
        turn_rows(transform, false, 1, body->grabs[i].offset);
    }
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

void sn_reduced_body_mode_transforms(const sn_reduced_body *body, double amount, double *transforms)
{
    sn_reduced_transforms(body->solver->model, body->coordinates, amount, transforms);
}

void sn_reduced_body_blended_transforms(sn_reduced_body *body, double fraction, double amount, double *transforms)
{
    for (int i = 0; i < 3 * body->solver->coordinate_count; ++i) {
        const double before = body->coordinates_before[i];
        body->z64[i] = before + fraction * (body->coordinates[i] - before);
    }
    sn_reduced_transforms(body->solver->model, body->z64, amount, transforms);
}
