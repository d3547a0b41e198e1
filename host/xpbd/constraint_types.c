/* SPDX-License-Identifier: MIT */
/* Sizes of the recipes, and the rest value of bends. */
#include <math.h>
#include <stdbool.h>

#include "host/xpbd/pack.h"

#define REAL float
#define SQRT sqrtf
#include "host/xpbd/recipe_line.inc"
#include "host/xpbd/recipe_tet.inc"

const int sn_xpbd_corner_counts[SN_XPBD_TYPE_COUNT] = {2, 4, 4};
const int sn_xpbd_value_counts[SN_XPBD_TYPE_COUNT] = {DISTANCE_VALUES, BENDING_VALUES, VOLUME_VALUES};

void sn_xpbd_rest_bend(const float *edges, float *cosine_sine)
{
    const float still[4][4] = {{0}};
    bend at;
    bend_angle(edges, still, &at);
    cosine_sine[0] = at.cosine;
    cosine_sine[1] = at.sine;
}
