/* SPDX-License-Identifier: MIT */
/* Private to rigid_engine.c and rigid_contacts.c: the engine's data structures with ODE. */
#ifndef SN_SCENES_RIGID_RIGID_ODE_H
#define SN_SCENES_RIGID_RIGID_ODE_H

#include <ode/ode.h>

#include "scenes/rigid/rigid_engine.h"

typedef struct body_state {
    double position[3], turn[4]; /* of the center of mass; quaternion with w first */
} body_state;

typedef struct thing {
    dBodyID body;   /* null for a plane */
    dSpaceID space; /* of its solids; null for a plane */
    dGeomID plane;
    bool is_free, is_present;
    double mass, center[3], friction, restitution, gravity[3];
    double rest_speed, loose_seconds; /* speed below which it may sleep; time without frictional contact */
    body_state before;                /* state before the last step */
} thing;

typedef struct met {
    dJointFeedback feedback;
    int first, second;
    double point[3], friction;
} met;

struct sn_rigid_engine {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    double step, least_size;
    unsigned long seed;
    thing *things; /* (thing_limit) */
    int thing_count, thing_limit;
    met **mets; /* (met_room) allocated one by one, because ODE keeps pointers to them */
    int met_count, met_room;
    sn_rigid_touch *touches; /* (touch_room) */
    int touch_count, touch_room;
    bool is_short;         /* out of memory in this step: a contact or its impulse is lost */
    bool is_broken;        /* an ODE error occurred; nothing moves any more */
    sn_rigid_engine *next; /* list of broken engines */
};

/* Detects contacts and creates their joints for one step. */
void sn_rigid_find_contacts(sn_rigid_engine *engine);
/* After the solve: reads the contacts' impulses, updates loose_seconds, and removes the joints. */
void sn_rigid_take_contacts(sn_rigid_engine *engine);

#endif
