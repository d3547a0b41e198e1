/* SPDX-License-Identifier: MIT */
/* What a game can hand coupled bodies, and a tool their rigs, that is wrong: refused with one line, or counted, and
 * over in the end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/coupled_bar.h"

static void a_model_of_no_modes_is_coupled_alone(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = cook_ends();
    assert_int_equal(sn_model_mode_count(desc.model), 0);
    assert_int_equal(sn_model_cluster_count(desc.model), 0);
    begin_log();
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_UNSUPPORTED);
    assert_one_error("modes");
    sn_world_destroy(world);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_model *model = cook_ends();
    for (int i = 0; i < 6; ++i) {
        sn_body_desc desc = sn_default_body_desc();
        sn_body_id body;
        desc.model = model;
        desc.solver = i == 5 ? (sn_body_solver)7 : SN_SOLVER_COUPLED;
        desc.substep_count = i == 0 ? -1 : 15;
        desc.sweep_count = i == 1 ? 100000 : 1;
        desc.poisson = i == 2 ? 0.5 : i == 3 ? (double)NAN : 0.3;
        desc.compliance = i == 4 ? -1 : 0;
        begin_log();
        assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT);
        assert_int_equal(logged.errors, 1);
    }
    sn_world_destroy(world);
}

static void bad_targets_are_refused_and_over(void **state)
{
    (void)state;
    static const float bad[] = {(float)NAN, INFINITY, -INFINITY, 1e30F};
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    sn_body_set_locks(body, 1, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        sn_mat3x4 pose = identity;
        pose.m[1][3] = bad[i];
        sn_body_set_bone_pose(body, 0, &pose);
        sn_world_step(world, STEP);
        sn_body_set_bone_pose(body, 0, &identity);
        run(world, 3);
        const sn_mat3x4 *m = sn_body_output(body).matrices;
        for (int k = 0; k < 24; ++k) {
            assert_true(isfinite(m[k / 12].m[k % 12 / 4][k % 4]) && fabsf(m[k / 12].m[k % 12 / 4][k % 4]) < 100);
        }
    }
    sn_world_destroy(world);
}

/* Dragged about wildly, at up to 600 units a second: what explodes is counted; in the end it rests again. */
static void violence_ends(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    uint32_t seed = 1;
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 5;
    desc.is_rigid_damped = true;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    sn_body_set_locks(body, 1, 0);
    for (int i = 0; i < 120; ++i) {
        seed = seed * 1664525 + 1013904223;
        const sn_mat3x4 pose = turned((seed >> 8) % 7, (double)(seed >> 16) / 6000 - 5);
        sn_body_set_bone_pose(body, 0, &pose);
        sn_world_step(world, STEP);
    }
    sn_body_set_bone_pose(body, 0, &identity);
    for (int i = 0; i < 300; ++i) {
        sn_world_step(world, STEP);
    }
    double place[3];
    bone_place(body, 1, place);
    assert_true(fabs(place[0] - LENGTH) < 0.05 && fabs(place[1] - 0.25) < 0.05 && fabs(place[2] - 0.25) < 0.05);
    sn_world_destroy(world);
}

/* ---- handles that are wrong ---- */

static void expect_refused(const sn_model *model, const sn_cook_rig_desc *desc, const char *part)
{
    sn_blob blob;
    begin_log();
    assert_int_equal(sn_cook_rig(model, desc, &blob), SN_ERROR_ARGUMENT);
    assert_one_error(part);
    assert_null(blob.bytes);
}

static void bad_handles_have_a_line(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    sn_cook_handle h[3] = {point("a", 0, 0.25, 0.25), point("b", LENGTH, 0.25, 0.25), point("c", 9, 9, 9)};
    sn_cook_rig_desc desc = {.handles = {.name = "edit", .count = 3, .handles = h}};
    expect_refused(model, &desc, "'c'"); /* outside */
    h[2] = point("c", LENGTH, 0.25, 0.25);
    expect_refused(model, &desc, "'c'"); /* two at one place */
    h[2] = point("c", NAN, 0, 0);
    expect_refused(model, &desc, "handles[2]");
    h[2] = point("c", 1, 0.25, 0.25);
    h[2].parent = 2;
    expect_refused(model, &desc, "handles[2]");
    h[2].parent = 1;
    h[1].parent = 2;
    expect_refused(model, &desc, "handles[1]: cycle of parents");
    h[1].parent = -1;
    h[2].parent = 3;
    expect_refused(model, &desc, "parent");
    desc.handles.count = 0;
    expect_refused(model, &desc, "0 handles");
}

