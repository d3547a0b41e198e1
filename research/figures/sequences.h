/* SPDX-License-Identifier: MIT */
/* The set-ups of the spacetime paper's table 1: keys, masks and materials as the paper has them, on its own meshes
 * where they are formulas, else on stand-ins with about as many vertices. */
#ifndef SN_RESEARCH_FIGURES_SEQUENCES_H
#define SN_RESEARCH_FIGURES_SEQUENCES_H

#include "author/spacetime/blendshapes.h"
#include "research/figures/figures.h"
#include "research/figures/pictures.h"

typedef enum sn_sequence_kind {
    SN_SEQUENCE_STRETCH,
    SN_SEQUENCE_TWIST,
    SN_SEQUENCE_DINO,
    SN_SEQUENCE_CHEB,
    SN_SEQUENCE_ARMADILLO,
    SN_SEQUENCE_BALL,
    SN_SEQUENCE_SPOT,
    SN_SEQUENCE_COUNT,
    SN_SEQUENCE_HOPS = SN_SEQUENCE_COUNT /* of Cheburashka at rest: a high one and a low one; not in the table */
} sn_sequence_kind;

/* What the paper's tables 1 and 2 say; NAN where it fails to converge. */
typedef struct sn_sequence_paper {
    const char *name;
    int vertices, tets, keys, samples;
    double precompute, plain_iterations, iteration, iterations, timing; /* seconds; plain: without regularisation */
    double full_frame_megabytes, megabytes;
} sn_sequence_paper;

extern const sn_sequence_paper sn_sequence_papers[SN_SEQUENCE_COUNT];

typedef struct sn_sequence {
    const char *says; /* what it is of */
    sn_tet_mesh mesh;
    sn_spacetime_input input;
    sn_spacetime_desc desc;
    sn_spacetime_surface *surface;
    sn_scene_file *source; /* or null */
} sn_sequence;

/* Everything lives in the arena, and in the sequence, which does not move. */
sn_result sn_sequence_build(const sn_figures *figures, sn_sequence_kind kind, sn_arena *arena, sn_sequence *sequence);

/* As its desc says. */
sn_result sn_sequence_run(const sn_sequence *sequence, sn_arena *arena, sn_spacetime_motion *motion,
                          sn_spacetime_report *report);
/* Another whose keys are what the motion has; it borrows the first's mesh and the motion. */
sn_result sn_sequence_go_on(const sn_sequence *from, const sn_spacetime_motion *motion, sn_arena *arena,
                            sn_sequence *sequence);

/* The sum of the durations. */
double sn_sequence_seconds(const sn_spacetime_motion *motion);
/* Of the mesh with its vertices at positions (vertex_count x 3), over that at rest. */
double sn_sequence_volume(const sn_sequence *sequence, double *positions);

/* What is seen: `centre` in the middle, `radius` upwards. */
typedef struct sn_sequence_view {
    double centre[3], radius, yaw, pitch;
    int width, height;
    bool is_volume_shown; /* white: that at rest; blue: half of it; orange: one and a half */
    bool has_ground;      /* at height 0, drawn for a view from the side: yaw and pitch 0 */
} sn_sequence_view;

/* Its surface with the mesh's vertices at `positions`, `count` times (vertex_count x 3) in one picture, from blue to
 * orange where that is more than once. */
sn_result sn_sequence_draw(const sn_sequence *sequence, const sn_sequence_view *view, const double *const *positions,
                           int count, sn_arena *arena, sn_picture *picture);

#endif
