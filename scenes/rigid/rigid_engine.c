/* SPDX-License-Identifier: MIT */
/* Rigid bodies by the Open Dynamics Engine (ode.org, version 0.16).
 *
 * ODE integrates with symplectic Euler: x += h v after v += h g. Stored velocities are treated as those half a step
 * earlier. A free body is then exactly on its parabola, and a bounce with restitution 1 loses no energy. ODE randomizes
 * its constraint order; each engine keeps its own seed. ODE's global state (the seed and its user count) is protected
 * by one lock. */
#include "scenes/rigid/rigid_ode.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#define ITERATIONS 60
#define REST_SECONDS 0.5
#define REST_SPEED 0.02 /* sizes/s, and rad/s: slower bodies are put to sleep */
#define REST_TURN 0.05
#define LOOSE_SECONDS                                                                                                  \
    0.25 /* a body without frictional contact for this long is not put to sleep, because nothing would stop it */

_Static_assert(sizeof(dReal) == sizeof(double), "ODE must be built with double precision");

const bool sn_rigid_engine_is_there = true;

/* ---- ODE's global state ---- */

static mtx_t lock;
static once_flag is_lock_made = ONCE_FLAG_INIT;
static int user_count;
static sn_rigid_engine *abandoned;
static thread_local jmp_buf *way_out; /* out of the step that this thread is in */

static void make_lock(void)
{
    mtx_init(&lock, mtx_plain);
}

/* Suppresses ODE's messages; the problems that they report are detected after each step. */
static void be_silent(int number, const char *message, va_list arguments)
{
    (void)number;
    (void)message;
    (void)arguments;
}

/* ODE ends the process when its error handler returns. Inputs that are known to cause errors are rejected beforehand.
 * If an error occurs all the same, the step is aborted and the engine is never stepped again. */
static void leave_step(int number, const char *message, va_list arguments)
{
    be_silent(number, message, arguments);
    if (way_out) {
        longjmp(*way_out, 1);
    }
}

static void enter(void)
{
    call_once(&is_lock_made, make_lock);
    mtx_lock(&lock);
}

static void begin_use(void)
{
    enter();
    if (user_count++ == 0) {
        dInitODE2(0);
        dSetMessageHandler(be_silent);
        dSetErrorHandler(leave_step);
        dSetDebugHandler(leave_step);
    }
    mtx_unlock(&lock);
}

static void end_use(void)
{
    enter();
    if (--user_count == 0) {
        dCloseODE();
    }
    mtx_unlock(&lock);
}

/* ---- numbers ---- */

static bool is_within(const double *values, int count, double limit)
{
    bool is_in = true;
    for (int i = 0; i < count; ++i) {
        is_in = is_in && fabs(values[i]) <= limit; /* false for NaN */
    }
    return is_in;
}

static bool is_sound(const sn_frame *frame)
{
    return is_within(&frame->m[0][0], 12, SN_RIGID_REACH);
}

/* ---- frames ---- */

static void matrix_of(const sn_frame *frame, dMatrix3 matrix)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            matrix[4 * r + c] = c < 3 ? frame->m[r][c] : 0;
        }
    }
}

static void apply(const sn_frame *frame, const double point[3], double result[3])
{
    for (int r = 0; r < 3; ++r) {
        result[r] = frame->m[r][0] * point[0] + frame->m[r][1] * point[1] + frame->m[r][2] * point[2] + frame->m[r][3];
    }
}

static void place_body(thing *t, const sn_frame *frame)
{
    dMatrix3 turn;
    double center[3];
    matrix_of(frame, turn);
    apply(frame, t->center, center);
    dBodySetPosition(t->body, center[0], center[1], center[2]);
    dBodySetRotation(t->body, turn);
}

/* A plane is the solid half-space below its local y = 0. */
static void place_plane(thing *t, const sn_frame *frame)
{
    const double normal[3] = {frame->m[0][1], frame->m[1][1], frame->m[2][1]};
    dGeomPlaneSetParams(t->plane, normal[0], normal[1], normal[2],
                        normal[0] * frame->m[0][3] + normal[1] * frame->m[1][3] + normal[2] * frame->m[2][3]);
}

static body_state state_of(const thing *t)
{
    body_state state;
    memcpy(state.position, dBodyGetPosition(t->body), sizeof state.position);
    memcpy(state.turn, dBodyGetQuaternion(t->body), sizeof state.turn);
    return state;
}

/* ---- bodies ---- */

