/* SPDX-License-Identifier: MIT */
/* Fast complementary dynamics in skinning eigenmodes (Benchekroun et al. 2023): the reduced local-global step with
 * backward Euler. The material is linear co-rotational with one rotation per cluster, which is ARAP where Poisson's
 * ratio is 0. A solver is a model plus parameters and is shared by bodies; a body is its state.
 *
 * A step minimises over the coordinates Z (coordinate_count x 3)
 *   1/(2 h^2) |u - y|^2_M + s/2 sum_t mu_t V_t |F_t - R_c(t)|^2 + s/2 sum_c Lambda_c tr(R_c^T F_c / m_c - 1)^2
 *   - g . M u,   u = V Z + Jc P,   F_c = S_B Z + S_J P,   m_c = sum mu_t V_t,   Lambda_c = sum lambda_t V_t.
 * It alternates R_c = polar(F_c) and, since the system is diagonal in this basis (see model.h),
 *   Z_i = (c0_i + s [sum_c S_B^T (R_c - 1)^T]_i) / (1/h^2 + s lambda_i),
 * accelerated by Anderson's method with an energy guard (see iterate_f32.inc).
 *
 * The volumetric term is linearised. R_c - 1 becomes R_c - 1 - p_c R_c with p_c = Lambda_c / m_c^2 (tr R_c^T F_c - 3
 * m_c); this is exactly the term's derivative, since tr R^T F is stationary in R at the polar rotation. The system
 * grows by a bound on the term's curvature (solver.c).
 *
 * Strain limits (kernels/strain_limit.inc) add kappa s/2 m_c |F_c / m_c - T_c|^2, with T_c the gradient nearest to
 * F_c / m_c whose principal stretches are within the cluster's range, and a small resistance to what varies within a
 * cluster (docs/design/reduced-complementary-dynamics.md). lambda and K_J, which the cook prepares for it, are taken
 * 1 + kappa times, and R_c - 1 becomes R_c - 1 + kappa (T_c - 1).
 *
 * The paper runs a line search in every iteration. Here the energy guard replaces it (iterate_f32.inc): a step never
 * ends with more energy, contact energy included, than at its start point. That point is the prediction or an
 * extrapolation from it; for unaccelerated steps without a volumetric term it is Z_n. Unaccelerated float steps have no
 * guard.
 *
 * The rest pose's own term s K_J 1 = s sum_c S_B^T is subtracted on both sides, so that the rest state is a fixed point
 * to rounding. A flat body's traces at rest are (2 + SN_FLAT_DEPTH) m_c instead of 3 m_c.
 *
 * The material can be stable Neo-Hookean instead, on the same clusters with the same matrices (neo_hookean.inc).
 *
 * Morph targets are part of the rig, but enter the inertia only: u in |u - y|^2_M is V Z + Jc P + E Q, with Q the rows
 * of model.h's pairs, while F_c has no E Q. A morph target redefines the rest shape. Changing its weight excites the
 * flesh; a constant weight causes no strain. With E Q in F_c, the flesh would relax the target's shape as if it were
 * strain, and large targets would invert tets. */
#ifndef SN_HOST_REDUCED_REDUCED_H
#define SN_HOST_REDUCED_REDUCED_H

#include "host/base/state_visitor.h"
#include "host/contact/collider.h"
#include "host/model/model.h"
#include "host/solver/solver.h"

/* Factor of model->volume_bound by which the system exceeds the quadratic part (see solver.c). */
#define SN_VOLUME_BOUND_FACTOR 1.75
/* Fraction of a coordinate's velocity that is left after a step. decay and tangent: of model.h, the latter times the
 * body's stiffness. */
double sn_reduced_retention(double time_step, double damping, double decay, double tangent);
/* Acceleration of flesh on a bone by gravity less gravity at bind, which is as strong, points down (-y), and rotates
 * with the bone. transform (3 x 4), relative to bind; its stretch is ignored. Exactly 0 in the bind pose for gravity
 * that points down. */
void sn_reduced_relative_gravity(const double gravity[3], const double *transform, double acceleration[3]);
/* Mass unit of float data, on the CPU and on devices: about the square root of the body's mass, rounded to a power of
 * two. Coordinates are in this unit, rows of V in its inverse, forces and F_c in its square. This keeps squares in
 * range for bodies from a micrometre to a thousand kilometres, and scaling by a power of two is exact. */
