/* SPDX-License-Identifier: MIT */
/* A body's state: made, reset, moved, read. */
#include "host/reduced/solver.h"

#include <string.h>

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

static bool allocate_f32(const sn_reduced_solver *solver, sn_arena *arena, sn_iteration_f32 *it)
{
    const int z = 3 * solver->padded_count, p = 3 * solver->column_count, groups = solver->clusters32.group_count;
    it->size = z;
    it->column_limit = solver->has_volume ? SN_ANDERSON_VOLUME_COUNT : SN_ANDERSON_COUNT;
    return (it->predicted = SN_NEW(arena, float, z)) && (it->inertia = SN_NEW(arena, float, z)) &&
           (it->difference = SN_NEW(arena, float, z)) && (it->coordinates = SN_NEW(arena, float, z)) &&
           (it->local = SN_NEW(arena, float, z)) && (it->image = SN_NEW(arena, float, z)) &&
           (it->residual = SN_NEW(arena, float, z)) && (it->image_kept = SN_NEW(arena, float, z)) &&
           (it->residual_kept = SN_NEW(arena, float, z)) &&
           (it->image_changes = SN_NEW(arena, float, it->column_limit *z)) &&
           (it->residual_changes = SN_NEW(arena, float, it->column_limit *z)) && (it->rig = SN_NEW(arena, float, p)) &&
           (it->motion = SN_NEW(arena, float, p)) && (it->strain = SN_NEW(arena, float, p)) &&
           (it->morph_motion = SN_NEW(arena, float, 9 * solver->pair_count)) &&
           (it->lanes = SN_NEW(arena, float, SN_LANES *z)) &&
           (it->rig_gradient = SN_NEW(arena, float, 9 * SN_GROUP * groups));
}

static bool allocate_morphs(sn_reduced_body *body)
{
    const int size = 9 * body->solver->pair_count;
    sn_arena *arena = &body->arena;
    return (body->morphs = SN_NEW(arena, double, size)) && (body->morphs_before = SN_NEW(arena, double, size)) &&
           (body->morphs_next = SN_NEW(arena, double, size)) && (body->morph_motion = SN_NEW(arena, double, size)) &&
           (body->fields = SN_NEW(arena, double, body->solver->model->counts.morph_field_count));
}

static sn_result allocate_body(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const int z = 3 * solver->padded_count, p = 3 * solver->column_count, groups = solver->clusters64.group_count;
    sn_arena *arena = &body->arena;
    const bool is_ok =
        (body->coordinates = SN_NEW(arena, double, z)) && (body->coordinates_before = SN_NEW(arena, double, z)) &&
        (body->velocity_change = SN_NEW(arena, double, z)) && (body->rig = SN_NEW(arena, double, p)) &&
        (body->rig_before = SN_NEW(arena, double, p)) && (body->rig_next = SN_NEW(arena, double, p)) &&
        (body->motion = SN_NEW(arena, double, p)) && (body->inertia = SN_NEW(arena, double, z)) &&
        (body->predicted64 = SN_NEW(arena, double, z)) &&
        (body->rig_gradient64 = SN_NEW(arena, double, 9 * SN_GROUP * groups)) &&
        (body->lanes64 = SN_NEW(arena, double, SN_LANES *z)) && (body->z64 = SN_NEW(arena, double, z)) &&
        (body->local64 = SN_NEW(arena, double, z)) && allocate_f32(solver, arena, &body->f32) && allocate_morphs(body);
    if (!is_ok || sn_samples_allocate(&solver->sample_rows, arena, &body->samples) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    return sn_contacts_allocate(arena, solver->model, &body->contacts);
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
    sn_model_morph_fields(solver->model, solver->model->morph_rest, made->fields);
    sn_reduced_body_reset(made, pose);
    *body = made;
    return SN_OK;
}

void sn_reduced_body_set_solver(sn_reduced_body *body, const sn_reduced_solver *solver)
{
    SN_ASSERT(body->solver->model == solver->model);
    body->solver = solver;
}

void sn_reduced_body_set_morphs(sn_reduced_body *body, const float *weights)
{
    const sn_model *model = body->solver->model;
    float sum = 0;
    for (int m = 0; m < model->counts.morph_count; ++m) {
        sum += 0 * weights[m];
    }
    if (sum == 0) {
        sn_model_morph_fields(model, weights, body->fields);
    }
    body->has_refused_morphs |= sum != 0;
}

void sn_reduced_body_reset(sn_reduced_body *body, const double *pose)
{
    const sn_model *model = body->solver->model;
    const size_t coordinate_bytes = (size_t)(3 * body->solver->coordinate_count) * sizeof(double);
    sn_reduced_rig_from_pose(pose, model->counts.bone_count, body->rig);
    sn_reduced_rig_from_pose(pose, model->counts.bone_count, body->rig_before);
    sn_morph_pair_rows(model->morph_pairs, body->solver->pair_count, pose, body->fields, body->morphs);
    sn_morph_pair_rows(model->morph_pairs, body->solver->pair_count, pose, body->fields, body->morphs_before);
    memset(body->coordinates, 0, coordinate_bytes);
    memset(body->coordinates_before, 0, coordinate_bytes);
    memset(body->velocity_change, 0, coordinate_bytes);
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
    const int q = body->solver->coordinate_count, p = body->solver->column_count, morphs = 3 * body->solver->pair_count;
    turn_rows(transform, false, q, body->coordinates);
    turn_rows(transform, false, q, body->coordinates_before);
    turn_rows(transform, false, q, body->velocity_change);
    turn_rows(transform, true, p, body->rig);
    turn_rows(transform, true, p, body->rig_before);
    turn_rows(transform, false, morphs, body->morphs);
    turn_rows(transform, false, morphs, body->morphs_before);
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
