/* SPDX-License-Identifier: MIT */
/* Poses a humanoid from the values of the channels. */
#include <math.h>
#include <string.h>

#include "author/motions/body.h"
#include "author/motions/two_bone.h"
#include "author/retarget/rotations.h"
#include "author/retarget/twist.h"
#include "host/math/quaternion.h"
#include "host/math/smoothstep.h"
#include "host/math/vec3.h"

#define RADIANS 0.017453292519943295
#define SOFT_REACH 0.985 /* of the leg's length: beyond it a leg stretches less and less */
#define MAX_REACH 0.999
#define GAZE_GAIN 0.75   /* fraction of the trunk's rotation that the neck compensates */
#define SHRUG_DEGREES 14 /* rise of the shoulder under a raised arm */

static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void set_rotation(int axis, double degrees, double *rotation)
{
    sn_rig_axis_rotation(axes[axis], degrees * RADIANS, rotation);
}

/* Multiplies by a rotation about an axis that is applied before. */
static void rotate_before(double *rotation, int axis, double degrees)
{
    double first[4];
    set_rotation(axis, degrees, first);
    sn_quaternion_multiply(rotation, first, rotation);
}

/* About z, then x, then y. */
static void from_angles(const double angles[3], double factor, double *rotation)
{
    set_rotation(1, factor * angles[2], rotation);
    rotate_before(rotation, 0, factor * angles[0]);
    rotate_before(rotation, 2, factor * angles[1]);
}

static double *moved(sn_person_pose *pose, int bone)
{
    pose->bone_weights[bone] = 1;
    return pose->rotations[bone];
}

static double *moved_part(sn_person_pose *pose, int side, int part)
{
    return moved(pose, sn_humanoid_bone_index(side, part));
}

/* Sets a bone's rotation from its rotation in the world and its parent's. */
static void set_world(const double *above, const double *world, double *local)
{
    double inverse[4];
    sn_quaternion_conjugate(above, inverse);
    sn_quaternion_multiply(inverse, world, local);
}

static void pose_trunk(const double *values, sn_person_pose *pose)
{
    static const double shares[3] = {0.4, 0.35, 0.25};
    double gaze[3];
    from_angles(values + SN_HIPS_PITCH, 1, moved(pose, SN_HUMANOID_HIPS));
    for (int k = 0; k < 3; ++k) {
        from_angles(values + SN_SPINE_PITCH, shares[k], moved(pose, SN_HUMANOID_SPINE + k));
        gaze[k] = values[SN_HEAD_PITCH + k] - GAZE_GAIN * (values[SN_HIPS_PITCH + k] + values[SN_SPINE_PITCH + k]);
    }
    from_angles(gaze, 0.5, moved(pose, SN_HUMANOID_NECK));
    from_angles(gaze, 0.5, moved(pose, SN_HUMANOID_HEAD));
}

/* Rotations from the T-pose, in which the left arm points along x with the palm down. */
static void pose_arm(const double *values, double min_out, int side, sn_person_pose *pose)
{
    const double sign = side == 0 ? 1 : -1;
    /* the clearance of a hanging arm is not added to a raised one */
    const double out = values[SN_ARM_OUT] + min_out * (1 - sn_smoothstep(30, 90, values[SN_ARM_OUT]));
    double upper[4], *shoulder = moved_part(pose, side, SN_PART_SHOULDER);
    set_rotation(2, sign * (values[SN_SHOULDER_UP] + SHRUG_DEGREES * sn_smoothstep(40, 140, out)), shoulder);
    set_rotation(0, -values[SN_ARM_FORWARD], upper);
    rotate_before(upper, 2, sign * (out - 90));
    rotate_before(upper, 0, values[SN_ARM_TWIST]);
    set_world(shoulder, upper, moved_part(pose, side, SN_PART_UPPER_ARM));
    set_rotation(1, -sign * values[SN_ELBOW], moved_part(pose, side, SN_PART_LOWER_ARM));
    set_rotation(2, -sign * values[SN_WRIST], moved_part(pose, side, SN_PART_HAND));
    for (int part = SN_PART_INDEX; part < SN_PART_COUNT; ++part) {
        set_rotation(2, -sign * values[SN_FINGERS], moved_part(pose, side, part));
    }
}

/* Adds R (point - pivot) to pivot, for a rotation about x. */
static void rotate_about(const double *pivot, double degrees, double *point)
{
    double rotation[4];
    set_rotation(0, degrees, rotation);
    sn_subtract3(point, pivot, point);
    sn_rig_rotate(rotation, point, point);
    for (int d = 0; d < 3; ++d) {
        point[d] += pivot[d];
    }
}

