/* SPDX-License-Identifier: MIT */
/* Spring bones of a VRM (VRMC_springBone 1.0; secondaryAnimation of 0.x) for one body.
 *
 * VRM's published algorithm moves the tail of each bone once per frame: by 1 - drag of its last displacement, plus
 * stiffness and gravity times the frame's duration; then it restores the bone's length, and moves the tail out of each
 * collider. The parameters are tuned for 60 frames/s, and behave differently at other rates and sizes.
 *
 * Here steps are fixed, at most 1/60 s, and the parameters describe a damped swing in continuous time. Drag and
 * stiffness of a step of any length are chosen so that a small swing has the same frequency, decay, delay in a steady
 * motion and rest position as VRM's algorithm at 60 frames/s (coefficients.c). A step of 1/60 s is VRM's algorithm.
 * Lengths are relative to the bone's own, so that a body may have any size. A bone swings about its posed direction,
 * including its animation.
 *
 * Other differences: the body's motion affects inertia only up to SN_SPRING_MAX_SPEED, and a body starts with its
 * springs at rest. tools/bench/spring_reference.h is the unmodified algorithm.
 *
 * Bones of the same depth are processed in vector lanes; all instruction sets give the same bits. */
#ifndef SN_HOST_SPRINGS_SPRINGS_H
#define SN_HOST_SPRINGS_SPRINGS_H

#include "host/base/state_visitor.h"
#include "host/contact/collider.h"
#include "host/model/model.h"

#define SN_SPRING_VRM_RATE 60.0  /* frames/s for which VRM's parameters are defined */
#define SN_SPRING_MAX_SPEED 10.0 /* diagonals/s: faster motion of the body moves the springs rigidly */

typedef struct sn_springs sn_springs;

/* Creates the springs of one body at rest in the bind pose. time_step: seconds. *springs is null if the model has none.
 * Error: SN_ERROR_MEMORY. Poses below are (bone_count x 12), as for bodies, and finite. */
sn_result sn_springs_create(const sn_model *model, double time_step, sn_springs **springs);
/* Replaces the model by one with the same bones and springs. Accepts null. */
void sn_springs_set_model(sn_springs *springs, const sn_model *model);
/* Accepts null, as do all functions below that can be called without springs. */
void sn_springs_destroy(sn_springs **springs);

/* Resets to rest in a pose, including gravity and the model's own colliders, and releases all grabs. Only this function
 * and sn_springs_release release grabs. */
void sn_springs_reset(sn_springs *springs, const double *pose);

/* Inputs of a step besides its pose. */
typedef struct sn_spring_step_input {
    bool is_without_own_colliders;       /* ignore the model's spring colliders */
    const sn_surroundings *surroundings; /* wind and colliders of the world, or null */
    double area; /* m^2/kg: a joint's area exposed to wind, per mass; both are proportional to its length */
} sn_spring_step_input;
/* Takes one time step to `pose`, and writes the resulting pose to `posed`, which may be the same array. Returns false
 * if a number was not finite and the springs were reset to rest. Allocates nothing.
 *
 * Wind acts like gravity, with the force 1/2 rho v |v| area, where v is the air's velocity relative to the tail; a
 * force in VRM's units is 1/60 of an acceleration in m/s^2. If the joint has a center, the tail's velocity is relative
 * to it, so that the center's own motion is not felt as wind. At rest, tan(angle) = wind / (stiffness + gravity) for a
 * bone that hangs along both. The world's colliders keep a joint's tail and centre at its hit radius, without bounce
 * and with their friction; only the 64 nearest to the first joint's head count. */
bool sn_springs_step(sn_springs *springs, const double *pose, const sn_spring_step_input *with, double *posed);
/* Interpolates between the last two steps (0: the one before, 1: the last) for a pose. posed may be pose. */
void sn_springs_interpolate(sn_springs *springs, double fraction, const double *pose, double *posed);
/* Moves state and history by a rigid transform (12), exactly. */
void sn_springs_teleport(sn_springs *springs, const double *transform);

/* Visits all that later steps and poses depend on. Its size depends on the model alone. */
void sn_springs_visit_state(sn_springs *springs, sn_state_visitor *visitor);

/* ---- level of detail ---- */

#define SN_SPRING_BLEND_SECONDS 0.25 /* duration of the blend, seconds */
/* Switches the springs on or off, with a blend that starts at the next step, or at once by a reset. Springs that are
 * switched on start at rest in the pose, and grabbed joints then move to their targets. */
void sn_springs_set_enabled(sn_springs *springs, const double *pose, bool is_on);
/* Whether the springs need to be stepped and displayed; otherwise the pose is unmodified, at no cost. */
bool sn_springs_are_active(const sn_springs *springs);

/* ---- interaction ---- */

/* A point on skin that joints move. */
typedef struct sn_spring_skin_point {
    int joint;    /* joint with the largest weight, or -1 */
    double ratio; /* total weight of all joints, 0 .. 1 */
    double position[3];
} sn_spring_skin_point;
/* Finds the skin sample nearest to a point, in a pose with springs. */
sn_spring_skin_point sn_springs_find_skin_point(const sn_springs *springs, const double *posed, const double *point);

/* Applies an impulse (kg model units/s) to a joint, as to a rod with its mass that rotates about its head: the tail's
 * velocity across the rod changes by 3 s impulse / mass, where s is the point of application as a fraction of the
 * length. Limited to SN_SPRING_MAX_SPEED. */
void sn_springs_apply_impulse(sn_springs *springs, int joint, double ratio, const double *impulse);
/* The point of a joint nearest to a point, as a fraction of its length, 0 .. 1. */
double sn_springs_nearest_fraction(const sn_springs *springs, int joint, const double *posed, const double *point);
/* Mass (kg) of the flesh on the bones that a joint rotates; precomputed. */
double sn_springs_mass(const sn_springs *springs, int joint);

/* Grabs a joint at a point; posed: the displayed pose. Returns an index below SN_GRAB_LIMIT, or -1 if all are in use.
 * The chain above follows as far as its lengths allow. All grabs of a chain are solved together, independently of their
 * order; several grabs of one joint hold it at their mean. */
int sn_springs_grab(sn_springs *springs, int joint, const double *posed, const double *point);
void sn_springs_drag(sn_springs *springs, int grab, const double *target);
void sn_springs_release(sn_springs *springs, int grab);

/* Coefficients of a step. */
typedef struct sn_spring_coefficients {
    double inertia_factor;                      /* factor on the tail's last displacement */
    double force_factor;                        /* factor on the displacement by stiffness and gravity in 1/60 s */
    double follow_factor, follow_change_factor; /* factors on the displacement of the rest position in the step, and on
                                                   the change of that displacement */
} sn_spring_coefficients;

/* sixtieths: the step in 1/60 s; pull: displacement by stiffness and gravity in 1/60 s, relative to the bone's length;
 * drag 0 .. 1. */
sn_spring_coefficients sn_spring_compute_coefficients(double sixtieths, double drag, double pull);

typedef enum sn_spring_instructions { SN_SPRING_BASELINE, SN_SPRING_AVX2 } sn_spring_instructions;
/* Limits the instruction set, for tests. */
void sn_springs_limit_instructions(sn_springs *springs, sn_spring_instructions max_value);

#endif
