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
#define SLEEP_SECONDS 0.5
#define SLEEP_SPEED 0.02 /* sizes/s, and rad/s: slower bodies are put to sleep */
#define SLEEP_ANGULAR_SPEED 0.05
#define NO_FRICTION_SECONDS                                                                                            \
    0.25 /* a body without frictional contact for this long is not put to sleep, because nothing would stop it */

_Static_assert(sizeof(dReal) == sizeof(double), "ODE must be built with double precision");

const bool sn_rigid_engine_is_available = true;

/* ---- ODE's global state ---- */

static mtx_t lock;
static once_flag lock_once = ONCE_FLAG_INIT;
static int user_count;
static sn_rigid_engine *abandoned;
static thread_local jmp_buf *error_exit; /* out of the step that this thread is in */

static void create_lock(void)
{
    mtx_init(&lock, mtx_plain);
}

/* Suppresses ODE's messages; the problems that they report are detected after each step. */
static void ignore_message(int number, const char *message, va_list arguments)
{
    (void)number;
    (void)message;
    (void)arguments;
}

/* ODE ends the process when its error handler returns. Inputs that are known to cause errors are rejected beforehand.
 * If an error occurs all the same, the step is aborted and the engine is never stepped again. */
static void abort_step(int number, const char *message, va_list arguments)
{
    ignore_message(number, message, arguments);
    if (error_exit) {
        longjmp(*error_exit, 1);
    }
}

static void acquire_lock(void)
{
    call_once(&lock_once, create_lock);
    mtx_lock(&lock);
}

static void init_ode(void)
{
    acquire_lock();
    if (user_count++ == 0) {
        dInitODE2(0);
        dSetMessageHandler(ignore_message);
        dSetErrorHandler(abort_step);
        dSetDebugHandler(abort_step);
    }
    mtx_unlock(&lock);
}

static void close_ode(void)
{
    acquire_lock();
    if (--user_count == 0) {
        dCloseODE();
    }
    mtx_unlock(&lock);
}

/* ---- numbers ---- */

static bool is_within(const double *values, int count, double limit)
{
    bool is_inside = true;
    for (int i = 0; i < count; ++i) {
        is_inside = is_inside && fabs(values[i]) <= limit; /* false for NaN */
    }
    return is_inside;
}

