/* SPDX-License-Identifier: MIT */
/* Bodies against mechanics: free fall, a spring's period, Poisson's ratio, momenta, rest, and what must not matter: the
 * number of substeps, the order of vertices, float or double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/xpbd/xpbd_test.h"

#define LIMIT 4096
static double places[3 * LIMIT], other_places[3 * LIMIT], speeds[3 * LIMIT];

/* Velocities and places to what 900 roundings of a float leave, and no strain. */
static void test_free_fall(void **state)
{
    (void)state;
    sn_xpbd_shape shapes[2] = {sn_xpbd_bar(4, 3, 2, 0.1), sn_xpbd_sheet(5, 4, 0.1)};
    for (int i = 0; i < 4; ++i) {
        sn_xpbd_shape *shape = &shapes[i % 2];
        sn_xpbd_model *model = sn_xpbd_shape_model(shape);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.gravity[1] = -9.81;
        settings.is_double = i >= 2;
        settings.damping = 2; /* not of the rigid motion */
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        sn_xpbd_run(body, NULL, 60);
        sn_xpbd_body_positions(body, places);
        sn_xpbd_body_velocities(body, speeds);
        const double steps = 60.0 * 15, expected = -9.81 * (1 + 1 / steps) / 2;
        for (int v = 0; v < shape->desc.vertex_count; ++v) {
            assert_true(fabs(speeds[3 * v + 1] + 9.81) < (i >= 2 ? 1e-9 : 2e-4));
            assert_true(fabs(places[3 * v + 1] - shape->positions[3 * v + 1] - expected) < 5e-4);
            assert_true(fabs(places[3 * v] - shape->positions[3 * v]) < 1e-5 && fabs(speeds[3 * v]) < 1e-5);
        }
        const sn_xpbd_energy energy = sn_xpbd_body_energy(body);
        assert_true(energy.elastic < 1e-9 * energy.kinetic);
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
    }
    sn_arena_finish(&shapes[0].arena);
    sn_arena_finish(&shapes[1].arena);
}

/* A mass on a spring, small steps: the period 2 pi sqrt(m / k) within half a percent. */
static void test_spring_period(void **state)
{
    (void)state;
    const double positions[6] = {0, 0, 0, 1, 0, 0}, masses[2] = {1, 0.5}, stiffness = 20;
    const sn_xpbd_constraint spring = {SN_XPBD_DISTANCE, {0, 1}, stiffness, false, 0};
    const sn_xpbd_desc desc = {
        .vertex_count = 2, .positions = positions, .masses = masses, .constraint_count = 1, .constraints = &spring};
    for (int is_double = 0; is_double < 2; ++is_double) {
        sn_xpbd_model *model = NULL;
        assert_int_equal(sn_xpbd_model_create(&desc, &model), SN_OK);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.time_step = 1e-3;
        settings.substep_count = 4;
        settings.is_double = is_double;
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        const double stretched[6] = {0, 0, 0, 1.05, 0, 0};
        sn_xpbd_body_set_positions(body, stretched);
        assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
        double first = 0, last = 0, before = 0.05;
        int crossings = 0;
        for (int step = 1; step < 8000; ++step) {
            sn_xpbd_run(body, NULL, 1);
            sn_xpbd_body_positions(body, places);
            const double now = places[3] - 1;
            if (before > 0 && now <= 0) {
                last = 1e-3 * (step - now / (now - before));
                first = crossings++ == 0 ? last : first;
            }
            before = now;
        }
        const double period = (last - first) / (crossings - 1), expected = 2 * 3.141592653589793 * sqrt(0.5 / 20);
        assert_true(crossings > 5 && fabs(period / expected - 1) < 5e-3);
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
    }
}

/* Mean of a coordinate over vertices whose rest lies on a plane. */
static double mean_at(const sn_xpbd_shape *shape, int axis, double at, double near_x, double width)
{
    double sum = 0;
    int count = 0;
    for (int v = 0; v < shape->desc.vertex_count; ++v) {
        const double *x = shape->positions + 3 * v;
        if (fabs(x[axis] - at) < 1e-9 && fabs(x[0] - near_x) < width) {
            sum += places[3 * v + axis] - x[axis];
            ++count;
        }
    }
    SN_ASSERT(count > 0);
    return sum / count;
}

