/* SPDX-License-Identifier: MIT */
/* The built-in scenes: one file each, which fills a script from static arrays. */
#ifndef SN_SCENES_BUILTIN_DEMOS_H
#define SN_SCENES_BUILTIN_DEMOS_H

#include "scenes/script/scene.h"

/* ---- what several of them show ---- */

extern const sn_scene_shape sn_demo_fish; /* flat, one unit long, looks towards +x */
extern const sn_cook_handles
    sn_demo_fish_spine; /* a chain of four bones from its head to its tail: head, chest, stem, tail */
extern const sn_scene_shape sn_demo_swimmer; /* the same in three dimensions */
extern const sn_scene_shape sn_demo_calf;    /* four legs, looks towards -z, stands on y = -.75 */

/* Moves a camera in front of a flat scene. */
void sn_demo_face(sn_scene_script *script, double x, double y, double distance);
/* A coupled body of the script's one character, with everything free but what drives lock. */
sn_scene_body sn_demo_coupled_body(int substep_count, int sweep_count, double damping_factor, double compliance);

/* The Lamé parameters of a pair of compliances, as the paper's demos give them (alpha_H, alpha_D), as the cook takes
 * them. */
void sn_demo_set_pair(sn_cook_desc *cook, bool is_flat, double area, double shear);
/* What a factor of the velocity in each of a frame's substeps takes away, a second. */
double sn_demo_damping(double factor, int substep_count);

/* ---- the scenes ---- */

void sn_demo_make_fish_comp(sn_scene_script *script);
void sn_demo_make_fish_control(sn_scene_script *script);
void sn_demo_make_fish_comp_affine(sn_scene_script *script);
void sn_demo_make_fish_deform(sn_scene_script *script);
void sn_demo_make_cube_tet_ik(sn_scene_script *script);
void sn_demo_make_spot_tet(sn_scene_script *script);
void sn_demo_make_pbd_test(sn_scene_script *script);
void sn_demo_make_worm(sn_scene_script *script);
void sn_demo_make_ghost(sn_scene_script *script);
void sn_demo_make_bunny(sn_scene_script *script);
void sn_demo_make_octopus(sn_scene_script *script);
void sn_demo_make_tug(sn_scene_script *script);
void sn_demo_make_school(sn_scene_script *script);
void sn_demo_make_bowling(sn_scene_script *script);

#endif
