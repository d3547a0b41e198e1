/* SPDX-License-Identifier: MIT */
/* State of bodies and colliders at the scene's time, from the script, its events and the player. */
#include <string.h>

#include "scenes/script/private.h"

void sn_scene_copy_parameters(unsigned parameters, const sn_body_desc *from, sn_body_desc *desc)
{
    desc->stiffness = parameters & SN_SCENE_STIFFNESS ? from->stiffness : desc->stiffness;
    desc->mass = parameters & SN_SCENE_MASS ? from->mass : desc->mass;
    desc->poisson = parameters & SN_SCENE_POISSON ? from->poisson : desc->poisson;
    desc->compliance = parameters & SN_SCENE_COMPLIANCE ? from->compliance : desc->compliance;
    desc->damping = parameters & SN_SCENE_DAMPING ? from->damping : desc->damping;
    desc->amount = parameters & SN_SCENE_AMOUNT ? from->amount : desc->amount;
    desc->substep_count = parameters & SN_SCENE_SUBSTEPS ? from->substep_count : desc->substep_count;
    desc->sweep_count = parameters & SN_SCENE_SWEEPS ? from->sweep_count : desc->sweep_count;
    for (int d = 0; d < 3; ++d) {
        desc->gravity[d] = parameters & SN_SCENE_GRAVITY ? from->gravity[d] : desc->gravity[d];
        desc->wind[d] = parameters & SN_SCENE_WIND ? from->wind[d] : desc->wind[d];
    }
}

void sn_scene_gravity_of(const sn_scene *scene, const sn_scene_state *state, double seconds, double gravity[3])
{
    sn_body_desc desc = sn_scene_entry_of(scene, state)->script->desc;
    sn_number_context context = sn_scene_number_context(scene, state);
    double script_gravity[3];
    context.t = seconds;
    sn_vector_value(&scene->script->gravity, &context, script_gravity);
    for (int d = 0; d < 3; ++d) {
        desc.gravity[d] += script_gravity[d];
    }
    sn_scene_copy_parameters(state->event_parameters & SN_SCENE_GRAVITY, &state->event_desc, &desc);
    sn_scene_copy_parameters(state->player_parameters & SN_SCENE_GRAVITY, &state->player_desc, &desc);
    memcpy(gravity, desc.gravity, sizeof desc.gravity);
}

sn_body_desc sn_scene_desc_of(const sn_scene *scene, const sn_scene_state *state)
{
    const sn_scene_entry *entry = sn_scene_entry_of(scene, state);
    const sn_scene_body *script = entry->script;
    const sn_number_context context = sn_scene_number_context(scene, state);
    double wind[3];
    sn_body_desc desc = script->desc;
    desc.model = entry->model;
    desc.stiffness = sn_number_value(&script->stiffness, &context);
    desc.damping = sn_number_value(&script->damping, &context);
    desc.amount = sn_number_value(&script->amount, &context);
    desc.compliance = sn_number_value(&script->compliance, &context);
    desc.mass = sn_number_value(&script->mass, &context);
    sn_vector_value(&scene->script->wind, &context, wind);
    for (int d = 0; d < 3; ++d) {
        desc.wind[d] += wind[d];
    }
    sn_scene_copy_parameters(state->event_parameters, &state->event_desc, &desc);
    sn_scene_copy_parameters(state->player_parameters, &state->player_desc, &desc);
    sn_scene_gravity_of(scene, state, scene->time, desc.gravity);
    return desc;
}

static bool is_same(const sn_body_desc *a, const sn_body_desc *b)
{
    bool is_equal = a->stiffness == b->stiffness && a->damping == b->damping && a->amount == b->amount &&
                    a->compliance == b->compliance && a->mass == b->mass && a->poisson == b->poisson &&
                    a->substep_count == b->substep_count && a->sweep_count == b->sweep_count;
    for (int d = 0; d < 3; ++d) {
        is_equal = is_equal && a->gravity[d] == b->gravity[d] && a->wind[d] == b->wind[d];
    }
    return is_equal;
}

sn_result sn_scene_set_desc(const sn_scene *scene, sn_scene_state *state)
{
    const sn_body_desc desc = sn_scene_desc_of(scene, state);
    if (is_same(&desc, &state->requested_desc)) {
        return SN_OK;
    }
    char location[SN_SCENE_LOCATION_SIZE];
    state->requested_desc = desc;
    state->requested_desc.name = sn_scene_location(scene->script, "bodies", state->entry, location);
    const sn_result result = sn_body_set_desc(state->body, &state->requested_desc);
    state->requested_desc.name = NULL;
    state->desc = result == SN_OK ? desc : state->desc;
    return result;
}

sn_frame sn_scene_collider_frame(const sn_scene *scene, int collider, double seconds)
{
    const sn_scene_collider *c = &scene->script->colliders[collider];
    sn_number_context context = sn_scene_number_context(scene, NULL);
    double translation[3], rotation[3];
    context.t = seconds;
    sn_vector_value(&c->translation, &context, translation);
    sn_vector_value(&c->rotation, &context, rotation);
    return sn_frame_rigid(rotation, translation);
}

sn_collider_desc sn_scene_collider_at(const sn_scene *scene, int collider)
{
    sn_collider_desc desc = scene->script->colliders[collider].desc;
    const sn_frame frame = sn_scene_collider_frame(scene, collider, scene->time);
    desc.transform = sn_frame_to_matrix(&frame);
    desc.grid = scene->grids[collider];
    desc.friction = scene->frictions[collider];
    return desc;
}
