/* SPDX-License-Identifier: MIT */
/* Bodies moved by a rigid-body engine. The engine has its own fixed step of about 1/480 s, an integer fraction of the
 * world's step. It runs until the scene's time lies between its last two steps, and poses are interpolated between
 * them. Drives and impulses are evaluated at the engine's own times, so the motion is independent of the frame rate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/rigid/rigid_engine.h"
#include "scenes/rigid/rigid_shape.h"
#include "scenes/script/private.h"

#define STEPS_A_SECOND 480
#define TIME_SLACK 1e-6 /* in steps: tolerance for rounding in accumulated times */

/* An entry of the script's bodies that is rigid. */
typedef struct rigid_entry {
    const sn_scene_solid *solids;
    int solid_count;
    sn_scene_solid around; /* bounding solid, used if the script has none */
    sn_rigid_mass mass;
    double dents; /* factor on contact impulses for the flesh; compensates for a flesh mass that differs from the rigid
                     body's */
} rigid_entry;

/* Contact impulse on a body by one other, since the last step of the world. */
typedef struct dent {
    int body, other, order;
    double weight, point[3], impulse[3];
} dent;

struct sn_scene_rigids {
    sn_rigid_engine *engine;
    double step;
    long step_count;
    rigid_entry *entries; /* (body_count) */
    int *things;          /* (all_count) engine index of each body, or -1 */
    int *bodies;          /* (thing_count) scene index of each engine body, or -1 */
    int thing_count, first_collider;
    dent *dents; /* (dent_room) */
    int dent_count, dent_room;
    bool is_short; /* out of memory in this step: an impulse is lost */
};

/* ---- setup ---- */

static sn_result fail_memory(sn_scene_error *error)
{
    return sn_scene_fail(error, SN_ERROR_MEMORY, "rigid bodies: out of memory");
}

static void prepare_mass(const sn_scene_rigid *rigid, const sn_model *model, bool is_closed, rigid_entry *entry)
{
    const double flesh = sn_model_mass(model);
    const sn_surface surface = sn_model_surface(model);
    if (!is_closed || !sn_rigid_surface_mass(&surface, &entry->mass)) {
        sn_rigid_solid_mass(entry->solids, entry->solid_count, &entry->mass);
    }
    double mass = rigid->mass > 0 ? rigid->mass : flesh;
    if (rigid->density > 0 || !(mass > 0)) {
        mass = entry->mass.mass * rigid->density;
    }
    sn_rigid_scale_mass(&entry->mass, mass / entry->mass.mass);
    entry->dents = flesh > 0 ? rigid->dents * (rigid->is_kinematic ? 1 : flesh / mass) : 0;
}

static sn_result prepare_entry(const sn_scene_entry *entry, int index, rigid_entry *rigid, sn_scene_error *error)
{
    const sn_scene_rigid *script = entry->script->rigid;
    const sn_surface surface = sn_model_surface(entry->model);
    bool is_closed;
    *rigid = (rigid_entry){.solids = script->solids, .solid_count = script->solid_count};
    if (sn_model_is_flat(entry->model)) {
        return sn_scene_fail(error, SN_ERROR_UNSUPPORTED, "bodies[%d].rigid: a flat body cannot be rigid", index);
    }
    if (rigid->solid_count == 0) {
        rigid->around = sn_rigid_enclose(&surface);
        rigid->solids = &rigid->around;
        rigid->solid_count = 1;
    }
    if (sn_rigid_find_closed(&surface, &is_closed) != SN_OK) {
        return fail_memory(error);
    }
    prepare_mass(script, entry->model, is_closed, rigid);
    if (!(rigid->mass.mass > 0) || !isfinite(rigid->mass.mass)) {
        return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].rigid: the mass is unknown; set mass or density",
                             index);
    }
    return SN_OK;
}

static bool is_within(const double *values, int count, double limit)
{
    bool is_in = true;
    for (int i = 0; i < count; ++i) {
        is_in = is_in && fabs(values[i]) <= limit; /* false for NaN */
    }
    return is_in;
}

