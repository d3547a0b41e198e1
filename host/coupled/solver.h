/* SPDX-License-Identifier: MIT */
/* Internal declarations of the coupled solver.
 *
 * x^ is linear in the positions of the roots and in the linear parts of rotating handles. With the pivot c of a joint
 * determined by its parents, and p_k = x at rest - pivot_k,
 *   x^ - x at rest = sum_b phi_b(x) y_b:
 *   root r:            phi = sum of w_k over its tree,                   y = c_r - pivot_r
 *   column e of k:     phi = (w_k p_k,e + sum over children j of the weights of j's tree (pivot_j - pivot_k)_e) / L,
 *                      y = L (A_k - 1)_e.
 * So trees cost nothing per step: they are part of the constant matrix S_bc = sum m phi_b phi_c of these functions. L,
 * the diagonal, gives all of S the unit of mass.
 *
 * Of the basis, the functions F that move linearly (each axis separately) are eliminated when locks change. The
 * remaining functions, Q, are the columns of rotating handles. */
#ifndef SN_HOST_COUPLED_SOLVER_H
#define SN_HOST_COUPLED_SOLVER_H

#include "host/base/arena.h"
#include "host/coupled/coupled.h"
#include "host/coupled/passes.h"
#include "host/math/quaternion.h"
#include "host/xpbd/solver.h"

struct sn_coupled_rig {
    const sn_xpbd_model *model;
    int dimension, handle_count, root_count, rotating_count;
    int basis_count;            /* root_count + dimension * rotating_count */
    double length, mass;        /* L; mass of the flesh */
    sn_coupled_handle *handles; /* pivots are relative to the model's centre */
    int32_t *order;             /* (handle_count) parents before children */
    int32_t *roots;             /* (handle_count) index in the basis of the root of a handle's tree */
    int32_t *rotation_column;   /* (handle_count) index in the basis of a handle's columns; -1: none */
    double *gram;               /* (basis_count x basis_count) S of all vertices */
    double *single_gram;        /* the same for each handle alone: sum m w_k (1, p)(1, p)^T */
    sn_coupled_blocks blocks;
    sn_arena arena;
};

typedef struct sn_coupled_pose {
    double position[3];             /* c, world */
    double rotation[4], stretch[9]; /* A as quaternion, symmetric matrix; stale where A moves freely */
} sn_coupled_pose;

typedef struct sn_coupled_handle_state {
    unsigned locks;
    double position[3], linear[9];  /* c, world, and A (3 x 3) */
    double rotation[4], stretch[9]; /* as in a pose */
    sn_coupled_pose target, target_before;
    double compliance; /* negative: that of the settings */
    bool is_driven;    /* is part of the projection */
    double impulse[6];
} sn_coupled_handle_state;

/* Elimination of the linear functions of one axis: solved^2 + solved free + free^2 <= basis^2 numbers. In a large tree
 * they are not eliminated but bordered: a root's position adds a low-rank term to S' that would fill it, so it becomes
 * an unknown of the small system, behind the scalars, and S' is S_QQ. */
typedef struct sn_coupled_elimination {
    int free_count;
    int32_t *free;    /* (basis_count) functions */
    double *inverse;  /* (free x free) of S_FF */
    double *transfer; /* (solved x free) S_QF S_FF^-1 */
    double *reduced;  /* (solved x solved) S' = S_QQ - S_QF S_FF^-1 S_FQ */
    double *border;   /* (solved x free) S_QF */
    double *corner;   /* (free x free) S_FF */
    double *storage;  /* (basis_count^2 + SN_COUPLED_MAX_BORDER (basis_count + SN_COUPLED_MAX_BORDER)) */
    double *blocks;   /* (x 9 x SN_COUPLED_LINK_GROUP) `reduced` of a rotation-only system: [e][f][row handle], for each
                         column   handle and its groups of linked row handles */
    sn_coupled_nonzero_rows rows; /* nonzero rows of `reduced` */
} sn_coupled_elimination;

