/* SPDX-License-Identifier: MIT */
/* Bones as segments: from joint to joint, into flesh where nothing else goes, none of what moves nothing; and what that
 * makes of characters of others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/colliders/bone_lines.h"
#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"

#define JOINTS 4

static sn_cook_desc desc;

/* A bar from 0 to 6 along x, whose first half moves with joint 0, its second with joint 1; joint 2 moves nothing, joint
 * 3 hangs on nothing. */
static sn_model *cook_bar(sn_cook_context *k, const double *at)
{
    sn_model *model = NULL;
    *k = (sn_cook_context){.path = NULL};
    k->mesh = sn_test_bar(&k->arena, 24, 4, 4, 0.25);
    const size_t n = (size_t)k->mesh.vertex_count;
    sn_rig_file rig = {.is_volume = true, .vertex_count = (int)n, .bone_count = JOINTS, .corner_count = 3};
    rig.positions = SN_NEW(&k->arena, double, 3 * n);
    rig.weights = SN_NEW(&k->arena, double, JOINTS *n);
    rig.parents = SN_NEW(&k->arena, int32_t, JOINTS);
    rig.bind = SN_NEW(&k->arena, double, 12 * JOINTS);
    memcpy(rig.positions, k->mesh.positions, 3 * n * sizeof(double));
    for (int b = 0; b < JOINTS; ++b) {
        rig.parents[b] = b == 3 ? -1 : b - 1;
        sn_affine_identity(rig.bind + 12 * b);
        rig.bind[12 * b + 3] = at[b];
        rig.bind[12 * b + 7] = rig.bind[12 * b + 11] = 0.5;
    }
    for (size_t v = 0; v < n; ++v) {
        rig.weights[JOINTS * v + (k->mesh.positions[3 * v] > 3)] = 1;
    }
    k->rig = rig;
    k->has_rig = true;
    desc = sn_default_cook_desc();
    desc.is_layered = true;
    desc.units = SN_UNITS_KEEP;
    assert_int_equal(sn_cook_context_run(k, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load(k->bytes, k->size, &model), SN_OK);
    return model;
}

static void assert_line(const sn_bone_line *line, int bone, double from, double to, double tolerance)
{
    assert_int_equal(line->bone, bone);
    assert_true(fabs(line->start[0] - from) < tolerance && fabs(line->end[0] - to) < tolerance);
    for (int d = 1; d < 3; ++d) {
        assert_true(fabs(line->start[d] - 0.5) < 1e-6 && fabs(line->end[d] - 0.5) < 0.02);
    }
}

static void test_joints_and_flesh(void **state)
{
    (void)state;
    const double at[JOINTS] = {0.5, 3, 5.5, 2};
    sn_cook_context k;
    sn_bone_lines lines;
    sn_model *model = cook_bar(&k, at);
    assert_int_equal(sn_bone_lines_build(&k, model, &lines), SN_OK);
    assert_int_equal(lines.count, 2);
    assert_line(&lines.list[0], 0, 0.5, 3, 1e-6);
    assert_line(&lines.list[1], 1, 3, 5.5, 1e-6); /* to the joint that moves nothing, past the middle of its flesh */
    assert_true(lines.flesh[2] == 0 && lines.flesh[3] == 0 && fabs(lines.flesh[0] / lines.flesh[1] - 1) < 0.1);
    sn_model_release(model);
    sn_cook_context_finish(&k);
    /* a joint in the middle of its flesh, from which no way leads there: along the flesh */
    const double beside[JOINTS] = {1.6, 4.55, 4.55, 2};
    model = cook_bar(&k, beside);
    assert_int_equal(sn_bone_lines_build(&k, model, &lines), SN_OK);
    assert_int_equal(lines.count, 2);
    assert_line(&lines.list[0], 0, 1.6, 4.55, 1e-6);
    const double end = lines.list[1].end[0];
    assert_line(&lines.list[1], 1, 4.55, end, 1e-6);
    assert_true(fabs(fabs(end - 4.56) - 0.83) < 0.05);
    /* a joint beside its flesh: over to its middle, and on */
    sn_model_release(model);
    sn_cook_context_finish(&k);
    const double away[JOINTS] = {0.5, 2, 2, 2};
    model = cook_bar(&k, away);
    assert_int_equal(sn_bone_lines_build(&k, model, &lines), SN_OK);
    assert_line(&lines.list[lines.count - 1], 1, 2, 4.56 + 0.83, 0.05);
    sn_model_release(model);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Each bone that has flesh of its own, of any size, carries some of it, and no tet hangs on two. */
static void check_character(const char *name)
{
    char path[512];
    sn_cook_context k = {.path = NULL};
    snprintf(path, sizeof path, "%s/rigged/%s", SN_SHARED_DATA, name);
    desc = sn_default_cook_desc();
    desc.is_layered = true;
    desc.tet_vertex_count = 3000;
    assert_int_equal(sn_cook_context_run(&k, path, &desc), SN_OK);
    const size_t b = (size_t)k.bone_count;
    assert_true(k.report.attached_vertex_count > 50 && k.report.attached_vertex_count < k.mesh.vertex_count / 5);
    for (size_t bone = 0; bone < b; ++bone) {
        int own = 0, carried = 0;
        for (size_t v = 0; v < (size_t)k.mesh.vertex_count; ++v) {
            own += k.rig_weights[v * b + bone] > 0.9;
            carried += k.attached_bones[v] == (int32_t)bone;
        }
        assert_true(own < 40 || carried >= 4);
    }
    for (int i = 0; i < 16 * k.mesh.tet_count; ++i) {
        const int32_t *tet = k.mesh.tets + 4 * (i / 16);
        const int32_t one = k.attached_bones[tet[i / 4 % 4]], other = k.attached_bones[tet[i % 4]];
        assert_true(one < 0 || other < 0 || one == other);
    }
    sn_cook_context_finish(&k);
}

static void test_characters_of_others(void **state)
{
    (void)state;
    static const char *const names[] = {"CesiumMan.glb", "Fox.glb", "KayKit_Knight.glb"};
    if (access(SN_SHARED_DATA "/rigged/CesiumMan.glb", R_OK) != 0) {
        print_message("%s is absent\n", SN_SHARED_DATA);
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        check_character(names[i]);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_bone_lines(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_joints_and_flesh),
                                       cmocka_unit_test(test_characters_of_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
