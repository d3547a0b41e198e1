/* SPDX-License-Identifier: MIT */
/* A bar that needs no data, and rigs that shake it. Include it after cmocka.h. */
#ifndef SN_TESTS_REDUCED_REDUCED_TEST_H
#define SN_TESTS_REDUCED_REDUCED_TEST_H

#include <math.h>
#include <string.h>

#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/reduced/solver.h"
#include "host/skin/skin.h"
#include "tests/support/bar.h"

typedef struct fixture {
    sn_cook_context cooking;
    sn_model *model;
    sn_reduced_solver *solver;
    sn_reduced_body *body;
    double *positions;
} fixture;

static inline void start(fixture *f, const sn_reduced_desc *desc)
{
    *f = (fixture){.model = NULL};
    f->cooking.mesh = sn_test_bar(&f->cooking.arena, 12, 4, 3, 0.25);
    sn_cook_desc cook = sn_default_cook_desc();
    cook.mode_count = 8;
    cook.cluster_count = 20;
    assert_int_equal(sn_cook_context_run(&f->cooking, "bar", &cook), SN_OK);
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &f->model), SN_OK);
    assert_int_equal(sn_reduced_solver_create(f->model, desc, &f->solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(f->solver, NULL, &f->body), SN_OK);
    f->positions = SN_NEW(&f->cooking.arena, double, 3 * f->model->counts.vertex_count);
    assert_non_null(f->positions);
}

static inline void stop(fixture *f)
{
    sn_reduced_body_destroy(&f->body);
    sn_reduced_solver_destroy(&f->solver);
    sn_model_release(f->model);
    sn_cook_context_finish(&f->cooking);
}

static inline void rotate_about_z(double angle, double x, double *pose)
{
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = x;
}

/* What the modes add to the rig, (vertex_count x 3). */
static inline const double *displacement(fixture *f)
{
    double transforms[12 * 8];
    memset(f->positions, 0, 3 * (size_t)f->model->counts.vertex_count * sizeof(double));
    sn_reduced_body_mode_transforms(f->body, 1, transforms);
    sn_skin_add(f->model->mode_weights, f->model->counts.mode_count, transforms, f->model->rest_positions,
                f->model->counts.vertex_count, f->positions);
    return f->positions;
}

static inline double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

static inline void shake(int frame, double *pose)
{
    rotate_about_z(0.5 * sin(0.35 * frame), 0.2 * sin(0.2 * frame), pose);
}

#endif
