/* SPDX-License-Identifier: MIT */
/* What a simulation added to the rig's own pose, frame by frame. */
#ifndef SN_TOOLS_SIM_MEASURE_H
#define SN_TOOLS_SIM_MEASURE_H

#include "host/contact/collider.h"
#include "host/model/model.h"

typedef struct sn_measure {
    double floor;              /* height, model units; -infinity: none. Set it after sn_measure_init */
    const sn_collider *solids; /* (solid_count), borrowed; set them after sn_measure_init, too */
    int solid_count;
    double edge_stretch_max; /* of a surface edge: its length over the longer of the rig's and the rest's */
    int inverted_frames; /* longest run of frames in which one tet is inverted that the rig leaves a tenth of its volume
                          */
    double ground_penetration_max; /* below the floor, beyond what the rig alone is, fraction of the diagonal */
    double solid_penetration_max;  /* the same, into solids */
    double rigid_drift_max;        /* of a vertex that no mode moves, from its bones' pose, fraction of the diagonal */
    double displacement_max;       /* of the surface, fraction of the diagonal */
    /* scratch */
    int32_t *inverted_runs; /* (tet_count) */
    double *rest_volumes;   /* (tet_count) six times the volume */
} sn_measure;

sn_result sn_measure_init(const sn_model *model, sn_arena *arena, sn_measure *measure);
/* positions and rig_positions, of the rig alone, are (vertex_count x 3) in model units: of the tets, of the surface. */
void sn_measure_tets(const sn_model *model, const double *positions, const double *rig_positions, sn_measure *measure);
/* The rig of a frame: bones (bone_count x 12), weights of morph targets (morph_count). */
typedef struct sn_measure_rig {
    const double *pose;
    const float *morphs;
} sn_measure_rig;
void sn_measure_surface(const sn_model *model, const double *positions, const double *rig_positions,
                        const sn_measure_rig *rig, sn_measure *measure);

#endif
