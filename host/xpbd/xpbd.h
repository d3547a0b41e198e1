/* SPDX-License-Identifier: MIT */
/* Extended position-based dynamics: XPBD (Macklin, Müller and Chentanez 2016) in small steps (Macklin et al. 2019).
 * Constraints: the stable Neo-Hookean pair (Macklin and Müller 2021) for tets and for triangles in the plane; distance,
 * bending and volume; or seven strain and volume constraints per tet with material axes; pins; and contact with
 * friction. It is step (1) of the two-way coupling of skinning and PBD (its appendix A), whose projections join a
 * substep through solver.h.
 *
 * A substep of h seconds (2016, algorithm 1, with one or few sweeps):
 *   v += h g, x += h v;  contacts;
 *   for each constraint: dL = -(C + a~ L) / (grad C M^-1 grad C^T + a~), dx = M^-1 grad C^T dL (equation 18; a~ = alpha
 *   / h^2);
 *   contacts;  v = (x - x before) / h, damped.
 * Departures from the papers:
 * - Both constraints of a pair are solved together (constraint.inc).
 * - The pair is the one without prestress (recipe_tet.inc) instead of the two-way paper's (18) and (19), which has no
 *   rest state.
 * - Damping is a rate per second, of the non-rigid motion by default.
 * - Vertices store displacements from rest, so that rest is exact and small strains keep their precision.
 * - Velocities add the corrections instead of differencing rounded positions, so that free fall is exact.
 *
 * A model is shared, and immutable while bodies step; a body is its state. Units are the caller's but must be
 * consistent: for example metres, kilograms, seconds, pascals. Vertices keep the caller's indices in every call. */
#ifndef SN_HOST_XPBD_XPBD_H
#define SN_HOST_XPBD_XPBD_H

#include "host/base/jobs.h"
#include "host/contact/collider.h"

typedef enum sn_xpbd_constraint_type {
    SN_XPBD_DISTANCE, /* two vertices; stiffness N/m; rest: length */
    SN_XPBD_BENDING,  /* x0 x1: edge of triangles x0 x1 x2 and x1 x0 x3; J; rest: angle of normals, 0: flat */
    SN_XPBD_VOLUME,   /* a tet, positively oriented; stiffness Pa; always at rest as in the model */
    SN_XPBD_TYPE_COUNT
} sn_xpbd_constraint_type;

typedef struct sn_xpbd_constraint {
    sn_xpbd_constraint_type type;
    int32_t vertices[4]; /* distinct; as many as the type needs */
    double stiffness;    /* > 0; infinity: rigid */
    bool has_rest;       /* else the rest value is that of the model's positions */
    double rest;
} sn_xpbd_constraint;

/* Description of a model; everything is copied. Elements are tets, or triangles in the plane z = 0; positively
 * oriented. */
typedef struct sn_xpbd_desc {
    int vertex_count;
    const double *positions; /* (vertex_count x 3) at rest */
    int element_count;
    int element_corners;     /* 3: triangles, 4: tets */
    const int32_t *elements; /* (element_count x element_corners) */
    const double *lambda;    /* (element_count) Lamé's first parameter, Pa: for tets > -2/3 mu, for triangles > -mu
                                (Poisson's ratio > -1). The stable Neo-Hookean pair needs lambda >= 0 in tets; if any is
                                negative, all tets of the model use the pair K/2 (J - 1)^2 + mu |dev S|^2 of the stretch S,
                                at 1.5 times the cost (recipe_polar.inc). Legacy: >= 0 */
    const double *mu;        /* (element_count) > 0, < infinity */
    const double *density;   /* (element_count) >= 0; per area for triangles */
    bool is_legacy; /* the published two-way code's pair (recipe_tet.inc): no shear stiffness at rest; for comparison */
    const double *strain_stiffness; /* (element_count x 7) Pa, >= 0, one > 0 per element: tets use recipe_strain.inc,
                                       lambda and mu are ignored, no element can be added; null: pairs */
    const double *frames;  /* (element_count x 9) of strain_stiffness: rotations, row-major, columns are its axes at
                              rest; null: x, y, z */
    const int32_t *groups; /* (element_count) >= 0: swept group by group, ascending; null: along the curve */
    bool is_coloured;      /* sweep by colours, as devices need, instead of along the curve: parallel, but one pass over
                              memory per colour */
    const double *masses;  /* (vertex_count) added to the elements'; null: none. Every vertex must have mass */
    int constraint_count;
    const sn_xpbd_constraint *constraints;
} sn_xpbd_desc;

