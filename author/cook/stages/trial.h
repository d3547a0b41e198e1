/* SPDX-License-Identifier: MIT */
/* Test simulation of a cooked model with its own motions, to measure the effect of its stiffness and modes. */
#ifndef SN_AUTHOR_COOK_STAGES_TRIAL_H
#define SN_AUTHOR_COOK_STAGES_TRIAL_H

#include "host/model/model.h"

typedef struct sn_trial_report {
    double moved; /* displacement that all but 2% of the skin stays below in most motions, fraction of the diagonal */
    double displacement; /* largest displacement of a vertex in any motion, fraction of the diagonal */
    double stretch;   /* largest edge length of the tets' boundary, over the longer of the rig's and the rest length */
    int worst_mode;   /* the mode that contributes most to that stretch */
    double frequency; /* Hz: Rayleigh quotient of the coordinates over all motions */
} sn_trial_report;

/* The same for a part of the skin. */
typedef struct sn_trial_part {
    double moved, displacement, stretch;
} sn_trial_part;

/* Parts that are measured in addition to the whole, and their results. */
typedef struct sn_trial_parts {
    int count;
    const int32_t *of_vertex; /* (the model's vertex_count) -1: none. An edge belongs to the parts of both ends */
    const bool *is_rotated;   /* (bone_count) bones that are rotated to and fro, like a head, after a hop; null: none */
    int clip;                 /* the clip whose displacements are the parts' levels; -1: all motions */
    bool has_root_motions;  /* the body also jumps and shakes, which adds to displacement and stretch, not to the levels
                             */
    double tip_fraction;    /* fraction of a part's skin whose larger displacements do not count; 0: 2% */
    double counted_motions; /* fraction of the motions that count; 0: 75% */
    sn_trial_part *measured; /* (count) results of the last run */
} sn_trial_parts;

typedef struct sn_trial sn_trial;

/* The model needs tets, modes, reduced matrices and clips, but no surface. It must outlive the trial. worker_count:
 * threads, 0: one per processor; results do not depend on it. */
sn_result sn_trial_create(const sn_model *model, int worker_count, sn_arena *arena, sn_trial **trial);

/* Makes runs measure parts as well. `parts` must outlive the trial. */
sn_result sn_trial_set_parts(sn_trial *trial, const sn_trial_parts *parts, sn_arena *arena);

/* Steps the body over at most 900 steps of the model's clips, spread evenly, at a multiple of the model's stiffness.
 * With root motions, 360 steps beside them. Without clips, or if they move nothing, the body hops. */
sn_result sn_trial_run(sn_trial *trial, double stiffness, sn_trial_report *report);

#endif
