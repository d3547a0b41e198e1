/* SPDX-License-Identifier: MIT */
/* Strain-based tets: gradients against finite differences, the solve in the space of F against one constraint after the
 * other at the vertices, axes against a mesh that is turned, and bodies: rest, refusals, the same bits everywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "host/math/quaternion.h"
#include "tests/support/log.h"
#include "tests/xpbd/xpbd_test.h"

#define REAL double
#define SQRT sqrt
#include "host/xpbd/recipe_strain.inc"

#define ROUNDS 200
#define VERTEX_LIMIT 600

static uint64_t seed = 7;

static double noise(double size)
{
    return size * (2 * sn_random_unit(&seed) - 1);
}

static void random_axes(double *axes)
{
    double q[4];
    for (int i = 0; i < 4; ++i) {
        q[i] = noise(1);
    }
    sn_quaternion_normalize(q);
    sn_quaternion_to_matrix(q, axes);
}

/* A tet's rest and values: compliances of about a tenth of what the masses weigh. */
static void make_tet(const double *axes, double rest[4][3], double *values)
{
    const double corners[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    double dm[9], cof[9], determinant = 0;
    for (int k = 0; k < 12; ++k) {
        rest[k / 3][k % 3] = corners[k / 3][k % 3] + noise(0.2);
    }
    for (int i = 0; i < 9; ++i) {
        dm[i] = rest[i % 3][i / 3] - rest[3][i / 3];
    }
    cofactors(dm, cof);
    for (int i = 0; i < 3; ++i) {
        determinant += dm[i] * cof[i];
    }
    for (int i = 0; i < 9; ++i) {
        values[i] = 0;
        for (int k = 0; k < 3; ++k) {
            values[i] += cof[3 * k + i / 3] / determinant * (axes ? axes[3 * k + i % 3] : k == i % 3);
        }
        values[STRAIN_VALUES + i] = axes ? axes[i] : 0;
    }
    for (int i = 0; i < STRAIN_COUNT; ++i) {
        values[9 + i] = 0.3 * sn_random_unit(&seed);
    }
}

static void displace(double rest[4][3], int round, double vertices[4][4])
{
    double turn[9];
    random_axes(turn);
    for (int k = 0; k < 4; ++k) {
        for (int d = 0; d < 3; ++d) {
            const double turned =
                turn[3 * d] * rest[k][0] + turn[3 * d + 1] * rest[k][1] + turn[3 * d + 2] * rest[k][2];
            vertices[k][d] = (round % 4 == 3 ? -turned : turned) - rest[k][d] + noise(round % 2 ? 0.3 : 0.02);
        }
        vertices[k][3] = 0.2 + sn_random_unit(&seed);
    }
}

/* One of the seven, and its derivative, by columns of F R. */
static double constraint(int which, bool is_framed, const double *values, const double vertices[4][4], double p[3][3])
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    strain s;
    memset(p, 0, 9 * sizeof(double));
    strain_of(is_framed, values, vertices, &s);
    if (which < 3) {
        return stretch_constraint(is_framed, &s, which, p[which]);
    }
    if (which == 6) {
        return strain_volume(is_framed, &s, p);
    }
    const int i = pairs[which - 3][0], j = pairs[which - 3][1];
    memcpy(p[i], s.f[j], sizeof p[i]);
    memcpy(p[j], s.f[i], sizeof p[j]);
    return shear_constraint(is_framed, &s, i, j);
}

/* Of its vertices. */
static void gradients_of(const double *values, double p[3][3], double gradients[4][3])
{
    memset(gradients, 0, 12 * sizeof(double));
    for (int i = 0; i < 27; ++i) {
        const int k = i / 9, d = i / 3 % 3, j = i % 3;
        gradients[k][d] += p[j][d] * values[3 * k + j];
        gradients[3][d] -= p[j][d] * values[3 * k + j];
    }
}