/* A locked translation of a joint: a large mass at its pivot that the fit moves to the target. */
typedef struct sn_coupled_joint_lock {
    int32_t handle;
    unsigned axes;
    double target[3];  /* relative to the flesh's origin */
    double *functions; /* (basis_count) phi at the pivot */
} sn_coupled_joint_lock;

/* A scalar of a handle in Q: a rotation about an axis, or an entry of its stretch. */
typedef struct sn_coupled_scalar {
    int32_t handle, solved; /* index in Q; its columns start at dimension * solved */
    int32_t number;         /* 0 to 2: rotation; 3 and above: stretch */
} sn_coupled_scalar;

#define SN_COUPLED_LARGE_TREE 16 /* minimal number of rotating handles */
#define SN_COUPLED_MAX_BORDER 12 /* free functions of all axes together */

/* The unknowns of the fit or of the projection. */
typedef struct sn_coupled_system {
    int solved_count; /* handles in Q */
    int32_t *solved;  /* (rotating_count) handles */
    int32_t *columns; /* (dimension x solved_count) their functions in the basis */
    int group_count;  /* groups of eight handles in Q */
    uint8_t *links;   /* (solved_count x group_count) bit set of the group's handles, from the column's own on, that are
                         coupled to the column's handle on any axis */
    bool is_rotation_only;  /* all scalars are rotations in space */
    int scalar_count;       /* of the handles in Q */
    int32_t *first_scalars; /* (solved_count + 1) first scalar of each handle */
    sn_coupled_scalar *scalars;
    int border_count;       /* unknowns behind the scalars: the free functions, axis by axis */
    sn_coupled_tiles tiles; /* over all unknowns */
    sn_coupled_elimination axes[3];
    const sn_coupled_elimination *of_axis[3]; /* axes with the same locks share one */
} sn_coupled_system;

struct sn_coupled_body {
    const sn_coupled_rig *rig;
    sn_xpbd_body *flesh;
    sn_coupled_settings settings;
    const sn_coupled_kernels *kernels;
    sn_coupled_handle_state *handles;
    bool is_prepared;             /* the systems match locks, pins, compliances and settings */
    uint64_t pin_edits;           /* the flesh's pin_edits that they match */
    double *fit_gram;             /* (basis_count^2) S blended with single_gram */
    double *free_gram;            /* (basis_count^2) S of the unpinned vertices */
    sn_coupled_nonzero_rows rows; /* nonzero rows of all three */
    double *free_moments;   /* (basis_count x (dimension + 1)) sum m phi (1, x at rest) of the unpinned vertices */
    double *multiplier_sum; /* (dimension x basis_count) y of the multipliers over h, summed over a step */
    int checked_part;       /* last of the SN_COUPLED_CHECK_BATCHES parts of the elements that was checked */
    int tangled_rounds;     /* consecutive rounds with an element stuck inverted */
    int flipped_rounds;     /* consecutive rounds with flesh flipped relative to a locked handle */
    bool is_tangled, is_flipped;
    double min_compliance_factor; /* minimal factor by which compliance reduces a projection: 1 + a~ / S */
    double target_movement, target_movement_before; /* of locked targets, maximal, in this step and the last */
    int joint_lock_count;
    bool is_for_float; /* the systems are for a device, which solves in float */
    double joint_lock_mass;
    sn_coupled_joint_lock *joint_locks; /* (handle_count) */
    sn_coupled_system fit, projection;
    /* Scratch of a substep; axis by axis (dimension x basis_count) unless noted. */
    double *handle_sums; /* (handle_count x (dimension + 1) x dimension) sums per handle, or changes */
    double *moments;     /* sum m phi u */
    double *y, *residual, *change;
    double *free_solution, *reduced_residual; /* reduced_residual: (dimension x columns in Q) */
    double *generators;                       /* (scalars x dimension^2) dy / dscalar */
    double *linear;                           /* (9 x lanes) A of the handles in Q */
    double *matrix, *right;                   /* (tiles); (unknowns) the solution */
    double *blended_gram, *scratch_gram;      /* (basis_count^2) used when locks change */
    void *lanes, *matrices;                   /* scratch of the passes */
    sn_arena arena;
};

