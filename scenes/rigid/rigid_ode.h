/* SPDX-License-Identifier: MIT */
/* Private to rigid_engine.c and rigid_contacts.c: the engine's data structures with ODE. */
#ifndef SN_SCENES_RIGID_RIGID_ODE_H
#define SN_SCENES_RIGID_RIGID_ODE_H

#include <ode/ode.h>

#include "scenes/rigid/rigid_engine.h"

typedef struct body_state {
    double position[3], orientation[4]; /* of the center of mass; quaternion with w first */
} body_state;

typedef struct engine_body {
    dBodyID body;   /* null for a plane */
    dSpaceID space; /* of its solids; null for a plane */
    dGeomID plane;
    bool is_free, is_present;
    double mass, center[3], friction, restitution, gravity[3];
    double sleep_speed, no_friction_seconds; /* speed below which it may sleep; time without frictional contact */
    body_state previous;                     /* state before the last step */
} engine_body;

typedef struct contact_record {
    dJointFeedback feedback;
    int first, second;
    double point[3], friction;
} contact_record;

struct sn_rigid_engine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    double step, min_size;
    unsigned long seed;
    engine_body *bodies; /* (body_limit) */
    int body_count, body_limit;
    contact_record *
        *contact_records; /* (contact_record_capacity) allocated one by one, because ODE keeps pointers to them */
    int contact_record_count, contact_record_capacity;
    sn_rigid_contact *contact_impulses; /* (contact_impulse_capacity) */
    int contact_impulse_count, contact_impulse_capacity;
    bool is_out_of_memory; /* out of memory in this step: a contact or its impulse is lost */
    bool is_broken;        /* an ODE error occurred; nothing moves any more */
    sn_rigid_engine *next; /* list of broken engines */
};

/* Detects contacts and creates their joints for one step. */
void sn_rigid_find_contacts(sn_rigid_engine *engine);
/* After the solve: reads the contacts' impulses, updates no_friction_seconds, and removes the joints. */
void sn_rigid_read_contacts(sn_rigid_engine *engine);

#endif
