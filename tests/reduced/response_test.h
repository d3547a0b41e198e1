/* SPDX-License-Identifier: MIT */
/* A cooked bar with strain limits and decay rates. Include it after cmocka.h. */
#ifndef SN_TESTS_REDUCED_RESPONSE_TEST_H
#define SN_TESTS_REDUCED_RESPONSE_TEST_H

#include "tests/reduced/reduced_test.h"

typedef struct response {
    double strain_limit_stiffness, strain_limit, decay, poisson, size;
    int coarse_cluster_count;
} response;

/* A bar as in reduced_test.h, `size` times as large, with the same limit and rate everywhere. */
static inline void cook_response(fixture *f, const response *r)
{
    const double size = r->size > 0 ? r->size : 1;
    *f = (fixture){.model = NULL};
    f->cooking.mesh = sn_test_bar(&f->cooking.arena, 12, 4, 3, 0.25 * size);
    double *limits = SN_NEW(&f->cooking.arena, double, f->cooking.mesh.tet_count);
    double *decay = SN_NEW(&f->cooking.arena, double, f->cooking.mesh.vertex_count);
    assert_true(limits && decay);
    for (int t = 0; t < f->cooking.mesh.tet_count; ++t) {
        limits[t] = r->strain_limit;
    }
    for (int v = 0; v < f->cooking.mesh.vertex_count; ++v) {
        decay[v] = r->decay;
    }
    f->cooking.strain_limit_stiffness = r->strain_limit_stiffness;
    f->cooking.tet_strain_limits = limits;
    f->cooking.vertex_decay = decay;
    sn_cook_desc cook = sn_default_cook_desc();
    cook.complementary = SN_COMPLEMENTARY_WEIGHTS;
    cook.mode_count = 8;
    cook.cluster_count = 20;
    cook.coarse_cluster_counts[0] = r->coarse_cluster_count;
    cook.poisson = r->poisson;
    assert_int_equal(sn_cook_context_run(&f->cooking, "bar", &cook), SN_OK);
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &f->model), SN_OK);
    f->positions = SN_NEW(&f->cooking.arena, double, 3 * f->model->counts.vertex_count);
    assert_non_null(f->positions);
}

static inline void start_response(fixture *f, const response *r, const sn_reduced_desc *desc)
{
    cook_response(f, r);
    assert_int_equal(sn_reduced_solver_create(f->model, desc, &f->solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(f->solver, NULL, &f->body), SN_OK);
}

#endif