static void test_gradients_are_differences(void **state)
{
    (void)state;
    double worst = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        const bool is_framed = round / 4 % 2;
        double axes[9], rest[4][3], values[STRAIN_FRAME_VALUES], vertices[4][4], p[3][3], gradients[4][3];
        random_axes(axes);
        make_tet(is_framed ? axes : NULL, rest, values);
        displace(rest, round, vertices);
        for (int which = 0; which < STRAIN_COUNT; ++which) {
            constraint(which, is_framed, values, vertices, p);
            gradients_of(values, p, gradients);
            for (int j = 0; j < 12; ++j) {
                double *x = &vertices[j / 3][j % 3], unused[3][3], c[4];
                const double at = *x, h = 3e-4;
                for (int i = 0; i < 4; ++i) {
                    *x = at + h * (i < 2 ? i - 2 : i - 1);
                    c[i] = constraint(which, is_framed, values, vertices, unused);
                }
                *x = at;
                const double expected = (c[0] - c[3] + 8 * (c[2] - c[1])) / (12 * h);
                worst = fmax(worst, fabs(gradients[j / 3][j % 3] - expected) / (1 + fabs(expected)));
            }
        }
    }
    print_message("gradients off by %.1e at most\n", worst);
    assert_true(worst < 5e-10);
}

/* What they are, from F itself, and the values at rest. */
static void test_constraints_are_as_defined(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; ++round) {
        const bool is_framed = round / 4 % 2;
        double axes[9], rest[4][3], values[STRAIN_FRAME_VALUES], vertices[4][4], unused[3][3], f[3][3] = {{0}};
        double cross[3];
        random_axes(axes);
        make_tet(is_framed ? axes : NULL, rest, values);
        const double still[4][4] = {{0}};
        for (int which = 0; which < STRAIN_COUNT; ++which) {
            assert_true(constraint(which, is_framed, values, still, unused) == 0);
        }
        displace(rest, round, vertices);
        for (int i = 0; i < 27; ++i) {
            const int k = i / 9, d = i / 3 % 3, j = i % 3;
            f[j][d] += (rest[k][d] + vertices[k][d] - rest[3][d] - vertices[3][d]) * values[3 * k + j];
        }
        sn_cross3(f[1], f[2], cross);
        const double expected[STRAIN_COUNT] = {sn_length3(f[0]) - 1,    sn_length3(f[1]) - 1, sn_length3(f[2]) - 1,
                                               sn_dot3(f[0], f[1]),     sn_dot3(f[0], f[2]),  sn_dot3(f[1], f[2]),
                                               sn_dot3(f[0], cross) - 1};
        for (int which = 0; which < STRAIN_COUNT; ++which) {
            assert_true(fabs(constraint(which, is_framed, values, vertices, unused) - expected[which]) < 1e-13);
        }
    }
}

/* XPBD, equation 18, at the vertices. */
static void project(int which, bool is_framed, const double *values, double per_step, double vertices[4][4],
                    double *multiplier)
{
    double p[3][3], gradients[4][3], system = per_step * values[9 + which];
    const double c = constraint(which, is_framed, values, vertices, p);
    gradients_of(values, p, gradients);
    for (int k = 0; k < 4; ++k) {
        system += vertices[k][3] * sn_dot3(gradients[k], gradients[k]);
    }
    const double change = -(c + per_step * values[9 + which] * *multiplier) / system;
    *multiplier += change;
    for (int k = 0; k < 12; ++k) {
        vertices[k / 3][k % 3] += vertices[k / 3][3] * change * gradients[k / 3][k % 3];
    }
}

