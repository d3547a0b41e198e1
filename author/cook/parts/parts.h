/* SPDX-License-Identifier: MIT */
/* Divides the flesh of a character with a skeleton into anatomical parts (belly, thighs, ears, armour), each with the
 * motion that suits it, and measures how deep each tet vertex lies between bone and skin.
 *
 * A vertex belongs to the part of the bones that move it most, unless the drawn surface there says otherwise: metal,
 * cloth, hair, a strap, or a hard accessory. What a bone is follows from the humanoid bones of the file, from its name
 * (part_table.c has words of several languages), and from its position in the skeleton. The torso is divided by
 * position into belly, chest, back and buttocks. Bones of which nothing is known get one part per chain. */
#ifndef SN_AUTHOR_COOK_PARTS_PARTS_H
#define SN_AUTHOR_COOK_PARTS_PARTS_H

#include "author/cook/cook_context.h"
#include "author/cook/parts/part_table.h"

typedef struct sn_flesh_part {
    const char *name; /* unique: "belly", or the name of a bone, mesh or material */
    sn_flesh_kind kind;
    bool is_rigid;           /* moves with the rig only; all of its vertices are core */
    const char *reason;      /* "role", "name", "shape", "position", "metal", "piece", "spring bone", "sidecar", ... */
    double amplitude;        /* target displacement in a walk, fraction of the character's height */
    double target_amplitude; /* that the stiffness was tuned to; amplitude is then the measured one */
    double thickness;        /* model units; twice the 90th percentile of the distance from skin to bone */
    double min_frequency, max_frequency; /* Hz */
    double max_amplitude;                /* largest displacement in any motion, fraction of the height */
    double frequency;                    /* Hz; the sidecar's, or 0: not known yet */
    bool has_user_frequency;             /* the sidecar has set `frequency` */
    bool has_user_amplitude;             /* the sidecar has set `amplitude`; it decides the frequency, in any range */
    double settling_time;                /* s, to 2% */
    double core_depth;                   /* vertices with a smaller depth are fixed to the bones; 1 or more: all */
    int vertex_count;                    /* of the tet mesh; 0: a rigid piece of the surface outside of the tets */
    double mass;                         /* in the unit of the context's mass */
} sn_flesh_part;

struct sn_flesh_parts {
    int count;
    sn_flesh_part *list;
    int32_t *of_vertex; /* (mesh.vertex_count) index in `list` */
    double *depth;      /* (mesh.vertex_count) distance to the bones over distance to bones plus skin: 0 on a bone, 1 on
                           the skin. Set to 0 where it would leave a core with holes */
};

/* Needs the results of the stages up to "weights". All memory is in the cook's arena. Deterministic. Errors:
 * SN_ERROR_ARGUMENT if the sidecar's "parts" has an unknown kind; SN_ERROR_MEMORY. */
sn_result sn_flesh_parts_find(sn_cook_context *cook, sn_flesh_parts *parts);

/* Whether the vertex is fixed to the bones. */
static inline bool sn_flesh_is_core(const sn_flesh_parts *parts, int vertex)
{
    const sn_flesh_part *part = &parts->list[parts->of_vertex[vertex]];
    return part->is_rigid || parts->depth[vertex] < part->core_depth;
}

/* Stores the parts of tuned flesh in a model. */
sn_result sn_flesh_parts_store(const sn_flesh_parts *parts, sn_arena *arena, sn_model *model);
/* Restores what the model has of its parts; depths are not stored. */
sn_result sn_flesh_parts_restore(const sn_model *model, sn_arena *arena, sn_flesh_parts *parts);

/* Index of the part with this name, or -1. */
int sn_flesh_parts_find_name(const sn_flesh_parts *parts, const char *name);

/* Writes a line such as "belly 2.9 Hz, 2.0%, settles 0.5 s; Helmet rigid (metal)", cut to `size` bytes. */
void sn_flesh_parts_describe(const sn_flesh_parts *parts, char *text, size_t size);

/* Makes rigid pieces of the surface that are cloth by name or shape (capes, scarfs on a single bone) soft, unless the
 * sidecar says that they are rigid. Call it between the stages "read" and "mesh". Returns their number. */
int sn_flesh_soften_cloth(sn_cook_context *cook);

#endif
