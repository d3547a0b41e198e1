/* SPDX-License-Identifier: MIT */
/* Places of the skin that the user holds: damped springs from samples of the surface to targets, of a bounded force.
 * They join the global step's objective as what is convex in Z, and are solved with the contacts (contacts.h):
 * implicit, hence stable at any time step and stiffness. */
#ifndef SN_HOST_REDUCED_GRABS_H
#define SN_HOST_REDUCED_GRABS_H

#include <stdbool.h>

#include "host/model/model.h"
#include "sinew/world.h"

typedef struct sn_grab {
    bool is_held;
    int sample;
    double offset[3]; /* from where it was grabbed to the sample */
    double target[3];
    sn_grab_desc desc;
} sn_grab;

/* Per metre, and per metre that it moves in a step: together what pulls. */
typedef struct sn_grab_spring {
    double stiffness, per_step;
} sn_grab_spring;

struct sn_reduced_body;

/* What depends on a model, flesh that is stiffer than its own by a factor, and the time step alone. */
sn_grab_spring sn_grab_spring_at(const sn_model *model, double stiffness, double time_step, const sn_grab *grab);
/* How far a force of 1 moves the softest sample in the end. */
double sn_grabs_softest(const sn_model *model, double stiffness);
/* Of a body's grabs (SN_GRAB_LIMIT). Takes a sample that is at `position`, for -1 none, where it is in reach of the
 * point: the grab's number, or -1. */
int sn_grabs_take(sn_grab *grabs, int sample, const double *position, const double *point, const sn_grab_desc *desc);
void sn_grabs_drag(sn_grab *grabs, int grab, const double *target);
void sn_grabs_release(sn_grab *grabs, int grab);
void sn_grabs_move(sn_grab *grabs, const double *transform);

/* The first contacts of a step, at its prediction. */
void sn_grabs_add(struct sn_reduced_body *body);

#endif
