/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/arkit.h"

#include <math.h>
#include <string.h>

#include "host/math/quaternion.h"

/* Indices in the order of sn_arkit_name. */
enum {
    EYE_BLINK_LEFT,
    EYE_LOOK_DOWN_LEFT,
    EYE_LOOK_IN_LEFT,
    EYE_LOOK_OUT_LEFT,
    EYE_LOOK_UP_LEFT,
    EYE_WIDE_LEFT = 6,
    EYE_BLINK_RIGHT,
    EYE_LOOK_DOWN_RIGHT,
    EYE_LOOK_IN_RIGHT,
    EYE_LOOK_OUT_RIGHT,
    EYE_LOOK_UP_RIGHT,
    EYE_WIDE_RIGHT = 13,
    JAW_OPEN = 17,
    MOUTH_CLOSE,
    MOUTH_FUNNEL,
    MOUTH_PUCKER,
    MOUTH_SMILE_LEFT = 23,
    MOUTH_SMILE_RIGHT,
    MOUTH_FROWN_LEFT,
    MOUTH_FROWN_RIGHT,
    MOUTH_STRETCH_LEFT = 29,
    MOUTH_STRETCH_RIGHT,
    MOUTH_LOWER_DOWN_LEFT = 37,
    MOUTH_LOWER_DOWN_RIGHT,
    MOUTH_UPPER_UP_LEFT,
    MOUTH_UPPER_UP_RIGHT,
    BROW_DOWN_LEFT,
    BROW_DOWN_RIGHT,
    BROW_INNER_UP,
    NOSE_SNEER_LEFT = 49,
    NOSE_SNEER_RIGHT
};

enum {
    AA,
    IH,
    OU,
    EE,
    OH,
    BLINK,
    BLINK_LEFT,
    BLINK_RIGHT,
    HAPPY,
    ANGRY,
    SAD,
    SURPRISED,
    LOOK_UP,
    LOOK_DOWN,
    LOOK_LEFT,
    LOOK_RIGHT
};

static const char *const names[SN_ARKIT_PRESET_COUNT] = {
    "aa",    "ih",    "ou",  "ee",        "oh",     "blink",    "blinkLeft", "blinkRight",
    "happy", "angry", "sad", "surprised", "lookUp", "lookDown", "lookLeft",  "lookRight"};

/* Each preset is a weighted sum of shapes. docs/reference/landmark-messages.md has the same table. */
static const struct row {
    int preset, shape;
    double weight;
} rows[] = {
    {AA, JAW_OPEN, 1},
    {AA, MOUTH_CLOSE, -1}, /* ARKit's mouthClose cancels part of jawOpen */
    {AA, MOUTH_FUNNEL, -0.7},
    {AA, MOUTH_PUCKER, -0.7},
    {IH, MOUTH_LOWER_DOWN_LEFT, 0.35},
    {IH, MOUTH_LOWER_DOWN_RIGHT, 0.35},
    {IH, MOUTH_UPPER_UP_LEFT, 0.15},
    {IH, MOUTH_UPPER_UP_RIGHT, 0.15},
    {IH, JAW_OPEN, -0.5},
    {OU, MOUTH_PUCKER, 1},
    {EE, MOUTH_STRETCH_LEFT, 0.5},
    {EE, MOUTH_STRETCH_RIGHT, 0.5},
    {EE, JAW_OPEN, -0.5},
    {OH, MOUTH_FUNNEL, 1},
    {BLINK, EYE_BLINK_LEFT, 0.5},
    {BLINK, EYE_BLINK_RIGHT, 0.5},
    {BLINK_LEFT, EYE_BLINK_LEFT, 1},
    {BLINK_RIGHT, EYE_BLINK_RIGHT, 1},
    {HAPPY, MOUTH_SMILE_LEFT, 0.5},
    {HAPPY, MOUTH_SMILE_RIGHT, 0.5},
    {ANGRY, BROW_DOWN_LEFT, 0.3},
    {ANGRY, BROW_DOWN_RIGHT, 0.3},
    {ANGRY, NOSE_SNEER_LEFT, 0.2},
    {ANGRY, NOSE_SNEER_RIGHT, 0.2},
    {SAD, MOUTH_FROWN_LEFT, 0.5},
    {SAD, MOUTH_FROWN_RIGHT, 0.5},
    {SURPRISED, EYE_WIDE_LEFT, 0.3},
    {SURPRISED, EYE_WIDE_RIGHT, 0.3},
    {SURPRISED, BROW_INNER_UP, 0.4},
    {LOOK_UP, EYE_LOOK_UP_LEFT, 0.5},
    {LOOK_UP, EYE_LOOK_UP_RIGHT, 0.5},
    {LOOK_DOWN, EYE_LOOK_DOWN_LEFT, 0.5},
    {LOOK_DOWN, EYE_LOOK_DOWN_RIGHT, 0.5},
    {LOOK_LEFT, EYE_LOOK_OUT_LEFT, 0.5},
    {LOOK_LEFT, EYE_LOOK_IN_RIGHT, 0.5},
    {LOOK_RIGHT, EYE_LOOK_IN_LEFT, 0.5},
    {LOOK_RIGHT, EYE_LOOK_OUT_RIGHT, 0.5},
};