static void test_solves_as_at_the_vertices(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; ++round) {
        const bool is_framed = round / 4 % 2;
        double axes[9], rest[4][3], values[STRAIN_FRAME_VALUES], one[4][4], other[4][4], kept[2][STRAIN_COUNT];
        float packed[STRAIN_FRAME_VALUES * SN_BATCH];
        double momentum[3] = {0};
        random_axes(axes);
        make_tet(is_framed ? axes : NULL, rest, values);
        for (int i = 0; i < STRAIN_FRAME_VALUES; ++i) { /* what the floats say */
            packed[SN_BATCH * i] = (float)values[i];
            values[i] = (double)packed[SN_BATCH * i];
        }
        displace(rest, round, one);
        memcpy(other, one, sizeof other);
        for (int i = 0; i < STRAIN_COUNT; ++i) {
            kept[0][i] = kept[1][i] = noise(0.1);
        }
        (is_framed ? solve_strain_framed : solve_strain)(packed, 1.3, one, kept[0]);
        for (int k = 0; k < 12; ++k) {
            momentum[k % 3] += (one[k / 3][k % 3] - other[k / 3][k % 3]) / one[k / 3][3];
        }
        for (int which = 0; which < STRAIN_COUNT; ++which) {
            project(which, is_framed, values, 1.3, other, &kept[1][which]);
        }
        for (int i = 0; i < STRAIN_COUNT; ++i) {
            assert_true(fabs(kept[0][i] - kept[1][i]) < 1e-6); /* floats of R are no rotation to the last digit */
        }
        for (int k = 0; k < 12; ++k) {
            assert_true(fabs(one[k / 3][k % 3] - other[k / 3][k % 3]) < (is_framed ? 1e-6 : 1e-12));
        }
        assert_true(sn_length3(momentum) < 1e-13);
    }
}

/* ---- bodies ---- */

/* A bar of seven stiffnesses a tet; axes: null, or (9) of all tets. Arrays are the shape's. */
static void make_strained(sn_xpbd_shape *shape, const double *stiffness, const double *axes)
{
    const size_t count = (size_t)shape->desc.element_count;
    double *all = SN_NEW(&shape->arena, double, STRAIN_COUNT *count),
           *frames = SN_NEW(&shape->arena, double, 9 * count);
    for (size_t i = 0; i < STRAIN_COUNT * count; ++i) {
        all[i] = stiffness[i % STRAIN_COUNT];
    }
    for (size_t i = 0; i < 9 * count && axes; ++i) {
        frames[i] = axes[i % 9];
    }
    shape->desc.strain_stiffness = all;
    shape->desc.frames = axes ? frames : NULL;
    shape->desc.lambda = shape->desc.mu = NULL;
}

static void group_along(sn_xpbd_shape *shape, double size)
{
    int32_t *groups = SN_NEW(&shape->arena, int32_t, (size_t)shape->desc.element_count);
    for (int i = 0; i < shape->desc.element_count; ++i) {
        groups[i] = (int32_t)(shape->positions[3 * shape->elements[4 * i]] / size / 2);
    }
    shape->desc.groups = groups;
}

static const double isotropic[STRAIN_COUNT] = {8e3, 8e3, 8e3, 4e3, 4e3, 4e3, 6e3};
static const double fibrous[STRAIN_COUNT] = {8e4, 8e3, 8e3, 4e3, 4e3, 4e3, 6e3};

static void test_rest_stays(void **state)
{
    (void)state;
    for (int round = 0; round < 12; ++round) {
        sn_xpbd_shape shape = sn_xpbd_bar(5, 2, 2, 0.1);
        double axes[9], places[3 * VERTEX_LIMIT];
        random_axes(axes);
        make_strained(&shape, fibrous, round % 2 ? axes : NULL);
        sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.time_step = 1e-3 * pow(10, round / 2 * 0.6); /* up to a second */
        settings.substep_count = 1;
        settings.sweep_count = 1 + 9 * (round / 2 % 2);
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        sn_xpbd_run(body, NULL, 5);
        sn_xpbd_body_positions(body, places);
        for (int i = 0; i < 3 * shape.desc.vertex_count; ++i) {
            assert_true(fabs(places[i] - shape.positions[i]) < 1e-7); /* floats of the places */
        }
        const sn_xpbd_energy energy = sn_xpbd_body_energy(body);
        assert_true(energy.elastic == 0 && energy.kinetic == 0);
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shape.arena);
    }
}

