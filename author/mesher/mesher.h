/* SPDX-License-Identifier: MIT */
/* Meshes a character's surface with tets: an uncut body-centered cubic lattice with virtual nodes. Accepts typical
 * avatar surfaces: open, self-intersecting, thin, made of many overlapping shells, cut along texture seams. Every
 * surface vertex lies in the tet that contains its own triangle. Parts that merely touch in the bind pose stay
 * separate, and parts that move together are connected. */
#ifndef SN_AUTHOR_MESHER_MESHER_H
#define SN_AUTHOR_MESHER_MESHER_H

#include "host/mesh/tet_mesh.h"

typedef struct sn_mesher_input {
    const char *name; /* for messages */
    int vertex_count, triangle_count;
    const double *positions;  /* (vertex_count x 3), bind pose */
    const int32_t *triangles; /* (triangle_count x 3) */
    /* skinning, used to measure how far patches move apart; bone_count 0: nothing moves */
    int bone_count;
    const int32_t *influence_starts;  /* (vertex_count + 1) */
    const int32_t *influence_bones;   /* (influence_starts[vertex_count]) */
    const double *influence_weights;  /* (influence_starts[vertex_count]); weights of a vertex sum to 1 */
    const int32_t *bone_parents;      /* (bone_count), -1: a root */
    const double *bone_origins;       /* (bone_count x 3) joints in the bind pose */
    int pose_count;                   /* number of poses of the file's own clips; may be 0 */
    const double *poses;              /* (pose_count x bone_count x 12) world transforms relative to bind, row-major */
    int target_vertex_count;          /* approximate vertex count of the tet mesh; 0: 10000 */
    int worker_count;                 /* threads, 0: one per processor; the result does not depend on it */
    bool (*is_cancelled)(void *user); /* or null */
    void *cancel_user;
} sn_mesher_input;

typedef struct sn_mesher_report {
    double cell_size;
    int component_count; /* face-connected; 1, except for triangle soups with unrelated bones, which cause a warning */
    int bridge_count;    /* bars of tets that connect separate components */
    int outside_count;   /* surface vertices outside their tet */
    double min_dihedral; /* degrees */
    int glued_count;     /* tets with patches that share no bone and whose path along surface and rig is over ten times
                            their distance */
    int torn_count;      /* tets with patches far apart on the surface that test poses separate by more than 3 cells */
    int stretch_count; /* tet mesh edges that the rig alone stretches to more than 3 times their length in test poses */
} sn_mesher_report;

typedef struct sn_mesher_output {
    sn_tet_mesh mesh;       /* a face has at most two tets */
    int32_t *vertex_tets;   /* (vertex_count) the tet that each surface vertex is embedded in; 0 for unused vertices */
    double *vertex_weights; /* (vertex_count x 4) barycentric coordinates in that tet; vertices with identical positions
                               and similar skinning weights have the same tet and weights */
    double *tet_fill;       /* (tet_count) fraction of the volume inside the surface, at least 0.05 */
    int32_t *node_triangles; /* (mesh.vertex_count) triangle of the nearest surface point in the node's own tets; -1: an
                                interior node */
    double *node_barycentric; /* (mesh.vertex_count x 3) barycentric coordinates of that point */
    sn_mesher_report report;
} sn_mesher_output;

/* Requires indices in range and finite coordinates and weights. Errors: SN_ERROR_FORMAT (no triangle has an area),
 * SN_ERROR_UNSUPPORTED (triangles overlap millions of tets even of a coarse lattice), SN_ERROR_MEMORY,
 * SN_ERROR_CANCELLED. Deterministic. */
sn_result sn_mesher_run(const sn_mesher_input *input, sn_arena *arena, sn_mesher_output *output);

#endif