const char *sn_arkit_preset_name(int index)
{
    return names[index];
}

void sn_arkit_presets(const double weights[SN_ARKIT_COUNT], double presets[SN_ARKIT_PRESET_COUNT])
{
    memset(presets, 0, SN_ARKIT_PRESET_COUNT * sizeof *presets);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        presets[rows[i].preset] += rows[i].weight * weights[rows[i].shape];
    }
    for (int i = 0; i < SN_ARKIT_PRESET_COUNT; ++i) {
        presets[i] = fmin(fmax(presets[i], 0), 1);
    }
}

void sn_arkit_eyes(const double w[SN_ARKIT_COUNT], double rotations[2][4])
{
    /* gaze direction per eye: towards its left, up */
    const double gaze[2][2] = {
        {w[EYE_LOOK_OUT_LEFT] - w[EYE_LOOK_IN_LEFT], w[EYE_LOOK_UP_LEFT] - w[EYE_LOOK_DOWN_LEFT]},
        {w[EYE_LOOK_IN_RIGHT] - w[EYE_LOOK_OUT_RIGHT], w[EYE_LOOK_UP_RIGHT] - w[EYE_LOOK_DOWN_RIGHT]}};
    for (int eye = 0; eye < 2; ++eye) {
        const double yaw = SN_EYE_ANGLE_LIMIT * gaze[eye][0] / 2, pitch = -SN_EYE_ANGLE_LIMIT * gaze[eye][1] / 2;
        sn_quaternion_multiply((const double[4]){0, sin(yaw), 0, cos(yaw)},
                               (const double[4]){sin(pitch), 0, 0, cos(pitch)}, rotations[eye]);
    }
}

/* Index of the corresponding shape on the other side; the shape's own index if it has no side. */
static int mirror_shape(int shape)
{
    static const char *const sides[2] = {"Left", "Right"};
    const char *name = sn_arkit_name(shape);
    const size_t length = strlen(name);
    for (int side = 0; side < 2; ++side) {
        const size_t end = strlen(sides[side]);
        if (length < end || strcmp(name + length - end, sides[side]) != 0) {
            continue;
        }
        for (int other = 0; other < SN_ARKIT_COUNT; ++other) {
            const char *of = sn_arkit_name(other);
            if (strncmp(of, name, length - end) == 0 && strcmp(of + length - end, sides[1 - side]) == 0) {
                return other;
            }
        }
    }
    return shape;
}

void sn_arkit_mirror(uint64_t *known, double weights[SN_ARKIT_COUNT])
{
    double mirrored[SN_ARKIT_COUNT];
    uint64_t known_mirrored = 0;
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        const int other = mirror_shape(i);
        mirrored[i] = weights[other];
        known_mirrored |= (*known >> other & 1) << i;
    }
    memcpy(weights, mirrored, sizeof mirrored);
    *known = known_mirrored;
}
