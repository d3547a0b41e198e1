/* SPDX-License-Identifier: MIT */
/* Poses a skeleton by normalized local rotations, as in VRMC_vrm_animation: the output of trackers and .vrma files,
 * independent of a rig's axes. The rotations move a stick figure with the target's proportions, which is retargeted
 * (author/retarget/retarget.h). For a VRM, a joint's local rotation is q' = L' W'^-1 N W', with L' and W' its local and
 * world rotation at rest. The rotation of a bone that the target lacks moves the bones below it. */
#ifndef SN_AUTHOR_RETARGET_PERSON_H
#define SN_AUTHOR_RETARGET_PERSON_H

#include "author/retarget/humanoid.h"
#include "author/retarget/retarget.h"

/* x points left, y up, z forward. */
typedef struct sn_person_pose {
    double bone_weights[SN_HUMANOID_COUNT]; /* blend weight of each bone, 0: the base's rotation .. 1: this one */
    double rotations[SN_HUMANOID_COUNT][4]; /* unit quaternions xyzw; unused where the weight is 0 */
    double hips_weight;
    double hips[3];            /* m, from the center of the floor */
    double hips_height;        /* m, height of the person's hips above the ankles at rest; 0: unknown, the target's */
    double hips_height_weight; /* weight of hips_height, 0: as if unknown .. 1 */
} sn_person_pose;

typedef struct sn_person sn_person;

typedef struct sn_person_desc {
    const sn_rig_skeleton *target; /* the skeleton to pose */
    double floor[3];               /* center of its floor, where the person's is, in its axes and units */
    double metre;                  /* 1 m in its units, for a person of unknown height */
    bool spreads_arms;             /* arms that rest in an A-pose count as pointing sideways, also of a VRM */
} sn_person_desc;

/* Creates a person in the arena; arena and target must outlive it. A target with roles from its file must rest in the
 * T-pose, as VRM requires; the arms of others are assumed to point sideways. Errors: SN_ERROR_FORMAT with the names of
 * missing bones; SN_ERROR_MEMORY. */
sn_result sn_person_create(const sn_person_desc *desc, sn_arena *arena, sn_person **person);

/* Computes poses from a pose and a base (null: the rest), both (target's joint_count x 12), world, relative to the
 * target's rest. Bones of weight 0 and joints that are no humanoid bones keep the base's transform relative to their
 * parents. Allocates nothing; not thread-safe. */
void sn_person_apply(sn_person *person, const sn_person_pose *pose, const double *base, double *poses);

/* Writes a relaxed standing pose: the base, but arms that are raised above SN_PERSON_ARM below the horizontal (of a
 * T-pose or A-pose) hang down at that angle, with slightly bent elbows. Arguments as for sn_person_apply. */
#define SN_PERSON_ARM 1.22   /* rad */
#define SN_PERSON_ELBOW 0.25 /* rad */
void sn_person_apply_relaxed(sn_person *person, const double *base, double *poses);

/* Of the last pose: the world rotation of a bone (xyzw, including the base), and the position of the hips in m from the
 * center of the floor. */
const double *sn_person_rotation(const sn_person *person, int bone);
void sn_person_hips(const sn_person *person, double hips[3]);
/* The rest position of a bone in m from the center of the floor; false: the target lacks the bone. */
bool sn_person_rest(const sn_person *person, int bone, double position[3]);
/* Converts a point of the target, in its axes and units, to m from the center of the floor. */
void sn_person_to_metres(const sn_person *person, const double point[3], double position[3]);

#endif
