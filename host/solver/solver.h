/* SPDX-License-Identifier: MIT */
/* The interface between a world and a solver: one table of functions, filled by every solver. `shared` is the data of a
 * model and its parameters, shared by bodies. */
#ifndef SN_HOST_SOLVER_SOLVER_H
#define SN_HOST_SOLVER_SOLVER_H

#include "host/base/state_visitor.h"
#include "host/contact/collider.h"
#include "sinew/world.h"

typedef struct sn_solver_desc {
    double time_step;  /* seconds */
    double stiffness;  /* factor on the model's */
    double damping;    /* 1/s */
    double gravity[3]; /* model units/s^2 */
    double tolerance;  /* fraction of the diagonal */
    int iteration_limit;
    double budget_seconds; /* per step; 0: none */
    int mode_count;        /* the model's first modes; 0: all */
    int cluster_level;     /* 0: the finest */
    bool is_neo_hookean;   /* else co-rotational */
    bool is_without_bone_colliders;
    bool has_gravity_at_rest; /* else gravity is compensated in the bind pose (reduced bodies) */
    /* ---- coupled bodies ---- */
    int substep_count, sweep_count;
    double mass;        /* factor on the model's, > 0 */
    double poisson;     /* -1 or less: as cooked */
    double compliance;  /* s^2 */
    double sleep_speed; /* diagonals/s; 0: never */
    bool is_rigid_damped;
    bool is_constraint_locked_only; /* the complementarity constraint applies only to bones with a lock */
    bool is_double;                 /* double precision, for reference runs */
    /* ---- layered bodies; substeps, sweeps, mass, sleep and damping apply, too ---- */
    sn_layered_mode layered_mode;
    int consolidation_sweep_count;
} sn_solver_desc;

/* Poses are (bone_count x 12) doubles, row-major, relative to bind; matrices are (bone_count + mode_count) x 12 floats.
 */
typedef struct sn_solver_table {
    /* Scratch data for stepping `count` bodies at a time; it must outlive them. A backend's world takes its place. */
    sn_result (*scratch_create)(int count, void **scratch);
    void (*scratch_destroy)(void **scratch);
    sn_result (*shared_create)(const sn_model *model, const sn_solver_desc *desc, void *scratch, void **shared);
    void (*shared_destroy)(void **shared);
    /* Creates a body at rest in the pose. */
    sn_result (*body_create)(const void *shared, const double *pose, void **body);
    void (*body_destroy)(void **body);
    /* Switches to other parameters of the same model. The state is retained as far as the modes can represent it. For
     * reduced bodies it neither allocates nor fails. */
    sn_result (*body_set_shared)(void *body, const void *shared);
    /* Takes one time step to the pose. Returns false if the body diverged and was reset to its rig's pose. Allocates
     * nothing; different bodies may step concurrently. */
    bool (*body_step)(void *body, const double *pose, const sn_surroundings *surroundings);
    void (*body_impulse)(void *body, const double *point, const double *impulse);
    void (*body_reset)(void *body, const double *pose);
    /* Moves state and history by a rigid transform (12), exactly. */
    void (*body_teleport)(void *body, const double *transform);
    /* Matrices of all modes of the model, interpolated between the last two steps (fraction 0: the one before, 1: the
     * last); zero for modes that the parameters exclude. */
    void (*body_modes)(void *body, double fraction, double amount, float *matrices);
    void (*body_bone_impulse)(void *body, int bone, const double *impulse);
    int (*body_grab)(void *body, const double *point, const sn_grab_desc *desc); /* -1: no skin nearby */
    void (*body_drag)(void *body, int grab, const double *target);
    void (*body_release)(void *body, int grab);
    /* Sets the weights (morph_count), finite, for the next steps and resets; null: the solver ignores morph targets. */
    void (*body_morphs)(void *body, const float *weights);
    /* Matrices (bone_count x 12) of simulated bones, interpolated as by body_modes; null: the solver does not move
     * bones. */
    void (*body_bones)(const void *body, double fraction, float *matrices);
    /* Statistics of the last step; null: every step converges. */
    void (*body_step_stats)(const void *body, sn_body_step_stats *stats);
    void (*body_locks)(void *body, int bone, unsigned locks);
    void (*body_compliance)(void *body, int bone, double compliance);
    void (*body_lock_impulse)(const void *body, int bone, double *impulse);
    /* Positions (vertex_count x 3) of the tets' vertices after the last step; for solvers with body_bones. */
    void (*body_tet_positions)(const void *body, double *positions);
    void (*body_motion)(const void *body, sn_body_motion *motion);
    /* Like sn_body_tear and the functions after it; for solvers that move bones. */
    int (*body_tear)(void *body, const double *point, double radius);
    sn_result (*body_repair)(void *body);
    int (*body_add_spring)(void *body, const int32_t *vertices, double length, double stiffness);
    void (*body_remove_spring)(void *body, int spring);
    /* Changes to another rig on the same tets. Bone k is the old bone from[k], or, if that is -1, a new free bone that
     * is fitted to the flesh. */
    sn_result (*body_set_rig)(void *body, const void *shared, const int32_t *from);
    /* Changes to a model with the same bones, tets and modes but another stiffness; null: not supported. */
    void (*body_set_tuned)(void *body, const void *shared);
    /* Adds the impulse that the collider with this key exerted on the flesh in the last step; null: not available. */
    void (*body_collider_impulse)(const void *body, uint32_t collider_key, double *impulse);
    /* Visits the state; null: it cannot be saved. Its size depends on the model alone. Restored indices and counts are
     * checked. */
    void (*body_visit_state)(void *body, sn_state_visitor *visitor);
} sn_solver_table;

