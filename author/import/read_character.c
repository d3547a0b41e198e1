/* SPDX-License-Identifier: MIT */
#include "author/import/read_character.h"

#include "author/import/drawing.h"
#include "author/import/rigid_parts.h"
#include "author/io/drawing/drawing.h"
#include "author/io/scene_file.h"

sn_result sn_character_from_scene(const sn_scene_file *scene, const char *path, sn_arena *arena, sn_sidecar *sidecar,
                                  sn_character *character)
{
    SN_TRY(sn_character_build(scene, path, arena, character));
    SN_TRY(sn_sidecar_find(path, arena, sidecar));
    return sn_character_find_rigid_parts(character, sidecar);
}

sn_result sn_character_read(const char *path, sn_arena *arena, sn_sidecar *sidecar, sn_character *character)
{
    if (sn_is_drawing_file(path)) {
        sn_drawing_body body;
        const sn_result result_of_drawing = sn_drawing_body_build(path, NULL, 0, arena, &body);
        *character = body.character;
        return result_of_drawing == SN_OK ? sn_sidecar_find(path, arena, sidecar) : result_of_drawing;
    }
    sn_scene_file *scene = SN_NEW(arena, sn_scene_file, 1);
    SN_TRY(scene ? sn_scene_file_read(path, arena, scene) : SN_ERROR_MEMORY);
    return sn_character_from_scene(scene, path, arena, sidecar, character);
}
