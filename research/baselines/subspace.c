/* SPDX-License-Identifier: MIT */
/* Bases of displacements: built from weights, orthonormalised in the mass, restricted to constraints, and their
 * approximation errors. */
#include <math.h>
#include <string.h>

#include "author/modes/constraint/rig_rows.h"
#include "research/baselines/pencil.h"

#define MIN_RELATIVE_NORM 1e-7

sn_result sn_baseline_rig_rows(const sn_baseline_body *body, const double *leak, const double *rig_weights,
                               int bone_count, sn_arena *arena, sn_constraint *constraint)
{
    const sn_rig_rows_input rig = {
        .mesh = &body->mesh, .mass = body->mass, .leak = leak, .rig_weights = rig_weights, .bone_count = bone_count};
    sn_arena scratch = {0};
    sn_constraint rows = {.row_count = 0};
    sn_result result = sn_rig_rows_build(&rig, &scratch, &rows);
    if (result == SN_OK) {
        result = sn_constraint_add(body->mesh.vertex_count, body->mass, rows.rows, rows.row_count, arena, constraint);
    }
    sn_arena_finish(&scratch);
    return result;
}

static double dot(const double *mass, size_t size, const double *a, const double *b)
{
    double sums[3] = {0};
    for (size_t i = 0; i < size; i += 3) {
        for (size_t d = 0; d < 3; ++d) {
            sums[d] += mass[i / 3] * a[i + d] * b[i + d];
        }
    }
    return sums[0] + sums[1] + sums[2];
}

double sn_mass_norm(const double *mass, int vertex_count, const double *displacements)
{
    return sqrt(dot(mass, 3 * (size_t)vertex_count, displacements, displacements));
}

static void subtract(size_t size, double factor, const double *from, double *x)
{
    for (size_t i = 0; i < size; ++i) {
        x[i] -= factor * from[i];
    }
}

void sn_subspace_orthonormalise(const double *mass, int vertex_count, sn_subspace *subspace)
{
    const size_t size = 3 * (size_t)vertex_count;
    int kept = 0;
    for (int c = 0; c < subspace->dimension; ++c) {
        double *x = subspace->basis + (size_t)c * size;
        const double previous = sqrt(dot(mass, size, x, x));
        for (int pass = 0; pass < 2; ++pass) {
            for (int k = 0; k < kept; ++k) {
                const double *other = subspace->basis + (size_t)k * size;
                subtract(size, dot(mass, size, other, x), other, x);
            }
        }
        const double norm = sqrt(dot(mass, size, x, x));
        if (norm > MIN_RELATIVE_NORM * previous) {
            double *destination = subspace->basis + (size_t)kept++ * size;
            for (size_t i = 0; i < size; ++i) {
                destination[i] = x[i] / norm;
            }
        }
    }
    subspace->dimension = kept;
}

sn_result sn_weight_subspace(const sn_baseline_body *body, const double *weights, int weight_count, bool is_affine,
                             sn_arena *arena, sn_subspace *subspace)
{
    const size_t n = (size_t)body->mesh.vertex_count, parts = is_affine ? 4 : 1;
    const size_t count = 3 * parts * (size_t)weight_count;
    *subspace = (sn_subspace){(int)count, SN_NEW(arena, double, 3 * n * count)};
    if (!subspace->basis) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < count; ++c) {
        const size_t axis = c % 3, k = parts - 1 - c / 3 % parts, j = c / (3 * parts);
        for (size_t v = 0; v < n; ++v) {
            const double x = is_affine && k < 3 ? body->mesh.positions[3 * v + k] : 1;
            subspace->basis[3 * n * c + 3 * v + axis] = weights[v * (size_t)weight_count + j] * x;
        }
    }
    sn_subspace_orthonormalise(body->mass, (int)n, subspace);
    return SN_OK;
}

sn_result sn_subspace_constrain(const sn_baseline_body *body, sn_arena *arena, sn_subspace *subspace)
{
    const size_t n = (size_t)body->mesh.vertex_count, dimension = (size_t)subspace->dimension;
    const size_t rows = 3 * (size_t)body->constraint.row_count;
    const size_t remaining = rows < dimension ? dimension - rows : 0;
    sn_arena scratch = {0};
    double *columns = SN_NEW(&scratch, double, dimension *rows), *kept = SN_NEW(&scratch, double, dimension *remaining);
    const sn_subspace previous = *subspace;
    *subspace = (sn_subspace){(int)remaining, SN_NEW(arena, double, 3 * n * remaining)};
    sn_result result = columns && kept && subspace->basis ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < dimension * rows && result == SN_OK && remaining > 0; ++i) {
        const double *u = previous.basis + i % dimension * 3 * n, *row = body->constraint.rows + i / dimension / 3 * n;
        for (size_t v = 0; v < n; ++v) {
            columns[i] += row[v] * u[3 * v + i / dimension % 3];
        }
    }
    if (result == SN_OK && remaining > 0) {
        result = sn_dense_complement((int)dimension, (int)rows, columns, kept);
    }
    if (result == SN_OK && remaining > 0) {
        sn_dense_product(previous.basis, (int)(3 * n), (int)dimension, kept, (int)remaining, subspace->basis);
    }
    sn_arena_finish(&scratch);
    return result;
}

double sn_subspace_fit(const sn_subspace *subspace, const double *mass, int vertex_count, const double *displacements,
                       double *nearest)
{
    const size_t size = 3 * (size_t)vertex_count;
    double remaining = 0;
    memset(nearest, 0, size * sizeof *nearest);
    for (int c = 0; c < subspace->dimension; ++c) {
        const double *column = subspace->basis + (size_t)c * size;
        subtract(size, -dot(mass, size, column, displacements), column, nearest);
    }
    for (size_t i = 0; i < size; ++i) {
        const double difference = displacements[i] - nearest[i];
        remaining += mass[i / 3] * difference * difference;
    }
    return sqrt(remaining) / sn_mass_norm(mass, vertex_count, displacements);
}

/* K u of linear elasticity, with stress mu sym(F) + lambda tr(F). */
static void multiply_stiffness(const sn_baseline_body *body, const double *u, double *product)
{
    memset(product, 0, 3 * (size_t)body->mesh.vertex_count * sizeof *product);
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        double f[9], stress[9];
        sn_tet_displacement_gradient(body, t, u, f);
        for (int i = 0; i < 9; ++i) {
            const double pressure = body->tet_lame ? body->tet_lame[t] * (f[0] + f[4] + f[8]) : 0;
            stress[i] = 0.5 * body->tet_mu[t] * (f[i] + f[3 * (i % 3) + i / 3]) + (i % 4 == 0 ? pressure : 0);
        }
        sn_tet_add_forces(body, t, stress, product);
    }
}

sn_result sn_subspace_eigenvalues(const sn_baseline_body *body, const sn_subspace *subspace, double *eigenvalues)
{
    const size_t size = 3 * (size_t)body->mesh.vertex_count, count = (size_t)subspace->dimension;
    sn_arena scratch = {0};
    double *products = SN_NEW(&scratch, double, size *count), *small = SN_NEW(&scratch, double, count *count);
    sn_result result = products && small ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        for (size_t c = 0; c < count; ++c) {
            multiply_stiffness(body, subspace->basis + c * size, products + c * size);
        }
        sn_dense_gram(subspace->basis, products, (int)size, (int)count, small);
        result = sn_symmetric_eigen((int)count, small, eigenvalues);
    }
    sn_arena_finish(&scratch);
    return result;
}
