/* SPDX-License-Identifier: MIT */
/* Points of the skin grabbed by the user: damped springs of bounded force from surface samples to targets. They add
 * convex terms in Z to the global step's objective and are solved with the contacts (contacts.h). They are implicit, so
 * stable at any time step and stiffness. */
#ifndef SN_HOST_REDUCED_GRABS_H
#define SN_HOST_REDUCED_GRABS_H

#include <stdbool.h>

#include "host/model/model.h"
#include "sinew/world.h"

typedef struct sn_grab {
    bool is_active;
    int sample;
    double offset[3]; /* from the grabbed point to the sample */
    double target[3];
    sn_grab_desc desc;
} sn_grab;

/* Force per metre of extension, and per metre of movement in a step (damping). */
typedef struct sn_grab_spring {
    double stiffness, step_stiffness;
} sn_grab_spring;

struct sn_reduced_body;

/* Spring of a grab for a model whose flesh is stiffer by a factor. */
sn_grab_spring sn_grab_spring_at(const sn_model *model, double stiffness, double time_step, const sn_grab *grab);
/* Largest static displacement of a sample for a force of 1. */
double sn_grabs_max_response(const sn_model *model, double stiffness);
/* Grabs `sample` (-1: none), which is at `position`, if it is within desc->reach of `point`. grabs is (SN_GRAB_LIMIT).
 * Returns the grab's index, or -1. */
int sn_grabs_begin(sn_grab *grabs, int sample, const double *position, const double *point, const sn_grab_desc *desc);
void sn_grabs_drag(sn_grab *grabs, int grab, const double *target);
void sn_grabs_release(sn_grab *grabs, int grab);
void sn_grabs_transform(sn_grab *grabs, const double *transform);

/* Adds the active grabs as the first contacts of a step, at its prediction. */
void sn_grabs_add_contacts(struct sn_reduced_body *body);

#endif
