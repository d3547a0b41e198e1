/* SPDX-License-Identifier: MIT */
/* What a world asks of a solver: one table of functions, which every solver fills. A "shared" is what bodies of one
 * model with the same parameters have in common. */
#ifndef SN_HOST_SOLVER_SOLVER_H
#define SN_HOST_SOLVER_SOLVER_H

#include "host/contact/collider.h"
#include "sinew/model.h"

typedef struct sn_solver_desc {
    double time_step;  /* seconds */
    double stiffness;  /* times the model's */
    double damping;    /* 1/s */
    double gravity[3]; /* model units a second^2 */
    double tolerance;  /* fraction of the diagonal */
    int iteration_limit;
    double budget_seconds; /* of a step; 0: none */
} sn_solver_desc;

/* Poses are (bone_count x 12) doubles, row-major, relative to bind; matrices (bone_count + mode_count) x 12 floats. */
typedef struct sn_solver_table {
    sn_result (*shared_create)(const sn_model *model, const sn_solver_desc *desc, void **shared);
    void (*shared_destroy)(void **shared);
    /* At rest in the pose. */
    sn_result (*body_create)(const void *shared, const double *pose, void **body);
    void (*body_destroy)(void **body);
    /* Other parameters for the same model; the state stays. */
    void (*body_share)(void *body, const void *shared);
    /* One time step to the pose; false where the body had to be put back to its rig's pose. Allocates nothing; bodies
     * may step at the same time. */
    bool (*body_step)(void *body, const double *pose, const sn_surroundings *surroundings);
    void (*body_impulse)(void *body, const double *point, const double *impulse);
    void (*body_reset)(void *body, const double *pose);
    /* Moves state and history by a rigid transform (12), exactly. */
    void (*body_teleport)(void *body, const double *transform);
    /* The modes' matrices between the last two steps: fraction 0 the one before, 1 the last. */
    void (*body_modes)(void *body, double fraction, double amount, float *matrices);
    /* Weights (morph_count), finite, of the next steps and resets; null: the solver knows no morph targets. */
    void (*body_morphs)(void *body, const float *weights);
} sn_solver_table;

/* Complementary dynamics in skinning eigenmodes: host/reduced. */
extern const sn_solver_table sn_reduced_table;

#endif
