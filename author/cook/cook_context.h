/* SPDX-License-Identifier: MIT */
/* The state of one cook: the input, and the results of its stages, grouped by the stage that fills them. */
#ifndef SN_AUTHOR_COOK_COOK_CONTEXT_H
#define SN_AUTHOR_COOK_COOK_CONTEXT_H

#include "author/cook/stages/trial.h"
#include "author/import/rigid_parts.h"
#include "author/io/rig/rig_file.h"
#include "author/io/tets/tet_file.h"
#include "author/mesher/mesher.h"
#include "author/modes/clusters/cluster_levels.h"
#include "author/modes/clusters/clusters.h"
#include "author/modes/reduced/reduced_matrices.h"
#include "host/model/model.h"
#include "sinew/author.h"

/* Bounds of sn_cook_desc's size, in m. */
#define SN_COOK_MIN_SIZE 1e-7
#define SN_COOK_MAX_SIZE 1e7

typedef struct sn_flesh_parts sn_flesh_parts; /* see parts.h */

/* Why a bone is soft (its flesh is simulated on its own) or fixed (its flesh follows the rig); see soft_bones.h. */
typedef enum sn_soft_bone_state {
    SN_SOFT_BONE_FIXED,
    SN_SOFT_BONE_NAMED,         /* soft: named in the sidecar */
    SN_SOFT_BONE_FLAGGED,       /* soft: flagged in the file */
    SN_SOFT_BONE_SPRING,        /* soft: a spring bone */
    SN_SOFT_BONE_ANIMATED,      /* fixed: a spring bone that a clip animates */
    SN_SOFT_BONE_NOT_REQUESTED, /* fixed: a spring bone, and spring bones were not requested */
    SN_SOFT_BONE_EXCLUDED,      /* fixed: named in the sidecar */
    SN_SOFT_BONE_UNSTABLE       /* fixed: its flesh is unstable at every stiffness */
} sn_soft_bone_state;

/* A chain of soft bones: a soft bone whose parent is not soft, and all of its soft descendants; see soft_chains.h. */
typedef struct sn_soft_chain {
    int32_t root, parent_bone; /* its first bone and that bone's parent (-1: none) */
    double factor; /* stiffness factor of the flesh that only this chain moves; see sn_soft_chains_apply_factors. Modes
                      do not depend on it */
    bool has_user_stiffness; /* the user has set its stiffness; the factor stays 1 */
    bool has_flesh, is_unstable;
    sn_trial_part limits; /* bounds on the motion of its flesh in a trial */
} sn_soft_chain;

typedef struct sn_soft_chains {
    int count;
    sn_soft_chain *list;
    int32_t *of_bone;      /* (bone_count) the chain of each bone, or -1 */
    double *chain_weights; /* (vertex_count x count) weight of each chain at each vertex */
    double *log2_factors;  /* (vertex_count) log2 of the stiffness factor */
} sn_soft_chains;

/* Handles in the input's units. */
typedef struct sn_input_handles {
    sn_cook_handles handles;
    const int32_t *numbers; /* (count) index in their file, for messages; null: the index in this list */
} sn_input_handles;

