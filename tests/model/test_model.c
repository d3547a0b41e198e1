/* SPDX-License-Identifier: MIT */
/* The binary form: round trip, same bytes for the same input, damage found, newer versions refused, clips sampled. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/retarget/model_skeleton.h"
#include "host/base/hash.h"
#include "host/math/affine.h"
#include "tests/model/model_test.h"

#define CHECKSUM_AT 24
#define BODY_AT 64

static void test_round_trip(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    assert_int_equal(sn_model_vertex_count(model), 7 * 3 * 3);
    assert_int_equal(sn_model_tet_count(model), 6 * 6 * 2 * 2);
    assert_int_equal(sn_model_mode_count(model), 5);
    assert_int_equal(sn_model_bone_count(model), 1);
    assert_int_equal(sn_model_clip_count(model), 0);
    assert_null(sn_model_clip_name(model, 0));
    for (int i = 0; i < 5; ++i) {
        assert_true(model->mode_eigenvalues[i] == cooking.modes.eigenvalues[i]);
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sn_model_write(model, &cooking.arena, &bytes, &size), SN_OK);
    assert_int_equal(size, cooking.size);
    assert_memory_equal(bytes, cooking.bytes, size);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

/* What a file need not have: without it, it is as it was before there was such. */
static void test_roles_are_kept_where_there_are_any(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    sn_model *model = NULL, *loaded = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    const int32_t roles[2] = {SN_HUMANOID_HEAD, SN_HUMANOID_COUNT};
    sn_rig_skeleton skeleton;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    assert_int_equal(sn_model_skeleton(model, &cooking.arena, &skeleton), SN_OK);
    assert_true(!skeleton.roles && skeleton.joint_count == 1 && skeleton.parents[0] == -1);
    assert_string_equal(skeleton.names[0], sn_model_bone_name(model, 0));
    for (int i = 0; i < 2; ++i) { /* a role, and one that is none */
        sn_model with = *model;
        with.has_roles = 1;
        with.bone_roles = roles + i;
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        if (i == 1) {
            expect_refused(bytes, size, SN_ERROR_FORMAT);
            continue;
        }
        assert_int_equal(sn_model_load(bytes, size, &loaded), SN_OK);
        assert_int_equal(sn_model_skeleton(loaded, &cooking.arena, &skeleton), SN_OK);
        assert_int_equal(skeleton.roles[0], SN_HUMANOID_HEAD);
        assert_true(loaded->is_posed == 0 && loaded->scale == model->scale);
        assert_memory_equal(loaded->rest_positions, model->rest_positions,
                            3 * sizeof(float) * (size_t)sn_model_vertex_count(model));
        sn_model_release(loaded);
    }
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

/* Likewise; and what is none is refused. */
static void test_bone_colliders_are_kept(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    sn_model *model = NULL, *loaded = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    assert_int_equal(sn_model_bone_collider_count(model), 0);
    const sn_bone_collider sound = {
        .shape = SN_COLLIDER_CAPSULE, .radius = 1, .half_height = 2, .transform = {1, 0, 0, 3, 0, 1, 0, 4, 0, 0, 1, 5}};
    sn_bone_collider all[10];
    for (int i = 0; i < 10; ++i) {
        all[i] = sound;
    }
    all[1].bone = 1;
    all[2].bone = -1;
    all[3].shape = SN_COLLIDER_BOX;
    all[4].radius = -1;
    all[5].half_height = NAN;
    all[6].friction = INFINITY;
    all[7].transform[5] = 2;
    all[8].transform[3] = NAN;
    float *clearances = SN_NEW(&cooking.arena, float, model->counts.sample_count);
    clearances[0] = -FLT_MAX;
    for (int i = 0; i < 10; ++i) {
        sn_model with = *model;
        with.bone_collider_count = 1;
        with.bone_colliders = all + i;
        with.sample_clearances = clearances;
        clearances[1] = i == 9 ? NAN : 0;
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        if (i > 0) {
            expect_refused(bytes, size, SN_ERROR_FORMAT);
            continue;
        }
        assert_int_equal(sn_model_load(bytes, size, &loaded), SN_OK);
        const sn_model_bone_collider told = sn_model_get_bone_collider(loaded, 0);
        assert_string_equal(told.shape, "capsule");
        assert_true(told.radius == 1 && told.half_height == 2 && told.transform.m[2][3] == 5);
        assert_int_equal(told.sample_count, model->counts.sample_count - 1);
        sn_model_release(loaded);
    }
    const double counts[] = {-1, 0.5, 129, NAN, INFINITY};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        sn_model with = *model;
        with.bone_collider_count = counts[i];
        with.bone_colliders = all;
        with.sample_clearances = clearances;
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        expect_refused(bytes, size, SN_ERROR_FORMAT);
    }
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

static void test_same_input_same_bytes(void **state)
{
    (void)state;
    sn_cook_context a, b;
    cook_bar(&a);
    cook_bar(&b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    sn_cook_context_finish(&a);
    sn_cook_context_finish(&b);
}

/* Writes a right checksum over what was damaged, so that the checks behind it are met. */
static void seal(uint8_t *bytes, size_t size)
{
    const uint64_t checksum = sn_hash(SN_HASH_SEED, bytes + BODY_AT, size - BODY_AT);
    memcpy(bytes + CHECKSUM_AT, &checksum, sizeof checksum);
}

static void test_damage_is_found(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    uint8_t *copy = SN_NEW(&cooking.arena, uint8_t, cooking.size);
    expect_refused(cooking.bytes, 0, SN_ERROR_FORMAT);
    expect_refused(cooking.bytes, 63, SN_ERROR_FORMAT);
    expect_refused(cooking.bytes, 64, SN_ERROR_FORMAT);
    expect_refused(cooking.bytes, cooking.size - 1, SN_ERROR_FORMAT);
    for (size_t at = 0; at < cooking.size; at += 1 + cooking.size / 997) {
        if (at >= 32 && at < BODY_AT) {
            continue; /* reserved */
        }
        memcpy(copy, cooking.bytes, cooking.size);
        copy[at] ^= 0x5a;
        sn_model *model = NULL;
        begin_log();
        assert_int_not_equal(sn_model_load(copy, cooking.size, &model), SN_OK);
        assert_int_equal(logged.errors, 1);
    }
    sn_set_log(NULL, NULL);
    sn_cook_context_finish(&cooking);
}

static void test_newer_version_is_named(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    cooking.bytes[8] = SN_MODEL_VERSION + 1;
    expect_refused(cooking.bytes, cooking.size, SN_ERROR_UNSUPPORTED);
    char version[32];
    snprintf(version, sizeof version, "version %d,", SN_MODEL_VERSION + 1);
    assert_non_null(strstr(logged.last, version));
    sn_set_log(NULL, NULL);
    sn_cook_context_finish(&cooking);
}

/* Behind a right checksum: counts and scalars of any value never crash (the sanitizers watch). */
static void test_sealed_damage_is_safe(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    uint8_t *copy = SN_NEW(&cooking.arena, uint8_t, cooking.size);
    const int32_t values[] = {-1, INT32_MAX, INT32_MIN, 1 << 20, 0};
    for (size_t at = BODY_AT; at < BODY_AT + 400; at += 4) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
            memcpy(copy, cooking.bytes, cooking.size);
            memcpy(copy + at, &values[i], sizeof values[i]);
            seal(copy, cooking.size);
            sn_model *model = NULL;
            if (sn_model_load(copy, cooking.size, &model) == SN_OK) {
                sn_model_release(model);
            }
        }
    }
    sn_cook_context_finish(&cooking);
}

