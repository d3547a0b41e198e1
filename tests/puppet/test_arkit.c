/* SPDX-License-Identifier: MIT */
/* VRM's expressions of ARKit's blend shapes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/puppet/arkit.h"

static int shape(const char *name)
{
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        if (strcmp(sn_arkit_name(i), name) == 0) {
            return i;
        }
    }
    fail_msg("%s is no shape of ARKit", name);
    return -1;
}

static int preset(const char *name)
{
    for (int i = 0; i < SN_ARKIT_PRESET_COUNT; ++i) {
        if (strcmp(sn_arkit_preset_name(i), name) == 0) {
            return i;
        }
    }
    fail_msg("%s is no preset", name);
    return -1;
}

/* Of shapes by name that end with null, all of the same weight. */
static double weigh(const char *of, double weight, const char *const *names)
{
    double weights[SN_ARKIT_COUNT] = {0}, presets[SN_ARKIT_PRESET_COUNT];
    for (; *names; ++names) {
        weights[shape(*names)] = weight;
    }
    sn_arkit_presets(weights, presets);
    return presets[preset(of)];
}

#define WEIGH(of, weight, ...) weigh(of, weight, (const char *const[]){__VA_ARGS__, NULL})

static void test_each_row_by_its_names(void **unused)
{
    (void)unused;
    const struct {
        const char *preset, *shape;
        double share;
    } rows[] = {
        {"aa", "jawOpen", 1},
        {"ih", "mouthLowerDownLeft", 0.35},
        {"ih", "mouthLowerDownRight", 0.35},
        {"ih", "mouthUpperUpLeft", 0.15},
        {"ih", "mouthUpperUpRight", 0.15},
        {"ou", "mouthPucker", 1},
        {"ee", "mouthStretchLeft", 0.5},
        {"ee", "mouthStretchRight", 0.5},
        {"oh", "mouthFunnel", 1},
        {"blink", "eyeBlinkLeft", 0.5},
        {"blink", "eyeBlinkRight", 0.5},
        {"blinkLeft", "eyeBlinkLeft", 1},
        {"blinkRight", "eyeBlinkRight", 1},
        {"happy", "mouthSmileLeft", 0.5},
        {"happy", "mouthSmileRight", 0.5},
        {"angry", "browDownLeft", 0.3},
        {"angry", "browDownRight", 0.3},
        {"angry", "noseSneerLeft", 0.2},
        {"angry", "noseSneerRight", 0.2},
        {"sad", "mouthFrownLeft", 0.5},
        {"sad", "mouthFrownRight", 0.5},
        {"surprised", "eyeWideLeft", 0.3},
        {"surprised", "eyeWideRight", 0.3},
        {"surprised", "browInnerUp", 0.4},
        {"lookUp", "eyeLookUpLeft", 0.5},
        {"lookUp", "eyeLookUpRight", 0.5},
        {"lookDown", "eyeLookDownLeft", 0.5},
        {"lookDown", "eyeLookDownRight", 0.5},
        {"lookLeft", "eyeLookOutLeft", 0.5},
        {"lookLeft", "eyeLookInRight", 0.5},
        {"lookRight", "eyeLookInLeft", 0.5},
        {"lookRight", "eyeLookOutRight", 0.5},
    };
    double sums[SN_ARKIT_PRESET_COUNT] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        assert_true(fabs(WEIGH(rows[i].preset, 0.6, rows[i].shape) - 0.6 * rows[i].share) < 1e-12);
        sums[preset(rows[i].preset)] += rows[i].share;
    }
    for (int i = 0; i < SN_ARKIT_PRESET_COUNT; ++i) { /* whoever does all of it has all of it */
        assert_true(fabs(sums[i] - 1) < 1e-12);
    }
}

static void test_one_vowel_at_a_time(void **unused)
{
    (void)unused;
    assert_true(WEIGH("aa", 1, "jawOpen", "mouthClose") == 0);
    assert_true(fabs(WEIGH("aa", 1, "jawOpen", "mouthFunnel") - 0.3) < 1e-12);
    assert_true(WEIGH("oh", 1, "jawOpen", "mouthFunnel") == 1);
    assert_true(WEIGH("aa", 1, "jawOpen", "mouthFunnel", "mouthPucker") == 0); /* never below nothing */
    assert_true(fabs(WEIGH("ee", 1, "jawOpen", "mouthStretchLeft", "mouthStretchRight") - 0.5) < 1e-12);
}

/* Out of the left eye's corner and into the right one's is to the left: about +y. Down is about +x. */
static void test_eyes(void **unused)
{
    (void)unused;
    double weights[SN_ARKIT_COUNT] = {0}, eyes[2][4];
    weights[shape("eyeLookOutLeft")] = weights[shape("eyeLookInRight")] = 0.5;
    sn_arkit_eyes(weights, eyes);
    for (int eye = 0; eye < 2; ++eye) {
        assert_true(fabs(eyes[eye][1] - sin(SN_EYE_ANGLE_LIMIT / 4)) < 1e-12 && eyes[eye][0] == 0);
    }
    memset(weights, 0, sizeof weights);
    weights[shape("eyeLookDownRight")] = 1;
    sn_arkit_eyes(weights, eyes);
    assert_true(eyes[0][0] == 0 && eyes[0][3] == 1);
    assert_true(fabs(eyes[1][0] - sin(SN_EYE_ANGLE_LIMIT / 2)) < 1e-12);
}

static void test_a_mirror(void **unused)
{
    (void)unused;
    double weights[SN_ARKIT_COUNT];
    uint64_t known = UINT64_C(1) << shape("eyeBlinkLeft") | UINT64_C(1) << shape("jawOpen");
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        weights[i] = i;
    }
    sn_arkit_mirror(&known, weights);
    assert_true(known == (UINT64_C(1) << shape("eyeBlinkRight") | UINT64_C(1) << shape("jawOpen")));
    assert_true(weights[shape("eyeBlinkRight")] == shape("eyeBlinkLeft"));
    assert_true(weights[shape("mouthLeft")] == shape("mouthRight") && weights[shape("jawRight")] == shape("jawLeft"));
    int moved = 0;
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        const bool has_side = strstr(sn_arkit_name(i), "Left") || strstr(sn_arkit_name(i), "Right");
        assert_int_equal(weights[i] != i, has_side);
        moved += weights[i] != i;
    }
    assert_true(moved > 30);
}

int test_arkit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_row_by_its_names),
        cmocka_unit_test(test_one_vowel_at_a_time),
        cmocka_unit_test(test_eyes),
        cmocka_unit_test(test_a_mirror),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
