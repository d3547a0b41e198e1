/* SPDX-License-Identifier: MIT */
/* The handles of a character as a user edits them, and what takes an edit back. At rest, in model units. */
#ifndef SN_RUNTIME_EDIT_HANDLES_H
#define SN_RUNTIME_EDIT_HANDLES_H

#include "sinew/author.h"

#define SN_EDIT_HANDLE_LIMIT 1024 /* as many as are cooked */
#define SN_EDIT_EDGE_LIMIT 2048
#define SN_EDIT_FACE_LIMIT 2048
#define SN_EDIT_CORNER_LIMIT 8192 /* of all faces */
#define SN_EDIT_NAME_SIZE 64

typedef struct sn_edit_handle {
    sn_handle_shape shape;
    char name[SN_EDIT_NAME_SIZE]; /* none twice: by it, a handle stays itself from one model to the next */
    int parent;                   /* of the handles, or -1 */
    double start[3], end[3];
    double radius; /* of a bone, see sn_cook_handle */
    bool is_stretched;
} sn_edit_handle;

/* Of cages: loops around flat bodies have edges, closed ones around solid bodies faces. */
typedef struct sn_edit_handles {
    int count;
    uint32_t edit; /* another number, other handles */
    sn_edit_handle items[SN_EDIT_HANDLE_LIMIT];
    int edge_count, face_count;
    int32_t edges[SN_EDIT_EDGE_LIMIT][2];
    int32_t face_starts[SN_EDIT_FACE_LIMIT + 1], corners[SN_EDIT_CORNER_LIMIT];
} sn_edit_handles;

/* Those that the model's bones are. SN_ERROR_UNSUPPORTED beyond the limits. */
sn_result sn_edit_handles_take(sn_edit_handles *handles, const sn_model *model);

/* That of one bone. */
sn_edit_handle sn_edit_handle_of(const sn_model *model, int bone);

/* Adds it under a name of its own; its number, or -1 beyond the limit. */
int sn_edit_handles_add(sn_edit_handles *handles, const sn_edit_handle *handle);
/* Those that it carried have no parent any more. A loop closes over the gap, and is none below three vertices; a closed
 * cage gets one face in place of those around the vertex, and is none where nothing is left inside. */
void sn_edit_handles_remove(sn_edit_handles *handles, int index);
/* -1: none */
int sn_edit_handles_find(const sn_edit_handles *handles, const char *name);

/* ---- cages: false, and nothing is done, where there is no room ---- */

/* A loop of the handles from `first` on. */
bool sn_edit_handles_close(sn_edit_handles *handles, int first, int count);
/* A new vertex on an edge of a loop, or in a face: `vertex` is its number. */
bool sn_edit_handles_split_edge(sn_edit_handles *handles, int edge, const sn_edit_handle *handle, int *vertex);
bool sn_edit_handles_split_face(sn_edit_handles *handles, int face, const sn_edit_handle *handle, int *vertex);
/* A closed cage of eight vertices. */
bool sn_edit_handles_add_box(sn_edit_handles *handles, const double low[3], const double high[3]);

/* What sn_cook_rig takes; points into the handles and itself. */
typedef struct sn_edit_cook {
    sn_cook_handle items[SN_EDIT_HANDLE_LIMIT];
    sn_cook_handles handles;
} sn_edit_cook;
void sn_edit_handles_cook(const sn_edit_handles *handles, sn_edit_cook *cook);

#endif
