/* SPDX-License-Identifier: MIT */
/* Characters in the plane whose handles a script drives: by two-way coupling, by as-rigid-as-possible deformation, by
 * FAST. */
#ifndef SN_RESEARCH_FIGURES_TWO_WAY_H
#define SN_RESEARCH_FIGURES_TWO_WAY_H

#include "host/coupled/coupled.h"
#include "research/figures/figures.h"
#include "research/figures/flat_bodies.h"

/* What a script moves: the handle's transform relative to rest (12), of which the locks take their part. */
typedef struct sn_drive {
    int handle;
    unsigned locks;
    void (*move)(double seconds, const double *pivot, double *transform);
} sn_drive;

typedef struct sn_drive_desc {
    const sn_drive *drives; /* (drive_count) handles without repeats */
    int drive_count;
    int frame_count; /* of 1/60 s */
    /* of two-way coupling alone */
    double young, poisson; /* in the plane; density 1, about one unit wide */
    double damping;        /* 1/s */
    double compliance;     /* of the complementary constraint */
    double gravity;        /* downwards */
    bool has_floor;
    double floor; /* y */
} sn_drive_desc;

/* Young's modulus 1000, Poisson's ratio .4, damping 1.5/s, compliance 3e-4 s^2, no weight. */
sn_drive_desc sn_default_drive_desc(const sn_drive *drives, int drive_count, int frame_count);

typedef enum sn_deformer { SN_DEFORM_ARAP, SN_DEFORM_FAST, SN_DEFORM_COUPLED, SN_DEFORMER_COUNT } sn_deformer;

/* Frames 0 (at rest) and on. */
typedef struct sn_drive_run {
    int frame_count, vertex_count, handle_count;
    double *positions; /* (frame_count + 1 x vertex_count x 3) of what is shown */
    double *handles;   /* (frame_count + 1 x handle_count x 3) where they are; of ARAP, their nearest vertices */
} sn_drive_run;

sn_result sn_drive_run_make(const sn_flat_subject *subject, const sn_drive_desc *desc, sn_deformer deformer,
                            sn_arena *arena, sn_drive_run *run);

/* Triangles of a frame that are turned over. */
int sn_drive_inverted(const sn_flat_subject *subject, const double *positions);
/* A frame as a picture, its driven handles filled. scratch lives as long as the shape. */
sn_result sn_drive_draw(const sn_flat_subject *subject, const sn_drive_desc *desc, const sn_drive_run *run, int frame,
                        const char *caption, sn_arena *scratch, sn_drawn_shape *shape);

#endif
