/* SPDX-License-Identifier: MIT */
/* Contact of the reduced body with colliders, through the model's surface samples.
 *
 * For fixed rotations the step's objective is quadratic in Z with the diagonal matrix A = 1/h^2 + s lambda. With
 * contacts, the global step minimises it subject to d(x_i(Z)) >= 0 at the samples i near a collider (d linearised at
 * the prediction) and to Coulomb friction. It is solved by projected Gauss-Seidel sweeps over the samples' forces f_i
 * (world vectors):
 *   Z = Z* + A^-1 sum_i b_i^T f_i,   x_i = x_i(Z*) + sum_j G_ij f_j,   G_ij = b_i A^-1 b_j^T.
 * b_i is the row of V at the touching vertex: the sample's own, or one of the extreme vertices of its patch. If the rig
 * itself places the vertex below a surface, the constraint is to go no deeper, and a spring pushes further out.
 *
 * For fixed rotations, converged sweeps minimise over a convex set. The alternation then never raises the objective, at
 * any time step, and contact is inelastic apart from that spring.
 *
 * Successive sweeps are accelerated like conjugate gradients (Silcowitz-Hansen, Niebe and Erleben 2010, "A nonsmooth
 * nonlinear conjugate gradient method for interactive contact force problems"), down to a tolerance derived from that
 * of the iteration. Contradicting contacts stay finite by a limit on the number of sweeps, on stiffness and on force.
 * Grabs (grabs.h) are rows of the same kind that attract. */
#ifndef SN_HOST_REDUCED_CONTACTS_H
#define SN_HOST_REDUCED_CONTACTS_H

#include "host/base/arena.h"
#include "host/contact/collider.h"
#include "host/model/model.h"
#include "host/reduced/samples.h"

#define SN_CONTACT_LIMIT 128
#define SN_CONTACT_BLOCKS (SN_CONTACT_LIMIT / SN_LANES)
#define SN_CONTACT_MARGIN 0.02          /* of the diagonal: samples nearer than this can touch during the iterations */
#define SN_CONTACT_ENERGY_TOLERANCE 0.1 /* energy guard's tolerance with contacts, of the step's energy decrease */
#define SN_CONTACT_SOFTNESS 0.3 /* compliance of a contact, as a fraction of the flesh's static compliance there */

/* Masses, and so forces, rows of V, G and compliances are in the unit of sn_reduced_unit. */
typedef struct sn_contact {
    int sample;
    float normal[3];
    float gap;      /* distance at the prediction from the surface, or from the rig's own position if that is deeper */
    float soft_gap; /* distance from the position to which the soft part of the contact pushes */
    float compliance; /* of the soft part, beyond `gap`; includes the correction for shared contacts once is_coupled is
                         set */
    float slide[3];   /* movement from the step's start to the prediction, relative to the collider */
    float friction;
    float force[3];
    float max_force; /* limit of its force */
    float response;  /* G_ii */
    /* 1 / ((1 + c) G_ii) with c the rigid compliance, 1 / (G_ii + compliance), 1 / G_ii */
    float inverse_rigid_response, inverse_soft_response, inverse_response;
    float max_friction;      /* limit of friction at the accepted point */
    float accepted_force[3]; /* force at the accepted point */
    /* a grab (grabs.h): a compliant spring with no surface, relaxed where `slide` is cancelled */
    bool is_grab;
    bool is_coupled;  /* its row of G is computed, from the first time that it pushes in a step */
    const float *row; /* (coordinate_count) the model's row of V at the vertex nearest to the collider */
    size_t vertex;    /* that vertex */
    int collider;     /* index in the list of colliders */
    uint32_t key;     /* key of the collider */
} sn_contact;

/* Compliances of the samples for one model and set of parameters, in the same unit. */
typedef struct sn_contact_response {
    float *compliance;       /* (sample_count) compliance of a contact; 0: the sample is rigid */
    float *influence_radius; /* (sample_count) maximal distance of the patch's vertices from the sample */
    float *spread;           /* (sample_count) sample and patch differ in displacement by at most this times
                                sn_reduced_displacement_bound */
    sn_f32x8 *limits; /* (blocks of samples) rig-only distance below which contact is possible; -infinity: no contact */
    float max_compliance; /* maximum over the samples */
    float max_influence_radius;
    double max_displacement_factor; /* flesh is displaced by at most this times sn_reduced_displacement_bound */
    float maximum;                  /* largest dynamic response of a sample, within one step */
    float max_static_response;      /* largest static response of a sample to a grab */
    float *inverse_system;          /* (coordinate_count) A^-1 */
} sn_contact_response;

