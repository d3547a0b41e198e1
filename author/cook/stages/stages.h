/* SPDX-License-Identifier: MIT */
/* The stages of a cook, in order. cook_context.h lists the fields that each of them fills. */
#ifndef SN_AUTHOR_COOK_STAGES_STAGES_H
#define SN_AUTHOR_COOK_STAGES_STAGES_H

#include "author/cook/cook_context.h"
#include "author/cook/stages/trial.h"

sn_result sn_cook_context_read(sn_cook_context *cook);
/* Adds clips to a humanoid character whose file has none. */
sn_result sn_cook_context_generate_clips(sn_cook_context *cook);
sn_result sn_cook_context_build_mesh(sn_cook_context *cook);
/* For a flat body, instead of the mesher: the soft surface's triangles, with vertices at the same position merged. */
sn_result sn_cook_context_set_flat_mesh(sn_cook_context *cook, const int32_t *triangles, int triangle_count);
/* Warns about each clip that moves a flat body out of its plane. */
void sn_cook_context_check_plane(const sn_cook_context *cook);
sn_result sn_cook_context_compute_weights(sn_cook_context *cook);
/* Scales everything to the requested size. The stages before work at a diagonal of 1, so that the size does not change
 * their decisions (such as clusters) by rounding. */
void sn_cook_context_rescale(sn_cook_context *cook);
/* Builds the rig's constraint from fixed_weights and leak, on weights or on coordinates. */
sn_result sn_cook_context_build_constraint(sn_cook_context *cook);
/* Computes the eigenmodes under the rig's constraint, from fixed_weights and leak. */
sn_result sn_cook_context_compute_modes(sn_cook_context *cook);
sn_result sn_cook_context_build_clusters(sn_cook_context *cook);
/* Chooses report.young and removes bad modes. Done once (is_tuned). */
sn_result sn_cook_context_tune(sn_cook_context *cook);
/* Runs a trial with the current modes and stiffness, also measuring parts (null: none). */
sn_result sn_cook_context_run_trial(sn_cook_context *cook, const sn_trial_parts *parts, sn_trial_report *report);
/* Adds the desc's rows to the constraint. */
sn_result sn_cook_context_add_rows(sn_cook_context *cook);
/* Builds the reduced matrices of the current modes. */
sn_result sn_cook_context_build_reduced(sn_cook_context *cook);
sn_result sn_cook_context_assemble(sn_cook_context *cook);
/* The same for the flesh of cook->cooked that was tuned again: replaces what depends on its stiffness. */
sn_result sn_cook_context_assemble_tuned(sn_cook_context *cook);

/* Fills the model's surface: the character's, or the boundary of the tet mesh. mode_weights (vertex_count x mode_count)
 * are those of the tet mesh. */
sn_result sn_cook_context_add_surface(sn_cook_context *cook, const double *mode_weights, sn_model *model);

/* Fills the model's samples: at most SN_SAMPLE_LIMIT points of the soft surface. Needs the surface and the modes. */
#define SN_SAMPLE_LIMIT 512
sn_result sn_cook_context_add_samples(sn_cook_context *cook, sn_model *model);
/* Computes the rows of V at the model's samples. */
sn_result sn_cook_context_add_sample_rows(sn_cook_context *cook, sn_model *model);

/* Fills the model's clips, in model units. */
sn_result sn_cook_context_add_clips(sn_cook_context *cook, sn_model *model);

/* Fills the names and weights of the model's morph targets and expressions. Needs the clips. */
sn_result sn_cook_context_add_morphs(sn_cook_context *cook, sn_model *model);

/* Fills the model's spring bones, if the character's file has any. Needs the bones and `soft_bones`. */
sn_result sn_cook_context_add_springs(sn_cook_context *cook, sn_model *model);

/* Lists the character's visible triangles that are not rigid. triangles (count): their indices. */
sn_result sn_cook_context_list_soft_triangles(sn_cook_context *cook, int32_t **triangles, int *count);

sn_result sn_blob_copy(const uint8_t *bytes, size_t size, sn_blob *blob);

/* Copies to float; null if out of memory. */
float *sn_to_float(sn_arena *arena, const double *values, size_t count);

#endif
