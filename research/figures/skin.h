/* SPDX-License-Identifier: MIT */
/* What the figures of the analytic skin share: limbs whose true shapes are known, and surfaces of the data. */
#ifndef SN_RESEARCH_FIGURES_SKIN_H
#define SN_RESEARCH_FIGURES_SKIN_H

#include "author/bake/playback.h"
#include "research/figures/bending_arm.h"
#include "research/figures/figures.h"
#include "research/figures/pictures.h"

typedef enum sn_known_limb {
    SN_KNOWN_ELBOW,
    SN_KNOWN_KNEE,
    SN_KNOWN_WRIST,
    SN_KNOWN_CHEEK,
    SN_KNOWN_COUNT
} sn_known_limb;

extern const char *const sn_known_limb_names[SN_KNOWN_COUNT];

/* In place. */
void sn_known_limb_make(sn_known_limb limb, bending_arm *arm);
/* Where its skin truly is, at a time of 0 .. 1: (ARM_VERTICES x 3). */
void sn_known_limb_place(sn_known_limb limb, const bending_arm *arm, double time, double *places);

#define SN_KNOWN_SEGMENTS 4
#define SN_KNOWN_CHECKS 12

/* Its shapes at equal distances over so many seconds as keys, and between them, at quarters, as checks. */
typedef struct sn_known_limb_desc {
    sn_known_limb limb;
    int segment_count; /* 1 .. SN_KNOWN_SEGMENTS */
    double seconds;
    sn_fourier_material material;
    bool starts_at_rest;
} sn_known_limb_desc;

/* What comes of it; lives in the arena, and borrows the arm. */
typedef struct sn_known_limb_run {
    sn_shapes_desc shapes;
    sn_scene_file scene;
    sn_shapes_report report;
    sn_shape_errors worst; /* of all checks */
} sn_known_limb_run;

sn_result sn_known_limb_run_make(const sn_known_limb_desc *desc, const bending_arm *arm, sn_arena *arena,
                                 sn_known_limb_run *run);

/* A surface of the data, by its path there, with its file's vertices in their order; no vertices where there is none.
 */
sn_result sn_figure_surface(const sn_figures *figures, const char *path, sn_arena *arena, sn_tri_mesh *mesh);

/* Surfaces that are made into curves: the arm, and those of the data that are there. */
#define SN_FIGURE_SKIN_LIMIT 4
typedef struct sn_figure_skin {
    const char *name;
    sn_tri_mesh mesh;
    double yaw, pitch; /* of its pictures */
} sn_figure_skin;
sn_result sn_figure_skins(const sn_figures *figures, sn_arena *arena, sn_figure_skin *skins, int *count);

/* Drawn about the middle of its box, as large as the picture has room; lines and values as of sn_raster_desc. */
typedef struct sn_skin_picture {
    const sn_tri_mesh *mesh;
    double yaw, pitch;
    int width, height;
    const int32_t *groups;
    const double *values;
    double *lines; /* moved along */
    int line_count;
    const double *box; /* (2 x 3) in place of the mesh's own, or null */
} sn_skin_picture;
sn_result sn_skin_draw(const sn_skin_picture *desc, sn_arena *arena, sn_picture *picture);
void sn_skin_box(const double *positions, int vertex_count, double *box);

#endif
