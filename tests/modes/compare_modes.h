/* SPDX-License-Identifier: MIT */
/* Modes without a factor of the mesh's matrix, against those with one. Include it after cmocka.h. */
#ifndef SN_TESTS_MODES_COMPARE_MODES_H
#define SN_TESTS_MODES_COMPARE_MODES_H

#include "author/modes/eigen/large.h"
#include "tests/modes/large_body.h"

/* Both ways: values, to `tolerance` of them; vectors' span, to 3e-4; constraint. */
static inline void compare_modes(body *b, double tolerance, int wanted)
{
    sn_pair_list large, direct;
    sn_projected_problem projected = {.size = (int)b->problem.unknowns.count, .constraints = b->problem.constraints};
    const size_t n = b->problem.unknowns.count, count = (size_t)wanted;
    bool is_found = false;
    assert_int_equal(
        sn_modes_compute_large(&b->problem, b->model.mesh.positions, wanted, &b->model.arena, &large, &is_found),
        SN_OK);
    assert_true(is_found);
    assert_int_equal(sn_factor_create(&b->problem.matrix, "test", &projected.factor), SN_OK);
    assert_int_equal(sn_lanczos_largest(&projected, wanted, &b->model.arena, &direct), SN_OK);
    sn_factor_destroy(&projected.factor);
    const size_t rows = (size_t)projected.constraints.column_count;
    double *q = SN_NEW(&b->model.arena, double, n *rows);
    sn_columns_expand(&projected.constraints, (int)n, q);
    for (size_t i = 0; i < count; ++i) {
        const double *x = large.vectors + i * n;
        double inside = 0, square = 0;
        assert_near(large.values[i], direct.values[i], tolerance * direct.values[i]);
        for (size_t j = 0; j < count; ++j) {
            double dot = 0;
            for (size_t v = 0; v < n; ++v) {
                dot += x[v] * direct.vectors[j * n + v];
            }
            inside += dot * dot;
        }
        for (size_t v = 0; v < n; ++v) {
            square += x[v] * x[v];
        }
        assert_near(square, 1, 1e-9);
        assert_near(inside, 1, 9e-8); /* but for what mixes with the modes after the last */
        for (size_t r = 0; r < rows; ++r) {
            double along = 0;
            for (size_t v = 0; v < n; ++v) {
                along += x[v] * q[r * n + v];
            }
            assert_near(along, 0, 1e-10);
        }
    }
}

#endif
