/* SPDX-License-Identifier: MIT */
/* Creates bodies and accesses their state. */
#include <string.h>

#include "author/fullspace/solver.h"
#include "host/math/affine.h"

static bool allocate(sn_fullspace_body *body)
{
    const sn_fullspace_solver *solver = body->solver;
    const size_t n = 3 * (size_t)solver->input.mesh.vertex_count, tets = (size_t)solver->input.mesh.tet_count;
    const size_t lanes = 9 * (size_t)solver->block_count;
    sn_arena *arena = &body->arena;
    return (body->flesh = SN_NEW(arena, double, n)) && (body->flesh_previous = SN_NEW(arena, double, n)) &&
           (body->rig = SN_NEW(arena, double, n)) && (body->rig_previous = SN_NEW(arena, double, n)) &&
           (body->morph = SN_NEW(arena, double, n)) && (body->morph_previous = SN_NEW(arena, double, n)) &&
           (body->morph_next = SN_NEW(arena, double, n)) &&
           (body->fields = SN_NEW(arena, double, solver->input.field_count)) &&
           (body->rows = SN_NEW(arena, double, 9 * solver->input.pair_count)) &&
           (body->rig_next = SN_NEW(arena, double, n)) && (body->target = SN_NEW(arena, double, n)) &&
           (body->next = SN_NEW(arena, double, n)) && (body->positions = SN_NEW(arena, double, n)) &&
           (body->change = SN_NEW(arena, double, n)) && (body->deformation = SN_NEW(arena, double, 9 * tets)) &&
           (body->rig_strain = SN_NEW(arena, double, 9 * tets)) &&
           (body->label_sums = SN_NEW(arena, sn_f64x8, lanes)) && (body->rotations = SN_NEW(arena, sn_f64x8, lanes)) &&
           (body->pressures = SN_NEW(arena, double, SN_LANES * body->solver->block_count));
}

void sn_fullspace_body_set_fields(sn_fullspace_body *body, const double *fields)
{
    memcpy(body->fields, fields, (size_t)body->solver->input.field_count * sizeof *fields);
}

void sn_fullspace_body_reset(sn_fullspace_body *body, const double *pose)
{
    const size_t bytes = 3 * (size_t)body->solver->input.mesh.vertex_count * sizeof(double);
    sn_fullspace_set_pose(body, pose);
    memcpy(body->rig, body->rig_next, bytes);
    memcpy(body->rig_previous, body->rig_next, bytes);
    memcpy(body->morph, body->morph_next, bytes);
    memcpy(body->morph_previous, body->morph_next, bytes);
    memset(body->flesh, 0, bytes);
    memset(body->flesh_previous, 0, bytes);
}

static sn_result start(sn_fullspace_body *body, const double *pose)
{
    const size_t bones = (size_t)body->solver->input.bone_count;
    sn_arena scratch = {0};
    double *bind = SN_NEW(&scratch, double, 12 * bones);
    for (size_t b = 0; bind && b < bones; ++b) {
        sn_affine_identity(bind + 12 * b);
    }
    if (bind) {
        sn_fullspace_body_reset(body, pose ? pose : bind);
    }
    sn_arena_finish(&scratch);
    return bind ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_fullspace_body_create(sn_fullspace_solver *solver, const double *pose, sn_fullspace_body **body)
{
    *body = NULL;
    sn_fullspace_body *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->solver = solver;
    const sn_result result = allocate(created) ? start(created, pose) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        sn_fullspace_body_destroy(&created);
        return result;
    }
    *body = created;
    return SN_OK;
}

void sn_fullspace_body_destroy(sn_fullspace_body **body)
{
    if (*body) {
        sn_arena_finish(&(*body)->arena);
        sn_free(*body, 1, sizeof **body);
        *body = NULL;
    }
}

/* Converts per-axis to (vertex_count x 3) layout, and back. */
static void by_vertex(const double *by_axis, size_t n, double *values)
{
    for (size_t i = 0; i < 3 * n; ++i) {
        values[i] = by_axis[i % 3 * n + i / 3];
    }
}

static void by_axis(const double *values, size_t n, double *result)
{
    for (size_t i = 0; i < 3 * n; ++i) {
        result[i % 3 * n + i / 3] = values[i];
    }
}

void sn_fullspace_body_displacements(const sn_fullspace_body *body, double *displacements)
{
    by_vertex(body->flesh, (size_t)body->solver->input.mesh.vertex_count, displacements);
}

double sn_fullspace_body_objective(sn_fullspace_body *body, const double *pose, const double *displacements,
                                   double *gradient)
{
    const size_t n = (size_t)body->solver->input.mesh.vertex_count;
    sn_fullspace_set_pose(body, pose);
    sn_fullspace_predict(body);
    by_axis(displacements, n, body->next);
    const double value = sn_fullspace_objective(body, body->next, body->change);
    by_vertex(body->change, n, gradient);
    return value;
}
