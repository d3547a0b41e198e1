/* SPDX-License-Identifier: MIT */
/* The stages of a cook, in order; each fills what cook.h lists under its name. */
#ifndef SN_AUTHOR_COOK_STAGES_STAGES_H
#define SN_AUTHOR_COOK_STAGES_STAGES_H

#include "author/cook/cooking.h"
#include "author/cook/stages/trial.h"

sn_result sn_cooking_read(sn_cooking *cooking);
sn_result sn_cooking_mesh(sn_cooking *cooking);
/* Of a flat body, in place of the mesher: the soft surface's triangles, vertices at one place joined. */
sn_result sn_cooking_take_flat(sn_cooking *cooking, const int32_t *triangles, int triangle_count);
/* A warning for every clip that moves a flat body out of its plane. */
void sn_cooking_check_plane(const sn_cooking *cooking);
sn_result sn_cooking_weigh(sn_cooking *cooking);
/* To the size that was asked for: all before is done to a diagonal of 1, so that a size changes no choice by a
 * rounding, as of clusters. */
void sn_cooking_enlarge(sn_cooking *cooking);
/* The constraint of the rig as k->held_weights and k->leak have it: of weights, or of coordinates. */
sn_result sn_cooking_constrain(sn_cooking *cooking);
/* Eigenmodes with the rig's constraint, as k->held_weights and k->leak have it. */
sn_result sn_cooking_find_modes(sn_cooking *cooking);
sn_result sn_cooking_cluster(sn_cooking *cooking);
/* What the last stage chooses of all that is made before it: report.young, and modes that are left out. Done once
 * (is_chosen). */
sn_result sn_cooking_choose(sn_cooking *cooking);
/* What a trial shows of what is there, as it is, and of parts of it (null: of none). */
sn_result sn_cooking_try(sn_cooking *cooking, const sn_trial_parts *parts, sn_trial_report *report);
/* Adds the desc's rows to the constraint. */
sn_result sn_cooking_add_rows(sn_cooking *cooking);
/* The reduced matrices of the modes as they are. */
sn_result sn_cooking_reduce(sn_cooking *cooking);
sn_result sn_cooking_assemble(sn_cooking *cooking);

/* Fills the model's surface: the character's, or the boundary of the tet mesh. mode_weights (vertex_count x mode_count)
 * are those of the tet mesh. */
sn_result sn_cooking_add_surface(sn_cooking *cooking, const double *mode_weights, sn_model *model);

/* Fills the model's samples: of the soft surface, by farthest points, at most SN_SAMPLE_LIMIT. The surface and the
 * modes are in place. */
#define SN_SAMPLE_LIMIT 512
sn_result sn_cooking_add_samples(sn_cooking *cooking, sn_model *model);

/* Fills the model's clips, in model units. */
sn_result sn_cooking_add_clips(sn_cooking *cooking, sn_model *model);

/* Fills names and weights of the model's morph targets and expressions, behind the clips. */
sn_result sn_cooking_add_morphs(sn_cooking *cooking, sn_model *model);

/* Fills the model's spring bones: of a character whose file has some. Its bones and what is loose are in place. */
sn_result sn_cooking_add_springs(sn_cooking *cooking, sn_model *model);

/* Triangles of the character that are simulated: shown and not rigid. triangles (count) are their indices. */
sn_result sn_cooking_soft_triangles(sn_cooking *cooking, int32_t **triangles, int *count);

sn_result sn_blob_copy(const uint8_t *bytes, size_t size, sn_blob *blob);

/* A copy in float; null when memory is out. */
float *sn_narrow(sn_arena *arena, const double *values, size_t count);

#endif
