/* SPDX-License-Identifier: MIT */
/* The mesher on shapes whose answer is known: what it must hold, and the same bytes from the same input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "host/base/random.h"
#include "tests/mesher/mesher_test.h"

static void test_box(void **state)
{
    scene *s = *state;
    add_box(s, (double[]){-1, 0, 0}, (double[]){1, 3, 1}, 1);
    run(s);
    assert_true(fabs(inner_volume(s) - 6) < 0.04 * 6); /* the floor adds some where cells are coarse */
    assert_true(s->output.mesh.vertex_count > 850 && s->output.mesh.vertex_count < 1150);
}

/* An inside-out box with one triangle turned: orientation is repaired, and corners keep the input's order. */
static void test_flipped_box(void **state)
{
    scene *s = *state;
    add_box(s, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 2);
    for (int t = 0; t < s->input.triangle_count; ++t) {
        const int32_t corner = s->triangles[3 * t];
        if (t != 7) {
            s->triangles[3 * t] = s->triangles[3 * t + 1];
            s->triangles[3 * t + 1] = corner;
        }
    }
    run(s);
    assert_true(fabs(inner_volume(s) - 1) < 0.03);
}

static void test_sphere_volume(void **state)
{
    scene *s = *state;
    s->input.target_vertex_count = 0;
    add_sphere(s, 0.3, 7, 0, 1);
    run(s);
    /* the polyhedron's own volume is 1.2 per cent below the ball's */
    assert_true(fabs(inner_volume(s) / (4 * PI / 3) - 1) < 0.03);
    assert_true(s->output.mesh.vertex_count > 8000 && s->output.mesh.vertex_count < 12000);
}

static void test_open_sheet(void **state)
{
    scene *s = *state;
    for (int i = 0; i < 4; ++i) {
        add_vertex(s, i % 2, 0, i / 2);
    }
    add_triangle(s, 0, 1, 2);
    add_triangle(s, 2, 1, 3);
    run(s);
    /* one layer of cells, nothing is inside */
    const double h = s->output.report.cell_size;
    for (int n = 0; n < s->output.mesh.vertex_count; ++n) {
        assert_true(fabs(s->output.mesh.positions[3 * n + 1]) < 1.1 * h);
    }
}

static void test_one_triangle(void **state)
{
    scene *s = *state;
    s->input.target_vertex_count = 40;
    add_vertex(s, 5, 0, 0);
    add_vertex(s, 9, 9, 9); /* unused, far away */
    add_vertex(s, 6, 0, 0);
    add_vertex(s, 5, 1, 0);
    add_triangle(s, 0, 2, 3);
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_OK);
    assert_int_equal(s->output.report.component_count, 1);
    assert_int_equal(s->output.report.outside_count, 0);
    assert_true(s->output.mesh.tet_count > 0 && s->output.mesh.vertex_count < 100);
    assert_int_equal(s->output.vertex_tets[1], 0);
    check_topology(s);
}

static void test_flat_input_is_refused(void **state)
{
    scene *s = *state;
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_ERROR_FORMAT);
    add_vertex(s, 1, 1, 1);
    add_vertex(s, 2, 2, 2);
    add_vertex(s, 3, 3, 3);
    add_triangle(s, 0, 1, 2);
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_ERROR_FORMAT);
    s->triangles[1] = s->triangles[2] = 0;
    assert_int_equal(sn_mesher_run(&s->input, &s->arena, &s->output), SN_ERROR_FORMAT);
}

static void test_bridge_between_spheres(void **state)
{
    scene *s = *state;
    add_sphere(s, 0, 0, 0, 1);
    add_sphere(s, 3, 0.2, 0, 1);
    run(s);
    assert_int_equal(s->output.report.bridge_count, 1);
}

/* Hundreds of loose slivers that all go their own ways end as one piece of about the wanted size. */
static void test_soup_is_one_piece(void **state)
{
    scene *s = *state;
    uint64_t random = 5;
    for (int b = 0; b < LARGEST_BONE_COUNT; ++b) {
        add_bone(s, -1, b & 1, b >> 1, 0);
    }
    for (int t = 0; t < 1200; ++t) {
        double centre[3];
        for (int d = 0; d < 3; ++d) {
            centre[d] = sn_random_unit(&random);
        }
        s->bone = t % LARGEST_BONE_COUNT;
        for (int k = 0; k < 3; ++k) {
            add_vertex(s, centre[0] + 0.05 * sn_random_unit(&random), centre[1] + 0.05 * sn_random_unit(&random),
                       centre[2] + 0.05 * sn_random_unit(&random));
        }
        add_triangle(s, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    run(s);
    assert_true(s->output.mesh.vertex_count > 500 && s->output.mesh.vertex_count < 2000);
}

static void test_self_intersection(void **state)
{
    scene *s = *state;
    s->input.target_vertex_count = 3000;
    add_sphere(s, 0, 0, 0, 1);
    add_sphere(s, 1, 0, 0, 1);
    run(s);
    /* unskinned, both move as one: the lens is there once */
    const double lens = PI * (4 + 1) / 12;
    assert_true(fabs(inner_volume(s) / (8 * PI / 3 - lens) - 1) < 0.03);
    assert_int_equal(s->output.report.bridge_count, 0);
}

static uint64_t output_hash(const scene *s)
{
    const sn_mesher_output *o = &s->output;
    const size_t vertices = (size_t)s->input.vertex_count, nodes = (size_t)o->mesh.vertex_count;
    const size_t tets = (size_t)o->mesh.tet_count;
    uint64_t hash = sn_hash(SN_HASH_SEED, o->mesh.positions, 3 * nodes * sizeof(double));
    hash = sn_hash(hash, o->mesh.tets, 4 * tets * sizeof(int32_t));
    hash = sn_hash(hash, o->vertex_weights, 4 * vertices * sizeof(double));
    hash = sn_hash(hash, o->tet_fill, tets * sizeof(double));
    hash = sn_hash(hash, o->node_barycentric, 3 * nodes * sizeof(double));
    hash = sn_hash(hash, o->vertex_tets, vertices * sizeof(int32_t));
    return sn_hash(hash, o->node_triangles, nodes * sizeof(int32_t));
}

static void test_same_input_same_bytes(void **state)
{
    scene *s = *state;
    add_slabs(s, 0, 1);
    run(s);
    const uint64_t first = output_hash(s);
    run(s);
    assert_true(output_hash(s) == first);
}

static bool count_down(void *user)
{
    int *calls = user;
    return --*calls < 0;
}

/* Whenever it is asked to stop, it stops, and gives everything back. */
static void test_cancel(void **state)
{
    scene *s = *state;
    add_slabs(s, 0, 1);
    s->input.target_vertex_count = 200;
    s->input.is_cancelled = count_down;
    for (int calls = 0;; ++calls) {
        int left = calls;
        const size_t before = sn_allocated_bytes();
        s->input.cancel_user = &left;
        sn_arena_finish(&s->arena);
        const size_t held = sn_allocated_bytes();
        const sn_result result = sn_mesher_run(&s->input, &s->arena, &s->output);
        assert_true(held <= before);
        if (result == SN_OK) {
            assert_true(calls > 2);
            return;
        }
        assert_int_equal(result, SN_ERROR_CANCELLED);
        assert_true(sn_allocated_bytes() == held);
    }
}

int test_mesher(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_box, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flipped_box, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sphere_volume, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open_sheet, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_triangle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_flat_input_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bridge_between_spheres, setup, teardown),
        cmocka_unit_test_setup_teardown(test_soup_is_one_piece, setup, teardown),
        cmocka_unit_test_setup_teardown(test_self_intersection, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_input_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
