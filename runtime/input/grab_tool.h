/* SPDX-License-Identifier: MIT */
/* Grab tool: the pointer grabs the visible flesh under it and drags it. */
#ifndef SN_RUNTIME_INPUT_GRAB_TOOL_H
#define SN_RUNTIME_INPUT_GRAB_TOOL_H

#include "runtime/edit/pick.h"
#include "runtime/edit/posed_surface.h"

/* Zero it, then start it for a model. */
typedef struct sn_grab_tool {
    sn_posed_surface surface;
    bool is_grabbing;
    int grab;
    double pointer[2]; /* in the coordinates of sn_pick_ray */
    double depth;      /* of the grabbed point, in front of the camera */
} sn_grab_tool;

sn_result sn_grab_tool_start(sn_grab_tool *tool, const sn_model *model);
/* Safe after a failed start; the body may already be destroyed. */
void sn_grab_tool_finish(sn_grab_tool *tool);

/* Distance along the pointer's ray to the body's surface as drawn; INFINITY: no hit. */
double sn_grab_tool_hit_distance(sn_grab_tool *tool, sn_body_id body, const sn_camera *camera, const double *pointer);

/* Grabs the body's surface where the pointer's ray hits it, unless one of the solids (solid_count) is in front. True if
 * there was soft flesh to grab. */
bool sn_grab_tool_grab(sn_grab_tool *tool, sn_body_id body, const sn_camera *camera, const double *pointer,
                       const sn_collider *solids, int solid_count);
/* Drags the grabbed point to the pointer, at a constant depth in front of the camera. */
void sn_grab_tool_drag(const sn_grab_tool *tool, sn_body_id body, const sn_camera *camera);
void sn_grab_tool_release(sn_grab_tool *tool, sn_body_id body);

#endif
