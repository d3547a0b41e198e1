/* SPDX-License-Identifier: MIT */
/* Fuzz target: the reader of scene files; what it accepts can be checked, and indices and lists are what they count. */
#include "tools/scene_json/scene_json.h"

#include "tests/fuzz/fuzz.h"

static void check_script(const sn_scene_script *script)
{
    for (int i = 0; i < script->body_count; i++) {
        SN_ASSERT(script->bodies[i].character >= 0 && script->bodies[i].character <= script->character_count);
        for (int k = 0; k < script->bodies[i].drive_count; k++) {
            SN_ASSERT(script->bodies[i].drives[k].bone);
        }
        const sn_scene_rigid *rigid = script->bodies[i].rigid;
        SN_ASSERT(!rigid || (rigid->solid_count <= SN_SCENE_SOLID_LIMIT && rigid->restitution <= 1));
        for (int k = 0; rigid && k < rigid->solid_count; k++) {
            SN_ASSERT(rigid->solids[k].type <= SN_SOLID_BOX);
        }
    }
    for (int i = 0; i < script->character_count; i++) {
        const sn_cook_handles *handles = script->characters[i].cook.handles;
        for (int k = 0; handles && k < handles->count; k++) {
            SN_ASSERT(handles->handles[k].name && handles->handles[k].parent < k);
        }
        for (int k = 0; handles && k < 2 * handles->edge_count; k++) {
            SN_ASSERT(handles->edges[k] >= 0 && handles->edges[k] < handles->count);
        }
        for (int k = 0; handles && k < 3 * handles->triangle_count; k++) {
            SN_ASSERT(handles->triangles[k] >= 0 && handles->triangles[k] < handles->count);
        }
    }
    for (int i = 0; i < script->grab_count; i++) {
        SN_ASSERT(script->grabs[i].body >= 0 && script->grabs[i].body <= script->body_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    sn_arena arena = {0};
    sn_scene_script script;
    sn_scene_files files;
    sn_scene_error error;
    if (!source.bytes) {
        return 0;
    }
    if (sn_scene_json_read(&source, &arena, &script, &files) == SN_OK) {
        check_script(&script);
        SN_ASSERT(sn_scene_check(&script, &error) == SN_OK || error.text[0]);
    }
    sn_arena_finish(&arena);
    sn_fuzz_finish(&source);
    return 0;
}