double sn_reduced_unit(const sn_model *model);

/* Instruction sets for which float kernels exist. */
typedef enum sn_instructions {
    SN_INSTRUCTIONS_BASELINE,
    SN_INSTRUCTIONS_AVX2,
    SN_INSTRUCTIONS_AVX512,
    SN_INSTRUCTIONS_BEST = SN_INSTRUCTIONS_AVX512
} sn_instructions;

/* Scratch memory shared by bodies, one block for each body that steps at the same time (see scratch.h). */
typedef struct sn_reduced_scratch_pool sn_reduced_scratch_pool;
/* Creates scratch for `count` concurrent bodies; further bodies wait. It must outlive the solvers that use it. */
sn_result sn_reduced_scratch_pool_create(int count, sn_reduced_scratch_pool **work);
void sn_reduced_scratch_pool_destroy(sn_reduced_scratch_pool **work);

typedef struct sn_reduced_desc {
    double time_step;         /* seconds, > 0 */
    double stiffness;         /* multiplies the model's Young's modulus, >= 0 */
    double damping;           /* 1/s: the velocity relative to the rig decays by exp(-damping t), >= 0 */
    double gravity[3];        /* m/s^2, in model units */
    bool has_gravity_at_rest; /* else flesh carries the difference to gravity at bind, in its bones' frames */
    int iteration_limit;      /* >= 1; exceeded, up to 8, until an iterate lowers the energy */
    double tolerance;         /* fraction of the diagonal: stop when no vertex can move by more in an iteration */
    double budget_seconds;    /* time limit of a step, 0: none; with a limit, results depend on the clock */
    int mode_count;           /* use the model's first modes only (see sn_model_level_mode_count); 0: all */
    int cluster_level;        /* 0: the finest; clamped to the coarsest */
    bool is_unaccelerated;    /* no acceleration; float steps then have no energy guard */
    bool is_double;           /* reference mode: double precision, not accelerated */
    bool is_neo_hookean; /* stable Neo-Hookean material (neo_hookean.inc); its float steps are always accelerated */
    bool is_without_bone_colliders; /* ignore the model's colliders on bones */
    sn_reduced_scratch_pool *work;  /* null: the solver creates its own, for one body at a time */
    sn_instructions instructions;   /* upper limit; the best supported set is used; all give identical bits */
} sn_reduced_desc;

/* Defaults: h = 1/60 s, stiffness 1, no damping, no gravity (where it is set, it acts at rest, too), 30 iterations,
 * tolerance 1e-6, no time limit, full detail, accelerated, float. */
sn_reduced_desc sn_default_reduced_desc(void);
/* The defaults, with the values of the generic solver description applied. */
sn_reduced_desc sn_reduced_desc_from_solver(const sn_solver_desc *desc);

typedef struct sn_reduced_solver sn_reduced_solver;
typedef struct sn_reduced_body sn_reduced_body;

typedef struct sn_reduced_report {
    int iteration_count;
    int rejected_count;  /* iterations that were rejected because they had raised the energy */
    double change;       /* bound on vertex movement in the last accepted fixed-point step, of the diagonal */
    bool is_converged;   /* change is within the tolerance and the step is valid */
    bool is_over_budget; /* the time limit was reached first */
    bool is_recovered;   /* invalid number, or flesh over 100 diagonals from the rig: reset to the rig's pose */
} sn_reduced_report;

/* The model must outlive the solver, the solver its bodies. */
sn_result sn_reduced_solver_create(const sn_model *model, const sn_reduced_desc *desc, sn_reduced_solver **solver);
void sn_reduced_solver_destroy(sn_reduced_solver **solver);
const sn_model *sn_reduced_solver_model(const sn_reduced_solver *solver);
/* Counts of the solver's level of detail, at most the model's. */
int sn_reduced_solver_coordinate_count(const sn_reduced_solver *solver);
int sn_reduced_solver_mode_count(const sn_reduced_solver *solver);

