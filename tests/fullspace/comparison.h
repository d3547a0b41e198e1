/* SPDX-License-Identifier: MIT */
/* A cooked bar of one handle, stepped by the reduced and by the unreduced solver. Include it after cmocka.h. */
#ifndef SN_TESTS_FULLSPACE_COMPARISON_H
#define SN_TESTS_FULLSPACE_COMPARISON_H

#include "author/cook/cook.h"
#include "author/cook/stages/stages.h"
#include "author/fullspace/fullspace.h"
#include "host/math/affine.h"
#include "host/reduced/reduced.h"
#include "tests/support/bar.h"
#include "tests/support/poses.h"

/* A cooked bar of one handle, stepped by both solvers in double. */
typedef struct comparison {
    sn_cook_context cooking;
    sn_model *model;
    sn_fullspace_input input;
    double *u, *reduced; /* (vertex_count x 3) */
} comparison;

typedef struct recipe {
    int size[3];
    int modes;    /* 0: all that the constraint leaves */
    int clusters; /* 0: one a tet */
    sn_cook_leak leak;
} recipe;

static inline int inner_count(const int *size)
{
    return (size[0] - 1) * (size[1] - 1) * (size[2] - 1);
}

static inline void fill_input(comparison *c)
{
    sn_cook_context *k = &c->cooking;
    double *mu = SN_NEW(&k->arena, double, k->mesh.tet_count), *mass = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    double *lame = SN_NEW(&k->arena, double, k->mesh.tet_count);
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        mu[t] = k->report.young * k->tet_stiffness[t];
        lame[t] = k->report.young * k->tet_lame[t];
    }
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        mass[v] = k->desc->density * k->mass[v];
    }
    c->input = (sn_fullspace_input){.name = "bar",
                                    .mesh = k->mesh,
                                    .tet_mu = mu,
                                    .tet_lame = lame,
                                    .mass = mass,
                                    .leak = k->leak,
                                    .is_pinned = k->is_pinned,
                                    .rig_weights = k->rig_weights,
                                    .bone_count = k->bone_count,
                                    .clusters = k->clusters,
                                    .cluster_count = k->report.cluster_count};
    c->u = SN_NEW(&k->arena, double, 3 * k->mesh.vertex_count);
    c->reduced = SN_NEW(&k->arena, double, 3 * k->mesh.vertex_count);
}

/* leak (vertex_count) is for SN_LEAK_VALUES. */
static inline void describe(comparison *c, const recipe *r, const double *leak, sn_cook_desc *desc)
{
    *c = (comparison){.model = NULL};
    sn_cook_context *k = &c->cooking;
    k->mesh = sn_test_bar(&k->arena, r->size[0], r->size[1], r->size[2], 0.25);
    int32_t *labels = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        labels[t] = t;
    }
    *desc = sn_default_cook_desc();
    desc->complementary = SN_COMPLEMENTARY_WEIGHTS;
    desc->leak = r->leak;
    desc->leak_values = leak;
    desc->leak_count = (size_t)k->mesh.vertex_count;
    desc->young = 3e3;
    desc->labels = r->clusters ? NULL : labels;
    desc->label_count = (size_t)k->mesh.tet_count;
    desc->cluster_count = r->clusters;
    const int rows = r->leak == SN_LEAK_NONE || inner_count(r->size) > 10 ? 10 : inner_count(r->size);
    desc->mode_count = r->modes ? r->modes : k->mesh.vertex_count - rows;
}

static inline void cook_described(comparison *c, const sn_cook_desc *desc)
{
    assert_int_equal(sn_cook_context_run(&c->cooking, "bar", desc), SN_OK);
    assert_int_equal(sn_model_load(c->cooking.bytes, c->cooking.size, &c->model), SN_OK);
    fill_input(c);
}

static inline void cook(comparison *c, const recipe *r, const double *leak, sn_cook_desc *desc)
{
    describe(c, r, leak, desc);
    cook_described(c, desc);
}

#define END_PINS 25