/* Stretched by a fiftieth, its middle contracts by Poisson's ratio; in the plane that is lambda / (lambda + 2 mu). */
static void check_poisson(sn_xpbd_shape *shape, double length, double width, double expected, bool is_double)
{
    sn_xpbd_model *model = sn_xpbd_shape_model(shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.damping = 8;
    settings.is_double = is_double;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    for (int v = 0; v < shape->desc.vertex_count; ++v) {
        const double x = shape->positions[3 * v];
        const double to[3] = {x * 1.02, shape->positions[3 * v + 1], shape->positions[3 * v + 2]};
        if (x < 1e-9 || x > length - 1e-9) {
            assert_int_equal(sn_xpbd_body_pin(body, v, INFINITY), SN_OK);
            sn_xpbd_body_move_pin(body, v, to);
        }
    }
    sn_xpbd_run(body, NULL, 240);
    sn_xpbd_body_positions(body, places);
    const double cell = length / 16, middle = length / 2;
    const double axial = (mean_at(shape, 0, middle + 2 * cell, middle + 2 * cell, cell / 2) -
                          mean_at(shape, 0, middle - 2 * cell, middle - 2 * cell, cell / 2)) /
                         (4 * cell);
    const double lateral =
        (mean_at(shape, 1, width, middle, cell / 2) - mean_at(shape, 1, 0, middle, cell / 2)) / width;
    const double ratio = -lateral / axial;
    print_message("Poisson's ratio %.4f, expected %.4f, axial strain %.4f\n", ratio, expected, axial);
    assert_true(fabs(ratio - expected) < (expected > 0 ? 0.03 * expected : 0.016) && fabs(axial - 0.02) < 2e-3);
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
}

static void test_poisson_ratio(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        sn_xpbd_shape bar = sn_xpbd_bar(16, 3, 3, 0.1), sheet = sn_xpbd_sheet(16, 4, 0.1);
        check_poisson(&bar, 1.6, 0.3, 0.3, is_double);
        const double lambda = sheet.lambda[0], mu = sheet.mu[0];
        check_poisson(&sheet, 1.6, 0.4, lambda / (lambda + 2 * mu), is_double);
        for (int i = 0; i < 2; ++i) { /* below 0 it gets thicker, in space by another pair */
            const double wanted = i ? -0.6 : -0.2;
            sn_xpbd_shape_material(&bar, 1e4, wanted, 1000);
            check_poisson(&bar, 1.6, 0.3, wanted, is_double);
        }
        for (int i = 0; i < sheet.desc.element_count; ++i) {
            sheet.lambda[i] = -0.5 * sheet.mu[i];
        }
        check_poisson(&sheet, 1.6, 0.4, -1.0 / 3, is_double);
        sn_arena_finish(&bar.arena);
        sn_arena_finish(&sheet.arena);
    }
}

/* How far a bar or sheet that is held at x = 0 sags in the mean of its last second. */
static double sag_of(const sn_xpbd_shape *shape, double gravity, int substeps)
{
    sn_xpbd_model *model = sn_xpbd_shape_model(shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -gravity;
    settings.substep_count = substeps;
    settings.damping = 6;
    settings.is_rigid_damped = true;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    int tip = 0;
    double sum = 0;
    for (int v = 0; v < shape->desc.vertex_count; ++v) {
        tip = shape->positions[3 * v] > shape->positions[3 * tip] ? v : tip;
        if (shape->positions[3 * v] == 0) {
            assert_int_equal(sn_xpbd_body_pin(body, v, INFINITY), SN_OK);
        }
    }
    sn_xpbd_run(body, NULL, 180);
    for (int step = 0; step < 60; ++step) {
        sn_xpbd_run(body, NULL, 1);
        sn_xpbd_body_positions(body, places);
        sum += shape->positions[3 * tip + 1] - places[3 * tip + 1];
    }
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    return sum / 60;
}

/* With as many substeps as a model asks for, soft and stiff flesh sag by nearly the same, under forces that grow as
 * Young's modulus does; with fifteen, what is stiff sags a lot more. */
static void test_substeps_hold_what_is_stiff(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        sn_xpbd_shape shape = i ? sn_xpbd_sheet(16, 4, 0.0625) : sn_xpbd_bar(12, 3, 3, 0.08);
        double sags[2], with_fifteen = 0;
        for (int stiff = 0; stiff < 2; ++stiff) {
            const double young = stiff ? (i ? 1e4 : 2e4) : 100;
            sn_xpbd_shape_material(&shape, young, 0.3, 1);
            sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
            const int asked = sn_xpbd_required_substeps(model, 1.0 / 60, 1),
                      four = sn_xpbd_required_substeps(model, 1.0 / 60, 4);
            assert_true(abs(four - 2 * asked) <= 1);
            assert_int_equal(sn_xpbd_required_substeps(model, 1e-9, 1), 1);
            sn_xpbd_model_destroy(&model);
            sags[stiff] = sag_of(&shape, 2e-4 * young, stiff ? asked : 60);
            with_fifteen = sag_of(&shape, 2e-4 * young, 15);
            print_message("Young %g: %d substeps, sags by %.4f, of 15 by %.4f\n", young, stiff ? asked : 60,
                          sags[stiff], with_fifteen);
        }
        assert_true(sags[1] / sags[0] > 0.9 && sags[1] / sags[0] < 1.25 && with_fifteen > 1.5 * sags[0]);
        sn_arena_finish(&shape.arena);
    }
}

