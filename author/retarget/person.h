/* SPDX-License-Identifier: MIT */
/* A skeleton posed by normalised local rotations, as VRMC_vrm_animation has them: what trackers and .vrma files say of
 * a person, whatever a rig's axes are. It is moved as a motion of a person of sticks (author/retarget/retarget.h) who
 * has the target's own proportions, so that of a VRM a joint's local rotation is q' = L' W'^-1 N W', with L' and W' its
 * local and world rotation at rest. A bone that the target lacks turns those below it. */
#ifndef SN_AUTHOR_RETARGET_PERSON_H
#define SN_AUTHOR_RETARGET_PERSON_H

#include "author/retarget/humanoid.h"
#include "author/retarget/retarget.h"

/* x to the left, y up, z ahead. */
typedef struct sn_person_pose {
    double shares[SN_HUMANOID_COUNT];       /* 0: a bone is turned as in the base .. 1: as here */
    double rotations[SN_HUMANOID_COUNT][4]; /* xyzw, unit, of shares above 0 */
    double hips_share;
    double hips[3];           /* metres from the floor's middle */
    double hips_height;       /* of the person, at rest above the ankles, metres; 0: unknown, the target's is taken */
    double hips_height_share; /* 0: as if that were unknown .. 1 */
} sn_person_pose;

typedef struct sn_person sn_person;

typedef struct sn_person_desc {
    const sn_rig_skeleton *target; /* what is moved */
    double floor[3];               /* its floor's middle, where the person's is, in its axes and units */
    double metre;                  /* in its units, of a person whose height is unknown */
} sn_person_desc;

/* In the arena, which, as the target, must outlive it. A target whose roles are told by its file rests in the T-pose,
 * as VRM demands; of others arms are thought sideways. Errors: SN_ERROR_FORMAT that names the bones that the target
 * lacks; SN_ERROR_MEMORY. */
sn_result sn_person_create(const sn_person_desc *desc, sn_arena *arena, sn_person **person);

/* base, or null for the rest, and poses (target's joint_count x 12): world, relative to the target's rest. What the
 * pose has no share in, and all joints that are no bones of a humanoid, are as in the base, each relative to its
 * parent. Allocates nothing; one thread at a time. */
void sn_person_apply(sn_person *person, const sn_person_pose *pose, const double *base, double *poses);

/* Standing at ease: the base, but arms that are further up than SN_PERSON_ARM below the horizontal, of a T-pose or an
 * A-pose, hang so far down at the shoulder's side, their elbows a little bent. As sn_person_apply. */
#define SN_PERSON_ARM 1.22   /* radians */
#define SN_PERSON_ELBOW 0.25 /* radians */
void sn_person_stand(sn_person *person, const double *base, double *poses);

/* Of the last pose: how a bone is turned in the world, those of the base included, xyzw, and where the hips are, in
 * metres from the floor's middle. */
const double *sn_person_turn(const sn_person *person, int bone);
void sn_person_hips(const sn_person *person, double hips[3]);
/* At rest, in metres from the floor's middle; false: the target does not have the bone. */
bool sn_person_rest(const sn_person *person, int bone, double place[3]);

#endif
