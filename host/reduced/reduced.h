/* SPDX-License-Identifier: MIT */
/* Fast complementary dynamics in skinning eigenmodes (Benchekroun et al. 2023): the reduced local-global step, backward
 * Euler, linear co-rotational with one rotation a cluster; ARAP where Poisson's ratio is 0. A solver is a model plus
 * parameters, shared by bodies; a body is its state.
 *
 * A step minimises, over the coordinates Z (coordinate_count x 3),
 *   1/(2 h^2) |u - y|^2_M + s/2 sum_t mu_t V_t |F_t - R_c(t)|^2 + s/2 sum_c Lambda_c tr(R_c^T F_c / m_c - 1)^2
 *   - g . M u,   u = V Z + Jc P,   F_c = S_B Z + S_J P,   m_c = sum mu_t V_t,   Lambda_c = sum lambda_t V_t,
 * by alternating R_c = polar(F_c) and, the system being diagonal in this basis (see model.h),
 *   Z_i = (c0_i + s [sum_c S_B^T (R_c - 1)^T]_i) / (1/h^2 + s lambda_i),
 * accelerated by Anderson's method under a guard on the energy (see iterate_f32.inc).
 * The volumetric term joins that linearised: R_c - 1 becomes R_c - 1 - p_c R_c, p_c = Lambda_c / m_c^2 (tr R_c^T F_c -
 * 3 m_c), exactly its derivative, since tr R^T F is stationary in R at the polar rotation; and the system becomes
 * larger by a bound on its curvature (solver.c). The paper searches along a line in every iteration; here the energy
 * guard alone does (iterate_f32.inc), so that no step, of whatever material, ends with more energy than where it began:
 * at the prediction or ahead of it; plain ones of flesh without that term at Z_n. That includes contacts' energy, but
 * for plain steps in float, which go without a guard: of those that touched shaken colliders, 48 in 14296 ended higher
 * with a volumetric term, and none in 7954 without one. The rest's own term s K_J 1 = s sum_c S_B^T is subtracted on
 * both sides, so that rest is a fixed point to rounding. A flat body's traces at rest are (2 + SN_FLAT_DEPTH) m_c, not
 * 3 m_c.
 *
 * Flesh may be stable Neo-Hookean instead, on the same clusters with the same matrices (neo_hookean.inc).
 *
 * Morph targets are a part of the rig that inertia alone sees: u in |u - y|^2_M is V Z + Jc P + E Q, Q the rows of
 * model.h's pairs, and F_c is without E Q. A target is a shape that its maker drew, flesh's rest shape as long as it is
 * held: getting there shakes the flesh, being there does not. With E Q in F_c, as a bone's bend is, a smile would be a
 * strain that flesh relaxes, and never show as drawn; and large targets would turn tets inside out. */
#ifndef SN_HOST_REDUCED_REDUCED_H
#define SN_HOST_REDUCED_REDUCED_H

#include "host/contact/collider.h"
#include "host/model/model.h"
#include "host/solver/solver.h"

/* Of model->volume_bound, by which the system exceeds the quadratic part: see solver.c. */
#define SN_VOLUME_SHARE 1.75
/* m_c of a cluster. */
double sn_reduced_cluster_stiffness(const sn_model *model, int cluster);
/* Floats, here and on devices, count mass in this unit's square, about the body's own mass: coordinates in the unit,
 * rows of V in its inverse, forces and the F_c in its square. So their squares neither vanish nor overflow in bodies of
 * a micrometre or a thousand kilometres; being a power of two, it leaves every digit as it is. */
double sn_reduced_unit(const sn_model *model);

/* Float kernels exist for these. */
typedef enum sn_instructions {
    SN_INSTRUCTIONS_BASELINE,
    SN_INSTRUCTIONS_AVX2,
    SN_INSTRUCTIONS_AVX512,
    SN_INSTRUCTIONS_BEST = SN_INSTRUCTIONS_AVX512
} sn_instructions;

/* What bodies that step at the same time need one each of, and others share: see scratch.h. */
typedef struct sn_reduced_work sn_reduced_work;
/* For `count` bodies at a time; further ones wait. It must outlive its solvers. */
sn_result sn_reduced_work_create(int count, sn_reduced_work **work);
void sn_reduced_work_destroy(sn_reduced_work **work);

typedef struct sn_reduced_desc {
    double time_step;    /* seconds, > 0 */
    double stiffness;    /* multiplies the model's Young's modulus, >= 0 */
    double damping;      /* 1/s: the flesh's velocity relative to the rig decays by exp(-damping t), >= 0 */
    double gravity[3];   /* m/s^2 in model units */
    int iteration_limit; /* >= 1; up to 8 where less has not found an iterate that lowers the energy */
    double tolerance; /* stop when no vertex can have moved by more than this fraction of the diagonal in an iteration;
                         accelerated steps that hardly move the body go on to a hundredth of what they move it by */
    double budget_seconds; /* of a step: no further iteration is begun beyond; then results depend on the clock. 0: none
                            */
    int mode_count;        /* the model's first modes, at most (sn_model_level_mode_count); 0: all */
    int cluster_level;     /* 0: the finest; beyond the coarsest: that one */
    bool is_plain;         /* local-global iterations alone: no acceleration; in float without a guard */
    bool is_double;        /* the reference: double throughout, plain */
    bool is_neo_hookean;   /* stable Neo-Hookean flesh in place of the co-rotational (neo_hookean.inc): in float never
                              plain */
    bool is_without_bone_colliders; /* the model's own do not count */
    sn_reduced_work *work;          /* null: the solver's own, for one body at a time */
    sn_instructions instructions;   /* at most, of those that the processor has; all give the same bits */
} sn_reduced_desc;

