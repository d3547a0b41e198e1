/* SPDX-License-Identifier: MIT */
/* What a sidecar says of a name: pins of a material and of bones, loose bones, momentum leak of a material; and what
 * flesh owes to few bones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/surface/surface.h"
#include "author/io/gltf/gltf_write.h"
#include "host/math/affine.h"
#include "tests/support/log.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

#define SCENE SN_BINARY_DIR "/pinned.glb"
#define SIDECAR SN_BINARY_DIR "/pinned.sinew.json"
enum { GRID = 9, SIDE = GRID * GRID, TET_VERTICES = 2000 };

/* The cube [-1, 1]^3; triangles below y = -.4 are of the first material, the others of the second. */
static void split_cube(sn_arena *arena, sn_scene_primitive parts[2])
{
    for (int part = 0; part < 2; ++part) {
        parts[part] = (sn_scene_primitive){.vertex_count = 6 * SIDE,
                                           .material = part,
                                           .is_flat = true,
                                           .positions = SN_NEW(arena, float, 18 * SIDE),
                                           .triangles = SN_NEW(arena, int32_t, 36 * SIDE)};
    }
    for (int i = 0; i < 6 * SIDE; ++i) {
        const int side = i / SIDE, axis = side / 2, u = i % GRID, v = i % SIDE / GRID;
        float *x = parts[0].positions + 3 * i;
        x[axis] = side % 2 ? 1 : -1;
        x[(axis + 1) % 3] = 2.0F * (float)u / (GRID - 1) - 1;
        x[(axis + 2) % 3] = 2.0F * (float)v / (GRID - 1) - 1;
    }
    memcpy(parts[1].positions, parts[0].positions, 18 * SIDE * sizeof(float));
    for (int i = 0; i < 12 * SIDE; ++i) {
        const int at = i / 2, u = at % GRID, v = at % SIDE / GRID;
        if (u == GRID - 1 || v == GRID - 1) {
            continue;
        }
        const int32_t first = at + (i % 2 ? GRID + 1 : 0), turns[2] = {at + 1, at + GRID};
        const int is_up = (at / SIDE + i) % 2;
        const int32_t corners[3] = {first, turns[!is_up], turns[is_up]};
        float height = 0;
        for (int c = 0; c < 3; ++c) {
            height += parts[0].positions[3 * corners[c] + 1] / 3;
        }
        sn_scene_primitive *part = &parts[height < -0.4F ? 0 : 1];
        memcpy(part->triangles + 3 * part->triangle_count++, corners, sizeof corners);
    }
}

static void write_cube(void)
{
    sn_arena arena = {0};
    sn_scene_primitive parts[2];
    split_cube(&arena, parts);
    sn_scene_mesh mesh = {.name = "cube", .primitive_count = 2};
    sn_scene_node node = {
        .name = "Block", .parent = -1, .mesh = 0, .skin = -1, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    node.is_in_scene = true;
    sn_affine_identity(node.local);
    sn_scene_material materials[2] = {{.name = "Foot", .values = sn_default_material()},
                                      {.name = "Flesh", .values = sn_default_material()}};
    const sn_scene_file scene = {.node_count = 1,
                                 .mesh_count = 1,
                                 .primitive_count = 2,
                                 .material_count = 2,
                                 .nodes = &node,
                                 .meshes = &mesh,
                                 .primitives = parts,
                                 .materials = materials};
    assert_int_equal(sn_gltf_write(SCENE, &scene), SN_OK);
    sn_arena_finish(&arena);
}

static sn_result cook_scene(sn_cook_context *k, const sn_cook_desc *desc, const char *sidecar)
{
    FILE *file = fopen(SIDECAR, "w");
    assert_non_null(file);
    fputs(sidecar, file);
    assert_int_equal(fclose(file), 0);
    *k = (sn_cook_context){.path = NULL};
    begin_log();
    const sn_result result = sn_cook_context_run(k, SCENE, desc);
    sn_set_log(NULL, NULL);
    assert_int_equal(unlink(SIDECAR), 0);
    return result;
}

/* One handle: the constraint is on coordinates, with no more modes, unless that leaves too few, or someone says
 * otherwise, or it is weights that are pinned. */
static void few_bones(void **state)
{
    (void)state;
    static const struct {
        int modes;
        const char *sidecar;
        int mode_count, held_count;
    } cases[] = {{0, "{}", 16, 4},
                 {2, "{}", 2, 4},
                 {1, "{}", 1, 0},
                 {0, "{\"complementary\": \"weights\"}", 16, 0},
                 {0, "{\"complementary\": \"coordinates\"}", 17, 4},
                 {0, "{\"pin\": [\"Foot\"]}", 16, 0}};
    write_cube();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_cook_context k;
        sn_cook_desc desc = sn_default_cook_desc();
        desc.tet_vertex_count = TET_VERTICES;
        desc.mode_count = cases[i].modes;
        desc.cluster_count = 20;
        desc.young = 1e5;
        assert_int_equal(cook_scene(&k, &desc, cases[i].sidecar), SN_OK);
        assert_int_equal(k.report.mode_count, cases[i].mode_count);
        assert_int_equal(k.coordinate_constraint.row_count, cases[i].held_count);
        assert_int_equal(k.report.constrained_coordinate_count, cases[i].held_count);
        assert_int_equal(k.constraint.row_count, cases[i].held_count > 0 ? 0 : 10);
        sn_cook_context_finish(&k);
    }
    unlink(SCENE);
}

