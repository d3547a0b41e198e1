/* SPDX-License-Identifier: MIT */
/* Private to host/springs: joints in vector lanes, and their kernels. */
#ifndef SN_HOST_SPRINGS_SWING_H
#define SN_HOST_SPRINGS_SWING_H

#include "host/base/arena.h"
#include "host/springs/springs.h"

#define SN_SPRING_LANES 8

typedef float sn_spring_lanes[SN_SPRING_LANES];

/* A solid with which some joints of a block collide: 1 for these lanes. */
typedef struct sn_spring_contact {
    _Alignas(32) sn_spring_lanes affected;
    int32_t solid;
} sn_spring_contact;

/* Joints of one depth. Positions are relative to the body's anchor. */
typedef struct sn_spring_block {
    _Alignas(64) sn_spring_lanes head[3], along[3]; /* posed without springs: head, and vector from head to tail */
    sn_spring_lanes now[3], before[3];              /* tail after this step, and after the step before */
    sn_spring_lanes rest_tail[3],
        rest_tail_before[3]; /* rest position of the tail in the last step, and in the step before */
    sn_spring_lanes follow_factor, follow_change_factor, inertia_factor, pull,
        weight[3]; /* coefficients of a step; pull: relative to `along`; weight: gravity, relative to the length */
    sn_spring_lanes hit_radius;   /* relative to the length, as is weight */
    sn_spring_lanes max_distance; /* max distance of the head from the anchor, for the search of colliders */
    sn_spring_lanes force_factor; /* coefficient of external forces */
    sn_spring_lanes parent_rotation[9], parent_head[3], parent_location[3]; /* of the parent joint, gathered */
    sn_spring_lanes parent_direction[3];      /* unit direction before the parents' rotations */
    sn_spring_lanes rotation[9], location[3]; /* a posed point x moves to location + rotation (x - head) */
    int32_t joints[SN_SPRING_LANES];          /* index in the model; -1: an empty lane */
    int32_t parents[SN_SPRING_LANES];         /* index of the parent's lane: block * lanes + lane; -1: none */
    int first_contact, contact_count;
    bool has_parents;
} sn_spring_block;

/* Rotations of a block's joints. */
typedef struct sn_spring_rotations {
    _Alignas(64) sn_spring_lanes rotation[9], location[3];
} sn_spring_rotations;

/* The positions that a block stores between steps. */
#define SN_SPRING_STORED_COUNT 4
#define SN_SPRING_STORED_POSITIONS(b)                                                                                  \
    {                                                                                                                  \
        (b)->now, (b)->before, (b)->rest_tail, (b)->rest_tail_before                                                   \
    }

/* A solid in a pose, relative to the anchor. */
typedef struct sn_posed_solid {
    float location[3];
    float along[3]; /* from a capsule's first end to its second; a plane's normal */
    float inverse;  /* 1 / along^2 of a capsule, else 0 */
    float radius;
    int32_t is_plane, is_inside;
} sn_posed_solid;

/* Wind in a step. */
typedef struct sn_spring_air {
    float displacement[3]; /* displacement of the air in the step, model units */
    float drag;            /* factor on the squared displacement relative to the tail */
} sn_spring_air;

/* One step of a block's tails and rotations; inertia_factor and force_factor scale the block's coefficients; air may be
 * null. */
typedef void sn_spring_swing_function(sn_spring_block *block, const sn_spring_contact *contacts,
                                      const sn_posed_solid *solids, const sn_spring_air *air, float inertia_factor,
                                      float force_factor);
/* Computes the rotations of a block from its joints' directions. */
typedef void sn_spring_rotation_function(sn_spring_block *block);

typedef struct sn_spring_kernels {
    sn_spring_swing_function *swing;
    sn_spring_rotation_function *rotation;
} sn_spring_kernels;
extern const sn_spring_kernels sn_spring_kernels_baseline, sn_spring_kernels_avx2;

/* A grabbed point of the skin, at bind, and the joint that carries it. */
typedef struct sn_spring_grab {
    bool is_active;
    int32_t joint;
    double location[3], target[3];
    double at[3];           /* smoothed target, because targets arrive once per frame */
    double tail_targets[3]; /* target of the joint's tail in a step, relative to the anchor */
} sn_spring_grab;

