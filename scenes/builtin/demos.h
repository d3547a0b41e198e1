/* SPDX-License-Identifier: MIT */
/* The built-in scenes: scripts filled from static arrays. */
#ifndef SN_SCENES_BUILTIN_DEMOS_H
#define SN_SCENES_BUILTIN_DEMOS_H

#include "scenes/script/scene.h"

/* ---- shared parts ---- */

extern const sn_scene_shape sn_demo_fish;        /* flat, one unit long, faces +x */
extern const sn_cook_handles sn_demo_fish_spine; /* chain of four bones: head, chest, stem, tail */
extern const sn_scene_shape sn_demo_swimmer;     /* the fish in 3D */
extern const sn_scene_shape sn_demo_calf;        /* quadruped, faces -z, stands on y = -0.75 */

/* Places the camera in front of a flat scene. */
void sn_demo_set_camera(sn_scene_script *script, double x, double y, double distance);
/* A coupled body of the script's first character; only driven bones are locked. */
sn_scene_body sn_demo_coupled_body(int substep_count, int sweep_count, double damping_factor, double compliance);

/* Converts the pair of compliances of the authors' demos (alpha_H, alpha_D) to the cook's material parameters. */
void sn_demo_set_compliances(sn_cook_desc *cook, bool is_flat, double area, double shear);
/* Converts a velocity factor per substep, at 60 frames/s, to damping per second. */
double sn_demo_damping(double factor, int substep_count);

/* ---- the scenes ---- */

void sn_demo_build_fish_comp(sn_scene_script *script);
void sn_demo_build_fish_control(sn_scene_script *script);
void sn_demo_build_fish_comp_affine(sn_scene_script *script);
void sn_demo_build_fish_deform(sn_scene_script *script);
void sn_demo_build_cube_tet_ik(sn_scene_script *script);
void sn_demo_build_spot_tet(sn_scene_script *script);
void sn_demo_build_pbd_test(sn_scene_script *script);
void sn_demo_build_worm(sn_scene_script *script);
void sn_demo_build_ghost(sn_scene_script *script);
void sn_demo_build_bunny(sn_scene_script *script);
void sn_demo_build_octopus(sn_scene_script *script);
void sn_demo_build_tug(sn_scene_script *script);
void sn_demo_build_school(sn_scene_script *script);
void sn_demo_build_bowling(sn_scene_script *script);

#endif
