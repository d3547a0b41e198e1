/* SPDX-License-Identifier: MIT */
/* Motions of a humanoid as curves: channels over the time of one loop. */
#ifndef SN_AUTHOR_MOTIONS_CURVES_H
#define SN_AUTHOR_MOTIONS_CURVES_H

/* Lengths are fractions of the leg length, angles degrees. x points left, y up, z forward. */
typedef enum sn_motion_channel {
    /* Of the body. Hips are relative to the standing pose, the spine is relative to the hips, the head to a level gaze.
     * Pitch: forward; roll: the left side up; turn: to the left. */
    SN_HIPS_X,
    SN_HIPS_Y,
    SN_HIPS_Z,
    SN_HIPS_PITCH,
    SN_HIPS_ROLL,
    SN_HIPS_TURN,
    SN_SPINE_PITCH,
    SN_SPINE_ROLL,
    SN_SPINE_TURN,
    SN_HEAD_PITCH,
    SN_HEAD_ROLL,
    SN_HEAD_TURN,
    /* Of one side. */
    SN_FOOT_OUT, /* the sole, from its position below the hip joint */
    SN_FOOT_Y,
    SN_FOOT_Z,
    SN_FOOT_TURN, /* toes outward */
    SN_HEEL_UP,   /* the sole rotates about the ball, the toes stay flat */
    SN_TOES_UP,   /* the sole rotates about the heel */
    SN_SHOULDER_UP,
    SN_ARM_OUT, /* upper arm relative to the chest: 0 hangs beside the body, 90 points sideways */
    SN_ARM_FORWARD,
    SN_ARM_TWIST, /* inward */
    SN_ELBOW,
    SN_WRIST,   /* towards the palm */
    SN_FINGERS, /* each joint */
    SN_MOTION_CHANNEL_COUNT
} sn_motion_channel;

/* The sides that a curve moves; body channels ignore it. ALTERNATE: the right side half a loop later. */
typedef enum sn_motion_sides { SN_BOTH, SN_LEFT, SN_RIGHT, SN_ALTERNATE } sn_motion_sides;

#define SN_MOTION_KEY_LIMIT 14

typedef struct sn_motion_curve_keys {
    sn_motion_channel channel;
    sn_motion_sides sides;
    int repeat_count, key_count;         /* the keys are repeated so often in a loop */
    double keys[SN_MOTION_KEY_LIMIT][2]; /* time in [0, 1), ascending, and value */
} sn_motion_curve_keys;

typedef struct sn_motion_table {
    const char *name;
    double seconds; /* duration of the loop */
    double rate;    /* frames per second */
    int curve_count;
    const sn_motion_curve_keys *curves; /* those of the same channel are added */
} sn_motion_table;

#define SN_MOTION_COUNT 4
/* idle, walk, jump, dance */
extern const sn_motion_table sn_motion_tables[SN_MOTION_COUNT];

/* Values of the left and right side at a time of 0 .. 1; body channels are equal. Periodic, with continuous speed. */
void sn_motion_evaluate(const sn_motion_table *table, double time, double values[2][SN_MOTION_CHANNEL_COUNT]);

#endif
