/* SPDX-License-Identifier: MIT */
/* The figures of believable flesh, of displacements that are known, and of a body that is stepped once more here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "tests/support/bar.h"
#include "tools/bench/flesh.h"

/* ---- bones by name ---- */

static void test_parts(void **state)
{
    (void)state;
    static const char names[] = "Spine\0forearm_L\0Gear\0b_LeftFoot01_017\0mixamorig:RightHandIndex1\0Head\0Helmet\0"
                                "LeftEar\0tip\0hair_01\0eye.R\0lhand\0HandBag";
    static const sn_bone_region expected[] = {SN_REGION_BODY,  SN_REGION_BODY,  SN_REGION_BODY, SN_REGION_FOOT,
                                              SN_REGION_HAND,  SN_REGION_HEAD,  SN_REGION_BODY, SN_REGION_LOOSE,
                                              SN_REGION_LOOSE, SN_REGION_LOOSE, SN_REGION_HEAD, SN_REGION_HAND,
                                              SN_REGION_HAND};
    const int32_t parents[] = {-1, 0, 0, 0, 0, 0, 5, 5, 7, 5, 5, 0, 11}; /* the helmet hangs on the head */
    const sn_model model = {
        .counts = {.bone_count = 13, .bone_name_bytes = sizeof names}, .bone_names = names, .bone_parents = parents};
    sn_bone_region parts[13];
    sn_bone_regions_find(&model, parts);
    for (int bone = 0; bone < 13; ++bone) {
        if (parts[bone] != expected[bone]) {
            fail_msg("bone %d is %s instead of %s", bone, sn_bone_region_name(parts[bone]),
                     sn_bone_region_name(expected[bone]));
        }
    }
}

/* ---- known displacements ---- */

#define VERTICES 44
#define HEIGHT 2.0

/* A bar of ten cubes, which is its own surface: the spine holds the first 40 vertices, the left hand the others. */
typedef struct known {
    sn_arena arena;
    sn_tet_mesh mesh;
    float rest[3 * VERTICES], mass[VERTICES], weights[2 * VERTICES];
    int32_t starts[VERTICES + 1], triangles[6], surface_tets[VERTICES];
    sn_influence influences[VERTICES];
    double rig[3 * VERTICES], moved[3 * VERTICES], pose[24];
    sn_model model;
    sn_flesh_sums sums;
} known;

static void create_known(known *k)
{
    static const int32_t parents[2] = {-1, 0};
    memset(k, 0, sizeof *k);
    k->mesh = sn_test_bar(&k->arena, 10, 1, 1, 0.25);
    assert_int_equal(k->mesh.vertex_count, VERTICES);
    for (int v = 0; v < VERTICES; ++v) {
        const int bone = v >= 40;
        for (int d = 0; d < 3; ++d) {
            k->rig[3 * v + d] = k->mesh.positions[3 * v + d];
            k->rest[3 * v + d] = (float)k->mesh.positions[3 * v + d];
        }
        k->mass[v] = 1;
        k->weights[2 * v + bone] = 1;
        k->influences[v] = (sn_influence){.bone = bone, .weight = 1};
        k->starts[v + 1] = v + 1;
    }
    for (int b = 0; b < 2; ++b) {
        k->pose[12 * b] = k->pose[12 * b + 5] = k->pose[12 * b + 10] = 1;
    }
    const int32_t triangles[6] = {0, 1, 11, 22, 34, 33};
    memcpy(k->triangles, triangles, sizeof triangles);
    k->model = (sn_model){.counts = {.vertex_count = VERTICES,
                                     .tet_count = k->mesh.tet_count,
                                     .surface_vertex_count = VERTICES,
                                     .surface_triangle_count = 2,
                                     .influence_count = VERTICES,
                                     .bone_count = 2,
                                     .bone_name_bytes = 15},
                          .diagonal = 1,
                          .rest_positions = k->rest,
                          .tets = k->mesh.tets,
                          .vertex_mass = k->mass,
                          .rig_weights = k->weights,
                          .bone_names = "Spine\0LeftHand",
                          .bone_parents = parents,
                          .surface_positions = k->rest,
                          .surface_triangles = k->triangles,
                          .surface_tets = k->surface_tets,
                          .influence_starts = k->starts,
                          .influences = k->influences};
}

