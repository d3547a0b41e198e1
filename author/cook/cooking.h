/* SPDX-License-Identifier: MIT */
/* Everything that the stages of a cook make, each what stands under its name. */
#ifndef SN_AUTHOR_COOK_COOKING_H
#define SN_AUTHOR_COOK_COOKING_H

#include "author/cook/stages/trial.h"
#include "author/import/rigid.h"
#include "author/io/rig/rig_file.h"
#include "author/io/tets/tet_file.h"
#include "author/mesher/mesher.h"
#include "author/modes/clusters/cluster_levels.h"
#include "author/modes/clusters/clusters.h"
#include "author/modes/reduced/reduced_matrices.h"
#include "host/model/model.h"
#include "sinew/author.h"

/* Of a desc, in metres. */
#define SN_LEAST_SIZE 1e-7
#define SN_MOST_SIZE 1e7

/* Whether flesh may lag behind a bone, and why; see loose.h. */
typedef enum sn_loose {
    SN_LOOSE_HELD,
    SN_LOOSE_NAMED,   /* loose, by the sidecar */
    SN_LOOSE_MARKED,  /* loose, by the file */
    SN_LOOSE_SPRING,  /* loose, as a spring bone */
    SN_LOOSE_MOVED,   /* a spring bone, held, as a clip moves it */
    SN_LOOSE_UNASKED, /* a spring bone, held, as no one asked for it */
    SN_LOOSE_DENIED,  /* held, by the sidecar */
    SN_LOOSE_WILD     /* held, as its flesh is calm at no stiffness */
} sn_loose;

/* A bone that hangs on one that is not loose, and the loose ones that hang on it; see chains.h. */
typedef struct sn_chain {
    int32_t root, holder; /* its first bone, and what that hangs on, -1: nothing */
    double factor;        /* of what it alone moves; see sn_chains_stiffen. Modes are found without */
    bool is_given;        /* someone has set its stiffness: the factor stays 1 */
    bool has_flesh, is_wild;
    sn_trial_part most; /* what its flesh may do in a trial */
} sn_chain;

typedef struct sn_chains {
    int count;
    sn_chain *list;
    int32_t *of_bone; /* (bone_count) -1: of none */
    double *shares;   /* (vertex_count x count) of a vertex, what each chain moves */
    double *octaves;  /* (vertex_count) log2 of how much stiffer flesh is there */
} sn_chains;

/* Handles, in the input's units. */
typedef struct sn_given_handles {
    sn_cook_handles handles;
    const int32_t *numbers; /* (count) in the file that they are of, for messages; null: their own */
} sn_given_handles;

/* A mesh or rig (with has_rig) set beforehand is cooked, and
 * rescaled, in place of the file's. */
