/* SPDX-License-Identifier: MIT */
/* Objects on the drawn surface: metal, cloth, hair, straps, hard pieces. Private to author/cook/parts. */
#ifndef SN_AUTHOR_COOK_PARTS_PART_SURFACE_H
#define SN_AUTHOR_COOK_PARTS_PART_SURFACE_H

#include "author/cook/parts/part_bones.h"

typedef struct sn_flesh_object {
    const char *name; /* of the mesh, its node, or its material */
    sn_flesh_kind kind;
    const char *reason;
    const sn_named_part *setting; /* of the sidecar, or null */
} sn_flesh_object;

typedef struct sn_flesh_objects {
    int count;
    sn_flesh_object *list;
    int32_t *of_vertex; /* (mesh.vertex_count) index in `list`, or -1: skin */
} sn_flesh_objects;

sn_result sn_flesh_objects_find(sn_cook_context *cook, const sn_flesh_skeleton *skeleton, sn_flesh_objects *objects);

/* The sidecar's entry with this name, or null. */
const sn_named_part *sn_flesh_setting_find(const sn_cook_context *cook, const char *name);
/* The same for a bone, a mesh or a material; null for the name of a kind of part, which has precedence: "chest" is the
 * part of the torso, not the flesh of the bone with this name. */
const sn_named_part *sn_flesh_setting_of(const sn_cook_context *cook, const char *name);
/* The kind that an entry requests, or `kind` if it requests none. "rigid" is SN_FLESH_HARD. */
sn_flesh_kind sn_flesh_setting_kind(const sn_named_part *setting, sn_flesh_kind kind);

#endif
