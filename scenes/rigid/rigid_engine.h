/* SPDX-License-Identifier: MIT */
/* The engine that moves rigid bodies: a small face, behind which one library does it. Frames take a body's own
 * coordinates to the world; velocities are of centres of mass; units are the scene's. The same calls give the same
 * bits. An engine belongs to one thread at a time; several may be used at once. */
#ifndef SN_SCENES_RIGID_RIGID_ENGINE_H
#define SN_SCENES_RIGID_RIGID_ENGINE_H

#include "scenes/script/frame.h"
#include "scenes/script/script.h"

typedef struct sn_rigid_engine sn_rigid_engine;

/* What an engine takes: components of places, velocities (units and radians a second) and gravity. Beyond them things
 * are not driven or pushed, and keep their gravity; what gets beyond by itself is put back. */
#define SN_RIGID_REACH 1e9
#define SN_RIGID_SPEED_LIMIT 1e6
#define SN_RIGID_TURN_LIMIT 1e4
#define SN_RIGID_GRAVITY_LIMIT 1e9

/* Of a body in its own coordinates. */
typedef struct sn_rigid_mass {
    double mass, center[3];
    double inertia[3][3]; /* about the center */
} sn_rigid_mass;

typedef struct sn_rigid_thing {
    const sn_scene_solid *solids; /* (solid_count), in its own coordinates; a plane has no others beside it */
    int solid_count;
    bool is_free; /* forces move it; else sn_rigid_engine_drive alone, and it has no mass */
    sn_rigid_mass mass;
    double friction, restitution;
    sn_frame frame; /* rigid */
    double velocity[3], angular_velocity[3], gravity[3];
} sn_rigid_thing;

/* What one thing gave to another in the last step: the other's is the opposite of it. */
typedef struct sn_rigid_touch {
    int thing, other;
    double point[3], impulse[3];
} sn_rigid_touch;

/* Whether this build has one. */
extern const bool sn_rigid_engine_is_there;

/* `step`: seconds of one. SN_ERROR_UNSUPPORTED where there is none (SN_ODE=OFF), SN_ERROR_MEMORY. */
sn_result sn_rigid_engine_create(double step, int thing_limit, sn_rigid_engine **engine);
/* Accepts null. */
void sn_rigid_engine_destroy(sn_rigid_engine **engine);
/* Numbers count from 0, up to the limit. Its numbers must be within the limits. */
int sn_rigid_engine_add(sn_rigid_engine *engine, const sn_rigid_thing *thing);
/* Where a thing that is not free is now, and after the next step. */
void sn_rigid_engine_drive(sn_rigid_engine *engine, int thing, const sn_frame *from, const sn_frame *to);
/* Meets nothing while it is not present. */
void sn_rigid_engine_set_presence(sn_rigid_engine *engine, int thing, bool is_present);
void sn_rigid_engine_set_friction(sn_rigid_engine *engine, int thing, double friction);
void sn_rigid_engine_set_gravity(sn_rigid_engine *engine, int thing, const double gravity[3]);
/* Of a free thing, at a point of the world; null: at its center of mass. */
void sn_rigid_engine_push(sn_rigid_engine *engine, int thing, const double *point, const double impulse[3]);
/* How many things got beyond the limits, and are at rest where they were before: all that are free, and from then on,
 * where the library behind it fails. One more where memory was out, and a contact is lost. */
int sn_rigid_engine_step(sn_rigid_engine *engine);
/* Between the last two steps: share 0 is the one before, 1 the last. */
sn_frame sn_rigid_engine_frame(const sn_rigid_engine *engine, int thing, double share);
/* Of a free thing after the last step. */
void sn_rigid_engine_velocity(const sn_rigid_engine *engine, int thing, double velocity[3], double angular[3]);
/* Valid until the next step. */
int sn_rigid_engine_touches(const sn_rigid_engine *engine, const sn_rigid_touch **touches);

#endif