static dGeomID make_geom(const sn_scene_solid *solid)
{
    const double r = solid->radius, *half = solid->half_extents;
    switch (solid->kind) {
    case SN_SOLID_SPHERE:
        return dCreateSphere(NULL, r);
    case SN_SOLID_CAPSULE:
        return dCreateCapsule(NULL, r, 2 * solid->half_height);
    case SN_SOLID_CYLINDER:
        return dCreateCylinder(NULL, r, 2 * solid->half_height);
    default:
        return dCreateBox(NULL, 2 * (half[0] + r), 2 * (half[1] + r), 2 * (half[2] + r));
    }
}

/* ODE's capsules and cylinders are along z, ours along y. */
static void add_solid(thing *t, const sn_scene_solid *solid)
{
    static const sn_frame upright = {{{1, 0, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}}};
    const dGeomID geom = make_geom(solid);
    sn_frame place = sn_frame_rigid(solid->rotation, solid->translation);
    dMatrix3 turn;
    if (solid->kind == SN_SOLID_CAPSULE || solid->kind == SN_SOLID_CYLINDER) {
        place = sn_frame_after(&place, &upright);
    }
    matrix_of(&place, turn);
    dGeomSetData(geom, t);
    dSpaceAdd(t->space, geom);
    dGeomSetBody(geom, t->body);
    dGeomSetOffsetPosition(geom, place.m[0][3] - t->center[0], place.m[1][3] - t->center[1],
                           place.m[2][3] - t->center[2]);
    dGeomSetOffsetRotation(geom, turn);
}

static double size_of(const sn_scene_solid *solids, int count)
{
    double size = 0;
    for (int i = 0; i < count; ++i) {
        const double *half = solids[i].half_extents;
        const double own = solids[i].kind == SN_SOLID_BOX ? fmin(fmin(half[0], half[1]), half[2]) + solids[i].radius
                                                          : solids[i].radius;
        size = fmax(size, own);
    }
    return size;
}

static void set_mass(sn_rigid_engine *engine, thing *t, const sn_rigid_thing *desc)
{
    const double(*i)[3] = desc->mass.inertia, size = size_of(desc->solids, desc->solid_count);
    dMass mass;
    dMassSetParameters(&mass, desc->mass.mass, 0, 0, 0, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]);
    dBodySetMass(t->body, &mass);
    dBodySetMaxAngularSpeed(t->body, SN_RIGID_TURN_LIMIT);
    dBodySetAutoDisableFlag(t->body, 1);
    dBodySetAutoDisableTime(t->body, REST_SECONDS);
    dBodySetAutoDisableSteps(t->body, 0);
    t->rest_speed = REST_SPEED * size;
    if (size < engine->least_size || engine->least_size == 0) {
        engine->least_size = size;
        dWorldSetContactSurfaceLayer(engine->world, 2e-3 * size);
        dWorldSetContactMaxCorrectingVel(engine->world, 10 * size);
    }
}

int sn_rigid_engine_add(sn_rigid_engine *engine, const sn_rigid_thing *desc)
{
    thing *t = &engine->things[engine->thing_count];
    *t = (thing){.is_free = desc->is_free,
                 .is_present = true,
                 .mass = desc->mass.mass,
                 .friction = desc->friction,
                 .restitution = desc->restitution};
    memcpy(t->gravity, desc->gravity, sizeof t->gravity);
    if (desc->solids[0].kind == SN_SOLID_PLANE) {
        t->plane = dCreatePlane(engine->space, 0, 1, 0, 0);
        dGeomSetData(t->plane, t);
        place_plane(t, &desc->frame);
        return engine->thing_count++;
    }
    if (t->is_free) {
        memcpy(t->center, desc->mass.center, sizeof t->center);
    }
    t->body = dBodyCreate(engine->world);
    t->space = dSimpleSpaceCreate(engine->space);
    place_body(t, &desc->frame);
    for (int i = 0; i < desc->solid_count; ++i) {
        add_solid(t, &desc->solids[i]);
    }
    if (t->is_free) {
        const double *v = desc->velocity, *w = desc->angular_velocity, *g = t->gravity, half = engine->step / 2;
        set_mass(engine, t, desc);
        dBodySetLinearVel(t->body, v[0] - half * g[0], v[1] - half * g[1], v[2] - half * g[2]);
        dBodySetAngularVel(t->body, w[0], w[1], w[2]);
    } else {
        dBodySetKinematic(t->body);
    }
    t->before = state_of(t);
    return engine->thing_count++;
}

static void wake_all(sn_rigid_engine *engine)
{
    for (int i = 0; i < engine->thing_count; ++i) {
        if (engine->things[i].is_free) {
            dBodyEnable(engine->things[i].body);
        }
    }
}

