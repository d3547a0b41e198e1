/* SPDX-License-Identifier: MIT */
/* What a simulation added to the rig's own pose, frame by frame. */
#ifndef SN_TOOLS_MEASURE_H
#define SN_TOOLS_MEASURE_H

#include "host/model/model.h"

typedef struct sn_measure {
    double edge_stretch_max;       /* of a surface edge: its length over the rig's */
    int inverted_frames;           /* longest run of frames in which one tet is inverted that the rig does not invert */
    double ground_penetration_max; /* below the rig's lowest point, fraction of the diagonal */
    double rigid_drift_max;        /* of rigid parts; this version has none */
    double displacement_max;       /* fraction of the diagonal */
    /* scratch */
    int32_t *inverted_runs; /* (tet_count) */
} sn_measure;

sn_result sn_measure_init(const sn_model *model, sn_arena *arena, sn_measure *measure);
/* positions and rig_positions are (vertex_count x 3), model units. */
void sn_measure_frame(const sn_model *model, const double *positions, const double *rig_positions, sn_measure *measure);

#endif
