/* SPDX-License-Identifier: MIT */
/* Flesh decays at its rate at any frame rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/reduced/response_test.h"
#include "tests/support/flesh.h"
#include "tests/support/response.h"

#define STIFFNESS 4 /* above it, backward Euler alone damps more at 30 Hz */

static const double rates[] = {30, 60, 72, 90, 120, 144};

/* sum lambda Z^2 + |dZ / h|^2, of small motion: twice its energy. */
static double energy_of(const sn_flesh *f)
{
    const double h = f->solver->desc.time_step;
    double sum = 0;
    for (int i = 0; i < 3 * f->solver->coordinate_count; ++i) {
        const double z = f->body->coordinates[i], v = (z - f->body->coordinates_before[i]) / h;
        sum += f->solver->desc.stiffness * f->model->coordinate_tangent_stiffness[i / 3] * z * z + v * v;
    }
    return sum;
}

/* The rate at which the amplitude of the slowest coordinate's free motion decays, from a regression over its peaks. */
static double measured_decay(const sn_model *model, double frame_rate)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = 1 / frame_rate;
    desc.is_double = true;
    desc.stiffness = STIFFNESS;
    desc.tolerance = 1e-12;
    desc.iteration_limit = 2000;
    sn_flesh f = sn_flesh_make(model, &desc, NULL);
    double *z = calloc(3 * (size_t)model->counts.coordinate_count, sizeof *z);
    assert_non_null(z);
    z[1] = 1e-3 / model->coordinate_bounds[0];
    sn_reduced_body_set_coordinates(f.body, z);
    free(z);
    const int skipped = (int)(0.1 * frame_rate), frames = (int)(0.8 * frame_rate);
    double sums[4] = {0};
    for (int frame = 0; frame < frames; ++frame) {
        sn_reduced_body_step(f.body, f.pose, NULL);
        const double t = frame / frame_rate, y = 0.5 * log(energy_of(&f));
        if (frame >= skipped) {
            sums[0] += t, sums[1] += y, sums[2] += t * t, sums[3] += t * y;
        }
    }
    sn_flesh_finish(&f);
    const double n = frames - skipped;
    return -(n * sums[3] - sums[0] * sums[1]) / (n * sums[2] - sums[0] * sums[0]);
}

static void expect_decay(const response *r, double tolerance)
{
    fixture f;
    cook_response(&f, r);
    print_message("kappa %g, about %.1f Hz, decay %g:", r->strain_limit_stiffness,
                  sqrt(STIFFNESS * f.model->coordinate_tangent_stiffness[0]) / 6.2832, r->decay);
    for (int i = 0; i < 6; ++i) {
        const double measured = measured_decay(f.model, rates[i]);
        print_message(" %.2f at %g Hz", measured, rates[i]);
        assert_true(fabs(measured - r->decay) < tolerance * r->decay);
    }
    print_message("\n");
    stop(&f);
}

static void test_decay_does_not_depend_on_the_frame_rate(void **state)
{
    (void)state;
    expect_decay(&(response){.decay = 8}, 0.04);
    expect_decay(&(response){.decay = 6}, 0.04);
    expect_decay(&(response){.decay = 8, .strain_limit_stiffness = 4, .strain_limit = 0.2}, 0.04);
}

/* The solver's factor against the eigenvalues of its own recurrence. */
static void test_retention_of_an_oscillator(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        const double h = 1 / rates[i];
        assert_true(sn_reduced_retention(h, 3, 0, 400) == exp(-3 * h));
        assert_true(sn_reduced_retention(h, 0, 0, 400) == 1);
        for (int k = 0; k < 60; ++k) {
            const double w = 2 * 3.14159265 * 0.05 * pow(1.15, k), decay = 0.05 * pow(1.12, 90 - k);
            const double r = sn_reduced_retention(h, 0, decay, w * w), a = w * w * h * h;
            assert_true(r >= 0 && r <= 1);
            const double half = 0.5 * (1 + r), root = half * half - (1 + a) * r;
            /* the larger eigenvalue's magnitude */
            const double size = root > 0 ? (half + sqrt(root)) / (1 + a) : sqrt(r / (1 + a));
            const double critical = 1 - sqrt(a / (1 + a)), undamped = 1 / sqrt(1 + a), exact = exp(-decay * h);
            assert_true(root < 1e-9 * half * half); /* never overdamped */
            assert_true(fabs(size - fmin(undamped, fmax(exact, critical))) < 1e-5);
        }
    }
}

/* Rates far above what the flesh can follow: it returns at once, without a swing. */
static void test_overdamped_flesh_returns(void **state)
{
    static const int cells[3] = {12, 4, 3};
    sn_cook_context cooking;
    sn_arena arena = {0};
    (void)state;
    sn_model *cooked = sn_test_cook_bar(&cooking, cells, 1, 2);
    const sn_model model = sn_test_respond(cooked, &(sn_test_response){0, 0, 1e4}, &arena);
    sn_reduced_desc desc = sn_default_reduced_desc();
    sn_flesh f = sn_flesh_make(&model, &desc, NULL);
    double z[3 * 8] = {0};
    z[1] = 1e-2 / model.coordinate_bounds[0];
    assert_true(model.counts.coordinate_count <= 8);
    sn_reduced_body_set_coordinates(f.body, z);
    const double w = sqrt(model.coordinate_tangent_stiffness[0]);
    double before = z[1];
    for (int frame = 0; frame < 60; ++frame) {
        sn_reduced_body_step(f.body, f.pose, NULL);
        const double now = f.body->coordinates[1];
        assert_true(now < before + 1e-4 * z[1] && now > -0.02 * z[1]);
        before = now;
    }
    print_message("critical at %.1f Hz: %.1e left after 1 s\n", w / 6.2832, before / z[1]);
    assert_true(before < 1e-3 * z[1]);
    sn_flesh_finish(&f);
    sn_arena_finish(&arena);
    sn_model_release(cooked);
    sn_cook_context_finish(&cooking);
}

int test_settling(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retention_of_an_oscillator),
        cmocka_unit_test(test_decay_does_not_depend_on_the_frame_rate),
        cmocka_unit_test(test_overdamped_flesh_returns),
    };
    return cmocka_run_group_tests_name("settling", tests, NULL, NULL);
}
