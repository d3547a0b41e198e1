/* SPDX-License-Identifier: MIT */
/* Inside of the coupling.
 *
 * x^ is linear in the places of the roots and in the linear parts of what turns: with c of a joint carried by its
 * parents, and p_k = x at rest - pivot_k,
 *   x^ - x at rest = sum_b phi_b(x) y_b:
 *   root r:              phi = sum of w_k over its tree,                     y = c_r - pivot_r
 *   column e of k:       phi = (w_k p_k,e + sum over children j of the weights of j's tree (pivot_j - pivot_k)_e) / L,
 *                        y = L (A_k - 1)_e.
 * So trees cost nothing in a step: they are in the constant matrix S_bc = sum m phi_b phi_c of these functions. L, the
 * diagonal, makes all of S masses.
 *
 * Of the basis, what moves linearly (each axis for itself) is eliminated when locks change: F; what is left, Q, are the
 * columns of handles that turn. */
#ifndef SN_HOST_COUPLED_SOLVER_H
#define SN_HOST_COUPLED_SOLVER_H

#include "host/base/arena.h"
#include "host/coupled/coupled.h"
#include "host/coupled/passes.h"
#include "host/math/quaternion.h"
#include "host/xpbd/solver.h"

struct sn_coupled_rig {
    const sn_xpbd_model *model;
    int dimension, handle_count, root_count, turning_count;
    int basis_count;            /* root_count + dimension * turning_count */
    double length, mass;        /* L; of the flesh */
    sn_coupled_handle *handles; /* pivots from the model's centre */
    int32_t *order;             /* (handle_count) parents before children */
    int32_t *roots;             /* (handle_count) root of a handle's tree, its place in the basis */
    int32_t *turning;           /* (handle_count) place of a handle's columns in the basis, or -1 */
    double *gram;               /* (basis_count x basis_count) S of all vertices */
    double *single_gram;        /* the same of handles each on its own: sum m w_k (1, p)(1, p)^T */
    sn_coupled_blocks blocks;
    sn_arena arena;
};

typedef struct sn_coupled_pose {
    double place[3];            /* c, world */
    double turn[4], stretch[9]; /* A = turn stretch, a quaternion and a symmetric matrix; stale where A moves freely */
} sn_coupled_pose;

typedef struct sn_coupled_handle_state {
    unsigned locks;
    double place[3], linear[9]; /* c, world, and A (3 x 3) */
    double turn[4], stretch[9]; /* as in a pose */
    sn_coupled_pose target, target_before;
    double compliance; /* own, or negative */
    bool is_driven;    /* the projection has it */
    double impulse[6];
} sn_coupled_handle_state;

/* One axis with what moves linearly on it eliminated: kept^2 + kept free + free^2 <= basis^2 numbers. Or, in a large
 * tree, not yet: what a root's place brings into S' is of low rank, and fills it; the small system has it as unknowns
 * of its own, behind the scalars, and S' is S_QQ. */
typedef struct sn_coupled_elimination {
    int free_count;
    int32_t *free;   /* (basis_count) functions */
    double *inverse; /* (free x free) of S_FF */
    double *carried; /* (kept x free) S_QF S_FF^-1 */
    double *reduced; /* (kept x kept) S' = S_QQ - S_QF S_FF^-1 S_FQ */
    double *border;  /* (kept x free) S_QF */
    double *corner;  /* (free x free) S_FF */
    double *storage; /* (basis_count^2 + SN_COUPLED_MOST_BORDER (basis_count + SN_COUPLED_MOST_BORDER)) */
    double *blocks;  /* (x 9 x SN_COUPLED_SOME) of `reduced`, of a system that turns: [e][f][handle of the row], for
                        handle after handle of the column, and some of the row that are linked with it */
    sn_coupled_rows rows; /* of `reduced` */
} sn_coupled_elimination;

/* A locked translation of a joint: a mass at its pivot that the fit takes to the target. */
typedef struct sn_coupled_hold {
    int32_t handle;
    unsigned axes;
    double target[3];  /* from the flesh's origin */
    double *functions; /* (basis_count) phi at the pivot */
} sn_coupled_hold;

/* A scalar of a handle in Q: rotation about an axis, or entry of its stretch. */
typedef struct sn_coupled_scalar {
    int32_t handle, kept; /* its columns are at dimension * kept of Q */
    int32_t number;       /* 0 .. 2: rotation; 3 ..: stretch */
} sn_coupled_scalar;

#define SN_COUPLED_LARGE_TREE 16  /* handles that turn */
#define SN_COUPLED_MOST_BORDER 12 /* what moves linearly, of all axes */

