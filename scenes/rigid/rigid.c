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
    sn_scene_solid bounding_solid; /* bounding solid, used if the script has none */
    sn_rigid_mass mass;
    double dents; /* factor on contact impulses for the flesh; compensates for a flesh mass that differs from the rigid
                     body's */
} rigid_entry;

/* Contact impulse on a body by one other, since the last step of the world. */
typedef struct flesh_impulse {
    int body, other, order;
    double weight, point[3], impulse[3];
} flesh_impulse;

struct sn_scene_rigids {
    sn_rigid_engine *engine;
    double step;
    long step_count;
    rigid_entry *entries; /* (body_count) */
    int *engine_indices;  /* (instance_count) engine index of each body, or -1 */
    int *bodies;          /* (engine_body_count) scene index of each engine body, or -1 */
    int engine_body_count, first_collider;
    flesh_impulse *dents; /* (flesh_impulse_capacity) */
    int flesh_impulse_count, flesh_impulse_capacity;
    bool is_out_of_memory; /* out of memory in this step: an impulse is lost */
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
        sn_rigid_solids_mass(entry->solids, entry->solid_count, &entry->mass);
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
        rigid->bounding_solid = sn_rigid_bounding_solid(&surface);
        rigid->solids = &rigid->bounding_solid;
        rigid->solid_count = 1;
    }
    if (sn_rigid_test_closed(&surface, &is_closed) != SN_OK) {
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
static sn_result check_initial_state(const sn_scene *scene, int index, sn_scene_error *error)
{
    const sn_scene_entry *entry = &scene->entries[index];
    for (int copy = 0; copy < entry->count; ++copy) {
        const sn_number_context context = sn_scene_number_context(scene, &scene->bodies[entry->first + copy]);
        const sn_frame body_frame = sn_scene_scripted_frame(entry->script, &context);
        double velocity[3], angular_velocity_value[3];
        sn_vector_value(&entry->script->rigid->velocity, &context, velocity);
        sn_vector_value(&entry->script->rigid->angular_velocity, &context, angular_velocity_value);
        if (!is_within(&body_frame.m[0][0], 12, SN_RIGID_POSITION_LIMIT)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].translation: copy %d is beyond 1e9", index,
                                 copy);
        }
        if (!is_within(velocity, 3, SN_RIGID_SPEED_LIMIT)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].rigid.velocity: copy %d is above 1e6", index,
                                 copy);
        }
        if (!is_within(angular_velocity_value, 3, SN_RIGID_ANGULAR_SPEED_LIMIT)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].rigid.angular_velocity: copy %d is above 1e4",
                                 index, copy);
        }
    }
    return SN_OK;
}