typedef struct sn_xpbd_model sn_xpbd_model;
typedef struct sn_xpbd_body sn_xpbd_body;

/* Fails with SN_ERROR_ARGUMENT and a line that names the invalid element, vertex or constraint. */
sn_result sn_xpbd_model_create(const sn_xpbd_desc *desc, sn_xpbd_model **model);
/* Destroy the model's bodies first. */
void sn_xpbd_model_destroy(sn_xpbd_model **model);

typedef struct sn_xpbd_counts {
    int vertex_count, element_count;
    int constraint_count; /* without elements and removed constraints */
    int batch_count;      /* batches of elements */
} sn_xpbd_counts;
sn_xpbd_counts sn_xpbd_model_counts(const sn_xpbd_model *model);
double sn_xpbd_model_mass(const sn_xpbd_model *model, int vertex);

/* Editing, while no body of the model steps. Bodies adopt the changes and keep their state. Unedited constraints keep
 * their position in the order of the sweep, so an edit costs only the search for a free lane. Adding and removing
 * elements does not change the masses: flesh that tears and is repaired keeps its weight. To weld two bodies, make them
 * parts of one model and add distances of rest 0 (infinite stiffness) between their vertices; remove these to separate
 * them. */
sn_result sn_xpbd_model_add(sn_xpbd_model *model, const sn_xpbd_constraint *constraint, int32_t *number);
/* `number`: as returned by adding, or the index in desc.constraints among those of its type. */
void sn_xpbd_model_remove(sn_xpbd_model *model, sn_xpbd_constraint_type type, int32_t number);
void sn_xpbd_model_remove_element(sn_xpbd_model *model, int32_t element);
bool sn_xpbd_model_has_element(const sn_xpbd_model *model, int32_t element);

typedef struct sn_xpbd_element {
    int32_t vertices[4]; /* positively oriented at rest; count as in the model */
    double lambda,
        mu; /* as in the description; in tets, lambda >= 0 unless the model was created with a negative one */
} sn_xpbd_element;
/* Indices continue those of the description. */
sn_result sn_xpbd_model_add_element(sn_xpbd_model *model, const sn_xpbd_element *of, int32_t *element);
/* Restores a removed element from another model of the same description. */
sn_result sn_xpbd_model_restore_element(sn_xpbd_model *model, const sn_xpbd_model *from, int32_t element);
/* Restores all elements and the order of the sweep. */
sn_result sn_xpbd_model_restore_elements(sn_xpbd_model *model, const sn_xpbd_model *from);

/* Copies a model, for separate editing. */
sn_result sn_xpbd_model_copy(const sn_xpbd_model *from, sn_xpbd_model **model);
/* Applies the edits of `from` to a model with the same vertices and elements: removed elements, and all constraints. */
sn_result sn_xpbd_model_apply_edits(const sn_xpbd_model *from, sn_xpbd_model *model);

/* Number of substeps (>= 1) that a step of `time_step` seconds needs for one sweep per substep to resolve the elements
 * at `stiffness` times their own. An elastic wave then takes a few substeps to cross an element. With fewer substeps a
 * body is as soft as if Young's modulus fell with the square of their number, since a sweep carries forces no farther.
 * More sweeps, alternating sweeps and over-relaxation gain less for the same time. */
int sn_xpbd_required_substeps(const sn_xpbd_model *model, double time_step, double stiffness);

typedef enum sn_xpbd_instructions {
    SN_XPBD_SCALAR, /* one lane */
    SN_XPBD_BASELINE,
    SN_XPBD_AVX2,
    SN_XPBD_AVX512
} sn_xpbd_instructions;