/* The vertices of one end of a bar of 6 x 4 x 4 cells. */
static inline const int32_t *end_pins(void)
{
    static int32_t pins[END_PINS];
    for (int i = 0; i < END_PINS; ++i) {
        pins[i] = 7 * i;
    }
    return pins;
}

static inline void finish(comparison *c)
{
    sn_model_release(c->model);
    sn_cook_context_finish(&c->cooking);
}

/* B T in double: the model's own modes are floats. */
static inline void expand(comparison *c, const double *coordinates)
{
    const sn_cook_context *k = &c->cooking;
    const int modes = k->modes.mode_count, count = k->reduced.coordinate_count;
    memset(c->reduced, 0, 3 * (size_t)k->mesh.vertex_count * sizeof(double));
    for (int column = 0; column < 4 * modes; ++column) {
        const double *map = k->reduced.mode_from_coordinate + (size_t)column * (size_t)count;
        double transform[3] = {0};
        for (int i = 0; i < 3 * count; ++i) {
            transform[i % 3] += map[i / 3] * coordinates[i];
        }
        for (int v = 0; v < k->mesh.vertex_count; ++v) {
            const double x = column % 4 < 3 ? k->mesh.positions[3 * v + column % 4] : 1;
            for (int d = 0; d < 3; ++d) {
                c->reduced[3 * v + d] +=
                    k->modes.weights[(size_t)v * (size_t)modes + (size_t)(column / 4)] * x * transform[d];
            }
        }
    }
}

typedef struct difference {
    double most; /* of a coordinate */
    double l2;   /* of the last frame, relative */
    double seen; /* the largest displacement */
} difference;

static inline void compare_frame(const comparison *c, difference *result)
{
    double sum = 0, size = 0;
    for (int i = 0; i < 3 * c->cooking.mesh.vertex_count; ++i) {
        const double apart = c->reduced[i] - c->u[i];
        result->most = fmax(result->most, fabs(apart));
        result->seen = fmax(result->seen, fabs(c->u[i]));
        sum += apart * apart;
        size += c->u[i] * c->u[i];
    }
    result->l2 = sqrt(sum / size);
}

static inline difference compare(comparison *c, bool is_clustered, int frames, int iterations)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.gravity[1] = c->input.pair_count > 0 ? 0 : -2;
    desc.damping = 1;
    desc.iteration_limit = iterations;
    desc.tolerance = 0;
    sn_fullspace_desc full_desc = sn_default_fullspace_desc();
    memcpy(full_desc.gravity, desc.gravity, sizeof desc.gravity);
    full_desc.damping = desc.damping;
    full_desc.iteration_limit = iterations;
    full_desc.tolerance = 0;
    full_desc.is_clustered = is_clustered;
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    sn_fullspace_solver *full_solver = NULL;
    sn_fullspace_body *full_body = NULL;
    assert_int_equal(sn_reduced_solver_create(c->model, &desc, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, NULL, &body), SN_OK);
    assert_int_equal(sn_fullspace_solver_create(&c->input, &full_desc, &full_solver), SN_OK);
    assert_int_equal(sn_fullspace_body_create(full_solver, NULL, &full_body), SN_OK);
    difference result = {0};
    double pose[12];
    for (int frame = 1; frame <= frames; ++frame) {
        sn_test_turn_and_move(0.5 * sin(0.35 * frame), 0.2 * sin(0.2 * frame), pose);
        pose[1] += 0.1 * sin(0.25 * frame); /* it shears, too */
        if (c->input.pair_count > 0) {      /* a morph target alone moves */
            sn_affine_identity(pose);
            const double come = fmin(frame / 4.0, 1);
            const float weight = (float)come;
            sn_reduced_body_set_morphs(body, &weight);
            sn_fullspace_body_set_fields(full_body, &come);
        }
        sn_reduced_body_step(body, pose, NULL);
        sn_fullspace_body_step(full_body, pose);
        expand(c, sn_reduced_body_coordinates(body));
        sn_fullspace_body_displacements(full_body, c->u);
        compare_frame(c, &result);
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    sn_fullspace_body_destroy(&full_body);
    sn_fullspace_solver_destroy(&full_solver);
    return result;
}

#endif