sn_result sn_scene_rigids_create(sn_scene *scene, sn_scene_error *error)
{
    const sn_scene_script *script = scene->script;
    const size_t engine_indices = (size_t)scene->instance_count + (size_t)script->collider_count + 1;
    bool has_rigid = false;
    for (int i = 0; i < script->body_count; ++i) {
        has_rigid = has_rigid || script->bodies[i].rigid;
    }
    if (!has_rigid) {
        return SN_OK;
    }
    sn_scene_rigids *r = scene->rigids = calloc(1, sizeof *r);
    if (!r) {
        return fail_memory(error);
    }
    r->step = scene->time_step / ceil(scene->time_step * STEPS_A_SECOND - 1e-9);
    r->entries = calloc((size_t)script->body_count, sizeof *r->entries);
    r->engine_indices = calloc((size_t)scene->instance_count, sizeof *r->engine_indices);
    r->bodies = calloc(engine_indices, sizeof *r->bodies);
    sn_result result = r->entries && r->engine_indices && r->bodies ? SN_OK : fail_memory(error);
    for (int i = 0; i < script->body_count && result == SN_OK; ++i) {
        if (script->bodies[i].rigid) {
            result = prepare_entry(&scene->entries[i], i, &r->entries[i], error);
            result = result ? result : check_initial_state(scene, i, error);
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
    free(r->engine_indices);
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
    const sn_number_context context = sn_scene_number_context(scene, state);
    r->engine_indices[body] = -1;
    if (!script->rigid) {
        return;
    }
    sn_rigid_body_desc engine_body = {.solids = entry->solids,
                                      .solid_count = entry->solid_count,
                                      .is_free = !script->rigid->is_kinematic,
                                      .mass = entry->mass,
                                      .friction = script->rigid->friction,
                                      .restitution = script->rigid->restitution,
                                      .frame = sn_scene_scripted_frame(script, &context)};
    sn_vector_value(&script->rigid->velocity, &context, engine_body.velocity);
    sn_vector_value(&script->rigid->angular_velocity, &context, engine_body.angular_velocity);
    sn_scene_gravity_of(scene, state, 0, engine_body.gravity);
    if (!is_within(engine_body.gravity, 3, SN_RIGID_GRAVITY_LIMIT)) {
        memset(engine_body.gravity, 0, sizeof engine_body.gravity);
    }
    state->rigid_frame = engine_body.frame;
    r->engine_indices[body] = sn_rigid_engine_add(r->engine, &engine_body);
    r->bodies[r->engine_indices[body]] = body;
    r->engine_body_count = r->engine_indices[body] + 1;
}

static sn_scene_solid solid_of(const sn_collider_desc *desc)
{
    static const sn_scene_solid_type types[SN_COLLIDER_SHAPE_COUNT] = {[SN_COLLIDER_PLANE] = SN_SOLID_PLANE,
                                                                       [SN_COLLIDER_SPHERE] = SN_SOLID_SPHERE,
                                                                       [SN_COLLIDER_CAPSULE] = SN_SOLID_CAPSULE,
                                                                       [SN_COLLIDER_BOX] = SN_SOLID_BOX};
    sn_scene_solid solid = {.type = types[desc->shape], .radius = desc->radius, .half_height = desc->half_height};
    memcpy(solid.half_extents, desc->half_extents, sizeof solid.half_extents);
    return solid;
}

static void add_collider(sn_scene *scene, const sn_collider_desc *desc)
{
    sn_scene_rigids *r = scene->rigids;
    const sn_scene_solid solid = solid_of(desc);
    const sn_rigid_body_desc engine_body = {.solids = &solid,
                                            .solid_count = 1,
                                            .friction = desc->friction,
                                            .frame = sn_frame_from_matrix(&desc->transform)};
    r->bodies[sn_rigid_engine_add(r->engine, &engine_body)] = -1;
    ++r->engine_body_count;
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
    r->step_count = r->engine_body_count = r->flesh_impulse_count = 0;
    const sn_result result =
        sn_rigid_engine_create(r->step, scene->instance_count + script->collider_count + 1, &r->engine);
    if (result != SN_OK) {
        return fail_memory(error);
    }
    for (int i = 0; i < scene->instance_count; ++i) {
        add_body(scene, i);
    }
    r->first_collider = r->engine_body_count;
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

static void add_flesh_impulse(sn_scene_rigids *r, const flesh_impulse *d)
{
    if (r->flesh_impulse_count == r->flesh_impulse_capacity) {
        const int capacity = 2 * r->flesh_impulse_capacity + 64;
        flesh_impulse *dents = realloc(r->dents, (size_t)capacity * sizeof *dents);
        if (!dents) {
            r->is_out_of_memory = true;
            return;
        }
        r->dents = dents;
        r->flesh_impulse_capacity = capacity;
    }
    r->dents[r->flesh_impulse_count] = *d;
    r->dents[r->flesh_impulse_count].order = r->flesh_impulse_count;
    ++r->flesh_impulse_count;
}

static void add_contact_side(sn_scene *scene, const sn_rigid_contact *contact, bool is_other)
{
    sn_scene_rigids *r = scene->rigids;
    const int body = r->bodies[is_other ? contact->other : contact->engine_body];
    if (body < 0) {
        return;
    }
    const double fraction = (is_other ? -1 : 1) * r->entries[scene->bodies[body].entry].dents;
    flesh_impulse d = {.body = body, .other = is_other ? contact->engine_body : contact->other};
    for (int k = 0; k < 3; ++k) {
        d.impulse[k] = fraction * contact->impulse[k];
        d.weight += contact->impulse[k] * contact->impulse[k];
    }
    d.weight = sqrt(d.weight);
    memcpy(d.point, contact->point, sizeof d.point);
    if (fraction != 0 && d.weight > 0) {
        add_flesh_impulse(r, &d);
    }
}

static int compare_flesh_impulses(const void *a, const void *b)
{
    const flesh_impulse *x = a, *y = b;
    const int bodies = x->body - y->body, others = x->other - y->other;
    return bodies != 0 ? bodies : others != 0 ? others : x->order - y->order;
}

/* Applies the collected impulses to the flesh: one per body and other object, at their weighted mean point. */
static void apply_flesh_impulses(sn_scene *scene)
{
    sn_scene_rigids *r = scene->rigids;
    if (r->flesh_impulse_count == 0) {
        return;
    }
    qsort(r->dents, (size_t)r->flesh_impulse_count, sizeof *r->dents, compare_flesh_impulses);
    for (int first = 0, next; first < r->flesh_impulse_count; first = next) {
        double weight = 0, point[3] = {0}, impulse[3] = {0};
        const flesh_impulse *d = &r->dents[first];
        for (next = first;
             next < r->flesh_impulse_count && r->dents[next].body == d->body && r->dents[next].other == d->other;
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
    r->flesh_impulse_count = 0;
}

/* ---- time ---- */

static void drive(const sn_scene *scene, double from, double to)
{
    const sn_scene_rigids *r = scene->rigids;
    for (int i = 0; i < scene->instance_count; ++i) {
        const sn_scene_state *state = &scene->bodies[i];
        const sn_scene_body *script = scene->entries[state->entry].script;
        sn_number_context context = sn_scene_number_context(scene, state);
        context.t = from;
        if (sn_scene_is_rigid_dynamic(script)) {
            double gravity[3];
            sn_scene_gravity_of(scene, state, from, gravity);
            sn_rigid_engine_set_gravity(r->engine, r->engine_indices[i], gravity);
        } else if (script->rigid) {
            const sn_frame before = sn_scene_scripted_frame(script, &context);
            context.t = to;
            const sn_frame after = sn_scene_scripted_frame(script, &context);
            sn_rigid_engine_drive(r->engine, r->engine_indices[i], &before, &after);
        }
    }
    for (int i = 0; i < scene->script->collider_count; ++i) {
        const int engine_body = r->first_collider + i;
        const sn_frame before = sn_scene_collider_frame(scene, i, from), after = sn_scene_collider_frame(scene, i, to);
        sn_rigid_engine_drive(r->engine, engine_body, &before, &after);
        sn_rigid_engine_set_presence(r->engine, engine_body, !scene->is_removed[i]);
        sn_rigid_engine_set_friction(r->engine, engine_body, scene->frictions[i]);
    }
}

/* Applies the script's impulses to the rigid bodies, in addition to the flesh. */
static void push(const sn_scene *scene, double from, double to)
{
    const sn_scene_rigids *r = scene->rigids;
    for (int i = 0; i < scene->script->impulse_count; ++i) {
        const sn_scene_impulse *impulse = &scene->script->impulses[i];
        const sn_scene_entry *entry = &scene->entries[impulse->body];
        const int repeat_count =
            sn_scene_is_rigid_dynamic(entry->script) ? sn_scene_count_impulses(impulse, from, to) : 0;
        for (int k = 0; k < repeat_count * entry->count; ++k) {
            const int body = entry->first + k % entry->count;
            sn_number_context context = sn_scene_number_context(scene, &scene->bodies[body]);
            double value[3];
            context.t = from;
            sn_vector_value(&impulse->impulse, &context, value);
            if (impulse->copy < 0 || impulse->copy == k % entry->count) {
                sn_rigid_engine_push(r->engine, r->engine_indices[body], impulse->bone ? NULL : impulse->point, value);
            }
        }
    }
}

static int step(sn_scene *scene)
{
    sn_scene_rigids *r = scene->rigids;
    const double from = (double)r->step_count * r->step, to = (double)(r->step_count + 1) * r->step;
    const sn_rigid_contact *contacts;
    drive(scene, from, to);
    push(scene, from, to);
    const int invalid_count = sn_rigid_engine_step(r->engine), count = sn_rigid_engine_contacts(r->engine, &contacts);
    ++r->step_count;
    r->is_out_of_memory = false;
    for (int i = 0; i < count; ++i) {
        add_contact_side(scene, &contacts[i], false);
        add_contact_side(scene, &contacts[i], true);
    }
    return invalid_count + r->is_out_of_memory;
}

int sn_scene_rigids_advance(sn_scene *scene)
{
    sn_scene_rigids *r = scene->rigids;
    int invalid_count = 0;
    if (!r) {
        return 0;
    }
    while ((double)r->step_count * r->step < scene->time - TIME_SLACK * r->step) {
        invalid_count += step(scene);
    }
    apply_flesh_impulses(scene);
    const double steps_ahead = (double)r->step_count - scene->time / r->step;
    for (int i = 0; i < scene->instance_count; ++i) {
        if (r->engine_indices[i] >= 0) {
            scene->bodies[i].rigid_frame = sn_rigid_engine_frame(r->engine, r->engine_indices[i],
                                                                 steps_ahead < 2 * TIME_SLACK ? 1 : 1 - steps_ahead);
        }
    }
    return invalid_count;
}