/* The fit's unknowns, or the projection's. */
typedef struct sn_coupled_system {
    int kept_count;   /* handles in Q */
    int32_t *kept;    /* (turning_count) handles */
    int32_t *columns; /* (dimension x kept_count) their functions */
    int group_count;  /* of eight handles in Q: lanes */
    uint8_t *links;  /* (kept_count x group_count) which handles of a group, from a column's own on, know of its, on any
                        axis */
    bool is_turning; /* rotations in space alone */
    int scalar_count; /* of the handles in Q */
    int32_t *firsts;  /* (kept_count + 1) scalars */
    sn_coupled_scalar *scalars;
    int border_count;       /* unknowns behind the scalars: axis after axis, what is free on it */
    sn_coupled_tiles tiles; /* of all unknowns */
    sn_coupled_elimination axes[3];
    const sn_coupled_elimination *of_axis[3]; /* axes that have the same locks share one */
} sn_coupled_system;

struct sn_coupled_body {
    const sn_coupled_rig *rig;
    sn_xpbd_body *flesh;
    sn_coupled_settings settings;
    const sn_coupled_kernels *kernels;
    sn_coupled_handle_state *handles;
    bool is_prepared;     /* the systems fit locks, pins, compliances and settings */
    uint64_t pin_edits;   /* of the flesh, that they fit */
    double *fit_gram;     /* (basis_count^2) S with the share of single handles */
    double *free_gram;    /* (basis_count^2) S of the vertices that are not pinned */
    sn_coupled_rows rows; /* of all three */
    double *shares; /* (basis_count x (dimension + 1)) sum m phi (1, x at rest) of the vertices that are not pinned */
    double *pushed; /* (dimension x basis_count) y of the multipliers over h, summed over a step */
    int healed;     /* the last of the parts of the elements that were looked at */
    int tangled_rounds; /* in all of which one was stuck inside out */
    int turned_rounds;  /* in all of which flesh was turned against a handle that is locked */
    bool is_tangled, is_turned;
    double yielding;            /* what compliance divides a projection by at least: 1 + a~ / S */
    double reach, reach_before; /* how far the targets of what is locked move at most in this step and the one before */
    int hold_count;
    bool is_for_float; /* a device takes the systems, and solves them in float */
    double hold_mass;
    sn_coupled_hold *holds; /* (handle_count) */
    sn_coupled_system fit, projection;
    /* scratch of a substep; axis after axis (dimension x basis_count) where nothing else is said */
    double *raw;     /* (handle_count x (dimension + 1) x dimension) sums by handle, and their changes */
    double *moments; /* sum m phi u */
    double *y, *residual, *change;
    double *found, *missing; /* the second: (dimension x columns in Q) */
    double *generators;      /* (scalars x dimension^2) dy / dscalar */
    double *linear;          /* (9 x lanes) A of the handles in Q */
    double *matrix, *right;  /* (tiles), (unknowns) what it gives */
    double *blend, *work;    /* (basis_count^2) when locks change */
    void *lanes, *matrices;  /* of the passes */
    sn_arena arena;
};

/* Handles that are looked at together: a tree's know of few others, so that more are seldom worth it. */
#define SN_COUPLED_SOME 4

static inline int sn_coupled_first_some(int column)
{
    return column / SN_COUPLED_SOME * SN_COUPLED_SOME;
}

/* Which of some handles in Q, from a first one on, know of the column's; none are in front of it. */
static inline unsigned sn_coupled_links(const sn_coupled_system *system, int first, int column)
{
    const unsigned group = system->links[system->group_count * column + first / SN_TILE];
    return group >> first % SN_TILE & ((1U << SN_COUPLED_SOME) - 1);
}

/* Whether handles in Q know of each other; `other` is not behind. */
static inline bool sn_coupled_are_linked(const sn_coupled_system *system, int own, int other)
{
    return system->links[system->group_count * other + own / SN_TILE] >> own % SN_TILE & 1;
}

/* phi (basis_count) of a row of the model; raw: scratch (handle_count x (dimension + 1)). */
void sn_coupled_functions(const sn_coupled_rig *rig, int row, double *raw, double *functions);
/* Sums by handle of w_k (1, x at rest), raw (handle_count x (dimension + 1) x component_count), which is spent, to sums
 * by function (component_count x basis_count). */
void sn_coupled_to_basis(const sn_coupled_rig *rig, double *raw, int component_count, double *sums);
/* y (dimension x basis_count) to the handles' own motion, changes (handle_count x (dimension + 1) x dimension): of the
 * pivot, then column by column of the linear part. */
void sn_coupled_spread(const sn_coupled_rig *rig, const double *y, double *changes);

/* y of the basis as the handles are. */
void sn_coupled_read_handles(sn_coupled_body *body);
/* Joints' places from their parents'. */
void sn_coupled_place_joints(sn_coupled_body *body);
/* A from turn and stretch, and these from A, turn from where it is. */
void sn_coupled_compose(sn_coupled_handle_state *handle);
void sn_coupled_decompose(sn_coupled_handle_state *handle);
void sn_coupled_split(const double *linear, double *turn, double *stretch);
sn_coupled_pose sn_coupled_pose_of(const sn_coupled_handle_state *handle);
/* Where a handle at rest is when all is moved by a rigid transform about the world's origin: quaternion, translation.
 */
