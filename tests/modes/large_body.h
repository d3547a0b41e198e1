/* SPDX-License-Identifier: MIT */
/* A mesh with the problem of its modes, large enough for ways without a factor. Include it after cmocka.h. */
#ifndef SN_TESTS_MODES_LARGE_BODY_H
#define SN_TESTS_MODES_LARGE_BODY_H

#include <math.h>

#include "author/modes/constraint/problem.h"
#include "host/base/random.h"
#include "tests/modes/modes_test.h"
#include "tests/support/bar.h"

typedef struct body {
    model model;
    sn_mode_problem problem;
} body;

static inline void pose_problem(body *b)
{
    const sn_mode_elements e = {.mesh = &b->model.mesh, .gradients = b->model.gradients, .volumes = b->model.volumes};
    assert_int_equal(sn_mode_problem_build(&e, b->model.mass, &b->model.constraint, &b->model.arena, &b->problem),
                     SN_OK);
}

static inline void fill_randomly(size_t count, uint64_t random, double *values)
{
    for (size_t i = 0; i < count; ++i) {
        values[i] = 2 * sn_random_unit(&random) - 1;
    }
}

/* Of bones in a row, with soft seams: ten rows each. */
static inline void constrain_bones(model *m, int bone_count, double length)
{
    const size_t n = (size_t)m->mesh.vertex_count, count = (size_t)bone_count;
    double *weights = SN_NEW(&m->arena, double, n *count);
    for (size_t v = 0; v < n; ++v) {
        const double at = m->mesh.positions[3 * v] / length * bone_count - 0.5;
        double sum = 0;
        for (size_t b = 0; b < count; ++b) {
            weights[v * count + b] = fmax(0, 1.5 - fabs(at - (double)b));
            sum += weights[v * count + b];
        }
        for (size_t b = 0; b < count; ++b) {
            weights[v * count + b] /= sum;
        }
        m->leak[v] = 1;
    }
    const sn_constraint_rig rig = {bone_count, weights, NULL};
    assert_int_equal(sn_constraint_build(&m->mesh, m->mass, m->leak, &rig, &m->arena, &m->constraint), SN_OK);
}

/* As files have them after refinement: in no order. */
static inline void shuffle(model *m)
{
    sn_tet_mesh *mesh = &m->mesh;
    const size_t count = (size_t)mesh->vertex_count;
    int32_t *places = SN_NEW(&m->arena, int32_t, count);
    double *positions = SN_NEW(&m->arena, double, 3 * count);
    uint64_t random = 11;
    for (size_t i = 0; i < count; ++i) {
        const size_t other = (size_t)(sn_random_unit(&random) * (double)(i + 1));
        places[i] = places[other];
        places[other] = (int32_t)i;
    }
    for (size_t i = 0; i < 3 * count; ++i) {
        positions[3 * (size_t)places[i / 3] + i % 3] = mesh->positions[i];
    }
    memcpy(mesh->positions, positions, 3 * count * sizeof *positions);
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        mesh->tets[i] = places[mesh->tets[i]];
    }
}

/* A bar whose every tet that touches the slot is left out: a horseshoe whose arms are close together. */
static inline void cut_slot(model *m, double x, double low, double high)
{
    int kept = 0;
    for (int t = 0; t < m->mesh.tet_count; ++t) {
        const int32_t *tet = m->mesh.tets + 4 * t;
        double centre[3] = {0};
        for (int i = 0; i < 12; ++i) {
            centre[i % 3] += 0.25 * m->mesh.positions[3 * tet[i / 3] + i % 3];
        }
        if (!(centre[0] > x && centre[1] > low && centre[1] < high)) {
            memmove(m->mesh.tets + 4 * kept++, tet, 4 * sizeof *tet);
        }
    }
    m->mesh.tet_count = kept;
}

#endif