/* Handles processed together. In a tree, a handle is coupled to few others, so a larger group rarely pays off. */
#define SN_COUPLED_LINK_GROUP 4

static inline int sn_coupled_link_group_start(int column)
{
    return column / SN_COUPLED_LINK_GROUP * SN_COUPLED_LINK_GROUP;
}

/* Bit set of SN_COUPLED_LINK_GROUP handles in Q, from `first` on, that are coupled to the column's handle; only those
 * from the column's own on. */
static inline unsigned sn_coupled_links(const sn_coupled_system *system, int first, int column)
{
    const unsigned group = system->links[system->group_count * column + first / SN_TILE];
    return group >> first % SN_TILE & ((1U << SN_COUPLED_LINK_GROUP) - 1);
}

/* Whether two handles in Q are coupled; other <= own. */
static inline bool sn_coupled_are_linked(const sn_coupled_system *system, int own, int other)
{
    return system->links[system->group_count * other + own / SN_TILE] >> own % SN_TILE & 1;
}

/* phi (basis_count) at a row of the model; handle_sums: scratch (handle_count x (dimension + 1)). */
void sn_coupled_basis_functions(const sn_coupled_rig *rig, int row, double *handle_sums, double *functions);
/* Converts sums per handle of w_k (1, x at rest), handle_sums (handle_count x (dimension + 1) x component_count), which
 * is overwritten, to sums per function (component_count x basis_count). */
void sn_coupled_to_basis(const sn_coupled_rig *rig, double *handle_sums, int component_count, double *sums);
/* Converts y (dimension x basis_count) to the handles' own motion, changes (handle_count x (dimension + 1) x
 * dimension): of the pivot, then column by column of the linear part. */
void sn_coupled_from_basis(const sn_coupled_rig *rig, const double *y, double *changes);

/* Sets y from the handles. */
void sn_coupled_read_handles(sn_coupled_body *body);
/* Computes the joints' positions from their parents'. */
void sn_coupled_update_joints(sn_coupled_body *body);
/* sn_coupled_compose: A from rotation and stretch. sn_coupled_decompose and sn_coupled_split_linear: these from A, the
 * rotation starting at its current value. */
void sn_coupled_compose(sn_coupled_handle_state *handle);
void sn_coupled_decompose(sn_coupled_handle_state *handle);
void sn_coupled_split_linear(const double *linear, double *rotation, double *stretch);
sn_coupled_pose sn_coupled_pose_of(const sn_coupled_handle_state *handle);
/* Position of a handle at rest under a rigid transform about the world's origin: quaternion, translation. */
void sn_coupled_transformed_position(const sn_coupled_rig *rig, int k, const double *rotation, const double *shift,
                                     double *position);
/* Moves a handle there; locks and targets stay. */
void sn_coupled_set_handle(sn_coupled_body *body, int k, const double *rotation, const double *shift);
/* The same for a new handle: free, with its targets at its position. */
void sn_coupled_init_handle(sn_coupled_body *body, int k, const double *rotation, const double *shift);
/* Initialises all handles at rest. */
void sn_coupled_init_handles(sn_coupled_body *body);
/* Indices of entry `number` of a symmetric matrix: the diagonal first. */
static inline void sn_coupled_symmetric_entry(int dimension, int number, int *i, int *j)
{
    *i = number < dimension ? number : number - dimension;
    *j = number < dimension ? number : (*i + 1) % dimension;
}

/* The locks that the handle's type and the dimension support. */
unsigned sn_coupled_possible_locks(const sn_coupled_rig *rig, int handle);
/* Number of scalars of all rotating handles. */
int sn_coupled_max_scalars(const sn_coupled_rig *rig);
/* The same plus the maximal border. */
int sn_coupled_max_unknowns(const sn_coupled_rig *rig);
bool sn_coupled_are_settings_valid(const sn_coupled_settings *settings);
/* The parts of the calls on a body that concern one handle; bodies on devices use them, too.
 * sn_coupled_set_handle_target returns whether the new target moves the body. */
