/* SPDX-License-Identifier: MIT */
#include "author/io/scene_file.h"
#include "author/io/text.h"

#include <string.h>
#include <strings.h>

const char *sn_painted_quantity_name(sn_painted_quantity paint)
{
    static const char *const names[SN_PAINTED_COUNT] = {[SN_PAINTED_STIFFNESS] = "_SINEW_STIFFNESS",
                                                        [SN_PAINTED_DENSITY] = "_SINEW_DENSITY",
                                                        [SN_PAINTED_LEAK] = "_SINEW_LEAK"};
    return names[paint];
}

typedef sn_result read_function(const sn_source *source, sn_arena *arena, sn_scene_file *scene);

static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *extension = strrchr(slash ? slash : path, '.');
    return extension ? extension : "";
}

static read_function *find_reader(const char *path)
{
    static const struct {
        const char *extension;
        read_function *read;
    } readers[] = {
        {".glb", sn_gltf_read},  {".gltf", sn_gltf_read}, {".vrm", sn_gltf_read},
        {".vrma", sn_gltf_read}, {".obj", sn_obj_read},   {".off", sn_off_read},
        {".ply", sn_ply_read},   {".stl", sn_stl_read},   {".fbx", sn_fbx_read},
    };
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; ++i) {
        if (strcasecmp(extension_of(path), readers[i].extension) == 0) {
            return readers[i].read;
        }
    }
    return NULL;
}

/* Reports a file that is no scene. Callers have handled the other formats of the cook before. */
static sn_result refuse(const char *path)
{
    static const char *const others[] = {".msh", ".mesh", ".png", ".jpg", ".jpeg", ".yaml", ".json", ".tgf"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        if (strcasecmp(extension_of(path), others[i]) == 0) {
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "%s: cannot read: the file is neither a surface nor a character (.glb .gltf .vrm .fbx .obj "
                           ".off .ply .stl)",
                           path);
        }
    }
    return sn_fail(
        SN_ERROR_UNSUPPORTED,
        "%s: cannot read: the file extension is none of .glb .gltf .vrm .fbx .obj .off .ply .stl .msh .mesh .png .jpg "
        "char_cfg.yaml _ske.json",
        path);
}

sn_result sn_scene_file_read(const char *path, sn_arena *arena, sn_scene_file *scene)
{
    SN_ASSERT(path && arena && scene);
    read_function *read = find_reader(path);
    if (!read) {
        return refuse(path);
    }
    sn_arena scratch = {0};
    sn_source source;
    sn_result result = sn_source_read(path, &scratch, &source);
    if (result == SN_OK) {
        result = read(&source, arena, scene);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_scene_node sn_scene_node_default(const char *name)
{
    return (sn_scene_node){.name = name,
                           .parent = -1,
                           .mesh = -1,
                           .skin = -1,
                           .rotation = {0, 0, 0, 1},
                           .scale = {1, 1, 1},
                           .local = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                           .is_in_scene = true};
}
