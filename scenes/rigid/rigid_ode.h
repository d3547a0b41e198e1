/* SPDX-License-Identifier: MIT */
/* What rigid_engine.c and rigid_contacts.c share: the engine as it is with the Open Dynamics Engine. */
#ifndef SN_SCENES_RIGID_RIGID_ODE_H
#define SN_SCENES_RIGID_RIGID_ODE_H

#include <ode/ode.h>

#include "scenes/rigid/rigid_engine.h"

typedef struct body_state {
    double position[3], turn[4]; /* of the center of mass; a quaternion, w first */
} body_state;

typedef struct thing {
    dBodyID body;   /* null: a plane */
    dSpaceID space; /* of its solids; null: */
    dGeomID plane;
    bool is_free, is_present;
    double mass, center[3], friction, restitution, gravity[3];
    double rest_speed, loose_seconds; /* slower things are put to rest; since when no friction held it */
    body_state before;                /* the last step */
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
    met **mets; /* (met_room) blocks do not move: ODE writes to them */
    int met_count, met_room;
    sn_rigid_touch *touches; /* (touch_room) */
    int touch_count, touch_room;
    bool is_short;         /* of memory, in this step: a contact or what it gave is lost */
    bool is_broken;        /* by an error of ODE: nothing moves any more */
    sn_rigid_engine *next; /* that is broken */
};

/* Contacts of what is near, for one solution. */
void sn_rigid_find_contacts(sn_rigid_engine *engine);
/* What they gave, when it is solved, and whom friction holds. They are gone then. */
void sn_rigid_take_contacts(sn_rigid_engine *engine);

#endif