static uint64_t hash_run(const sn_xpbd_model *model, int count, sn_xpbd_instructions instructions, int sweeps)
{
    uint64_t hash = SN_HASH_SEED;
    double places[3 * VERTEX_LIMIT];
    const double impulse[3] = {0.5, -0.3, 0.7};
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.instructions = instructions;
    settings.gravity[1] = -9.81;
    settings.sweep_count = sweeps;
    settings.substep_count = 7;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
    sn_xpbd_body_apply_impulse(body, 17, impulse);
    for (int step = 0; step < 15; ++step) {
        sn_xpbd_run(body, NULL, 1);
        sn_xpbd_body_positions(body, places);
        hash = sn_hash(hash, places, 3 * sizeof(double) * (size_t)count);
    }
    sn_xpbd_body_destroy(&body);
    return hash;
}

static void test_instruction_sets_agree(void **state)
{
    (void)state;
    for (int round = 0; round < 8; ++round) {
        sn_xpbd_shape shape = sn_xpbd_bar(7, 3, 2, 0.1);
        double axes[9];
        random_axes(axes);
        make_strained(&shape, fibrous, round % 2 ? axes : NULL);
        if (round / 2 % 2) {
            group_along(&shape, 0.1);
        }
        sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
        const uint64_t expected = hash_run(model, shape.desc.vertex_count, SN_XPBD_SCALAR, 1 + 2 * (round / 4));
        for (sn_xpbd_instructions i = SN_XPBD_BASELINE; i <= SN_XPBD_AVX512; ++i) {
            assert_true(hash_run(model, shape.desc.vertex_count, i, 1 + 2 * (round / 4)) == expected);
        }
        sn_xpbd_model *copied = NULL;
        assert_int_equal(sn_xpbd_model_copy(model, &copied), SN_OK);
        assert_true(hash_run(copied, shape.desc.vertex_count, SN_XPBD_AVX512, 1 + 2 * (round / 4)) == expected);
        sn_xpbd_model_destroy(&copied);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shape.arena);
    }
}

/* Axes of one mesh are those of a mesh that is turned by R^T and has none: the same motion, turned. */
static void test_axes_are_a_turned_mesh(void **state)
{
    (void)state;
    static double places[2][3 * VERTEX_LIMIT], velocities[3 * VERTEX_LIMIT];
    double axes[9];
    random_axes(axes);
    sn_xpbd_shape shapes[2] = {sn_xpbd_bar(6, 2, 2, 0.1), sn_xpbd_bar(6, 2, 2, 0.1)};
    const int count = shapes[0].desc.vertex_count;
    for (int v = 0; v < count; ++v) {
        const double x[3] = {shapes[1].positions[3 * v], shapes[1].positions[3 * v + 1],
                             shapes[1].positions[3 * v + 2]};
        for (int d = 0; d < 3; ++d) {
            shapes[1].positions[3 * v + d] = axes[d] * x[0] + axes[3 + d] * x[1] + axes[6 + d] * x[2];
        }
    }
    make_strained(&shapes[0], fibrous, axes);
    make_strained(&shapes[1], fibrous, NULL);
    for (int i = 0; i < 2; ++i) {
        int32_t *groups = SN_NEW(&shapes[i].arena, int32_t, (size_t)shapes[i].desc.element_count);
        for (int e = 0; e < shapes[i].desc.element_count; ++e) {
            groups[e] = e; /* the same order of both */
        }
        shapes[i].desc.groups = groups;
        sn_xpbd_model *model = sn_xpbd_shape_model(&shapes[i]);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.is_double = true;
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        uint64_t same = 3;
        for (int v = 0; v < count; ++v) {
            const double u[3] = {sn_random_unit(&same) - 0.5, sn_random_unit(&same) - 0.5, sn_random_unit(&same) - 0.5};
            for (int d = 0; d < 3; ++d) {
                velocities[3 * v + d] = i == 0 ? u[d] : axes[d] * u[0] + axes[3 + d] * u[1] + axes[6 + d] * u[2];
            }
        }
        sn_xpbd_body_set_velocities(body, velocities);
        sn_xpbd_run(body, NULL, 20);
        sn_xpbd_body_positions(body, places[i]);
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
    }
    double worst = 0;
    for (int i = 0; i < 3 * count; ++i) {
        const double *x = places[1] + i / 3 * 3, *row = axes + 3 * (i % 3);
        worst = fmax(worst, fabs(places[0][i] - (row[0] * x[0] + row[1] * x[1] + row[2] * x[2])));
    }
    assert_true(worst < 1e-5); /* floats of the rest places */
    sn_arena_finish(&shapes[0].arena);
    sn_arena_finish(&shapes[1].arena);
}

