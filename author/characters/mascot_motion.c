/* SPDX-License-Identifier: MIT */
#include "author/characters/mascot_motion.h"

#include <math.h>

#define KEYS(keys) (keys), (int)(sizeof(keys) / sizeof *(keys))

typedef struct bones {
    int hips, spine, chest, head, tail, eyes[2], ears[2][2], arms[2][2], feet[2];
} bones;

static bones find_bones(const sn_rig *rig)
{
    return (bones){.hips = sn_rig_find(rig, "hips"),
                   .spine = sn_rig_find(rig, "spine"),
                   .chest = sn_rig_find(rig, "chest"),
                   .head = sn_rig_find(rig, "head"),
                   .tail = sn_rig_find(rig, "tail"),
                   .eyes = {sn_rig_find(rig, "LeftEye"), sn_rig_find(rig, "RightEye")},
                   .ears = {{sn_rig_find(rig, "earL1"), sn_rig_find(rig, "earL2")},
                            {sn_rig_find(rig, "earR1"), sn_rig_find(rig, "earR2")}},
                   .arms = {{sn_rig_find(rig, "armL1"), sn_rig_find(rig, "armL2")},
                            {sn_rig_find(rig, "armR1"), sn_rig_find(rig, "armR2")}},
                   .feet = {sn_rig_find(rig, "footL"), sn_rig_find(rig, "footR")}};
}

/* Places a foot at its rest position plus an offset. Side 0 is left, +x. */
static void place_foot(const sn_rig *rig, const bones *b, sn_motion_pose *pose, int side, const double offset[3],
                       double pitch)
{
    static const double forward[3] = {0, 0, 1};
    double target[3];
    for (int d = 0; d < 3; ++d) {
        target[d] = rig->bones[b->feet[side]].head[d] + offset[d];
    }
    sn_motion_solve_ik(rig, pose, b->feet[side], target, forward, pitch, 0);
}

static void plant_feet(const sn_rig *rig, const bones *b, sn_motion_pose *pose)
{
    for (int side = 0; side < 2; ++side) {
        place_foot(rig, b, pose, side, (double[3]){0, 0, 0}, 0);
    }
}

/* Poses an arm: outward and forward rotation, and the elbow's bend, in degrees. */
static void pose_arm(const bones *b, sn_motion_pose *pose, int side, double out, double forward, double bend)
{
    const double sign = side == 0 ? 1 : -1;
    sn_motion_rotate(pose, b->arms[side][0], -forward, 0, sign * out);
    sn_motion_rotate(pose, b->arms[side][1], -bend, 0, sign * bend * 0.4);
}

void sn_mascot_idle(const sn_rig *rig, double phase, sn_motion_pose *pose)
{
    const bones b = find_bones(rig);
    const double breath = sn_motion_wave(2 * phase), sway = sn_motion_wave(phase);
    pose->translations[b.hips][0] = 0.014 * sway;
    pose->translations[b.hips][1] = -0.008 + 0.005 * breath;
    sn_motion_rotate(pose, b.hips, 0, 2 * sway, -1.5 * sway);
    sn_motion_rotate(pose, b.spine, -1.5 * breath, 0, 1.5 * sway);
    sn_motion_rotate(pose, b.chest, -1.5 * sn_motion_wave(2 * phase - 0.06), 0, 1.5 * sway);
    sn_motion_rotate(pose, b.head, 2 * sn_motion_wave(2 * phase - 0.15), 11 + 9 * sn_motion_wave(phase - 0.1),
                     5 * sn_motion_wave(phase + 0.2));
    sn_motion_rotate(pose, b.tail, 0, 14 * sn_motion_wave(4 * phase), 0);
    for (int side = 0; side < 2; ++side) {
        pose_arm(&b, pose, side, 4 + 3 * sn_motion_wave(2 * phase - 0.1), 4 * sway * (side == 0 ? 1 : -1), 8);
        sn_motion_rotate(pose, b.eyes[side], 0, 5 + 5 * sn_motion_wave(phase - 0.02), 0);
    }
    plant_feet(rig, &b, pose);
}