/* Every array of indices: below and beyond its range, at its start and its end. */
static void test_indices_are_checked(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    const sn_model_counts *c = &model->counts;
    assert_true(c->coarse_level_count > 0);
    const struct {
        const int32_t *array;
        int count;
        int32_t below, beyond;
    } arrays[] = {
        {model->tets, 4 * c->tet_count, -1, c->vertex_count},
        {model->triangles, 3 * c->triangle_count, -1, c->vertex_count},
        {model->tet_clusters, c->tet_count, -1, c->cluster_count},
        {model->coarse_clusters, c->coarse_level_count * c->cluster_count, -1, model->coarse_cluster_counts[0]},
        {model->coarse_cluster_counts, c->coarse_level_count, 0, c->cluster_count},
        {model->bone_parents, c->bone_count, -2, c->bone_count},
        {model->surface_tets, c->surface_vertex_count, -2, c->tet_count},
        {model->bone_types, c->bone_count, -1, SN_BONE_TYPE_COUNT}};
    uint8_t *copy = SN_NEW(&cooking.arena, uint8_t, cooking.size);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        const int32_t values[2] = {arrays[i].below, arrays[i].beyond};
        const int places[2] = {0, arrays[i].count - 1};
        for (int j = 0; j < 4; ++j) {
            const size_t at = (size_t)((const uint8_t *)(arrays[i].array + places[j / 2]) - cooking.bytes);
            memcpy(copy, cooking.bytes, cooking.size);
            memcpy(copy + at, &values[j % 2], sizeof values[0]);
            seal(copy, cooking.size);
            expect_refused(copy, cooking.size, SN_ERROR_FORMAT);
        }
    }
    /* a pivot that is nowhere */
    const float bad = NAN;
    memcpy(copy, cooking.bytes, cooking.size);
    memcpy(copy + ((const uint8_t *)model->bone_pivots - cooking.bytes) + 2 * sizeof(float), &bad, sizeof bad);
    seal(copy, cooking.size);
    expect_refused(copy, cooking.size, SN_ERROR_FORMAT);
    memcpy(copy, cooking.bytes, cooking.size);
    memcpy(copy + ((const uint8_t *)model->bone_tails - cooking.bytes) + 3 * sizeof(float), &bad, sizeof bad);
    seal(copy, cooking.size);
    expect_refused(copy, cooking.size, SN_ERROR_FORMAT);
    /* a name that runs into what follows */
    memcpy(copy, cooking.bytes, cooking.size);
    copy[(const uint8_t *)model->bone_names - cooking.bytes + c->bone_name_bytes - 1] = 'x';
    seal(copy, cooking.size);
    expect_refused(copy, cooking.size, SN_ERROR_FORMAT);
    sn_set_log(NULL, NULL);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

