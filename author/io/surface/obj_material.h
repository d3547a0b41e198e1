/* SPDX-License-Identifier: MIT */
/* Materials of Wavefront .obj: the .mtl files, and the pictures beside them. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_OBJ_MATERIAL_H
#define SN_AUTHOR_IO_SURFACE_OBJ_MATERIAL_H

#include "author/io/key_table.h"
#include "author/io/scene_file.h"
#include "author/io/surface/obj_text.h"

/* Zero it, set what is borrowed, finish it. */
typedef struct sn_obj_materials {
    const sn_source *source; /* the .obj */
    sn_arena *arena;
    const sn_name_table *names; /* of the materials that the .obj uses; their numbers are those of `materials` */
    sn_scene_material *materials;
    sn_list textures;      /* of sn_scene_texture */
    sn_name_table paths;   /* of pictures */
    sn_list path_textures; /* of int32_t, a path each; -1: it is no PNG */
    sn_name_table read;    /* libraries that have been looked for */
    sn_arena scratch;
    bool has_library;                 /* one was found */
    bool warned_library;              /* one was not */
    bool is_clamped;                  /* the picture that is being read */
    int64_t current;                  /* material; -1: one that the .obj does not use */
    bool has_dissolve, has_roughness; /* of the current material: d wins over Tr, Pr over Ns */
} sn_obj_materials;

/* White, rough, not metallic, opaque. */
sn_scene_material sn_obj_default_material(const char *name);
/* One mtllib statement: a file name, which may hold blanks, or several. What is not there is one warning. */
sn_result sn_obj_read_library(sn_obj_materials *m, sn_token names);
/* What such a file says of the materials. */
sn_result sn_obj_parse_library(sn_obj_materials *m, const sn_source *file);
/* The picture beside NAME.obj: NAME_tex.png, NAME_texture.png, or NAME.png where NAME ends like that; its texture, -1
 * where there is none. */
sn_result sn_obj_read_own_picture(sn_obj_materials *m, int32_t *texture);
void sn_obj_materials_finish(sn_obj_materials *m);

#endif
