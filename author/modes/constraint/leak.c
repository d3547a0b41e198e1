/* SPDX-License-Identifier: MIT */
/* Momentum leak of complementary dynamics (Zhang et al. 2020; the diffusion of Benchekroun et al. 2023): one implicit
 * heat step from the surface inwards, (dt L + M) w = 0 with w = 1 on the surface, then D = 1 - w, scaled to its range.
 */
#include <math.h>
#include <string.h>

#include "author/modes/modes.h"

#define DIFFUSION_TIME 1e-3 /* per squared height; the reference's dt at unit height */
#define LARGE_SIZE 60000    /* unknowns from which iterations are faster than a factor */
#define ITERATION_LIMIT 1000
#define TOLERANCE 1e-10
#define MINIMUM_HEIGHT_TO_DIAGONAL .05 /* keeps the diffusion time of a flat model above zero */

static double diffusion_time(const sn_tet_mesh *mesh)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        lower[i % 3] = fmin(lower[i % 3], mesh->positions[i]);
        upper[i % 3] = fmax(upper[i % 3], mesh->positions[i]);
    }
    const double x = upper[0] - lower[0], y = upper[1] - lower[1], z = upper[2] - lower[2];
    const double height = fmax(y, MINIMUM_HEIGHT_TO_DIAGONAL * sqrt(x * x + y * y + z * z));
    return DIFFUSION_TIME * height * height;
}

/* inner_indices[v]: index among the vertices that are not on the surface, or -1. *inner_count receives their number. */
static sn_result number_inner_vertices(const sn_tet_mesh *mesh, sn_arena *scratch, int32_t *inner_indices,
                                       int *inner_count)
{
    int32_t *neighbours = SN_NEW(scratch, int32_t, 4 * (size_t)mesh->tet_count);
    bool *is_boundary = SN_NEW(scratch, bool, mesh->vertex_count);
    const sn_result result = neighbours && is_boundary ? sn_tet_neighbours(mesh, scratch, neighbours) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    sn_tet_mark_boundary(mesh, neighbours, is_boundary);
    *inner_count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        inner_indices[v] = is_boundary[v] ? -1 : (*inner_count)++;
    }
    return SN_OK;
}

/* Adds the surface's heat of 1 to the right-hand side of the inner vertices. */
static void add_surface_heat(const sn_sparse *full, const int32_t *inner_indices, double *right)
{
    for (int column = 0; column < full->size; column++) {
        for (int32_t i = full->column_starts[column]; i < full->column_starts[column + 1]; i++) {
            const int32_t row = full->rows[i];
            if (inner_indices[row] >= 0 && inner_indices[column] < 0) {
                right[inner_indices[row]] -= full->values[i];
            } else if (inner_indices[row] < 0 && inner_indices[column] >= 0) {
                right[inner_indices[column]] -= full->values[i];
            }
        }
    }
}

static sn_result solve_by_factor(const sn_sparse *matrix, double *heat)
{
    sn_factor *factor = NULL;
    sn_result result = sn_factor_create(matrix, "momentum leak", &factor);
    if (result == SN_OK) {
        result = sn_factor_solve(factor, 1, heat);
    }
    sn_factor_destroy(&factor);
    return result;
}

static sn_result diffuse(sn_sparse *matrix, const int32_t *inner_indices, sn_arena *scratch, double *heat)
{
    add_surface_heat(matrix, inner_indices, heat);
    sn_sparse_select(matrix, inner_indices);
    if (matrix->size < LARGE_SIZE) {
        return solve_by_factor(matrix, heat);
    }
    double *right = SN_NEW(scratch, double, matrix->size);
    bool is_solved = false;
    if (!right) {
        return SN_ERROR_MEMORY;
    }
    memcpy(right, heat, (size_t)matrix->size * sizeof *right);
    const sn_result result = sn_sparse_solve(matrix, TOLERANCE, ITERATION_LIMIT, heat, &is_solved);
    if (result != SN_OK || is_solved) {
        return result;
    }
    memcpy(heat, right, (size_t)matrix->size * sizeof *right);
    return solve_by_factor(matrix, heat);
}

static void write_leak(int vertex_count, const int32_t *inner_indices, int inner_count, const double *heat,
                       double *leak)
{
    double min_heat = 1, max_heat = 1; /* the surface's value */
    for (int i = 0; i < inner_count; i++) {
        min_heat = fmin(min_heat, heat[i]);
        max_heat = fmax(max_heat, heat[i]);
    }
    for (int v = 0; v < vertex_count; v++) {
        const double w = inner_indices[v] < 0 ? 1 : heat[inner_indices[v]];
        leak[v] = max_heat > min_heat ? 1 - (w - min_heat) / (max_heat - min_heat) : 0;
    }
}

typedef struct element_list {
    const sn_tet_mesh *mesh;
    const double *gradients, *volumes;
} element_list;

static sn_result leak_from_surface(const element_list *elements, const double *mass, sn_arena *scratch, double *leak)
{
    const int vertex_count = elements->mesh->vertex_count;
    int32_t *inner_indices = SN_NEW(scratch, int32_t, vertex_count);
    double *shift = SN_NEW(scratch, double, vertex_count);
    int inner_count = 0;
    sn_result result = inner_indices && shift
                           ? number_inner_vertices(elements->mesh, scratch, inner_indices, &inner_count)
                           : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    double *heat = SN_NEW(scratch, double, inner_count);
    if (!heat) {
        return SN_ERROR_MEMORY;
    }
    const double time = diffusion_time(elements->mesh);
    for (int v = 0; v < vertex_count; v++) {
        shift[v] = mass[v] / time; /* the equation is divided by dt */
    }
    sn_sparse matrix = {0};
    if (inner_count > 0) {
        result =
            sn_laplacian_build(elements->mesh, elements->gradients, elements->volumes, NULL, shift, scratch, &matrix);
    }
    if (result == SN_OK && inner_count > 0) {
        result = diffuse(&matrix, inner_indices, scratch, heat);
    }
    if (result == SN_OK) {
        write_leak(vertex_count, inner_indices, inner_count, heat, leak);
    }
    return result;
}

sn_result sn_momentum_leak(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                           sn_arena *arena, double *leak)
{
    (void)arena; /* not needed: nothing outlives the call */
    sn_arena scratch = {0};
    const element_list elements = {mesh, gradients, volumes};
    const sn_result result = leak_from_surface(&elements, mass, &scratch, leak);
    sn_arena_finish(&scratch);
    return result;
}
