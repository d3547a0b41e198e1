/* SPDX-License-Identifier: MIT */
/* Layered strain-based position-based dynamics of skeletal characters (Cai and Lin, "Skeleton-driven dynamics modeling
 * for computer-aided muscular rehabilitation"). Tet vertices inside a limb are attached rigidly to bones. Flesh follows
 * by seven strain and volume constraints per tet, each with its own stiffness, along material axes. There are no
 * skinning weights and no bind constraints.
 *
 * The constraints are a recipe of host/xpbd (recipe_strain.inc). So lanes, batches of disjoint tets, pins, contact,
 * damping, sleep and recovery are those of all position-based bodies, and there is one sweep. This folder adds what
 * makes a character: bone-attached vertices, which are pins that follow their bones exactly, also within a step;
 * layers; and the paper's solver.
 *
 * Departures from the paper:
 * - Its PBD (with "s" in place of a compliance) has a stiffness that depends on the time step and the mesh. Here every
 *   stiffness is a modulus in pascals, and the constraints are XPBD's.
 * - Frames replace the rest shape's inverse (Dm^-1 R), which costs nothing.
 * - Its layered solver is an optional mode, for comparison. Its speed-up comes from the temporary mass increase of
 *   inner layers' vertices, which changes the body's momentum, not from the order. The default is small steps of one
 *   sweep each along a curve through the body, which preserve both momenta.
 *
 * Substeps: k h^2 / (rho l^2) <= 0.2, with k the largest stretch stiffness or twice the largest shear stiffness, and l
 * = (6 V)^(1/3). One sweep makes flesh softer than its moduli: a long bar sags by 0.3 E h^2 / (rho l^2) more, so by 5
 * to 9% at most where 60 substeps per 1/60 s suffice.
 *
 * Vertices and bones keep the caller's indices. Units: metres, kilograms, seconds, pascals. */
#ifndef SN_HOST_LAYERED_LAYERED_H
#define SN_HOST_LAYERED_LAYERED_H

#include "host/xpbd/xpbd.h"
#include "sinew/world.h"

/* Description of a model; everything is copied. */
typedef struct sn_layered_desc {
    int vertex_count;
    const double *positions; /* (vertex_count x 3) at rest */
    const double *masses;    /* (vertex_count) > 0 */
    int tet_count;
    const int32_t *tets;     /* (tet_count x 4) positively oriented */
    const double *stiffness; /* (tet_count x 7) Pa, >= 0: stretch along axes 1, 2, 3, shear 12, 13, 23, volume.
                                Isotropic: 2 mu, mu, lambda; with lambda < mu tets can stay inverted */
    const double *frames;    /* (tet_count x 9) R, row-major, columns are the axes; null: x, y, z */
    int bone_count;          /* >= 1 */
    const int32_t *bones;    /* (vertex_count) bone to which the vertex is attached, -1: none; null: none at all */
    const float *weights;    /* (vertex_count x bone_count) skinning weights that place flesh on a reset; null: by the
                                nearest attached vertex along tet edges */
    sn_layered_mode mode;
    bool is_coloured; /* sweep tets, or those of a layer, by colours, as devices need, instead of along the curve; the
                         order changes the result slightly */
} sn_layered_desc;

typedef struct sn_layered_model sn_layered_model;
typedef struct sn_layered_body sn_layered_body;

/* Fails with SN_ERROR_ARGUMENT and a line that names the invalid vertex or tet, or SN_ERROR_MEMORY. */
sn_result sn_layered_model_create(const sn_layered_desc *desc, sn_layered_model **model);
/* Destroy the model's bodies first. Accepts null. */
void sn_layered_model_destroy(sn_layered_model **model);

typedef struct sn_layered_counts {
    int attached_vertex_count; /* bone-attached vertices */
    int tet_count;             /* without tets whose vertices are all attached, which never deform */
    int layer_count;           /* for SN_LAYERED_LAYERS; else 0 */
} sn_layered_counts;
sn_layered_counts sn_layered_model_counts(const sn_layered_model *model);

/* Substeps that the rule above needs for a step of `time_step` seconds with `stiffness` times the tets' own, ignoring
 * the stiffest 5% of the tets; limited to 15 to 60 per 1/60 s. */
int sn_layered_required_substeps(const sn_layered_model *model, double time_step, double stiffness);

typedef struct sn_layered_settings {
    double time_step;              /* seconds per step, > 0 */
    int substep_count;             /* >= 1; 0: sn_layered_required_substeps */
    int sweep_count;               /* sweeps over the tets per substep, >= 1: the paper's iterations */
    int consolidation_sweep_count; /* SN_LAYERED_LAYERS: number of first sweeps in which finished layers get heavier, >=
                                0; only in steps of one substep, since small substeps would gain energy */
    double consolidating_factor;   /* mass factor, >= 1 */
    double stiffness;              /* factor of the model's stiffness, > 0 */
    double damping; /* 1/s: velocity relative to the bones, or to the rigid motion if no vertex is attached, decays by
                       exp(-damping t) */
    bool is_rigid_damped; /* damp all motion */
    double gravity[3];
    double sleep_speed; /* units/s; 0: never sleep */
    bool is_double;     /* reference mode: double precision */
    sn_xpbd_instructions instructions;
} sn_layered_settings;

/* Defaults: 1/60 s, substeps by the rule, one sweep, 6 heavy sweeps with factor 10, no damping, no gravity, no
 * sleeping. */
sn_layered_settings sn_default_layered_settings(void);

/* Creates a body at rest in the pose (bone_count x 12, relative to rest); null: the rest pose. */
sn_result sn_layered_body_create(const sn_layered_model *model, const sn_layered_settings *settings, const double *pose,
                                 sn_layered_body **body);
/* Accepts null. */
void sn_layered_body_destroy(sn_layered_body **body);
/* Keeps the state; cannot switch between float and double. */
sn_result sn_layered_body_set_settings(sn_layered_body *body, const sn_layered_settings *settings);

typedef struct sn_layered_report {
    int contact_count, substep_count;
    bool is_asleep;
    bool is_recovered; /* a number was not finite, or a vertex was 1000 diagonals away: reset to the pose */
    bool is_refused;   /* the pose was not finite; bones stayed in place */
} sn_layered_report;

/* Advances by one step, in which bones move rigidly from the previous pose to this one (bone_count x 12).
 * `surroundings` may be null. Allocates nothing after the first step since a change of settings. */
sn_layered_report sn_layered_body_step(sn_layered_body *body, const double *pose, const sn_surroundings *surroundings);

/* Resets the flesh to rest at its position in the pose. */
void sn_layered_body_reset(sn_layered_body *body, const double *pose);
/* Applies a rigid transform (12) to the body and its history. */
void sn_layered_body_teleport(sn_layered_body *body, const double *transform);
/* (vertex_count x 3), world. */
void sn_layered_body_positions(const sn_layered_body *body, double *positions);
/* (vertex_count x 3); attached vertices stay. */
void sn_layered_body_set_positions(sn_layered_body *body, const double *positions);
/* The xpbd body, for impulses, grabs and measurements. Do not change the pins of attached vertices. */
sn_xpbd_body *sn_layered_body_flesh(const sn_layered_body *body);

#endif
