/* SPDX-License-Identifier: MIT */
/* Element operators, and selection of the local step's instruction set. */
#include "author/spacetime/elastic.h"

#include <math.h>
#include <string.h>

#include "author/spacetime/projection.h"

sn_spacetime_material sn_spacetime_material_from_young(double young, double poisson, double density)
{
    const double shear = young / (2 * (1 + poisson)), lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    return (sn_spacetime_material){.volume = 3 * lame, .strain = 2 * shear, .density = density};
}

sn_result sn_spacetime_elastic_build(const sn_tet_mesh *mesh, const sn_spacetime_material *material, sn_arena *arena,
                                     sn_spacetime_elastic *elastic)
{
    const size_t tets = (size_t)mesh->tet_count, n = (size_t)mesh->vertex_count;
    const double stiffness = material->volume + material->strain;
    *elastic = (sn_spacetime_elastic){.vertex_count = mesh->vertex_count,
                                      .tet_count = mesh->tet_count,
                                      .volume_fraction = material->volume / stiffness,
                                      .strain_fraction = material->strain / stiffness,
                                      .tets = mesh->tets,
                                      .gradients = SN_NEW(arena, double, 12 * tets),
                                      .weights = SN_NEW(arena, double, tets),
                                      .mass = SN_NEW(arena, double, n)};
    if (!elastic->gradients || !elastic->weights || !elastic->mass) {
        return SN_ERROR_MEMORY;
    }
    sn_tet_gradients(mesh, elastic->gradients, elastic->weights);
    sn_tet_lumped_mass(mesh, elastic->weights, NULL, elastic->mass);
    for (size_t v = 0; v < n; ++v) {
        elastic->mass[v] *= material->density;
    }
    for (size_t t = 0; t < tets; ++t) {
        elastic->weights[t] *= stiffness;
    }
    return SN_OK;
}

typedef struct kernels {
    sn_spacetime_forces_function *forces;
    sn_spacetime_projections_function *projections;
} kernels;

static kernels choose(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
        return (kernels){sn_spacetime_forces_avx512, sn_spacetime_projections_avx512};
    }
    if (__builtin_cpu_supports("avx2")) {
        return (kernels){sn_spacetime_forces_avx2, sn_spacetime_projections_avx2};
    }
#endif
    return (kernels){sn_spacetime_forces_baseline, sn_spacetime_projections_baseline};
}

void sn_spacetime_elastic_forces(const sn_spacetime_elastic *elastic, const double *positions, double *forces)
{
    memset(forces, 0, (size_t)elastic->vertex_count * 3 * SN_SPACETIME_LANES * sizeof *forces);
    choose().forces(elastic, positions, forces);
}

void sn_spacetime_project(const sn_spacetime_elastic *elastic, const double *deformations, double *projections)
{
    choose().projections(elastic, deformations, projections);
}