/* Nothing moves by a bit: elements, springs, bends and volumes, float and double, one and several sweeps. */
static void test_rest_stays(void **state)
{
    (void)state;
    for (int i = 0; i < 12; ++i) {
        sn_xpbd_shape shape = i % 3 == 0   ? sn_xpbd_bar(5, 3, 2, 0.37)
                              : i % 3 == 1 ? sn_xpbd_sheet(7, 5, 0.37)
                                           : sn_xpbd_cloth(6, 5, 0.37);
        uint64_t seed = 3 + (uint64_t)i;
        for (int v = 0; v < shape.desc.vertex_count; ++v) { /* far from the origin, and not regular */
            for (int d = 0; d < (i % 3 == 1 ? 2 : 3); ++d) {
                shape.positions[3 * v + d] += 12.3 + 0.05 * sn_random_unit(&seed);
            }
        }
        sn_xpbd_constraint volumes[20];
        if (i == 6 || i == 9) {
            sn_xpbd_shape_material(&shape, 1e4, -0.4, 1000);
        }
        if (i % 3 == 0) {
            for (int k = 0; k < 20; ++k) {
                volumes[k] = (sn_xpbd_constraint){.type = SN_XPBD_VOLUME, .stiffness = 1e5};
                memcpy(volumes[k].vertices, shape.elements + 4 * k, sizeof volumes[k].vertices);
            }
            shape.desc.constraints = volumes;
            shape.desc.constraint_count = 20;
        }
        sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.is_double = i % 2 == 1 && i % 3 != 2; /* lengths and angles are those that floats have */
        settings.sweep_count = 1 + i / 6;
        settings.damping = 1;
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        sn_xpbd_body_positions(body, other_places);
        sn_xpbd_run(body, NULL, 30);
        sn_xpbd_body_positions(body, places);
        assert_memory_equal(places, other_places, 3 * sizeof(double) * (size_t)shape.desc.vertex_count);
        sn_xpbd_body_velocities(body, speeds);
        for (int k = 0; k < 3 * shape.desc.vertex_count; ++k) {
            assert_true(speeds[k] == 0);
        }
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shape.arena);
    }
}

/* A body that is thrown, spun and bent: constraints change its momentum by round-off alone (in
 * float: of places, at 900 substeps a second), and its angular momentum by
 * the step's own error, which shrinks with it. */
static void test_momenta(void **state)
{
    (void)state;
    double drifts[3];
    for (int i = 0; i < 3; ++i) {
        sn_xpbd_shape shape = sn_xpbd_bar(6, 3, 2, 0.1);
        sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.is_double = i > 0;
        settings.substep_count = i == 2 ? 60 : 15;
        settings.damping = 1;
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        for (int v = 0; v < shape.desc.vertex_count; ++v) {
            const double *x = shape.positions + 3 * v;
            speeds[3 * v] = 0.3 - 4 * (x[1] - 0.15) + sin(9 * x[1]);
            speeds[3 * v + 1] = -0.2 + 4 * (x[0] - 0.3);
            speeds[3 * v + 2] = 0.5 * sin(7 * x[0]);
        }
        sn_xpbd_body_set_velocities(body, speeds);
        const sn_xpbd_energy before = sn_xpbd_body_energy(body);
        sn_xpbd_run(body, NULL, 60);
        const sn_xpbd_energy after = sn_xpbd_body_energy(body);
        drifts[i] = sn_distance3(before.angular_momentum, after.angular_momentum) / sn_length3(before.angular_momentum);
        assert_true(sn_distance3(before.momentum, after.momentum) <
                    (i > 0 ? 1e-11 : 1e-3) * sn_length3(before.momentum));
        assert_true(after.kinetic + after.elastic < before.kinetic + before.elastic);
        sn_xpbd_body_destroy(&body);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shape.arena);
    }
    print_message("angular momentum lost in a second: %.2g float, %.2g double, %.2g with four times the substeps\n",
                  drifts[0], drifts[1], drifts[2]);
    assert_true(drifts[0] < 0.04 && drifts[1] < 0.04 && drifts[2] < 0.4 * drifts[1]);
}

