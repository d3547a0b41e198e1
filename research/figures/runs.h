/* SPDX-License-Identifier: MIT */
/* Models of one body with more or fewer modes and clusters, and how they move beside the full space. */
#ifndef SN_RESEARCH_FIGURES_RUNS_H
#define SN_RESEARCH_FIGURES_RUNS_H

#include "author/cook/cook.h"
#include "author/fullspace/fullspace.h"
#include "host/reduced/reduced.h"
#include "research/figures/bodies.h"

/* A handle's pose (12) after `frame` steps of h: a swing from rest. */
void sn_run_pose(int frame, double time_step, double *pose);

/* The most modes and clusters: what variants are cut from. The cooking borrows desc and mesh. */
typedef struct sn_run_base {
    sn_cook_desc desc;
    sn_cook_context cooking;
} sn_run_base;
sn_result sn_run_cook(const sn_tet_mesh *mesh, int mode_count, int cluster_count, sn_run_base *base);

/* A model of the base's first `mode_count` modes, with clusters of `wanted` (0: the base's). Release the model, then
 * finish the variant. */
typedef struct sn_variant {
    sn_cook_context cooking;
    sn_model *model;
} sn_variant;
sn_result sn_variant_make(const sn_run_base *base, int mode_count, int wanted, sn_variant *variant);
void sn_variant_finish(sn_variant *variant);

/* What a run leaves: displacements of frames 1 .. frame_count, through the model's first clip, from rest in its first
 * pose; of one handle, through the swing. */
typedef struct sn_run {
    int frame_count, vertex_count;
    double *displacements; /* (frame_count x vertex_count x 3) */
    double milliseconds;   /* of a step, median */
    double iterations;     /* of a step, mean */
} sn_run;

typedef struct sn_run_desc {
    int frame_count;
    double time_step, tolerance;
    int iteration_limit;
} sn_run_desc;

sn_result sn_run_full(const sn_model *model, const sn_run_desc *desc, sn_arena *arena, sn_run *run);
sn_result sn_run_reduced(const sn_model *model, const sn_run_desc *desc, sn_arena *arena, sn_run *run);

/* Difference of the runs up to a frame in the mass, relative to the second's size. */
double sn_run_error(const sn_model *model, const sn_run *run, const sn_run *reference, int frame_count);

#endif
