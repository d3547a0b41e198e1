/* SPDX-License-Identifier: MIT */
/* Extended position-based dynamics: XPBD (Macklin, Müller and Chentanez 2016) in small steps (Macklin et al. 2019),
 * with the stable Neo-Hookean pair of constraints (Macklin and Müller 2021) for triangles in the plane and for tets,
 * distance, bending and volume constraints, or seven constraints of strain and volume a tet with axes of their own,
 * pins, and contact with friction. It is step (1) of the two-way coupling of skinning and PBD (its appendix A), whose
 * projections join a substep through solver.h.
 *
 * A substep of h seconds (2016, algorithm 1, with one or few sweeps):
 *   v += h g, x += h v;  contacts;  for each constraint: dL = -(C + a~ L) / (grad C M^-1 grad C^T + a~), dx = M^-1 grad
 *   C^T dL (equation 18; a~ = alpha / h^2);  contacts;  v = (x - x before) / h, damped.
 * Departures: both constraints of a pair are solved together (constraint.inc); the pair is the one without prestress
 * (recipe_tet.inc) instead of the two-way paper's (18) and (19), which has no rest state; damping is a rate per second,
 * of the motion that is not rigid unless asked; vertices hold displacements from rest, so that rest is exact and strain
 * keeps its digits; velocities take up what corrections add instead of the difference of rounded positions: a free fall
 * loses nothing.
 *
 * A model is immutable while bodies step, and shared; a body is its state. Units are the caller's, consistent: metres,
 * kilograms, seconds, pascals, say. Vertices keep the caller's numbers in every call. */
#ifndef SN_HOST_XPBD_XPBD_H
#define SN_HOST_XPBD_XPBD_H

#include "host/base/jobs.h"
#include "host/contact/collider.h"

typedef enum sn_xpbd_kind {
    SN_XPBD_DISTANCE, /* two vertices; stiffness N/m; rest: length */
    SN_XPBD_BENDING,  /* x0 x1: an edge of the triangles x0 x1 x2 and x1 x0 x3; stiffness J; rest: angle between their
                         normals, 0 where flat */
    SN_XPBD_VOLUME,   /* a tet, positively oriented; stiffness Pa; no rest but its place */
    SN_XPBD_KIND_COUNT
} sn_xpbd_kind;

typedef struct sn_xpbd_constraint {
    sn_xpbd_kind kind;
    int32_t vertices[4]; /* distinct; the rest is ignored */
    double stiffness;    /* > 0; infinity: rigid */
    bool has_rest;       /* else as placed in the model */
    double rest;
} sn_xpbd_constraint;

/* Everything is copied. Elements are triangles, in the plane z = 0, or tets; positively oriented. */
typedef struct sn_xpbd_desc {
    int vertex_count;
    const double *positions; /* (vertex_count x 3) at rest */
    int element_count;
    int element_corners;     /* 3: triangles, 4: tets */
    const int32_t *elements; /* (element_count x element_corners) */
    const double *lambda; /* (element_count) Lamé's first parameter: > -2/3 mu for tets, > -mu for triangles (Poisson's
                             ratio above -1), < infinity. The stable Neo-Hookean pair has no room for negative ones
                             in tets (recipe_polar.inc says why): where there is one, all tets of the model have
                             another pair, K/2 (J - 1)^2 + mu |dev S|^2 of the stretch S, which costs half as much
                             again. Legacy: >= 0 */
    const double *mu;     /* (element_count) > 0, < infinity */
    const double *density; /* (element_count) >= 0; of an area for triangles */
    bool is_legacy;        /* the published two-way code's pair, C_H = J - 1 and C_D = |F|^2 - D with alpha_H = 1 /
                              lambda, alpha_D = 1 / mu: no shear stiffness at rest; for comparison */
    const double *strain_stiffness; /* (element_count x 7) Pa, >= 0, in each element one > 0: tets have the constraints
                                       of recipe_strain.inc in place of a pair, and lambda and mu are not looked at;
                                       null: pairs. No element is added to such a model */
    const double *frames;  /* (element_count x 9) of these: R, orthonormal, row-major, det +1, whose columns are
                              the axes of the stiffness at rest; null: x, y, z */
    const int32_t *groups; /* (element_count) >= 0: elements are swept group by group, ascending; null: along the curve
                            */
    bool is_coloured;      /* constraints are swept colour by colour, as suits a device (compute/xpbd), instead of along
                              the curve: more of them at a time, and memory is passed over once a colour */
    const double *masses;  /* (vertex_count) besides the elements'; null: none. Every vertex must have some mass */
    int constraint_count;
    const sn_xpbd_constraint *constraints;
} sn_xpbd_desc;