static void test_clips_are_sampled_and_loop(void **state)
{
    (void)state;
    const int32_t frame_counts[2] = {1, 3};
    const double rates[2] = {60, 10};
    float transforms[4 * 12] = {0};
    for (int frame = 0; frame < 4; ++frame) {
        transforms[12 * frame + 3] = (float)(frame == 0 ? 7 : 10 * (frame - 1));
    }
    sn_model model = {.counts = {.bone_count = 1, .clip_count = 2, .clip_frame_total = 4, .clip_name_bytes = 9},
                      .clip_frame_counts = frame_counts,
                      .clip_frame_rates = rates,
                      .clip_transforms = transforms,
                      .clip_names = "hold\0walk"};
    double pose[12];
    assert_int_equal(sn_model_find_clip(&model, "walk"), 1);
    assert_int_equal(sn_model_find_clip(&model, "run"), -1);
    assert_true(fabs(sn_model_clip_seconds(&model, 1) - 0.2) < 1e-12);
    sn_model_sample_clip(&model, 0, 5.5, pose);
    assert_true(pose[3] == 7);
    const double times[] = {0, 0.05, 0.1, 0.15, 0.25, 2.05, -0.15, -2}, expected[] = {0, 5, 10, 15, 5, 5, 5, 0};
    for (int i = 0; i < 8; ++i) {
        sn_model_sample_clip(&model, 1, times[i], pose);
        assert_true(fabs(pose[3] - expected[i]) < 1e-6);
    }
}