/* Complementary dynamics in skinning eigenmodes: host/reduced. */
extern const sn_solver_table sn_reduced_table;
/* Two-way coupling of rig and position-based flesh: host/coupled. */
extern const sn_solver_table sn_coupled_table;
/* Layered strain-based position-based dynamics: host/layered. */
extern const sn_solver_table sn_layered_table;

/* A device on which bodies of worlds step instead of on threads. backend_world_create creates the device's part of a
 * world. In the tables of a backend, work may be null, as may the functions for bones, grabs and morphs that it does
 * not support. body_step only schedules the body's next step, and returns false if an earlier one had to reset the
 * body. body_modes is null, because modes stay on the device. */
struct sn_backend {
    const sn_solver_table *table;   /* reduced bodies */
    const sn_solver_table *coupled; /* coupled bodies, or null if unsupported; its body_bones reads back */
    /* Identifies the device for recordings: the same text means bit-identical results. */
    void (*describe)(const sn_backend *backend, char *text, size_t size);
    const sn_solver_table *layered; /* layered bodies, or null if unsupported */
    /* step_limit: max steps between begin and end. */
    sn_result (*backend_world_create)(const sn_backend *backend, int step_limit, void **backend_world);
    void (*backend_world_destroy)(void **backend_world);
    /* Reserves memory before a world has `count` colliders including this one. body_step then receives the colliders.
     * SN_ERROR_UNSUPPORTED if the shape is not supported. */
    sn_result (*reserve_colliders)(void *backend_world, const sn_collider *collider, int count);
    /* Order of calls per sn_world_step: begin; for each step body_step of all bodies, then record_step; body_set_output
     * of all bodies; end. None of them allocates after the first calls. */
    void (*begin)(void *backend_world);
    void (*record_step)(void *backend_world);
    /* Fractions between the last two steps: of modes, as in body_modes; of bones and flesh, as in body_bones. */
    void (*end)(void *backend_world, double mode_fraction, double bone_fraction);
    /* Whether the device is lost. The world then destroys its bodies and steps them on the CPU. */
    bool (*is_lost)(const void *backend_world);
    /* Sets the rig's pose and the factor on the displacement for the output, from the next `end` on. */
    void (*body_set_output)(void *body, const double *pose, double amount);
    /* Enables matrices of the embedded flesh from the next `end` on; null disables them. For tables with
     * body_tet_positions. */
    sn_result (*body_set_embedding)(void *body, const sn_embedding *embedding);
    /* Reads back these matrices (count x 12), bones first, as of the last call. Waits. */
    sn_result (*body_read_embedded)(void *body, int count, float *matrices);
};

#endif