/* On a flat sheet: a loop that crosses itself. */
static const sn_model *cook_sheet(const sn_cook_handles *handles, sn_result expected)
{
    sn_arena arena = {0};
    const sn_tet_mesh sheet = sn_test_sheet(&arena, 16, 8, 0.125, 0);
    int32_t *triangles = SN_NEW(&arena, int32_t, 3 * sheet.tet_count);
    for (int i = 0; i < 3 * sheet.tet_count; ++i) {
        triangles[i] = sheet.tets[4 * (i / 3) + i % 3];
    }
    const sn_cook_mesh_input input = {.name = "sheet",
                                      .vertex_count = sheet.vertex_count,
                                      .positions = sheet.positions,
                                      .triangle_count = sheet.tet_count,
                                      .triangles = triangles};
    sn_cook_desc desc = cook_desc(handles);
    sn_blob blob;
    desc.is_flat = true;
    assert_int_equal(sn_cook_mesh(&input, &desc, &blob, NULL), expected);
    sn_arena_finish(&arena);
    return expected == SN_OK ? keep(blob) : NULL;
}

static sn_cook_handle cage_vertex(double x, double y)
{
    return (sn_cook_handle){.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1, .start = {x, y, 0}};
}

static void a_flat_body_has_a_cage(void **state)
{
    (void)state;
    const sn_cook_handle corners[4] = {cage_vertex(0, 0), cage_vertex(2, 0), cage_vertex(2, 1), cage_vertex(0, 1)};
    static const int32_t loop[8] = {0, 1, 1, 2, 2, 3, 3, 0}, crossed[8] = {0, 2, 2, 1, 1, 3, 3, 0};
    sn_cook_handles list = {.count = 4, .handles = corners, .edge_count = 4, .edges = crossed};
    begin_log();
    cook_sheet(&list, SN_ERROR_ARGUMENT);
    assert_one_error("crosses");
    list.edges = loop;
    const sn_model *model = cook_sheet(&list, SN_OK);
    assert_true(sn_model_is_flat(model) && sn_model_is_bone_translation_only(model, 3));
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, down);
    sn_body_set_locks(body, 1, 0);
    sn_body_set_locks(body, 2, 0);
    run(world, 20);
    double place[3];
    bone_place(body, 0, place);
    assert_true(fabs(place[0]) < 1e-6 && fabs(place[1]) < 1e-6);
    bone_place(body, 2, place);
    assert_true(place[1] < 0.95 && place[2] == 0);
    const sn_mat3x4 *m = &sn_body_output(body).matrices[2];
    assert_true(m->m[0][0] == 1 && m->m[0][1] == 0 && m->m[1][0] == 0 && m->m[1][1] == 1);
    sn_world_destroy(world);
}

static bool stop(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static void cooking_a_rig_is_cancelled(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    const sn_cook_handle h[2] = {point("a", 0, 0.25, 0.25), point("b", LENGTH, 0.25, 0.25)};
    int left = 1;
    const sn_cook_rig_desc desc = {.handles = {.count = 2, .handles = h}, .is_cancelled = stop, .cancel_user = &left};
    sn_blob blob;
    assert_int_equal(sn_cook_rig(model, &desc, &blob), SN_ERROR_CANCELLED);
    assert_null(blob.bytes);
}

int test_coupled_wrong(void)
{
    const struct CMUnitTest tests[] = {COUPLED_TEST(a_model_of_no_modes_is_coupled_alone),
                                       COUPLED_TEST(bad_parameters_are_refused),
                                       COUPLED_TEST(bad_targets_are_refused_and_over),
                                       COUPLED_TEST(violence_ends),
                                       COUPLED_TEST(bad_handles_have_a_line),
                                       COUPLED_TEST(a_flat_body_has_a_cage),
                                       COUPLED_TEST(cooking_a_rig_is_cancelled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
