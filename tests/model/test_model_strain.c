/* SPDX-License-Identifier: MIT */
/* The binary form of layered bodies, and of places in tets: kept, and refused where a body could not be stepped or
 * drawn by it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/model/model_test.h"

/* One thing wrong with what layered bodies have, or nothing: 0. */
static void spoil_strain(int fault, sn_model *with, int32_t *bones, float *stiffness, float *frames)
{
    with->strain_type = fault == 1 ? 3 : fault == 2 ? 1.5 : fault == 3 ? NAN : SN_STRAIN_FRAMES;
    with->is_flat = fault == 4 ? 1 : 0;
    bones[2] = fault == 5 ? 1 : fault == 6 ? -2 : -1;
    stiffness[SN_STRAIN_STRETCH + 1] = fault == 7 ? NAN : fault == 8 ? -1 : 20;
    stiffness[SN_STRAIN_SHEAR] = fault == 9 ? INFINITY : 1;
    stiffness[SN_STRAIN_VOLUME] = fault == 10 ? 0.5F : 1;  /* less than every shear */
    frames[8] = fault == 11 ? -1 : fault == 12 ? 1.1F : 1; /* a reflection; no unit vector */
    frames[1] = fault == 13 ? 0.1F : 0;
}
#define STRAIN_FAULTS 14

/* Likewise, with what all models have, but layered bodies cannot do without: copies of the model's. */
static bool spoil_flesh(int fault, const sn_model *model, sn_arena *arena, sn_model *with)
{
    const size_t n = (size_t)model->counts.vertex_count, t = (size_t)model->counts.tet_count;
    const size_t weights = n * (size_t)model->counts.bone_count;
    const float masses[] = {0, 1e-38F, INFINITY, NAN}, stiffnesses[] = {0, 1e-35F};
    float *mass = SN_NEW(arena, float, n), *positions = SN_NEW(arena, float, 3 * n);
    float *rig = SN_NEW(arena, float, weights), *stiffness = SN_NEW(arena, float, SN_STRAIN_STIFFNESS_COUNT *t);
    int32_t *tets = SN_NEW(arena, int32_t, 4 * t);
    memcpy(mass, model->vertex_mass, n * sizeof *mass);
    memcpy(positions, model->rest_positions, 3 * n * sizeof *positions);
    memcpy(rig, model->rig_weights, weights * sizeof *rig);
    memcpy(stiffness, with->strain_stiffness, SN_STRAIN_STIFFNESS_COUNT * t * sizeof *stiffness);
    memcpy(tets, model->tets, 4 * t * sizeof *tets);
    with->vertex_mass = mass;
    with->rest_positions = positions;
    with->rig_weights = rig;
    with->strain_stiffness = stiffness;
    with->tets = tets;
    if (fault >= 1 && fault <= 4) {
        mass[3] = masses[fault - 1];
    } else if (fault == 5 || fault == 6) {
        for (int i = 0; i < SN_STRAIN_STIFFNESS_COUNT; ++i) {
            stiffness[SN_STRAIN_STIFFNESS_COUNT * (t - 1) + (size_t)i] = stiffnesses[fault - 5];
        }
    } else if (fault == 7 || fault == 8) {
        positions[3 * n - 1] = fault == 7 ? NAN : -INFINITY;
    } else if (fault == 9) { /* inside out */
        tets[4] = model->tets[5];
        tets[5] = model->tets[4];
    } else if (fault == 10) { /* without a volume */
        tets[4] = model->tets[5];
    } else if (fault == 11) {
        rig[weights - 1] = INFINITY;
    }
    return fault < 12;
}

static void refuse_spoilt_flesh(const sn_model *layered, sn_arena *arena)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    sn_model *loaded = NULL, with = *layered;
    for (int fault = 0; spoil_flesh(fault, layered, arena, &with); ++fault) {
        assert_int_equal(sn_model_write(&with, arena, &bytes, &size), SN_OK);
        if (fault > 0) {
            expect_refused(bytes, size, SN_ERROR_FORMAT);
        } else {
            assert_int_equal(sn_model_load(bytes, size, &loaded), SN_OK);
            sn_model_release(loaded);
        }
        with = *layered;
    }
}