/* Checks initial positions and velocities of all copies. */
static sn_result check_beginning(const sn_scene *scene, int index, sn_scene_error *error)
{
    const sn_scene_entry *entry = &scene->entries[index];
    for (int copy = 0; copy < entry->count; ++copy) {
        const sn_moment moment = sn_scene_moment(scene, &scene->bodies[entry->first + copy]);
        const sn_frame place = sn_scene_scripted_place(entry->script, &moment);
        double velocity[3], turn[3];
        sn_vector_value(&entry->script->rigid->velocity, &moment, velocity);
        sn_vector_value(&entry->script->rigid->angular_velocity, &moment, turn);
        if (!is_within(&place.m[0][0], 12, SN_RIGID_REACH)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].translation: copy %d is beyond 1e9", index,
                                 copy);
        }
        if (!is_within(velocity, 3, SN_RIGID_SPEED_LIMIT)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].rigid.velocity: copy %d is above 1e6", index,
                                 copy);
        }
        if (!is_within(turn, 3, SN_RIGID_TURN_LIMIT)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].rigid.angular_velocity: copy %d is above 1e4",
                                 index, copy);
        }
    }
    return SN_OK;
}

sn_result sn_scene_rigids_create(sn_scene *scene, sn_scene_error *error)
{
    const sn_scene_script *script = scene->script;
    const size_t things = (size_t)scene->all_count + (size_t)script->collider_count + 1;
    bool is_any = false;
    for (int i = 0; i < script->body_count; ++i) {
        is_any = is_any || script->bodies[i].rigid;
    }
    if (!is_any) {
        return SN_OK;
    }
    sn_scene_rigids *r = scene->rigids = calloc(1, sizeof *r);
    if (!r) {
        return fail_memory(error);
    }
    r->step = scene->time_step / ceil(scene->time_step * STEPS_A_SECOND - 1e-9);
    r->entries = calloc((size_t)script->body_count, sizeof *r->entries);
    r->things = calloc((size_t)scene->all_count, sizeof *r->things);
    r->bodies = calloc(things, sizeof *r->bodies);
    sn_result result = r->entries && r->things && r->bodies ? SN_OK : fail_memory(error);
    for (int i = 0; i < script->body_count && result == SN_OK; ++i) {
        if (script->bodies[i].rigid) {
            result = prepare_entry(&scene->entries[i], i, &r->entries[i], error);
            result = result ? result : check_beginning(scene, i, error);
        }
    }
    return result;
}

void sn_scene_rigids_destroy(sn_scene *scene)
{
    sn_scene_rigids *r = scene->rigids;
    if (!r) {
        return;
    }
    sn_rigid_engine_destroy(&r->engine);
    free(r->entries);
    free(r->things);
    free(r->bodies);
    free(r->dents);
    free(r);
    scene->rigids = NULL;
}

/* ---- restart ---- */

static void add_body(sn_scene *scene, int body)
{
    sn_scene_rigids *r = scene->rigids;
    sn_scene_state *state = &scene->bodies[body];
    const rigid_entry *entry = &r->entries[state->entry];
    const sn_scene_body *script = scene->entries[state->entry].script;
    const sn_moment moment = sn_scene_moment(scene, state);
    r->things[body] = -1;
    if (!script->rigid) {
        return;
    }
    sn_rigid_thing thing = {.solids = entry->solids,
                            .solid_count = entry->solid_count,
                            .is_free = !script->rigid->is_kinematic,
                            .mass = entry->mass,
                            .friction = script->rigid->friction,
                            .restitution = script->rigid->restitution,
                            .frame = sn_scene_scripted_place(script, &moment)};
    sn_vector_value(&script->rigid->velocity, &moment, thing.velocity);
    sn_vector_value(&script->rigid->angular_velocity, &moment, thing.angular_velocity);
    sn_scene_gravity_of(scene, state, 0, thing.gravity);
    if (!is_within(thing.gravity, 3, SN_RIGID_GRAVITY_LIMIT)) {
        memset(thing.gravity, 0, sizeof thing.gravity);
    }
    state->rigid_place = thing.frame;
    r->things[body] = sn_rigid_engine_add(r->engine, &thing);
    r->bodies[r->things[body]] = body;
    r->thing_count = r->things[body] + 1;
}

