/* SPDX-License-Identifier: MIT */
/* Imports a drawing as a character with one part: the triangles of a lattice, textured with the picture. Units are
 * pixels of the picture; the origin is its lower left corner, x points right, y up. */
#ifndef SN_AUTHOR_IMPORT_DRAWING_H
#define SN_AUTHOR_IMPORT_DRAWING_H

#include "author/import/character.h"
#include "author/io/drawing/drawing.h"
#include "author/mesher/picture.h"

typedef struct sn_drawing_body {
    sn_character character;
    int32_t *nodes;         /* (character.vertex_count) lattice node of each vertex; several vertices may share one */
    double *fill;           /* (character.triangle_count) opaque area fraction, at least a small minimum */
    sn_rig_handles handles; /* handles from the file, y up; count 0: none */
    double height;          /* height of the picture in pixels */
} sn_drawing_body;

/* Reads the drawing at path. mask_path may be null. vertex_count is approximate; 0 means 1500. */
sn_result sn_drawing_body_build(const char *path, const char *mask_path, int vertex_count, sn_arena *arena,
                                sn_drawing_body *body);

/* The material of a drawing: unlit, with texture 0. */
sn_scene_material sn_picture_material(const char *name, bool is_double_sided);

/* Flips the y axis of handles in place: from pixels with y down to y up from the lower edge. */
void sn_handles_flip_y(sn_rig_handles *handles, double height);

/* The texture of a lattice: the picture, cropped to the lattice, and below it one patch with its own pixels for every
 * triangle that overlaps another. Transparent pixels take the colors of their surroundings, so that filtering does not
 * bleed. uvs is (triangle_count x 3 x 2), v points down. */
typedef struct sn_drawing_texture {
    sn_image image;
    float *uvs;
} sn_drawing_texture;

/* Builds the texture. Errors: SN_ERROR_UNSUPPORTED if it would exceed SN_IMAGE_LIMIT. */
sn_result sn_drawing_texture_build(const char *name, const sn_image *picture, const sn_picture_mesh *mesh,
                                   sn_arena *arena, sn_drawing_texture *texture);

#endif