/* How far the end of a bar that is held at the other sags, at rest in the end. */
static double sag(sn_xpbd_shape *shape, const sn_xpbd_settings *settings)
{
    sn_xpbd_model *model = sn_xpbd_shape_model(shape);
    sn_xpbd_body *body = sn_xpbd_test_body(model, settings);
    for (int v = 0; v < shape->desc.vertex_count; ++v) {
        if (shape->positions[3 * v] < 1e-9) {
            assert_int_equal(sn_xpbd_body_pin(body, v, INFINITY), SN_OK);
        }
    }
    sn_xpbd_run(body, NULL, 240);
    sn_xpbd_body_positions(body, places);
    double lowest = 0;
    for (int v = 0; v < shape->desc.vertex_count; ++v) {
        lowest = fmin(lowest, places[3 * v + 1] - shape->positions[3 * v + 1]);
    }
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    return -lowest;
}

/* Stiffness is a property of the material: a bar sags alike for 16 to 64 substeps of one sweep, and for 8 of four. What
 * one sweep leaves undone shows where waves cross several elements in a substep: 8 substeps of one sweep sag by 43%
 * more. */
static void test_stiffness_is_not_of_the_step(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(8, 3, 3, 0.1);
    sn_xpbd_shape_material(&shape, 2e6, 0.3, 1000);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    settings.damping = 6;
    settings.is_rigid_damped = true;
    settings.is_double = true;
    settings.substep_count = 16;
    settings.sweep_count = 8;
    const double reference = sag(&shape, &settings);
    const struct {
        int substeps, sweeps;
        double band;
    } runs[] = {{16, 1, 0.1}, {32, 1, 0.03}, {64, 1, 0.01}, {16, 4, 0.01}, {8, 4, 0.02}};
    assert_true(reference > 0.01 && reference < 0.1);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
        settings.substep_count = runs[i].substeps;
        settings.sweep_count = runs[i].sweeps;
        settings.is_double = false;
        const double now = sag(&shape, &settings);
        print_message("%d substeps of %d sweeps: sags by %.5f, reference %.5f\n", runs[i].substeps, runs[i].sweeps, now,
                      reference);
        assert_true(fabs(now / reference - 1) < runs[i].band);
    }
    sn_arena_finish(&shape.arena);
}

/* The same body with vertices, elements and corners in another order moves alike. */
static void test_order_does_not_matter(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(6, 3, 2, 0.1), mixed = sn_xpbd_bar(6, 3, 2, 0.1);
    const int n = shape.desc.vertex_count, t = shape.desc.element_count;
    static int32_t number[LIMIT];
    uint64_t seed = 11;
    for (int v = 0; v < n; ++v) {
        const int j = (int)((v + 1) * sn_random_unit(&seed));
        number[v] = number[j];
        number[j] = v;
    }
    for (int v = 0; v < n; ++v) {
        memcpy(mixed.positions + 3 * number[v], shape.positions + 3 * v, 3 * sizeof(double));
    }
    for (int i = 0; i < t; ++i) { /* backwards, and turned by an even permutation */
        const int32_t *from = shape.elements + 4 * (t - 1 - i);
        const int32_t to[4] = {number[from[1]], number[from[2]], number[from[0]], number[from[3]]};
        memcpy(mixed.elements + 4 * i, to, sizeof to);
    }
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    sn_xpbd_model *models[2] = {sn_xpbd_shape_model(&shape), sn_xpbd_shape_model(&mixed)};
    double *results[2] = {places, other_places};
    for (int i = 0; i < 2; ++i) {
        const sn_xpbd_shape *own = i ? &mixed : &shape;
        sn_xpbd_body *body = sn_xpbd_test_body(models[i], &settings);
        for (int v = 0; v < n; ++v) {
            if (own->positions[3 * v] < 1e-9) {
                assert_int_equal(sn_xpbd_body_pin(body, v, INFINITY), SN_OK);
            }
        }
        sn_xpbd_run(body, NULL, 60);
        sn_xpbd_body_positions(body, results[i]);
        sn_xpbd_body_destroy(&body);
    }
    double furthest = 0, moved = 0;
    for (int v = 0; v < n; ++v) {
        furthest = fmax(furthest, sn_distance3(places + 3 * v, other_places + 3 * number[v]));
        moved = fmax(moved, sn_distance3(places + 3 * v, shape.positions + 3 * v));
    }
    print_message("another order: %.2g of what the body moves\n", furthest / moved);
    assert_true(moved > 0.05 && furthest < 0.01 * moved);
    sn_xpbd_model_destroy(&models[0]);
    sn_xpbd_model_destroy(&models[1]);
    sn_arena_finish(&shape.arena);
    sn_arena_finish(&mixed.arena);
}