typedef struct sn_xpbd_model sn_xpbd_model;
typedef struct sn_xpbd_body sn_xpbd_body;

/* SN_ERROR_ARGUMENT, with a line that names the element, vertex or constraint and what is wrong with it. */
sn_result sn_xpbd_model_create(const sn_xpbd_desc *desc, sn_xpbd_model **model);
/* After its bodies. */
void sn_xpbd_model_destroy(sn_xpbd_model **model);

typedef struct sn_xpbd_counts {
    int vertex_count, element_count;
    int constraint_count; /* without elements; removed ones do not count */
    int batch_count;      /* of elements */
} sn_xpbd_counts;
sn_xpbd_counts sn_xpbd_model_counts(const sn_xpbd_model *model);
double sn_xpbd_model_mass(const sn_xpbd_model *model, int vertex);

/* Editing: while no body of the model steps; bodies follow, and their state stays. What is not edited keeps its place
 * in the order of the sweep, so that an edit costs no more than the look for a batch with room. Elements leave the
 * masses as they are, be they added or removed: flesh may tear and heal, and has the same weight. Two bodies are welded
 * where they are parts of one model, by distances of rest 0 (infinite stiffness) from vertex to vertex, and come off
 * when these are removed. */
sn_result sn_xpbd_model_add(sn_xpbd_model *model, const sn_xpbd_constraint *constraint, int32_t *number);
/* `number` as adding gave it, or the place in desc.constraints among its kind. */
void sn_xpbd_model_remove(sn_xpbd_model *model, sn_xpbd_kind kind, int32_t number);
void sn_xpbd_model_remove_element(sn_xpbd_model *model, int32_t element);
bool sn_xpbd_model_has_element(const sn_xpbd_model *model, int32_t element);

typedef struct sn_xpbd_element {
    int32_t vertices[4]; /* positively oriented at rest, as many as the model's elements have */
    double lambda, mu;   /* as in the description; lambda >= 0 in tets of a model that had no negative one at first */
} sn_xpbd_element;
/* Numbers go on from the description's. */
sn_result sn_xpbd_model_add_element(sn_xpbd_model *model, const sn_xpbd_element *of, int32_t *element);
/* One that was removed, as it is in another model of the same description. */
sn_result sn_xpbd_model_restore_element(sn_xpbd_model *model, const sn_xpbd_model *from, int32_t element);
/* All of them, and the order of the sweep. */
sn_result sn_xpbd_model_restore_elements(sn_xpbd_model *model, const sn_xpbd_model *from);

/* The same, to be edited apart. */
sn_result sn_xpbd_model_copy(const sn_xpbd_model *from, sn_xpbd_model **model);
/* What of the elements is gone in `from`, and its constraints, of a model with the same vertices and elements. */
sn_result sn_xpbd_model_repeat_edits(const sn_xpbd_model *from, sn_xpbd_model *model);

/* How many substeps a step of so many seconds needs for one sweep to hold the elements, with `stiffness` times their
 * own: 1 and more. Waves then take a few substeps through an element; with fewer, a body is as soft as if its Young's
 * modulus fell with the square of the substeps' number, since a sweep carries forces no farther. More sweeps, sweeps
 * that alternate their direction, or that overshoot, gain less for the time (docs/architecture.md). */
int sn_xpbd_substeps_for(const sn_xpbd_model *model, double time_step, double stiffness);

typedef enum sn_xpbd_instructions {
    SN_XPBD_SCALAR, /* one lane */
    SN_XPBD_BASELINE,
    SN_XPBD_AVX2,
    SN_XPBD_AVX512
} sn_xpbd_instructions;

