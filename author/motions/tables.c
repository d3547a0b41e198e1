/* SPDX-License-Identifier: MIT */
/* The curves of the generated motions. */
#include "author/motions/curves.h"

#define KEY_COUNT(...) ((int)(sizeof((const double[][2]){__VA_ARGS__}) / sizeof(double[2])))
#define CURVE(channel, sides, repeats, ...)                                                                            \
    {                                                                                                                  \
        channel, sides, repeats, KEY_COUNT(__VA_ARGS__),                                                               \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define BODY(channel, repeats, ...) CURVE(channel, SN_BOTH, repeats, __VA_ARGS__)
#define TABLE(name, seconds, rate, curves)                                                                             \
    {                                                                                                                  \
        name, seconds, rate, (int)(sizeof(curves) / sizeof *(curves)), curves                                          \
    }

/* Two breaths, and the weight on the left leg, then on the right. */
static const sn_motion_curve_keys idle[] = {
    BODY(SN_HIPS_Y, 1, {0, -0.015}),
    BODY(SN_HIPS_Y, 2, {0, -0.003}, {0.45, 0.001}),
    BODY(SN_HIPS_X, 1, {0.06, -0.035}, {0.40, -0.03}, {0.58, 0.035}, {0.9, 0.03}),
    BODY(SN_HIPS_ROLL, 1, {0.08, -2}, {0.40, -1.8}, {0.6, 2}, {0.9, 1.8}),
    BODY(SN_HIPS_TURN, 1, {0.1, 2}, {0.6, -2}),
    BODY(SN_SPINE_ROLL, 1, {0.1, 3}, {0.40, 2.6}, {0.62, -3}, {0.9, -2.6}),
    BODY(SN_SPINE_PITCH, 2, {0, 1.5}, {0.45, -1.5}),
    BODY(SN_HEAD_TURN, 1, {0.05, -7}, {0.3, -6}, {0.42, 9}, {0.72, 8}),
    BODY(SN_HEAD_PITCH, 1, {0.1, 2}, {0.36, 4}, {0.5, -1}, {0.8, 1}),
    BODY(SN_HEAD_ROLL, 1, {0.15, 2}, {0.65, -2}),
    CURVE(SN_FOOT_TURN, SN_BOTH, 1, {0, 7}),
    CURVE(SN_SHOULDER_UP, SN_BOTH, 2, {0.03, 0}, {0.48, 2.5}),
    CURVE(SN_ARM_OUT, SN_BOTH, 2, {0.06, 1}, {0.5, 3}),
    CURVE(SN_ARM_FORWARD, SN_LEFT, 1, {0.1, 1}, {0.6, 5}),
    CURVE(SN_ARM_FORWARD, SN_RIGHT, 1, {0.15, 5}, {0.65, 1}),
    CURVE(SN_ARM_TWIST, SN_BOTH, 1, {0, 12}),
    CURVE(SN_ELBOW, SN_LEFT, 1, {0.12, 15}, {0.62, 20}),
    CURVE(SN_ELBOW, SN_RIGHT, 1, {0.12, 21}, {0.62, 16}),
    CURVE(SN_WRIST, SN_BOTH, 2, {0.1, 3}, {0.55, 6}),
    CURVE(SN_FINGERS, SN_BOTH, 2, {0.1, 13}, {0.6, 16}),
};

/* The left heel strikes at 0; a foot stands for 60% of the loop, and moves backwards at the speed of the walk. */
static const sn_motion_curve_keys walk[] = {
    BODY(SN_HIPS_Y, 2, {0.1, -0.042}, {0.58, -0.016}),
    BODY(SN_HIPS_X, 1, {0.3, 0.028}, {0.8, -0.028}),
    BODY(SN_HIPS_Z, 2, {0.05, -0.006}, {0.55, 0.006}),
    BODY(SN_HIPS_PITCH, 1, {0, 2}),
    BODY(SN_HIPS_ROLL, 1, {0.22, 3}, {0.72, -3}),
    BODY(SN_HIPS_TURN, 1, {0, -6}, {0.5, 6}),
    BODY(SN_SPINE_PITCH, 2, {0.1, 3}, {0.6, 1}),
    BODY(SN_SPINE_ROLL, 1, {0.24, -4}, {0.74, 4}),
    BODY(SN_SPINE_TURN, 1, {0.03, 13}, {0.53, -13}),
    BODY(SN_HEAD_PITCH, 2, {0.2, 1.5}, {0.7, -0.5}),
    CURVE(SN_FOOT_OUT, SN_ALTERNATE, 1, {0.2, -0.02}, {0.55, -0.02}, {0.76, -0.005}),
    CURVE(SN_FOOT_Z, SN_ALTERNATE, 1, {0, 0.26}, {0.15, 0.13}, {0.3, 0}, {0.45, -0.13}, {0.6, -0.26}, {0.63, -0.286},
          {0.67, -0.295}, {0.8, 0.02}, {0.97, 0.286}),
    CURVE(SN_FOOT_Y, SN_ALTERNATE, 1, {0, 0}, {0.58, 0}, {0.74, 0.07}, {0.92, 0.018}),
    CURVE(SN_FOOT_TURN, SN_BOTH, 1, {0, 5}),
    CURVE(SN_HEEL_UP, SN_ALTERNATE, 1, {0.28, 0}, {0.46, 10}, {0.6, 34}, {0.68, 44}, {0.82, 10}, {0.9, 0}),
    CURVE(SN_TOES_UP, SN_ALTERNATE, 1, {0, 17}, {0.09, 0}, {0.82, 0}, {0.96, 19}),
    CURVE(SN_ARM_OUT, SN_BOTH, 1, {0, 5}),
    CURVE(SN_ARM_FORWARD, SN_ALTERNATE, 1, {0.02, -20}, {0.52, 24}),
    CURVE(SN_ARM_TWIST, SN_ALTERNATE, 1, {0.05, 8}, {0.55, 22}),
    CURVE(SN_ELBOW, SN_ALTERNATE, 1, {0.06, 12}, {0.56, 38}),
    CURVE(SN_WRIST, SN_ALTERNATE, 1, {0.1, -2}, {0.6, 8}),
    CURVE(SN_FINGERS, SN_BOTH, 1, {0, 18}),
};

/* Crouch, take off at 0.3, land at 0.52, recover. The hips follow a parabola in the air. */
static const sn_motion_curve_keys jump[] = {
    BODY(SN_HIPS_Y, 1, {0, -0.014}, {0.06, -0.03}, {0.19, -0.28}, {0.23, -0.27}, {0.3, 0.05}, {0.355, 0.25},
         {0.41, 0.32}, {0.465, 0.25}, {0.52, 0.05}, {0.56, -0.11}, {0.63, -0.24}, {0.74, -0.1}, {0.86, -0.012}),
    BODY(SN_HIPS_Z, 1, {0.04, 0}, {0.2, -0.09}, {0.3, 0}, {0.52, -0.03}, {0.62, -0.09}, {0.84, 0}),
    BODY(SN_HIPS_PITCH, 1, {0.03, 0}, {0.2, 22}, {0.31, -4}, {0.45, 4}, {0.62, 20}, {0.86, 0}),
    BODY(SN_SPINE_PITCH, 1, {0.03, 0}, {0.2, 24}, {0.31, -8}, {0.44, 6}, {0.62, 22}, {0.88, 0}),
    BODY(SN_HEAD_PITCH, 1, {0.03, 0}, {0.18, -6}, {0.34, -8}, {0.5, 10}, {0.64, 0}, {0.9, 0}),
    CURVE(SN_FOOT_OUT, SN_BOTH, 1, {0, 0.02}),
    CURVE(SN_FOOT_TURN, SN_BOTH, 1, {0, 9}),
    CURVE(SN_FOOT_Y, SN_BOTH, 1, {0, 0}, {0.295, 0}, {0.355, 0.19}, {0.41, 0.3}, {0.465, 0.22}, {0.525, 0}),
    CURVE(SN_FOOT_Z, SN_BOTH, 1, {0.3, 0}, {0.36, -0.04}, {0.46, 0.02}, {0.53, 0}),
    CURVE(SN_HEEL_UP, SN_BOTH, 1, {0.235, 0}, {0.3, 48}, {0.36, 55}, {0.46, 30}, {0.52, 22}, {0.57, 0}),
    CURVE(SN_SHOULDER_UP, SN_BOTH, 1, {0.05, 0}, {0.2, -3}, {0.36, 10}, {0.62, 0}),
    CURVE(SN_ARM_OUT, SN_BOTH, 1, {0.02, 3}, {0.2, 8}, {0.38, 22}, {0.62, 16}, {0.88, 3}),
    CURVE(SN_ARM_FORWARD, SN_BOTH, 1, {0.02, 2}, {0.18, -40}, {0.22, -36}, {0.37, 95}, {0.42, 105}, {0.55, 40},
          {0.66, -6}, {0.86, 2}),
    CURVE(SN_ARM_TWIST, SN_BOTH, 1, {0, 10}),
    CURVE(SN_ELBOW, SN_BOTH, 1, {0.03, 17}, {0.2, 25}, {0.27, 45}, {0.38, 16}, {0.54, 40}, {0.66, 35}, {0.88, 17}),
    CURVE(SN_WRIST, SN_BOTH, 1, {0.03, 5}, {0.3, -8}, {0.4, 5}, {0.6, -12}, {0.85, 5}),
    CURVE(SN_FINGERS, SN_BOTH, 1, {0.05, 15}, {0.2, 30}, {0.4, 6}, {0.62, 12}, {0.88, 15}),
};

/* Eight beats: the hips sway and bounce; four beats with bent arms, four with raised arms. */
static const sn_motion_curve_keys dance[] = {
    BODY(SN_HIPS_Y, 8, {0, -0.085}, {0.5, -0.03}),
    BODY(SN_HIPS_X, 4, {0, 0.085}, {0.5, -0.085}),
    BODY(SN_HIPS_Z, 4, {0.25, 0.025}, {0.75, -0.025}),
    BODY(SN_HIPS_ROLL, 4, {0, 8}, {0.5, -8}),
    BODY(SN_HIPS_TURN, 2, {0.05, -13}, {0.55, 13}),
    BODY(SN_SPINE_ROLL, 4, {0.04, -12}, {0.54, 12}),
    BODY(SN_SPINE_TURN, 2, {0, 20}, {0.5, -20}),
    BODY(SN_SPINE_PITCH, 8, {0.05, 7}, {0.55, 1}),
    BODY(SN_HEAD_PITCH, 8, {0.1, 6}, {0.6, -3}),
    BODY(SN_HEAD_ROLL, 4, {0.08, 7}, {0.58, -7}),
    CURVE(SN_FOOT_OUT, SN_BOTH, 1, {0, 0.05}),
    CURVE(SN_FOOT_TURN, SN_BOTH, 1, {0, 12}),
    CURVE(SN_HEEL_UP, SN_LEFT, 4, {0.2, 0}, {0.5, 26}, {0.8, 0}),
    CURVE(SN_HEEL_UP, SN_RIGHT, 4, {0, 26}, {0.3, 0}, {0.7, 0}),
    CURVE(SN_SHOULDER_UP, SN_LEFT, 4, {0.05, 0}, {0.55, 6}),
    CURVE(SN_SHOULDER_UP, SN_RIGHT, 4, {0.05, 6}, {0.55, 0}),
    CURVE(SN_ARM_OUT, SN_BOTH, 1, {0.03, 12}, {0.42, 12}, {0.53, 105}, {0.92, 105}),
    CURVE(SN_ARM_OUT, SN_LEFT, 4, {0.05, -6}, {0.55, 10}),
    CURVE(SN_ARM_OUT, SN_RIGHT, 4, {0.05, 10}, {0.55, -6}),
    CURVE(SN_ARM_FORWARD, SN_LEFT, 4, {0.02, -8}, {0.52, 30}),
    CURVE(SN_ARM_FORWARD, SN_RIGHT, 4, {0.02, 30}, {0.52, -8}),
    CURVE(SN_ARM_TWIST, SN_BOTH, 1, {0.03, 18}, {0.42, 18}, {0.53, -75}, {0.92, -75}),
    CURVE(SN_ELBOW, SN_BOTH, 1, {0.03, 82}, {0.42, 82}, {0.53, 50}, {0.92, 50}),
    CURVE(SN_ELBOW, SN_BOTH, 8, {0.05, 8}, {0.55, -8}),
    CURVE(SN_WRIST, SN_BOTH, 8, {0.1, 12}, {0.6, -12}),
    CURVE(SN_FINGERS, SN_BOTH, 1, {0.03, 40}, {0.42, 40}, {0.53, 8}, {0.92, 8}),
};

const sn_motion_table sn_motion_tables[SN_MOTION_COUNT] = {TABLE("idle", 6, 30, idle), TABLE("walk", 1.1, 60, walk),
                                                           TABLE("jump", 2.2, 60, jump), TABLE("dance", 4, 60, dance)};
