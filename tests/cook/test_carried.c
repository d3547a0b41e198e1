/* SPDX-License-Identifier: MIT */
/* Which vertices bones carry: along their lines, not around joints, in every piece, of every kind of rig. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

/* A bar from (0, 0, 0) to (6, 1, 1), and beside it, with gap > 0, its like. */
static void make_bars(sn_cook_context *k, double gap)
{
    const sn_tet_mesh bar = sn_test_bar(&k->arena, 24, 4, 4, 0.25);
    const size_t n = (size_t)bar.vertex_count, t = (size_t)bar.tet_count, copies = gap > 0 ? 2 : 1;
    k->mesh = (sn_tet_mesh){.vertex_count = (int)(copies * n),
                            .tet_count = (int)(copies * t),
                            .positions = SN_NEW(&k->arena, double, 3 * n * copies),
                            .tets = SN_NEW(&k->arena, int32_t, 4 * t * copies)};
    for (size_t i = 0; i < 3 * n * copies; ++i) {
        k->mesh.positions[i] = bar.positions[i % (3 * n)] + (i >= 3 * n && i % 3 == 2 ? gap : 0);
    }
    for (size_t i = 0; i < 4 * t * copies; ++i) {
        k->mesh.tets[i] = bar.tets[i % (4 * t)] + (i >= 4 * t ? (int32_t)n : 0);
    }
}

static sn_result cook(sn_cook_context *k, double gap, const sn_cook_handles *handles)
{
    static sn_cook_desc desc;
    desc = sn_default_cook_desc();
    desc.is_layered = true;
    desc.units = SN_UNITS_KEEP;
    desc.handles = handles;
    *k = (sn_cook_context){.path = NULL};
    make_bars(k, gap);
    begin_log();
    const sn_result result = sn_cook_context_run(k, "bar", &desc);
    sn_set_log(NULL, NULL);
    return result;
}

static int count_of(const sn_cook_context *k, int bone)
{
    int count = 0;
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        count += k->attached_bones[v] == bone;
    }
    return count;
}

/* Two bones in a line: each carries what is around it, nothing near the joint, of radius .5, and none beyond. */
static void test_joints_are_free(void **state)
{
    (void)state;
    const sn_cook_handle bones[2] = {
        {.shape = SN_HANDLE_SHAPE_BONE, .name = "upper", .parent = -1, .start = {0.3, 0.5, 0.5}, .end = {3, 0.5, 0.5}},
        {.shape = SN_HANDLE_SHAPE_BONE, .name = "lower", .parent = 0, .start = {3, 0.5, 0.5}, .end = {5.7, 0.5, 0.5}}};
    const sn_cook_handles handles = {.count = 2, .handles = bones};
    sn_cook_context k;
    assert_int_equal(cook(&k, 0, &handles), SN_OK);
    assert_true(count_of(&k, 0) > 20 && count_of(&k, 1) > 20);
    assert_int_equal(k.report.attached_vertex_count, count_of(&k, 0) + count_of(&k, 1));
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const double *x = k.mesh.positions + 3 * v, off = hypot(x[1] - 0.5, x[2] - 0.5);
        const int32_t bone = k.attached_bones[v];
        assert_true(bone < 0 || off < 0.36); /* of a tet that the line meets */
        assert_true(bone < 0 || (bone == 0) == (x[0] < 3));
        assert_true(bone < 0 || sn_distance3(x, bones[1].start) > 0.45);
        if (off < 0.01 && x[0] > 0.6 && x[0] < 2.4) { /* on the line itself */
            assert_int_equal(bone, 0);
        }
    }
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_true(sn_model_is_layered(model) && model->strain_type == SN_STRAIN_GLOBAL);
    assert_int_equal(sn_model_mode_count(model), 0);
    assert_memory_equal(model->strain_attached_bones, k.attached_bones, (size_t)k.mesh.vertex_count * sizeof(int32_t));
    sn_model_release(model);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void assert_none_torn(const sn_cook_context *k)
{
    for (int i = 0; i < 16 * k->mesh.tet_count; ++i) {
        const int32_t *tet = k->mesh.tets + 4 * (i / 16);
        const int32_t a = k->attached_bones[tet[i / 4 % 4]], b = k->attached_bones[tet[i % 4]];
        assert_true(a < 0 || b < 0 || a == b);
    }
}

/* Bones that meet without being joined: no tet hangs on both. */
static void test_no_tet_hangs_on_two(void **state)
{
    (void)state;
    const sn_cook_handle bones[2] = {
        {.shape = SN_HANDLE_SHAPE_BONE, .parent = -1, .start = {0.3, 0.5, 0.5}, .end = {2.9, 0.5, 0.5}},
        {.shape = SN_HANDLE_SHAPE_BONE, .parent = -1, .start = {3.1, 0.5, 0.5}, .end = {5.7, 0.5, 0.5}}};
    const sn_cook_handles handles = {.count = 2, .handles = bones};
    sn_cook_context k;
    assert_int_equal(cook(&k, 0, &handles), SN_OK);
    double nearest = 6;
    assert_none_torn(&k);
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        nearest = k.attached_bones[v] >= 0 ? fmin(nearest, fabs(k.mesh.positions[3 * v] - 3)) : nearest;
    }
    assert_true(nearest < 0.6); /* and no more is free than must be */
    sn_cook_context_finish(&k);
}

