/* SPDX-License-Identifier: MIT */
/* Textures painted by a function of the position on the body, so that they are continuous across seams. Colours are
 * sRGB, 0 to 1. */
#ifndef SN_AUTHOR_CHARACTERS_PAINT_H
#define SN_AUTHOR_CHARACTERS_PAINT_H

#include "author/characters/atlas.h"

typedef void sn_paint_function(const void *user, const double position[3], const double normal[3], double color[3]);

/* pixels: (size x size x 4) RGBA8, rows from the top; texels outside charts extend the charts' borders. */
sn_result sn_paint_bake(const sn_shape_surface *surface, const sn_atlas *atlas, sn_paint_function *paint,
                        const void *user, sn_arena *arena, uint8_t **pixels);

/* Blends 0xRRGGBB over the colour. */
void sn_paint_over(double color[3], unsigned rgb, double amount);
/* Smoothstep: 0 below a, 1 above b; a may be larger than b. */
double sn_paint_step(double a, double b, double x);
/* Returns 1 in the center of a round spot and 0 outside; `softness` is the width of its edge relative to its size. */
double sn_paint_spot(const double position[3], const double center[3], const double radii[3], double softness);
/* Ambient occlusion: returns 1 for an open position, and towards 0 in creases narrower than `max_distance` metres. */
double sn_paint_openness(const sn_shape *shape, const double position[3], const double normal[3], double max_distance);

#endif