typedef struct sn_xpbd_settings {
    double time_step;            /* seconds of a step, > 0 */
    int substep_count;           /* >= 1 */
    int sweep_count;             /* over all constraints, of a substep, >= 1 */
    double stiffness;            /* times the elements' own, > 0 */
    double constraint_stiffness; /* times the other constraints' own, > 0 */
    double damping;              /* 1/s: velocities decay by exp(-damping t), >= 0 */
    bool is_rigid_damped;        /* so does the rigid part of the motion: the paper's damping */
    double gravity[3];           /* model units a second^2 */
    double sleep_speed; /* below it, of all vertices for half a second, the body sleeps; 0: never. Units a second */
    bool is_double;     /* the reference: double throughout, one lane */
    sn_xpbd_instructions instructions; /* at most, of those that the processor has; all give the same bits */
} sn_xpbd_settings;

/* 1/60 s of 15 substeps of one sweep, the model's stiffness, no damping, no gravity, never asleep, float, all
 * instructions. */
sn_xpbd_settings sn_default_xpbd_settings(void);

/* At rest. The model must outlive the body. */
sn_result sn_xpbd_body_create(const sn_xpbd_model *model, const sn_xpbd_settings *settings, sn_xpbd_body **body);
void sn_xpbd_body_destroy(sn_xpbd_body **body);
/* The state stays; but not between float and double. */
sn_result sn_xpbd_body_set_settings(sn_xpbd_body *body, const sn_xpbd_settings *settings);

typedef struct sn_xpbd_report {
    int contact_count; /* of the last substep */
    bool is_asleep;    /* the step did nothing */
    bool is_recovered; /* a number was not finite, or a vertex a thousand diagonals from its pins: the body went back to
                          rest */
} sn_xpbd_report;

/* A model of the body's own, which it owns, to be edited: from the first call on a copy of the shared one. */
sn_result sn_xpbd_body_own_model(sn_xpbd_body *body, sn_xpbd_model **model);

/* One step. Null surroundings: nothing. Allocates nothing after the first step since the model was edited, a pin added
 * or settings changed. */
sn_xpbd_report sn_xpbd_body_step(sn_xpbd_body *body, const sn_surroundings *surroundings);
/* Many bodies, shared among workers; reports (count), or null. Each body's bits do not depend on their number. */
void sn_xpbd_bodies_step(sn_jobs *jobs, sn_xpbd_body *const *bodies, int count, const sn_surroundings *surroundings,
                         sn_xpbd_report *reports);

/* Pins hold a vertex at a place, which moves there within the next step; infinite stiffness (N/m): exactly. Pinning
 * again changes the stiffness. */
sn_result sn_xpbd_body_pin(sn_xpbd_body *body, int vertex, double stiffness);
void sn_xpbd_body_unpin(sn_xpbd_body *body, int vertex);
/* Of a pinned vertex, world; not finite: the place stays. */
void sn_xpbd_body_move_pin(sn_xpbd_body *body, int vertex, const double *position);

/* (vertex_count x 3), world. */
void sn_xpbd_body_positions(const sn_xpbd_body *body, double *positions);
void sn_xpbd_body_velocities(const sn_xpbd_body *body, double *velocities);
/* Pinned vertices stay. */
void sn_xpbd_body_set_positions(sn_xpbd_body *body, const double *positions);
void sn_xpbd_body_set_velocities(sn_xpbd_body *body, const double *velocities);
/* A body in the plane takes up what lies in it. */
void sn_xpbd_body_apply_impulse(sn_xpbd_body *body, int vertex, const double *impulse);
/* Adds the impulse that the collider with this key gave in the last step, by contact and friction; mass: times the
 * model's. */
void sn_xpbd_body_pushed(const sn_xpbd_body *body, uint32_t key, double mass, double *impulse);

/* At rest where the model is, moved by what its pins are moved by in the mean; no velocity. */
void sn_xpbd_body_reset(sn_xpbd_body *body);
/* Moves places, velocities and pins by a rigid transform (3 x 4). */
void sn_xpbd_body_teleport(sn_xpbd_body *body, const double *transform);

typedef struct sn_xpbd_energy {
    double kinetic, elastic, potential;
    double momentum[3], angular_momentum[3]; /* about the origin */
} sn_xpbd_energy;
/* In double, whatever the step's precision; of all vertices that are not held exactly; soft pins are left out. */
sn_xpbd_energy sn_xpbd_body_energy(const sn_xpbd_body *body);

#endif