/* Sets the velocities that move a body from one frame to another in a step. */
static void set_speed(const sn_rigid_engine *engine, thing *t, const sn_frame *from, const sn_frame *to)
{
    const sn_frame back = sn_frame_inverse(from), turn = sn_frame_after(to, &back);
    const double(*m)[4] = turn.m, axis[3] = {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    const double sine = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) / 2;
    const double angle = atan2(sine, (m[0][0] + m[1][1] + m[2][2] - 1) / 2);
    const double rate = sine > 0 ? angle / (2 * sine) / engine->step : 0;
    dBodySetLinearVel(t->body, (to->m[0][3] - from->m[0][3]) / engine->step,
                      (to->m[1][3] - from->m[1][3]) / engine->step, (to->m[2][3] - from->m[2][3]) / engine->step);
    dBodySetAngularVel(t->body, rate * axis[0], rate * axis[1], rate * axis[2]);
}

void sn_rigid_engine_drive(sn_rigid_engine *engine, int index, const sn_frame *from, const sn_frame *to)
{
    thing *t = &engine->things[index];
    if (!is_sound(from) || !is_sound(to)) {
        return;
    }
    if (t->plane) {
        place_plane(t, from);
    } else {
        place_body(t, from);
        set_speed(engine, t, from, to);
    }
    if (memcmp(from, to, sizeof *from) != 0) {
        wake_all(engine);
    }
}

void sn_rigid_engine_set_presence(sn_rigid_engine *engine, int index, bool is_present)
{
    if (engine->things[index].is_present != is_present) {
        engine->things[index].is_present = is_present;
        wake_all(engine);
    }
}

void sn_rigid_engine_set_friction(sn_rigid_engine *engine, int index, double friction)
{
    if (engine->things[index].friction != friction) {
        engine->things[index].friction = friction;
        wake_all(engine);
    }
}

void sn_rigid_engine_set_gravity(sn_rigid_engine *engine, int index, const double gravity[3])
{
    thing *t = &engine->things[index];
    if (is_within(gravity, 3, SN_RIGID_GRAVITY_LIMIT) && memcmp(t->gravity, gravity, sizeof t->gravity) != 0) {
        memcpy(t->gravity, gravity, sizeof t->gravity);
        dBodyEnable(t->body);
    }
}

void sn_rigid_engine_push(sn_rigid_engine *engine, int index, const double *point, const double impulse[3])
{
    thing *t = &engine->things[index];
    const double f[3] = {impulse[0] / engine->step, impulse[1] / engine->step, impulse[2] / engine->step};
    if (!is_within(impulse, 3, t->mass * SN_RIGID_SPEED_LIMIT) || (point && !is_within(point, 3, SN_RIGID_REACH))) {
        return;
    }
    dBodyEnable(t->body);
    if (point) {
        dBodyAddForceAtPos(t->body, f[0], f[1], f[2], point[0], point[1], point[2]);
    } else {
        dBodyAddForce(t->body, f[0], f[1], f[2]);
    }
}

/* ---- a step ---- */

static bool is_lost(const thing *t)
{
    return !is_within(dBodyGetPosition(t->body), 3, SN_RIGID_REACH) || !is_within(dBodyGetQuaternion(t->body), 4, 2) ||
           !is_within(dBodyGetLinearVel(t->body), 3, 2 * SN_RIGID_SPEED_LIMIT) ||
           !is_within(dBodyGetAngularVel(t->body), 3, 2 * SN_RIGID_TURN_LIMIT);
}

static void put_back(thing *t)
{
    const double *x = t->before.position;
    dBodySetPosition(t->body, x[0], x[1], x[2]);
    dBodySetQuaternion(t->body, t->before.turn);
    dBodySetLinearVel(t->body, 0, 0, 0);
    dBodySetAngularVel(t->body, 0, 0, 0);
}

static void solve(sn_rigid_engine *engine)
{
    dRandSetSeed(engine->seed);
    dWorldQuickStep(engine->world, engine->step);
    engine->seed = dRandGetSeed();
}

/* Runs a function that may raise an ODE error; after an error the engine is marked as broken. */
static void dare(sn_rigid_engine *engine, void (*work)(sn_rigid_engine *))
{
    jmp_buf here;
    if (engine->is_broken) {
        return;
    }
    engine->is_broken = true;
    if (setjmp(here) == 0) {
        way_out = &here;
        work(engine);
        engine->is_broken = false;
    }
    way_out = NULL;
}

/* Bodies that slide without friction or float keep moving however slowly. Only bodies in frictional contact, now or
 * recently, may fall asleep. */
static void let_rest(const sn_rigid_engine *engine, thing *t)
{
    const bool is_held = t->loose_seconds < LOOSE_SECONDS;
    dBodySetAutoDisableLinearThreshold(t->body, is_held ? t->rest_speed : 0);
    dBodySetAutoDisableAngularThreshold(t->body, is_held ? REST_TURN : 0);
    t->loose_seconds += engine->step;
}

