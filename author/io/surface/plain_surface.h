/* SPDX-License-Identifier: MIT */
/* What the readers of plain surfaces share: colours, normals, and the scene around one mesh. Private to author/io. */
#ifndef SN_AUTHOR_IO_SURFACE_PLAIN_SURFACE_H
#define SN_AUTHOR_IO_SURFACE_PLAIN_SURFACE_H

#include "author/io/far_origin.h"
#include "author/io/scene_file.h"
#include "author/io/surface/polygons.h"

/* sRGB to linear light (IEC 61966-2-1); alpha stays. `colors` is (count x 4), in 0..1. */
void sn_colors_linearise(float *colors, size_t count);
/* The same for colours of text files, which do not say their range: numbers above 1 anywhere mean 0..255. What the file
 * does not give is SN_NO_COLOR and becomes 1. */
#define SN_NO_COLOR (-1.0F)
void sn_colors_normalise(float *colors, size_t count);
/* Unit length each, (count x 3); zeros stay zeros. */
void sn_normals_normalise(float *normals, size_t count);

/* The text in the arena, with a null behind it. */
const char *sn_copy_text(sn_arena *arena, sn_token text);
/* The name of the file without folder and extension; borrowed. */
sn_token sn_source_stem(const sn_source *source);
/* One node at the origin that positions are counted from, named as the file, with one mesh of `primitive_count` empty
 * primitives of no material. */
sn_result sn_plain_scene(const sn_source *source, int primitive_count, const double origin[3], sn_arena *arena,
                         sn_scene_file *scene);
/* The same with one primitive: `mesh`, whose arrays of vertices are in the arena, and the polygons' triangles. */
sn_result sn_plain_mesh(const sn_source *source, const sn_scene_primitive *mesh, const sn_polygons *polygons,
                        const double origin[3], sn_arena *arena, sn_scene_file *scene);

#endif