#define STANCE 0.56 /* fraction of the cycle in which a foot is on the ground */
#define STRIDE 0.15 /* metres */
#define LIFT 0.055

/* Moves a foot: heel strike, flat at ground speed, toe-off, then back through the air. */
static void walk_foot(const sn_rig *rig, const bones *b, sn_motion_pose *pose, int side, double cycle)
{
    static const double pitches[][2] = {{0, -14}, {0.1, 0}, {0.42, 0}, {0.6, 30}, {0.78, 12}, {0.93, -18}, {1, -14}};
    double offset[3] = {side == 0 ? -0.018 : 0.018, 0, 0};
    const double pitch = sn_motion_curve(KEYS(pitches), cycle);
    if (cycle < STANCE) {
        offset[2] = STRIDE * (0.5 - cycle / STANCE);
    } else {
        const double t = (cycle - STANCE) / (1 - STANCE), t2 = t * t, t3 = t2 * t;
        const double speed = -STRIDE / STANCE * (1 - STANCE); /* matches the ground speed at both ends */
        offset[2] = STRIDE * (-0.5 + 3 * t2 - 2 * t3) + speed * ((t3 - 2 * t2 + t) + (t3 - t2));
        offset[1] = LIFT * sin(3.14159265358979 * t) * sin(3.14159265358979 * t);
    }
    /* raises the ankle so that a rotated foot's heel or toes stay on the ground */
    const double angle = pitch * 3.14159265358979 / 180;
    offset[1] += angle > 0 ? 0.105 * sin(angle) - 0.06 * (1 - cos(angle)) : -0.045 * sin(angle);
    place_foot(rig, b, pose, side, offset, pitch);
}

void sn_mascot_walk(const sn_rig *rig, double phase, sn_motion_pose *pose)
{
    const bones b = find_bones(rig);
    const double step = sn_motion_wave(phase + 0.22), bounce = sn_motion_wave(2 * phase - 0.17);
    pose->translations[b.hips][0] = 0.028 * sn_motion_wave(phase - 0.03);
    pose->translations[b.hips][1] = -0.02 + 0.02 * bounce;
    sn_motion_rotate(pose, b.hips, 3, -9 * step, 5 * sn_motion_wave(phase - 0.03));
    sn_motion_rotate(pose, b.spine, 2, 8 * step, -4 * sn_motion_wave(phase - 0.06));
    sn_motion_rotate(pose, b.chest, 2 + 1.5 * bounce, 9 * step, -5 * sn_motion_wave(phase - 0.08));
    sn_motion_rotate(pose, b.head, -5 - 3 * sn_motion_wave(2 * phase - 0.28), -7 * step,
                     4 * sn_motion_wave(phase - 0.1));
    sn_motion_rotate(pose, b.tail, 0, 16 * sn_motion_wave(phase), 0);
    for (int side = 0; side < 2; ++side) {
        const double swing = sn_motion_wave(phase + 0.22 + (side == 0 ? 0.5 : 0));
        pose_arm(&b, pose, side, 6, 34 * swing, 16 + 12 * swing);
        walk_foot(rig, &b, pose, side, fmod(phase + (side == 0 ? 0 : 0.5), 1));
    }
}