/* Adds a frame in which vertex v is off by amounts[v] per cent of the height, upwards. */
static void add_frame(known *k, const double *amounts)
{
    for (int i = 0; i < 3 * VERTICES; ++i) {
        k->moved[i] = k->rig[i] + (i % 3 == 1 ? HEIGHT / 100 * amounts[i / 3] : 0);
    }
    const sn_flesh_frame frame = {k->moved, k->rig, k->moved, k->rig, k->pose, NULL};
    sn_flesh_sums_add(&k->sums, &frame);
}

static void expect_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-6)) {
        fail_msg("%g instead of %g", value, expected);
    }
}

static void test_known_displacements(void **state)
{
    (void)state;
    known k;
    create_known(&k);
    k.mass[39] = 2; /* 45 in all */
    assert_int_equal(sn_flesh_sums_init(&k.model, HEIGHT, 3, &k.arena, &k.sums), SN_OK);
    double amounts[VERTICES], halves[VERTICES], none[VERTICES] = {0};
    for (int v = 0; v < VERTICES; ++v) {
        amounts[v] = 0.1 * v;
        halves[v] = 0.5 * amounts[v];
    }
    add_frame(&k, halves);
    add_frame(&k, amounts);
    add_frame(&k, none);
    sn_flesh_report report;
    assert_int_equal(sn_flesh_sums_report(&k.sums, &k.arena, &report), SN_OK);
    const double *figures = report.figures;
    expect_near(figures[SN_FLESH_P90], 3.9); /* vertices 0 .. 39 have 41 of 45, those up to 38 only 39 */
    expect_near(figures[SN_FLESH_MAX], 4.3);
    expect_near(figures[SN_FLESH_HAND_MAX], 4.3);
    assert_true(isnan(figures[SN_FLESH_FOOT_MAX]) && isnan(figures[SN_FLESH_LOOSE_MAX]));
    assert_int_equal(report.max_bone, 1);
    assert_int_equal(report.frame_count, 3);
    expect_near(report.bones[0].mass, 41.0 / 45);
    expect_near(report.bones[0].max, 3.9);
    expect_near(report.bones[1].p90, 4.3); /* the third of four has 75% */
    expect_near(figures[SN_FLESH_INVERTED], 0);
    expect_near(sn_flesh_sums_max_from(&k.sums, 0), 4.3);
    expect_near(sn_flesh_sums_max_from(&k.sums, 2.0 / 60), 4.3); /* the second frame ends then */
    expect_near(sn_flesh_sums_max_from(&k.sums, 2.5 / 60), 0);
    assert_true(isnan(sn_flesh_sums_max_from(&k.sums, 4.0 / 60)));
    expect_near(figures[SN_FLESH_SKIN_P90], 3.4); /* the two triangles have six corners of the same area */
    sn_arena_finish(&k.arena);
}

static void test_known_stretch_and_inversion(void **state)
{
    (void)state;
    known k;
    create_known(&k);
    assert_int_equal(sn_flesh_sums_init(&k.model, HEIGHT, 2, &k.arena, &k.sums), SN_OK);
    double amounts[VERTICES] = {0};
    amounts[34] = -100 * 0.25 * sqrt(3) / HEIGHT; /* the edge from 33, of 0.25, becomes twice as long */
    add_frame(&k, amounts);
    sn_flesh_report report;
    assert_int_equal(sn_flesh_sums_report(&k.sums, &k.arena, &report), SN_OK);
    expect_near(report.figures[SN_FLESH_STRETCH], 2);
    assert_int_equal(report.stretch_bone, 0);
    memset(amounts, 0, sizeof amounts);
    amounts[11] = -100 * 0.75 / HEIGHT; /* the bar's upper edge falls through it */
    const int before = (int)report.figures[SN_FLESH_INVERTED];
    add_frame(&k, amounts);
    assert_int_equal(sn_flesh_sums_report(&k.sums, &k.arena, &report), SN_OK);
    assert_int_equal((int)report.figures[SN_FLESH_INVERTED], before + 1);
    sn_arena_finish(&k.arena);
}

/* ---- a body ---- */

