/* SPDX-License-Identifier: MIT */
/* The diagonal of the tangent matrix against the curvature of the objective of a step at rest, of full models and of
 * views, and what views derive from the model. */
#include "host/model/tangent_stiffness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/reduced/response_test.h"

static const double rest[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* The mean over the axes of the curvature of the objective along a coordinate, less that of inertia. */
static double curvature(const fixture *f, int coordinate, double *coordinates, double *gradient)
{
    const double step = 1e-4 / f->solver->model->coordinate_bounds[coordinate];
    const double h = f->solver->desc.time_step;
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        double values[2];
        for (int side = 0; side < 2; ++side) {
            coordinates[3 * coordinate + d] = side == 0 ? -step : step;
            sn_reduced_body_objective(f->body, rest, coordinates, gradient);
            values[side] = gradient[3 * coordinate + d];
        }
        coordinates[3 * coordinate + d] = 0;
        sum += (values[1] - values[0]) / (2 * step);
    }
    return (sum / 3 - 1 / (h * h)) / f->solver->desc.stiffness;
}

static void expect_tangent(const response *r, int mode_count, int level)
{
    fixture f;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.mode_count = mode_count;
    desc.cluster_level = level;
    start_response(&f, r, &desc);
    const sn_model *m = f.solver->model;
    const int q = m->counts.coordinate_count;
    double *coordinates = SN_NEW(&f.cooking.arena, double, 3 * q), *gradient = SN_NEW(&f.cooking.arena, double, 3 * q);
    double *diagonal = SN_NEW(&f.cooking.arena, double, q);
    assert_true(coordinates && gradient && diagonal && q > 8);
    sn_model_tangent_diagonal(m, diagonal);
    for (int i = 0; i < q; ++i) {
        const double measured = curvature(&f, i, coordinates, gradient), tangent = m->coordinate_tangent_stiffness[i];
        assert_true(fabs(measured - diagonal[i]) < 2e-3 * diagonal[i]);
        assert_true(tangent > 0 && tangent < 1.001 * diagonal[i]);
        assert_true(fabs(m->coordinate_decay[i] - r->decay) < 1e-9);
    }
    for (int c = 0; c < m->counts.cluster_count; ++c) {
        assert_true(fabs(m->cluster_strain_limits[c] - r->strain_limit) < 1e-12);
    }
    stop(&f);
}

static void test_it_is_the_curvature_at_rest(void **state)
{
    (void)state;
    expect_tangent(&(response){.decay = 3, .strain_limit = 0.1}, 0, 0);
    expect_tangent(&(response){.poisson = 0.4}, 0, 0);
    expect_tangent(&(response){.strain_limit_stiffness = 15, .strain_limit = 0.2}, 0, 0);
}

static void test_views_have_their_own(void **state)
{
    (void)state;
    const response r = {.decay = 3, .strain_limit = 0.1, .poisson = 0.3, .coarse_cluster_count = 7};
    expect_tangent(&r, 4, 0);
    expect_tangent(&r, 0, 1);
    expect_tangent(&r, 4, 1);
}

int test_tangent(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_it_is_the_curvature_at_rest),
                                       cmocka_unit_test(test_views_have_their_own)};
    return cmocka_run_group_tests_name("tangent", tests, NULL, NULL);
}
