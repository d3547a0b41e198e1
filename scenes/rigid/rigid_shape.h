/* SPDX-License-Identifier: MIT */
/* Defaults for a rigid body that the script does not specify: a solid around its surface, and its mass. */
#ifndef SN_SCENES_RIGID_RIGID_SHAPE_H
#define SN_SCENES_RIGID_RIGID_SHAPE_H

#include "scenes/rigid/rigid_engine.h"
#include "sinew/surface.h"

/* The sphere, capsule, cylinder or box of minimum volume around the surface, along its principal axes or the coordinate
 * axes. */
sn_scene_solid sn_rigid_bounding_solid(const sn_surface *surface);
/* Tests whether the surface is closed (rigid_closed.c). Errors: SN_ERROR_MEMORY. */
sn_result sn_rigid_test_closed(const sn_surface *surface, bool *is_closed);
/* Mass properties of the homogeneous interior of a closed surface, at density 1. False if it has no positive volume
 * (flat or inside out). */
bool sn_rigid_surface_mass(const sn_surface *surface, sn_rigid_mass *mass);
/* Mass properties of solids, at density 1; overlaps count twice. */
void sn_rigid_solids_mass(const sn_scene_solid *solids, int count, sn_rigid_mass *mass);
/* Scales mass and inertia. */
void sn_rigid_scale_mass(sn_rigid_mass *mass, double factor);

#endif