void sn_mascot_jump(const sn_rig *rig, double phase, sn_motion_pose *pose)
{
    /* times as a fraction of 1.6 s: crouch, take-off at 0.38, apex at 0.52, landing at 0.66, settle */
    static const double heights[][2] = {{0, 0},        {0.08, 0.004},  {0.27, -0.075}, {0.30, -0.075},
                                        {0.38, 0.03},  {0.52, 0.30},   {0.66, 0.01},   {0.73, -0.07},
                                        {0.84, 0.008}, {0.92, -0.006}, {1, 0}};
    static const double leans[][2] = {{0, 0},    {0.27, 20}, {0.31, 19}, {0.42, -12},
                                      {0.60, 4}, {0.74, 17}, {0.88, -3}, {1, 0}};
    static const double heads[][2] = {{0, 0},    {0.25, 6},  {0.34, 12}, {0.42, -16},
                                      {0.58, 8}, {0.75, 10}, {0.88, -4}, {1, 0}};
    static const double swings[][2] = {{0, 0},     {0.26, -48}, {0.31, -50}, {0.43, 85},
                                       {0.56, 60}, {0.70, -15}, {0.84, 12},  {1, 0}};
    static const double spreads[][2] = {{0, 0},     {0.26, 12}, {0.34, 10}, {0.48, 62},
                                        {0.62, 50}, {0.74, 30}, {0.88, 6},  {1, 0}};
    const bones b = find_bones(rig);
    const double height = sn_motion_curve(KEYS(heights), phase), lean = sn_motion_curve(KEYS(leans), phase);
    pose->translations[b.hips][1] = height;
    pose->translations[b.hips][2] = -0.0012 * lean;
    sn_motion_rotate(pose, b.hips, 0.5 * lean, 0, 0);
    sn_motion_rotate(pose, b.spine, 0.5 * lean, 0, 0);
    sn_motion_rotate(pose, b.chest, 0.4 * lean, 0, 0);
    sn_motion_rotate(pose, b.head, sn_motion_curve(KEYS(heads), phase) - lean, 0, 0);
    sn_motion_rotate(pose, b.tail, 1.2 * lean, 0, 0);
    static const double lifts[][2] = {{0.37, 0}, {0.44, 0.07}, {0.53, 0.29}, {0.61, 0.12}, {0.665, 0}};
    static const double toes[][2] = {{0, 0}, {0.32, 0}, {0.41, 34}, {0.54, 4}, {0.63, -10}, {0.67, 0}, {1, 0}};
    const double toe = sn_motion_curve(KEYS(toes), phase);
    for (int side = 0; side < 2; ++side) {
        pose_arm(&b, pose, side, sn_motion_curve(KEYS(spreads), phase), sn_motion_curve(KEYS(swings), phase), 14);
        place_foot(rig, &b, pose, side, (double[3]){0, sn_motion_curve(KEYS(lifts), phase), 0}, toe);
    }
}

void sn_mascot_shake(const sn_rig *rig, double phase, sn_motion_pose *pose)
{
    /* the head starts and the body follows with a delay and a smaller amplitude, as dogs do; six cycles with fade in
     * and out */
    static const double fades[][2] = {{0, 0}, {0.12, 0}, {0.3, 1}, {0.62, 1}, {0.85, 0}, {1, 0}};
    static const double leans[][2] = {{0, 0}, {0.14, 9}, {0.3, 5}, {0.65, 4}, {0.86, -4}, {1, 0}};
    const bones b = find_bones(rig);
    const double fade = sn_motion_curve(KEYS(fades), phase), lean = sn_motion_curve(KEYS(leans), phase);
    const double delayed_fade = sn_motion_curve(KEYS(fades), fmax(phase - 0.06, 0));
    const double head = fade * sn_motion_wave(6 * phase), body = delayed_fade * sn_motion_wave(6 * phase - 0.2);
    pose->translations[b.hips][1] = -0.0022 * fabs(lean);
    pose->translations[b.hips][0] = 0.008 * body;
    sn_motion_rotate(pose, b.hips, 0.3 * lean, 6 * body, 0);
    sn_motion_rotate(pose, b.spine, 0.4 * lean, 7 * body, 2 * body);
    sn_motion_rotate(pose, b.chest, 0.4 * lean, 8 * body, 3 * body);
    sn_motion_rotate(pose, b.head, lean, 17 * head, 15 * fade * sn_motion_wave(6 * phase - 0.1));
    sn_motion_rotate(pose, b.tail, 0, 25 * delayed_fade * sn_motion_wave(6 * phase - 0.35), 0);
    for (int side = 0; side < 2; ++side) {
        pose_arm(&b, pose, side, 10 * fade + 8 * body * (side == 0 ? 1 : -1), 6 * lean * 0.4, 14 * fade);
    }
    plant_feet(rig, &b, pose);
}
