/* SPDX-License-Identifier: MIT */
/* Creates a world from a script. */
#include "scenes/script/scene.h"

#include <stdlib.h>

#include "scenes/script/private.h"
#include "sinew/surface.h"

sn_scene_body sn_default_scene_body(void)
{
    sn_scene_body body = {.count = 1, .desc = sn_default_body_desc(), .speed = 1, .locks = SN_LOCK_ALL};
    body.stiffness.constant = body.desc.stiffness;
    body.damping.constant = body.desc.damping;
    body.amount.constant = body.desc.amount;
    body.compliance.constant = body.desc.compliance;
    body.mass.constant = body.desc.mass;
    return body;
}

sn_scene_rigid sn_default_scene_rigid(void)
{
    return (sn_scene_rigid){.friction = 0.5};
}

/* Sets poses and colliders to time 0, with the flesh at rest. */
static void start_run(sn_scene *scene)
{
    scene->time = 0;
    for (int i = 0; i < scene->script->grab_count; ++i) {
        scene->grabs[i] = -1;
        scene->has_grab_started[i] = false;
    }
    for (int i = 0; i < scene->instance_count; ++i) {
        sn_scene_pose_body(scene, &scene->bodies[i]);
        sn_body_reset(scene->bodies[i].body);
    }
}

/* ---- lifetime ---- */

static sn_result create_models(sn_scene *scene, sn_scene_error *error)
{
    const int count = scene->script->character_count;
    sn_result result = SN_OK;
    scene->models = calloc((size_t)count, sizeof(sn_model *));
    scene->blobs = calloc((size_t)count, sizeof *scene->blobs);
    if (!scene->models || !scene->blobs) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = sn_scene_create_model(scene->script, i, &scene->blobs[i], &scene->models[i], error);
    }
    return result;
}

static sn_result create_scratch(sn_scene *scene)
{
    size_t morphs = 1;
    int bones = 1;
    for (int i = 0; i < scene->script->body_count; ++i) {
        const int bone_count = scene->entries[i].bone_count;
        const size_t morph_count = (size_t)sn_model_morph_count(scene->entries[i].model);
        bones = bone_count > bones ? bone_count : bones;
        morphs = morph_count > morphs ? morph_count : morphs;
    }
    scene->morphs = calloc(morphs, sizeof *scene->morphs);
    return scene->morphs ? sn_scene_reserve_bones(scene, bones) : SN_ERROR_MEMORY;
}

static sn_result create_state(sn_scene *scene, int entry_index, int copy)
{
    const sn_scene_entry *entry = &scene->entries[entry_index];
    sn_scene_state *state = &scene->bodies[entry->first + copy];
    state->entry = entry_index;
    state->copy = copy;
    if (entry->script->desc.solver != SN_SOLVER_COUPLED) {
        return SN_OK;
    }
    state->locks = calloc((size_t)entry->bone_count, sizeof *state->locks);
    state->offsets = calloc((size_t)entry->bone_count, sizeof *state->offsets);
    return state->locks && state->offsets ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result create_states(sn_scene *scene, sn_scene_error *error)
{
    const sn_scene_script *script = scene->script;
    sn_result result = SN_OK;
    scene->entries = calloc((size_t)script->body_count, sizeof *scene->entries);
    for (int i = 0; i < script->body_count && scene->entries && result == SN_OK; ++i) {
        const sn_model *model = scene->models[script->bodies[i].character];
        result = sn_scene_entry_create(script, i, model, &scene->entries[i], error);
        scene->entries[i].first = scene->instance_count;
        scene->instance_count += scene->entries[i].count;
    }
    scene->bodies = calloc((size_t)scene->instance_count + 1, sizeof *scene->bodies);
    if (!scene->entries || !scene->bodies) {
        return SN_ERROR_MEMORY;
    }
    result = result ? result : create_scratch(scene);
    for (int i = 0; i < script->body_count && result == SN_OK; ++i) {
        for (int copy = 0; copy < scene->entries[i].count && result == SN_OK; ++copy) {
            result = create_state(scene, i, copy);
        }
    }
    return result;
}

static sn_result create_grid(const sn_scene_collider *collider, sn_grid **grid)
{
    const sn_grid_surface surface = {.name = collider->name ? collider->name : "collider",
                                     .vertex_count = collider->vertex_count,
                                     .triangle_count = collider->triangle_count,
                                     .positions = collider->positions,
                                     .triangles = collider->triangles};
    return sn_grid_build(&surface, collider->cells > 0 ? collider->cells : 96, grid);
}

/* Creates grids and render surfaces. */
static sn_result create_solids(sn_scene *scene)
{
    const sn_scene_script *script = scene->script;
    const size_t count = (size_t)script->collider_count;
    sn_result result = SN_OK;
    scene->colliders = calloc(count + 1, sizeof *scene->colliders);
    scene->grids = calloc(count + 1, sizeof(sn_grid *));
    scene->surfaces = calloc(count + 1, sizeof *scene->surfaces);
    if (!scene->colliders || !scene->grids || !scene->surfaces) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < script->collider_count && result == SN_OK; ++i) {
        if (script->colliders[i].desc.shape == SN_COLLIDER_GRID) {
            result = create_grid(&script->colliders[i], &scene->grids[i]);
        }
        result = result ? result : sn_collider_surface_build(&script->colliders[i], &scene->surfaces[i]);
    }
    return result;
}