static bool is_valid(const sn_frame *frame)
{
    return is_within(&frame->m[0][0], 12, SN_RIGID_POSITION_LIMIT);
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

static void set_body_frame(engine_body *t, const sn_frame *frame)
{
    dMatrix3 orientation;
    double center[3];
    matrix_of(frame, orientation);
    apply(frame, t->center, center);
    dBodySetPosition(t->body, center[0], center[1], center[2]);
    dBodySetRotation(t->body, orientation);
}

/* A plane is the solid half-space below its local y = 0. */
static void set_plane_frame(engine_body *t, const sn_frame *frame)
{
    const double normal[3] = {frame->m[0][1], frame->m[1][1], frame->m[2][1]};
    dGeomPlaneSetParams(t->plane, normal[0], normal[1], normal[2],
                        normal[0] * frame->m[0][3] + normal[1] * frame->m[1][3] + normal[2] * frame->m[2][3]);
}

static body_state state_of(const engine_body *t)
{
    body_state state;
    memcpy(state.position, dBodyGetPosition(t->body), sizeof state.position);
    memcpy(state.orientation, dBodyGetQuaternion(t->body), sizeof state.orientation);
    return state;
}

/* ---- bodies ---- */

static dGeomID create_geom(const sn_scene_solid *solid)
{
    const double r = solid->radius, *half = solid->half_extents;
    switch (solid->type) {
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
static void add_solid(engine_body *t, const sn_scene_solid *solid)
{
    static const sn_frame upright = {{{1, 0, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}}};
    const dGeomID geom = create_geom(solid);
    sn_frame local_frame = sn_frame_rigid(solid->rotation, solid->translation);
    dMatrix3 orientation;
    if (solid->type == SN_SOLID_CAPSULE || solid->type == SN_SOLID_CYLINDER) {
        local_frame = sn_frame_multiply(&local_frame, &upright);
    }
    matrix_of(&local_frame, orientation);
    dGeomSetData(geom, t);
    dSpaceAdd(t->space, geom);
    dGeomSetBody(geom, t->body);
    dGeomSetOffsetPosition(geom, local_frame.m[0][3] - t->center[0], local_frame.m[1][3] - t->center[1],
                           local_frame.m[2][3] - t->center[2]);
    dGeomSetOffsetRotation(geom, orientation);
}

static double size_of(const sn_scene_solid *solids, int count)
{
    double size = 0;
    for (int i = 0; i < count; ++i) {
        const double *half = solids[i].half_extents;
        const double own = solids[i].type == SN_SOLID_BOX ? fmin(fmin(half[0], half[1]), half[2]) + solids[i].radius
                                                          : solids[i].radius;
        size = fmax(size, own);
    }
    return size;
}

static void set_mass(sn_rigid_engine *engine, engine_body *t, const sn_rigid_body_desc *desc)
{
    const double(*i)[3] = desc->mass.inertia, size = size_of(desc->solids, desc->solid_count);
    dMass mass;
    dMassSetParameters(&mass, desc->mass.mass, 0, 0, 0, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]);
    dBodySetMass(t->body, &mass);
    dBodySetMaxAngularSpeed(t->body, SN_RIGID_ANGULAR_SPEED_LIMIT);
    dBodySetAutoDisableFlag(t->body, 1);
    dBodySetAutoDisableTime(t->body, SLEEP_SECONDS);
    dBodySetAutoDisableSteps(t->body, 0);
    t->sleep_speed = SLEEP_SPEED * size;
    if (size < engine->min_size || engine->min_size == 0) {
        engine->min_size = size;
        dWorldSetContactSurfaceLayer(engine->world, 2e-3 * size);
        dWorldSetContactMaxCorrectingVel(engine->world, 10 * size);
    }
}

int sn_rigid_engine_add(sn_rigid_engine *engine, const sn_rigid_body_desc *desc)
{
    engine_body *t = &engine->bodies[engine->body_count];
    *t = (engine_body){.is_free = desc->is_free,
                       .is_present = true,
                       .mass = desc->mass.mass,
                       .friction = desc->friction,
                       .restitution = desc->restitution};
    memcpy(t->gravity, desc->gravity, sizeof t->gravity);
    if (desc->solids[0].type == SN_SOLID_PLANE) {
        t->plane = dCreatePlane(engine->space, 0, 1, 0, 0);
        dGeomSetData(t->plane, t);
        set_plane_frame(t, &desc->frame);
        return engine->body_count++;
    }
    if (t->is_free) {
        memcpy(t->center, desc->mass.center, sizeof t->center);
    }
    t->body = dBodyCreate(engine->world);
    t->space = dSimpleSpaceCreate(engine->space);
    set_body_frame(t, &desc->frame);
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
    t->previous = state_of(t);
    return engine->body_count++;
}

static void wake_all(sn_rigid_engine *engine)
{
    for (int i = 0; i < engine->body_count; ++i) {
        if (engine->bodies[i].is_free) {
            dBodyEnable(engine->bodies[i].body);
        }
    }
}

/* Sets the velocities that move a body from one frame to another in a step. */
static void set_speed(const sn_rigid_engine *engine, engine_body *t, const sn_frame *from, const sn_frame *to)
{
    const sn_frame back = sn_frame_inverse(from), orientation = sn_frame_multiply(to, &back);
    const double(*m)[4] = orientation.m, axis[3] = {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    const double sine = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) / 2;
    const double angle = atan2(sine, (m[0][0] + m[1][1] + m[2][2] - 1) / 2);
    const double rate = sine > 0 ? angle / (2 * sine) / engine->step : 0;
    dBodySetLinearVel(t->body, (to->m[0][3] - from->m[0][3]) / engine->step,
                      (to->m[1][3] - from->m[1][3]) / engine->step, (to->m[2][3] - from->m[2][3]) / engine->step);
    dBodySetAngularVel(t->body, rate * axis[0], rate * axis[1], rate * axis[2]);
}

void sn_rigid_engine_drive(sn_rigid_engine *engine, int index, const sn_frame *from, const sn_frame *to)
{
    engine_body *t = &engine->bodies[index];
    if (!is_valid(from) || !is_valid(to)) {
        return;
    }
    if (t->plane) {
        set_plane_frame(t, from);
    } else {
        set_body_frame(t, from);
        set_speed(engine, t, from, to);
    }
    if (memcmp(from, to, sizeof *from) != 0) {
        wake_all(engine);
    }
}

void sn_rigid_engine_set_presence(sn_rigid_engine *engine, int index, bool is_present)
{
    if (engine->bodies[index].is_present != is_present) {
        engine->bodies[index].is_present = is_present;
        wake_all(engine);
    }
}

void sn_rigid_engine_set_friction(sn_rigid_engine *engine, int index, double friction)
{
    if (engine->bodies[index].friction != friction) {
        engine->bodies[index].friction = friction;
        wake_all(engine);
    }
}

void sn_rigid_engine_set_gravity(sn_rigid_engine *engine, int index, const double gravity[3])
{
    engine_body *t = &engine->bodies[index];
    if (is_within(gravity, 3, SN_RIGID_GRAVITY_LIMIT) && memcmp(t->gravity, gravity, sizeof t->gravity) != 0) {
        memcpy(t->gravity, gravity, sizeof t->gravity);
        dBodyEnable(t->body);
    }
}

void sn_rigid_engine_push(sn_rigid_engine *engine, int index, const double *point, const double impulse[3])
{
    engine_body *t = &engine->bodies[index];
    const double f[3] = {impulse[0] / engine->step, impulse[1] / engine->step, impulse[2] / engine->step};
    if (!is_within(impulse, 3, t->mass * SN_RIGID_SPEED_LIMIT) ||
        (point && !is_within(point, 3, SN_RIGID_POSITION_LIMIT))) {
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

static bool is_out_of_limits(const engine_body *t)
{
    return !is_within(dBodyGetPosition(t->body), 3, SN_RIGID_POSITION_LIMIT) ||
           !is_within(dBodyGetQuaternion(t->body), 4, 2) ||
           !is_within(dBodyGetLinearVel(t->body), 3, 2 * SN_RIGID_SPEED_LIMIT) ||
           !is_within(dBodyGetAngularVel(t->body), 3, 2 * SN_RIGID_ANGULAR_SPEED_LIMIT);
}

static void reset_body(engine_body *t)
{
    const double *x = t->previous.position;
    dBodySetPosition(t->body, x[0], x[1], x[2]);
    dBodySetQuaternion(t->body, t->previous.orientation);
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
static void run_guarded(sn_rigid_engine *engine, void (*work)(sn_rigid_engine *))
{
    jmp_buf jump_target;
    if (engine->is_broken) {
        return;
    }
    engine->is_broken = true;
    if (setjmp(jump_target) == 0) {
        error_exit = &jump_target;
        work(engine);
        engine->is_broken = false;
    }
    error_exit = NULL;
}

/* Bodies that slide without friction or float keep moving however slowly. Only bodies in frictional contact, now or
 * recently, may fall asleep. */
static void set_sleep_thresholds(const sn_rigid_engine *engine, engine_body *t)
{
    const bool has_friction = t->no_friction_seconds < NO_FRICTION_SECONDS;
    dBodySetAutoDisableLinearThreshold(t->body, has_friction ? t->sleep_speed : 0);
    dBodySetAutoDisableAngularThreshold(t->body, has_friction ? SLEEP_ANGULAR_SPEED : 0);
    t->no_friction_seconds += engine->step;
}

int sn_rigid_engine_step(sn_rigid_engine *engine)
{
    int invalid_count = 0;
    for (int i = 0; i < engine->body_count; ++i) {
        engine_body *t = &engine->bodies[i];
        t->previous = t->body ? state_of(t) : t->previous;
        if (t->is_free && dBodyIsEnabled(t->body)) {
            dBodyAddForce(t->body, t->mass * t->gravity[0], t->mass * t->gravity[1], t->mass * t->gravity[2]);
            set_sleep_thresholds(engine, t);
        }
    }
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll); /* does nothing on later calls by the same thread */
    run_guarded(engine, sn_rigid_find_contacts);
    acquire_lock();
    run_guarded(engine, solve);
    mtx_unlock(&lock);
    run_guarded(engine, sn_rigid_read_contacts);
    for (int i = 0; i < engine->body_count; ++i) {
        if (engine->bodies[i].is_free && (engine->is_broken || is_out_of_limits(&engine->bodies[i]))) {
            reset_body(&engine->bodies[i]);
            ++invalid_count;
        }
    }
    return invalid_count + engine->is_out_of_memory;
}

/* ---- results ---- */

sn_frame sn_rigid_engine_frame(const sn_rigid_engine *engine, int index, double fraction)
{
    const engine_body *t = &engine->bodies[index];
    if (!t->body) {
        return sn_frame_identity;
    }
    const body_state now = state_of(t), *previous = &t->previous;
    double cosine = 0;
    for (int k = 0; k < 4; ++k) {
        cosine += now.orientation[k] * previous->orientation[k];
    }
    dQuaternion orientation;
    for (int k = 0; k < 4; ++k) { /* the rotations are so close that linear interpolation suffices */
        orientation[k] = fraction >= 1 ? now.orientation[k]
                                       : fraction * now.orientation[k] +
                                             (1 - fraction) * copysign(1, cosine) * previous->orientation[k];
    }
    dNormalize4(orientation);
    dMatrix3 matrix;
    dRfromQ(matrix, orientation);
    sn_frame frame;
    for (int r = 0; r < 3; ++r) {
        frame.m[r][3] =
            fraction >= 1 ? now.position[r] : fraction * now.position[r] + (1 - fraction) * previous->position[r];
        for (int c = 0; c < 3; ++c) {
            frame.m[r][c] = matrix[4 * r + c];
            frame.m[r][3] -= matrix[4 * r + c] * t->center[c];
        }
    }
    return frame;
}

void sn_rigid_engine_velocity(const sn_rigid_engine *engine, int index, double velocity[3], double angular[3])
{
    const engine_body *t = &engine->bodies[index];
    const bool is_awake = dBodyIsEnabled(t->body) != 0;
    for (int d = 0; d < 3; ++d) {
        velocity[d] = dBodyGetLinearVel(t->body)[d] + (is_awake ? engine->step / 2 * t->gravity[d] : 0);
        angular[d] = dBodyGetAngularVel(t->body)[d];
    }
}

int sn_rigid_engine_contacts(const sn_rigid_engine *engine, const sn_rigid_contact **contact_impulses)
{
    *contact_impulses = engine->contact_impulses;
    return engine->contact_impulse_count;
}

/* ---- lifetime ---- */

sn_result sn_rigid_engine_create(double step, int body_limit, sn_rigid_engine **result)
{
    sn_rigid_engine *engine = calloc(1, sizeof *engine);
    engine_body *bodies = calloc((size_t)body_limit + 1, sizeof *bodies);
    *result = NULL;
    if (!engine || !bodies) {
        free(engine);
        free(bodies);
        return SN_ERROR_MEMORY;
    }
    init_ode();
    *engine = (sn_rigid_engine){.world = dWorldCreate(),
                                .space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XZY),
                                .contacts = dJointGroupCreate(0),
                                .step = step,
                                .seed = 1,
                                .bodies = bodies,
                                .body_limit = body_limit};
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
        acquire_lock();
        e->next = abandoned;
        abandoned = e;
        mtx_unlock(&lock);
        return;
    }
    dJointGroupDestroy(e->contacts);
    dSpaceDestroy(e->space);
    dWorldDestroy(e->world);
    close_ode();
    for (int i = 0; i < e->contact_record_capacity; ++i) {
        free(e->contact_records[i]);
    }
    free(e->contact_records);
    free(e->contact_impulses);
    free(e->bodies);
    free(e);
}
