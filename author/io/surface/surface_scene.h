/* SPDX-License-Identifier: MIT */
/* Shared by the readers of plain surfaces: colors, normals, and a scene with one mesh. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_SURFACE_SCENE_H
#define SN_AUTHOR_IO_SURFACE_SURFACE_SCENE_H

#include "author/io/local_origin.h"
#include "author/io/scene_file.h"
#include "author/io/surface/polygons.h"

/* Converts colors (count x 4), in 0..1, from sRGB to linear light (IEC 61966-2-1); alpha is unchanged. */
void sn_colors_linearize(float *colors, size_t count);
/* Likewise for text files, whose range is unknown: if any value is above 1, the range is 0..255. SN_NO_COLOR marks
 * missing values, which become 1. */
#define SN_NO_COLOR (-1.0F)
void sn_colors_normalize(float *colors, size_t count);
/* Normalizes vectors (count x 3); zero vectors stay zero. */
void sn_normals_normalize(float *normals, size_t count);

/* Copies the text to the arena, null-terminated. */
const char *sn_copy_text(sn_arena *arena, sn_token text);
/* The file name without folder and extension; points into source->name. */
sn_token sn_source_stem(const sn_source *source);
/* Creates a scene of one node, translated to the origin of the positions and named after the file, with one mesh of
 * `primitive_count` empty primitives without material. */
sn_result sn_surface_scene_create(const sn_source *source, int primitive_count, const double origin[3], sn_arena *arena,
                                  sn_scene_file *scene);
/* Likewise with one primitive: the vertex arrays of `mesh`, which must be in the arena, and the polygons' triangles. */
sn_result sn_surface_scene_from_mesh(const sn_source *source, const sn_scene_primitive *mesh,
                                     const sn_polygons *polygons, const double origin[3], sn_arena *arena,
                                     sn_scene_file *scene);

#endif
