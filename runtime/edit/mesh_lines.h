/* SPDX-License-Identifier: MIT */
/* The mesh that is simulated, as lines over the picture: of a solid body its boundary, of a flat one all triangles. */
#ifndef SN_RUNTIME_EDIT_MESH_LINES_H
#define SN_RUNTIME_EDIT_MESH_LINES_H

#include "host/model/model.h"
#include "runtime/edit/marks.h"

#define SN_MESH_LINES_REACH 0.004F /* of the diagonal: for the list, so that the skin does not hide its own lines */

/* Zero it, start it for a model; it serves all models of the same tets. */
typedef struct sn_mesh_lines {
    int vertex_count, edge_count;
    int32_t *edges;    /* (edge_count x 2) */
    double *positions; /* (vertex_count x 3), of the last update */
    int capacity;      /* of edges */
} sn_mesh_lines;

sn_result sn_mesh_lines_start(sn_mesh_lines *lines, const sn_model *model);
/* Also after a failure; accepts a zeroed one. */
void sn_mesh_lines_finish(sn_mesh_lines *lines);

/* Where the rig and the first `mode_count` modes take the mesh: transforms ((bone_count + mode_count) x 12). */
void sn_mesh_lines_rig(sn_mesh_lines *lines, const sn_model *model, const float *transforms, int mode_count);
/* Where physics has the flesh of a coupled body, as of its last step. */
void sn_mesh_lines_flesh(sn_mesh_lines *lines, sn_body_id body);
/* Marks of all edges, at lines->positions. */
void sn_mesh_lines_mark(const sn_mesh_lines *lines, sn_mark_list *list);

#endif
