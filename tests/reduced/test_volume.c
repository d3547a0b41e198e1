/* SPDX-License-Identifier: MIT */
/* Poisson's ratio: what the volumetric term does to a bar whose ends are held, and its gradient. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/reduced/volume_test.h"

/* Mean displacement along an axis of the vertices on a plane of the lattice, less that of the opposite one, over their
 * distance: the strain between them. Planes i and j of axis `axis`, in the middle third of the bar. */
static double mean_strain(fixture *f, int axis, int i, int j)
{
    double sums[2] = {0}, counts[2] = {0};
    for (int v = 0; v < VERTICES; ++v) {
        const int at[3] = {v % (CELLS_X + 1), v / (CELLS_X + 1) % (CELLS_Y + 1), v / ((CELLS_X + 1) * (CELLS_Y + 1))};
        const int side = at[axis] == i ? 0 : at[axis] == j ? 1 : -1;
        if (side >= 0 && at[0] >= CELLS_X / 2 - 3 && at[0] <= CELLS_X / 2 + 3) {
            sums[side] += f->positions[3 * v + axis] - (double)f->model->rest_positions[3 * v + axis];
            counts[side] += 1;
        }
    }
    return (sums[1] / counts[1] - sums[0] / counts[0]) / (0.25 * (j - i) * f->model->scale);
}

/* Pulled at its ends by a hundredth, a bar thins in its middle by Poisson's ratio times its strain there. */
static void test_stretched_bar_thins_by_poissons_ratio(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        fixture f;
        const sn_reduced_desc desc = still();
        start(&f, materials[i], &desc);
        stretch(&f, 0.01);
        settle(&f, 60);
        place(&f);
        const double along = mean_strain(&f, 0, CELLS_X / 2 - 3, CELLS_X / 2 + 3);
        const double y = -mean_strain(&f, 1, 0, CELLS_Y) / along, z = -mean_strain(&f, 2, 0, CELLS_Z) / along;
        print_message("nu %.2f: thins by %.3f and %.3f of its strain %.4f\n", materials[i], y, z, along);
        assert_true(along > 0.005 && along < 0.02);
        assert_true(fabs(y - materials[i]) < 0.03 && fabs(z - materials[i]) < 0.03);
        stop(&f);
    }
}

/* Pressed together by a fifth: what is lost of the volume with .45 is less than a third of what is lost with 0. */
static void test_pressed_bar_keeps_its_volume(void **state)
{
    (void)state;
    double lost[3];
    for (int i = 0; i < 3; ++i) {
        fixture f;
        const sn_reduced_desc desc = still();
        start(&f, materials[i], &desc);
        const double before = volume(&f);
        stretch(&f, -0.2);
        settle(&f, 60);
        lost[i] = 1 - volume(&f) / before;
        print_message("nu %.2f: %.1f%% of the volume lost\n", materials[i], 100 * lost[i]);
        stop(&f);
    }
    assert_true(lost[1] < 0.75 * lost[0] && lost[2] < lost[0] / 3);
}

/* Pulled to one and a half times its length with .45, rotations let it lose volume, determinants do not. */
static void test_long_bar_keeps_its_volume(void **state)
{
    (void)state;
    fixture f;
    const sn_reduced_desc desc = still();
    start(&f, 0.45, &desc);
    const double before = volume(&f);
    stretch(&f, 0.5);
    settle(&f, 60);
    const double kept = volume(&f) / before;
    print_message("%s: %.3f of the volume\n", is_neo_hookean ? "Neo-Hookean" : "co-rotational", kept);
    assert_true(is_neo_hookean ? fabs(kept - 1) < 0.05 : kept < 0.95);
    stop(&f);
}

