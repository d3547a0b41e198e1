/* SPDX-License-Identifier: MIT */
/* What a world asks of a solver: one table of functions, which every solver fills. A "shared" is what bodies of one
 * model with the same parameters have in common. */
#ifndef SN_HOST_SOLVER_SOLVER_H
#define SN_HOST_SOLVER_SOLVER_H

#include "host/contact/collider.h"
#include "sinew/world.h"

typedef struct sn_solver_desc {
    double time_step;  /* seconds */
    double stiffness;  /* times the model's */
    double damping;    /* 1/s */
    double gravity[3]; /* model units a second^2 */
    double tolerance;  /* fraction of the diagonal */
    int iteration_limit;
    double budget_seconds; /* of a step; 0: none */
    int mode_count;        /* the model's first modes; 0: all */
    int cluster_level;     /* 0: the finest */
    bool is_neo_hookean;   /* else co-rotational */
    bool is_without_bone_colliders;
    /* coupled bodies' */
    int substep_count, sweep_count;
    double mass;        /* times the model's, > 0 */
    double poisson;     /* -1 or less: as cooked */
    double compliance;  /* s^2 */
    double sleep_speed; /* diagonals a second; 0: never */
    bool is_rigid_damped;
    bool is_driven_only; /* complementary to what is locked alone */
    bool is_double;      /* the reference */
    /* layered bodies', besides substeps, sweeps, mass, sleep and damping */
    sn_layered_mode layered_mode;
    int consolidating_count;
} sn_solver_desc;

/* Poses are (bone_count x 12) doubles, row-major, relative to bind; matrices (bone_count + mode_count) x 12 floats. */
typedef struct sn_solver_table {
    /* What steps compute with, for `count` bodies at a time, of any solvers; it outlives them. A backend's place takes
     * its part. */
    sn_result (*work_create)(int count, void **work);
    void (*work_destroy)(void **work);
    sn_result (*shared_create)(const sn_model *model, const sn_solver_desc *desc, void *work, void **shared);
    void (*shared_destroy)(void **shared);
    /* At rest in the pose. */
    sn_result (*body_create)(const void *shared, const double *pose, void **body);
    void (*body_destroy)(void **body);
    /* Other parameters for the same model; the state stays, as far as the modes have it. A reduced body allocates
     * nothing, and does not fail. */
    sn_result (*body_share)(void *body, const void *shared);
    /* One time step to the pose; false where the body had to be put back to its rig's pose. Allocates nothing; bodies
     * may step at the same time. */
    bool (*body_step)(void *body, const double *pose, const sn_surroundings *surroundings);
    void (*body_impulse)(void *body, const double *point, const double *impulse);
    void (*body_reset)(void *body, const double *pose);
    /* Moves state and history by a rigid transform (12), exactly. */
    void (*body_teleport)(void *body, const double *transform);
    /* All the model's modes' matrices between the last two steps: fraction 0 the one before, 1 the last; zeros for
     * those that the parameters leave out. */
    void (*body_modes)(void *body, double fraction, double amount, float *matrices);
    void (*body_bone_impulse)(void *body, int bone, const double *impulse);
    int (*body_grab)(void *body, const double *point, const sn_grab_desc *desc); /* -1: nothing is there */
    void (*body_drag)(void *body, int grab, const double *target);
    void (*body_release)(void *body, int grab);
    /* Weights (morph_count), finite, of the next steps and resets; null: the solver knows no morph targets. */
    void (*body_morphs)(void *body, const float *weights);
    /* Of solvers that move bones; null: the pose does. Bones' matrices (bone_count x 12) between the last two steps, as
     * body_modes. */
    void (*body_bones)(const void *body, double fraction, float *matrices);
    /* What the last step came to; null: what all of them do. */
    void (*body_effort)(const void *body, sn_body_effort *effort);
    void (*body_locks)(void *body, int bone, unsigned locks);
    void (*body_compliance)(void *body, int bone, double compliance);
    void (*body_lock_impulse)(const void *body, int bone, double *impulse);
    /* (vertex_count x 3) of the tets, after the last step: of solvers with body_bones. */
    void (*body_flesh)(const void *body, double *positions);
    void (*body_motion)(const void *body, sn_body_motion *motion);
    /* As the world's sn_body_tear and on: of solvers that move bones. */
    int (*body_tear)(void *body, const double *point, double radius);
    sn_result (*body_mend)(void *body);
    int (*body_add_spring)(void *body, const int32_t *vertices, double length, double stiffness);
    void (*body_remove_spring)(void *body, int spring);
    /* Another rig on the same tets: bone k is the old one from[k], or new (-1), free, where the flesh is. */
    sn_result (*body_set_rig)(void *body, const void *shared, const int32_t *from);
} sn_solver_table;

/* Complementary dynamics in skinning eigenmodes: host/reduced. */
extern const sn_solver_table sn_reduced_table;
/* Two-way coupling of rig and position-based flesh: host/coupled. */
extern const sn_solver_table sn_coupled_table;
/* Layered strain-based position-based dynamics: host/layered. */
extern const sn_solver_table sn_layered_table;

/* Where the bodies of worlds step, if not on their threads: a device fills it. A world's bodies there are a "place".
 * Of the table, work may be null, and what bones share, grabs and morphs, where the backend has none; body_step only
 * says where the bodies' next step goes, and returns false where an earlier one had to put the body back; body_modes is
 * null, for the modes stay there.
 */
struct sn_backend {
    const sn_solver_table *table;   /* of reduced bodies */
    const sn_solver_table *coupled; /* of coupled ones, or null: there are none. Its body_bones reads back */
    /* What it is, so that a recording can tell it from others: same text, same bits. */
    void (*describe)(const sn_backend *backend, char *text, size_t size);
    const sn_solver_table *layered; /* of layered ones, or null */
    /* step_limit: steps between begin and end at most. */
    sn_result (*place_create)(const sn_backend *backend, int step_limit, void **place);
    void (*place_destroy)(void **place);
    /* Before a world has `count` colliders, this one among them: body_step takes them as they come.
     * SN_ERROR_UNSUPPORTED where it has not their shape. */
    sn_result (*reserve_colliders)(void *place, const sn_collider *collider, int count);
    /* A call of the world is: begin; body_step of all bodies, then record_step, for each step; body_show of all
     * bodies, then end. None of them allocates after the first calls. */
    void (*begin)(void *place);
    void (*record_step)(void *place);
    void (*end)(void *place, double fraction); /* between the last two steps, as body_modes has it */
    /* The rig's pose and the share of the displacement that are drawn from the next `end` on. */
    void (*body_show)(void *body, const double *pose, double amount);
    /* From the next `end` on, matrices of the flesh are made, too; null: no more. Of tables with body_flesh. */
    sn_result (*body_embed)(void *body, const sn_embedding *embedding);
    /* What the last call made of them (count x 12), bones first. Waits. */
    sn_result (*body_read_embedded)(void *body, int count, float *matrices);
};

#endif