static sn_scene_solid solid_of(const sn_collider_desc *desc)
{
    static const sn_scene_solid_kind kinds[SN_COLLIDER_SHAPE_COUNT] = {[SN_COLLIDER_PLANE] = SN_SOLID_PLANE,
                                                                       [SN_COLLIDER_SPHERE] = SN_SOLID_SPHERE,
                                                                       [SN_COLLIDER_CAPSULE] = SN_SOLID_CAPSULE,
                                                                       [SN_COLLIDER_BOX] = SN_SOLID_BOX};
    sn_scene_solid solid = {.kind = kinds[desc->shape], .radius = desc->radius, .half_height = desc->half_height};
    memcpy(solid.half_extents, desc->half_extents, sizeof solid.half_extents);
    return solid;
}

static void add_collider(sn_scene *scene, const sn_collider_desc *desc)
{
    sn_scene_rigids *r = scene->rigids;
    const sn_scene_solid solid = solid_of(desc);
    const sn_rigid_thing thing = {
        .solids = &solid, .solid_count = 1, .friction = desc->friction, .frame = sn_frame_of(&desc->transform)};
    r->bodies[sn_rigid_engine_add(r->engine, &thing)] = -1;
    ++r->thing_count;
}

/* Adds bodies, colliders and the floor to a new engine. */
sn_result sn_scene_rigids_restart(sn_scene *scene, sn_scene_error *error)
{
    sn_scene_rigids *r = scene->rigids;
    const sn_scene_script *script = scene->script;
    if (!r) {
        return SN_OK;
    }
    sn_rigid_engine_destroy(&r->engine);
    r->step_count = r->thing_count = r->dent_count = 0;
    const sn_result result = sn_rigid_engine_create(r->step, scene->all_count + script->collider_count + 1, &r->engine);
    if (result != SN_OK) {
        return fail_memory(error);
    }
    for (int i = 0; i < scene->all_count; ++i) {
        add_body(scene, i);
    }
    r->first_collider = r->thing_count;
    for (int i = 0; i < script->collider_count; ++i) {
        const sn_collider_desc desc = sn_scene_collider_at(scene, i);
        add_collider(scene, &desc);
    }
    if (script->has_floor) {
        sn_collider_desc desc = sn_default_collider_desc();
        desc.friction = script->floor_friction;
        desc.transform.m[1][3] = (float)script->floor_height;
        add_collider(scene, &desc);
    }
    return SN_OK;
}

/* ---- contact impulses on flesh ---- */

static void take_dent(sn_scene_rigids *r, const dent *d)
{
    if (r->dent_count == r->dent_room) {
        const int room = 2 * r->dent_room + 64;
        dent *dents = realloc(r->dents, (size_t)room * sizeof *dents);
        if (!dents) {
            r->is_short = true;
            return;
        }
        r->dents = dents;
        r->dent_room = room;
    }
    r->dents[r->dent_count] = *d;
    r->dents[r->dent_count].order = r->dent_count;
    ++r->dent_count;
}

static void take_side(sn_scene *scene, const sn_rigid_touch *touch, bool is_other)
{
    sn_scene_rigids *r = scene->rigids;
    const int body = r->bodies[is_other ? touch->other : touch->thing];
    if (body < 0) {
        return;
    }
    const double share = (is_other ? -1 : 1) * r->entries[scene->bodies[body].entry].dents;
    dent d = {.body = body, .other = is_other ? touch->thing : touch->other};
    for (int k = 0; k < 3; ++k) {
        d.impulse[k] = share * touch->impulse[k];
        d.weight += touch->impulse[k] * touch->impulse[k];
    }
    d.weight = sqrt(d.weight);
    memcpy(d.point, touch->point, sizeof d.point);
    if (share != 0 && d.weight > 0) {
        take_dent(r, &d);
    }
}

static int compare_dents(const void *a, const void *b)
{
    const dent *x = a, *y = b;
    const int bodies = x->body - y->body, others = x->other - y->other;
    return bodies != 0 ? bodies : others != 0 ? others : x->order - y->order;
}

/* Applies the collected impulses to the flesh: one per body and other object, at their weighted mean point. */
static void give_dents(sn_scene *scene)
{
    sn_scene_rigids *r = scene->rigids;
    if (r->dent_count == 0) {
        return;
    }
    qsort(r->dents, (size_t)r->dent_count, sizeof *r->dents, compare_dents);
    for (int first = 0, next; first < r->dent_count; first = next) {
        double weight = 0, point[3] = {0}, impulse[3] = {0};
        const dent *d = &r->dents[first];
        for (next = first; next < r->dent_count && r->dents[next].body == d->body && r->dents[next].other == d->other;
             ++next) {
            weight += r->dents[next].weight;
            for (int k = 0; k < 3; ++k) {
                point[k] += r->dents[next].weight * r->dents[next].point[k];
                impulse[k] += r->dents[next].impulse[k];
            }
        }
        for (int k = 0; k < 3; ++k) {
            point[k] /= weight;
        }
        sn_body_apply_impulse(scene->bodies[d->body].body, point, impulse);
    }
    r->dent_count = 0;
}

