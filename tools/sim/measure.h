/* SPDX-License-Identifier: MIT */
/* Metrics of the secondary motion relative to the rig's pose, accumulated over frames. */
#ifndef SN_TOOLS_SIM_MEASURE_H
#define SN_TOOLS_SIM_MEASURE_H

#include "host/contact/collider.h"
#include "host/model/model.h"

typedef struct sn_measure {
    double floor;              /* height in model units; -infinity: no floor. Set it after sn_measure_init */
    const sn_collider *solids; /* (solid_count), not owned; set them after sn_measure_init */
    int solid_count;
    double edge_stretch_max; /* maximum ratio of an edge length to the longer of its rig and rest lengths */
    int stretched_vertex;    /* a surface vertex of that edge */
    int inverted_frames; /* longest run of frames with one tet inverted; ignores tets that the rig compresses below 10%
                            of their volume */
    int inverted_frame_count;      /* frames with any such tet */
    double ground_penetration_max; /* depth below the floor minus that of the rig alone, fraction of the diagonal */
    double solid_penetration_max;  /* the same for obstacles */
    double rigid_drift_max;        /* distance of rigid vertices from their bones' pose, fraction of the diagonal */
    double displacement_max;       /* of the surface, fraction of the diagonal */
    /* scratch */
    int32_t *inverted_runs; /* (tet_count) */
    double *rest_volumes;   /* (tet_count) six times the rest volume */
} sn_measure;

sn_result sn_measure_init(const sn_model *model, sn_arena *arena, sn_measure *measure);
/* Updates the metrics of the tets or of the surface. positions and rig_positions (by the rig alone) are (vertex_count x
 * 3) in model units. */
void sn_measure_tets(const sn_model *model, const double *positions, const double *rig_positions, sn_measure *measure);
/* Rig state of a frame: bones (bone_count x 12) and morph weights (morph_count). */
typedef struct sn_measure_rig {
    const double *pose;
    const float *morphs;
} sn_measure_rig;
void sn_measure_surface(const sn_model *model, const double *positions, const double *rig_positions,
                        const sn_measure_rig *rig, sn_measure *measure);

#endif