/* A pose alone is where the model rests, and hops; with another clip it is only one of them. */
static void test_a_pose_is_hopped_in(void **state)
{
    (void)state;
    const int32_t frame_counts[2] = {1, 1};
    const double rates[2] = {60, 60};
    float transforms[24] = {1, 0, 0, 2, 0, 0, -1, 3, 0, 1, 0, 4}; /* by a quarter about x, and off */
    sn_model model = {.counts = {.bone_count = 1, .clip_count = 1, .clip_frame_total = 1},
                      .diagonal = 1,
                      .clip_frame_counts = frame_counts,
                      .clip_frame_rates = rates,
                      .clip_transforms = transforms};
    double rest[12], posed[12], plain[12];
    assert_true(sn_model_has_rest_pose_only(&model));
    sn_model_rest_pose(&model, rest);
    for (int i = 0; i < 12; ++i) {
        assert_true(rest[i] == (double)transforms[i]);
    }
    for (int step = 0; step < 120; step += 7) {
        double expected[12];
        model.counts.clip_count = 0;
        sn_model_hop(&model, step / 60.0, plain);
        model.counts.clip_count = 1;
        sn_model_hop(&model, step / 60.0, posed);
        sn_affine_multiply(plain, rest, expected);
        assert_memory_equal(posed, expected, sizeof expected);
    }
    model.counts.clip_count = 2;
    assert_false(sn_model_has_rest_pose_only(&model));
    sn_model_rest_pose(&model, rest);
    assert_true(rest[0] == 1 && rest[3] == 0 && rest[5] == 1 && rest[7] == 0);
}

/* For coupled bodies: no modes, no clusters, and nothing of either. What is drawn lies in the tets. */
static void test_a_model_may_have_no_modes(void **state)
{
    (void)state;
    sn_cook_context cooking = {.path = NULL};
    sn_cook_desc desc = sn_default_cook_desc();
    sn_model *model = NULL;
    cooking.mesh = sn_test_bar(&cooking.arena, 6, 2, 2, 0.5);
    desc.is_coupled = true;
    assert_int_equal(sn_cook_context_run(&cooking, "bar", &desc), SN_OK);
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    const sn_model_counts *c = &model->counts;
    assert_true(c->mode_count == 0 && c->cluster_count == 0 && c->coordinate_count == 0 && c->coarse_level_count == 0);
    assert_int_equal(sn_model_cluster_level_count(model), 1);
    assert_int_equal(sn_model_level_cluster_count(model, 0), 0);
    assert_true(c->sample_count > 0);
    for (int v = 0; v < c->surface_vertex_count; ++v) {
        assert_false(sn_model_is_vertex_rigid(model, (size_t)v));
        for (int d = 0; d < 3; ++d) {
            double place = 0;
            for (int corner = 0; corner < 4; ++corner) {
                const int32_t vertex = model->tets[4 * model->surface_tets[v] + corner];
                place +=
                    (double)model->surface_barycentric[4 * v + corner] * (double)model->rest_positions[3 * vertex + d];
            }
            assert_true(fabs(place - (double)model->surface_positions[3 * v + d]) < 1e-6);
        }
    }
    double pivot[3]; /* of the one handle: the middle */
    sn_model_bone_pivot(model, 0, pivot);
    assert_true(fabs(pivot[0]) + fabs(pivot[1]) + fabs(pivot[2]) < 1e-6);
    /* some of these and not others are damage */
    uint8_t *copy = SN_NEW(&cooking.arena, uint8_t, cooking.size);
    const sn_model_counts *counts = (const sn_model_counts *)(const void *)(copy + BODY_AT);
    const int32_t *const places[] = {&counts->mode_count, &counts->cluster_count, &counts->coarse_level_count};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        const int32_t one = 1;
        memcpy(copy, cooking.bytes, cooking.size);
        memcpy(copy + ((const uint8_t *)places[i] - copy), &one, sizeof one);
        seal(copy, cooking.size);
        expect_refused(copy, cooking.size, SN_ERROR_FORMAT);
    }
    sn_set_log(NULL, NULL);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

