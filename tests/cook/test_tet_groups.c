/* SPDX-License-Identifier: MIT */
/* What a sidecar says of the physical groups of a Gmsh mesh. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

#define MESH SN_BINARY_DIR "/tet_groups.msh"
#define BOX SN_BINARY_DIR "/tet_groups.obj"
#define BOX_MATERIALS SN_BINARY_DIR "/tet_groups.mtl"
#define SIDECAR SN_BINARY_DIR "/tet_groups.sinew.json"
#define STEP 0.25
enum { NX = 6, NY = 2, NZ = 2 };

/* A third of the bar's tets each: fat, bone, none. */
static int group_of(int tet)
{
    return tet / 6 % NX / 2;
}

static void write_bar(void)
{
    sn_arena arena = {0};
    const sn_tet_mesh bar = sn_test_bar(&arena, NX, NY, NZ, STEP);
    FILE *file = fopen(MESH, "w");
    assert_non_null(file);
    fprintf(file,
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n3 1 \"fat\"\n3 2 \"a bone\"\n"
            "3 3 \"fat\"\n3 4 \"void\"\n"
            "$EndPhysicalNames\n$Nodes\n%d\n",
            bar.vertex_count);
    for (int v = 0; v < bar.vertex_count; ++v) {
        fprintf(file, "%d %.17g %.17g %.17g\n", v + 1, bar.positions[3 * v], bar.positions[3 * v + 1],
                bar.positions[3 * v + 2]);
    }
    fprintf(file, "$EndNodes\n$Elements\n%d\n", bar.tet_count);
    for (int t = 0; t < bar.tet_count; ++t) {
        fprintf(file, "%d 4 2 %d 1 %d %d %d %d\n", t + 1, (group_of(t) + 1) % 3, bar.tets[4 * t] + 1,
                bar.tets[4 * t + 1] + 1, bar.tets[4 * t + 2] + 1, bar.tets[4 * t + 3] + 1);
    }
    fprintf(file, "$EndElements\n");
    assert_int_equal(fclose(file), 0);
    sn_arena_finish(&arena);
}

/* The bar's sides, all of the material fat. */
static void write_box(void)
{
    static const int sides[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
    FILE *file = fopen(BOX_MATERIALS, "w");
    assert_non_null(file);
    fprintf(file, "newmtl fat\n");
    assert_int_equal(fclose(file), 0);
    file = fopen(BOX, "w");
    assert_non_null(file);
    fprintf(file, "mtllib tet_groups.mtl\nusemtl fat\n");
    for (int v = 0; v < 8; ++v) {
        fprintf(file, "v %g %g %g\n", v & 1 ? NX * STEP : 0, v & 2 ? NY * STEP : 0, v & 4 ? NZ * STEP : 0);
    }
    for (int s = 0; s < 6; ++s) {
        fprintf(file, "f %d %d %d %d\n", sides[s][0], sides[s][1], sides[s][2], sides[s][3]);
    }
    assert_int_equal(fclose(file), 0);
}

static sn_result cook_path(sn_cook_context *k, const char *path, const char *sidecar)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tets_path = strcmp(path, MESH) == 0 ? NULL : MESH;
    desc.mode_count = 4;
    desc.cluster_count = 8;
    FILE *file = fopen(SIDECAR, "w");
    assert_non_null(file);
    fputs(sidecar, file);
    assert_int_equal(fclose(file), 0);
    *k = (sn_cook_context){.path = NULL};
    write_bar();
    write_box();
    begin_log();
    const sn_result result = sn_cook_context_run(k, path, &desc);
    sn_set_log(NULL, NULL);
    unlink(SIDECAR);
    unlink(MESH);
    unlink(BOX);
    unlink(BOX_MATERIALS);
    return result;
}

static sn_result cook(sn_cook_context *k, const char *sidecar)
{
    return cook_path(k, MESH, sidecar);
}

static void groups_are_materials(void **state)
{
    (void)state;
    static const double stiffness[3] = {0.5, 40, 1}, density[3] = {1, 2, 1};
    sn_cook_context k;
    assert_int_equal(cook(&k, "{\"materials\": {\"fat\": {\"stiffness\": 0.5, \"poisson\": 0.3, \"leak\": 0.25}, "
                              "\"a bone\": {\"stiffness\": 40, \"density\": 2}}}"),
                     SN_OK);
    assert_int_equal(logged.warnings, 0);
    assert_int_equal(k.groups.count, 2);
    for (int t = 0; t < k.mesh.tet_count; ++t) {
        double nu = 0;
        for (int corner = 0; corner < 4; ++corner) { /* the ratio of a corner is the mean of its tets */
            const int32_t v = k.mesh.tets[4 * t + corner];
            double fat = 0, all = 0;
            for (int i = 0; i < 4 * k.mesh.tet_count; ++i) {
                fat += k.mesh.tets[i] == v && group_of(i / 4) == 0 ? k.volumes[i / 4] : 0;
                all += k.mesh.tets[i] == v ? k.volumes[i / 4] : 0;
            }
            nu += 0.3 / 4 * fat / all;
            assert_true(fat < all || fabs(k.leak[v] - 0.25) < 1e-12);
        }
        assert_near(k.tet_stiffness[t] * (1 + nu), stiffness[group_of(t)], 1e-12);
        assert_near(k.tet_density[t], density[group_of(t)], 1e-12);
    }
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* A group and the surface's material of the same name are one thing; where no group is named, the material counts. */
static void groups_over_materials(void **state)
{
    (void)state;
    static const double stiffness[3] = {0.5, 40, 0.5}, density[3] = {3, 2, 3};
    sn_cook_context k;
    assert_int_equal(cook_path(&k, BOX,
                               "{\"materials\": {\"fat\": {\"stiffness\": 0.5, \"density\": 3}, "
                               "\"a bone\": {\"stiffness\": 40, \"density\": 2}}}"),
                     SN_OK);
    assert_int_equal(logged.warnings, 0);
    for (int t = 0; t < k.mesh.tet_count; ++t) {
        assert_near(k.tet_stiffness[t], stiffness[group_of(t)], 1e-9);
        assert_near(k.tet_density[t], density[group_of(t)], 1e-9);
    }
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void unknown_groups(void **state)
{
    (void)state;
    sn_cook_context k;
    assert_int_equal(cook(&k, "{\"materials\": {\"muscle\": {\"stiffness\": 2}}}"), SN_ERROR_ARGUMENT);
    assert_one_error("materials: no physical group of " MESH " is called 'muscle': it has 'fat', 'a bone', 'void'");
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void groups_without_tets(void **state)
{
    (void)state;
    sn_cook_context k;
    assert_int_equal(cook(&k, "{\"materials\": {\"void\": {\"stiffness\": 2}}}"), SN_ERROR_ARGUMENT);
    assert_one_error("materials: no tet of " MESH " belongs to its physical group 'void'");
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Which may be a misspelt material of the surface. */
static void unknown_materials_of_surfaces(void **state)
{
    (void)state;
    sn_cook_context k;
    assert_int_equal(cook_path(&k, BOX, "{\"materials\": {\"fatt\": {\"stiffness\": 2}}}"), SN_OK);
    assert_int_equal(logged.warnings, 1);
    assert_non_null(strstr(logged.last, "materials: no material is called 'fatt'"));
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_tet_groups(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_are_materials), cmocka_unit_test(groups_over_materials),
                                       cmocka_unit_test(unknown_groups), cmocka_unit_test(groups_without_tets),
                                       cmocka_unit_test(unknown_materials_of_surfaces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
