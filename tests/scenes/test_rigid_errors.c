/* SPDX-License-Identifier: MIT */
/* The rigid-body engine when an error of ODE, which would end the process, comes up in the middle of a step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ode/ode.h>

#include "scenes/rigid/rigid_engine.h"
#include "scenes/rigid/rigid_shape.h"

/* Stands in for the library's: a solver that fails when it is told to. */
static int kind_of_error;

int dWorldQuickStep(dWorldID world, dReal step)
{
    if (kind_of_error == 1) {
        dError(d_ERR_LCP, "an error of a test");
    }
    if (kind_of_error == 2) {
        dDebug(d_ERR_IASSERT, "an assertion of a test");
    }
    return dWorldStep(world, step);
}

static void errors_stop_one_engine(void **state)
{
    (void)state;
    static const sn_scene_solid ball = {.type = SN_SOLID_SPHERE, .radius = 0.1}, plane = {.type = SN_SOLID_PLANE};
    const sn_rigid_body_desc floor = {.solids = &plane, .solid_count = 1, .frame = sn_frame_identity};
    sn_rigid_body_desc engine_body = {
        .solids = &ball, .solid_count = 1, .is_free = true, .frame = sn_frame_identity, .velocity = {1, 0, 0}};
    engine_body.frame.m[1][3] = 0.099;
    sn_rigid_solids_mass(&ball, 1, &engine_body.mass);
    for (int type = 1; type <= 2; ++type) {
        sn_rigid_engine *engines[2] = {NULL};
        const sn_rigid_contact *touches;
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(sn_rigid_engine_create(1.0 / 480, 4, &engines[i]), SN_OK);
            sn_rigid_engine_add(engines[i], &engine_body);
            sn_rigid_engine_add(engines[i], &floor);
            assert_int_equal(sn_rigid_engine_step(engines[i]), 0);
        }
        const sn_frame before = sn_rigid_engine_frame(engines[0], 0, 1);
        kind_of_error = type;
        assert_int_equal(sn_rigid_engine_step(engines[0]), 1);
        kind_of_error = 0;
        assert_int_equal(sn_rigid_engine_step(engines[0]), 1);
        assert_int_equal(sn_rigid_engine_contacts(engines[0], &touches), 0);
        const sn_frame after = sn_rigid_engine_frame(engines[0], 0, 1);
        assert_memory_equal(&after, &before, sizeof after);
        assert_int_equal(sn_rigid_engine_step(engines[1]), 0);
        assert_true(sn_rigid_engine_frame(engines[1], 0, 1).m[0][3] > after.m[0][3]);
        for (int i = 0; i < 2; ++i) {
            sn_rigid_engine_destroy(&engines[i]);
            assert_null(engines[i]);
        }
    }
}

int test_rigid_errors(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_stop_one_engine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