/* The contacts of a step, eight in the lanes of a vector. */
typedef struct sn_contact_set {
    int count;
    sn_contact *contacts;   /* (SN_CONTACT_LIMIT) coarse samples first, in the same order from step to step */
    sn_sample_rows rows;    /* unit V at the contacts */
    sn_f32x8 *coupling;     /* (SN_CONTACT_LIMIT x SN_CONTACT_BLOCKS) G; rows of coupled contacts only */
    sn_f32x8 *normals;      /* (SN_CONTACT_BLOCKS x 3) zero for grabs */
    sn_f32x8 *displacement; /* (SN_CONTACT_BLOCKS x 3) displacement from the prediction after the last sweep */
    sn_f32x8 *points;       /* (SN_CONTACT_BLOCKS x 3) displacement from the prediction at the current iterate */
    sn_f32x8 *forces;       /* (SN_CONTACT_BLOCKS x 3) */
    sn_f32x8 *displacement_before, *forces_before;      /* (SN_CONTACT_BLOCKS x 3) before the last sweep */
    sn_f32x8 *displacement_direction, *force_direction; /* (SN_CONTACT_BLOCKS x 3) search directions of the sweeps */
    float sweep_tolerance; /* sweeps stop when no contact moves by more than this fraction of the diagonal */
    bool is_first_sweep;   /* no sweep has run in this step */
    float *push;           /* (coordinate_count x 3) change of coordinates due to the contact forces */
    float *scaled;         /* (coordinate_count) scratch: A^-1 times a row */
} sn_contact_set;

/* Contact energy of a step, divided by the unit's square. */
typedef struct sn_contact_energy {
    double normal_part, friction_part; /* of normal forces and grabs; of friction */
    double size;                       /* magnitude of the summed terms */
} sn_contact_energy;

/* Forces of the last step's last iteration, the start values of the next step. */
typedef struct sn_stored_force {
    int sample, collider;
    uint32_t key; /* key of the collider */
    float force[3];
} sn_stored_force;

typedef struct sn_stored_forces {
    int count;
    sn_stored_force all[SN_CONTACT_LIMIT]; /* in the order of the contacts */
} sn_stored_forces;

struct sn_reduced_body;
struct sn_reduced_solver;

sn_result sn_contacts_allocate(sn_arena *arena, int coordinate_count, sn_contact_set *set);
/* Maximal distance of the patch's vertices from a sample: 1.5 times that at rest, as a margin for stretching poses. */
float sn_sample_patch_radius(const sn_model *model, int sample);
/* Computes the compliance (sample_count) of a contact at each sample, as in sn_contact; 0: the sample is rigid. */
void sn_contacts_compute_compliance(const sn_model *model, double time_step, double stiffness, float *compliance);
/* Fills the solver's contact response. The solver's system must be built. */
sn_result sn_contacts_prepare(struct sn_reduced_solver *solver);
/* Finds the contacts of a step at its prediction. rig_next must be set. See contact_detection.c. */
void sn_contacts_find(struct sn_reduced_body *body, const sn_surroundings *surroundings);
/* Stores the contact forces for the next step. */
void sn_contacts_store_forces(struct sn_reduced_body *body);
/* Projects Z in double, passed as its difference to the prediction (coordinate_count x 3). The float kernels have their
 * own version in contacts_f32.inc. */
void sn_contacts_project(struct sn_reduced_body *body, double *difference);
/* Sets the contacts' displacement at z64 from the prediction. sn_contacts_energy returns the contact energy there,
 * with the friction limits of the last projection, and adds to `noise` the energy that rounding can hide. */
void sn_contacts_evaluate_points(struct sn_reduced_body *body);
double sn_contacts_energy(struct sn_reduced_body *body, double *noise);

#endif
