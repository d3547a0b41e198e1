/* SPDX-License-Identifier: MIT */
/* Anchored flesh: vertices near the bones, and those of rigid parts, move exactly with the rig; the rest is simulated
 * in force-dual modes, and each part's stiffness is set by the amplitude and frequency that the part should have. The
 * method of characters with a skeleton; see docs/design/anchored-flesh.md. */
#ifndef SN_AUTHOR_COOK_ANCHORED_ANCHORED_H
#define SN_AUTHOR_COOK_ANCHORED_ANCHORED_H

#include "author/cook/parts/parts.h"

/* Whether flesh will be anchored unless soft bones prevent it. Needs the results of the stage "read". */
bool sn_anchored_is_expected(const sn_cook_context *cook);

/* Sets cook->is_anchored by the desc, the sidecar and the kind of body. Errors: SN_ERROR_ARGUMENT if the method was
 * requested and the body has no skeleton. */
sn_result sn_anchored_choose_method(sn_cook_context *cook);

/* Finds the parts and the anchors: fills parts, is_pinned and report.pin_count, and sets the leak to 0. */
sn_result sn_anchored_find_anchors(sn_cook_context *cook);

/* Sets each part's stiffness by its frequency, in units of a diagonal of 1; fills part_factors, tet_stiffness, tet_lame
 * and report.young. */
sn_result sn_anchored_set_stiffness(sn_cook_context *cook);

/* Sets the parts' factors so that their frequencies become `targets` (parts->count), Hz. */
sn_result sn_anchored_match_frequencies(sn_cook_context *cook, const double *targets, int rounds);

/* Sets the strain limits, and the decay rates from the parts' settling times. */
sn_result sn_anchored_set_response(sn_cook_context *cook);

/* Computes force-dual modes. */
sn_result sn_anchored_compute_modes(sn_cook_context *cook);

/* What clusters are built from. */
typedef struct sn_cluster_source {
    sn_modes modes; /* whose weights are features of the clusters */
    const double *volumes;
    const int32_t *neighbours;
} sn_cluster_source;

/* Separates the core from the free flesh, and adds the rig's weights to the features. */
sn_result sn_anchored_prepare_clusters(sn_cook_context *cook, sn_cluster_source *source);

/* Makes one cluster of all that are core throughout: no coordinate strains them. */
sn_result sn_anchored_merge_core(sn_cook_context *cook);

/* Measures the parts' amplitudes in at most max_trials trial runs. After each, corrects the stiffness of the parts of
 * is_corrected (parts->count; null: all), until their amplitudes are the target amplitudes, or a limit of their
 * frequency, displacement or stretch is reached. Needs the reduced matrices and builds them anew. */
sn_result sn_anchored_correct_parts(sn_cook_context *cook, const bool *is_corrected, int max_trials);

/* Makes the amplitude of a part's skin, fraction of the height, decide its frequency, in place of its kind. */
void sn_anchored_set_target_amplitude(sn_flesh_part *part, double amplitude);

/* Corrects all parts in a cook, unless the user has set the stiffness. */
sn_result sn_anchored_tune(sn_cook_context *cook);

#endif
