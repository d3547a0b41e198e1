/* SPDX-License-Identifier: MIT */
/* How deep the flesh lies between bone and skin, and cores without holes. Private to author/cook/parts. */
#ifndef SN_AUTHOR_COOK_PARTS_PART_DEPTH_H
#define SN_AUTHOR_COOK_PARTS_PART_DEPTH_H

#include "author/cook/parts/part_bones.h"
#include "author/cook/parts/parts.h"
#include "author/mesher/node_graph.h"

typedef struct sn_flesh_distances {
    double *bone, *skin; /* (mesh.vertex_count) */
    int32_t *bones;      /* (mesh.vertex_count) bone of the nearest segment, or the strongest bone */
} sn_flesh_distances;

sn_result sn_flesh_distances_measure(sn_cook_context *cook, const sn_flesh_skeleton *skeleton,
                                     sn_flesh_distances *distances);
/* Fills parts->depth. is_hanging (part_count): the part is attached where it touches other parts, not to bones. */
sn_result sn_flesh_depth_fill(sn_cook_context *cook, const sn_flesh_skeleton *skeleton, const bool *is_hanging,
                              const sn_flesh_distances *distances, sn_flesh_parts *parts);

#endif
