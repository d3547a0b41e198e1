/* SPDX-License-Identifier: MIT */
/* Materials of Wavefront .obj: .mtl files and their textures. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_OBJ_MATERIAL_H
#define SN_AUTHOR_IO_SURFACE_OBJ_MATERIAL_H

#include "author/io/key_table.h"
#include "author/io/scene_file.h"
#include "author/io/surface/obj_text.h"

/* State of the reader. Zero it, set source, arena, names and materials, and call sn_obj_materials_finish at the end. */
typedef struct sn_obj_materials {
    const sn_source *source; /* the .obj */
    sn_arena *arena;
    const sn_name_table *names; /* material names of the .obj, parallel to `materials` */
    sn_scene_material *materials;
    sn_list textures;      /* of sn_scene_texture */
    sn_name_table paths;   /* paths of textures */
    sn_list path_textures; /* of int32_t, texture of each path; -1: not a PNG */
    sn_name_table read;    /* libraries that have been read */
    sn_arena scratch;
    bool has_library;                 /* a library was found */
    bool warned_library;              /* a missing library was reported */
    bool is_clamped;                  /* wrap mode of the current texture */
    int64_t current;                  /* current material; -1: not used by the .obj */
    bool has_dissolve, has_roughness; /* of the current material; d takes precedence over Tr, Pr over Ns */
} sn_obj_materials;

/* White, rough, not metallic, opaque. */
sn_scene_material sn_obj_default_material(const char *name);
/* Reads an mtllib statement: one file name, which may contain blanks, or several. Missing files cause one warning. */
sn_result sn_obj_read_library(sn_obj_materials *m, sn_token names);
/* Reads the materials of a library. */
sn_result sn_obj_parse_library(sn_obj_materials *m, const sn_source *file);
/* Finds a texture beside NAME.obj: NAME_tex.png, NAME_texture.png, or NAME.png if NAME ends so; -1 if there is none. */
sn_result sn_obj_read_sibling_picture(sn_obj_materials *m, int32_t *texture);
void sn_obj_materials_finish(sn_obj_materials *m);

#endif
