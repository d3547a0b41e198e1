/* SPDX-License-Identifier: MIT */
/* Modes in closed form against an implicit integration of their equation, in every case and across the borders of
 * cases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "author/fourier/fourier.h"
#include "tests/fourier/fourier_test.h"
#include "tests/support/log.h"

#define STEPS 20000
#define STAGES 3
#define UNKNOWNS (2 * STAGES)

static sn_fourier_solution solve(double density, double damping, double stiffness)
{
    sn_fourier_solution solution;
    const sn_fourier_mode mode = {density, damping, stiffness};
    assert_int_equal(sn_fourier_solution_init(&mode, &solution), SN_OK);
    return solution;
}

/* Values worked out with a stiff integrator elsewhere, to the digits that are given. */
static void test_known_values(void **state)
{
    (void)state;
    static const double cases[][4] = {{1, 0.5, 400, 0.541487}, {1, 3, 2, 0.173249},          {1, 2, 1, 0.157535},
                                      {1, 0.5, -30, 0.047800}, {1050, 0.619, 5e4, 0.593810}, {0, 2, 3, 0.307506}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sn_fourier_solution s = solve(cases[i][0], cases[i][1], cases[i][2]);
        assert_near(sn_fourier_solution_at(&s, 0.5).gamma, cases[i][3], 5.1e-7);
    }
}