int sn_rigid_engine_step(sn_rigid_engine *engine)
{
    int wrong = 0;
    for (int i = 0; i < engine->thing_count; ++i) {
        thing *t = &engine->things[i];
        t->before = t->body ? state_of(t) : t->before;
        if (t->is_free && dBodyIsEnabled(t->body)) {
            dBodyAddForce(t->body, t->mass * t->gravity[0], t->mass * t->gravity[1], t->mass * t->gravity[2]);
            let_rest(engine, t);
        }
    }
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll); /* does nothing on later calls by the same thread */
    dare(engine, sn_rigid_find_contacts);
    enter();
    dare(engine, solve);
    mtx_unlock(&lock);
    dare(engine, sn_rigid_take_contacts);
    for (int i = 0; i < engine->thing_count; ++i) {
        if (engine->things[i].is_free && (engine->is_broken || is_lost(&engine->things[i]))) {
            put_back(&engine->things[i]);
            ++wrong;
        }
    }
    return wrong + engine->is_short;
}

/* ---- results ---- */

sn_frame sn_rigid_engine_frame(const sn_rigid_engine *engine, int index, double share)
{
    const thing *t = &engine->things[index];
    if (!t->body) {
        return sn_frame_identity;
    }
    const body_state now = state_of(t), *before = &t->before;
    double cosine = 0;
    for (int k = 0; k < 4; ++k) {
        cosine += now.turn[k] * before->turn[k];
    }
    dQuaternion turn;
    for (int k = 0; k < 4; ++k) { /* the rotations are so close that linear interpolation suffices */
        turn[k] = share >= 1 ? now.turn[k] : share * now.turn[k] + (1 - share) * copysign(1, cosine) * before->turn[k];
    }
    dNormalize4(turn);
    dMatrix3 matrix;
    dRfromQ(matrix, turn);
    sn_frame frame;
    for (int r = 0; r < 3; ++r) {
        frame.m[r][3] = share >= 1 ? now.position[r] : share * now.position[r] + (1 - share) * before->position[r];
        for (int c = 0; c < 3; ++c) {
            frame.m[r][c] = matrix[4 * r + c];
            frame.m[r][3] -= matrix[4 * r + c] * t->center[c];
        }
    }
    return frame;
}

void sn_rigid_engine_velocity(const sn_rigid_engine *engine, int index, double velocity[3], double angular[3])
{
    const thing *t = &engine->things[index];
    const bool is_awake = dBodyIsEnabled(t->body) != 0;
    for (int d = 0; d < 3; ++d) {
        velocity[d] = dBodyGetLinearVel(t->body)[d] + (is_awake ? engine->step / 2 * t->gravity[d] : 0);
        angular[d] = dBodyGetAngularVel(t->body)[d];
    }
}

int sn_rigid_engine_touches(const sn_rigid_engine *engine, const sn_rigid_touch **touches)
{
    *touches = engine->touches;
    return engine->touch_count;
}

/* ---- lifetime ---- */

sn_result sn_rigid_engine_create(double step, int thing_limit, sn_rigid_engine **result)
{
    sn_rigid_engine *engine = calloc(1, sizeof *engine);
    thing *things = calloc((size_t)thing_limit + 1, sizeof *things);
    *result = NULL;
    if (!engine || !things) {
        free(engine);
        free(things);
        return SN_ERROR_MEMORY;
    }
    begin_use();
    *engine = (sn_rigid_engine){.world = dWorldCreate(),
                                .space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XZY),
                                .contacts = dJointGroupCreate(0),
                                .step = step,
                                .seed = 1,
                                .things = things,
                                .thing_limit = thing_limit};
    dWorldSetQuickStepNumIterations(engine->world, ITERATIONS);
    *result = engine;
    return SN_OK;
}

void sn_rigid_engine_destroy(sn_rigid_engine **engine)
{
    sn_rigid_engine *e = *engine;
    *engine = NULL;
    if (!e) {
        return;
    }
    if (e->is_broken) { /* the world's state after an error is unknown: it is leaked deliberately */
        enter();
        e->next = abandoned;
        abandoned = e;
        mtx_unlock(&lock);
        return;
    }
    dJointGroupDestroy(e->contacts);
    dSpaceDestroy(e->space);
    dWorldDestroy(e->world);
    end_use();
    for (int i = 0; i < e->met_room; ++i) {
        free(e->mets[i]);
    }
    free(e->mets);
    free(e->touches);
    free(e->things);
    free(e);
}