typedef struct sn_xpbd_settings {
    double time_step;                  /* seconds per step, > 0 */
    int substep_count;                 /* >= 1 */
    int sweep_count;                   /* per substep, over all constraints, >= 1 */
    double stiffness;                  /* factor of the elements' stiffness, > 0 */
    double constraint_stiffness;       /* factor of the other constraints' stiffness, > 0 */
    double damping;                    /* 1/s: velocities decay by exp(-damping t), >= 0 */
    bool is_rigid_damped;              /* damp rigid motion, too, as in the paper */
    double gravity[3];                 /* model units per second^2 */
    double sleep_speed;                /* units/s: the body sleeps after 0.5 s with all vertices slower; 0: never */
    bool is_double;                    /* reference mode: double precision, one lane */
    sn_xpbd_instructions instructions; /* upper limit; the best supported set is used; all give identical bits */
} sn_xpbd_settings;

/* Defaults: 1/60 s in 15 substeps of one sweep, the model's stiffness, no damping, no gravity, no sleeping, float, all
 * instruction sets. */
sn_xpbd_settings sn_default_xpbd_settings(void);

/* Creates a body at rest. The model must outlive it. */
sn_result sn_xpbd_body_create(const sn_xpbd_model *model, const sn_xpbd_settings *settings, sn_xpbd_body **body);
void sn_xpbd_body_destroy(sn_xpbd_body **body);
/* Keeps the state; cannot switch between float and double. */
sn_result sn_xpbd_body_set_settings(sn_xpbd_body *body, const sn_xpbd_settings *settings);

typedef struct sn_xpbd_report {
    int contact_count; /* in the last substep */
    bool is_asleep;    /* the step was skipped */
    bool is_recovered; /* a number was not finite, or a vertex 1000 diagonals from its pins: reset to rest */
} sn_xpbd_report;

/* Returns a model for editing that the body owns: from the first call on, a copy of the shared one. */
sn_result sn_xpbd_body_editable_model(sn_xpbd_body *body, sn_xpbd_model **model);

/* Advances by one step. `surroundings` may be null. Allocates nothing after the first step since the model was edited,
 * a pin added or settings changed. */
sn_xpbd_report sn_xpbd_body_step(sn_xpbd_body *body, const sn_surroundings *surroundings);
/* Steps many bodies in parallel; reports (count) may be null. A body's result does not depend on the worker count. */
void sn_xpbd_bodies_step(sn_jobs *jobs, sn_xpbd_body *const *bodies, int count, const sn_surroundings *surroundings,
                         sn_xpbd_report *reports);

/* Pins a vertex to a target position, which it reaches within the next step; infinite stiffness (N/m): exactly. Pinning
 * again changes the stiffness. */
sn_result sn_xpbd_body_pin(sn_xpbd_body *body, int vertex, double stiffness);
void sn_xpbd_body_unpin(sn_xpbd_body *body, int vertex);
/* Sets the target of a pinned vertex, in world coordinates; ignored if not finite. */
void sn_xpbd_body_move_pin(sn_xpbd_body *body, int vertex, const double *position);

/* (vertex_count x 3), world. */
void sn_xpbd_body_positions(const sn_xpbd_body *body, double *positions);
void sn_xpbd_body_velocities(const sn_xpbd_body *body, double *velocities);
/* Pinned vertices are not changed. */
void sn_xpbd_body_set_positions(sn_xpbd_body *body, const double *positions);
void sn_xpbd_body_set_velocities(sn_xpbd_body *body, const double *velocities);
/* For a body in the plane, only the impulse's components in the plane apply. */
void sn_xpbd_body_apply_impulse(sn_xpbd_body *body, int vertex, const double *impulse);
/* Adds to `impulse` what the collider with this key applied in the last step, by contact and friction; `mass` is a
 * factor of the model's mass. */
void sn_xpbd_body_collider_impulse(const sn_xpbd_body *body, uint32_t key, double mass, double *impulse);

/* Resets the body to rest at the model's position, translated by the mean movement of its pins; no velocity. */
void sn_xpbd_body_reset(sn_xpbd_body *body);
/* Applies a rigid transform (3 x 4) to positions, velocities and pins. */
void sn_xpbd_body_teleport(sn_xpbd_body *body, const double *transform);

typedef struct sn_xpbd_energy {
    double kinetic, elastic, potential;
    double momentum[3], angular_momentum[3]; /* about the origin */
} sn_xpbd_energy;
/* In double, whatever the step's precision; over all vertices that are not pinned exactly, without soft pins. */
sn_xpbd_energy sn_xpbd_body_energy(const sn_xpbd_body *body);

#endif