static sn_model *cook_bar(sn_cook_context *cooking)
{
    sn_model *model = NULL;
    sn_cook_desc desc = sn_default_cook_desc();
    *cooking = (sn_cook_context){.path = NULL};
    cooking->mesh = sn_test_bar(&cooking->arena, 2, 8, 2, 0.125);
    desc.mode_count = 4;
    desc.cluster_count = 8;
    desc.young = 400;
    assert_int_equal(sn_cook_context_run(cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load(cooking->bytes, cooking->size, &model), SN_OK);
    return model;
}

/* The largest displacement of the surface, from the public calls alone. */
static double step_once_more(const sn_model *model, const sn_flesh_desc *desc)
{
    const sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc body_desc = sn_default_body_desc();
    sn_world_id world;
    sn_body_id body;
    body_desc.model = model;
    memcpy(body_desc.gravity, desc->gravity, sizeof desc->gravity);
    assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
    assert_int_equal(sn_body_create(world, &body_desc, &body), SN_OK);
    const sn_surface surface = sn_model_surface(model);
    sn_surface rig = surface;
    rig.mode_count = 0;
    sn_arena arena = {0};
    float *moved = SN_NEW(&arena, float, 3 * surface.vertex_count),
          *still = SN_NEW(&arena, float, 3 * surface.vertex_count);
    double max = 0;
    for (int frame = 0; frame <= desc->frame_count; ++frame) {
        double pose[12];
        sn_mat3x4 bone;
        sn_motion_pose(&desc->motion, frame, frame / 60.0, pose);
        for (int i = 0; i < 12; ++i) {
            bone.m[i / 4][i % 4] = (float)pose[i];
        }
        sn_body_set_pose(body, &bone, 1);
        if (frame == 0) {
            sn_body_reset(body);
            continue;
        }
        sn_world_step(world, 1.0 / 60);
        sn_body_matrices out = sn_body_output(body);
        assert_int_equal(sn_surface_skin(&surface, &out, moved, NULL, NULL), SN_OK);
        out.mode_count = 0;
        assert_int_equal(sn_surface_skin(&rig, &out, still, NULL, NULL), SN_OK);
        for (int v = 0; v < surface.vertex_count; ++v) {
            const double x = (double)(moved[3 * v] - still[3 * v]), y = (double)(moved[3 * v + 1] - still[3 * v + 1]),
                         z = (double)(moved[3 * v + 2] - still[3 * v + 2]);
            max = fmax(max, sqrt(x * x + y * y + z * z));
        }
    }
    sn_arena_finish(&arena);
    sn_world_destroy(world);
    return 100 * max / desc->height;
}

static void test_a_body(void **state)
{
    (void)state;
    sn_cook_context cooking;
    sn_model *model = cook_bar(&cooking);
    sn_arena arena = {0};
    sn_flesh_report report;
    double pose[12];
    sn_flesh_desc desc = {.name = "bar",
                          .motion = {.model = model, .clip = -1},
                          .frame_count = 60,
                          .height = 0.5,
                          .stop = -1,
                          .is_rest = true};
    assert_int_equal(sn_flesh_measure(&desc, &arena, &report), SN_OK);
    assert_true(report.figures[SN_FLESH_MAX] < 1e-3 && report.figures[SN_FLESH_P90] < 1e-3); /* nothing moves it */
    assert_true(report.figures[SN_FLESH_SAG] < 1e-3);
    assert_true(isnan(report.figures[SN_FLESH_AFTER_HALF]) && isnan(report.figures[SN_FLESH_FULL_ERROR]));
    desc.is_rest = false;
    desc.motion.is_root_motion = true;
    sn_root_motion_init(model, SN_ROOT_MOTION_JUMP, pose, &desc.motion.root);
    desc.full_frame_count = 30;
    assert_int_equal(sn_flesh_measure(&desc, &arena, &report), SN_OK);
    const double expected = step_once_more(model, &desc);
    assert_true(expected > 0.1);
    if (fabs(report.figures[SN_FLESH_MAX] - expected) > 0.005 * expected) {
        fail_msg("%g instead of %g", report.figures[SN_FLESH_MAX], expected);
    }
    assert_true(report.figures[SN_FLESH_FULL_ERROR] > 0.001 && report.figures[SN_FLESH_FULL_ERROR] < 1.5);
    assert_true(fabs(report.figures[SN_FLESH_FULL_CORRELATION]) <= 1);
    assert_true(report.figures[SN_FLESH_STEP_MS] > 0 && report.figures[SN_FLESH_ITERATIONS] >= 1);
    assert_int_equal(report.recovery_count, 0);
    sn_arena_finish(&arena);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

int test_flesh(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_known_displacements),
        cmocka_unit_test(test_known_stretch_and_inversion),
        cmocka_unit_test(test_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
