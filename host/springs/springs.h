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
 * are at rest. tools/bench/spring_reference.h is VRM's algorithm as it stands.
 *
 * Bones of one depth are lanes of vectors; all instruction sets give the same bits. */
#ifndef SN_HOST_SPRINGS_SPRINGS_H
#define SN_HOST_SPRINGS_SPRINGS_H

#include "host/contact/collider.h"
#include "host/model/model.h"

#define SN_SPRING_RATE 60.0  /* frames a second that VRM's numbers are for */
#define SN_SPRING_SPEED 10.0 /* diagonals a second: what a body moves beyond, its springs move along with */

typedef struct sn_springs sn_springs;

/* Of one body, at rest in its bind pose. time_step: seconds of a step. *springs is null where the model has none.
 * SN_ERROR_MEMORY. Poses below are (bone_count x 12) as a world's bodies have them, finite. */
sn_result sn_springs_create(const sn_model *model, double time_step, sn_springs **springs);
/* Accepts null, as all below do, where nothing swings. */
void sn_springs_destroy(sn_springs **springs);

/* At rest in a pose, gravity and the model's own colliders included; nobody holds them any more. Nothing else but
 * sn_springs_release lets go of what is held. */
void sn_springs_reset(sn_springs *springs, const double *pose);

/* What a step feels besides its pose. */
typedef struct sn_spring_step {
    bool is_without_own_colliders;       /* the model's */
    const sn_surroundings *surroundings; /* the world's wind and colliders; null: none */
    double area; /* m^2/kg: what the wind meets of a joint, over its mass. Both go with its length, which cancels */
} sn_spring_step;
/* One time step, to a pose, and into posed that pose as the springs have it, which may be the same array. False where
 * they were put to rest, as a number was not finite. Allocates nothing.
 *
 * Wind is a pull like gravity's, of 1/2 rho v |v| area, v the air's velocity against the tail; what is pulled so, in
 * VRM's numbers, is 1/60 of an acceleration in m/s^2. The tail's velocity is that about its joint's center, if it has
 * one, whose own motion is never felt as wind. At rest tan(angle) = wind / (stiffness + gravity) of a bone that hangs
 * along both. The world's colliders keep a joint's tail and middle as far off as its hit radius, without bounce, with
 * their friction; of those near a body the 64 nearest to the first joint's head count. */
bool sn_springs_step(sn_springs *springs, const double *pose, const sn_spring_step *with, double *posed);
/* A pose as the springs would have it between their last two steps: 0 the one before, 1 the last. posed may be pose. */
void sn_springs_show(sn_springs *springs, double fraction, const double *pose, double *posed);
/* Moves state and history by a rigid transform (12), exactly. */
void sn_springs_teleport(sn_springs *springs, const double *transform);

/* ---- level of detail ---- */

#define SN_SPRING_FADE 0.25 /* seconds */
/* From the next step on they come in, or go to where the pose has them; at once by a reset. Without motion in what is
 * drawn: they begin as a reset leaves them, but for what is held, which then goes to where it is held. */
void sn_springs_turn_on(sn_springs *springs, const double *pose, bool is_on);
/* Whether there is anything to step or to show: else all is where the pose has it, and costs nothing. */
bool sn_springs_are_on(const sn_springs *springs);

/* ---- what pushes and holds them ---- */

/* A place on the skin that joints carry. */
typedef struct sn_spring_place {
    int joint;    /* that carries most of it, or -1 */
    double share; /* of the skin there that joints carry, 0 .. 1 */
    double position[3];
} sn_spring_place;
/* The sample of the skin nearest to a point, by a pose as the springs have it alone. */
sn_spring_place sn_springs_find(const sn_springs *springs, const double *posed, const double *point);

/* An impulse (kg times model units a second) on a joint, as on a rod of its mass that turns about its head: across it
 * its tail gains 3 s impulse / mass, s where it is hit, as a share of its length; up to SN_SPRING_SPEED. */
void sn_springs_hit(sn_springs *springs, int joint, double share, const double *impulse);
/* Of a joint's length, where it is nearest to a point: 0 .. 1. */
double sn_springs_share(const sn_springs *springs, int joint, const double *posed, const double *point);
/* kg: what of the model's flesh is on the bones that a joint swings; summed up once. */
double sn_springs_mass(const sn_springs *springs, int joint);

/* Holds what of a joint is at a point; posed: as drawn. Its number, below SN_GRAB_LIMIT, or -1 where so many are held.
 * The chain above it goes along as far as its lengths allow. Of one chain all grabs are solved together, in whatever
 * order they came; those of one joint hold it at their mean. */
int sn_springs_grab(sn_springs *springs, int joint, const double *posed, const double *point);
void sn_springs_drag(sn_springs *springs, int grab, const double *target);
void sn_springs_release(sn_springs *springs, int grab);

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
