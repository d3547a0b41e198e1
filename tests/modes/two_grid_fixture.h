/* SPDX-License-Identifier: MIT */
/* A bar with its lattice, the lattice's factor and the cycle. Include it after cmocka.h. */
#ifndef SN_TESTS_MODES_TWO_GRID_FIXTURE_H
#define SN_TESTS_MODES_TWO_GRID_FIXTURE_H

#include "author/modes/eigen/two_grid.h"
#include "tests/modes/large_body.h"

typedef struct two_grid {
    body b;
    sn_matrix_rows k;
    sn_coarse_space space;
    sn_sparse coarse;
    sn_factor *factor;
    sn_two_grid grid;
    double *x, *y; /* (unknowns x 4) */
} two_grid;

static inline void make_two_grid(two_grid *g)
{
    *g = (two_grid){.factor = NULL};
    body *b = &g->b;
    b->model.mesh = sn_test_bar(&b->model.arena, 20, 12, 9, 0.25);
    prepare(&b->model);
    pose_problem(b);
    const size_t n = b->problem.unknowns.count;
    assert_int_equal(sn_matrix_rows_build(&b->problem.matrix, &b->model.arena, &g->k), SN_OK);
    assert_int_equal(
        sn_coarse_space_build(&b->problem, b->model.mesh.positions, &g->k, n / 22, &b->model.arena, &g->space), SN_OK);
    assert_int_equal(sn_coarse_space_matrix(&g->space, &g->k, &b->model.arena, &g->coarse), SN_OK);
    assert_int_equal(sn_factor_create(&g->coarse, "test", &g->factor), SN_OK);
    assert_int_equal(sn_two_grid_init(&g->k, &g->space, g->factor, 8, &b->model.arena, &g->grid), SN_OK);
    g->x = SN_NEW(&b->model.arena, double, 4 * n);
    g->y = SN_NEW(&b->model.arena, double, 4 * n);
}

static inline void finish_two_grid(two_grid *g)
{
    sn_factor_destroy(&g->factor);
    finish(&g->b.model);
}

#endif