/* Checks that bones exist, in the character or in the rig of an event. */
static sn_result check_bones(const sn_scene *scene, sn_scene_error *error)
{
    for (int i = 0; i < scene->script->event_count; ++i) {
        const sn_scene_event *e = &scene->script->events[i];
        if (e->bone && sn_scene_find_bone(scene->entries[e->body].model, e->bone) < 0 &&
            !sn_scene_event_has_handle(scene->script, e->body, e->bone)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "events[%d].bone: no bone is named '%.80s'", i, e->bone);
        }
    }
    for (int i = 0; i < scene->script->impulse_count; ++i) {
        const sn_scene_impulse *impulse = &scene->script->impulses[i];
        if (impulse->bone && sn_scene_find_bone(scene->entries[impulse->body].model, impulse->bone) < 0 &&
            !sn_scene_event_has_handle(scene->script, impulse->body, impulse->bone)) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "impulses[%d].bone: no bone is named '%.80s'", i,
                                 impulse->bone);
        }
    }
    return SN_OK;
}

static sn_result create_events(sn_scene *scene, sn_scene_error *error)
{
    const size_t count = (size_t)scene->script->grab_count;
    scene->grabs = calloc(count + 1, sizeof *scene->grabs);
    scene->has_grab_started = calloc(count + 1, sizeof *scene->has_grab_started);
    const sn_result result = scene->grabs && scene->has_grab_started ? sn_scene_events_create(scene) : SN_ERROR_MEMORY;
    return result == SN_OK ? check_bones(scene, error) : result;
}

/* ---- the world ---- */

static sn_result create_bodies(sn_scene *scene)
{
    sn_result result = SN_OK;
    for (int i = 0; i < scene->instance_count && result == SN_OK; ++i) {
        sn_scene_state *state = &scene->bodies[i];
        char location[SN_SCENE_LOCATION_SIZE];
        state->desc = sn_scene_desc_of(scene, state);
        for (int b = 0; b < sn_scene_entry_of(scene, state)->bone_count && state->locks; ++b) {
            state->offsets[b] = sn_frame_identity;
            state->locks[b] = SN_LOCK_ALL; /* the initial state of a body */
        }
        state->desc.name = sn_scene_location(scene->script, "bodies", state->entry, location);
        result = sn_body_create(scene->world, &state->desc, &state->body);
        state->desc.name = NULL;
        state->requested_desc = state->desc;
        result = result ? result : sn_scene_embed(scene, state);
    }
    return result;
}

static sn_result create_colliders(sn_scene *scene)
{
    const sn_scene_script *script = scene->script;
    sn_result result = SN_OK;
    for (int i = 0; i < script->collider_count && result == SN_OK; ++i) {
        char location[SN_SCENE_LOCATION_SIZE];
        sn_collider_desc desc = sn_scene_collider_at(scene, i);
        desc.name = sn_scene_location(script, "colliders", i, location);
        result = sn_collider_create(scene->world, &desc, &scene->colliders[i]);
    }
    if (result == SN_OK && script->has_floor) {
        sn_collider_desc desc = sn_default_collider_desc();
        desc.name = "floor";
        desc.friction = script->floor_friction;
        desc.transform.m[1][3] = (float)script->floor_height;
        result = sn_collider_create(scene->world, &desc, &scene->colliders[script->collider_count]);
    }
    return result;
}

/* Creates a new world, so that no state remains: no velocity of a collider that jumps back, no partial step. */
static sn_result restart(sn_scene *scene, sn_scene_error *error)
{
    sn_world_destroy(scene->world);
    scene->world = (sn_world_id){0};
    scene->time = 0;
    sn_result result = sn_scene_events_restart(scene);
    result = result ? result : sn_world_create(&scene->world_desc, &scene->world);
    result = result ? result : create_bodies(scene);
    result = result ? result : create_colliders(scene);
    result = result ? result : sn_scene_rigids_restart(scene, error);
    if (result == SN_OK) {
        start_run(scene);
    }
    return result;
}

