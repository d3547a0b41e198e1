/* SPDX-License-Identifier: MIT */
/* Messages of a page: any subset of their parts is taken, and nothing that is not quite one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/puppet/message.h"

#define HEAD "\"sinew\": \"landmarks\", \"version\": 1, \"time\": 1500"

static sn_landmarks landmarks;
static int version;

static sn_message_result read(const char *text)
{
    return sn_message_read(text, strlen(text), &landmarks, &version);
}

static void expect(sn_message_result parse_result, const char *text)
{
    const sn_landmarks nothing = {0};
    const sn_message_result got = read(text);
    if (got != parse_result) {
        fail_msg("%.200s: %s, expected %s", text, sn_message_result_name(got), sn_message_result_name(parse_result));
    }
    if (got != SN_MESSAGE_ACCEPTED) {
        assert_memory_equal(&landmarks, &nothing, sizeof nothing);
    }
}

/* "NAME": [[...], ...] with `count` points of `width` numbers, each its own; the caller frees it. */
static char *points(const char *name, int count, int width, double step)
{
    char *text = malloc(65536);
    assert_non_null(text);
    int at = sprintf(text, "{" HEAD ", \"%s\": [", name);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < width; ++k) {
            at += sprintf(text + at, "%s%.3f", k > 0 ? "," : i > 0 ? ",[" : "[", step * (width * i + k));
        }
        at += sprintf(text + at, "]");
    }
    sprintf(text + at, "]}");
    return text;
}

static void expect_points(sn_message_result parse_result, const char *name, int count, int width, double step)
{
    char *text = points(name, count, width, step);
    expect(parse_result, text);
    free(text);
}

static void test_any_part_or_none(void **unused)
{
    (void)unused;
    expect(SN_MESSAGE_ACCEPTED, "{" HEAD "}");
    assert_true(landmarks.seconds == 1.5 && !landmarks.mirrored && !landmarks.has_pose && !landmarks.has_face);
    expect(SN_MESSAGE_ACCEPTED,
           "{" HEAD ", \"pose\": null, \"face\": null, \"blendshapes\": null, \"mirrored\": null}");
    assert_true(!landmarks.has_pose && !landmarks.has_face && landmarks.blendshapes == 0);
    expect(SN_MESSAGE_ACCEPTED, "{" HEAD ", \"mirrored\": true, \"of later versions\": [1, {}]}");
    assert_true(landmarks.mirrored);
}

static void test_points(void **unused)
{
    (void)unused;
    expect_points(SN_MESSAGE_ACCEPTED, "pose", SN_POSE_COUNT, 4, 0.005);
    assert_true(landmarks.has_pose && !landmarks.has_hand[0] && !landmarks.has_hand[1]);
    assert_true(fabs(landmarks.pose[32][3] - 0.655) < 1e-12);
    expect_points(SN_MESSAGE_ACCEPTED, "image", SN_POSE_COUNT, 2, -0.005);
    assert_true(!landmarks.has_pose && landmarks.has_image && fabs(landmarks.image[32][1] + 0.325) < 1e-12);
    expect_points(SN_MESSAGE_ACCEPTED, "rightHand", SN_HAND_COUNT, 3, -0.001);
    assert_true(!landmarks.has_pose && !landmarks.has_hand[0] && landmarks.has_hand[1]);
    assert_true(fabs(landmarks.hands[1][20][2] + 0.062) < 1e-12);
}

static void test_faces(void **unused)
{
    (void)unused;
    expect(SN_MESSAGE_ACCEPTED, "{" HEAD ", \"face\": [1,0,0,0, 0,1,0,0, 0,0,1,0, -1.5,2,-40,1]}");
    assert_true(landmarks.has_face && landmarks.face[12] == -1.5);
    expect(SN_MESSAGE_ACCEPTED,
           "{" HEAD ", \"blendshapes\": {\"_neutral\": 0.5, \"jawOpen\": 0.25, \"tongueOut\": 1.2, \"other\": 1}}");
    const uint64_t known = UINT64_C(1) << 17 | UINT64_C(1) << 51;
    assert_true(landmarks.blendshapes == known && landmarks.blendshape_weights[17] == 0.25);
    assert_true(landmarks.blendshape_weights[51] == 1);
}

static void test_other_versions(void **unused)
{
    (void)unused;
    const char *const texts[] = {"{\"sinew\": \"landmarks\", \"version\": 2, \"time\": 0}",
                                 "{\"sinew\": \"landmarks\", \"version\": \"1\", \"time\": 0}",
                                 "{\"sinew\": \"landmarks\", \"time\": 0}",
                                 "{\"sinew\": \"bones\", \"version\": 1, \"time\": 0}",
                                 "{\"sinew\": 1, \"version\": 1, \"time\": 0}",
                                 "{}",
                                 "[]",
                                 "{\"sinew\": \"landmarks\", \"version\": 99999999999, \"time\": 0}"};
    const int versions[] = {2, 0, 0, 1, 1, 0, 0, 0};
    for (int i = 0; i < 8; ++i) {
        expect(SN_MESSAGE_WRONG_VERSION, texts[i]);
        assert_int_equal(version, versions[i]);
    }
}