static void check_gradient(fixture *f)
{
    double z[SIZE], gradient[SIZE], unused[SIZE];
    const int size = 3 * f->model->counts.coordinate_count;
    for (int frame = 0; frame < 5; ++frame) {
        twist(f, frame);
        settle(f, 1);
    }
    twist(f, 6);
    for (int i = 0; i < size; ++i) {
        z[i] = sn_reduced_body_coordinates(f->flesh.body)[i] + 0.01 * sin(i);
    }
    sn_reduced_body_objective(f->flesh.body, f->flesh.pose, z, gradient);
    const double scale = largest(gradient, size);
    for (int i = 0; i < size; ++i) {
        const double h = 1e-5, at = z[i];
        z[i] = at + h;
        const double above = sn_reduced_body_objective(f->flesh.body, f->flesh.pose, z, unused);
        z[i] = at - h;
        const double below = sn_reduced_body_objective(f->flesh.body, f->flesh.pose, z, unused);
        z[i] = at;
        assert_true(fabs((above - below) / (2 * h) - gradient[i]) < 1e-5 * scale);
    }
}

static void test_gradient_matches_finite_differences(void **state)
{
    (void)state;
    fixture f;
    const sn_reduced_desc desc = default_desc();
    for (int i = 0; i < 3; ++i) {
        start(&f, materials[i], &desc);
        check_gradient(&f);
        stop(&f);
    }
    start_mixed(&f, &desc);
    check_gradient(&f);
    stop(&f);
}

static void test_rest_is_a_fixed_point(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        fixture f;
        sn_reduced_desc desc = default_desc();
        desc.is_double = is_double;
        start_mixed(&f, &desc);
        const double turned[12] = {0.36, 0.48, -0.8, 30, -0.8, 0.6, 0, -20, 0.48, 0.64, 0.6, 70};
        sn_flesh_set_pose(&f.flesh, turned);
        sn_reduced_body_reset(f.flesh.body, f.flesh.pose);
        settle(&f, 60);
        assert_true(sn_flesh_displacement(&f.flesh) < (is_double ? 1e-11 : 2e-6));
        assert_true(fabs(sn_reduced_body_energy(f.flesh.body).elastic) < 1e-9 * f.model->total_stiffness);
        stop(&f);
    }
}

/* Rotating the whole problem rotates the result. */
static void test_equivariance(void **state)
{
    (void)state;
    fixture f, g;
    const double world[12] = {0.36, 0.48, -0.8, 3, -0.8, 0.6, 0, -2, 0.48, 0.64, 0.6, 7};
    sn_reduced_desc desc = default_desc();
    desc.iteration_limit = 200;
    start(&f, 0.45, &desc);
    start(&g, 0.45, &desc);
    sn_flesh_set_pose(&g.flesh, world);
    sn_reduced_body_reset(g.flesh.body, g.flesh.pose);
    double worst = 0, seen = 0;
    for (int frame = 0; frame < 60; ++frame) {
        stretch(&f, 0.2 * sin(0.3 * frame));
        for (int b = 0; b < 2; ++b) {
            sn_affine_multiply(world, f.flesh.pose + 12 * b, g.flesh.pose + 12 * b);
        }
        settle(&f, 1);
        settle(&g, 1);
        for (int i = 0; i < f.model->counts.coordinate_count; ++i) {
            const double *u = f.flesh.body->coordinates + 3 * i, *v = g.flesh.body->coordinates + 3 * i;
            double difference[3];
            for (int d = 0; d < 3; ++d) {
                difference[d] = world[4 * d] * u[0] + world[4 * d + 1] * u[1] + world[4 * d + 2] * u[2] - v[d];
            }
            worst = fmax(worst, sn_reduced_squared_bound(f.model, i, difference[0], difference[1], difference[2]));
            seen = fmax(seen, sn_reduced_squared_bound(f.model, i, u[0], u[1], u[2]));
        }
    }
    assert_true(sqrt(seen) > 0.01 && sqrt(worst) < 1e-3 * sqrt(seen));
    stop(&f);
    stop(&g);
}

int test_volume(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretched_bar_thins_by_poissons_ratio),
        cmocka_unit_test(test_pressed_bar_keeps_its_volume),
        cmocka_unit_test(test_long_bar_keeps_its_volume),
        cmocka_unit_test(test_gradient_matches_finite_differences),
        cmocka_unit_test(test_rest_is_a_fixed_point),
        cmocka_unit_test(test_equivariance),
    };
    const int failed = cmocka_run_group_tests_name("co-rotational", tests, NULL, NULL);
    is_neo_hookean = true;
    return failed + cmocka_run_group_tests_name("Neo-Hookean", tests, NULL, NULL);
}
