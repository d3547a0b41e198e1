/* SPDX-License-Identifier: MIT */
/* Pictures painted by a function of the place on the body, so that paint knows no seams. Colours are sRGB, 0 .. 1. */
#ifndef SN_AUTHOR_CHARACTERS_PAINT_H
#define SN_AUTHOR_CHARACTERS_PAINT_H

#include "author/characters/atlas.h"

typedef void sn_paint_function(const void *user, const double position[3], const double normal[3], double color[3]);

/* pixels: (size x size x 4) RGBA8, rows from the top; what no chart covers continues its border. */
sn_result sn_paint_bake(const sn_shape_surface *surface, const sn_atlas *atlas, sn_paint_function *paint,
                        const void *user, sn_arena *arena, uint8_t **pixels);

/* 0xRRGGBB over the colour. */
void sn_paint_over(double color[3], unsigned rgb, double amount);
/* 0 below a, 1 above b, smooth between; a may be above b. */
double sn_paint_step(double a, double b, double x);
/* 1 in the middle of a round spot, 0 outside; `softness` is the width of its edge, as a share of its size. */
double sn_paint_spot(const double position[3], const double center[3], const double radii[3], double softness);
/* How open to the sky a place is: 1 free, towards 0 in creases narrower than `reach` metres. */
double sn_paint_openness(const sn_shape *shape, const double position[3], const double normal[3], double reach);

#endif