static void test_no_json(void **unused)
{
    (void)unused;
    const char *const texts[] = {"",
                                 "{",
                                 "landmarks",
                                 "{" HEAD ", \"face\": [NaN]}",
                                 "{" HEAD ", \"face\": [1e999]}",
                                 "{" HEAD ", \"pose\": [[Infinity]]}",
                                 "{" HEAD ", \"time\": 1}",
                                 "{" HEAD "} {}",
                                 "{" HEAD ", \"\xff\": 1}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        expect(SN_MESSAGE_NOT_JSON, texts[i]);
    }
    char *deep = malloc(SN_MESSAGE_SIZE_LIMIT);
    assert_non_null(deep);
    memset(deep, '[', SN_MESSAGE_SIZE_LIMIT);
    assert_int_equal(sn_message_read(deep, SN_MESSAGE_SIZE_LIMIT, &landmarks, &version), SN_MESSAGE_NOT_JSON);
    free(deep);
}

static void test_wrong_shapes(void **unused)
{
    (void)unused;
    expect_points(SN_MESSAGE_WRONG_SHAPE, "pose", SN_POSE_COUNT - 1, 4, 0.001);
    expect_points(SN_MESSAGE_WRONG_SHAPE, "pose", SN_POSE_COUNT + 1, 4, 0.001);
    expect_points(SN_MESSAGE_WRONG_SHAPE, "pose", SN_POSE_COUNT, 3, 0.001);
    expect_points(SN_MESSAGE_WRONG_SHAPE, "image", SN_POSE_COUNT, 3, 0.001);
    expect_points(SN_MESSAGE_WRONG_SHAPE, "image", SN_HAND_COUNT, 2, 0.001);
    expect_points(SN_MESSAGE_WRONG_SHAPE, "leftHand", SN_POSE_COUNT, 3, 0.001);
    expect_points(SN_MESSAGE_WRONG_SHAPE, "leftHand", SN_HAND_COUNT, 4, 0.001);
    const char *const texts[] = {"{\"sinew\": \"landmarks\", \"version\": 1}",
                                 "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": \"0\"}",
                                 "{" HEAD ", \"mirrored\": 1}",
                                 "{" HEAD ", \"pose\": {}}",
                                 "{" HEAD ", \"pose\": []}",
                                 "{" HEAD ", \"pose\": 3}",
                                 "{" HEAD ", \"face\": [1, 2, 3]}",
                                 "{" HEAD ", \"face\": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,\"0\",1]}",
                                 "{" HEAD ", \"blendshapes\": [0.1, 0.2]}",
                                 "{" HEAD ", \"blendshapes\": {\"jawOpen\": true}}",
                                 "{" HEAD ", \"blendshapes\": {\"other\": \"x\"}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        expect(SN_MESSAGE_WRONG_SHAPE, texts[i]);
    }
}

static void test_numbers_out_of_range(void **unused)
{
    (void)unused;
    expect_points(SN_MESSAGE_OUT_OF_RANGE, "pose", SN_POSE_COUNT, 4, 0.1); /* visibilities beyond 1 */
    expect_points(SN_MESSAGE_OUT_OF_RANGE, "pose", SN_POSE_COUNT, 4, -0.005);
    expect_points(SN_MESSAGE_OUT_OF_RANGE, "image", SN_POSE_COUNT, 2, 1e30);
    expect_points(SN_MESSAGE_OUT_OF_RANGE, "leftHand", SN_HAND_COUNT, 3, 1e30);
    expect(SN_MESSAGE_OUT_OF_RANGE, "{" HEAD ", \"face\": [1e300,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]}");
    expect(SN_MESSAGE_OUT_OF_RANGE, "{" HEAD ", \"blendshapes\": {\"jawOpen\": -1e9}}");
    expect(SN_MESSAGE_OUT_OF_RANGE, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": -1}");
    expect(SN_MESSAGE_OUT_OF_RANGE, "{\"sinew\": \"landmarks\", \"version\": 1, \"time\": 1e20}");
}

static void test_size_limit(void **unused)
{
    (void)unused;
    char *text = malloc(SN_MESSAGE_SIZE_LIMIT + 1);
    assert_non_null(text);
    memset(text, ' ', SN_MESSAGE_SIZE_LIMIT + 1);
    memcpy(text, "{" HEAD "}", sizeof "{" HEAD "}" - 1);
    assert_int_equal(sn_message_read(text, SN_MESSAGE_SIZE_LIMIT, &landmarks, &version), SN_MESSAGE_ACCEPTED);
    assert_int_equal(sn_message_read(text, SN_MESSAGE_SIZE_LIMIT + 1, &landmarks, &version), SN_MESSAGE_TOO_LARGE);
    free(text);
}

int test_message(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_part_or_none),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_other_versions),
        cmocka_unit_test(test_no_json),
        cmocka_unit_test(test_wrong_shapes),
        cmocka_unit_test(test_numbers_out_of_range),
        cmocka_unit_test(test_size_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
