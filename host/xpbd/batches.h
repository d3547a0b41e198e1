/* SPDX-License-Identifier: MIT */
/* Constraints of one type in batches of at most SN_BATCH that share no vertex. A vector processes a batch, or a part of
 * it, at once; the order inside a batch changes no bit. Batches are built locally, from neighbours in the list, so that
 * consecutive batches access the same few vertices, and a sweep is a Gauss-Seidel sweep in batch order. With global
 * colours, a sweep would pass over all of memory once per colour.
 *
 * Lanes are filled from the first. An unused lane has the spare vertex, whose inverse mass is 0, and zero values.
 *
 * Strips of constraints (strips.h) lie in consecutive batches, in the same lane. The sweep then loads and stores one
 * corner per batch and keeps the others in registers. */
#ifndef SN_HOST_XPBD_BATCHES_H
#define SN_HOST_XPBD_BATCHES_H

#include "host/base/base.h"

#define SN_BATCH 16

typedef struct sn_xpbd_batches {
    int corner_count, value_count; /* per constraint */
    int32_t spare;                 /* vertex of unused lanes */
    int batch_count, batch_capacity;
    int slot_count, slot_capacity; /* constraints ever added; their index is their number */
    int32_t *corners;              /* (batch_capacity x corner_count x SN_BATCH) 4 times the vertex index */
    float *values;                 /* (batch_capacity x value_count x SN_BATCH) */
    int32_t *fill;                 /* (batch_capacity) used lanes */
    int32_t *changed_corners; /* (batch_capacity) the only corner that differs from the batch before; -1: unrelated */
    int32_t *owners;          /* (batch_capacity x SN_BATCH) constraint in a lane */
    int32_t *slots;           /* (slot_capacity) SN_BATCH batch + lane; -1: removed */
} sn_xpbd_batches;

void sn_batches_init(sn_xpbd_batches *batches, int corner_count, int value_count, int32_t spare);
void sn_batches_finish(sn_xpbd_batches *batches);

/* Fills empty batches with constraints: vertices (count x corner_count), values (count x value_count). Constraints are
 * numbered from 0 and processed in `order` (count; null: as numbered). The vertices of a constraint must be distinct.
 * lengths (count): length of the strip that starts at this position of the order; it is changed where cutting a strip
 * packs better; null: no strips. */
sn_result sn_batches_build(sn_xpbd_batches *batches, int count, const int32_t *vertices, const float *values,
                           const int32_t *order, int32_t *lengths);

/* Builds batches group by group. groups (count) of the constraints, ascending along the order; starts (group_count +
 * 1): first batch of each group. Without strips. */
sn_result sn_batches_build_groups(sn_xpbd_batches *batches, int count, const int32_t *vertices, const float *values,
                                  const int32_t *order, const int32_t *groups, int group_count, int32_t *starts);

/* Copies the constraints with their numbers and order. */
sn_result sn_batches_copy(const sn_xpbd_batches *from, sn_xpbd_batches *batches);

/* Adds a constraint to the first free batch that contains none of its vertices, among the last SN_BATCH_SEARCH free
 * ones. */
#define SN_BATCH_SEARCH 64
sn_result sn_batches_add(sn_xpbd_batches *batches, const int32_t *vertices, const float *values, int32_t *number);
/* Moves the batch's last lane into the removed lane; nothing else moves. */
void sn_batches_remove(sn_xpbd_batches *batches, int32_t number);

/* Reads the vertices (corner_count) of a constraint; false if it was removed. */
bool sn_batches_vertices(const sn_xpbd_batches *batches, int32_t number, int32_t *vertices);

#endif