sn_result sn_scene_restart(sn_scene *scene)
{
    sn_scene_error error;
    return restart(scene, &error);
}

sn_result sn_scene_restore_rigs(sn_scene *scene)
{
    for (int i = 0; i < scene->instance_count; ++i) {
        scene->bodies[i].is_rig_persistent = false;
    }
    return sn_scene_restart(scene);
}

sn_result sn_scene_create(const sn_scene_script *script, const sn_world_desc *world, sn_scene **result_scene,
                          sn_scene_error *error)
{
    *result_scene = NULL;
    sn_result result = sn_scene_check(script, error);
    sn_scene *scene = result == SN_OK ? calloc(1, sizeof *scene) : NULL;
    if (!scene) {
        return result ? result : SN_ERROR_MEMORY;
    }
    scene->script = script;
    scene->world_desc = *world;
    scene->world_desc.time_step = script->time_step > 0 ? script->time_step : world->time_step;
    scene->time_step = scene->world_desc.time_step;
    result = sn_number_programs_create(script, &scene->programs);
    result = result ? result : create_models(scene, error);
    result = result ? result : create_states(scene, error);
    result = result ? result : create_solids(scene);
    result = result ? result : create_events(scene, error);
    result = result ? result : sn_scene_rigids_create(scene, error);
    result = result ? result : restart(scene, error);
    if (result != SN_OK) {
        sn_scene_destroy(&scene);
    }
    *result_scene = scene;
    return result;
}

static void destroy_bodies(sn_scene *scene)
{
    const sn_scene_script *script = scene->script;
    for (int i = 0; scene->bodies && i < scene->instance_count; ++i) {
        free(scene->bodies[i].locks);
        free(scene->bodies[i].offsets);
        sn_scene_entry_destroy(&scene->bodies[i].rig);
        sn_embedding_destroy(&scene->bodies[i].embedding);
    }
    for (int i = 0; scene->entries && i < script->body_count; ++i) {
        sn_embedding_destroy(&scene->entries[i].embedding);
        sn_scene_entry_destroy(&scene->entries[i]);
    }
    for (int i = 0; scene->models && i < script->character_count; ++i) {
        sn_model_release(scene->models[i]);
    }
    for (int i = 0; scene->blobs && i < script->character_count; ++i) {
        sn_blob_release(&scene->blobs[i]);
    }
    free(scene->bodies);
    free(scene->entries);
    free(scene->models);
    free(scene->blobs);
}

void sn_scene_destroy(sn_scene **scene)
{
    sn_scene *s = *scene;
    *scene = NULL;
    if (!s) {
        return;
    }
    sn_world_destroy(s->world);
    sn_scene_rigids_destroy(s);
    sn_scene_events_destroy(s);
    for (int i = 0; i < s->script->collider_count; ++i) {
        if (s->grids) {
            sn_grid_destroy(&s->grids[i]);
        }
        if (s->surfaces) {
            sn_shape_mesh_finish(&s->surfaces[i]);
        }
    }
    destroy_bodies(s);
    sn_number_programs_destroy(&s->programs);
    free(s->colliders);
    free(s->grids);
    free(s->surfaces);
    free(s->grabs);
    free(s->has_grab_started);
    free(s->base);
    free(s->driven);
    free(s->pose);
    free(s->morphs);
    free(s);
}

/* ---- access ---- */

const sn_scene_script *sn_scene_get_script(const sn_scene *scene)
{
    return scene->script;
}

double sn_scene_time(const sn_scene *scene)
{
    return scene->time;
}

double sn_scene_time_step(const sn_scene *scene)
{
    return scene->time_step;
}

sn_world_id sn_scene_world(const sn_scene *scene)
{
    return scene->world;
}

int sn_scene_body_count(const sn_scene *scene)
{
    return scene->instance_count;
}

sn_body_id sn_scene_body_at(const sn_scene *scene, int body)
{
    return scene->bodies[body].body;
}

int sn_scene_body_entry(const sn_scene *scene, int body)
{
    return scene->bodies[body].entry;
}

sn_scene_surface sn_scene_collider_surface(const sn_scene *scene, int collider)
{
    const sn_shape_mesh *mesh = &scene->surfaces[collider];
    return (sn_scene_surface){mesh->positions, mesh->normals, mesh->triangles, mesh->vertex_count,
                              mesh->triangle_count};
}