/* h = 1/60, stiffness 1, no damping, no gravity, 30 iterations, tolerance 1e-6, no budget, every detail, accelerated,
 * float. */
sn_reduced_desc sn_default_reduced_desc(void);
/* These, with what the table of solvers says of reduced bodies. */
sn_reduced_desc sn_reduced_desc_of(const sn_solver_desc *desc);

typedef struct sn_reduced_solver sn_reduced_solver;
typedef struct sn_reduced_body sn_reduced_body;

typedef struct sn_reduced_report {
    int iteration_count;
    int refused_count;   /* of these, those that had raised the energy: a plain or shorter one took their place */
    double change;       /* the last plain iterate's largest possible movement, as a fraction of the diagonal */
    bool is_converged;   /* that is within the tolerance, and the step sound */
    bool is_over_budget; /* the time was spent before */
    bool is_recovered;   /* a number was not finite, or the flesh a hundred diagonals away: the body went back to its
                            rig's pose, at rest */
} sn_reduced_report;

/* The model must outlive the solver, the solver its bodies. */
sn_result sn_reduced_solver_create(const sn_model *model, const sn_reduced_desc *desc, sn_reduced_solver **solver);
void sn_reduced_solver_destroy(sn_reduced_solver **solver);
const sn_model *sn_reduced_solver_model(const sn_reduced_solver *solver);
/* Of its level of detail: the model's, or fewer. */
int sn_reduced_solver_coordinate_count(const sn_reduced_solver *solver);
int sn_reduced_solver_mode_count(const sn_reduced_solver *solver);

/* A body at rest in `pose` (bone_count x 3 x 4, row-major, relative to bind, model units); null = the bind pose. */
sn_result sn_reduced_body_create(const sn_reduced_solver *solver, const double *pose, sn_reduced_body **body);
void sn_reduced_body_destroy(sn_reduced_body **body);

/* Moves the rig to `pose` and the flesh by one time step. Null surroundings: nothing. Allocates nothing. */
sn_reduced_report sn_reduced_body_step(sn_reduced_body *body, const double *pose, const sn_surroundings *surroundings);

/* Weights (morph_count) of the model's morph targets in the next steps; a body begins with the model's own. Where one
 * is not finite the last ones stay, and the next step is a recovery. */
void sn_reduced_body_set_morphs(sn_reduced_body *body, const float *weights);

/* An impulse (kg times model units a second) on the flesh at the surface sample nearest to a point, as it is now. */
void sn_reduced_body_apply_impulse(sn_reduced_body *body, const double *point, const double *impulse);

/* One that all the skin which a bone moves shares, by rig weight and area. */
void sn_reduced_body_apply_bone_impulse(sn_reduced_body *body, int bone, const double *impulse);

/* See world.h: sn_body_grab and on. -1: nothing was grabbed. */
int sn_reduced_body_grab(sn_reduced_body *body, const double *point, const sn_grab_desc *desc);
void sn_reduced_body_drag(sn_reduced_body *body, int grab, const double *target);
void sn_reduced_body_release(sn_reduced_body *body, int grab);
/* Adds the impulse that the collider with this key gave in the last step, by contact and friction. */
void sn_reduced_body_pushed(const sn_reduced_body *body, uint32_t key, double *impulse);

/* The coordinates (coordinate_count x 3), of the solver's level of detail. */
const double *sn_reduced_body_coordinates(const sn_reduced_body *body);
/* Sets Z_n and Z_(n-1): a displacement without velocity. */
void sn_reduced_body_set_coordinates(sn_reduced_body *body, const double *coordinates);
/* The mode transforms (the model's mode_count x 3 x 4), row-major: displacement = sum_j w_j T_j [x, 1], times amount.
 * Modes that the solver leaves out have zeros. */
void sn_reduced_body_mode_transforms(const sn_reduced_body *body, double amount, double *transforms);

/* The same between the last two steps: fraction 0 is the one before, 1 the last. */
void sn_reduced_body_blended_transforms(sn_reduced_body *body, double fraction, double amount, double *transforms);

/* Other parameters for the same model; the state stays: with other modes, its projection in the norm of the mass, which
 * loses what the modes that go held, and nothing where modes are added. Allocates nothing. */
void sn_reduced_body_set_solver(sn_reduced_body *body, const sn_reduced_solver *solver);
/* At rest in a pose and the morph weights that were set last: no displacement, no velocity. */
void sn_reduced_body_reset(sn_reduced_body *body, const double *pose);
/* Moves coordinates and rig, now and before, by a rigid transform (3 x 4): exact, since rotations of the coordinates'
 * three columns stay in the subspace. */
void sn_reduced_body_teleport(sn_reduced_body *body, const double *transform);

typedef struct sn_reduced_energy {
    double kinetic; /* 1/2 |u_n - u_(n-1)|^2_M / h^2 */
    double elastic; /* s/2 sum mu V |F_t - R_c|^2, and the volumetric term */
} sn_reduced_energy;
/* In double, whatever the step's precision. */
sn_reduced_energy sn_reduced_body_energy(sn_reduced_body *body);

/* Gradient of the step's objective at coordinates Z for the motion that the next step to `pose` would see, and the
 * objective's value without terms that do not depend on Z; in double, for tests. gradient is (coordinate_count x 3). */
double sn_reduced_body_objective(sn_reduced_body *body, const double *pose, const double *coordinates,
                                 double *gradient);

#endif