/* Float follows the reference of the same sweep. */
static void test_float_follows_double(void **state)
{
    (void)state;
    sn_xpbd_shape shapes[3] = {sn_xpbd_bar(6, 3, 2, 0.1), sn_xpbd_sheet(9, 4, 0.1), sn_xpbd_cloth(6, 5, 0.1)};
    for (int i = 0; i < 3; ++i) {
        sn_xpbd_model *model = sn_xpbd_shape_model(&shapes[i]);
        sn_xpbd_settings settings = sn_default_xpbd_settings();
        settings.gravity[1] = -9.81;
        settings.sweep_count = 2;
        settings.damping = 2;
        double *results[2] = {places, other_places};
        for (int is_double = 0; is_double < 2; ++is_double) {
            settings.is_double = is_double;
            sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
            assert_int_equal(sn_xpbd_body_pin(body, 0, INFINITY), SN_OK);
            assert_int_equal(sn_xpbd_body_pin(body, 4, 300), SN_OK);
            sn_xpbd_run(body, NULL, 20);
            sn_xpbd_body_positions(body, results[is_double]);
            sn_xpbd_body_destroy(&body);
        }
        double furthest = 0;
        for (int v = 0; v < shapes[i].desc.vertex_count; ++v) {
            furthest = fmax(furthest, sn_distance3(places + 3 * v, other_places + 3 * v));
        }
        print_message("float from double: %.2g\n", furthest);
        assert_true(furthest < 1e-4);
        sn_xpbd_model_destroy(&model);
        sn_arena_finish(&shapes[i].arena);
    }
}

/* Hundreds of kilometres away a body moves as it does at the origin. */
static void test_far_away(void **state)
{
    (void)state;
    sn_xpbd_shape shape = sn_xpbd_bar(6, 3, 2, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&shape);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.81;
    settings.damping = 1;
    const double there[12] = {1, 0, 0, 3e5, 0, 1, 0, -2e5, 0, 0, 1, 1e5};
    double *results[2] = {places, other_places};
    for (int i = 0; i < 2; ++i) {
        sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
        for (int v = 0; v < shape.desc.vertex_count; ++v) {
            speeds[3 * v] = sin(9 * shape.positions[3 * v + 1]);
            speeds[3 * v + 1] = 2 * shape.positions[3 * v];
            speeds[3 * v + 2] = 0;
        }
        sn_xpbd_body_set_velocities(body, speeds);
        if (i) {
            sn_xpbd_body_teleport(body, there);
        }
        sn_xpbd_run(body, NULL, 60);
        sn_xpbd_body_positions(body, results[i]);
        sn_xpbd_body_destroy(&body);
    }
    double furthest = 0;
    for (int k = 0; k < 3 * shape.desc.vertex_count; ++k) {
        furthest = fmax(furthest, fabs(other_places[k] - there[4 * (k % 3) + 3] - places[k]));
    }
    print_message("far from near: %.2g\n", furthest);
    assert_true(furthest < 1e-6);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&shape.arena);
}

int test_xpbd_physics(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_spring_period),
        cmocka_unit_test(test_substeps_hold_what_is_stiff),
        cmocka_unit_test(test_poisson_ratio),
        cmocka_unit_test(test_rest_stays),
        cmocka_unit_test(test_momenta),
        cmocka_unit_test(test_stiffness_is_not_of_the_step),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_float_follows_double),
        cmocka_unit_test(test_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
