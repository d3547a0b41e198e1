/* SPDX-License-Identifier: MIT */
/* Drawings: a picture whose alpha channel is the shape of the body, optionally with a skeleton. */
#ifndef SN_AUTHOR_IO_DRAWING_DRAWING_H
#define SN_AUTHOR_IO_DRAWING_DRAWING_H

#include "author/io/image/png.h"
#include "author/io/rig/rig_file.h"

typedef struct sn_drawing_clip {
    const char *name;
    int frame_count;
    double frame_rate;
    double *transforms; /* (frame_count x handle_count x 12), relative to rest, in the handles' coordinates */
} sn_drawing_clip;

typedef struct sn_drawing {
    sn_image image;         /* alpha is the shape; at most SN_DRAWING_SIDE_LIMIT pixels a side */
    double pixel_size;      /* size of a pixel in the file's pixels; large pictures are halved */
    double height;          /* of the picture, in the file's pixels */
    sn_rig_handles handles; /* from the file, in its pixels, x right, y down from the top left; count 0: none */
    int clip_count;         /* clips of points and bones */
    sn_drawing_clip *clips; /* (clip_count) */
} sn_drawing;

#define SN_DRAWING_SIDE_LIMIT 4096

/* Whether the path is a drawing: .png, .jpg, char_cfg.yaml, NAME_ske.json. */
bool sn_is_drawing_file(const char *path);

/* Reads a picture; char_cfg.yaml of Animated Drawings, with texture.png (and mask.png) in the same folder; or
 * NAME_ske.json of DragonBones, with NAME_tex.json and its picture in the same folder. With a mask, the alpha is the
 * mask's brightness times its alpha. mask_path may be null; for texture.png, mask.png is then used if it exists.
 * pixel_arena receives the picture and takes a few times its size. Errors: those of the readers; a mask of another
 * size. */
sn_result sn_drawing_read(const char *path, const char *mask_path, sn_arena *arena, sn_arena *pixel_arena,
                          sn_drawing *drawing);

/* Whether the path is a rig of handles for a surface or a drawing, by its extension: .tgf, .yaml. */
bool sn_is_handles_file(const char *path);
sn_result sn_handles_file_read(const char *path, sn_arena *arena, sn_rig_handles *handles);

/* Reads DragonBones 5: draws the pictures of the first armature's slots in the setup pose into one image, and reads the
 * bones that carry them with their animations. atlas is NAME_tex.json, pixels its picture. Nested armatures and inverse
 * kinematics are supported. Meshes, and animated pictures or inverse kinematics, are ignored with a warning. */
sn_result sn_dragonbones_read(const sn_source *skeleton, const sn_source *atlas, const sn_image *pixels,
                              sn_arena *arena, sn_arena *pixel_arena, sn_drawing *drawing);

#endif
