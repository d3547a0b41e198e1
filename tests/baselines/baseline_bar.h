/* SPDX-License-Identifier: MIT */
/* A bar and its operators, for comparison subspaces. */
#ifndef SN_TESTS_BASELINES_BASELINE_BAR_H
#define SN_TESTS_BASELINES_BASELINE_BAR_H

#include "host/math/vec3.h"
#include "research/baselines/baselines.h"
#include "tests/support/bar.h"

#define STIFFNESS 1e4
#define DENSITY 1e3

typedef struct fixture {
    sn_arena arena;
    sn_baseline_body body;
    double *leak, *rig_weights;
    int n;
} fixture;

static inline void start(fixture *f, int nx, int ny, int nz, double cell)
{
    *f = (fixture){.n = 0};
    f->body.mesh = sn_test_bar(&f->arena, nx, ny, nz, cell);
    const sn_tet_mesh *mesh = &f->body.mesh;
    const size_t n = (size_t)mesh->vertex_count, tets = (size_t)mesh->tet_count;
    double *gradients = SN_NEW(&f->arena, double, 12 * tets), *volumes = SN_NEW(&f->arena, double, tets);
    double *mu = SN_NEW(&f->arena, double, tets), *mass = SN_NEW(&f->arena, double, n);
    f->leak = SN_NEW(&f->arena, double, n);
    f->rig_weights = SN_NEW(&f->arena, double, n);
    f->n = (int)n;
    sn_tet_gradients(mesh, gradients, volumes);
    sn_tet_lumped_mass(mesh, volumes, NULL, mass);
    for (size_t t = 0; t < tets; ++t) {
        mu[t] = STIFFNESS;
    }
    for (size_t v = 0; v < n; ++v) {
        mass[v] *= DENSITY;
        f->leak[v] = f->rig_weights[v] = 1;
    }
    f->body.gradients = gradients;
    f->body.volumes = volumes;
    f->body.tet_mu = mu;
    f->body.mass = mass;
}

static inline void stop(fixture *f)
{
    sn_arena_finish(&f->arena);
}

/* The end at x = 0. */
static inline void pin_end(fixture *f)
{
    bool *is_pinned = SN_NEW(&f->arena, bool, f->n);
    for (int v = 0; v < f->n; ++v) {
        is_pinned[v] = f->body.mesh.positions[3 * v] == 0;
    }
    f->body.constraint = (sn_constraint){.is_pinned = is_pinned};
}

static inline void hold_by_rig(fixture *f)
{
    assert_int_equal(sn_baseline_rig_rows(&f->body, f->leak, f->rig_weights, 1, &f->arena, &f->body.constraint), SN_OK);
    assert_int_equal(f->body.constraint.row_count, 4);
}

static inline double mass_dot(const fixture *f, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 3 * f->n; ++i) {
        sum += f->body.mass[i / 3] * a[i] * b[i];
    }
    return sum;
}

static inline void assert_orthonormal(const fixture *f, const sn_subspace *s)
{
    for (int i = 0; i < s->dimension; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double dot =
                mass_dot(f, s->basis + 3 * (size_t)f->n * (size_t)i, s->basis + 3 * (size_t)f->n * (size_t)j);
            assert_true(fabs(dot - (i == j)) < 1e-7);
        }
    }
}

/* J^T M D u = 0 of every column. */
static inline void assert_complementary(const fixture *f, const sn_subspace *s)
{
    for (int c = 0; c < s->dimension; ++c) {
        const double *u = s->basis + 3 * (size_t)f->n * (size_t)c;
        for (int row = 0; row < 12; ++row) {
            double sum = 0, size = 0;
            for (int v = 0; v < f->n; ++v) {
                const double x = row / 3 < 3 ? f->body.mesh.positions[3 * v + row / 3] : 1;
                sum += f->body.mass[v] * f->leak[v] * x * u[3 * v + row % 3];
                size += fabs(f->body.mass[v] * f->leak[v] * x * u[3 * v + row % 3]);
            }
            assert_true(fabs(sum) <= 1e-9 * size + 1e-12);
        }
    }
}

/* u = w x position */
static inline double *turn_linearly(fixture *f, const double *w)
{
    double *u = SN_NEW(&f->arena, double, 3 * f->n);
    for (int v = 0; v < f->n; ++v) {
        sn_cross3(w, f->body.mesh.positions + 3 * v, u + 3 * v);
    }
    return u;
}

/* R x - x by Rodrigues' formula. */
static inline void turn(const double *w, const double *x, double *u)
{
    const double angle = sn_length3(w);
    const double axis[3] = {w[0] / angle, w[1] / angle, w[2] / angle};
    double once[3], twice[3];
    sn_cross3(axis, x, once);
    sn_cross3(axis, once, twice);
    for (int d = 0; d < 3; ++d) {
        u[d] = sin(angle) * once[d] + (1 - cos(angle)) * twice[d];
    }
}

#endif
