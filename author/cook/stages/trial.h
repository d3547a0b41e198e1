/* SPDX-License-Identifier: MIT */
/* A cooked model tried out on its own motions, to judge what was chosen for it. */
#ifndef SN_AUTHOR_COOK_STAGES_TRIAL_H
#define SN_AUTHOR_COOK_STAGES_TRIAL_H

#include "host/model/model.h"

typedef struct sn_trial_report {
    double moved; /* what all but a fiftieth of the skin stays below, fraction of the diagonal: in most motions */
    double displacement; /* the largest of a vertex in any motion */
    double stretch;      /* of an edge of the tets' boundary: over the longer of the rig's and the rest's */
    int worst_mode;      /* the one that does most of it */
    double frequency;    /* hertz, of what moved: Rayleigh's quotient of the coordinates, over all motions */
} sn_trial_report;

/* The same of a part of the skin. */
typedef struct sn_trial_part {
    double moved, displacement, stretch;
} sn_trial_part;

/* Parts that are looked at beside the whole, and what is seen of them. */
typedef struct sn_trial_parts {
    int count;
    const int32_t *of_vertex; /* (the model's vertex_count) -1: of none. An edge is of the parts of both ends */
    const bool *is_turned;    /* (bone_count) what turns to and fro, as a head does, after a hop; null: nothing */
    sn_trial_part *found;     /* (count) of the last run */
} sn_trial_parts;

typedef struct sn_trial sn_trial;

/* The model needs its tets, modes, reduced matrices and clips; no surface. It must outlive the trial. */
sn_result sn_trial_create(const sn_model *model, sn_arena *arena, sn_trial **trial);

/* Has runs look at parts, too, which must outlive the trial. */
sn_result sn_trial_watch(sn_trial *trial, const sn_trial_parts *parts, sn_arena *arena);

/* Steps the body over the model's clips (some hundred steps of them, spread evenly), or, without clips or with clips
 * that move nothing, while it hops, at a multiple of the model's stiffness. */
sn_result sn_trial_run(sn_trial *trial, double stiffness, sn_trial_report *report);

#endif
