/* SPDX-License-Identifier: MIT */
/* Contacts of rigid bodies: detection, contact joints for one step, and their impulses after the solve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/rigid/rigid_ode.h"

#define PAIR_CONTACTS 8 /* maximum contacts between two solids */
#define RIM_POINTS 8    /* sample points on the rim of a cylinder's end */

/* Cylinder against plane, with all sampled rim points below the plane. ODE's own function finds only one point when the
 * cylinder is tilted by more than 1e-3. */
static int meet_plane(dGeomID cylinder, dGeomID plane, dContactGeom *found)
{
    dVector4 p;
    dReal radius, length;
    const dReal *place = dGeomGetPosition(cylinder), *turn = dGeomGetRotation(cylinder);
    int count = 0;
    dGeomPlaneGetParams(plane, p);
    dGeomCylinderGetParams(cylinder, &radius, &length);
    const double axis[3] = {turn[2], turn[6], turn[10]};
    const double lean = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2], sign = lean > 0 ? -1 : 1;
    double down[3], aside[3], long_down = 0;
    for (int d = 0; d < 3; ++d) {
        down[d] = lean * axis[d] - p[d]; /* in the plane of the end cap, steepest towards the plane */
        long_down += down[d] * down[d];
    }
    for (int d = 0; d < 3; ++d) {
        down[d] = long_down > 1e-16 ? down[d] / sqrt(long_down) : turn[4 * d];
    }
    for (int d = 0; d < 3; ++d) {
        aside[d] = axis[(d + 1) % 3] * down[(d + 2) % 3] - axis[(d + 2) % 3] * down[(d + 1) % 3];
    }
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < RIM_POINTS && count < PAIR_CONTACTS; ++k) {
            const double angle = 2 * 3.14159265358979323846 * k / RIM_POINTS;
            dContactGeom *c = &found[count];
            double depth = p[3];
            for (int d = 0; d < 3; ++d) {
                c->pos[d] = place[d] + (end ? -sign : sign) * axis[d] * length / 2 +
                            radius * (cos(angle) * down[d] + sin(angle) * aside[d]);
                c->normal[d] = p[d];
                depth -= p[d] * c->pos[d];
            }
            c->depth = depth;
            c->g1 = cylinder;
            c->g2 = plane;
            count += depth > 0;
        }
    }
    return count;
}

static int meet(dGeomID a, dGeomID b, dContactGeom *found)
{
    if (dGeomGetClass(a) == dCylinderClass && dGeomGetClass(b) == dPlaneClass) {
        return meet_plane(a, b, found);
    }
    if (dGeomGetClass(b) == dCylinderClass && dGeomGetClass(a) == dPlaneClass) {
        return meet_plane(b, a, found);
    }
    return dCollide(a, b, PAIR_CONTACTS, found, sizeof *found);
}

static met *new_met(sn_rigid_engine *engine)
{
    if (engine->met_count == engine->met_room) {
        const int room = 2 * engine->met_room + 64;
        met **mets = realloc(engine->mets, (size_t)room * sizeof *mets);
        if (!mets) {
            return NULL;
        }
        engine->mets = mets;
        while (engine->met_room < room && (mets[engine->met_room] = calloc(1, sizeof(met)))) {
            ++engine->met_room;
        }
    }
    return engine->met_count < engine->met_room ? engine->mets[engine->met_count++] : NULL;
}

static void point_speed(const thing *t, const dReal *point, double speed[3])
{
    dVector3 result = {0};
    if (t->body) {
        dBodyGetPointVel(t->body, point[0], point[1], point[2], result);
    }
    memcpy(speed, result, 3 * sizeof *speed);
}

