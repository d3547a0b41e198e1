/* SPDX-License-Identifier: MIT */
/* Two-way coupling of skinning transformations and position-based dynamics (Wu and Umetani 2023) on top of host/xpbd:
 * the flesh moves the free scalars of the handles, and the locked scalars move the flesh.
 *
 * A substep is that of xpbd, with a coupling between its sweep and its second contacts:
 *   1. the rig's fit (equation 1): the handles' free scalars are chosen so that the skinned mesh x^ best fits the flesh
 *      x;
 *   2. the complementary projection (9), (10): C_s = sum m (dx^/dtheta_s) . (x - x^) = 0 for all scalars s, including
 *      locked ones.
 * Both are linear algebra with one small matrix G = J^T M J, whose entries are constant moments of the weights rotated
 * by the handles. Vertices are visited twice per substep: for sums of m w u and m w u p^T, and to add the result.
 *
 * Departures from the paper:
 * - All C_s are solved at once instead of in sequence.
 * - The fit takes two Newton steps, since one loses momentum, and keeps the second-order terms that the paper leaves
 *   out.
 * - Everything linear in x^ (translations, affine handles) is eliminated beforehand, so that a substep solves only for
 *   rotations.
 * - Rows of joints are reduced to the motion that the tree leaves free.
 * - Handles are regularised (`regularity`).
 * - Compliance acts as in XPBD, with multipliers starting at zero in each substep, but in proportion to the inertia
 *   that a handle moves.
 *
 * Types of handles: rigid; affine (squash and stretch); translation (a cage vertex: x^ = sum w (x + c - c at rest)).
 * There are no projective handles: their denominators differ from vertex to vertex, so neither the moments nor G would
 * be constant; they have poles that a drag pulls into the flesh; and skinning matrices cannot represent the result.
 *
 * A rig is immutable and shared; a body owns an xpbd body. Units are the model's. Vertices keep the caller's indices.
 */
#ifndef SN_HOST_COUPLED_COUPLED_H
#define SN_HOST_COUPLED_COUPLED_H

#include "host/xpbd/xpbd.h"

typedef enum sn_handle_type { SN_HANDLE_RIGID, SN_HANDLE_AFFINE, SN_HANDLE_TRANSLATION } sn_handle_type;

typedef struct sn_coupled_handle {
    sn_handle_type type;
    int32_t parent;   /* -1: free; else a joint: its pivot moves with the parent, and it only rotates. Any tree */
    double pivot[3];  /* at rest */
    const char *name; /* for messages; null: its index is used */
} sn_coupled_handle;

/* Description of a rig; everything but the model is copied. */
typedef struct sn_coupled_rig_desc {
    const sn_xpbd_model *model; /* must outlive the rig */
    int handle_count;           /* >= 1 */
    const sn_coupled_handle *handles;
    const double *weights; /* (vertex_count x handle_count), rows sum to 1 */
} sn_coupled_rig_desc;

typedef struct sn_coupled_rig sn_coupled_rig;
typedef struct sn_coupled_body sn_coupled_body;

/* Fails with SN_ERROR_ARGUMENT and a line that names the handle or the vertex. Weights below 1e-6 count as 0. Logs a
 * warning for a handle that affects no vertex; only its targets move it. */
sn_result sn_coupled_rig_create(const sn_coupled_rig_desc *desc, sn_coupled_rig **rig);
/* Destroy the rig's bodies first. */
void sn_coupled_rig_destroy(sn_coupled_rig **rig);
int sn_coupled_rig_handle_count(const sn_coupled_rig *rig);

typedef struct sn_coupled_settings {
    sn_xpbd_settings xpbd;
    /* Compliance of the complementary constraint, s^2, for all handles without their own; 0: exact. Flesh motion that
     * duplicates the handles' motion is pulled back as if by springs of 1 / sqrt(compliance) rad/s: by 1 / (1 +
     * compliance / h^2) of the distance in a substep of h seconds. The compliance of scalars s and t,
     *   a~_st = sqrt(compliance_s compliance_t) / h^2 G_st,
     * is proportional to the inertia that they move. So a value has the same effect for handles and bodies of any size
     * and mass, however many handles share the flesh, and free scalars cause no impulse. A joint's compliance is that
     * of its rotation. */
    double compliance;
    bool is_constraint_locked_only; /* complementary only to locked handles and their ancestors (the authors' fish
                            demo); else to all */
    /* Fraction of x - x^ that each handle fits alone to the flesh that it weights, >= 0, < 1; 0: as in the paper.
     * Without it, handles with nearly dependent weights drift apart to fit small details and deform the flesh. Free
     * bodies and momenta are not affected; locks act more softly per substep. */
    double regularity;
    int newton_count; /* Newton steps of the fit per substep; more if a handle rotates by more than 0.1 rad in one */
} sn_coupled_settings;

