/* SPDX-License-Identifier: MIT */
/* Drawings: a picture whose alpha says what is a body, and the skeleton that comes with it. */
#ifndef SN_AUTHOR_IO_DRAWING_DRAWING_H
#define SN_AUTHOR_IO_DRAWING_DRAWING_H

#include "author/io/image/png.h"
#include "author/io/rig/rig_file.h"

typedef struct sn_drawing_clip {
    const char *name;
    int frame_count;
    double frame_rate;
    double *transforms; /* (frame_count x handle_count x 12), from rest, in the handles' coordinates */
} sn_drawing_clip;

typedef struct sn_drawing {
    sn_image image;         /* its alpha cuts it out; at most SN_DRAWING_SIDE_LIMIT a side */
    double pixel_size;      /* of the file's own pixels: larger ones have been halved */
    double height;          /* of the picture, in the file's own pixels */
    sn_rig_handles handles; /* of the file's own, in its own pixels, x right, y down from the top left; count 0: none */
    int clip_count;         /* of points and bones alone */
    sn_drawing_clip *clips; /* (clip_count) */
} sn_drawing;

#define SN_DRAWING_SIDE_LIMIT 4096

/* Whether this is the name of a drawing: .png, .jpg, char_cfg.yaml, NAME_ske.json. */
bool sn_is_drawing_file(const char *path);

/* A picture; char_cfg.yaml of Animated Drawings, with texture.png (and mask.png) beside it; NAME_ske.json of
 * DragonBones, with NAME_tex.json and its picture beside it. The mask's brightness times its alpha is the alpha, in
 * place of the picture's own. mask_path: or null; mask.png beside a texture.png is taken. Errors: what reading may
 * meet; a mask of another size. The picture lives in its own arena: a few times its size. */
sn_result sn_drawing_read(const char *path, const char *mask_path, sn_arena *arena, sn_arena *pixel_arena,
                          sn_drawing *drawing);

/* A rig of handles for a surface or a drawing, by its extension: .tgf, .yaml; false: another. */
bool sn_is_handles_file(const char *path);
sn_result sn_handles_file_read(const char *path, sn_arena *arena, sn_rig_handles *handles);

/* DragonBones 5: the pictures of the first armature's slots at the setup pose, drawn into one in their order, and the
 * bones that hold one, with their animations. atlas is NAME_tex.json, pixels its picture. Armatures within slots are
 * drawn, too, and inverse kinematics turns bones as it does there. Meshes, and other pictures of slots or other
 * kinematics in animations, are left out, with a warning. */
sn_result sn_dragonbones_read(const sn_source *skeleton, const sn_source *atlas, const sn_image *pixels,
                              sn_arena *arena, sn_arena *pixel_arena, sn_drawing *drawing);

#endif
