/* SPDX-License-Identifier: MIT */
/* Handle rigs (points, bones and cages) from a rig file, a sidecar or the API, and their weights. */
#ifndef SN_AUTHOR_COOK_HANDLES_HANDLES_H
#define SN_AUTHOR_COOK_HANDLES_HANDLES_H

#include "author/cook/cook_context.h"
#include "author/weights/cage.h"

/* Handles in the form that the weight solver takes, in model units. */
typedef struct sn_handle_lists {
    int count;
    sn_weight_handle *handles; /* (count) */
    const char **labels;       /* (count) */
    int32_t *edges;            /* (edge_count x 2) of cages that are loops */
    int edge_count;
} sn_handle_lists;

/* The body that handles deform. */
typedef struct sn_handle_body {
    const char *name, *body_name; /* of the handles and of the body, for messages */
    const sn_tet_mesh *mesh;
    const int32_t *boundary; /* (boundary_count x 3); of a flat body: all triangles */
    int boundary_count;
    bool (*is_cancelled)(void *user); /* or null */
    void *cancel_user;
} sn_handle_body;

/* Computes weights (vertex_count x lists.count). cages: closed cages, or null. Errors: SN_ERROR_ARGUMENT, with a
 * message that names the handle, if a handle affects no vertex or is rejected by sn_handle_pins_find or
 * sn_cage_inside_build; those of the solver. */
sn_result sn_handles_solve(const sn_handle_body *body, const sn_handle_lists *lists, const sn_cages *cages,
                           sn_arena *arena, double *weights);

/* "handles[3] 'tail'", for messages; null if out of memory. */
const char *sn_handle_label(sn_arena *arena, int handle, const char *name);

/* All faces of closed cages. */
typedef struct sn_handle_faces {
    int count;
    int32_t *starts, *corners; /* (count + 1), (starts[count]) handles */
} sn_handle_faces;
sn_result sn_input_handles_faces(const sn_cook_handles *handles, sn_arena *arena, sn_handle_faces *faces);

/* Checks handles from the public API. Errors: SN_ERROR_ARGUMENT for bad indices, non-finite numbers, cycles of parents,
 * open cages and self-intersecting loops. */
sn_result sn_input_handles_check(const sn_cook_handles *handles);
/* Converts positions to (x - origin) * scale. Without closed cages, `cages` has no triangles. */
sn_result sn_input_handles_list(const sn_input_handles *handles, const double *origin, double scale, sn_arena *arena,
                                sn_handle_lists *lists, sn_cages *cages);

typedef struct sn_handle_bones {
    const char **names;
    int32_t *parents;
    double *pivots; /* (count x 3), in the handles' units */
    bool *is_translated, *is_stretchable;
} sn_handle_bones;
sn_result sn_input_handles_bones(const sn_cook_handles *handles, sn_arena *arena, sn_handle_bones *bones);

/* Converts handles that were read from a file into those of the public API. */
sn_result sn_input_handles_from_file(const sn_rig_handles *file_handles, const char *name, sn_arena *arena,
                                     sn_input_handles *input);
/* Stores the handles' ends, edges and faces in the model, so that they can be edited. */
sn_result sn_handles_store(const sn_cook_handles *handles, const double *origin, double scale, sn_arena *arena,
                           sn_model *model);
/* Stores the ends of a skeleton's bones: each ends at the mean position of its children. */
sn_result sn_bones_store(sn_arena *arena, sn_model *model);

/* Replaces the bones by handles: those of the desc, of the rig file, or of the sidecar if the surface has no skeleton.
 * Rigid parts become soft. Does nothing if there are no handles. */
sn_result sn_handles_load(sn_cook_context *cook);

/* Fills rig_weights: from a file, or by bounded biharmonic weights over the tets; with cages, over the inside of the
 * cages. */
sn_result sn_handles_compute_weights(sn_cook_context *cook);

#endif
