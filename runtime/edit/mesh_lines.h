/* SPDX-License-Identifier: MIT */
/* Draws the simulation mesh as lines: the boundary of a solid body, all triangles of a flat one. */
#ifndef SN_RUNTIME_EDIT_MESH_LINES_H
#define SN_RUNTIME_EDIT_MESH_LINES_H

#include "host/model/model.h"
#include "runtime/edit/markers.h"

#define SN_MESH_LINES_VISIBLE_DEPTH                                                                                    \
    0.004F /* fraction of the diagonal, for sn_marker_list: prevents the skin from hiding its own lines */

/* Zero it, then start it for a model; valid for all models of the same tets. */
typedef struct sn_mesh_lines {
    int vertex_count, edge_count;
    int32_t *edges;    /* (edge_count x 2) */
    double *positions; /* (vertex_count x 3) of the last update */
    int capacity;      /* of edges */
} sn_mesh_lines;

sn_result sn_mesh_lines_start(sn_mesh_lines *lines, const sn_model *model);
/* Safe after a failed start; accepts a zeroed struct. */
void sn_mesh_lines_finish(sn_mesh_lines *lines);

/* Deforms the mesh by the rig and the first `mode_count` modes: transforms ((bone_count + mode_count) x 12). */
void sn_mesh_lines_set_rig(sn_mesh_lines *lines, const sn_model *model, const float *transforms, int mode_count);
/* Reads the flesh positions of a coupled body after its last step. */
void sn_mesh_lines_set_flesh(sn_mesh_lines *lines, sn_body_id body);
/* Adds markers of all edges. */
void sn_mesh_lines_add_markers(const sn_mesh_lines *lines, sn_marker_list *list);
/* Adds markers of the edges within a part of the flesh; of_vertex (vertex_count): the part of each vertex. */
void sn_mesh_lines_add_part_markers(const sn_mesh_lines *lines, const int32_t *of_vertex, int part,
                                    sn_marker_list *list);

#endif
