/* SPDX-License-Identifier: MIT */
/* Constraints of one kind in batches of at most SN_BATCH that share no vertex: a vector takes a batch, or a part of it,
 * at once, and its order inside changes no bit. Batches are found locally, among neighbours in the list, so that one
 * batch after the other stays within the same few vertices: a sweep is a Gauss-Seidel sweep in the order of batches.
 * (By global colours a sweep would pass over all of memory once a colour.)
 *
 * Lanes are filled from the first; an absent one has the spare vertex, which weighs nothing, and zeros.
 *
 * Strips of constraints (strips.h) lie in as many batches, one after the other, in the same lane: the sweep then loads
 * and stores one corner a batch, and keeps the others. */
#ifndef SN_HOST_XPBD_BATCHES_H
#define SN_HOST_XPBD_BATCHES_H

#include "host/base/base.h"

#define SN_BATCH 16

typedef struct sn_xpbd_batches {
    int corner_count, value_count; /* of a constraint */
    int32_t spare;                 /* vertex of absent lanes */
    int batch_count, batch_capacity;
    int slot_count, slot_capacity; /* constraints that were ever added: their numbers */
    int32_t *corners;              /* (batch_capacity x corner_count x SN_BATCH) 4 times the vertex */
    float *values;                 /* (batch_capacity x value_count x SN_BATCH) */
    int32_t *fill;                 /* (batch_capacity) lanes that are taken */
    int32_t *joined;               /* (batch_capacity) every lane has the corners of the batch before, but this one;
                                      or -1 */
    int32_t *owners;               /* (batch_capacity x SN_BATCH) the constraint of a lane */
    int32_t *places;               /* (slot_capacity) SN_BATCH batch + lane; -1: removed */
} sn_xpbd_batches;

void sn_batches_init(sn_xpbd_batches *batches, int corner_count, int value_count, int32_t spare);
void sn_batches_finish(sn_xpbd_batches *batches);

/* Fills empty batches with constraints: vertices (count x corner_count), values (count x value_count). They are
 * numbered from 0, and taken in `order` (count), or, null, as they come. Every constraint has distinct vertices.
 * lengths (count): of the strip that begins there in the order, which is cut up where that packs better; null: there
 * are none. */
sn_result sn_batches_build(sn_xpbd_batches *batches, int count, const int32_t *vertices, const float *values,
                           const int32_t *order, int32_t *lengths);

/* Batch by batch, group by group: groups (count) of the constraints, ascending along the order; starts (group_count +
 * 1): the batches where each begins. There are no strips. */
sn_result sn_batches_build_groups(sn_xpbd_batches *batches, int count, const int32_t *vertices, const float *values,
                                  const int32_t *order, const int32_t *groups, int group_count, int32_t *starts);

/* The same constraints, numbers and order. */
sn_result sn_batches_copy(const sn_xpbd_batches *from, sn_xpbd_batches *batches);

/* One more, in the first batch with room that has none of its vertices, of the last SN_BATCH_SEARCH that have room. */
#define SN_BATCH_SEARCH 64
sn_result sn_batches_add(sn_xpbd_batches *batches, const int32_t *vertices, const float *values, int32_t *number);
/* The batch's last lane takes its place; nothing else moves. */
void sn_batches_remove(sn_xpbd_batches *batches, int32_t number);

/* vertices (corner_count) of a constraint; false where it was removed. */
bool sn_batches_vertices(const sn_xpbd_batches *batches, int32_t number, int32_t *vertices);

#endif
