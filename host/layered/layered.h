/* SPDX-License-Identifier: MIT */
/* Layered strain-based position-based dynamics of skeletal characters (Cai and Lin, "Skeleton-driven dynamics
 * modeling for computer-aided muscular rehabilitation"): bones carry the tet vertices inside of a limb rigidly, and
 * flesh follows by seven constraints of strain and volume a tet, with a stiffness each, along axes of its own. No
 * skinning weights, no bind constraints.
 *
 * The parts and where they lie. The constraints are a recipe of host/xpbd (recipe_strain.inc), beside those of its
 * other elements: so lanes, batches of disjoint tets, pins, contact, damping, sleep and recovery are those of all
 * position-based bodies, and there is one sweep. Here is what makes a character of them: carried vertices, which are
 * pins that go along with their bones, exactly, also within a step; layers and the paper's solver.
 *
 * Departures from the paper. Its PBD ("s" in place of a compliance) has a stiffness that depends on the time step and
 * on the mesh; here every stiffness is a modulus in pascals, and the constraints are XPBD's. Frames take the place of
 * the rest shape's inverse (Dm^-1 R): they are free. Its layered solver is a mode, for comparison; what speeds it up is
 * the mass that vertices of inner layers gain for a while, which moves the body's momentum, not the order. The default
 * is small steps of one sweep each along a curve through the body, which keep both momenta.
 *
 * Substeps: k h^2 / (rho l^2) <= .2, k the stiffest stretch or twice the stiffest shear, l = (6 V)^(1/3): one sweep
 * makes flesh softer than its moduli, by .3 E h^2 / (rho l^2) of what a long bar gives under its load, and so by 5 to
 * 9% at most, where 60 substeps a sixtieth of a second are enough. Vertices and bones keep the caller's numbers. Units:
 * metres, kilograms, seconds, pascals. */
#ifndef SN_HOST_LAYERED_LAYERED_H
#define SN_HOST_LAYERED_LAYERED_H

#include "host/xpbd/xpbd.h"
#include "sinew/world.h"

/* Everything is copied. */
typedef struct sn_layered_desc {
    int vertex_count;
    const double *positions; /* (vertex_count x 3) at rest */
    const double *masses;    /* (vertex_count) > 0 */
    int tet_count;
    const int32_t *tets;     /* (tet_count x 4) positively oriented */
    const double *stiffness; /* (tet_count x 7) Pa, >= 0: stretch along the axes 1, 2, 3, shear 12, 13, 23, volume.
                                Isotropic: 2 mu, mu, lambda; lambda below mu lets tets stay turned inside out */
    const double *frames;    /* (tet_count x 9) R, row-major, whose columns are the axes; null: x, y, z */
    int bone_count;          /* >= 1 */
    const int32_t *bones;    /* (vertex_count) that carries the vertex, -1: none; null: none at all */
    const float *weights;    /* (vertex_count x bone_count) skinning weights that say where flesh is put in a pose when
                                it is reset; null: by the carried vertex that is nearest along the tets */
    sn_layered_mode mode;
    bool
        is_coloured; /* tets of a sweep, or of a layer, are taken colour by colour, as suits a device (compute/layered),
                        instead of along the curve: another order, and so another result, by what a sweep leaves out */
} sn_layered_desc;

typedef struct sn_layered_model sn_layered_model;
typedef struct sn_layered_body sn_layered_body;

/* SN_ERROR_ARGUMENT, with a line that names the vertex or tet and what is wrong with it; SN_ERROR_MEMORY. */
sn_result sn_layered_model_create(const sn_layered_desc *desc, sn_layered_model **model);
/* After its bodies. Accepts null. */
void sn_layered_model_destroy(sn_layered_model **model);

typedef struct sn_layered_counts {
    int carried_count; /* vertices */
    int tet_count;     /* without those that bones carry whole, which nothing deforms */
    int layer_count;   /* of SN_LAYERED_LAYERS; else 0 */
} sn_layered_counts;
sn_layered_counts sn_layered_model_counts(const sn_layered_model *model);

/* Substeps of a step of so many seconds that the rule asks for, of all but the stiffest twentieth of the tets, with
 * `stiffness` times their own; but 15 to 60 a sixtieth of a second. */
int sn_layered_substeps_for(const sn_layered_model *model, double time_step, double stiffness);

typedef struct sn_layered_settings {
    double time_step;        /* seconds of a step, > 0 */
    int substep_count;       /* >= 1; 0: sn_layered_substeps_for */
    int sweep_count;         /* of a substep over the tets, >= 1: the paper's iterations */
    int consolidating_count; /* of SN_LAYERED_LAYERS: the first sweeps, in which layers that are done are heavier, >= 0.
                                Of steps of one substep alone: in small ones they feed energy in */
    double consolidating_factor; /* by how much, >= 1 */
    double stiffness;            /* times the model's, > 0 */
    double damping; /* 1/s: what flesh does besides going along with its bones decays by exp(-damping t); besides its
                       rigid part, where no bone carries any */
    bool is_rigid_damped; /* all motion does */
    double gravity[3];
    double sleep_speed; /* units a second; 0: never */
    bool is_double;     /* the reference */
    sn_xpbd_instructions instructions;
} sn_layered_settings;

/* 1/60 s, substeps by the rule, one sweep, 6 heavy ones by 10, no damping, no gravity, no sleep. */
sn_layered_settings sn_default_layered_settings(void);

/* At rest in the pose (bone_count x 12, relative to rest); null: at rest. */
sn_result sn_layered_body_create(const sn_layered_model *model, const sn_layered_settings *settings, const double *pose,
                                 sn_layered_body **body);
/* Accepts null. */
void sn_layered_body_destroy(sn_layered_body **body);
/* The state stays; but not between float and double. */
sn_result sn_layered_body_set_settings(sn_layered_body *body, const sn_layered_settings *settings);

typedef struct sn_layered_report {
    int contact_count, substep_count;
    bool is_asleep;
    bool is_recovered; /* a number was not finite, or a vertex a thousand diagonals away: it was reset to the pose */
    bool is_refused;   /* the pose was not finite: bones stay where they were */
} sn_layered_report;

/* One step, in which bones go from where they were to the pose (bone_count x 12), turning as rigid bodies do. Null
 * surroundings: nothing. Allocates nothing after the first step since a change of settings. */
sn_layered_report sn_layered_body_step(sn_layered_body *body, const double *pose, const sn_surroundings *surroundings);

/* Flesh where the pose puts it, at rest. */
void sn_layered_body_reset(sn_layered_body *body, const double *pose);
/* Moves the body and its history by a rigid transform (12). */
void sn_layered_body_teleport(sn_layered_body *body, const double *transform);
/* (vertex_count x 3), world. */
void sn_layered_body_positions(const sn_layered_body *body, double *positions);
/* (vertex_count x 3): carried vertices stay. */
void sn_layered_body_set_positions(sn_layered_body *body, const double *positions);
/* Its flesh, to push, hold and measure; pins of carried vertices are not the caller's. */
sn_xpbd_body *sn_layered_body_flesh(const sn_layered_body *body);

#endif
