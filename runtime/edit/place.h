/* SPDX-License-Identifier: MIT */
/* Where in the flesh a pointer is. */
#ifndef SN_RUNTIME_EDIT_PLACE_H
#define SN_RUNTIME_EDIT_PLACE_H

#include "runtime/edit/drawn.h"
#include "runtime/edit/pick.h"

typedef struct sn_edit_place {
    double rest[3]; /* model units */
    double seen[3]; /* the same as it is drawn now, world */
} sn_edit_place;

/* Of what the ray meets of the surface as it was drawn last, with a triangle's weights carried back to its rest. In a
 * solid body, the depth rule: halfway between where the ray enters the flesh and where it leaves it, so that a click on
 * an arm is in the arm's middle, not on its skin; of a flat one, its plane. False: it meets nothing. */
bool sn_edit_place_in_flesh(const sn_drawn *drawn, const sn_ray *ray, sn_edit_place *place);

/* Beside it too: in the plane of a flat body, or across the view at `depth`; the nearest vertex says how the flesh
 * there has moved from its rest. */
void sn_edit_place_beside(const sn_drawn *drawn, const sn_camera *camera, const sn_ray *ray, double depth,
                          sn_edit_place *place);

/* The ray in the plane z = height; false: it runs beside it. */
bool sn_edit_in_plane(const sn_ray *ray, double height, double *point);

#endif
