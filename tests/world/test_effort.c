/* SPDX-License-Identifier: MIT */
/* What a world tells of a body's last step: iterations, how far from the minimum, and whether time ran out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sinew/world.h"

#define MODEL_PATH SN_SOURCE_DIR "/tests/golden/bar.sinew" /* three bones, four modes */
#define BONES 3

static sn_model *model;

static int load(void **state)
{
    (void)state;
    assert_int_equal(sn_model_open(MODEL_PATH, &model), SN_OK);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    sn_model_release(model);
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

/* The effort of a step that jerks the rig. */
static sn_body_step_stats jerk(const sn_body_desc *desc)
{
    const sn_world_desc world_desc = sn_default_world_desc();
    const sn_mat3x4 up = {{{1, 0, 0, 0}, {0, 1, 0, 0.3F}, {0, 0, 1, 0}}};
    sn_world_id world;
    sn_body_id body;
    assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
    assert_int_equal(sn_body_create(world, desc, &body), SN_OK);
    const sn_body_step_stats before = sn_body_last_step_stats(body);
    assert_true(before.iteration_count == 0 && before.change == 0);
    assert_false(before.is_converged || before.is_over_budget);
    sn_body_set_bone_pose(body, 0, &up);
    assert_int_equal(sn_world_step(world, 1.0 / 60).step_count, 1);
    const sn_body_step_stats effort = sn_body_last_step_stats(body);
    sn_world_step(world, 0); /* which steps nothing */
    assert_memory_equal(&effort.change, &(double){sn_body_last_step_stats(body).change}, sizeof(double));
    sn_world_destroy(world);
    return effort;
}

static sn_body_desc body_desc(void)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.stiffness = 0.3;
    return desc;
}

static void what_ended_a_step(void **state)
{
    (void)state;
    sn_body_desc desc = body_desc();
    const sn_body_step_stats free = jerk(&desc);
    assert_true(free.is_converged && !free.is_over_budget);
    assert_true(free.iteration_count > 2 && free.change > 0 && free.change <= desc.tolerance);
    desc.iteration_limit = 2;
    const sn_body_step_stats limited = jerk(&desc);
    assert_true(!limited.is_converged && !limited.is_over_budget);
    assert_true(limited.iteration_count == 2 && limited.change > desc.tolerance);
    desc = body_desc();
    desc.budget_seconds = 1e-9;
    const sn_body_step_stats hurried = jerk(&desc);
    assert_true(!hurried.is_converged && hurried.is_over_budget);
    assert_true(hurried.iteration_count == 1 && hurried.change > limited.change);
    desc.budget_seconds = 100;
    const sn_body_step_stats unhurried = jerk(&desc);
    assert_true(unhurried.is_converged && unhurried.iteration_count == free.iteration_count);
}

/* Their sweeps have a fixed number. */
static void coupled_bodies_have_none(void **state)
{
    (void)state;
    const sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc desc = body_desc();
    sn_world_id world;
    sn_body_id body;
    desc.solver = SN_SOLVER_COUPLED;
    assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    sn_world_step(world, 1.0 / 60);
    const sn_body_step_stats effort = sn_body_last_step_stats(body);
    assert_true(effort.is_converged && !effort.is_over_budget && effort.iteration_count == 0 && effort.change == 0);
    sn_world_destroy(world);
}

int test_effort(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_ended_a_step), cmocka_unit_test(coupled_bodies_have_none)};
    return cmocka_run_group_tests(tests, load, unload);
}
