/* SPDX-License-Identifier: MIT */
/* Of a cooked body: whether the modes' Hessian, at the body's size and of its stiffness, is the Laplacian of mu. */
#ifndef SN_TESTS_SUPPORT_HESSIAN_H
#define SN_TESTS_SUPPORT_HESSIAN_H

#include <math.h>

#include "author/cook/cook.h"
#include "author/sparse/laplacian.h"

static inline void sn_test_expect_hessian(const sn_cook_context *k)
{
    sn_arena arena = {0};
    sn_sparse laplacian;
    const sn_sparse *h = &k->modes.hessian;
    double *mu = SN_NEW(&arena, double, k->mesh.tet_count);
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        mu[t] = k->report.young * k->tet_stiffness[t];
    }
    assert_int_equal(sn_laplacian_build(&k->mesh, k->gradients, k->volumes, mu, NULL, &arena, &laplacian), SN_OK);
    assert_int_equal(h->size, laplacian.size);
    for (int column = 0; column < h->size; ++column) {
        assert_int_equal(h->column_starts[column + 1], laplacian.column_starts[column + 1]);
        const double diagonal = laplacian.values[laplacian.column_starts[column]];
        for (int32_t e = h->column_starts[column]; e < h->column_starts[column + 1]; ++e) {
            assert_int_equal(h->rows[e], laplacian.rows[e]);
            assert_true(fabs(k->report.young * k->mean_stiffness * h->values[e] - laplacian.values[e]) <=
                        1e-12 * diagonal);
        }
    }
    sn_arena_finish(&arena);
}

#endif
