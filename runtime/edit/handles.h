/* SPDX-License-Identifier: MIT */
/* A character's handles as edited by a user, and operations on them. Positions are at rest, in model units. */
#ifndef SN_RUNTIME_EDIT_HANDLES_H
#define SN_RUNTIME_EDIT_HANDLES_H

#include "sinew/author.h"

#define SN_EDIT_HANDLE_LIMIT 1024 /* equals the cook's limit */
#define SN_EDIT_EDGE_LIMIT 2048
#define SN_EDIT_FACE_LIMIT 2048
#define SN_EDIT_CORNER_LIMIT 8192 /* total over all faces */
#define SN_EDIT_NAME_SIZE 64

typedef struct sn_edit_handle {
    sn_handle_shape shape;
    char name[SN_EDIT_NAME_SIZE]; /* unique; identifies the handle across models */
    int parent;                   /* handle index, or -1 */
    double start[3], end[3];
    double radius; /* of a bone; see sn_cook_handle */
    bool is_stretchable;
} sn_edit_handle;

/* Cages: loops around flat bodies are stored as edges, closed cages around solid bodies as faces. */
typedef struct sn_edit_handles {
    int count;
    uint32_t edit; /* changes with every edit */
    sn_edit_handle items[SN_EDIT_HANDLE_LIMIT];
    int edge_count, face_count;
    int32_t edges[SN_EDIT_EDGE_LIMIT][2];
    int32_t face_starts[SN_EDIT_FACE_LIMIT + 1], corners[SN_EDIT_CORNER_LIMIT];
} sn_edit_handles;

/* Reads the handles of a model's bones. Errors: SN_ERROR_UNSUPPORTED (beyond the limits). */
sn_result sn_edit_handles_from_model(sn_edit_handles *handles, const sn_model *model);

/* The handle of one bone. */
sn_edit_handle sn_edit_handle_from_bone(const sn_model *model, int bone);

/* Adds a handle under a new unique name; returns its index, or -1 at the limit. */
int sn_edit_handles_add(sn_edit_handles *handles, const sn_edit_handle *handle);
/* Removes a handle. Its children become roots. A loop closes over the gap and is removed below three vertices. In a
 * closed cage the faces around the vertex are replaced by one; the cage is removed if it encloses nothing. */
void sn_edit_handles_remove(sn_edit_handles *handles, int index);
/* Index of a name; -1: none. */
int sn_edit_handles_find(const sn_edit_handles *handles, const char *name);

/* ---- cages: these return false and change nothing at the limits ---- */

/* Joins the `count` handles from `first` on to a loop. */
bool sn_edit_handles_close(sn_edit_handles *handles, int first, int count);
/* Adds a vertex on an edge of a loop, or in a face; *vertex is its index. */
bool sn_edit_handles_split_edge(sn_edit_handles *handles, int edge, const sn_edit_handle *handle, int *vertex);
bool sn_edit_handles_split_face(sn_edit_handles *handles, int face, const sn_edit_handle *handle, int *vertex);
/* Adds a closed box cage with eight vertices. */
bool sn_edit_handles_add_box(sn_edit_handles *handles, const double low[3], const double high[3]);

/* Input of sn_cook_rig; points into the handles and into itself. */
typedef struct sn_edit_cook {
    sn_cook_handle items[SN_EDIT_HANDLE_LIMIT];
    sn_cook_handles handles;
} sn_edit_cook;
void sn_edit_handles_to_cook(const sn_edit_handles *handles, sn_edit_cook *cook);

#endif
