/* SPDX-License-Identifier: MIT */
/* A bar of any Poisson's ratio whose two bones hold its ends. Include it after cmocka.h. */
#ifndef SN_TESTS_REDUCED_VOLUME_TEST_H
#define SN_TESTS_REDUCED_VOLUME_TEST_H

#include "author/cook/cook.h"
#include "author/cook/stages/stages.h"
#include "tests/support/flesh.h"

enum {
    CELLS_X = 20,
    CELLS_Y = 4,
    CELLS_Z = 4,
    VERTICES = (CELLS_X + 1) * (CELLS_Y + 1) * (CELLS_Z + 1),
    SIZE = 3 * 96
};

typedef struct fixture {
    sn_cook_desc desc;
    sn_cook_context cooking;
    sn_model *model;
    sn_flesh flesh;
    double positions[3 * VERTICES];
} fixture;

static const double materials[] = {0, 0.3, 0.45};

/* The rig's momentum is the ends' own (D = 1 there alone): what is between them is free to become thicker or thinner.
 */
static inline void cook(fixture *f, double poisson)
{
    static double leak[VERTICES];
    *f = (fixture){.model = NULL};
    f->cooking.mesh = sn_test_bar(&f->cooking.arena, CELLS_X, CELLS_Y, CELLS_Z, 0.25);
    for (int v = 0; v < VERTICES; ++v) {
        const int x = v % (CELLS_X + 1);
        leak[v] = x < 3 || x > CELLS_X - 3 ? 1 : 0;
    }
    sn_test_rig(&f->cooking, 2, 0.25 * CELLS_X);
    f->desc = sn_default_cook_desc();
    f->desc.mode_count = 20;
    f->desc.cluster_count = 40;
    f->desc.poisson = poisson;
    f->desc.leak = SN_LEAK_VALUES;
    f->desc.leak_values = leak;
    f->desc.leak_count = VERTICES;
    assert_int_equal(sn_cook_context_run(&f->cooking, "bar", &f->desc), SN_OK);
}

static inline void load(fixture *f, const sn_reduced_desc *desc)
{
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &f->model), SN_OK);
    assert_true(3 * f->model->counts.coordinate_count <= SIZE);
    f->flesh = sn_flesh_make(f->model, desc, NULL);
}

static inline void start(fixture *f, double poisson, const sn_reduced_desc *desc)
{
    cook(f, poisson);
    load(f, desc);
}

/* Poisson's ratio from 0 to .45 and stiffness from 1 to 3 from tet to tet, within clusters too. */
static inline void start_mixed(fixture *f, const sn_reduced_desc *desc)
{
    cook(f, 0);
    sn_cook_context *k = &f->cooking;
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        const double poisson = 0.45 * (t % 7) / 6, young = 1 + t % 3;
        k->tet_stiffness[t] = young / (1 + poisson);
        k->tet_lame[t] = k->tet_stiffness[t] * poisson / (1 - 2 * poisson);
    }
    k->mean_stiffness = 0;
    assert_int_equal(sn_cook_context_build_reduced(k), SN_OK);
    assert_int_equal(sn_cook_context_assemble(k), SN_OK);
    load(f, desc);
}

static inline void stop(fixture *f)
{
    sn_flesh_finish(&f->flesh);
    sn_model_release(f->model);
    sn_cook_context_finish(&f->cooking);
}

/* The ends go apart by this fraction of the bar's length. */
static inline void stretch(fixture *f, double by)
{
    const double length = 0.25 * CELLS_X * f->model->scale;
    f->flesh.pose[3] = -0.5 * by * length;
    f->flesh.pose[12 + 3] = 0.5 * by * length;
}

/* The ends turn against each other and jump: a violent rig. */
static inline void twist(fixture *f, int frame)
{
    const double length = 0.25 * CELLS_X * f->model->scale;
    for (int b = 0; b < 2; ++b) {
        const double angle = (b ? 1 : -1) * (frame / 3 % 2 ? 1.2 : -0.4), c = cos(angle), s = sin(angle);
        const double turn[12] = {c, -s, 0, frame / 5 % 2 ? 0.3 * length : 0, s, c, 0, 0, 0, 0, 1, 0};
        memcpy(f->flesh.pose + 12 * b, turn, sizeof turn);
    }
}

static inline void settle(fixture *f, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_false(sn_reduced_body_step(f->flesh.body, f->flesh.pose, NULL).is_recovered);
    }
}

/* Rig and flesh. */
static const double *place(fixture *f)
{
    const sn_model *m = f->model;
    double modes[12 * 20];
    memset(f->positions, 0, sizeof f->positions);
    sn_reduced_body_mode_transforms(f->flesh.body, 1, modes);
    sn_skin_add(m->rig_weights, m->counts.bone_count, f->flesh.pose, m->rest_positions, VERTICES, f->positions);
    sn_skin_add(m->mode_weights, m->counts.mode_count, modes, m->rest_positions, VERTICES, f->positions);
    return f->positions;
}

static inline double volume(fixture *f)
{
    const sn_tet_mesh moved = {VERTICES, f->cooking.mesh.tet_count, f->positions, f->cooking.mesh.tets, false};
    double sum = 0;
    place(f);
    for (int t = 0; t < moved.tet_count; ++t) {
        sum += sn_tet_volume(&moved, t);
    }
    return sum;
}

static inline double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

static bool is_neo_hookean; /* what the tests run with */

static inline sn_reduced_desc default_desc(void)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_neo_hookean = is_neo_hookean;
    return desc;
}

/* Large steps with damping: the flesh comes to rest. */
static inline sn_reduced_desc still(void)
{
    sn_reduced_desc desc = default_desc();
    desc.time_step = 0.5;
    desc.damping = 5;
    desc.iteration_limit = 300;
    desc.tolerance = 1e-7;
    return desc;
}

#endif