/* What bodies store falls as the compliance rises: 1/2 k V C^2 of a bar that is drawn out. */
static void test_energy_is_of_the_stiffness(void **state)
{
    (void)state;
    static double places[3 * VERTEX_LIMIT];
    sn_xpbd_shape shape = sn_xpbd_bar(4, 2, 2, 0.1);
    make_strained(&shape, fibrous, NULL);
    sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    for (int i = 0; i < 3 * shape.desc.vertex_count; ++i) {
        places[i] = shape.positions[i] * (i % 3 == 0 ? 1.1 : 1);
    }
    sn_xpbd_body_set_positions(body, places);
    const double volume = 0.4 * 0.2 * 0.2, expected = 0.5 * volume * (fibrous[0] + fibrous[6]) * 0.01;
    assert_true(fabs(sn_xpbd_body_energy(body).elastic / expected - 1) < 1e-4);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

static void refuse(const sn_xpbd_desc *desc, const char *says)
{
    sn_xpbd_model *model = NULL;
    begin_log();
    assert_int_equal(sn_xpbd_model_create(desc, &model), SN_ERROR_ARGUMENT);
    assert_null(model);
    assert_one_error(says);
    sn_set_log(NULL, NULL);
}

static void test_refusals(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(2, 1, 1, 0.1);
    double mirrored[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, sheared[9] = {1, 0.1, 0, 0, 1, 0, 0, 0, 1};
    double wrong[STRAIN_COUNT];
    const double none[STRAIN_COUNT] = {0};
    make_strained(&shape, isotropic, mirrored);
    refuse(&shape.desc, "element 0: its axes are not a rotation matrix");
    make_strained(&shape, isotropic, sheared);
    refuse(&shape.desc, "element 0: its axes are not a rotation matrix");
    make_strained(&shape, none, NULL);
    refuse(&shape.desc, "all its stiffnesses are 0");
    memcpy(wrong, isotropic, sizeof wrong);
    wrong[4] = NAN;
    make_strained(&shape, wrong, NULL);
    refuse(&shape.desc, "stiffness 4 is nan");
    make_strained(&shape, isotropic, NULL);
    int32_t groups[12] = {0, 0, 0, 0, -1};
    shape.desc.groups = groups;
    refuse(&shape.desc, "element 4: group -1 does not exist");
    groups[4] = 0;
    sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
    int32_t element;
    assert_int_equal(sn_xpbd_model_add_element(model, &(sn_xpbd_element){{0, 1, 2, 3}, 1, 1}, &element),
                     SN_ERROR_ARGUMENT);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

int test_xpbd_strain(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_differences),  cmocka_unit_test(test_constraints_are_as_defined),
        cmocka_unit_test(test_solves_as_at_the_vertices),  cmocka_unit_test(test_rest_stays),
        cmocka_unit_test(test_instruction_sets_agree),     cmocka_unit_test(test_axes_are_a_turned_mesh),
        cmocka_unit_test(test_energy_is_of_the_stiffness), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
