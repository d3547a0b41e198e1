/* SPDX-License-Identifier: MIT */
/* Creates the models of a script's characters: opens models, cooks files, builds and cooks shapes. */
#include <stdio.h>
#include <string.h>

#include "scenes/script/private.h"

sn_scene_character sn_default_scene_character(void)
{
    sn_scene_character character = {.cook = sn_default_cook_desc()};
    character.cook.units = SN_UNITS_KEEP;
    return character;
}

static bool is_model_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".sinew") == 0;
}

static sn_result cook_shape(const sn_scene_character *character, int index, const char *location, sn_blob *blob,
                            sn_scene_error *error)
{
    const char *message = NULL;
    sn_shape_mesh mesh;
    sn_shape_texture picture = {0};
    sn_cook_desc desc = character->cook;
    desc.is_flat = character->shape.type == SN_SHAPE_OUTLINE || character->shape.is_flat;
    sn_result result = sn_shape_build(&character->shape, &mesh, &message);
    if (result != SN_OK) {
        sn_scene_fail(error, result, "characters[%d].shape: %s", index, message ? message : "out of memory");
    } else if (mesh.tet_count == 0) {
        result = sn_shape_paint(&character->shape.paint, &mesh, &picture);
    }
    if (result == SN_OK) {
        const sn_cook_mesh_input input = {.name = location,
                                          .vertex_count = mesh.vertex_count,
                                          .positions = mesh.positions,
                                          .triangle_count = mesh.triangle_count,
                                          .triangles = mesh.triangles,
                                          .tet_count = mesh.tet_count,
                                          .tets = mesh.tets,
                                          .uvs = picture.uvs,
                                          .texture_width = picture.width,
                                          .texture_height = picture.height,
                                          .texture = picture.pixels};
        result = sn_cook_mesh(&input, &desc, blob, NULL);
    }
    sn_shape_texture_finish(&picture);
    sn_shape_mesh_finish(&mesh);
    return result;
}

/* True if the character is used by bodies of this solver only. Coupled and layered bodies need no modes. */
static bool is_used_by_solver_only(const sn_scene_script *script, int character, sn_body_solver solver)
{
    bool is_used = solver == SN_SOLVER_COUPLED; /* unused characters are cooked for coupled bodies */
    for (int i = 0; i < script->body_count; ++i) {
        if (script->bodies[i].character == character && script->bodies[i].desc.solver != solver) {
            return false;
        }
        is_used = is_used || script->bodies[i].character == character;
    }
    return is_used;
}

static sn_result create_model(const sn_scene_script *script, int index, sn_blob *blob, sn_model **model,
                              sn_scene_error *error)
{
    sn_scene_character character = script->characters[index];
    sn_cook_handles handles;
    char location[SN_SCENE_LOCATION_SIZE];
    sn_scene_location(script, "characters", index, location);
    if (character.cook.handles) {
        handles = *character.cook.handles;
        handles.name = location;
        character.cook.handles = &handles;
    }
    character.cook.is_coupled = is_used_by_solver_only(script, index, SN_SOLVER_COUPLED);
    character.cook.is_layered = is_used_by_solver_only(script, index, SN_SOLVER_LAYERED);
    if (character.path && is_model_name(character.path)) {
        return sn_model_open(character.path, model);
    }
    const sn_result result = character.path ? sn_cook(character.path, &character.cook, blob, NULL)
                                            : cook_shape(&character, index, location, blob, error);
    return result == SN_OK ? sn_model_load(blob->bytes, blob->size, model) : result;
}

sn_result sn_scene_create_model(const sn_scene_script *script, int index, sn_blob *blob, sn_model **model,
                                sn_scene_error *error)
{
    const sn_result result = create_model(script, index, blob, model, error);
    return result == SN_OK && script->prepare ? script->prepare(index, *model, script->prepare_user) : result;
}