/* A mesh, or a rig (with has_rig), that is set before the cook starts replaces the file's and is rescaled in place. */
typedef struct sn_cook_context {
    const char *path;
    const sn_cook_desc *desc;
    sn_arena arena;
    sn_cook_report report;
    /* Stage "read". */
    sn_sidecar sidecar;
    sn_character character; /* of a scene file */
    bool has_character;
    sn_character surface_file; /* surface to render for a tet mesh file, if surface_path is set */
    const char *surface_path;
    bool is_flat;                 /* set by the desc, or because the input is a drawing */
    const int32_t *drawing_nodes; /* (character.vertex_count) mesh vertex of each vertex of a drawing; null: vertices at
                                   the same position are merged */
    sn_rig_file rig;              /* of a rig file */
    bool has_rig;                 /* the rig comes from a rig file or from handles */
    sn_input_handles handles;     /* count 0: the bones are not handles, or have their own weights */
    const sn_cook_handles *stored; /* handles that the model stores, in the input's units; null: none */
    const char *handles_name;      /* the file of the handles, for messages */
    int bone_count;                /* of the rig, the character, or a single default handle */
    const int32_t *bone_parents;
    const double *bone_bind;       /* (bone_count x 12) bind transforms, in the input's units */
    const char *const *bone_names; /* (bone_count) */
    const int32_t *bone_roles;     /* (bone_count) sn_humanoid_bone, or -1; null: unknown */
    const bool *is_translated;     /* (bone_count) the bone can only translate; null: none */
    const bool *is_stretchable;    /* (bone_count) coupled bodies may stretch the bone; null: none */
    const double *
        pivots; /* (bone_count x 3) pivots of handles, in the input's units; null: the origins of the bind transforms */
    sn_character_clip *clips;
    int clip_count;
    sn_tet_mesh mesh;      /* in model units after stage "mesh" */
    sn_tet_groups groups;  /* named groups of its tets; count 0: none */
    int file_vertex_count; /* before unused vertices were removed */
    int32_t *old_index;    /* (vertex_count) index in the file; null: no vertex was removed */
    /* Stage "mesh". */
    sn_mesher_output mesher_output; /* output of the mesher, if it made the tets */
    bool is_meshed;
    const double *tet_fill;  /* (tet_count) fill fraction of each tet; null: all 1 */
    int32_t *embedding_tets; /* (character.vertex_count, or surface_file's) tet that contains each vertex, or -1 (rigid
                                or hidden) */
    double *embedding_weights; /* (character.vertex_count x 4) barycentric coordinates in that tet */
    int32_t *file_vertices;    /* (mesh.vertex_count) vertex indices in the .obj file of a flat body; null: none */
    double plane;              /* z of a flat body in the input */
    double origin[3], scale, diagonal, height;
    double *gradients, *volumes;
    double *mass;       /* (vertex_count) volume times tet_density, for a desc density of 1 */
    double *model_mass; /* (vertex_count) mass of the model: `mass`, less at stiffened chains. Modes are computed with
                           `mass` */
    int32_t *neighbours, *boundary;
    int boundary_count;
    /* Stage "weights". */
    double *leak, *rig_weights; /* (vertex_count), (vertex_count x bone_count) */
    sn_cook_leak leak_choice;   /* the desc's or the sidecar's */
    double *morph_fields;       /* (vertex_count x 3 morph_field_count) */
    double *
        morph_field_weights; /* (morph_field_count x character.morph_count) weight of each field in each morph target */
    int32_t *morph_targets;  /* (morph_field_count) the morph target of each field */
    sn_morph_pair *morph_pairs; /* (morph_pair_count) */
    double *morph_columns;      /* (vertex_count x 3 morph_pair_count) the matrix E */
    int morph_field_count, morph_pair_count;
    bool *is_pinned;                      /* (vertex_count); null: no vertex is pinned */
    bool is_anchored;                     /* the flesh is anchored on the bones; see anchored.h */
    sn_flesh_parts *parts;                /* of anchored flesh; see parts.h */
    double *part_factors;                 /* (parts->count) stiffness factor of each part */
    double *input_stiffness, *input_lame; /* (tet_count) tet_stiffness and tet_lame without the parts' factors */
    bool is_rig_stretched;                /* see rig_stretch.h */
    sn_soft_bone_state *soft_bones;       /* (bone_count); null for coupled bodies */
    const double *fixed_weights;          /* rig_weights with 0 for soft bones: the weights that tie flesh to the rig */
    double *tet_density;                  /* (tet_count) density over the desc's density */
    double *fibre_factors;            /* (tet_count x 6) stretch and shear factors; null: all 1. See fibre_factors.h */
    double *tet_stiffness, *tet_lame; /* (tet_count) mu = E / (1 + nu) and Lame's lambda, over the desc's E */
    double strain_limit_stiffness;    /* kappa of the model; 0: no strain limits */
    const double *tet_strain_limits;  /* (tet_count) limit e on the strain of each tet; null: 0 */
    const double *vertex_decay;       /* (vertex_count) rate in 1/s at which free motion decays; null: 0 */
    sn_soft_chains chains;            /* of soft bones of a character */
    sn_bone_collider *bone_colliders; /* (bone_collider_count) of the model; see bone_colliders.h */
    bool *is_affected; /* (bone_collider_count x bone_count) flesh of the bone collides with the collider */
    int bone_collider_count;
    int vrm_collider_count;   /* the first ones, which come from a VRM's spring bones */
    bool is_tuned;            /* report.young and the removed modes are final */
    sn_constraint constraint; /* on the mode weights */
    sn_constraint
        coordinate_constraint;    /* on coordinates: rows A with A u = 0. Empty where the constraint is on weights */
    bool is_constraint_automatic; /* the constraint on coordinates was chosen automatically, because there are few bones
                                   */
    double mean_stiffness; /* volume average of tet_stiffness, which scales the modes' Hessian; 0: the Hessian is not
                              valid for tet_stiffness */
    sn_modes modes;
    int32_t *clusters;
    sn_cluster_levels levels;
    const int32_t *attached_bones; /* (vertex_count) layered bodies: the bone that each vertex is attached to, or -1 */
    const double *frames;          /* (tet_count x 9) fibre frames of layered bodies; null: none */
    sn_reduced_matrices reduced;
    const sn_model *cooked; /* the model whose flesh is tuned again; null: the stages build a model */
    uint8_t *bytes;         /* the model file's contents */
    size_t size;
} sn_cook_context;

/* Whether the cook is for coupled or layered bodies, which have no modes or reduced matrices. */
static inline bool sn_cook_context_is_modeless(const sn_cook_context *cook)
{
    return cook->desc->is_coupled || cook->desc->is_layered;
}

#endif
