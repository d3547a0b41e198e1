/* SPDX-License-Identifier: MIT */
/* Scenery that a character's file brings along, a ground or a sky: what stays rigid far beyond the flesh. */
#ifndef SN_RUNTIME_CAMERA_SCENERY_H
#define SN_RUNTIME_CAMERA_SCENERY_H

#include "host/model/model.h"

/* Writes the vertices that are none, ascending, to seen (vertex_count), and returns their count: at least 1. rest
 * (vertex_count x 3): of the surface, or of the tets where there is none. Without flesh nothing is scenery. */
int sn_scenery_leave_out(const sn_model *model, const float *rest, int vertex_count, int *seen);

#endif
