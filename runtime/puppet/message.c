/* SPDX-License-Identifier: MIT */
/* Parses landmark messages. jansson rejects NaN, infinities and numbers out of double's range; the limits here are far
 * beyond any person. A message is accepted completely or rejected. */
#include "runtime/puppet/message.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define COORDINATE_LIMIT 100.0 /* metres; for the face matrix, in cm, see FACE_LIMIT */
#define FACE_LIMIT 1e5
#define WEIGHT_LIMIT 10.0
#define TIME_LIMIT 1e15 /* ms */

const char *sn_message_result_name(sn_message_result parse_result)
{
    static const char *const names[SN_MESSAGE_RESULT_COUNT] = {"accepted", "size",  "json",  "version",
                                                               "shape",    "range", "memory"};
    return names[parse_result];
}

/* Treats null as absent. */
static const json_t *member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

static sn_message_result read_number(const json_t *value, double min_value, double max_value, double *out)
{
    if (!json_is_number(value)) {
        return SN_MESSAGE_WRONG_SHAPE;
    }
    *out = json_number_value(value);
    return *out >= min_value && *out <= max_value ? SN_MESSAGE_ACCEPTED : SN_MESSAGE_OUT_OF_RANGE;
}

static sn_message_result read_numbers(const json_t *array, size_t count, double limit, double *out)
{
    if (!json_is_array(array) || json_array_size(array) != count) {
        return SN_MESSAGE_WRONG_SHAPE;
    }
    sn_message_result parse_result = SN_MESSAGE_ACCEPTED;
    for (size_t i = 0; i < count && parse_result == SN_MESSAGE_ACCEPTED; ++i) {
        parse_result = read_number(json_array_get(array, i), -limit, limit, out + i);
    }
    return parse_result;
}

/* Reads points (point_count x width). *is_present stays false if the member is absent. */
static sn_message_result read_points(const json_t *points, size_t point_count, size_t width, double *out,
                                     bool *is_present)
{
    if (!points) {
        return SN_MESSAGE_ACCEPTED;
    }
    if (!json_is_array(points) || json_array_size(points) != point_count) {
        return SN_MESSAGE_WRONG_SHAPE;
    }
    sn_message_result parse_result = SN_MESSAGE_ACCEPTED;
    for (size_t i = 0; i < point_count && parse_result == SN_MESSAGE_ACCEPTED; ++i) {
        parse_result = read_numbers(json_array_get(points, i), width, COORDINATE_LIMIT, out + width * i);
    }
    *is_present = true;
    return parse_result;
}

static sn_message_result read_pose(const json_t *points, sn_landmarks *landmarks)
{
    sn_message_result parse_result = read_points(points, SN_POSE_COUNT, 4, landmarks->pose[0], &landmarks->has_pose);
    for (int i = 0; i < SN_POSE_COUNT && parse_result == SN_MESSAGE_ACCEPTED; ++i) {
        const double visibility = landmarks->pose[i][3];
        parse_result = visibility >= 0 && visibility <= 1 ? SN_MESSAGE_ACCEPTED : SN_MESSAGE_OUT_OF_RANGE;
    }
    return parse_result;
}

static sn_message_result read_face(const json_t *matrix, sn_landmarks *landmarks)
{
    landmarks->has_face = matrix != NULL;
    return matrix ? read_numbers(matrix, 16, FACE_LIMIT, landmarks->face) : SN_MESSAGE_ACCEPTED;
}

/* Ignores names that are not ARKit's, such as MediaPipe's "_neutral". */
static sn_message_result read_blendshapes(json_t *shapes, sn_landmarks *landmarks)
{
    const char *name;
    json_t *value;
    if (!shapes) {
        return SN_MESSAGE_ACCEPTED;
    }
    if (!json_is_object(shapes)) {
        return SN_MESSAGE_WRONG_SHAPE;
    }
    json_object_foreach(shapes, name, value)
    {
        double weight;
        const sn_message_result parse_result = read_number(value, -WEIGHT_LIMIT, WEIGHT_LIMIT, &weight);
        const int shape = sn_arkit_find(name, strlen(name));
        if (parse_result != SN_MESSAGE_ACCEPTED) {
            return parse_result;
        }
        if (shape >= 0) {
            landmarks->blendshape_weights[shape] = fmin(fmax(weight, 0), 1);
            landmarks->blendshapes |= UINT64_C(1) << shape;
        }
    }
    return SN_MESSAGE_ACCEPTED;
}

static sn_message_result read_header(const json_t *root, sn_landmarks *landmarks, int *version)
{
    const char *message_type = json_string_value(json_object_get(root, "sinew"));
    const json_t *version_value = json_object_get(root, "version");
    const json_int_t number = json_integer_value(version_value);
    *version = number > 0 && number <= INT_MAX ? (int)number : 0;
    if (!message_type || strcmp(message_type, "landmarks") != 0 || *version != SN_MESSAGE_VERSION) {
        return SN_MESSAGE_WRONG_VERSION;
    }
    const json_t *mirrored = member(root, "mirrored");
    if (mirrored && !json_is_boolean(mirrored)) {
        return SN_MESSAGE_WRONG_SHAPE;
    }
    landmarks->mirrored = json_is_true(mirrored);
    const sn_message_result parse_result = read_number(member(root, "time"), 0, TIME_LIMIT, &landmarks->seconds);
    landmarks->seconds /= 1000;
    return parse_result;
}

static sn_message_result read_document(const json_t *root, sn_landmarks *landmarks, int *version)
{
    sn_message_result parse_result = read_header(root, landmarks, version);
    if (parse_result == SN_MESSAGE_ACCEPTED) {
        parse_result = read_pose(member(root, "pose"), landmarks);
    }
    if (parse_result == SN_MESSAGE_ACCEPTED) {
        parse_result = read_points(member(root, "image"), SN_POSE_COUNT, 2, landmarks->image[0], &landmarks->has_image);
    }
    for (int side = 0; side < 2 && parse_result == SN_MESSAGE_ACCEPTED; ++side) {
        parse_result = read_points(member(root, side == 0 ? "leftHand" : "rightHand"), SN_HAND_COUNT, 3,
                                   landmarks->hands[side][0], &landmarks->has_hand[side]);
    }
    if (parse_result == SN_MESSAGE_ACCEPTED) {
        parse_result = read_face(member(root, "face"), landmarks);
    }
    if (parse_result == SN_MESSAGE_ACCEPTED) {
        parse_result = read_blendshapes((json_t *)(uintptr_t)member(root, "blendshapes"), landmarks);
    }
    return parse_result;
}

sn_message_result sn_message_read(const char *text, size_t size, sn_landmarks *landmarks, int *version)
{
    json_error_t error;
    memset(landmarks, 0, sizeof *landmarks);
    *version = 0;
    if (size > SN_MESSAGE_SIZE_LIMIT) {
        return SN_MESSAGE_TOO_LARGE;
    }
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        return json_error_code(&error) == json_error_out_of_memory ? SN_MESSAGE_NO_MEMORY : SN_MESSAGE_NOT_JSON;
    }
    const sn_message_result parse_result = read_document(root, landmarks, version);
    json_decref(root);
    if (parse_result != SN_MESSAGE_ACCEPTED) {
        memset(landmarks, 0, sizeof *landmarks);
    }
    return parse_result;
}
