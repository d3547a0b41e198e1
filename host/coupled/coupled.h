/* SPDX-License-Identifier: MIT */
/* Two-way coupling of skinning transformations and position-based dynamics (Wu and Umetani 2023) on top of host/xpbd:
 * handles are moved by the flesh where nothing holds them, and move it where something does.
 *
 * A substep is xpbd's, with a coupling between its sweep and its second contacts:
 *   1. the rig's fit (equation 1): the handles' free scalars go where the skinned mesh x^ lies best on the flesh x;
 *   2. the complementary projection (9), (10): C_s = sum m (dx^/dtheta_s) . (x - x^) = 0 for all scalars s, locked too.
 * Both are linear algebra of one small matrix G = J^T M J, whose entries are constant moments of the weights turned by
 * the handles; vertices are visited twice a substep, for sums of m w u and m w u p^T, and to add what was found.
 *
 * Departures from the paper: all C_s are solved for at once instead of one after the other; the fit takes two Newton
 * steps, since one loses momentum; the terms of second order that it leaves out are kept; what is linear in x^
 * (translations, affine handles) is eliminated beforehand, so that only rotations are solved for in a substep; rows of
 * joints are reduced to what the tree leaves free; and handles are kept together (regularity). Compliance acts as in
 * XPBD, with multipliers from zero each substep, but in proportion to the inertia of what a handle moves.
 *
 * Kinds of handles: rigid; affine (squash and stretch); translation (a cage's vertex: x^ = sum w (x + c - c at rest)).
 * There are no projective ones: their denominators differ from vertex to vertex, so that neither moments nor G would be
 * constant, they have poles that a drag pulls into the flesh, and skinning matrices cannot carry what comes out.
 *
 * A rig is immutable and shared; a body owns an xpbd body. Units are the model's. Vertices keep the caller's numbers.
 */
#ifndef SN_HOST_COUPLED_COUPLED_H
#define SN_HOST_COUPLED_COUPLED_H

#include "host/xpbd/xpbd.h"

typedef enum sn_handle_kind { SN_HANDLE_RIGID, SN_HANDLE_AFFINE, SN_HANDLE_TRANSLATION } sn_handle_kind;

typedef struct sn_coupled_handle {
    sn_handle_kind kind;
    int32_t parent;   /* -1: free. Else its pivot is carried by the parent: a joint, which only turns. Any tree */
    double pivot[3];  /* at rest */
    const char *name; /* for messages, or null: its number */
} sn_coupled_handle;

/* Everything but the model is copied. */
typedef struct sn_coupled_rig_desc {
    const sn_xpbd_model *model; /* must outlive the rig */
    int handle_count;           /* >= 1 */
    const sn_coupled_handle *handles;
    const double *weights; /* (vertex_count x handle_count), rows sum to 1 */
} sn_coupled_rig_desc;

typedef struct sn_coupled_rig sn_coupled_rig;
typedef struct sn_coupled_body sn_coupled_body;

/* SN_ERROR_ARGUMENT with a line that names the handle or the vertex. Weights below 1e-6 count as 0. A handle that no
 * vertex feels is warned of; nothing moves it but its targets. */
sn_result sn_coupled_rig_create(const sn_coupled_rig_desc *desc, sn_coupled_rig **rig);
/* After its bodies. */
void sn_coupled_rig_destroy(sn_coupled_rig **rig);
int sn_coupled_rig_handle_count(const sn_coupled_rig *rig);

typedef struct sn_coupled_settings {
    sn_xpbd_settings xpbd;
    /* Of the complementary constraint, s^2, for all handles that have none of their own; 0: exact. Flesh that moves as
     * its handles would, but without them, is drawn back as by springs of 1 / sqrt(compliance) radians a second: by
     * 1 / (1 + compliance / h^2) of the way in a substep of h seconds. The compliance of scalars s and t,
     *   a~_st = sqrt(compliance_s compliance_t) / h^2 G_st,
     * is in proportion to the inertia that they move, so that a number means the same for handles and bodies of any
     * size and mass, however many handles share the flesh, and what is free takes up nothing by it. A joint's is that
     * of what it turns. */
    double compliance;
    bool is_driven_only; /* complementary to handles with a lock, and what carries them, alone: the authors' demo of a
                            fish; else to all, as in the paper */
    /* Share of x - x^ that a handle fits as if it were alone, each to the flesh that it weighs: without it, handles
     * whose weights nearly depend on each other fly apart to fit what is fine, and take the flesh along. It leaves free
     * bodies and momenta alone; locks act by so much more softly a substep. 0: the paper's; < 1 */
    double regularity;
    int newton_count; /* steps of the fit a substep; more where a handle turns by more than a tenth at once */
} sn_coupled_settings;

