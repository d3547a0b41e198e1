/* SPDX-License-Identifier: MIT */
/* Places of the skin that the user holds: damped springs from samples of the surface to targets, of a bounded force.
 * They join the global step's objective as what is convex in Z, and are solved with the contacts (contacts.h):
 * implicit, hence stable at any time step and stiffness. */
#ifndef SN_HOST_REDUCED_GRABS_H
#define SN_HOST_REDUCED_GRABS_H

#include <stdbool.h>

#include "sinew/world.h"

typedef struct sn_grab {
    bool is_held;
    int sample;
    double offset[3]; /* from where it was grabbed to the sample */
    double target[3];
    sn_grab_desc desc;
} sn_grab;

struct sn_reduced_body;
struct sn_reduced_solver;

/* How far a force of 1 moves the softest sample in the end. */
double sn_grabs_softest(const struct sn_reduced_solver *solver);
/* The first contacts of a step, at its prediction. */
void sn_grabs_add(struct sn_reduced_body *body);

#endif