/* Bytes, and a range of each texture within them. */
static void test_encoded_textures_are_kept(void **state)
{
    (void)state;
    static const struct {
        double bytes;
        sn_encoded_texture range;
    } faults[] = {{(double)NAN, {0, 3}}, {-1, {0, 0}},        {2.5, {0, 2}}, {4, {-1, 3}},
                  {4, {0, -1}},          {4, {INT32_MAX, 1}}, {4, {2, 3}},   {2e9, {0, 0}}};
    sn_cook_context cooking;
    cook_bar(&cooking);
    sn_model *model = NULL, *loaded = NULL;
    uint8_t *bytes = NULL, pixels[4] = {1, 2, 3, 255};
    size_t size = 0;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    assert_true(model->encoded_texture_bytes == 0);
    const sn_texture texture = {1, 1, 0, 0, 0, 0};
    sn_encoded_texture range = {1, 3};
    sn_model with = *model;
    with.counts.texture_count = 1;
    with.counts.texture_bytes = 4;
    with.textures = &texture;
    with.texture_pixels = pixels;
    with.encoded_textures = &range;
    with.encoded_texture_data = (const uint8_t *)"jpeg";
    with.encoded_texture_bytes = 4;
    assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
    assert_int_equal(sn_model_load(bytes, size, &loaded), SN_OK);
    assert_true(loaded->encoded_textures[0].first_byte == 1 && loaded->encoded_textures[0].byte_count == 3);
    assert_memory_equal(loaded->encoded_texture_data, "jpeg", 4);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
        with.encoded_texture_bytes = faults[i].bytes;
        range = faults[i].range;
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        expect_refused(bytes, size, SN_ERROR_FORMAT);
    }
    sn_set_log(NULL, NULL);
    sn_model_release(loaded);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

/* One thing wrong with a toon material, or nothing: 0. */
static void spoil_toon(int fault, sn_model *with, sn_toon_material *toon)
{
    *toon = (sn_toon_material){.is_toon = 1, .outline = SN_OUTLINE_WORLD, .outline_width = 0.5F};
    with->toon_count = fault == 1 ? (double)NAN : with->counts.material_count + (fault == 2);
    toon->outline = fault == 3 ? SN_OUTLINE_COUNT : toon->outline;
    toon->textures[1] = fault == 4 ? with->counts.texture_count : fault == 5 ? -2 : -1;
    toon->uv_rotation = fault == 6 ? NAN : 1;
    toon->shade_color[0] = fault == 7 ? INFINITY : 1;
    for (int use = 0; use < SN_TOON_TEXTURE_USE_COUNT; ++use) {
        toon->textures[use] = use == 1 ? toon->textures[1] : -1;
    }
}
#define TOON_FAULTS 8

static void test_toon_materials_are_kept(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    sn_model *model = NULL, *loaded = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    assert_null(sn_model_surface(model).toons);
    sn_toon_material *toons = SN_NEW(&cooking.arena, sn_toon_material, model->counts.material_count + 1);
    assert_non_null(toons);
    for (int fault = TOON_FAULTS - 1; fault >= 0; --fault) {
        sn_model with = *model;
        with.toons = toons;
        spoil_toon(fault, &with, &toons[0]);
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        if (fault > 0) {
            expect_refused(bytes, size, SN_ERROR_FORMAT);
        }
    }
    assert_int_equal(sn_model_load(bytes, size, &loaded), SN_OK);
    const sn_toon_material *kept = sn_model_surface(loaded).toons;
    assert_true(kept && kept->is_toon && kept->outline_width == 0.5F && kept->textures[1] == -1);
    sn_set_log(NULL, NULL);
    sn_model_release(loaded);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

int test_model(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_roles_are_kept_where_there_are_any),
        cmocka_unit_test(test_bone_colliders_are_kept),
        cmocka_unit_test(test_toon_materials_are_kept),
        cmocka_unit_test(test_encoded_textures_are_kept),
        cmocka_unit_test(test_same_input_same_bytes),
        cmocka_unit_test(test_damage_is_found),
        cmocka_unit_test(test_newer_version_is_named),
        cmocka_unit_test(test_sealed_damage_is_safe),
        cmocka_unit_test(test_clips_are_sampled_and_loop),
        cmocka_unit_test(test_a_pose_is_hopped_in),
        cmocka_unit_test(test_indices_are_checked),
        cmocka_unit_test(test_a_model_may_have_no_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