void sn_coupled_place_moved(const sn_coupled_rig *rig, int k, const double *turn, const double *shift, double *place);
/* A handle to there; locks and targets stay. */
void sn_coupled_place_handle(sn_coupled_body *body, int k, const double *turn, const double *shift);
/* The same for a new handle: free, its targets where it is. */
void sn_coupled_begin_handle(sn_coupled_body *body, int k, const double *turn, const double *shift);
/* All of them, at rest. */
void sn_coupled_begin(sn_coupled_body *body);
/* Entry `number` of a symmetric matrix: the diagonal first. */
static inline void sn_coupled_entry(int dimension, int number, int *i, int *j)
{
    *i = number < dimension ? number : number - dimension;
    *j = number < dimension ? number : (*i + 1) % dimension;
}

/* Those of the handle's locks that its kind and the dimension have. */
unsigned sn_coupled_possible_locks(const sn_coupled_rig *rig, int handle);
/* Scalars of all handles that turn. */
int sn_coupled_most_scalars(const sn_coupled_rig *rig);
/* These, and what a border may have. */
int sn_coupled_most_unknowns(const sn_coupled_rig *rig);
bool sn_coupled_are_settings_sound(const sn_coupled_settings *settings);
/* What the calls on a body do to a handle alone; a device's bodies have handles, too. Aiming returns whether that moves
 * the body. */
void sn_coupled_lock(const sn_coupled_rig *rig, int handle, unsigned possible_locks, sn_coupled_handle_state *state);
bool sn_coupled_aim_at(const sn_coupled_rig *rig, int handle, const double *transform, sn_coupled_handle_state *state);
void sn_coupled_soften(sn_coupled_handle_state *state, double compliance);
/* What of a body depends on its rig, all zero. */
sn_result sn_coupled_allocate(sn_coupled_body *body);

/* Pinned exactly. */
static inline bool sn_coupled_is_held(const sn_coupled_body *body, int row)
{
    return !(sn_xpbd_get(body->flesh, body->flesh->state.displacements, 4 * (size_t)row + 3) > 0);
}

/* At the begin of a step. */
void sn_coupled_measure_reach(sn_coupled_body *body);
/* body->change, of body->residual, to what a projection may do. */
void sn_coupled_bound_push(sn_coupled_body *body);
/* What locks, pins, compliances and settings make constant. */
void sn_coupled_prepare(sn_coupled_body *body);
/* Locked scalars to where their targets are at that fraction of the step; then the fit of the free ones; then the
 * projection. */
void sn_coupled_write_targets(sn_coupled_body *body, double fraction);
void sn_coupled_fit(sn_coupled_body *body, int newton_count);
void sn_coupled_project(sn_coupled_body *body);
/* Of a step, and what a projection adds. */
void sn_coupled_clear_impulses(sn_coupled_body *body);
void sn_coupled_add_impulses(sn_coupled_body *body);
/* Nothing is locked or pinned. */
bool sn_coupled_is_free(const sn_coupled_body *body);
/* At the end of a step: elements that are inside out come back; true where all of the body has to. */
bool sn_coupled_heal(sn_coupled_body *body);
#define SN_COUPLED_ROUND 16      /* steps until all elements and handles have been looked at */
#define SN_COUPLED_MOST_ROUNDS 8 /* of a tangle, and of flesh turned against what is locked */
/* One in SN_COUPLED_ROUND of the handles: those that are turned against their flesh, or the flesh, turn back. */
void sn_coupled_turn_back(sn_coupled_body *body, int part);
/* skinned.c: where the handles have a row; is_sound: as if none of them were inside out. */
void sn_coupled_skin_row(const sn_coupled_body *body, int row, bool is_sound, double *place);
/* A row that is not pinned, by a share of the way to where it is skinned. */
void sn_coupled_draw_back(sn_coupled_body *body, int row, double share);
/* A row now, and at rest; returns its mass. */
double sn_coupled_place_row(const sn_coupled_body *body, int row, double *now, double *rest);
/* The flesh's rigid motion from rest. */
void sn_coupled_find_motion(const sn_coupled_body *body, double *turn, double *shift);
/* What a body at rest is moved by to where its targets are in the mean, or its pins. */
void sn_coupled_mean_motion(const sn_coupled_body *body, double *turn, double *shift);
/* Handles to rest, moved by a rotation and a shift, and flesh, that is at rest, unless pins have taken it along. */
void sn_coupled_rest_at(sn_coupled_body *body, const double *turn, const double *shift);
/* Free handles to where the flesh is, from a guess. */
void sn_coupled_settle(sn_coupled_body *body);
/* All of it: what a substep does between xpbd's sweep and its end. */
void sn_coupled_couple(sn_coupled_body *body, int substep);

#endif