typedef struct sn_cooking {
    const char *path;
    const sn_cook_desc *desc;
    sn_arena arena;
    sn_cook_report report;
    /* read */
    sn_sidecar sidecar;
    sn_character character; /* of a scene file */
    bool has_character;
    bool is_flat;                /* the desc's, or of a drawing */
    const int32_t *drawn_nodes;  /* (character.vertex_count) of a drawing: the mesh's vertices; null: those at one
                                    place are one */
    sn_rig_file rig;             /* of a rig file */
    bool has_rig;                /* a rig file, or handles */
    sn_given_handles handles;    /* count 0: the bones are no handles, or have their weights */
    const sn_cook_handles *kept; /* handles that the model keeps, in the input's units; null: none */
    const char *handles_name;    /* their file */
    int bone_count;              /* of whichever has the bones: rig, character, or one handle */
    const int32_t *bone_parents;
    const double *bone_bind;       /* (bone_count x 12), in the input's units */
    const char *const *bone_names; /* (bone_count) */
    const int32_t *bone_roles;     /* (bone_count) of sn_humanoid_bone, or -1; null: the file does not say */
    const bool *is_translated;     /* (bone_count) what only translations move; null: nothing */
    const bool *is_stretched;      /* (bone_count) what coupled bodies may stretch; null: nothing */
    const double *pivots;          /* (bone_count x 3) of handles, in the input's units; null: where bones are bound */
    sn_character_clip *clips;
    int clip_count;
    sn_tet_mesh mesh;      /* in model units after "mesh" */
    sn_tet_groups groups;  /* of its tets, where its file has such; count 0: none */
    int file_vertex_count; /* before any was removed */
    int32_t *old_index;    /* (vertex_count) index in the file, null where nothing was removed */
    /* mesh */
    sn_mesher_output meshed; /* where the mesher made the tets */
    bool is_meshed;
    const double *tet_fill;    /* (tet_count) the share of it that is filled, or null: all */
    int32_t *embedding_tets;   /* (character.vertex_count) where its vertices are in the mesh, -1: rigid or hidden */
    double *embedding_weights; /* (character.vertex_count x 4) barycentric */
    int32_t *file_vertices;    /* (mesh.vertex_count) of a flat body of an .obj file: its own numbers; null: none */
    double plane;              /* of a flat body: its z in the input */
    double origin[3], scale, diagonal, height;
    double *gradients, *volumes;
    double *mass;       /* (vertex_count) volume, times tet_density, without the desc's density */
    double *model_mass; /* (vertex_count) the same, less of chains, without which modes are found */
    int32_t *neighbours, *boundary;
    int boundary_count;
    /* weights */
    double *leak, *rig_weights; /* (vertex_count), (vertex_count x bone_count) */
    sn_cook_leak leak_choice;   /* the desc's or the sidecar's */
    double *morph_fields;       /* (vertex_count x 3 morph_field_count) */
    double *morph_shares;       /* (morph_field_count x character.morph_count) */
    int32_t *morph_targets;     /* (morph_field_count) the target that a field is */
    sn_morph_pair *morph_pairs; /* (morph_pair_count) */
    double *morph_columns;      /* (vertex_count x 3 morph_pair_count) E */
    int morph_field_count, morph_pair_count;
    bool *is_pinned;                  /* (vertex_count), null: nothing is */
    bool is_strained;                 /* see strained.h */
    sn_loose *loose;                  /* (bone_count); null for coupled bodies */
    const double *held_weights;       /* rig_weights, 0 of loose bones: what holds the flesh to the rig */
    double *tet_density;              /* (tet_count) multiples of the desc's, by what of a tet is filled */
    double *fibre_factors;            /* (tet_count x 6) of stretch and shear; null: all 1. See fibre_factors.h */
    double *tet_stiffness, *tet_lame; /* (tet_count) mu = E / (1 + nu) and Lame's lambda over the desc's E, too */
    sn_chains chains;                 /* of loose bones of a character */
    sn_bone_collider *bone_colliders; /* (bone_collider_count) of the model; see bone_colliders.h */
    bool *is_felt;                    /* (bone_collider_count x bone_count) by what a bone moves */
    int bone_collider_count;
    int vrm_collider_count;   /* of these, the first: of a VRM's springs */
    bool is_chosen;           /* report.young, and which modes are left out */
    sn_constraint constraint; /* of the modes' weights */
    sn_constraint held;       /* of coordinates: rows A, A u = 0. None where weights see to that */
    bool is_freed;            /* that was our choice, for so few bones */
    double mean_stiffness; /* of tet_stiffness, over the volume: the modes' Hessian is of what it is over that. 0: it is
                              not */
    sn_modes modes;
    int32_t *clusters;
    sn_cluster_levels levels;
    const int32_t *carrying_bones; /* (vertex_count) of layered bodies: what carries each, or -1 */
    const double *frames;          /* (tet_count x 9) of their fibres; null: none */
    sn_reduced_matrices reduced;
    uint8_t *bytes; /* the model's file */
    size_t size;
} sn_cooking;

/* For coupled or layered bodies, which have no modes and nothing of what belongs to these. */
static inline bool sn_cooking_is_modeless(const sn_cooking *cooking)
{
    return cooking->desc->is_coupled || cooking->desc->is_layered;
}

#endif