/* The position of the ankle and the rotation of the foot. */
static void place_foot(const sn_motion_body *b, const double *values, int side, double *ankle, double *rotation)
{
    const double sign = side == 0 ? 1 : -1, heel_up = b->sides[side].heel_gain * values[SN_HEEL_UP];
    double ball[3];
    memset(ankle, 0, 3 * sizeof(double));
    memcpy(ball, b->sides[side].ball, sizeof ball);
    rotate_about(b->sides[side].heel, -values[SN_TOES_UP], ball);
    rotate_about(b->sides[side].heel, -values[SN_TOES_UP], ankle);
    rotate_about(ball, heel_up, ankle);
    set_rotation(1, sign * values[SN_FOOT_TURN], rotation);
    sn_rig_rotate(rotation, ankle, ankle);
    rotate_before(rotation, 0, heel_up - values[SN_TOES_UP]);
    ankle[0] += b->hips[0] + sign * (b->sides[side].stance + b->leg_length * values[SN_FOOT_OUT]);
    ankle[1] += b->sides[side].ankle[1] + b->leg_length * values[SN_FOOT_Y];
    ankle[2] += b->sides[side].ankle[2] + b->leg_length * values[SN_FOOT_Z];
}

/* Limits the length of a vector smoothly. */
static void limit_reach(double *line, double leg_length)
{
    const double soft = SOFT_REACH * leg_length, span = (MAX_REACH - SOFT_REACH) * leg_length;
    const double distance = sn_length3(line);
    if (distance > soft) {
        const double limited = soft + span * (1 - exp(-(distance - soft) / span));
        for (int d = 0; d < 3; ++d) {
            line[d] *= limited / distance;
        }
    }
}

/* The world rotation of a leg bone that points along `rest` at rest, with the knee's hinge along x, and now along
 * `direction`. */
static void set_leg_bone(const double *rest, const double *direction, const double *hinge, double *world)
{
    const double up[2][3] = {{-rest[0], -rest[1], -rest[2]}, {-direction[0], -direction[1], -direction[2]}};
    double at_rest[4];
    sn_rig_axes(axes[0], up[0], at_rest);
    sn_rig_axes(hinge, up[1], world);
    sn_quaternion_conjugate(at_rest, at_rest);
    sn_quaternion_multiply(world, at_rest, world);
}

static void pose_leg(const sn_motion_body *b, const double *values, int side, sn_person_pose *pose)
{
    const double sign = side == 0 ? 1 : -1, *hips = pose->rotations[SN_HUMANOID_HIPS];
    double hip[3], ankle[3], foot[4], line[3], rest[2][3], bones[2][3], turn[4], pole[3], hinge[3], thigh[4], shin[4];
    sn_subtract3(b->sides[side].hip, b->hips, hip);
    sn_rig_rotate(hips, hip, hip);
    for (int d = 0; d < 3; ++d) {
        hip[d] += pose->hips[d];
    }
    place_foot(b, values, side, ankle, foot);
    sn_subtract3(ankle, hip, line);
    sn_subtract3(b->sides[side].knee, b->sides[side].hip, rest[0]);
    sn_subtract3(b->sides[side].ankle, b->sides[side].knee, rest[1]);
    const double lengths[2] = {sn_length3(rest[0]), sn_length3(rest[1])};
    limit_reach(line, lengths[0] + lengths[1]);
    /* the knee points between the hips and the foot */
    set_rotation(1, (values[SN_HIPS_TURN] + sign * values[SN_FOOT_TURN]) / 2, turn);
    sn_rig_rotate(turn, axes[2], pole);
    sn_two_bone_solve(lengths, line, pole, bones[0], bones[1]);
    sn_cross3(pole, line, hinge);
    sn_normalize3(hinge, axes[0]);
    set_leg_bone(rest[0], bones[0], hinge, thigh);
    set_leg_bone(rest[1], bones[1], hinge, shin);
    set_world(hips, thigh, moved_part(pose, side, SN_PART_UPPER_LEG));
    set_world(thigh, shin, moved_part(pose, side, SN_PART_LOWER_LEG));
    set_world(shin, foot, moved_part(pose, side, SN_PART_FOOT));
    set_rotation(0, -b->sides[side].heel_gain * values[SN_HEEL_UP], moved_part(pose, side, SN_PART_TOES));
}

void sn_motion_body_pose(const sn_motion_body *b, const double values[2][SN_MOTION_CHANNEL_COUNT], sn_person_pose *pose)
{
    *pose = (sn_person_pose){.hips_weight = 1};
    for (int d = 0; d < 3; ++d) {
        pose->hips[d] = b->hips[d] + b->leg_length * values[0][SN_HIPS_X + d];
    }
    pose_trunk(values[0], pose);
    for (int side = 0; side < 2; ++side) {
        pose_arm(values[side], b->sides[side].arm_out, side, pose);
        pose_leg(b, values[side], side, pose);
    }
}