/* xpbd's, no compliance, all handles, .05, two Newton steps. */
sn_coupled_settings sn_default_coupled_settings(void);

/* Locks, SN_LOCK_X and on of sinew/world.h: scalars of a handle that its targets drive, in world axes; physics moves
 * the rest. In the plane: X, Y, ROTATION_Z and STRETCH. A joint's translation, locked, is followed as far as its chain
 * reaches: inverse kinematics. */

/* At rest, all handles free. The rig must outlive the body. */
sn_result sn_coupled_body_create(const sn_coupled_rig *rig, const sn_coupled_settings *settings,
                                 sn_coupled_body **body);
void sn_coupled_body_destroy(sn_coupled_body **body);
/* The state stays; but not between float and double. */
sn_result sn_coupled_body_set_settings(sn_coupled_body *body, const sn_coupled_settings *settings);

/* Another rig on the same xpbd model: the flesh's state stays. Handle k takes up the transform, locks, targets and
 * compliances of the old rig's handle from[k]; where that is negative it is free, and begins where the flesh is. */
sn_result sn_coupled_body_set_rig(sn_coupled_body *body, const sn_coupled_rig *rig, const int32_t *from);

/* What becomes locked stays where it is until a target is set. */
void sn_coupled_body_set_locks(sn_coupled_body *body, int handle, unsigned locks);
unsigned sn_coupled_body_locks(const sn_coupled_body *body, int handle);
/* Where the locked scalars of a handle move to within the next step, and stay: a transform (3 x 4, row-major) of the
 * world relative to rest. A rigid handle takes its rotation alone. Not finite, or beyond a million diagonals: ignored.
 */
void sn_coupled_body_set_target(sn_coupled_body *body, int handle, const double *transform);
/* Of one handle; negative or not finite: the settings'. */
void sn_coupled_body_set_compliance(sn_coupled_body *body, int handle, double compliance);

typedef struct sn_coupled_report {
    int contact_count; /* of the last substep */
    bool is_asleep;    /* the step did nothing */
    bool is_recovered; /* a number was not finite, or the flesh a thousand diagonals from what holds it: it went back to
                          rest, where the targets are; or it was tangled for 128 steps, free, or held and wound up
                          together with its rig: to rest where it was, or where the targets are */
} sn_coupled_report;

/* One step. Null surroundings: nothing. Allocates nothing after the first step since the model was edited, a pin added
 * or settings changed. */
sn_coupled_report sn_coupled_body_step(sn_coupled_body *body, const sn_surroundings *surroundings);
/* Many bodies, shared among workers; reports (count), or null. Each body's bits do not depend on their number. */
void sn_coupled_bodies_step(sn_jobs *jobs, sn_coupled_body *const *bodies, int count,
                            const sn_surroundings *surroundings, sn_coupled_report *reports);

/* (handle_count x 12) row-major, of the world relative to rest: what linear blend skinning takes. */
void sn_coupled_body_transforms(const sn_coupled_body *body, double *transforms);
/* (vertex_count x 3) of the skinned mesh x^, world. */
void sn_coupled_body_rig_positions(const sn_coupled_body *body, double *positions);
/* What a handle's locks gave to the flesh in the last step: (6) linear, and angular about the handle's pivot. The sum
 * over all handles is what the coupling changed the flesh's momenta by. In a tree the linear one is the root's, but for
 * locked translations of joints; is_driven_only: what the handle's rows gave. */
void sn_coupled_body_impulse(const sn_coupled_body *body, int handle, double *impulse);

/* Positions, velocities, pins, impulses, energies: xpbd's calls, but not its step, settings, reset or teleport. */
sn_xpbd_body *sn_coupled_body_flesh(sn_coupled_body *body);

/* Locked scalars to their targets, the flesh and the rest of the handles at rest, moved by what the targets are moved
 * by in the mean; no velocity. */
void sn_coupled_body_reset(sn_coupled_body *body);
/* Moves flesh, handles and targets by a rigid transform (3 x 4). */
void sn_coupled_body_teleport(sn_coupled_body *body, const double *transform);

#endif
