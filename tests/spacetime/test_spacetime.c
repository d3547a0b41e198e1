/* SPDX-License-Identifier: MIT */
/* The objective of STRETCH and TWIST along whole steps without regularisation, against an independent program's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/spacetime/prism.h"

static void check_objectives(sn_spacetime_prism which, sn_spacetime_norm norm, double tolerance, int count,
                             const double *expected)
{
    sn_arena arena = {0};
    sn_spacetime_input input;
    sn_spacetime_motion motion;
    sn_spacetime_report report;
    sn_spacetime_desc desc = sn_default_spacetime_desc();
    desc.norm = norm;
    desc.regularisation = 0;
    desc.tolerance = 0;
    desc.is_full_step = true;
    desc.has_reactions = true;
    desc.iteration_limit = count - 1;
    assert_int_equal(sn_spacetime_prism_build(which, 1, &arena, &input), SN_OK);
    assert_int_equal(sn_spacetime_optimise(&input, &desc, &arena, &motion, &report), SN_OK);
    assert_int_equal(report.objective_count, count);
    for (int i = 0; i < count; ++i) {
        assert_true(fabs(report.objectives[i] / expected[i] - 1) < tolerance);
    }
    sn_arena_finish(&arena);
}

/* Four digits: the reference's projections are off by some 1e-4. */
static void stretch_in_inverse_mass(void **state)
{
    (void)state;
    check_objectives(SN_SPACETIME_STRETCH, SN_SPACETIME_INVERSE_MASS, 5e-4, 5,
                     (const double[]){9308, 3069, 1885, 1623, 1557});
}

static void stretch_in_identity(void **state)
{
    (void)state;
    check_objectives(SN_SPACETIME_STRETCH, SN_SPACETIME_IDENTITY, 5e-4, 6,
                     (const double[]){50.18, 19.11, 13.66, 12.40, 12.06, 11.95});
}

/* Of the reference there are three digits. */
static void twist_in_inverse_mass(void **state)
{
    (void)state;
    check_objectives(SN_SPACETIME_TWIST, SN_SPACETIME_INVERSE_MASS, 1.5e-3, 6,
                     (const double[]){2.089e5, 9.83e4, 4.80e4, 2.57e4, 1.745e4, 1.40e4});
}

static void twist_in_identity(void **state)
{
    (void)state;
    check_objectives(SN_SPACETIME_TWIST, SN_SPACETIME_IDENTITY, 1.5e-3, 10,
                     (const double[]){1047, 453.7, 219, 120.4, 81.9, 64.9, 56.4, 52.0, 49.5, 48.2});
}

int test_spacetime(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretch_in_inverse_mass),
        cmocka_unit_test(stretch_in_identity),
        cmocka_unit_test(twist_in_inverse_mass),
        cmocka_unit_test(twist_in_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
