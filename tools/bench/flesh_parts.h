/* SPDX-License-Identifier: MIT */
/* Sorts the bones of a character into the parts that the goals of believable flesh treat differently. */
#ifndef SN_TOOLS_BENCH_FLESH_PARTS_H
#define SN_TOOLS_BENCH_FLESH_PARTS_H

#include "host/model/model.h"

typedef enum sn_flesh_part {
    SN_FLESH_BODY,
    SN_FLESH_HAND,  /* with fingers */
    SN_FLESH_FOOT,  /* with toes; hooves and paws */
    SN_FLESH_HEAD,  /* with eyes and jaw */
    SN_FLESH_LOOSE, /* ears, hair, tails, spring bones, and all bones below them */
    SN_FLESH_PART_COUNT
} sn_flesh_part;

/* "body", "hand", "foot", "head", "loose". */
const char *sn_flesh_part_name(sn_flesh_part part);
/* The part of each bone, parts (bone_count), by the humanoid roles of the model and by the words of the bones' names.
 */
void sn_flesh_parts_find(const sn_model *model, sn_flesh_part *parts);
/* The bone with the largest weight: of each tet vertex (vertex_count), of each surface vertex (surface_vertex_count).
 */
void sn_flesh_dominant_bones(const sn_model *model, int32_t *of_vertex, int32_t *of_surface_vertex);

#endif
