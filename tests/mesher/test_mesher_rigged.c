/* SPDX-License-Identifier: MIT */
/* The mesher on surfaces that follow bones: what it must join, and what it must keep apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/mesher/mesher_test.h"

static bool tet_is_shared(const scene *s, int vertex, int first, int end)
{
    for (int v = first; v < end; ++v) {
        if (s->output.vertex_tets[v] == s->output.vertex_tets[vertex]) {
            return true;
        }
    }
    return false;
}

/* Two thighs that overlap, each far below the hip: bridges go up to it, although the other thigh is nearer. */
static void test_legs_hang_on_the_hip(void **state)
{
    scene *s = *state;
    s->input.target_vertex_count = 3000;
    add_bone(s, -1, 0, 4, 0);
    add_bone(s, 0, -0.5, 4, 0);
    add_bone(s, 0, 0.5, 4, 0);
    add_box(s, (double[]){-1.5, 3.5, -1}, (double[]){1.5, 4.5, 1}, 4);
    for (s->bone = 1; s->bone <= 2; ++s->bone) {
        add_sphere(s, s->bone == 1 ? -0.5 : 0.5, 0, 0, 1);
    }
    run(s);
    const int right = s->input.vertex_count - 25 * 33, left = right - 25 * 33;
    for (int v = left; v < right; ++v) {
        assert_false(tet_is_shared(s, v, right, s->input.vertex_count));
    }
    assert_int_equal(s->output.report.bridge_count, 2);
    assert_int_equal(s->output.report.glued_count, 0);
    assert_int_equal(s->output.report.torn_count, 0);
    assert_int_equal(s->output.report.stretch_count, 0);
}

/* They touch, but rotate apart: far from the joint nothing is common, and at the joint they are one piece. */
static void test_limb_beside_torso(void **state)
{
    scene *s = *state;
    add_slabs(s, 0, 1);
    run(s);
    const int half = s->input.vertex_count / 2;
    for (int v = 0; v < half; ++v) {
        assert_true(s->positions[3 * v + 1] > 2.5 || !tet_is_shared(s, v, half, s->input.vertex_count));
    }
    assert_int_equal(s->output.report.torn_count, 0);
    assert_int_equal(s->output.report.bridge_count, 0);
}

/* The plain lattice ties the same two, and the measures say so. */
static void test_measures_see_glue(void **state)
{
    scene *s = *state;
    add_slabs(s, 0.02, 1);
    assert_int_equal(sn_mesher_run_variant(&s->input, true, &s->arena, &s->output), SN_OK);
    const sn_mesher_report plain = s->output.report;
    run(s);
    assert_true(plain.glued_count > 50 && plain.torn_count > 50 && plain.stretch_count > 50);
    assert_true(10 * s->output.report.glued_count < plain.glued_count);
    assert_true(10 * s->output.report.torn_count < plain.torn_count);
    assert_true(3 * s->output.report.stretch_count < plain.stretch_count);
}

static void test_layers_of_one_bone_weld(void **state)
{
    scene *s = *state;
    add_slabs(s, -0.1, 0);
    run(s);
    const int tet_count = s->output.mesh.tet_count, vertex_count = s->output.mesh.vertex_count;
    assert_int_equal(sn_mesher_run_variant(&s->input, true, &s->arena, &s->output), SN_OK);
    assert_int_equal(s->output.mesh.tet_count, tet_count);
    assert_int_equal(s->output.mesh.vertex_count, vertex_count);
}

static void test_seam_stays_closed(void **state)
{
    scene *s = *state;
    const double centre[3] = {0.1, 0.2, 0.3}, size[2] = {0.5, 3};
    add_bone(s, -1, 0, 0, -1.5);
    add_bone(s, 0, 0, 0, 0.3);
    add_grid(s, 21, 17, place_on_cylinder, centre, size);
    for (int v = 0; v < s->input.vertex_count; ++v) {
        s->influence_bones[v] = s->positions[3 * v + 2] > 0.3;
    }
    run(s);
    for (int i = 0; i < 21; ++i) {
        const int a = 17 * i, b = a + 16;
        assert_memory_equal(s->positions + 3 * a, s->positions + 3 * b, 3 * sizeof(double));
        assert_int_equal(s->output.vertex_tets[a], s->output.vertex_tets[b]);
        assert_memory_equal(s->output.vertex_weights + 4 * a, s->output.vertex_weights + 4 * b, 4 * sizeof(double));
    }
}

/* A neck and a shoulder are near each other, though the joint of the chest that holds both is far from either; two feet
 * are as far apart as both legs and the hip are long. */
static void test_way_along_rig(void **state)
{
    scene *s = *state;
    add_bone(s, -1, 0, 0, 0);
    add_bone(s, 0, 0, 10, 0);
    add_bone(s, 0, 1, 10, 0);
    add_bone(s, 2, 1, 4, 0);
    add_sphere(s, 0, 5, 0, 5);
    sn_surface surface;
    sn_paths paths;
    assert_int_equal(sn_surface_weld(&s->input, &s->arena, &surface), SN_OK);
    assert_int_equal(sn_paths_start(&surface, &s->arena, &paths), SN_OK);
    sn_surface_sample neck = {.bone = 1}, shoulder = {.bone = 2}, elbow = {.bone = 3}, chest = {.bone = 0};
    const double places[4][3] = {{0, 10, 0}, {1, 10, 0.5}, {1, 4, 0.5}, {0, 2, 0.5}};
    sn_surface_sample *spots[4] = {&neck, &shoulder, &elbow, &chest};
    for (int i = 0; i < 4; ++i) {
        for (int d = 0; d < 3; ++d) {
            spots[i]->position[d] = (places[i][d] - surface.origin[d]) / surface.scale;
        }
    }
    assert_true(fabs(sn_paths_along_rig(&paths, &neck, &shoulder) * surface.scale - 1) < 1e-9);
    assert_true(fabs(sn_paths_along_rig(&paths, &elbow, &neck) * surface.scale - 7) < 1e-9);
    assert_true(fabs(sn_paths_along_rig(&paths, &neck, &chest) * surface.scale - 8) < 1e-9);
    assert_true(fabs(sn_paths_along_rig(&paths, &elbow, &elbow)) < 1e-9);
}

int test_mesher_rigged(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_legs_hang_on_the_hip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_way_along_rig, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limb_beside_torso, setup, teardown),
        cmocka_unit_test_setup_teardown(test_measures_see_glue, setup, teardown),
        cmocka_unit_test_setup_teardown(test_layers_of_one_bone_weld, setup, teardown),
        cmocka_unit_test_setup_teardown(test_seam_stays_closed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