#define SN_SPRING_MAX_NEARBY 64 /* max number of a world's colliders per body, nearest to the anchor */

struct sn_springs {
    const sn_model *model;
    const sn_spring_kernels *kernels;
    sn_arena arena;
    int substep_count;
    double substep;          /* seconds */
    double max_displacement; /* max displacement of the anchor in a substep, model units: SN_SPRING_MAX_SPEED */
    sn_spring_block *blocks;
    int block_count;
    sn_spring_rotations
        *step_rotations; /* (block_count) rotations of the last step, while others are computed for display */
    sn_spring_contact *contacts;
    int contact_count;
    sn_posed_solid *solids;    /* (spring_solid_count) */
    bool has_simulated_solids; /* some solids are on simulated bones */
    bool has_centers;
    bool is_invalid;     /* a pose exceeded the range of floats even for a reset: the state is invalid */
    int32_t *slots;      /* (spring_joint_count) block * lanes + lane */
    int32_t *used_bones; /* (used_count) bones whose pose is needed */
    int used_count;
    double anchor[3];
    double *pose_last, *pose_between; /* (bone_count x 12), used bones only */
    float *bone_directions[2];        /* (spring_joint_count x 3) directions in the bones' frames: one step ago, now */
    double blend_weights[2];          /* blend weights of the swing, one step ago and now: 0 .. 1 */
    bool is_on;                       /* whether the blend weights increase to 1 or decrease to 0 */
    sn_spring_grab grabs[SN_GRAB_LIMIT];
    double *masses;       /* (spring_joint_count) kg: of sn_springs_mass */
    double *tail_targets; /* (spring_joint_count x 3) tail targets of grabs, relative to the anchor */
    double *requests;     /* (spring_joint_count x 4) of a pass: sum of the requested positions, and their number */
    bool *is_constrained; /* (spring_joint_count) */
    int32_t *path;        /* (spring_joint_count) grabbed joints and their ancestors, from the root */
    const sn_collider
        *nearby[SN_SPRING_MAX_NEARBY + 1]; /* (nearby_count) colliders in a step; one spare element for the search */
    int nearby_count;
};

/* pose.c: heads, tails and anchor of a pose; then the solids. */
void sn_springs_update_heads(sn_springs *s, const double *pose, double *anchor);
void sn_springs_update_solids(sn_springs *s, const double *pose);
/* Moves the stored tails with the anchor (above the max speed) and with moving centers. */
void sn_springs_move_tails(sn_springs *s, const double *pose, const double *anchor);
/* Copies the rotations of the parents' blocks. */
void sn_springs_gather_parents(sn_springs *s, sn_spring_block *block);
/* Applies the rotations to a pose. */
void sn_springs_pose(const sn_springs *s, const double *pose, double *posed);
/* Computes rotations from the directions at a fraction between steps, with a blend weight. Heads must be set. */
void sn_springs_update_rotations(sn_springs *s, double fraction, double blend_weight, const double *pose);
/* Transform (12) of a joint's bone, including its rotation. */
void sn_springs_rotated_bone(const sn_springs *s, int joint, const double *pose, double *rotated);

/* colliders.c: finds the world's colliders near the body, in the world's order. Heads must be set. */
void sn_springs_find_nearby_colliders(sn_springs *s, const sn_surroundings *surroundings);
/* Moves a lane's tail out of them, on the sphere about its head. Returns true if it moved. */
bool sn_springs_push_out(const sn_springs *s, sn_spring_block *b, int lane);

/* interaction.c: computes the masses that the joints' bones carry. */
void sn_springs_compute_masses(sn_springs *s);
/* Updates targets before a step; heads must be set. Returns false without grabs. */
bool sn_springs_update_grabs(sn_springs *s, const double *pose);
/* Solves for the tails' targets after the swing. */
void sn_springs_solve_grabs(sn_springs *s);
/* Moves a lane's tail to its target, if it has one, and restores its length. */
void sn_springs_pull_tail(const sn_springs *s, sn_spring_block *b, int lane);
void sn_springs_release_all(sn_springs *s);
/* Restarts the smoothed targets at the grabbed points' positions in a pose. */
void sn_springs_restart_grabs(sn_springs *s, const double *pose);
void sn_springs_transform_grabs(sn_springs *s, const double *transform);

#endif