/* a x = b by elimination with row exchanges, in place; the solution is left in b. */
static void eliminate(double a[UNKNOWNS][UNKNOWNS], double *b)
{
    for (int k = 0; k < UNKNOWNS; ++k) {
        int pivot = k;
        for (int i = k + 1; i < UNKNOWNS; ++i) {
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        }
        for (int j = 0; j < UNKNOWNS; ++j) {
            const double kept = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        const double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (int i = k + 1; i < UNKNOWNS; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k; j < UNKNOWNS; ++j) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (int k = UNKNOWNS - 1; k >= 0; --k) {
        for (int j = k + 1; j < UNKNOWNS; ++j) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}

/* A step of Radau IIA of order 5 (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.5). y: D and D'. */
static void step(const sn_fourier_mode *m, double force, double t, double dt, double *y)
{
    const double r = sqrt(6);
    const double nodes[STAGES] = {(4 - r) / 10, (4 + r) / 10, 1};
    const double weights[STAGES][STAGES] = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                                            {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                                            {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
    const double h = m->stiffness / m->density, d = m->damping / m->density;
    double a[UNKNOWNS][UNKNOWNS] = {{0}}, slopes[UNKNOWNS];
    for (int i = 0; i < STAGES; ++i) { /* slope_i = A (y + dt sum_j w_ij slope_j) + f(t + c_i dt) */
        slopes[2 * i] = y[1];
        slopes[2 * i + 1] = -h * y[0] - d * y[1] + force * (t + nodes[i] * dt) / m->density;
        a[2 * i][2 * i] = a[2 * i + 1][2 * i + 1] = 1;
        for (int j = 0; j < STAGES; ++j) {
            a[2 * i][2 * j + 1] -= dt * weights[i][j];
            a[2 * i + 1][2 * j] += dt * weights[i][j] * h;
            a[2 * i + 1][2 * j + 1] += dt * weights[i][j] * d;
        }
    }
    eliminate(a, slopes);
    for (int j = 0; j < STAGES; ++j) {
        y[0] += dt * weights[STAGES - 1][j] * slopes[2 * j];
        y[1] += dt * weights[STAGES - 1][j] * slopes[2 * j + 1];
    }
}

/* D and D' of ramp and impulse at tenths of the time. */
static void integrate(const sn_fourier_mode *mode, double ramps[11][2], double impulses[11][2])
{
    double ramp[2] = {0, 0}, impulse[2] = {0, 1};
    for (int i = 0; i <= STEPS; ++i) {
        if (i % (STEPS / 10) == 0) {
            memcpy(ramps[i / (STEPS / 10)], ramp, sizeof ramp);
            memcpy(impulses[i / (STEPS / 10)], impulse, sizeof impulse);
        }
        step(mode, 1, i / (double)STEPS, 1.0 / STEPS, ramp);
        step(mode, 0, i / (double)STEPS, 1.0 / STEPS, impulse);
    }
}

static double largest(double rows[11][2], int column)
{
    double most = 0;
    for (int i = 0; i <= 10; ++i) {
        most = fmax(most, fabs(rows[i][column]));
    }
    return most;
}

static void test_against_integration(void **state)
{
    (void)state;
    static const sn_fourier_mode modes[] = {
        {1, 0.5, 400}, {1, 0, 400},  {1, 3, 2},     {1, 2, 1},   {1, 20, 100}, {1, 20, 100.001},  {1, 20, 99.999},
        {1, 0.5, -30}, {1, 60, 400}, {1, 50, 0},    {1, 0, 0},   {1, 1e-9, 0}, {1, 0.3, 0.2},     {1, 4, -1e-7},
        {1, 4, 1e-7},  {1, 7, 1e-3}, {1, 100, 1e4}, {1, 5, -60}, {2, 300, 40}, {1050, 0.619, 5e4}};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
        double ramps[11][2], impulses[11][2];
        const sn_fourier_solution s = solve(modes[i].density, modes[i].damping, modes[i].stiffness);
        integrate(&modes[i], ramps, impulses);
        for (int k = 0; k <= 10; ++k) {
            const sn_fourier_response r = sn_fourier_solution_at(&s, k / 10.0);
            const double gamma = ramps[k][0] / ramps[10][0], gamma_rate = ramps[k][1] / ramps[10][0];
            double value, rate;
            sn_fourier_impulse_at(&s, k / 10.0, &value, &rate);
            assert_near(r.gamma, gamma, 1e-10);
            assert_near(r.gamma_rate, gamma_rate, 1e-10 * (1 + largest(ramps, 1) / ramps[10][0]));
            assert_near(value, impulses[k][0], 1e-10 * (1 + largest(impulses, 0)));
            assert_near(rate, impulses[k][1], 1e-10 * (1 + largest(impulses, 1)));
            assert_near(r.sigma, impulses[k][0] - gamma * impulses[10][0], 1e-10 * (1 + largest(impulses, 0)));
            assert_near(r.sigma_rate, impulses[k][1] - gamma_rate * impulses[10][0],
                        1e-10 * (1 + largest(impulses, 1) + largest(ramps, 1) / ramps[10][0]));
        }
    }
}

/* Whatever the case, both begin and end as they must. */
static void check_ends(const sn_fourier_solution *s)
{
    const sn_fourier_response start = sn_fourier_solution_at(s, 0), end = sn_fourier_solution_at(s, 1);
    assert_true(start.gamma == 0 && start.sigma == 0);
    assert_near(end.gamma, 1, 1e-14);
    assert_near(end.sigma, 0, 1e-12);
    if (s->density > 0) {
        assert_true(start.gamma_rate == 0 || fabs(start.gamma_rate) < 1e-9);
        assert_near(start.sigma_rate, 1, 1e-9);
    }
}

static double gamma_of(double density, double damping, double stiffness, double t)
{
    const sn_fourier_solution s = solve(density, damping, stiffness);
    check_ends(&s);
    return sn_fourier_solution_at(&s, t).gamma;
}

/* A parameter a hair to either side of a border moves gamma by a hair. */
static void test_borders_of_cases(void **state)
{
    (void)state;
    for (double t = 0.01; t < 1; t += 0.07) {
        for (double damping = 0.01; damping < 3000; damping *= 3) {
            const double critical = damping * damping / 4;
            const double at = gamma_of(1, damping, critical, t), slope = 1e-9 * (1 + critical);
            assert_near(gamma_of(1, damping, critical * (1 + 1e-12), t), at, 1e-11 + slope * 1e-3);
            assert_near(gamma_of(1, damping, critical * (1 - 1e-12), t), at, 1e-11 + slope * 1e-3);
            assert_near(gamma_of(1, damping, 1e-13, t), gamma_of(1, damping, 0, t), 1e-11);
            assert_near(gamma_of(1, damping, -1e-13, t), gamma_of(1, damping, 0, t), 1e-11);
            /* roots that begin to be apart: beta = -alpha / 2 */
            assert_near(gamma_of(1, damping, 0.75 * critical * (1 + 1e-13), t),
                        gamma_of(1, damping, 0.75 * critical * (1 - 1e-13), t), 1e-11);
            /* the series' end */
            assert_near(gamma_of(damping * t + t * t * (1 + 1e-13), damping, 1, t),
                        gamma_of(damping * t + t * t * (1 - 1e-13), damping, 1, t), 1e-11);
        }
        assert_near(gamma_of(1e-12, 2, 3, t), gamma_of(0, 2, 3, t), 1e-10);
        assert_near(gamma_of(0, 1e-12, 3, t), gamma_of(0, 0, 3, t), 1e-10);
        assert_near(gamma_of(0, 2, 1e-13, t), gamma_of(0, 2, 0, t), 1e-12);
        assert_true(gamma_of(0, 0, 5, t) == t && gamma_of(0, 0, 0, t) == t);
    }
}

static void test_extremes_stay_finite(void **state)
{
    (void)state;
    static const double sizes[] = {0, 1e-300, 1e-30, 1e-8, 1, 1e8, 1e30, 1e150, 1e300};
    const int count = sizeof sizes / sizeof sizes[0];
    int checked = 0;
    for (int i = 0; i < 2 * count * count * count; ++i) {
        const sn_fourier_mode mode = {sizes[i % count], sizes[i / count % count],
                                      (i % 2 ? 1 : -1) * sizes[i / (count * count) % count]};
        sn_fourier_solution s;
        begin_log();
        const sn_result result = sn_fourier_solution_init(&mode, &s);
        sn_set_log(NULL, NULL);
        assert_true(result == SN_OK || (result == SN_ERROR_ARGUMENT && logged.errors == 1));
        if (result != SN_OK) {
            continue;
        }
        ++checked;
        for (double t = 0; t <= 1; t += 0.125) {
            const sn_fourier_response r = sn_fourier_solution_at(&s, t);
            assert_true(isfinite(r.gamma) && isfinite(r.gamma_rate));
            assert_true(isfinite(r.sigma) && isfinite(r.sigma_rate));
        }
        assert_near(sn_fourier_solution_at(&s, 1).gamma, 1, 1e-12);
    }
    assert_true(checked > count * count * count);
    /* as the paper's stiffness has it for large harmonics: growth by e^{2000} within the segment */
    const sn_fourier_solution grown = solve(1, 0, -4e6);
    assert_near(sn_fourier_solution_at(&grown, 0.999).gamma, exp(-2), 1e-6);
    assert_near(sn_fourier_solution_at(&grown, 1).gamma_rate, 2000, 1e-6);
    /* sigma = (t s(1) - s(t)) / (s(1) - 1) there, with s = sinh(2000 t) / 2000 */
    assert_near(sn_fourier_solution_at(&grown, 0.5).sigma, 0.5, 1e-9);
    assert_near(sn_fourier_solution_at(&grown, 0.999).sigma, 0.999 - exp(-2), 1e-9);
}

static void refuse(sn_fourier_mode mode, const char *cause)
{
    sn_fourier_solution solution;
    begin_log();
    assert_int_equal(sn_fourier_solution_init(&mode, &solution), SN_ERROR_ARGUMENT);
    sn_set_log(NULL, NULL);
    assert_one_error(cause);
}

static void test_bad_modes_are_refused(void **state)
{
    (void)state;
    refuse((sn_fourier_mode){-1, 0, 1}, "neither may be negative");
    refuse((sn_fourier_mode){1, -1e-9, 1}, "neither may be negative");
    refuse((sn_fourier_mode){1, 1, NAN}, "not finite");
    refuse((sn_fourier_mode){INFINITY, 1, 1}, "not finite");
}

int test_fourier_mode(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_values), cmocka_unit_test(test_against_integration),
                                       cmocka_unit_test(test_borders_of_cases),
                                       cmocka_unit_test(test_extremes_stay_finite),
                                       cmocka_unit_test(test_bad_modes_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
