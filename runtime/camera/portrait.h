/* SPDX-License-Identifier: MIT */
#ifndef SN_RUNTIME_CAMERA_PORTRAIT_H
#define SN_RUNTIME_CAMERA_PORTRAIT_H

#include "host/model/model.h"

/* Keeps the vertices of the head and the shoulders: of the bone in the role of the head, else of the first bone that is
 * named so, else of the model's top quarter. The result is never empty if the input is not.
 * rest: (3 per vertex) positions, of the surface if the model has one, else of the tets.
 * vertices: (count), reduced in place. Returns how many are left. */
int sn_portrait_choose(const sn_model *model, const float *rest, int *vertices, int count);

#endif
