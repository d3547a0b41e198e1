/* SPDX-License-Identifier: MIT */
/* What a rigid body is when a script says nothing of it: a solid around its surface, and its mass. */
#ifndef SN_SCENES_RIGID_RIGID_SHAPE_H
#define SN_SCENES_RIGID_RIGID_SHAPE_H

#include "scenes/rigid/rigid_engine.h"
#include "sinew/surface.h"

/* Of all spheres, capsules, cylinders and boxes around the surface, in its principal axes or the coordinates' own, the
 * one with the least volume. */
sn_scene_solid sn_rigid_enclose(const sn_surface *surface);
/* rigid_closed.c: whether something is within the surface. SN_ERROR_MEMORY. */
sn_result sn_rigid_find_closed(const sn_surface *surface, bool *is_closed);
/* Of a homogeneous body of mass 1 per volume inside of the surface, which is closed. False where that is no solid:
 * flat, or inside out. */
bool sn_rigid_surface_mass(const sn_surface *surface, sn_rigid_mass *mass);
/* The same of solids; where they overlap, both count. */
void sn_rigid_solid_mass(const sn_scene_solid *solids, int count, sn_rigid_mass *mass);
/* The same at another density. */
void sn_rigid_scale_mass(sn_rigid_mass *mass, double factor);

#endif
