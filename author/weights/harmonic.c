/* SPDX-License-Identifier: MIT */
#include "author/weights/harmonic.h"

/* The reduced system L_uu W_u = -L_uk W_k over the unknown vertices. */
typedef struct dirichlet {
    sn_sparse reduced;
    double *right_side; /* (reduced.size x field_count), column-major */
} dirichlet;

static void split_system(const sn_sparse *laplacian, const int32_t *unknown, const double *fields, int field_count,
                         dirichlet *system)
{
    const int size = system->reduced.size;
    int32_t filled = 0;
    for (int32_t column = 0; column < laplacian->size; ++column) {
        for (int32_t at = laplacian->column_starts[column]; at < laplacian->column_starts[column + 1]; ++at) {
            const int32_t row = laplacian->rows[at];
            const double value = laplacian->values[at];
            if (unknown[row] >= 0 && unknown[column] >= 0) {
                system->reduced.rows[filled] = unknown[row];
                /* keeps a component without known vertices nonsingular */
                system->reduced.values[filled++] = row == column ? value * (1 + 1e-10) : value;
            } else if (unknown[row] >= 0 || unknown[column] >= 0) {
                const int32_t inner = unknown[row] >= 0 ? unknown[row] : unknown[column];
                const int32_t outer = unknown[row] >= 0 ? column : row;
                for (int b = 0; b < field_count; ++b) {
                    system->right_side[(size_t)b * (size_t)size + (size_t)inner] -=
                        value * fields[(size_t)outer * (size_t)field_count + (size_t)b];
                }
            }
        }
        if (unknown[column] >= 0) {
            system->reduced.column_starts[unknown[column] + 1] = filled;
        }
    }
}

static sn_result solve_dirichlet(const sn_sparse *laplacian, const int32_t *unknown, int unknown_count, int field_count,
                                 sn_arena *scratch, double *fields)
{
    const size_t entries = (size_t)laplacian->column_starts[laplacian->size];
    dirichlet system = {.reduced = {.size = unknown_count,
                                    .column_starts = SN_NEW(scratch, int32_t, unknown_count + 1),
                                    .rows = SN_NEW(scratch, int32_t, entries),
                                    .values = SN_NEW(scratch, double, entries)},
                        .right_side = SN_NEW(scratch, double, (size_t)unknown_count *(size_t)field_count)};
    if (!system.reduced.column_starts || !system.reduced.rows || !system.reduced.values || !system.right_side) {
        return SN_ERROR_MEMORY;
    }
    split_system(laplacian, unknown, fields, field_count, &system);
    sn_factor *factor = NULL;
    sn_result result = sn_factor_create(&system.reduced, "harmonic fields", &factor);
    if (result == SN_OK) {
        result = sn_factor_solve(factor, field_count, system.right_side);
    }
    sn_factor_destroy(&factor);
    for (int v = 0; v < laplacian->size && result == SN_OK; ++v) {
        for (int b = 0; b < field_count && unknown[v] >= 0; ++b) {
            fields[(size_t)v * (size_t)field_count + (size_t)b] =
                system.right_side[(size_t)b * (size_t)unknown_count + (size_t)unknown[v]];
        }
    }
    return result;
}

sn_result sn_harmonic_fill(const sn_tet_mesh *mesh, const double *gradients, const double *volumes,
                           const bool *is_known, int field_count, double *fields)
{
    sn_arena scratch = {0};
    sn_sparse laplacian;
    int32_t *unknown = SN_NEW(&scratch, int32_t, mesh->vertex_count);
    int unknown_count = 0;
    sn_result result = unknown ? SN_OK : SN_ERROR_MEMORY;
    for (int v = 0; v < mesh->vertex_count && result == SN_OK; ++v) {
        unknown[v] = is_known[v] ? -1 : unknown_count++;
    }
    if (result == SN_OK && unknown_count > 0) {
        result = sn_laplacian_build(mesh, gradients, volumes, NULL, NULL, &scratch, &laplacian);
        if (result == SN_OK) {
            result = solve_dirichlet(&laplacian, unknown, unknown_count, field_count, &scratch, fields);
        }
    }
    sn_arena_finish(&scratch);
    return result;
}
