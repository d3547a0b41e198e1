/* SPDX-License-Identifier: MIT */
/* Measures of a humanoid that its motions need, and poses from channels. Private to author/motions. */
#ifndef SN_AUTHOR_MOTIONS_BODY_H
#define SN_AUTHOR_MOTIONS_BODY_H

#include "author/motions/curves.h"
#include "author/motions/humanoid_motions.h"
#include "author/retarget/person.h"

/* Positions from the center of the floor, x left, y up, z forward. */
typedef struct sn_motion_body {
    double hips[3], leg_length; /* from hip joint to ankle at rest */
    struct {
        double hip[3], knee[3], ankle[3];
        double stance;           /* distance of a standing foot to the middle */
        double ball[3], heel[3]; /* pivots of the sole, from the ankle */
        double heel_gain;        /* factor on SN_HEEL_UP: long feet rise less */
        double arm_out;          /* degrees by which a hanging arm must point outward */
    } sides[2];
} sn_motion_body;

/* The skin and the humanoid bones of the joints that move it. */
typedef struct sn_motion_skin {
    const sn_rig_skeleton *skeleton;
    const sn_motion_surface *surface;
    int32_t *roles;                     /* (joint_count) sn_humanoid_bone or -1 */
    int32_t of_role[SN_HUMANOID_COUNT]; /* joint or -1 */
} sn_motion_skin;

/* Returns false if the legs have no length. */
bool sn_motion_body_init(sn_motion_body *body, const sn_person *person, const sn_motion_skin *skin);

/* values: of sn_motion_evaluate. */
void sn_motion_body_pose(const sn_motion_body *body, const double values[2][SN_MOTION_CHANNEL_COUNT],
                         sn_person_pose *pose);

#endif
