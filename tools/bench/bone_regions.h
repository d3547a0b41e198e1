/* SPDX-License-Identifier: MIT */
/* Sorts the bones of a character into the parts that the goals of believable flesh treat differently. */
#ifndef SN_TOOLS_BENCH_BONE_REGIONS_H
#define SN_TOOLS_BENCH_BONE_REGIONS_H

#include "host/model/model.h"

typedef enum sn_bone_region {
    SN_REGION_BODY,
    SN_REGION_HAND,  /* with fingers */
    SN_REGION_FOOT,  /* with toes; hooves and paws */
    SN_REGION_HEAD,  /* with eyes and jaw */
    SN_REGION_LOOSE, /* ears, hair, tails, spring bones, and all bones below them */
    SN_REGION_COUNT
} sn_bone_region;

/* "body", "hand", "foot", "head", "loose". */
const char *sn_bone_region_name(sn_bone_region part);
/* The part of each bone, parts (bone_count), by the humanoid roles of the model and by the words of the bones' names.
 */
void sn_bone_regions_find(const sn_model *model, sn_bone_region *parts);
/* The bone with the largest weight: of each tet vertex (vertex_count), of each surface vertex (surface_vertex_count).
 */
void sn_dominant_bones_find(const sn_model *model, int32_t *of_vertex, int32_t *of_surface_vertex);

#endif
