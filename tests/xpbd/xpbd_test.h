/* SPDX-License-Identifier: MIT */
/* Bodies for the tests of host/xpbd: bars of tets, sheets of triangles, springs, of one material. */
#ifndef SN_TESTS_XPBD_XPBD_TEST_H
#define SN_TESTS_XPBD_XPBD_TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/random.h"
#include "host/math/vec3.h"
#include "host/xpbd/xpbd.h"
#include "tests/support/bar.h"

typedef struct sn_xpbd_shape {
    sn_arena arena;
    sn_xpbd_desc desc;
    double *positions; /* = desc.positions */
    int32_t *elements;
    double *lambda, *mu, *density;
} sn_xpbd_shape;

/* Lamé parameters of Young's modulus and Poisson's ratio, in 3D. */
static inline void sn_xpbd_shape_material(sn_xpbd_shape *shape, double young, double poisson, double density)
{
    for (int i = 0; i < shape->desc.element_count; ++i) {
        shape->lambda[i] = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
        shape->mu[i] = young / (2 * (1 + poisson));
        shape->density[i] = density;
    }
}

static inline void sn_xpbd_shape_describe(sn_xpbd_shape *shape, int vertex_count, int element_count, int corners)
{
    shape->lambda = SN_NEW(&shape->arena, double, element_count);
    shape->mu = SN_NEW(&shape->arena, double, element_count);
    shape->density = SN_NEW(&shape->arena, double, element_count);
    SN_ASSERT(shape->lambda && shape->mu && shape->density && shape->positions && shape->elements);
    shape->desc = (sn_xpbd_desc){.vertex_count = vertex_count,
                                 .positions = shape->positions,
                                 .element_count = element_count,
                                 .element_corners = corners,
                                 .elements = shape->elements,
                                 .lambda = shape->lambda,
                                 .mu = shape->mu,
                                 .density = shape->density};
    sn_xpbd_shape_material(shape, 1e4, 0.3, 1000);
}

/* nx x ny x nz cubes of edge `size`; Young's modulus 1e4, Poisson's ratio .3, density 1000. */
static inline sn_xpbd_shape sn_xpbd_bar(int nx, int ny, int nz, double size)
{
    sn_xpbd_shape shape = {0};
    const sn_tet_mesh mesh = sn_test_bar(&shape.arena, nx, ny, nz, size);
    shape.positions = mesh.positions;
    shape.elements = mesh.tets;
    sn_xpbd_shape_describe(&shape, mesh.vertex_count, mesh.tet_count, 4);
    return shape;
}

/* nx x ny squares of two triangles each, with alternating diagonals. */
static inline sn_xpbd_shape sn_xpbd_sheet(int nx, int ny, double size)
{
    sn_xpbd_shape shape = {0};
    const int vertices = (nx + 1) * (ny + 1);
    shape.positions = SN_NEW(&shape.arena, double, 3 * vertices);
    shape.elements = SN_NEW(&shape.arena, int32_t, 6 * nx * ny);
    SN_ASSERT(shape.positions && shape.elements);
    for (int v = 0; v < vertices; ++v) {
        shape.positions[3 * v] = size * (v % (nx + 1));
        shape.positions[3 * v + 1] = size * (v / (nx + 1));
    }
    for (int square = 0; square < nx * ny; ++square) {
        const int a = square / nx * (nx + 1) + square % nx, b = a + 1, c = a + nx + 1, d = c + 1;
        const int32_t ways[2][6] = {{a, b, d, a, d, c}, {a, b, c, b, d, c}};
        memcpy(shape.elements + 6 * square, ways[(square % nx + square / nx) % 2], sizeof ways[0]);
    }
    sn_xpbd_shape_describe(&shape, vertices, 2 * nx * ny, 3);
    return shape;
}

/* A sheet in space as springs along edges and bends across them, without elements; constraints go to the arena. */
static inline sn_xpbd_shape sn_xpbd_cloth(int nx, int ny, double size)
{
    sn_xpbd_shape shape = sn_xpbd_sheet(nx, ny, size);
    const int count = shape.desc.element_count, vertices = shape.desc.vertex_count;
    sn_xpbd_constraint *made = SN_NEW(&shape.arena, sn_xpbd_constraint, 6 * count);
    double *masses = SN_NEW(&shape.arena, double, vertices);
    SN_ASSERT(made && masses);
    int made_count = 0;
    for (int v = 0; v < vertices; ++v) {
        masses[v] = 0.01;
    }
    for (int i = 0; i < 3 * count; ++i) {
        const int32_t *t = shape.elements + 3 * (i / 3), a = t[i % 3], b = t[(i + 1) % 3], c = t[(i + 2) % 3];
        int32_t across = -1;
        for (int j = 0; j < 3 * count; ++j) {
            const int32_t *u = shape.elements + 3 * (j / 3);
            across = u[j % 3] == b && u[(j + 1) % 3] == a ? u[(j + 2) % 3] : across;
        }
        if (across < 0 || a < b) {
            made[made_count++] = (sn_xpbd_constraint){SN_XPBD_DISTANCE, {a, b}, 200, false, 0};
        }
        if (across >= 0 && a < b) {
            made[made_count++] = (sn_xpbd_constraint){SN_XPBD_BENDING, {a, b, c, across}, 1e-3, false, 0};
        }
    }
    shape.desc.element_count = 0;
    shape.desc.masses = masses;
    shape.desc.constraint_count = made_count;
    shape.desc.constraints = made;
    return shape;
}

static inline sn_xpbd_model *sn_xpbd_shape_model(const sn_xpbd_shape *shape)
{
    sn_xpbd_model *model = NULL;
    const sn_result result = sn_xpbd_model_create(&shape->desc, &model);
    SN_ASSERT(result == SN_OK);
    return model;
}

static inline sn_xpbd_body *sn_xpbd_test_body(const sn_xpbd_model *model, const sn_xpbd_settings *settings)
{
    sn_xpbd_body *body = NULL;
    const sn_result result = sn_xpbd_body_create(model, settings, &body);
    SN_ASSERT(result == SN_OK);
    return body;
}

static inline void sn_xpbd_run(sn_xpbd_body *body, const sn_surroundings *surroundings, int steps)
{
    for (int i = 0; i < steps; ++i) {
        const sn_xpbd_report report = sn_xpbd_body_step(body, surroundings);
        SN_ASSERT(!report.is_recovered);
    }
}

#endif
