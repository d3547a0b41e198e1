/* SPDX-License-Identifier: MIT */
/* The stages of a cook, in order. cook_context.h lists the fields that each of them fills. */
#ifndef SN_AUTHOR_COOK_STAGES_STAGES_H
#define SN_AUTHOR_COOK_STAGES_STAGES_H

#include "author/cook/cooking.h"
#include "author/cook/stages/trial.h"

sn_result sn_cooking_read(sn_cooking *cooking);
sn_result sn_cooking_mesh(sn_cooking *cooking);
/* For a flat body, instead of the mesher: the soft surface's triangles, with vertices at the same position merged. */
sn_result sn_cooking_take_flat(sn_cooking *cooking, const int32_t *triangles, int triangle_count);
/* Warns about each clip that moves a flat body out of its plane. */
void sn_cooking_check_plane(const sn_cooking *cooking);
sn_result sn_cooking_weigh(sn_cooking *cooking);
/* Scales everything to the requested size. The stages before work at a diagonal of 1, so that the size does not change
 * their decisions (such as clusters) by rounding. */
void sn_cooking_enlarge(sn_cooking *cooking);
/* Builds the rig's constraint from held_weights and leak, on weights or on coordinates. */
sn_result sn_cooking_constrain(sn_cooking *cooking);
/* Computes the eigenmodes under the rig's constraint, from held_weights and leak. */
sn_result sn_cooking_find_modes(sn_cooking *cooking);
sn_result sn_cooking_cluster(sn_cooking *cooking);
/* Chooses report.young and removes bad modes. Done once (is_chosen). */
sn_result sn_cooking_choose(sn_cooking *cooking);
/* Runs a trial with the current modes and stiffness, also measuring parts (null: none). */
sn_result sn_cooking_try(sn_cooking *cooking, const sn_trial_parts *parts, sn_trial_report *report);
/* Adds the desc's rows to the constraint. */
sn_result sn_cooking_add_rows(sn_cooking *cooking);
/* Builds the reduced matrices of the current modes. */
sn_result sn_cooking_reduce(sn_cooking *cooking);
sn_result sn_cooking_assemble(sn_cooking *cooking);

/* Fills the model's surface: the character's, or the boundary of the tet mesh. mode_weights (vertex_count x mode_count)
 * are those of the tet mesh. */
sn_result sn_cooking_add_surface(sn_cooking *cooking, const double *mode_weights, sn_model *model);

/* Fills the model's samples: at most SN_SAMPLE_LIMIT points of the soft surface. Needs the surface and the modes. */
#define SN_SAMPLE_LIMIT 512
sn_result sn_cooking_add_samples(sn_cooking *cooking, sn_model *model);

/* Fills the model's clips, in model units. */
sn_result sn_cooking_add_clips(sn_cooking *cooking, sn_model *model);

/* Fills the names and weights of the model's morph targets and expressions. Needs the clips. */
sn_result sn_cooking_add_morphs(sn_cooking *cooking, sn_model *model);

/* Fills the model's spring bones, if the character's file has any. Needs the bones and `soft_bones`. */
sn_result sn_cooking_add_springs(sn_cooking *cooking, sn_model *model);

/* Lists the character's visible triangles that are not rigid. triangles (count): their indices. */
sn_result sn_cooking_soft_triangles(sn_cooking *cooking, int32_t **triangles, int *count);

sn_result sn_blob_copy(const uint8_t *bytes, size_t size, sn_blob *blob);

/* Copies to float; null if out of memory. */
float *sn_narrow(sn_arena *arena, const double *values, size_t count);

#endif
