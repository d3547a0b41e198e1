/* SPDX-License-Identifier: MIT */
/* The mesher on real characters: what the report counts must not become more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/stages/stages.h"

typedef struct expectation {
    const char *name;
    int bridge_count, stretch_count; /* the latter at most */
} expectation;

static const expectation expectations[] = {
    {"Fox.glb", 0, 15},           {"CesiumMan.glb", 0, 2},
    {"KayKit_Knight.glb", 0, 90}, /* its cape and arms share tets */
    {"Godette_vrm_v4.vrm", 0, 8}, {"vrm1_example.vrm", 9, 6},
    {"vrm0_sphere.vrm", 0, 2},
};

static void check(const expectation *expected)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/rigged/%s", SN_SHARED_DATA, expected->name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        skip();
    }
    fclose(file);
    const sn_cook_desc desc = sn_default_cook_desc();
    sn_cook_context k = {.path = path, .desc = &desc};
    assert_int_equal(sn_cook_context_read(&k), SN_OK);
    assert_int_equal(sn_cook_context_build_mesh(&k), SN_OK);
    assert_true(k.mesh.vertex_count > 8000 && k.mesh.vertex_count < 12000);
    assert_int_equal(k.report.component_count, 1);
    assert_int_equal(k.report.outside_count, 0);
    assert_int_equal(k.report.glued_count, 0);
    assert_int_equal(k.report.torn_count, 0);
    assert_int_equal(k.report.bridge_count, expected->bridge_count);
    assert_true(k.report.stretch_count <= expected->stretch_count);
    sn_cook_context_finish(&k);
}

static void test_character(void **state)
{
    check(*state);
}

int test_mesher_characters(void)
{
    enum { COUNT = sizeof expectations / sizeof *expectations };
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        tests[i] = (struct CMUnitTest)cmocka_unit_test_prestate(test_character, (void *)&expectations[i]);
        tests[i].name = expectations[i].name;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