/* Defaults: those of xpbd, no compliance, all handles, regularity 0.05, two Newton steps. */
sn_coupled_settings sn_default_coupled_settings(void);

/* Locks, SN_LOCK_X etc. of sinew/world.h, select the scalars of a handle, in world axes, that follow its target;
 * physics moves the others. Available in the plane: X, Y, ROTATION_Z and STRETCH. A joint with locked translation
 * follows its target as far as its chain reaches: inverse kinematics. */

/* Creates a body at rest with all handles free. The rig must outlive the body. */
sn_result sn_coupled_body_create(const sn_coupled_rig *rig, const sn_coupled_settings *settings,
                                 sn_coupled_body **body);
void sn_coupled_body_destroy(sn_coupled_body **body);
/* Keeps the state; cannot switch between float and double. */
sn_result sn_coupled_body_set_settings(sn_coupled_body *body, const sn_coupled_settings *settings);

/* Replaces the rig by another on the same xpbd model and keeps the flesh's state. Handle k takes the transform, locks,
 * targets and compliances of the old rig's handle from[k]; if that is negative, it is free and starts at the flesh. */
sn_result sn_coupled_body_set_rig(sn_coupled_body *body, const sn_coupled_rig *rig, const int32_t *from);

/* Scalars that become locked stay at their values until a target is set. */
void sn_coupled_body_set_locks(sn_coupled_body *body, int handle, unsigned locks);
unsigned sn_coupled_body_locks(const sn_coupled_body *body, int handle);
/* Sets the target of a handle's locked scalars, which they reach within the next step and keep: a transform (3 x 4,
 * row-major) of the world relative to rest. A rigid handle uses only its rotation. Ignored if not finite or beyond a
 * million diagonals. */
void sn_coupled_body_set_target(sn_coupled_body *body, int handle, const double *transform);
/* Sets the compliance of one handle; negative or not finite: that of the settings. */
void sn_coupled_body_set_compliance(sn_coupled_body *body, int handle, double compliance);

typedef struct sn_coupled_report {
    int contact_count; /* in the last substep */
    bool is_asleep;    /* the step was skipped */
    bool is_recovered; /* a number was not finite, the flesh was 1000 diagonals from its locks, or elements stayed
                          inverted for 128 steps: reset to rest, in place if free, else to the targets */
} sn_coupled_report;

/* Advances by one step. `surroundings` may be null. Allocates nothing after the first step since the model was edited,
 * a pin added or settings changed. */
sn_coupled_report sn_coupled_body_step(sn_coupled_body *body, const sn_surroundings *surroundings);
/* Steps many bodies in parallel; reports (count) may be null. A body's result does not depend on the worker count. */
void sn_coupled_bodies_step(sn_jobs *jobs, sn_coupled_body *const *bodies, int count,
                            const sn_surroundings *surroundings, sn_coupled_report *reports);

/* Writes the handles' transforms (handle_count x 12), row-major, of the world relative to rest, as linear blend
 * skinning uses them. */
void sn_coupled_body_transforms(const sn_coupled_body *body, double *transforms);
/* Writes the skinned mesh x^ (vertex_count x 3), world. */
void sn_coupled_body_rig_positions(const sn_coupled_body *body, double *positions);
/* Impulse (6) of a handle's locks on the flesh in the last step: linear, then angular about the handle's pivot. The sum
 * over all handles is the change of the flesh's momenta by the coupling. In a tree, the linear part is assigned to the
 * root, except for locked translations of joints; with is_constraint_locked_only it is that of the handle's own rows.
 */
void sn_coupled_body_impulse(const sn_coupled_body *body, int handle, double *impulse);

/* The xpbd body, for positions, velocities, pins, impulses and energies. Do not call xpbd's step, settings, reset or
 * teleport on it. */
sn_xpbd_body *sn_coupled_body_flesh(sn_coupled_body *body);

/* Resets locked scalars to their targets, and the flesh and the other handles to rest, moved by the targets' mean
 * movement; no velocity. */
void sn_coupled_body_reset(sn_coupled_body *body);
/* Applies a rigid transform (3 x 4) to flesh, handles and targets. */
void sn_coupled_body_teleport(sn_coupled_body *body, const double *transform);

#endif
