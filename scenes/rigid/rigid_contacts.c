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
static int collide_cylinder_plane(dGeomID cylinder, dGeomID plane, dContactGeom *contact_points)
{
    dVector4 p;
    dReal radius, length;
    const dReal *position = dGeomGetPosition(cylinder), *rotation = dGeomGetRotation(cylinder);
    int count = 0;
    dGeomPlaneGetParams(plane, p);
    dGeomCylinderGetParams(cylinder, &radius, &length);
    const double axis[3] = {rotation[2], rotation[6], rotation[10]};
    const double axis_slope = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2], sign = axis_slope > 0 ? -1 : 1;
    double down[3], sideways[3], down_square = 0;
    for (int d = 0; d < 3; ++d) {
        down[d] = axis_slope * axis[d] - p[d]; /* in the plane of the end cap, steepest towards the plane */
        down_square += down[d] * down[d];
    }
    for (int d = 0; d < 3; ++d) {
        down[d] = down_square > 1e-16 ? down[d] / sqrt(down_square) : rotation[4 * d];
    }
    for (int d = 0; d < 3; ++d) {
        sideways[d] = axis[(d + 1) % 3] * down[(d + 2) % 3] - axis[(d + 2) % 3] * down[(d + 1) % 3];
    }
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < RIM_POINTS && count < PAIR_CONTACTS; ++k) {
            const double angle = 2 * 3.14159265358979323846 * k / RIM_POINTS;
            dContactGeom *c = &contact_points[count];
            double depth = p[3];
            for (int d = 0; d < 3; ++d) {
                c->pos[d] = position[d] + (end ? -sign : sign) * axis[d] * length / 2 +
                            radius * (cos(angle) * down[d] + sin(angle) * sideways[d]);
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

static int collide_geoms(dGeomID a, dGeomID b, dContactGeom *contact_points)
{
    if (dGeomGetClass(a) == dCylinderClass && dGeomGetClass(b) == dPlaneClass) {
        return collide_cylinder_plane(a, b, contact_points);
    }
    if (dGeomGetClass(b) == dCylinderClass && dGeomGetClass(a) == dPlaneClass) {
        return collide_cylinder_plane(b, a, contact_points);
    }
    return dCollide(a, b, PAIR_CONTACTS, contact_points, sizeof *contact_points);
}

static contact_record *add_contact_record(sn_rigid_engine *engine)
{
    if (engine->contact_record_count == engine->contact_record_capacity) {
        const int capacity = 2 * engine->contact_record_capacity + 64;
        contact_record **contact_records = realloc(engine->contact_records, (size_t)capacity * sizeof *contact_records);
        if (!contact_records) {
            return NULL;
        }
        engine->contact_records = contact_records;
        while (engine->contact_record_capacity < capacity &&
               (contact_records[engine->contact_record_capacity] = calloc(1, sizeof(contact_record)))) {
            ++engine->contact_record_capacity;
        }
    }
    return engine->contact_record_count < engine->contact_record_capacity
               ? engine->contact_records[engine->contact_record_count++]
               : NULL;
}

static void point_speed(const engine_body *t, const dReal *point, double speed[3])
{
    dVector3 result = {0};
    if (t->body) {
        dBodyGetPointVel(t->body, point[0], point[1], point[2], result);
    }
    memcpy(speed, result, 3 * sizeof *speed);
}

/* Aligns the friction direction with the sliding velocity; if nothing slides, ODE chooses it. */
static void set_direction(const engine_body *a, const engine_body *b, dContact *contact)
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

static void create_contact_joint(sn_rigid_engine *engine, engine_body *a, engine_body *b, const dContactGeom *geom)
{
    const double *g = a->is_free ? a->gravity : b->gravity;
    contact_record *m = add_contact_record(engine);
    dContact contact = {.geom = *geom};
    if (!m) {
        engine->is_out_of_memory = true;
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
    m->first = (int)(a - engine->bodies);
    m->second = (int)(b - engine->bodies);
    memcpy(m->point, geom->pos, sizeof m->point);
}

static void on_near_pair(void *user, dGeomID a, dGeomID b)
{
    sn_rigid_engine *engine = user;
    dContactGeom contact_points[PAIR_CONTACTS];
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        dSpaceCollide2(a, b, user, on_near_pair);
        return;
    }
    engine_body *first = dGeomGetData(a);
    if (!first->is_free) { /* the first body is a free one */
        const dGeomID other = a;
        a = b;
        b = other;
        first = dGeomGetData(a);
    }
    engine_body *second = dGeomGetData(b);
    if (!first->is_free || !first->is_present || !second->is_present) {
        return;
    }
    const int count = collide_geoms(a, b, contact_points);
    for (int i = 0; i < count; ++i) {
        create_contact_joint(engine, first, second, &contact_points[i]);
    }
}

void sn_rigid_find_contacts(sn_rigid_engine *engine)
{
    engine->contact_record_count = engine->contact_impulse_count = 0;
    engine->is_out_of_memory = false;
    dSpaceCollide(engine->space, engine, on_near_pair);
}

static bool reserve_contact_impulses(sn_rigid_engine *engine)
{
    if (engine->contact_impulse_capacity < engine->contact_record_count) {
        sn_rigid_contact *contact_impulses =
            realloc(engine->contact_impulses, (size_t)engine->contact_record_capacity * sizeof *contact_impulses);
        if (!contact_impulses) {
            return false;
        }
        engine->contact_impulses = contact_impulses;
        engine->contact_impulse_capacity = engine->contact_record_capacity;
    }
    return true;
}

static void read_contact(sn_rigid_engine *engine, const contact_record *m)
{
    const dReal *force = m->feedback.f1;
    sn_rigid_contact *contact_impulse = &engine->contact_impulses[engine->contact_impulse_count++];
    *contact_impulse = (sn_rigid_contact){.engine_body = m->first, .other = m->second};
    for (int d = 0; d < 3; ++d) {
        contact_impulse->point[d] = m->point[d];
        contact_impulse->impulse[d] = force[d] * engine->step;
    }
    if (m->friction > 0 && (force[0] != 0 || force[1] != 0 || force[2] != 0)) {
        engine->bodies[m->first].no_friction_seconds = engine->bodies[m->second].no_friction_seconds = 0;
    }
}

void sn_rigid_read_contacts(sn_rigid_engine *engine)
{
    if (reserve_contact_impulses(engine)) {
        for (int i = 0; i < engine->contact_record_count; ++i) {
            read_contact(engine, engine->contact_records[i]);
        }
    } else {
        engine->is_out_of_memory = true;
    }
    dJointGroupEmpty(engine->contacts);
}