/* A radius is all that it holds; a point carries its tets; short bones keep their middle. */
static void test_kinds_of_handles(void **state)
{
    (void)state;
    sn_cook_handle bones[8] = {
        {.shape = SN_HANDLE_SHAPE_BONE, .parent = -1, .start = {1, 0.5, 0.5}, .end = {2, 0.5, 0.5}, .radius = 0.51},
        {.shape = SN_HANDLE_SHAPE_POINT, .parent = -1, .start = {5, 0.5, 0.5}}};
    sn_cook_handles handles = {.count = 2, .handles = bones};
    sn_cook_context k;
    assert_int_equal(cook(&k, 0, &handles), SN_OK);
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const double *x = k.mesh.positions + 3 * v;
        if (x[0] >= 1 && x[0] <= 2 && hypot(x[1] - 0.5, x[2] - 0.5) < 0.5) {
            assert_int_equal(k.attached_bones[v], 0);
        }
        assert_true(k.attached_bones[v] != 1 || sn_distance3(x, bones[1].start) < 0.5);
    }
    assert_true(count_of(&k, 1) >= 4);
    sn_cook_context_finish(&k);
    for (int i = 0; i < 8; ++i) { /* of .7 each, whose joints are .5 below the skin */
        bones[i] = (sn_cook_handle){.shape = SN_HANDLE_SHAPE_BONE,
                                    .parent = i - 1,
                                    .start = {0.2 + 0.7 * i, 0.5, 0.5},
                                    .end = {0.9 + 0.7 * i, 0.5, 0.5}};
    }
    handles.count = 8;
    assert_int_equal(cook(&k, 0, &handles), SN_OK);
    assert_none_torn(&k);
    for (int i = 0; i < 8; ++i) {
        assert_true(count_of(&k, i) > 0);
    }
    sn_cook_context_finish(&k);
}

/* Bones as short as tets, all of whose own vertices are torn: they get others, as far as that tears nothing. */
static void test_what_is_held_is_not_torn(void **state)
{
    (void)state;
    sn_cook_handle bones[18];
    const sn_cook_handles handles = {.count = 18, .handles = bones};
    for (int i = 0; i < 18; ++i) {
        bones[i] = (sn_cook_handle){.shape = SN_HANDLE_SHAPE_BONE,
                                    .parent = i - 1,
                                    .start = {0.3 + 0.3 * i, 0.5, 0.5},
                                    .end = {0.6 + 0.3 * i, 0.5, 0.5}};
    }
    sn_cook_context k;
    int carrying = 0;
    assert_int_equal(cook(&k, 0, &handles), SN_OK);
    assert_none_torn(&k);
    for (int i = 0; i < 18; ++i) {
        carrying += count_of(&k, i) > 0;
    }
    assert_true(carrying >= 9);
    sn_cook_context_finish(&k);
}

/* No rig: along the body's axis. Two pieces: each is held. */
static void test_every_piece_is_held(void **state)
{
    (void)state;
    sn_cook_context k;
    assert_int_equal(cook(&k, 0, NULL), SN_OK);
    double low = 6, high = 0;
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const double *x = k.mesh.positions + 3 * v;
        assert_true(k.attached_bones[v] <= 0);
        if (k.attached_bones[v] == 0) {
            assert_true(hypot(x[1] - 0.5, x[2] - 0.5) < 0.36);
            low = fmin(low, x[0]);
            high = fmax(high, x[0]);
        }
    }
    assert_true(low > 1 && low < 1.6 && high > 4.4 && high < 5); /* 3 -+ 6 / sqrt(12), and a tet */
    sn_cook_context_finish(&k);
    const sn_cook_handle bone = {
        .shape = SN_HANDLE_SHAPE_BONE, .parent = -1, .start = {1, 0.5, 0.5}, .end = {5, 0.5, 0.5}};
    const sn_cook_handles handles = {.count = 1, .handles = &bone};
    assert_int_equal(cook(&k, 2, &handles), SN_OK);
    const int half = k.mesh.vertex_count / 2;
    int beside = 0;
    for (int v = half; v < 2 * half; ++v) {
        beside += k.attached_bones[v] == 0;
    }
    assert_int_equal(beside, 4);
    assert_true(k.report.attached_vertex_count > 50);
    sn_cook_context_finish(&k);
}

/* Cages carry nothing; and what cannot be a layered body is said. */
static void test_refusals(void **state)
{
    (void)state;
    static const int32_t starts[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t corners[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    sn_cook_handle cage[8] = {{.parent = -1}};
    for (int i = 0; i < 8; ++i) {
        cage[i] = (sn_cook_handle){
            .shape = SN_HANDLE_SHAPE_CAGE, .parent = -1, .start = {i & 1 ? 7 : -1, i & 2 ? 2 : -1, i & 4 ? 2 : -1}};
    }
    const sn_cook_handles handles = {
        .name = "box", .count = 8, .handles = cage, .face_count = 6, .face_starts = starts, .face_corners = corners};
    sn_cook_context k;
    assert_int_equal(cook(&k, 0, &handles), SN_ERROR_ARGUMENT);
    assert_non_null(strstr(logged.last_error, "box: no bone for flesh to be attached to"));
    sn_cook_context_finish(&k);
    for (int i = 0; i < 2; ++i) {
        sn_cook_desc desc = sn_default_cook_desc();
        desc.is_layered = true;
        desc.is_flat = i == 0;
        desc.is_coupled = i == 1;
        k = (sn_cook_context){.path = NULL};
        make_bars(&k, 0);
        begin_log();
        assert_int_equal(sn_cook_context_run(&k, "bar", &desc), SN_ERROR_ARGUMENT);
        assert_non_null(strstr(logged.last_error, i == 0 ? "bar: a flat body" : "not both"));
        assert_int_equal(logged.errors, 1);
        sn_set_log(NULL, NULL);
        sn_cook_context_finish(&k);
    }
}

int test_carried(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_are_free),          cmocka_unit_test(test_no_tet_hangs_on_two),
        cmocka_unit_test(test_kinds_of_handles),         cmocka_unit_test(test_every_piece_is_held),
        cmocka_unit_test(test_what_is_held_is_not_torn), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
