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
 * time step, and contact is inelastic but for that spring (tests/reduced/test_contacts.c follows the energy). Sweeps go
 * on in the directions in which they have led, as conjugate gradients do (Silcowitz-Hansen, Niebe and Erleben 2010, "A
 * nonsmooth nonlinear conjugate gradient method for interactive contact force problems"), until contacts are as near as
 * the iteration's own tolerance asks. A bounded number of sweeps, no more than a share of stiffness and no force beyond
 * a bound keep contradicting contacts finite. What the user holds (grabs.h) are rows of the same kind, that pull. */
#ifndef SN_HOST_REDUCED_CONTACTS_H
#define SN_HOST_REDUCED_CONTACTS_H

#include "host/base/arena.h"
#include "host/contact/collider.h"
#include "host/model/model.h"
#include "host/reduced/samples.h"

#define SN_CONTACT_LIMIT 128
#define SN_CONTACT_BLOCKS (SN_CONTACT_LIMIT / SN_LANES)
#define SN_CONTACT_MARGIN 0.02  /* of the diagonal: nearer samples may touch during the iterations */
#define SN_CONTACT_LENIENCE 0.1 /* the guard's, with contacts: of what the energy has fallen by in the step */
#define SN_CONTACT_SOFTNESS 0.3 /* of the flesh's give at rest: the give of a contact there */

/* Mass, hence forces, rows of V, G and what gives way, in the unit of sn_reduced_unit. */
typedef struct sn_contact {
    int sample;
    float normal[3];
    float gap;       /* distance at the prediction from the surface, or from where the pose itself is deeper */
    float outer_gap; /* from where the contact, softly, would have it */
    float give;      /* outwards of `gap`: it moves by this for a force of 1; shared once is_coupled */
    float slide[3];  /* from the step's start to the prediction, against the collider */
    float friction;
    float force[3];
    float strongest; /* its force */
    float response;  /* G_ii */
    /* 1 / ((1 + c) G_ii), c the compliance, 1 / (G_ii + give), 1 / G_ii */
    float per_rigid, per_soft, per_response;
    float held;          /* friction's largest force at the point that is kept */
    float force_kept[3]; /* there */
    /* of a grab (grabs.h): no surface; it pulls to where `slide`, from there to the prediction, is 0, and gives way by
     * `give` */
    bool is_grab;
    bool is_coupled;  /* its row of G is known: from when it first pushes in a step */
    const float *row; /* (coordinate_count) of V, as the model has it, at the vertex that is nearest to the collider */
    size_t vertex;    /* that one */
    int collider;     /* number in its surroundings */
    uint32_t key;     /* the collider's */
} sn_contact;

/* What samples give way by, for one model and set of parameters: likewise. */
typedef struct sn_contact_response {
    float *give;      /* (sample_count) of a contact there; 0: the sample is rigid */
    float *reach;     /* (sample_count) how far what it stands for may be from it */
    float *spread;    /* (sample_count) its flesh and theirs differ by this times what sn_reduced_reach says, at most */
    sn_f32x8 *limits; /* (blocks of samples) from how near by the rig it may touch; -infinity: it feels no contact */
    float most_give;  /* of all samples */
    float most_reach;
    double most_spread;    /* and no flesh is farther from its rig than this times that */
    float most;            /* within a step, of the softest sample */
    float softest;         /* in the end, of the sample that grabs can move farthest */
    float *inverse_system; /* (coordinate_count) A^-1 */
} sn_contact_response;

/* Eight contacts lie in the lanes of a vector. */
typedef struct sn_contact_set {
    int count;
    sn_contact *contacts; /* (SN_CONTACT_LIMIT), coarse samples first: the same ones from step to step */
    sn_sample_rows rows;  /* unit V at the contacts */
    sn_f32x8 *coupling;   /* (SN_CONTACT_LIMIT x SN_CONTACT_BLOCKS) G, as far as contacts are coupled */
    sn_f32x8 *normals;    /* (SN_CONTACT_BLOCKS x 3) 0 of grabs */
    sn_f32x8 *moved;      /* (SN_CONTACT_BLOCKS x 3) from the prediction to where the sweep has come */
    sn_f32x8 *points;     /* (SN_CONTACT_BLOCKS x 3) the same to the iteration's own point */
    sn_f32x8 *forces;     /* (SN_CONTACT_BLOCKS x 3) */
    sn_f32x8 *moved_before, *forces_before; /* (SN_CONTACT_BLOCKS x 3) the last sweep */
    sn_f32x8 *moved_way, *forces_way;       /* (SN_CONTACT_BLOCKS x 3) where sweeps lead */
    float settled; /* a sweep that moves no contact by more is the last: a fraction of the diagonal */
    bool is_fresh; /* there has been no sweep in the step */
    float *push;   /* (coordinate_count x 3) what forces add to the difference to the prediction */
    float *scaled; /* (coordinate_count) scratch: A^-1 times a row */
} sn_contact_set;

/* What contacts have of a step's energy, over the unit's square. */
typedef struct sn_touch_energy {
    double pressed, slid; /* of normal forces and grabs; of friction */
    double size;          /* of the terms that these are made of */
} sn_touch_energy;

/* Forces of the last step's last iteration: where the next one's begin. */
typedef struct sn_held_force {
    int sample, collider;
    uint32_t key; /* of the collider */
    float force[3];
} sn_held_force;

typedef struct sn_held_forces {
    int count;
    sn_held_force all[SN_CONTACT_LIMIT]; /* in the order of the contacts */
} sn_held_forces;

struct sn_reduced_body;
struct sn_reduced_solver;

sn_result sn_contacts_allocate(sn_arena *arena, int coordinate_count, sn_contact_set *set);
/* How far what a sample stands for may be from it: at rest, and half as much again for what poses stretch. */
float sn_sample_extent(const sn_model *model, int sample);
/* give (sample_count): how a contact gives way, at each sample, as in sn_contact; 0: the sample is rigid. */
void sn_contacts_soften(const sn_model *model, double time_step, double stiffness, float *give);
/* The solver's system is in place. */
sn_result sn_contacts_prepare(struct sn_reduced_solver *solver);
/* Finds the contacts of a step, at its prediction; rig_next is in place: see touch.c. */
void sn_contacts_find(struct sn_reduced_body *body, const sn_surroundings *surroundings);
/* Keeps what contacts push with for the next step. */
void sn_contacts_hold(struct sn_reduced_body *body);
/* The same in double: Z, given as the difference to the prediction (coordinate_count x 3). The float kernels' own is in
 * contacts_f32.inc. */
void sn_contacts_project(struct sn_reduced_body *body, double *difference);
/* Where z64 has contacts, from the prediction; and what they have of the step's energy there, with friction as strong
 * as the last projection has it: adds to the noise what rounding may hide of that. */
void sn_contacts_place_points(struct sn_reduced_body *body);
double sn_contacts_measure(struct sn_reduced_body *body, double *noise);

#endif
