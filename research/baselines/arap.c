/* SPDX-License-Identifier: MIT */
/* As-rigid-as-possible deformation (Sorkine and Alexa 2007, "As-rigid-as-possible surface modeling"). The global step
 * uses one factorization of the Laplacian of the free vertices and is written as a correction by the gradient. */
#include <math.h>
#include <string.h>

#include "author/sparse/laplacian.h"
#include "research/baselines/pencil.h"
#include "research/baselines/spokes_rims.h"

struct sn_arap {
    const sn_baseline_body *body;
    int fixed_count, free_count;
    int32_t *fixed;   /* (fixed_count) fixed vertices */
    int32_t *numbers; /* (vertex_count) index among the free vertices, or -1 */
    sn_factor *factor;
    double *gradient_sums, *rotations; /* (vertex_count x 9) padded to whole blocks */
    double *gradient;                  /* (vertex_count x 3) */
    double *correction;                /* (free_count x 3) column-major */
    sn_arena arena;
};

static sn_result factor_free(sn_arap *a)
{
    sn_arena scratch = {0};
    sn_sparse laplacian;
    sn_result result =
        sn_laplacian_build(&a->body->mesh, a->body->gradients, a->body->volumes, NULL, NULL, &scratch, &laplacian);
    if (result == SN_OK) {
        sn_sparse_select(&laplacian, a->numbers);
        result = sn_factor_create(&laplacian, "as-rigid-as-possible deformation", &a->factor);
    }
    sn_arena_finish(&scratch);
    return result;
}

static sn_result number_free(sn_arap *a)
{
    const size_t n = (size_t)a->body->mesh.vertex_count;
    for (int i = 0; i < a->fixed_count; ++i) {
        a->numbers[a->fixed[i]] = -1;
    }
    for (size_t v = 0; v < n; ++v) {
        a->numbers[v] = a->numbers[v] < 0 ? -1 : a->free_count++;
    }
    a->correction = SN_NEW(&a->arena, double, 3 * (size_t)a->free_count);
    return a->correction ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_arap_create(const sn_baseline_body *body, const int32_t *fixed, int fixed_count, sn_arap **arap)
{
    const size_t n = (size_t)body->mesh.vertex_count, capacity = 9 * sn_rotation_capacity(body->mesh.vertex_count);
    *arap = NULL;
    if (fixed_count < 1) {
        return sn_fail(SN_ERROR_ARGUMENT, "as-rigid-as-possible deformation: no vertex is fixed");
    }
    sn_arap *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    *created = (sn_arap){.body = body, .fixed_count = fixed_count};
    created->fixed = SN_NEW(&created->arena, int32_t, fixed_count);
    created->numbers = SN_NEW(&created->arena, int32_t, n);
    created->gradient_sums = SN_NEW(&created->arena, double, capacity);
    created->rotations = SN_NEW(&created->arena, double, capacity);
    created->gradient = SN_NEW(&created->arena, double, 3 * n);
    sn_result result = SN_ERROR_MEMORY;
    if (created->fixed && created->numbers && created->gradient_sums && created->rotations && created->gradient) {
        memcpy(created->fixed, fixed, (size_t)fixed_count * sizeof *fixed);
        result = number_free(created);
    }
    if (result == SN_OK && created->free_count > 0) {
        result = factor_free(created);
    }
    if (result != SN_OK) {
        sn_arap_destroy(&created);
        return result;
    }
    *arap = created;
    return SN_OK;
}

void sn_arap_destroy(sn_arap **arap)
{
    if (*arap) {
        sn_factor_destroy(&(*arap)->factor);
        sn_arena_finish(&(*arap)->arena);
        sn_free(*arap, 1, sizeof **arap);
        *arap = NULL;
    }
}

/* Computes the best rotations. Returns the energy E with these and computes its gradient. */
static double differentiate(sn_arap *a, const double *positions)
{
    const sn_baseline_body *body = a->body;
    double energy = 0;
    sn_spokes_rims_accumulate(body, positions, a->gradient_sums);
    sn_nearest_rotations(a->gradient_sums, body->mesh.vertex_count, body->mesh.is_flat, a->rotations);
    memset(a->gradient, 0, 3 * (size_t)body->mesh.vertex_count * sizeof *a->gradient);
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        const int32_t *corners = body->mesh.tets + 4 * (size_t)t;
        double f[9], stress[9];
        sn_tet_displacement_gradient(body, t, positions, f);
        f[8] += body->mesh.is_flat; /* a flat body's elements are prisms with unit thickness */
        memcpy(stress, f, sizeof stress);
        for (int c = 0; c < 4; ++c) {
            const double fraction = sn_tet_corner_fraction(&body->mesh, c);
            for (int i = 0; i < 9; ++i) {
                const double r = a->rotations[9 * (size_t)corners[c] + (size_t)i];
                stress[i] -= fraction * r;
                energy += 0.5 * body->volumes[t] * fraction * (f[i] - r) * (f[i] - r);
            }
        }
        sn_tet_add_forces(body, t, stress, a->gradient);
    }
    return energy;
}

double sn_arap_energy(sn_arap *arap, const double *positions)
{
    return differentiate(arap, positions);
}

int sn_arap_solve(sn_arap *arap, const double *targets, int iteration_limit, double tolerance, double *positions)
{
    const size_t n = (size_t)arap->body->mesh.vertex_count, free_count = (size_t)arap->free_count;
    for (int i = 0; i < arap->fixed_count; ++i) {
        memcpy(positions + 3 * (size_t)arap->fixed[i], targets + 3 * (size_t)i, 3 * sizeof *positions);
    }
    int iteration = 0;
    for (double max_change = INFINITY; free_count > 0 && iteration < iteration_limit && max_change > tolerance;
         ++iteration) {
        differentiate(arap, positions);
        for (size_t i = 0; i < 3 * n; ++i) {
            if (arap->numbers[i / 3] >= 0) {
                arap->correction[i % 3 * free_count + (size_t)arap->numbers[i / 3]] = arap->gradient[i];
            }
        }
        if (sn_factor_solve(arap->factor, 3, arap->correction) != SN_OK) {
            return -1;
        }
        max_change = 0;
        for (size_t i = 0; i < 3 * n; ++i) {
            if (arap->numbers[i / 3] >= 0) {
                const double change = arap->correction[i % 3 * free_count + (size_t)arap->numbers[i / 3]];
                positions[i] -= change;
                max_change = fmax(max_change, fabs(change));
            }
        }
    }
    return iteration;
}
