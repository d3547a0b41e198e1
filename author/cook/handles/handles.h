/* SPDX-License-Identifier: MIT */
/* Rigs of handles: points, bones and cages, of a rig file or a sidecar, and their weights. */
#ifndef SN_AUTHOR_COOK_HANDLES_HANDLES_H
#define SN_AUTHOR_COOK_HANDLES_HANDLES_H

#include "author/cook/cooking.h"
#include "author/weights/cage.h"

/* Handles as the solver takes them, in model units. */
typedef struct sn_handle_lists {
    int count;
    sn_weight_handle *handles; /* (count) */
    const char **labels;       /* (count) */
    int32_t *edges;            /* (edge_count x 2) of cages that are loops */
    int edge_count;
} sn_handle_lists;

/* What handles are on. */
typedef struct sn_handle_body {
    const char *name, *body_name; /* of the handles and of the body, for messages */
    const sn_tet_mesh *mesh;
    const int32_t *boundary; /* (boundary_count x 3) of a flat body: all of it */
    int boundary_count;
    bool (*is_cancelled)(void *user); /* or null */
    void *cancel_user;
} sn_handle_body;

/* weights (vertex_count x lists.count). cages: closed ones, or null. Errors: SN_ERROR_ARGUMENT (a line that names the
 * handle: no vertex feels it, or what sn_handle_pins_find and sn_cage_inside_build say), those of the solver. */
sn_result sn_handles_solve(const sn_handle_body *body, const sn_handle_lists *lists, const sn_cages *cages,
                           sn_arena *arena, double *weights);

/* "handles[3] 'tail'", for messages; null when memory is out. */
const char *sn_handle_label(sn_arena *arena, int handle, const char *name);

/* All faces of closed cages. */
typedef struct sn_handle_faces {
    int count;
    int32_t *starts, *corners; /* (count + 1), (starts[count]) handles */
} sn_handle_faces;
sn_result sn_given_handles_faces(const sn_cook_handles *handles, sn_arena *arena, sn_handle_faces *faces);

/* Those of the public API: SN_ERROR_ARGUMENT for indices, numbers, cycles, open cages and loops that cross themselves.
 */
sn_result sn_given_handles_check(const sn_cook_handles *handles);
/* (x - origin) * scale of each. Without closed cages these have no triangle. */
sn_result sn_given_handles_list(const sn_given_handles *handles, const double *origin, double scale, sn_arena *arena,
                                sn_handle_lists *lists, sn_cages *cages);

typedef struct sn_handle_bones {
    const char **names;
    int32_t *parents;
    double *pivots; /* (count x 3), in the handles' units */
    bool *is_translated, *is_stretched;
} sn_handle_bones;
sn_result sn_given_handles_bones(const sn_cook_handles *handles, sn_arena *arena, sn_handle_bones *bones);

/* Handles that were read from a file, as the public API has them. */
sn_result sn_given_handles_of(const sn_rig_handles *read, const char *name, sn_arena *arena, sn_given_handles *given);
/* What a model keeps of its handles, so that they can be edited: ends, edges and faces. */
sn_result sn_handles_keep(const sn_cook_handles *handles, const double *origin, double scale, sn_arena *arena,
                          sn_model *model);
/* The same of a skeleton, whose bones end where those that they carry begin, on average. */
sn_result sn_bones_keep(sn_arena *arena, sn_model *model);

/* The desc's handles, the rig's of the sidecar of a surface without a skeleton, become the bones; no part of the
 * character stays rigid. Nothing happens where neither has any. */
sn_result sn_handles_take(sn_cooking *cooking);

/* Fills rig_weights: the file's, or bounded biharmonic ones over the tets, or, in cages, over what is inside of these.
 */
sn_result sn_handles_weigh(sn_cooking *cooking);

#endif
