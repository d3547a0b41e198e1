/* SPDX-License-Identifier: MIT */
/* The seeds of the models' fuzz target are of this version, and together have all that a model may have: bones, morph
 * targets that flesh feels, levels of detail, triangles, coordinates that are barred, what layered bodies have, or no
 * modes. SN_GOLDEN_UPDATE=1 makes them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/io/source.h"
#include "host/model/check.h"
#include "tests/support/flesh.h"
#include "tests/support/log.h"
#include "tests/support/morph_model.h"

#define FOLDER SN_SOURCE_DIR "/tests/fuzz/corpus/model/"

static sn_arena arena;

static void write_seed(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static const char *const seeds[] = {FOLDER "bar.sinew", FOLDER "flat.sinew", FOLDER "barred.sinew"};

static void cook(sn_cook_context *k, int seed, sn_model **model)
{
    const bool is_flat = seed == 1;
    sn_cook_desc desc = sn_default_cook_desc();
    *k = (sn_cook_context){.path = NULL};
    k->mesh = is_flat ? sn_test_sheet(&k->arena, 4, 2, 0.5, 0) : sn_test_bar(&k->arena, 3, 1, 1, 0.5);
    sn_test_rig(k, 2, is_flat ? 2 : 1.5);
    desc.mode_count = 2;
    desc.cluster_count = 4;
    desc.coarse_cluster_counts[0] = 2;
    if (seed == 2) {
        desc.mode_count = 4;
        desc.leak = SN_LEAK_NONE;
        desc.complementary = SN_COMPLEMENTARY_COORDINATES;
    }
    assert_int_equal(sn_cook_context_run(k, "seed", &desc), SN_OK);
    assert_int_equal(sn_model_load(k->bytes, k->size, model), SN_OK);
}

static void make_seeds(void)
{
    for (int seed = 0; seed < 3; ++seed) {
        sn_cook_context k;
        sn_model *model = NULL;
        uint8_t *bytes = NULL;
        size_t size = 0;
        cook(&k, seed, &model);
        write_seed(seeds[seed], k.bytes, k.size);
        if (seed == 0) {
            const sn_model with = sn_test_morph_model(&k.arena, model);
            assert_int_equal(sn_model_write(&with, &k.arena, &bytes, &size), SN_OK);
            write_seed(FOLDER "morphs.sinew", bytes, size);
        }
        sn_model_release(model);
        sn_cook_context_finish(&k);
    }
}

static sn_model *load(const char *path)
{
    sn_source source;
    sn_model *model = NULL;
    assert_int_equal(sn_source_read(path, &arena, &source), SN_OK);
    assert_int_equal(sn_model_load_named(path, source.bytes, source.size, &model), SN_OK);
    return model;
}

/* Two points, one on the other's bone, a loop, a closed cage, and no modes. */
static void make_coupled_seed(void)
{
    static const int32_t edges[6] = {2, 3, 3, 4, 4, 2}, starts[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t corners[24] = {5, 9,  11, 7, 6, 8, 12, 10, 5, 6,  10, 9,
                                        7, 11, 12, 8, 5, 7, 8,  6,  9, 10, 12, 11};
    sn_cook_handle points[13] = {
        {.shape = SN_HANDLE_SHAPE_POINT, .name = "root", .parent = -1, .start = {0, 0.25, 0.25}},
        {.shape = SN_HANDLE_SHAPE_POINT,
         .name = "tip",
         .parent = 0,
         .start = {1.5, 0.25, 0.25},
         .is_stretchable = true}};
    const sn_cook_handles handles = {.count = 13,
                                     .handles = points,
                                     .edge_count = 3,
                                     .edges = edges,
                                     .face_count = 6,
                                     .face_starts = starts,
                                     .face_corners = corners};
    for (int i = 2; i < 13; ++i) {
        static const double loop[3][2] = {{0.5, 0}, {1, 0}, {1, 0.5}};
        points[i] = (sn_cook_handle){.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1};
        for (int d = 0; d < 3; ++d) {
            points[i].start[d] = i < 5 ? (d < 2 ? loop[i - 2][d] : 0) : -0.25 + ((i - 5) >> d & 1) * (d > 0 ? 1 : 2);
        }
    }
    sn_cook_context k = {.path = NULL};
    sn_cook_desc desc = sn_default_cook_desc();
    k.mesh = sn_test_bar(&k.arena, 3, 1, 1, 0.5);
    desc.handles = &handles;
    desc.is_coupled = true;
    assert_int_equal(sn_cook_context_run(&k, "seed", &desc), SN_OK);
    write_seed(FOLDER "coupled.sinew", k.bytes, k.size);
    sn_cook_context_finish(&k);
}

/* A bone carries one end; fibres along z. */
static void make_layered_seed(void)
{
    enum { VERTICES = 16, TETS = 18 };
    static const float frame[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, stiffness[] = {2e4F, 2e3F, 2e3F, 1e3F, 1e3F, 1e3F, 4e3F};
    sn_cook_context k = {.path = NULL};
    sn_cook_desc desc = sn_default_cook_desc();
    sn_model *model = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    int32_t bones[VERTICES];
    float all[TETS * SN_STRAIN_STIFFNESS_COUNT], frames[TETS * 9];
    k.mesh = sn_test_bar(&k.arena, 3, 1, 1, 0.5);
    desc.is_coupled = true;
    assert_int_equal(sn_cook_context_run(&k, "seed", &desc), SN_OK);
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_true(model->counts.vertex_count == VERTICES && model->counts.tet_count == TETS);
    for (size_t v = 0; v < VERTICES; ++v) {
        bones[v] = model->rest_positions[3 * v] < -0.4F ? 0 : -1;
    }
    for (size_t t = 0; t < TETS; ++t) {
        memcpy(all + SN_STRAIN_STIFFNESS_COUNT * t, stiffness, sizeof stiffness);
        memcpy(frames + 9 * t, frame, sizeof frame);
    }
    sn_model with = *model;
    with.strain_type = SN_STRAIN_FRAMES;
    with.strain_attached_bones = bones;
    with.strain_stiffness = all;
    with.strain_frames = frames;
    assert_int_equal(sn_model_write(&with, &k.arena, &bytes, &size), SN_OK);
    write_seed(FOLDER "layered.sinew", bytes, size);
    sn_model_release(model);
    sn_cook_context_finish(&k);
}

/* Damaged: two bones without rotation are each other's parent. */
static void make_circle_seed(const sn_model *coupled)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    sn_arena scratch = {0};
    sn_model with = *coupled;
    int32_t parents[13];
    memcpy(parents, coupled->bone_parents, sizeof parents);
    assert_true(coupled->counts.bone_count == 13 && coupled->bone_types[5] == SN_BONE_TRANSLATION &&
                coupled->bone_types[6] == SN_BONE_TRANSLATION);
    parents[5] = 6;
    parents[6] = 5;
    with.bone_parents = parents;
    assert_int_equal(sn_model_write(&with, &scratch, &bytes, &size), SN_OK);
    write_seed(FOLDER "circle.sinew", bytes, size);
    sn_arena_finish(&scratch);
}

static void circles_are_refused(void **state)
{
    (void)state;
    sn_source source;
    sn_model *coupled = load(FOLDER "coupled.sinew"), *model = NULL;
    if (getenv("SN_GOLDEN_UPDATE")) {
        make_circle_seed(coupled);
    }
    begin_log();
    assert_int_equal(sn_source_read(FOLDER "circle.sinew", &arena, &source), SN_OK);
    assert_int_equal(sn_model_load_named("circle.sinew", source.bytes, source.size, &model), SN_ERROR_FORMAT);
    assert_one_error("circle.sinew: bone 5 is its own ancestor");
    assert_null(model);
    /* parents may be in any order; longer circles, and one of a single bone */
    for (int length = 0; length <= 13; ++length) {
        sn_model with = *coupled;
        int32_t parents[13];
        for (int b = 0; b < 13; ++b) {
            parents[b] = b < 12 ? b + 1 : -1;
        }
        if (length > 0) {
            parents[12] = 13 - length;
        }
        with.bone_parents = parents;
        assert_int_equal(sn_model_check_contents("chain", &with), length > 0 ? SN_ERROR_FORMAT : SN_OK);
    }
    sn_set_log(NULL, NULL);
    sn_model_release(coupled);
    sn_arena_finish(&arena);
}

static void seeds_load(void **state)
{
    (void)state;
    if (getenv("SN_GOLDEN_UPDATE")) {
        make_seeds();
        make_coupled_seed();
        make_layered_seed();
    }
    sn_model *coupled = load(FOLDER "coupled.sinew");
    assert_true(coupled->counts.mode_count == 0 && coupled->counts.cluster_count == 0);
    assert_true(sn_model_bone_parent(coupled, 1) == 0 && sn_model_is_bone_stretchable(coupled, 1));
    assert_true(coupled->counts.cage_edge_count == 3 && coupled->counts.cage_face_count == 6);
    const int64_t damaged[] = {-1, coupled->counts.bone_count};
    for (int i = 0; i < 2; ++i) { /* a corner that is no bone */
        sn_model copy = *coupled;
        int32_t corners[24], edges[6];
        memcpy(corners, coupled->cage_corners, sizeof corners);
        memcpy(edges, coupled->cage_edges, sizeof edges);
        assert_int_equal(sn_model_check_contents("seed", &copy), SN_OK);
        copy.cage_corners = corners;
        copy.cage_edges = edges;
        corners[23] = (int32_t)damaged[i];
        assert_int_equal(sn_model_check_contents("seed", &copy), SN_ERROR_FORMAT);
        corners[23] = 0;
        edges[5] = (int32_t)damaged[i];
        assert_int_equal(sn_model_check_contents("seed", &copy), SN_ERROR_FORMAT);
    }
    sn_model_release(coupled);
    sn_model *layered = load(FOLDER "layered.sinew");
    assert_true(layered->strain_type == SN_STRAIN_FRAMES && layered->strain_attached_bones[0] == 0);
    sn_model_release(layered);
    sn_model *bar = load(seeds[0]), *flat = load(seeds[1]), *morphs = load(FOLDER "morphs.sinew");
    sn_model *barred = load(seeds[2]);
    assert_true(bar->counts.bone_count == 2 && bar->counts.coarse_level_count > 0 && !sn_model_is_flat(bar));
    assert_true(flat->counts.mode_count == 2 && sn_model_is_flat(flat));
    assert_true(morphs->counts.morph_pair_count > 0 && morphs->counts.expression_count > 0);
    /* weights that are linear along the bar: x times the one is a sum of the others */
    assert_true(barred->counts.constrained_coordinate_count == 7 && barred->counts.coordinate_count == 9);
    assert_int_equal(sn_model_level_mode_count(barred, 1), 2);
    for (int i = 0; i < 4; ++i) { /* more coordinates than modes have; a level of no modes, of more than there are */
        const int wrong[4][2] = {{8, 2}, {7, 0}, {7, 5}, {7, 2}};
        sn_model_counts counts = barred->counts;
        counts.constrained_coordinate_count = wrong[i][0];
        counts.min_mode_count = wrong[i][1];
        assert_int_equal(sn_model_check_counts("seed", &counts), i < 3 ? SN_ERROR_FORMAT : SN_OK);
    }
    sn_model_release(barred);
    sn_model_release(bar);
    sn_model_release(flat);
    sn_model_release(morphs);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_model_seeds(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(seeds_load), cmocka_unit_test(circles_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