static void put_character(const char *path)
{
    sn_arena arena = {0};
    sn_source source;
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(sn_file_write(SCENE, source.bytes, source.size), SN_OK); /* beside a sidecar of its own */
    sn_arena_finish(&arena);
}

/* Its triangles stand still to the bit, and so does the flesh behind them. */
static void pinned_material(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tet_vertex_count = TET_VERTICES;
    desc.mode_count = 6;
    desc.cluster_count = 20;
    write_cube();
    assert_int_equal(cook_scene(&k, &desc, "{\"pin\": [\"Foot\", \"Boot\"], \"leak\": \"all\"}"), SN_OK);
    assert_one_warning("pin: no bone, part or material is called 'Boot'");
    assert_int_equal(k.constraint.row_count, 0);
    assert_in_range(k.report.pin_count, k.mesh.vertex_count / 8, k.mesh.vertex_count / 2);
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    int still_count = 0;
    for (int v = 0; v < model->counts.surface_vertex_count; ++v) {
        const double y = (double)model->surface_positions[3 * v + 1] / k.scale + k.origin[1];
        const bool is_still = sn_model_is_vertex_rigid(model, (size_t)v);
        assert_true(is_still || y > -0.51);
        assert_true(!is_still || y < 0);
        still_count += is_still;
    }
    assert_true(still_count > SIDE);
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const double y = k.mesh.positions[3 * v + 1] / k.scale + k.origin[1];
        assert_true(k.is_pinned[v] || y > -0.75);
        assert_true(!k.is_pinned[v] || y < 0);
    }
    sn_model_release(model);
    sn_cook_context_finish(&k);

    assert_int_equal(cook_scene(&k, &desc, "{\"pin\": [\"Block\"]}"), SN_ERROR_ARGUMENT);
    assert_one_error("vertices are pinned: nothing is left to move");
    sn_cook_context_finish(&k);
    unlink(SCENE);
}

/* What the bones that are named move by half or more, and nothing else. */
static void pinned_bones(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tet_vertex_count = 2 * TET_VERTICES;
    desc.mode_count = 6;
    desc.cluster_count = 20;
    desc.young = 1e4;
    desc.method = SN_COOK_METHOD_COMPLEMENTARY;
    put_character(SN_BINARY_DIR "/characters/mascot.glb");
    assert_int_equal(cook_scene(&k, &desc, "{\"pin\": [\"hips\", \"spine\"]}"), SN_OK);
    int bones[2] = {-1, -1};
    for (int b = 0; b < k.bone_count; ++b) {
        bones[0] = strcmp(k.character.bone_names[b], "hips") == 0 ? b : bones[0];
        bones[1] = strcmp(k.character.bone_names[b], "spine") == 0 ? b : bones[1];
    }
    int shared_count = 0;
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const double *weights = k.rig_weights + (size_t)v * (size_t)k.bone_count;
        const double hips = weights[bones[0]], spine = weights[bones[1]];
        assert_int_equal(k.is_pinned[v], hips + spine >= 0.5);
        shared_count += k.is_pinned[v] && hips < 0.5 && spine < 0.5;
        for (int mode = 0; mode < 6 && k.is_pinned[v]; ++mode) {
            assert_near(k.modes.weights[6 * v + mode], 0, 1e-12);
        }
    }
    assert_true(shared_count > 0);
    assert_true(k.constraint.row_count > 10);
    sn_cook_context_finish(&k);
    unlink(SCENE);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* A material's leak holds on its surface, and fades into the rest's inside. */
