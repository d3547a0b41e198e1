/* SPDX-License-Identifier: MIT */
/* A mesh with its operators, constraint and modes, and what is true of any modes. Include it after cmocka.h. */
#ifndef SN_TESTS_MODES_MODES_TEST_H
#define SN_TESTS_MODES_MODES_TEST_H

#include "author/modes/modes.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct model {
    sn_arena arena;
    sn_tet_mesh mesh;
    double *gradients, *volumes, *mass, *leak;
    sn_constraint constraint;
    sn_modes modes;
} model;

static inline void prepare(model *m)
{
    const size_t n = (size_t)m->mesh.vertex_count, t = (size_t)m->mesh.tet_count;
    m->gradients = SN_NEW(&m->arena, double, 12 * t);
    m->volumes = SN_NEW(&m->arena, double, t);
    m->mass = SN_NEW(&m->arena, double, n);
    m->leak = SN_NEW(&m->arena, double, n);
    sn_tet_gradients(&m->mesh, m->gradients, m->volumes);
    sn_tet_lumped_mass(&m->mesh, m->volumes, NULL, m->mass);
}

/* And nothing is left. */
static inline void finish(model *m)
{
    sn_arena_finish(&m->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static inline sn_result build_leak(model *m)
{
    return sn_momentum_leak(&m->mesh, m->gradients, m->volumes, m->mass, &m->arena, m->leak);
}

static inline sn_result build_modes(model *m, int count)
{
    return sn_modes_build(&m->mesh, m->gradients, m->volumes, m->mass, NULL, &m->constraint, count, &m->arena,
                          &m->modes);
}

/* ---- invariants ---- */

static inline void check_modes(const model *m)
{
    const size_t n = (size_t)m->mesh.vertex_count, r = (size_t)m->modes.mode_count;
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j <= i; j++) { /* orthonormal in mass */
            double sum = 0;
            for (size_t v = 0; v < n; v++) {
                sum += m->mass[v] * m->modes.weights[v * r + i] * m->modes.weights[v * r + j];
            }
            assert_near(sum, i == j, 1e-10);
        }
        for (size_t k = 0; k < (size_t)m->constraint.row_count; k++) {
            double sum = 0;
            for (size_t v = 0; v < n; v++) {
                sum += m->constraint.rows[k * n + v] * m->modes.weights[v * r + i];
            }
            assert_near(sum, 0, 1e-10);
        }
        double largest = 0;
        size_t first = 0; /* of the largest, to a millionth */
        for (size_t v = 0; v < n; v++) {
            largest = fmax(largest, fabs(m->modes.weights[v * r + i]));
        }
        while (fabs(m->modes.weights[first * r + i]) < (1 - 1e-6) * largest) {
            first++;
        }
        assert_true(m->modes.weights[first * r + i] > 0);
        assert_true(m->modes.eigenvalues[i] >= (i > 0 ? m->modes.eigenvalues[i - 1] : 0));
    }
}

/* Rows of unit norm in M^-1, and independent by far more than rounding. */
static inline void check_constraint(model *m)
{
    const size_t n = (size_t)m->mesh.vertex_count, rows = (size_t)m->constraint.row_count;
    double *gram = SN_NEW(&m->arena, double, rows *rows), *values = SN_NEW(&m->arena, double, rows);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t v = 0; v < n; v++) {
                sum += m->constraint.rows[i * n + v] * m->constraint.rows[j * n + v] / m->mass[v];
            }
            gram[j * rows + i] = sum;
        }
        assert_near(gram[i * rows + i], 1, 1e-10);
    }
    assert_int_equal(sn_symmetric_eigen((int)rows, gram, values), SN_OK);
    assert_true(rows == 0 || values[0] > 1e-9);
}

#endif
