/* SPDX-License-Identifier: MIT */
/* A drawing as a character: one part, the lattice's triangles, with a texture that each of them cuts its own pixels
 * out of. x to the right and y up from the picture's lower left corner, in its own pixels. */
#ifndef SN_AUTHOR_IMPORT_DRAWING_H
#define SN_AUTHOR_IMPORT_DRAWING_H

#include "author/import/character.h"
#include "author/io/drawing/drawing.h"
#include "author/mesher/picture.h"

typedef struct sn_drawn_body {
    sn_character character;
    int32_t *nodes;         /* (character.vertex_count) of the lattice: several vertices may be one */
    double *fill;           /* (character.triangle_count) the share that is opaque, with a floor */
    sn_rig_handles handles; /* of the file's own, turned up; count 0: none */
    double height;          /* of the picture, in its own pixels */
} sn_drawn_body;

/* mask_path: or null; vertex_count: about, 0: 1500. */
sn_result sn_drawn_body_build(const char *path, const char *mask_path, int vertex_count, sn_arena *arena,
                              sn_drawn_body *body);

/* A picture's material: its own colours, unlit, as it would be seen on paper; of texture 0. */
sn_scene_material sn_picture_material(const char *name, bool is_double_sided);

/* Handles in a picture's pixels, y down, in place: y up from its lower edge. */
void sn_handles_turn_up(sn_rig_handles *handles, double height);

/* The texture of a lattice: the picture, cropped to it, and below it, for each triangle that shares its place with
 * another, a patch with its own pixels alone. Colours go on where nothing is opaque, so that filtering meets no other.
 * uvs (triangle_count x 3 x 2), v down. */
typedef struct sn_drawn_texture {
    sn_image image;
    float *uvs;
} sn_drawn_texture;

/* SN_ERROR_UNSUPPORTED where it would be larger than SN_IMAGE_LIMIT. */
sn_result sn_drawn_texture_build(const char *name, const sn_image *picture, const sn_picture_mesh *mesh,
                                 sn_arena *arena, sn_drawn_texture *texture);

#endif
