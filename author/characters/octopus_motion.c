/* SPDX-License-Identifier: MIT */
#include "author/characters/octopus_motion.h"

#include <math.h>

#define PI 3.14159265358979323846
#define KEYS(keys) (keys), (int)(sizeof(keys) / sizeof *(keys))

double sn_octopus_direction(int arm)
{
    return PI * (2 * arm + 1) / SN_OCTOPUS_ARMS;
}

static int arm_bone(const sn_rig *rig, int arm, int joint)
{
    return sn_rig_find(rig, "armA1") + SN_OCTOPUS_JOINTS * arm + joint;
}

/* Raises an arm's joint in the arm's plane and rotates it about the vertical axis, both in degrees. */
static void bend(const sn_rig *rig, sn_motion_pose *pose, int arm, int joint, double up, double swing)
{
    const double direction = sn_octopus_direction(arm);
    sn_motion_rotate(pose, arm_bone(rig, arm, joint), -up * cos(direction), swing, up * sin(direction));
}

static void rotate_eyes(const sn_rig *rig, sn_motion_pose *pose, double yaw, double pitch)
{
    sn_motion_rotate(pose, sn_rig_find(rig, "LeftEye"), -pitch, yaw, 0);
    sn_motion_rotate(pose, sn_rig_find(rig, "RightEye"), -pitch, yaw, 0);
}

void sn_octopus_idle(const sn_rig *rig, double phase, sn_motion_pose *pose)
{
    const double breath = sn_motion_wave(2 * phase);
    pose->translations[sn_rig_find(rig, "body")][1] = 0.008 + 0.008 * breath;
    sn_motion_rotate(pose, sn_rig_find(rig, "body"), 0, 3 * sn_motion_wave(phase), 2 * sn_motion_wave(phase + 0.1));
    sn_motion_rotate(pose, sn_rig_find(rig, "head"), 2 * breath, 10 + 7 * sn_motion_wave(phase),
                     4 * sn_motion_wave(phase + 0.2));
    sn_motion_rotate(pose, sn_rig_find(rig, "mantle"), 3 * sn_motion_wave(2 * phase - 0.12), 0,
                     4 * sn_motion_wave(phase + 0.05));
    rotate_eyes(rig, pose, 5 + 5 * sn_motion_wave(phase + 0.06), 0);
    for (int arm = 0; arm < SN_OCTOPUS_ARMS; ++arm) {
        const double shift = 0.31 * arm;
        for (int joint = 1; joint < SN_OCTOPUS_JOINTS; ++joint) { /* the first joint stays on the ground */
            const double phase_offset = shift - 0.1 * joint, size = joint == 1 ? 0.8 : joint == 2 ? 4 : 12;
            bend(rig, pose, arm, joint, size * 0.7 * (1 + sn_motion_wave(phase + phase_offset)),
                 size * sn_motion_wave(phase + phase_offset));
        }
    }
}

/* All arms open slowly and close quickly, which drives the octopus up; it sinks while they open. */
void sn_octopus_swim(const sn_rig *rig, double phase, sn_motion_pose *pose)
{
    static const double heights[][2] = {{0, 0.27}, {0.32, 0.18}, {0.42, 0.18}, {0.72, 0.40}, {1, 0.27}};
    static const double strokes[][2] = {{-0.28, -58}, {0.36, 26}, {0.42, 26}, {0.72, -58}, {1.36, 26}, {1.42, 26}};
    const int body = sn_rig_find(rig, "body");
    pose->translations[body][1] = sn_motion_curve(KEYS(heights), phase);
    sn_motion_rotate(pose, body, 6 + 4 * sn_motion_wave(phase), 0, 2 * sn_motion_wave(phase));
    sn_motion_rotate(pose, sn_rig_find(rig, "head"), 3 * sn_motion_wave(phase - 0.1), 0, 0);
    sn_motion_rotate(pose, sn_rig_find(rig, "mantle"), 5 * sn_motion_wave(phase - 0.2), 0, 0);
    rotate_eyes(rig, pose, 0, 6);
    for (int arm = 0; arm < SN_OCTOPUS_ARMS; ++arm) {
        static const double factors[SN_OCTOPUS_JOINTS] = {0.62, 0.4, 0.42, 0.5};
        for (int joint = 0; joint < SN_OCTOPUS_JOINTS; ++joint) {
            const double delayed_phase = phase - 0.07 * joint,
                         at = delayed_phase < -0.28 ? delayed_phase + 1 : delayed_phase;
            bend(rig, pose, arm, joint, factors[joint] * sn_motion_curve(KEYS(strokes), at),
                 3 * joint * sn_motion_wave(phase + 0.125 * arm));
        }
    }
}

/* One front arm rises, waves and comes down; the head tilts and follows it. */
void sn_octopus_wave(const sn_rig *rig, double phase, sn_motion_pose *pose)
{
    static const double raises[][2] = {{0, 0}, {0.07, -0.05}, {0.24, 1}, {0.76, 1}, {0.93, 0}, {1, 0}};
    static const double fades[][2] = {{0, 0}, {0.2, 0}, {0.32, 1}, {0.68, 1}, {0.82, 0}, {1, 0}};
    const double raise = sn_motion_curve(KEYS(raises), phase), fade = sn_motion_curve(KEYS(fades), phase);
    sn_octopus_idle(rig, phase, pose);
    sn_motion_rotate(pose, sn_rig_find(rig, "body"), 0, 4 * raise, 4 * raise);
    sn_motion_rotate(pose, sn_rig_find(rig, "head"), -3 * raise, 6 * raise,
                     9 * raise + 3 * fade * sn_motion_wave(5 * phase));
    sn_motion_rotate(pose, sn_rig_find(rig, "mantle"), 0, 0, 5 * raise);
    static const double up[SN_OCTOPUS_JOINTS] = {54, 14, -8, -66};
    for (int joint = 0; joint < SN_OCTOPUS_JOINTS; ++joint) {
        const double wave = (8 + 8 * joint) * fade * sn_motion_wave(5 * phase - 0.09 * joint);
        const int bone = arm_bone(rig, 1, joint);
        bend(rig, pose, 1, joint, up[joint] * raise, 0);
        sn_motion_rotate(pose, bone, 0, 0, wave);
    }
}
