/* SPDX-License-Identifier: MIT */
/* Interface to the rigid-body engine. Frames map a body's local coordinates to the world; velocities are those of the
 * center of mass; units are the scene's. Deterministic: the same calls give bit-identical results. An engine may be
 * used by one thread at a time; different engines may be used concurrently. */
#ifndef SN_SCENES_RIGID_RIGID_ENGINE_H
#define SN_SCENES_RIGID_RIGID_ENGINE_H

#include "scenes/script/frame.h"
#include "scenes/script/script.h"

typedef struct sn_rigid_engine sn_rigid_engine;

/* Limits on the components of positions, velocities (units/s, rad/s) and gravity. Drives, pushes and gravity beyond
 * them are ignored; a body that exceeds them by itself is reset to its previous state. */
#define SN_RIGID_POSITION_LIMIT 1e9
#define SN_RIGID_SPEED_LIMIT 1e6
#define SN_RIGID_ANGULAR_SPEED_LIMIT 1e4
#define SN_RIGID_GRAVITY_LIMIT 1e9

/* Mass properties in local coordinates. */
typedef struct sn_rigid_mass {
    double mass, center[3];
    double inertia[3][3]; /* about the center of mass */
} sn_rigid_mass;

typedef struct sn_rigid_body_desc {
    const sn_scene_solid *solids; /* (solid_count) in local coordinates; a plane must be the only one */
    int solid_count;
    bool is_free; /* moved by forces; else kinematic, moved by sn_rigid_engine_drive only, without mass */
    sn_rigid_mass mass;
    double friction, restitution;
    sn_frame frame; /* rigid */
    double velocity[3], angular_velocity[3], gravity[3];
} sn_rigid_body_desc;

/* A contact of the last step: the impulse on the first body; the other receives the opposite. */
typedef struct sn_rigid_contact {
    int engine_body, other;
    double point[3], impulse[3];
} sn_rigid_contact;

/* False if this build has no engine. */
extern const bool sn_rigid_engine_is_available;

/* `step` in seconds. Errors: SN_ERROR_UNSUPPORTED (built with SN_ODE=OFF), SN_ERROR_MEMORY. */
sn_result sn_rigid_engine_create(double step, int body_limit, sn_rigid_engine **engine);
/* Accepts null. */
void sn_rigid_engine_destroy(sn_rigid_engine **engine);
/* Adds a body and returns its index, from 0. All values must be within the limits above. */
int sn_rigid_engine_add(sn_rigid_engine *engine, const sn_rigid_body_desc *engine_body);
/* Sets the frames of a kinematic body before and after the next step. */
void sn_rigid_engine_drive(sn_rigid_engine *engine, int engine_body, const sn_frame *from, const sn_frame *to);
/* A body that is not present collides with nothing. */
void sn_rigid_engine_set_presence(sn_rigid_engine *engine, int engine_body, bool is_present);
void sn_rigid_engine_set_friction(sn_rigid_engine *engine, int engine_body, double friction);
void sn_rigid_engine_set_gravity(sn_rigid_engine *engine, int engine_body, const double gravity[3]);
/* Applies an impulse to a free body at a world point; null: at its center of mass. */
void sn_rigid_engine_push(sn_rigid_engine *engine, int engine_body, const double *point, const double impulse[3]);
/* Returns the number of bodies that exceeded the limits and were reset to rest at their previous state (after a library
 * error: all free bodies, in every step), plus one if a contact was lost for lack of memory. */
int sn_rigid_engine_step(sn_rigid_engine *engine);
/* Frame interpolated between the last two steps: fraction 0 is the earlier one, 1 the later one. */
sn_frame sn_rigid_engine_frame(const sn_rigid_engine *engine, int engine_body, double fraction);
/* Velocities of a free body after the last step. */
void sn_rigid_engine_velocity(const sn_rigid_engine *engine, int engine_body, double velocity[3], double angular[3]);
/* Contacts of the last step; valid until the next. */
int sn_rigid_engine_contacts(const sn_rigid_engine *engine, const sn_rigid_contact **contacts);

#endif