/* Of a vertex that lies in a tet: what is no place there. */
static void test_places_in_tets(void **state)
{
    (void)state;
    static const float bad[][4] = {{0, 0, 0, 0}, {NAN, 0.5F, 0.5F, 0}, {1, INFINITY, 0, 0}, {-1, -0.5F, 0, 0}};
    sn_cook_context cooking;
    cook_bar(&cooking);
    sn_model *model = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    const size_t n = (size_t)model->counts.surface_vertex_count;
    float *places = SN_NEW(&cooking.arena, float, 4 * n);
    assert_true(n > 1 && model->surface_tets[1] >= 0);
    memcpy(places, model->surface_barycentric, 4 * n * sizeof *places);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        sn_model with = *model;
        with.surface_barycentric = places;
        memcpy(places + 4, bad[i], sizeof bad[i]);
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        expect_refused(bytes, size, SN_ERROR_FORMAT);
    }
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

static void test_strain_is_kept(void **state)
{
    (void)state;
    sn_cook_context cooking;
    cook_bar(&cooking);
    sn_model *model = NULL, *loaded = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert_int_equal(sn_model_load(cooking.bytes, cooking.size, &model), SN_OK);
    assert_false(sn_model_is_layered(model));
    const size_t n = (size_t)model->counts.vertex_count, t = (size_t)model->counts.tet_count;
    int32_t *bones = SN_NEW(&cooking.arena, int32_t, n);
    float *stiffness = SN_NEW(&cooking.arena, float, SN_STRAIN_STIFFNESS_COUNT *t);
    float *frames = SN_NEW(&cooking.arena, float, 9 * t);
    for (size_t i = 0; i < SN_STRAIN_STIFFNESS_COUNT * t; ++i) {
        stiffness[i] = 1;
    }
    for (size_t i = 0; i < 9 * t; ++i) {
        frames[i] = i % 9 % 4 == 0 ? 1 : 0;
    }
    for (int fault = 0; fault < STRAIN_FAULTS; ++fault) {
        sn_model with = *model;
        with.strain_attached_bones = bones;
        with.strain_stiffness = stiffness;
        with.strain_frames = frames;
        spoil_strain(fault, &with, bones, stiffness, frames);
        assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
        if (fault > 0) {
            expect_refused(bytes, size, SN_ERROR_FORMAT);
            continue;
        }
        assert_int_equal(sn_model_load(bytes, size, &loaded), SN_OK);
        assert_true(sn_model_is_layered(loaded) && loaded->bone_collider_count == 0);
        assert_memory_equal(loaded->strain_attached_bones, bones, n * sizeof *bones);
        assert_memory_equal(loaded->strain_stiffness, stiffness, t * SN_STRAIN_STIFFNESS_COUNT * sizeof *stiffness);
        assert_memory_equal(loaded->strain_frames, frames, 9 * t * sizeof *frames);
        sn_model_release(loaded);
    }
    sn_model with = *model; /* in the model's axes */
    spoil_strain(0, &with, bones, stiffness, frames);
    with.strain_type = SN_STRAIN_GLOBAL;
    with.strain_attached_bones = bones;
    with.strain_stiffness = stiffness;
    assert_int_equal(sn_model_write(&with, &cooking.arena, &bytes, &size), SN_OK);
    assert_int_equal(sn_model_load(bytes, size, &loaded), SN_OK);
    assert_true(sn_model_is_layered(loaded));
    sn_model_release(loaded);
    refuse_spoilt_flesh(&with, &cooking.arena);
    sn_model_release(model);
    sn_cook_context_finish(&cooking);
}

int test_model_strain(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strain_is_kept),
        cmocka_unit_test(test_places_in_tets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
