/* SPDX-License-Identifier: MIT */
/* A cooked bar along x, and one body of it that steps: for tests of what pushes flesh. The model's diagonal is 1. */
#ifndef SN_TESTS_SUPPORT_FLESH_H
#define SN_TESTS_SUPPORT_FLESH_H

#include <math.h>
#include <string.h>

#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/solver.h"
#include "tests/support/bar.h"

#define SN_TEST_BONE_LIMIT 4

/* Weights that go over from bone to bone along the bar. */
static inline void sn_test_rig(sn_cook_context *cooking, int bone_count, double length)
{
    const int n = cooking->mesh.vertex_count;
    sn_rig_file rig = {.is_volume = true, .vertex_count = n, .bone_count = bone_count, .corner_count = 3};
    rig.positions = SN_NEW(&cooking->arena, double, 3 * n);
    rig.weights = SN_NEW(&cooking->arena, double, (size_t)bone_count *(size_t)n);
    rig.parents = SN_NEW(&cooking->arena, int32_t, bone_count);
    rig.bind = SN_NEW(&cooking->arena, double, 12 * bone_count);
    SN_ASSERT(rig.positions && rig.weights && rig.parents && rig.bind);
    memcpy(rig.positions, cooking->mesh.positions, 3 * (size_t)n * sizeof(double));
    for (int b = 0; b < bone_count; ++b) {
        rig.parents[b] = b - 1;
        sn_affine_identity(rig.bind + 12 * b);
        for (int v = 0; v < n; ++v) {
            const double at = (bone_count - 1) * cooking->mesh.positions[3 * v] / length;
            rig.weights[bone_count * v + b] = fmax(0, 1 - fabs(at - b));
        }
    }
    cooking->rig = rig;
    cooking->has_rig = true;
}

/* cells: of the bar, along x, y and z. bone_count 1: one handle. */
static inline sn_model *sn_test_cook_bar_as(sn_cook_context *cooking, const int *cells, int bone_count,
                                            const sn_cook_desc *desc)
{
    sn_model *model = NULL;
    *cooking = (sn_cook_context){.path = NULL};
    cooking->mesh = sn_test_bar(&cooking->arena, cells[0], cells[1], cells[2], 0.25);
    if (bone_count > 1) {
        sn_test_rig(cooking, bone_count, 0.25 * cells[0]);
    }
    const bool is_ok = sn_cook_context_run(cooking, "bar", desc) == SN_OK &&
                       sn_model_load(cooking->bytes, cooking->size, &model) == SN_OK;
    SN_ASSERT(is_ok && fabs(model->diagonal - 1) < 1e-9);
    return model;
}

/* A diagonal of `size`, with a stiffness that grows as its square: all sizes move alike. */
static inline sn_model *sn_test_cook_sized_bar(sn_cook_context *cooking, double size, double poisson)
{
    sn_model *model = NULL;
    sn_cook_desc desc = sn_default_cook_desc();
    *cooking = (sn_cook_context){.path = NULL};
    cooking->mesh = sn_test_bar(&cooking->arena, 10, 3, 3, 0.25);
    desc.mode_count = 8;
    desc.cluster_count = 20;
    desc.size = size;
    desc.young = 3e3 * size * size;
    desc.poisson = poisson;
    const bool is_ok = sn_cook_context_run(cooking, "bar", &desc) == SN_OK &&
                       sn_model_load(cooking->bytes, cooking->size, &model) == SN_OK;
    SN_ASSERT(is_ok && fabs(model->diagonal / size - 1) < 1e-9);
    return model;
}

/* Constrained by weights, for any number of bones. */
static inline sn_model *sn_test_cook_bar(sn_cook_context *cooking, const int *cells, int bone_count, int mode_count)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.complementary = SN_COMPLEMENTARY_WEIGHTS;
    desc.mode_count = mode_count;
    desc.cluster_count = 20;
    return sn_test_cook_bar_as(cooking, cells, bone_count, &desc);
}

/* One that its handle does not hold: its modes contain every affine motion, and it falls, flies and turns freely. */
static inline sn_model *sn_test_cook_free_bar(sn_cook_context *cooking, const int *cells, int mode_count)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = mode_count;
    desc.cluster_count = 20;
    desc.leak = SN_LEAK_ALL;
    return sn_test_cook_bar_as(cooking, cells, 1, &desc);
}

typedef struct sn_flesh {
    const sn_model *model;
    sn_reduced_solver *solver;
    sn_reduced_body *body;
    double pose[12 * SN_TEST_BONE_LIMIT]; /* of the next steps */
} sn_flesh;

/* The same transform for all bones. */
static inline void sn_flesh_set_pose(sn_flesh *f, const double *transform)
{
    for (int b = 0; b < f->model->counts.bone_count; ++b) {
        memcpy(f->pose + 12 * b, transform, 12 * sizeof *transform);
    }
}

/* At rest in a pose; null: bind. */
static inline sn_flesh sn_flesh_make(const sn_model *model, const sn_reduced_desc *desc, const double *transform)
{
    sn_flesh f = {.model = model};
    double identity[12];
    sn_affine_identity(identity);
    sn_flesh_set_pose(&f, transform ? transform : identity);
    const bool is_ok = sn_reduced_solver_create(model, desc, &f.solver) == SN_OK &&
                       sn_reduced_body_create(f.solver, f.pose, &f.body) == SN_OK;
    SN_ASSERT(is_ok && model->counts.bone_count <= SN_TEST_BONE_LIMIT);
    return f;
}

static inline void sn_flesh_finish(sn_flesh *f)
{
    sn_reduced_body_destroy(&f->body);
    sn_reduced_solver_destroy(&f->solver);
}

/* Where a sample is; returns how far the flesh has moved it off its rig. */
static inline double sn_flesh_sample(const sn_flesh *f, int sample, double *position)
{
    double rig[3], flesh[3];
    sn_sample_rig_position(f->model, (size_t)f->model->sample_vertices[sample], f->body->rig, f->body->weights_before,
                           rig);
    sn_sample_flesh_offset(f->model, sample, f->body->coordinates, flesh);
    for (int d = 0; d < 3; ++d) {
        position[d] = rig[d] + flesh[d];
    }
    return sn_length3(flesh);
}

static inline double sn_flesh_displacement(const sn_flesh *f)
{
    double largest = 0, unused[3];
    for (int i = 0; i < f->model->counts.sample_count; ++i) {
        largest = fmax(largest, sn_flesh_sample(f, i, unused));
    }
    return largest;
}

/* Kinetic, elastic, and of gravity. */
static inline double sn_flesh_energy(const sn_flesh *f)
{
    const sn_reduced_energy energy = sn_reduced_body_energy(f->body);
    double sum = energy.kinetic + energy.elastic;
    for (int i = 0; i < 3 * f->solver->coordinate_count; ++i) {
        sum -= f->solver->gravity[i] * f->body->coordinates[i];
    }
    return sum;
}

#endif
