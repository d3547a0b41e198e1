/* SPDX-License-Identifier: MIT */
/* Spring bones of a VRM (VRMC_springBone 1.0; secondaryAnimation of 0.x), by the file's own numbers, for one body.
 *
 * VRM's published algorithm moves each bone's tail once a frame: on by 1 - drag of what it moved in the last one, by
 * stiffness and gravity times the frame's seconds, and back to its length; then out of each collider. Numbers are tuned
 * in applications of 60 frames a second, and mean something else at any other rate and at any other size.
 *
 * Here steps are fixed, 1/60 s or less, and numbers are those of a damped swing in time: drag and stiffness of a step
 * of any length are such that a small swing has the frequency and the decay that VRM's algorithm has at 60 frames a
 * second, to the last digit, falls as far behind a steady motion, and comes to rest at the same place (rates.c). Steps
 * of 1/60 s are that algorithm. Lengths are multiples of the bone's own, so that a body may have any size. A bone
 * swings about what its pose has it at: where a clip moves it, too.
 *
 * What differs besides: inertia feels at most SN_SPRING_SPEED of a body's motion, and a body begins where its springs
 * are at rest. author/baselines/spring_bones.h is VRM's algorithm as it stands.
 *
 * Bones of one depth are lanes of vectors; all instruction sets give the same bits. */
#ifndef SN_HOST_SPRINGS_SPRINGS_H
#define SN_HOST_SPRINGS_SPRINGS_H

#include "host/model/model.h"

#define SN_SPRING_RATE 60.0  /* frames a second that VRM's numbers are for */
#define SN_SPRING_SPEED 10.0 /* diagonals a second: what a body moves beyond, its springs move along with */

typedef struct sn_springs sn_springs;

/* Of one body, at rest in its bind pose. time_step: seconds of a step. *springs is null where the model has none.
 * SN_ERROR_MEMORY. Poses below are (bone_count x 12) as a world's bodies have them, finite. */
sn_result sn_springs_create(const sn_model *model, double time_step, sn_springs **springs);
/* Accepts null, as all below do, where nothing swings. */
void sn_springs_destroy(sn_springs **springs);

/* At rest in a pose, gravity included. */
void sn_springs_reset(sn_springs *springs, const double *pose);
/* One time step, to a pose, and into posed that pose as the springs have it, which may be the same array. False where
 * they were put to rest, as a number was not finite. Allocates nothing. */
bool sn_springs_step(sn_springs *springs, const double *pose, bool has_colliders, double *posed);
/* A pose as the springs would have it between their last two steps: 0 the one before, 1 the last. posed may be pose. */
void sn_springs_show(sn_springs *springs, double fraction, const double *pose, double *posed);
/* Moves state and history by a rigid transform (12), exactly. */
void sn_springs_teleport(sn_springs *springs, const double *transform);

/* Of a step. */
typedef struct sn_spring_rates {
    double keep;         /* of what the tail moved in the last step */
    double kick;         /* of what stiffness and gravity move it by in a sixtieth of a second */
    double follow, bend; /* of what the place that stiffness pulls it to has moved in the step, and of how much more
                            that is than in the step before */
} sn_spring_rates;

/* sixtieths: of a second, the step; pull: what stiffness and gravity move the tail by in one of them, over the bone's
 * length; drag 0 .. 1. */
sn_spring_rates sn_spring_rates_of(double sixtieths, double drag, double pull);

typedef enum sn_spring_instructions { SN_SPRING_BASELINE, SN_SPRING_AVX2 } sn_spring_instructions;
/* The widest that may be used: for tests. */
void sn_springs_limit_instructions(sn_springs *springs, sn_spring_instructions most);

#endif