static void leak_of_a_material(void **state)
{
    (void)state;
    sn_cook_context plain, k;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tet_vertex_count = TET_VERTICES;
    desc.mode_count = 6;
    desc.cluster_count = 20;
    write_cube();
    assert_int_equal(cook_scene(&plain, &desc, "{}"), SN_OK);
    assert_int_equal(cook_scene(&k, &desc, "{\"materials\": {\"Foot\": {\"leak\": 0.75}}}"), SN_OK);
    assert_int_equal(logged.warnings, 0);
    int foot_count = 0, other_count = 0;
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        const double y = k.mesh.positions[3 * v + 1] / k.scale + k.origin[1];
        foot_count += fabs(k.leak[v] - 0.75) < 1e-9;
        other_count += k.leak[v] == plain.leak[v];
        assert_true(k.leak[v] >= 0 && k.leak[v] <= 1);
        assert_true(y < 0.75 || fabs(k.leak[v] - plain.leak[v]) < 0.05);
    }
    assert_true(foot_count > SIDE);
    assert_true(other_count > SIDE);
    sn_cook_context_finish(&plain);
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* The modes owe them nothing, and flesh rests in the rig's pose; the file's own and the sidecar's names. */
static void loose_bones(void **state)
{
    (void)state;
    sn_cook_context k, coordinate_constraint;
    sn_model *model = NULL;
    sn_cook_desc desc = sn_default_cook_desc();
    desc.tet_vertex_count = 2 * TET_VERTICES;
    desc.mode_count = 6;
    desc.cluster_count = 20;
    desc.young = 1e4;
    desc.method = SN_COOK_METHOD_COMPLEMENTARY;
    put_character(SN_BINARY_DIR "/characters/mascot.glb");
    assert_int_equal(cook_scene(&coordinate_constraint, &desc, "{}"), SN_OK);
    assert_int_equal(coordinate_constraint.report.soft_bone_count, 0);
    assert_int_equal(sn_model_load(coordinate_constraint.bytes, coordinate_constraint.size, &model), SN_OK);
    assert_true(model->is_posed == 0);
    sn_model_release(model);
    assert_int_equal(cook_scene(&k, &desc, "{\"loose\": [\"earL1\", \"earL2\", \"wing\"]}"), SN_OK);
    assert_one_warning("sinew.json: loose: no bone is called 'wing'");
    assert_int_equal(k.report.soft_bone_count, 2);
    assert_int_equal(coordinate_constraint.constraint.row_count - k.constraint.row_count, 20);
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_true(model->is_posed == 1);
    sn_model_release(model);
    for (int i = 0; i < k.mesh.vertex_count * k.bone_count; ++i) {
        const bool is_ear = strncmp(k.bone_names[i % k.bone_count], "earL", 4) == 0;
        assert_true(k.fixed_weights[i] == (is_ear ? 0 : k.rig_weights[i]));
    }
    sn_cook_context_finish(&k);
    desc.complementary = SN_COMPLEMENTARY_COORDINATES;
    desc.mode_count = 30;
    assert_int_equal(cook_scene(&k, &desc, "{\"loose\": [\"earL1\", \"earL2\"]}"), SN_OK);
    assert_int_equal(k.coordinate_constraint.row_count, 4 * (coordinate_constraint.constraint.row_count / 10 - 2));
    sn_cook_context_finish(&k);
    sn_cook_context_finish(&coordinate_constraint);

    put_character(SN_BINARY_DIR "/characters/octopus.glb");
    desc = sn_default_cook_desc();
    desc.young = 1e4;
    desc.method = SN_COOK_METHOD_COMPLEMENTARY;
    assert_int_equal(cook_scene(&k, &desc, "{}"), SN_OK);
    assert_int_equal(k.report.soft_bone_count, 33);
    assert_int_equal(k.constraint.row_count, 20); /* of body and head */
    sn_cook_context_finish(&k);
    assert_int_equal(cook_scene(&k, &desc, "{\"loose\": [\"root\", \"body\", \"head\", \"LeftEye\", \"RightEye\"]}"),
                     SN_ERROR_ARGUMENT);
    assert_one_error("every bone that moves flesh is soft; at least one must be fixed");
    sn_cook_context_finish(&k);
    unlink(SCENE);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_pinned_names(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_material),    cmocka_unit_test(few_bones),   cmocka_unit_test(pinned_bones),
        cmocka_unit_test(leak_of_a_material), cmocka_unit_test(loose_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
