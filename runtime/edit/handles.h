/* SPDX-License-Identifier: MIT */
/* The handles of a character as a user edits them, and what takes an edit back. At rest, in model units. */
#ifndef SN_RUNTIME_EDIT_HANDLES_H
#define SN_RUNTIME_EDIT_HANDLES_H

#include "sinew/author.h"

#define SN_EDIT_HANDLE_LIMIT 256
#define SN_EDIT_NAME_SIZE 64

typedef struct sn_edit_handle {
    sn_handle_shape shape;
    char name[SN_EDIT_NAME_SIZE]; /* none twice: by it, a handle stays itself from one model to the next */
    int parent;                   /* of the handles, or -1 */
    int cage;                     /* loop that a cage's vertex is of, in the order of the handles; -1: of none */
    double start[3], end[3];
    bool is_stretched;
} sn_edit_handle;

typedef struct sn_edit_handles {
    int count, loop_count; /* loops that there ever were */
    uint32_t edit;         /* another number, other handles */
    sn_edit_handle items[SN_EDIT_HANDLE_LIMIT];
} sn_edit_handles;

/* Those that the model's bones are: vertices of cages, points, and, where a bone carries others, bones to their middle.
 * SN_ERROR_UNSUPPORTED beyond the limit. */
sn_result sn_edit_handles_take(sn_edit_handles *handles, const sn_model *model);

/* That of one bone. */
sn_edit_handle sn_edit_handle_of(const sn_model *model, int bone);

/* Adds it under a name of its own; its number, or -1 beyond the limit. */
int sn_edit_handles_add(sn_edit_handles *handles, const sn_edit_handle *handle);
/* Those that it carried have no parent any more; a loop closes over the gap, and is none below three vertices. */
void sn_edit_handles_remove(sn_edit_handles *handles, int index);
/* -1: none */
int sn_edit_handles_find(const sn_edit_handles *handles, const char *name);

/* What sn_cook_rig takes; points into the handles and itself. */
typedef struct sn_edit_cook {
    sn_cook_handle items[SN_EDIT_HANDLE_LIMIT];
    int32_t edges[2 * SN_EDIT_HANDLE_LIMIT];
    sn_cook_handles handles;
} sn_edit_cook;
void sn_edit_handles_cook(const sn_edit_handles *handles, sn_edit_cook *cook);

/* The next vertex of a loop, itself where it is of none. */
int sn_edit_handles_next(const sn_edit_handles *handles, int index);

#endif