/* Creates a body at rest in `pose` (bone_count x 3 x 4, row-major, relative to bind, model units); null: bind pose. */
sn_result sn_reduced_body_create(const sn_reduced_solver *solver, const double *pose, sn_reduced_body **body);
void sn_reduced_body_destroy(sn_reduced_body **body);

/* Moves the rig to `pose` and advances the flesh by one time step. `surroundings` may be null. Allocates nothing. */
sn_reduced_report sn_reduced_body_step(sn_reduced_body *body, const double *pose, const sn_surroundings *surroundings);

/* Sets the weights (morph_count) of the model's morph targets for the next steps; a new body has the model's defaults.
 * If a weight is not finite, the previous weights stay and the next step reports a recovery. */
void sn_reduced_body_set_morphs(sn_reduced_body *body, const float *weights);

/* Applies an impulse (kg times model units per second) to the flesh at the surface sample nearest to `point`. */
void sn_reduced_body_apply_impulse(sn_reduced_body *body, const double *point, const double *impulse);

/* Applies an impulse to all the skin that a bone moves, distributed by rig weight and area. */
void sn_reduced_body_apply_bone_impulse(sn_reduced_body *body, int bone, const double *impulse);

/* Grabs, as sn_body_grab and its companions in world.h; -1: nothing was grabbed. */
int sn_reduced_body_grab(sn_reduced_body *body, const double *point, const sn_grab_desc *desc);
void sn_reduced_body_drag(sn_reduced_body *body, int grab, const double *target);
void sn_reduced_body_release(sn_reduced_body *body, int grab);
/* Adds to `impulse` what the collider with this key applied in the last step, by contact and friction. */
void sn_reduced_body_collider_impulse(const sn_reduced_body *body, uint32_t key, double *impulse);

/* The coordinates (coordinate_count x 3) at the solver's level of detail. */
const double *sn_reduced_body_coordinates(const sn_reduced_body *body);
/* Sets Z_n and Z_(n-1) to the same values: a displacement without velocity. */
void sn_reduced_body_set_coordinates(sn_reduced_body *body, const double *coordinates);
/* Writes the mode transforms (the model's mode_count x 3 x 4, row-major): displacement = sum_j w_j T_j [x, 1], times
 * `amount`. Modes that the solver does not use are zero. */
void sn_reduced_body_mode_transforms(const sn_reduced_body *body, double amount, double *transforms);

/* The same, interpolated between the last two steps: fraction 0 is the previous step, 1 the last. */
void sn_reduced_body_interpolated_transforms(sn_reduced_body *body, double fraction, double amount, double *transforms);

/* Switches to other parameters, or to a model that differs in stiffness alone (sn_body_set_model), and keeps the state.
 * If the modes differ, the state is projected in the mass norm: motion in removed modes is lost, and adding modes loses
 * nothing. Allocates nothing. */
void sn_reduced_body_set_solver(sn_reduced_body *body, const sn_reduced_solver *solver);
/* Resets the body to rest in `pose` with the morph weights that were set last: no displacement, no velocity. */
void sn_reduced_body_reset(sn_reduced_body *body, const double *pose);
/* Applies a rigid transform (3 x 4) to the current and previous coordinates and rig. Exact, since the subspace is
 * closed under rotation of the coordinates' three columns. */
void sn_reduced_body_teleport(sn_reduced_body *body, const double *transform);
/* Visits all that later steps depend on besides the solver; the state of a body whose solver has as many modes. */
void sn_reduced_body_visit_state(sn_reduced_body *body, sn_state_visitor *visitor);

typedef struct sn_reduced_energy {
    double kinetic; /* 1/2 |u_n - u_(n-1)|^2_M / h^2 */
    double elastic; /* s/2 sum mu V |F_t - R_c|^2, plus the volumetric term */
} sn_reduced_energy;
/* Computed in double, whatever the step's precision. */
sn_reduced_energy sn_reduced_body_energy(sn_reduced_body *body);

/* For tests: value and gradient (coordinate_count x 3) of the objective of the next step to `pose`, at the given
 * coordinates, in double. The value lacks the terms that do not depend on Z. */
double sn_reduced_body_objective(sn_reduced_body *body, const double *pose, const double *coordinates,
                                 double *gradient);

#endif