/* Aligns the friction direction with the sliding velocity; if nothing slides, ODE chooses it. */
static void set_direction(const thing *a, const thing *b, dContact *contact)
{
    const dReal *n = contact->geom.normal;
    double u[3], v[3], along = 0, square = 0, all = 0;
    point_speed(a, contact->geom.pos, u);
    point_speed(b, contact->geom.pos, v);
    for (int d = 0; d < 3; ++d) {
        u[d] -= v[d];
        along += u[d] * n[d];
        all += u[d] * u[d];
    }
    for (int d = 0; d < 3; ++d) {
        contact->fdir1[d] = u[d] - along * n[d];
        square += contact->fdir1[d] * contact->fdir1[d];
    }
    if (square > 1e-12 * all && square > 0) {
        for (int d = 0; d < 3; ++d) {
            contact->fdir1[d] /= sqrt(square);
        }
        contact->surface.mode |= dContactFDir1;
    }
}

static void join(sn_rigid_engine *engine, thing *a, thing *b, const dContactGeom *geom)
{
    const double *g = a->is_free ? a->gravity : b->gravity;
    met *m = new_met(engine);
    dContact contact = {.geom = *geom};
    if (!m) {
        engine->is_short = true;
        return;
    }
    contact.surface.mode = dContactApprox1 | dContactBounce;
    contact.surface.mu = m->friction = sqrt(a->friction * b->friction);
    memset(&m->feedback, 0, sizeof m->feedback); /* ODE writes no feedback for sleeping bodies */
    contact.surface.bounce = fmax(a->restitution, b->restitution);
    contact.surface.bounce_vel =
        2 * engine->step *
        sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]); /* above the velocity that gravity adds in a step at rest */
    set_direction(a, b, &contact);
    const dJointID joint = dJointCreateContact(engine->world, engine->contacts, &contact);
    dJointAttach(joint, a->body, b->body);
    dJointSetFeedback(joint, &m->feedback);
    m->first = (int)(a - engine->things);
    m->second = (int)(b - engine->things);
    memcpy(m->point, geom->pos, sizeof m->point);
}

static void come_near(void *user, dGeomID a, dGeomID b)
{
    sn_rigid_engine *engine = user;
    dContactGeom found[PAIR_CONTACTS];
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        dSpaceCollide2(a, b, user, come_near);
        return;
    }
    thing *first = dGeomGetData(a);
    if (!first->is_free) { /* the first body is a free one */
        const dGeomID other = a;
        a = b;
        b = other;
        first = dGeomGetData(a);
    }
    thing *second = dGeomGetData(b);
    if (!first->is_free || !first->is_present || !second->is_present) {
        return;
    }
    const int count = meet(a, b, found);
    for (int i = 0; i < count; ++i) {
        join(engine, first, second, &found[i]);
    }
}

void sn_rigid_find_contacts(sn_rigid_engine *engine)
{
    engine->met_count = engine->touch_count = 0;
    engine->is_short = false;
    dSpaceCollide(engine->space, engine, come_near);
}

static bool make_touch_room(sn_rigid_engine *engine)
{
    if (engine->touch_room < engine->met_count) {
        sn_rigid_touch *touches = realloc(engine->touches, (size_t)engine->met_room * sizeof *touches);
        if (!touches) {
            return false;
        }
        engine->touches = touches;
        engine->touch_room = engine->met_room;
    }
    return true;
}

static void take(sn_rigid_engine *engine, const met *m)
{
    const dReal *force = m->feedback.f1;
    sn_rigid_touch *touch = &engine->touches[engine->touch_count++];
    *touch = (sn_rigid_touch){.thing = m->first, .other = m->second};
    for (int d = 0; d < 3; ++d) {
        touch->point[d] = m->point[d];
        touch->impulse[d] = force[d] * engine->step;
    }
    if (m->friction > 0 && (force[0] != 0 || force[1] != 0 || force[2] != 0)) {
        engine->things[m->first].loose_seconds = engine->things[m->second].loose_seconds = 0;
    }
}

void sn_rigid_take_contacts(sn_rigid_engine *engine)
{
    if (make_touch_room(engine)) {
        for (int i = 0; i < engine->met_count; ++i) {
            take(engine, engine->mets[i]);
        }
    } else {
        engine->is_short = true;
    }
    dJointGroupEmpty(engine->contacts);
}
