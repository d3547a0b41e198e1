/* SPDX-License-Identifier: MIT */
/* sinew characters: writes the project's own characters as files. */
#include <stdio.h>
#include <string.h>

#include "author/characters/characters.h"
#include "author/characters/drawings.h"
#include "author/io/gltf/gltf_write.h"
#include "host/platform/platform.h"
#include "tools/command/args.h"
#include "tools/command/json.h"
#include "tools/command/model_file.h"
#include "tools/command/verbs.h"

/* `files`: the JSON list of written files, or null without --json. */
static sn_result make(const char *folder, const char *name, sn_result (*build)(sn_arena *arena, sn_scene_file *scene),
                      json_t *files)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.glb", folder, name) >= (int)sizeof path) {
        return sn_fail(SN_ERROR_FILE, "%s: the path is too long", folder);
    }
    sn_arena arena = {0};
    sn_scene_file scene;
    const double start = sn_now();
    sn_result result = build(&arena, &scene);
    if (result == SN_OK) {
        result = sn_gltf_write(path, &scene);
    }
    int vertices = 0, triangles = 0;
    for (int i = 0; result == SN_OK && i < scene.primitive_count; ++i) {
        vertices += scene.primitives[i].vertex_count;
        triangles += scene.primitives[i].triangle_count;
    }
    if (result == SN_OK && files) {
        json_array_append_new(files, json_pack("{s:s, s:i, s:i, s:i, s:i, s:f}", "path", path, "vertices", vertices,
                                               "triangles", triangles, "bones", scene.skins[0].joint_count, "clips",
                                               scene.clip_count, "seconds", sn_now() - start));
    } else if (result == SN_OK) {
        printf("%s: %d vertices, %d triangles, %d bones, %d clips in %.2f s\n", path, vertices, triangles,
               scene.skins[0].joint_count, scene.clip_count, sn_now() - start);
    }
    sn_arena_finish(&arena);
    return result;
}

/* drawing-NAME.png and its rig, drawing-NAME.json. */
static sn_result make_drawing(const char *folder, int index, json_t *files)
{
    char path[4096], rig_path[4096];
    const char *name = sn_builtin_drawing_name(index);
    if (snprintf(path, sizeof path, "%s/drawing-%s.png", folder, name) >= (int)sizeof path ||
        snprintf(rig_path, sizeof rig_path, "%s/drawing-%s.json", folder, name) >= (int)sizeof rig_path) {
        return sn_fail(SN_ERROR_FILE, "%s: the path is too long", folder);
    }
    sn_arena arena = {0};
    sn_builtin_drawing drawing;
    const double start = sn_now();
    sn_result result = sn_builtin_drawing_build(index, &arena, &drawing);
    if (result == SN_OK) {
        result = sn_png_write(path, &drawing.image, false);
    }
    if (result == SN_OK) {
        result = sn_file_write(rig_path, drawing.rig, strlen(drawing.rig));
    }
    if (result == SN_OK && files) {
        json_array_append_new(files, json_pack("{s:s, s:s, s:i, s:i, s:f}", "path", path, "rig", rig_path, "width",
                                               drawing.image.width, "height", drawing.image.height, "seconds",
                                               sn_now() - start));
    } else if (result == SN_OK) {
        printf("%s: %d x %d pixels, with a rig, in %.2f s\n", path, drawing.image.width, drawing.image.height,
               sn_now() - start);
    }
    sn_arena_finish(&arena);
    return result;
}

int sn_verb_characters(int argument_count, char **arguments)
{
    sn_string_list operands = {0};
    bool is_json = false;
    const sn_option options[] = {{"--json", SN_OPTION_FLAG, &is_json, 0, 0, NULL,
                                  "print the names of the files as JSON on stdout", SN_GROUP_OUTPUT, true},
                                 {0}};
    const sn_verb verb = {.usage = "characters DIR [--json]",
                          .summary = "Writes the project's example characters and drawings to a folder.",
                          .details =
                              "Characters: DIR/mascot.glb, DIR/octopus.glb. Drawings: DIR/drawing-NAME.png with a "
                              "rig,\nDIR/drawing-NAME.json, for fish, octopus, worm, ghost, mushroom and starfish.",
                          .examples = {"characters examples", "characters examples --json"},
                          .options = options,
                          .operands = &operands,
                          .min_operands = 1,
                          .max_operands = 1};
    const int status = sn_parse_arguments(&verb, argument_count, arguments);
    if (status != SN_CONTINUE) {
        return status;
    }
    const char *folder = operands.items[0];
    json_t *files = is_json ? json_array() : NULL;
    sn_result result = sn_folder_create(folder);
    if (result == SN_OK) {
        result = make(folder, "mascot", sn_mascot_build, files);
    }
    if (result == SN_OK) {
        result = make(folder, "octopus", sn_octopus_build, files);
    }
    for (int i = 0; i < SN_BUILTIN_DRAWING_COUNT && result == SN_OK; ++i) {
        result = make_drawing(folder, i, files);
    }
    if (result == SN_OK && is_json) {
        sn_print_json(json_pack("{s:O}", "files", files));
    }
    json_decref(files);
    return result == SN_OK ? SN_EXIT_OK : SN_EXIT_FAILED;
}
