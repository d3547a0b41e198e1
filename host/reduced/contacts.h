/* SPDX-License-Identifier: MIT */
/* Contact of the reduced body with colliders, through the model's surface samples.
 *
 * For given rotations the step's objective is quadratic in Z with the diagonal matrix A = 1/h^2 + s lambda. With
 * contacts, the global step is its minimum subject to d(x_i(Z)) >= 0 at the samples i near a collider (d linearised at
 * the prediction), and Coulomb friction: a projected Gauss-Seidel sweep over the samples' forces f_i (world vectors),
 *   Z = Z* + A^-1 sum_i b_i^T f_i,   x_i = x_i(Z*) + sum_j G_ij f_j,   G_ij = b_i A^-1 b_j^T,
 * b_i the row of V at the vertex that touches: the sample's own, or one that sticks out of what it stands for. Where
 * the rig itself puts it below a surface, the constraint is to be no deeper, and a spring pushes further out. A minimum
 * over a convex set for given rotations, if the sweeps end: the alternation then does not raise the objective, at any
 * time step, and contact is inelastic but for that spring (tests/reduced/test_contacts.c follows the energy). Few
 * sweeps an iteration, no more than a share of stiffness and no force beyond a bound keep contradicting contacts
 * finite. What the user holds (grabs.h) are rows of the same kind, that pull. */
#ifndef SN_HOST_REDUCED_CONTACTS_H
#define SN_HOST_REDUCED_CONTACTS_H

#include "host/base/arena.h"
#include "host/contact/collider.h"
#include "host/model/model.h"
#include "host/reduced/cluster_pass.h"

#define SN_CONTACT_LIMIT 128
#define SN_CONTACT_BLOCKS (SN_CONTACT_LIMIT / SN_LANES)

/* Mass, hence forces, rows of V, G and what gives way, in the unit of sn_reduced_unit. */
typedef struct sn_contact {
    int sample;
    const float *row; /* (coordinate_count) of V, as the model has it, at the vertex that is nearest to the collider */
    float normal[3];
    float gap;       /* distance at the prediction from the surface, or from where the pose itself is deeper */
    float outer_gap; /* from where the contact, softly, would have it */
    float give;      /* outwards of `gap`: it moves by this for a force of 1 */
    float slide[3];  /* from the step's start to the prediction, against the collider */
    float friction;
    float force[3];
    /* of a grab (grabs.h): no surface; it pulls to where `slide`, from there to the prediction, is 0, and gives way by
     * `give` */
    bool is_grab;
    float strongest; /* its force */
} sn_contact;

/* What samples give way by, for one model and set of parameters: likewise. */
typedef struct sn_contact_response {
    float *give;     /* (sample_count) of a contact there; 0: the sample is rigid */
    float *reach;    /* (sample_count) how far what it stands for may be from it */
    float most_give; /* of all samples */
    float most;      /* within a step, of the softest sample */
    float softest;   /* in the end, of the sample that grabs can move farthest */
} sn_contact_response;

/* Eight contacts lie in the lanes of a vector. */
typedef struct sn_contact_set {
    int count;
    sn_contact *contacts; /* (SN_CONTACT_LIMIT), coarse samples first: the same ones from step to step */
    double *modes;        /* (mode_count x 12) at the prediction */
    sn_f32x8 *rows;       /* (coordinate_count x SN_CONTACT_BLOCKS) unit V at the contacts */
    sn_f32x8 *coupling;   /* (SN_CONTACT_LIMIT x SN_CONTACT_BLOCKS) G */
} sn_contact_set;

struct sn_reduced_body;
struct sn_reduced_solver;

sn_result sn_contacts_allocate(sn_arena *arena, const sn_model *model, sn_contact_set *set);
/* How far what a sample stands for may be from it: at rest, and half as much again for what poses stretch. */
float sn_sample_extent(const sn_model *model, int sample);
/* give (sample_count): how a contact gives way, at each sample, as in sn_contact; 0: the sample is rigid. */
void sn_contacts_soften(const sn_model *model, double time_step, double stiffness, float *give);
/* The solver's system is in place. */
sn_result sn_contacts_prepare(struct sn_reduced_solver *solver);
/* Finds the contacts of a step, at its prediction; rig_next is in place. */
void sn_contacts_find(struct sn_reduced_body *body, const sn_surroundings *surroundings);
/* Projects Z, given as the difference to the prediction (coordinate_count x 3). */
void sn_contacts_project(struct sn_reduced_body *body, double *difference);

#endif