void sn_coupled_set_handle_locks(const sn_coupled_rig *rig, int handle, unsigned possible_locks,
                                 sn_coupled_handle_state *state);
bool sn_coupled_set_handle_target(const sn_coupled_rig *rig, int handle, const double *transform,
                                  sn_coupled_handle_state *state);
void sn_coupled_set_handle_compliance(sn_coupled_handle_state *state, double compliance);
/* Allocates the rig-dependent part of a body, all zero. */
sn_result sn_coupled_allocate(sn_coupled_body *body);

/* Whether a row is pinned exactly. */
static inline bool sn_coupled_is_pinned(const sn_coupled_body *body, int row)
{
    return !(sn_xpbd_get_real(body->flesh, body->flesh->state.displacements, 4 * (size_t)row + 3) > 0);
}

/* Called at the start of a step. */
void sn_coupled_measure_target_movement(sn_coupled_body *body);
/* Limits body->change, computed from body->residual, to the maximal change of a projection. */
void sn_coupled_limit_change(sn_coupled_body *body);
/* Builds the systems from locks, pins, compliances and settings. */
void sn_coupled_prepare(sn_coupled_body *body);
/* The parts of a coupling: locked scalars to their targets at a fraction of the step; the fit of the free ones; the
 * projection. */
void sn_coupled_write_targets(sn_coupled_body *body, double fraction);
void sn_coupled_fit(sn_coupled_body *body, int newton_count);
void sn_coupled_project(sn_coupled_body *body);
/* Clears a step's impulses; adds those of a projection. */
void sn_coupled_clear_impulses(sn_coupled_body *body);
void sn_coupled_add_impulses(sn_coupled_body *body);
/* Whether nothing is locked or pinned. */
bool sn_coupled_is_free(const sn_coupled_body *body);
/* At the end of a step: repairs inverted elements; returns true if the whole body must be reset. */
bool sn_coupled_repair(sn_coupled_body *body);
#define SN_COUPLED_CHECK_BATCHES 16 /* steps in which all elements and handles are checked once */
#define SN_COUPLED_MAX_ROUNDS 8     /* rounds after which a stuck state is resolved */
/* Checks part `part` of SN_COUPLED_CHECK_BATCHES of the handles and resolves flips between handles and their flesh. */
void sn_coupled_resolve_flips(sn_coupled_body *body, int part);
/* Skinned position of a row (skinned_rows.c); replaces_inverted: replaces inverted handles by their rotation. */
void sn_coupled_skin_row(const sn_coupled_body *body, int row, bool replaces_inverted, double *position);
/* Moves an unpinned row by a fraction of the distance to its skinned position. */
void sn_coupled_pull_to_skin(sn_coupled_body *body, int row, double amount);
/* Current and rest position of a row; returns its mass. */
double sn_coupled_row_positions(const sn_coupled_body *body, int row, double *now, double *rest);
/* Rigid motion of the flesh relative to rest. */
void sn_coupled_flesh_motion(const sn_coupled_body *body, double *rotation, double *shift);
/* Rigid motion that takes the rest state to the mean of the targets, or of the pins. */
void sn_coupled_mean_motion(const sn_coupled_body *body, double *rotation, double *shift);
/* Moves handles to rest under a rotation and a shift, and the flesh, which must be at rest, unless pins hold it. */
void sn_coupled_set_rest(sn_coupled_body *body, const double *rotation, const double *shift);
/* Fits the free handles to the flesh, from an estimate. */
void sn_coupled_fit_free_handles(sn_coupled_body *body);
/* The complete coupling of a substep, between xpbd's sweep and its end. */
void sn_coupled_couple(sn_coupled_body *body, int substep);

#endif