/* ---- time ---- */

static void drive(const sn_scene *scene, double from, double to)
{
    const sn_scene_rigids *r = scene->rigids;
    for (int i = 0; i < scene->all_count; ++i) {
        const sn_scene_state *state = &scene->bodies[i];
        const sn_scene_body *script = scene->entries[state->entry].script;
        sn_moment moment = sn_scene_moment(scene, state);
        moment.t = from;
        if (sn_scene_is_carried(script)) {
            double gravity[3];
            sn_scene_gravity_of(scene, state, from, gravity);
            sn_rigid_engine_set_gravity(r->engine, r->things[i], gravity);
        } else if (script->rigid) {
            const sn_frame before = sn_scene_scripted_place(script, &moment);
            moment.t = to;
            const sn_frame behind = sn_scene_scripted_place(script, &moment);
            sn_rigid_engine_drive(r->engine, r->things[i], &before, &behind);
        }
    }
    for (int i = 0; i < scene->script->collider_count; ++i) {
        const int thing = r->first_collider + i;
        const sn_frame before = sn_scene_collider_place(scene, i, from), behind = sn_scene_collider_place(scene, i, to);
        sn_rigid_engine_drive(r->engine, thing, &before, &behind);
        sn_rigid_engine_set_presence(r->engine, thing, !scene->is_gone[i]);
        sn_rigid_engine_set_friction(r->engine, thing, scene->frictions[i]);
    }
}

/* Applies the script's impulses to the rigid bodies, in addition to the flesh. */
static void push(const sn_scene *scene, double from, double to)
{
    const sn_scene_rigids *r = scene->rigids;
    for (int i = 0; i < scene->script->impulse_count; ++i) {
        const sn_scene_impulse *impulse = &scene->script->impulses[i];
        const sn_scene_entry *entry = &scene->entries[impulse->body];
        const int beats = sn_scene_is_carried(entry->script) ? sn_scene_beats_between(impulse, from, to) : 0;
        for (int k = 0; k < beats * entry->count; ++k) {
            const int body = entry->first + k % entry->count;
            sn_moment moment = sn_scene_moment(scene, &scene->bodies[body]);
            double value[3];
            moment.t = from;
            sn_vector_value(&impulse->impulse, &moment, value);
            if (impulse->copy < 0 || impulse->copy == k % entry->count) {
                sn_rigid_engine_push(r->engine, r->things[body], impulse->bone ? NULL : impulse->point, value);
            }
        }
    }
}

static int step(sn_scene *scene)
{
    sn_scene_rigids *r = scene->rigids;
    const double from = (double)r->step_count * r->step, to = (double)(r->step_count + 1) * r->step;
    const sn_rigid_touch *touches;
    drive(scene, from, to);
    push(scene, from, to);
    const int wrong = sn_rigid_engine_step(r->engine), count = sn_rigid_engine_touches(r->engine, &touches);
    ++r->step_count;
    r->is_short = false;
    for (int i = 0; i < count; ++i) {
        take_side(scene, &touches[i], false);
        take_side(scene, &touches[i], true);
    }
    return wrong + r->is_short;
}

int sn_scene_rigids_advance(sn_scene *scene)
{
    sn_scene_rigids *r = scene->rigids;
    int wrong = 0;
    if (!r) {
        return 0;
    }
    while ((double)r->step_count * r->step < scene->time - TIME_SLACK * r->step) {
        wrong += step(scene);
    }
    give_dents(scene);
    const double ahead = (double)r->step_count - scene->time / r->step;
    for (int i = 0; i < scene->all_count; ++i) {
        if (r->things[i] >= 0) {
            scene->bodies[i].rigid_place =
                sn_rigid_engine_frame(r->engine, r->things[i], ahead < 2 * TIME_SLACK ? 1 : 1 - ahead);
        }
    }
    return wrong;
}
