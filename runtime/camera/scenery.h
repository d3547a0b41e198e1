/* SPDX-License-Identifier: MIT */
/* Finds scenery in a character's file, such as a ground or a sky: rigid geometry far from the flesh. */
#ifndef SN_RUNTIME_CAMERA_SCENERY_H
#define SN_RUNTIME_CAMERA_SCENERY_H

#include "host/model/model.h"

/* Writes the vertices that are not scenery, ascending, to seen (vertex_count) and returns their count (at least 1).
 * rest (vertex_count x 3): rest positions of the surface, or of the tet mesh if there is no surface. Without flesh
 * nothing is scenery. */
int sn_scenery_exclude(const sn_model *model, const float *rest, int vertex_count, int *included);

#endif
