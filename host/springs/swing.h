/* SPDX-License-Identifier: MIT */
/* Private to host/springs: joints in lanes, and the kernels over them. */
#ifndef SN_HOST_SPRINGS_SWING_H
#define SN_HOST_SPRINGS_SWING_H

#include "host/base/arena.h"
#include "host/springs/springs.h"

#define SN_SPRING_LANES 8

typedef float sn_spring_lanes[SN_SPRING_LANES];

/* A solid that some of a block's joints bump into: 1 for those lanes that do. */
typedef struct sn_spring_contact {
    _Alignas(32) sn_spring_lanes feels;
    int32_t solid;
} sn_spring_contact;

/* Joints of one depth. Places are relative to the body's anchor, unless they are directions. */
typedef struct sn_spring_block {
    _Alignas(64) sn_spring_lanes head[3],
        along[3];                            /* as posed, without what swings: the head, and from it to the tail */
    sn_spring_lanes now[3], before[3];       /* the tail, and where it was a step ago */
    sn_spring_lanes goal[3], goal_before[3]; /* where stiffness pulled the tail to in the last step, and before */
    sn_spring_lanes follow, bend, keep, pull,
        weight[3];              /* of a step; pull: of along; weight: gravity's, of the length */
    sn_spring_lanes hit_radius; /* over the length, as is weight */
    sn_spring_lanes reach;      /* how far its head can get from the anchor: where colliders are looked for */
    sn_spring_lanes kick;       /* of a step, on pulls that are none of the joint's own */
    sn_spring_lanes parent_turn[9], parent_head[3], parent_place[3]; /* of the joint above, gathered */
    sn_spring_lanes aim[3];                                          /* where it points, unit, parents' turns undone */
    sn_spring_lanes turn[9], place[3]; /* what a point x of the pose becomes: place + turn (x - head) */
    int32_t joints[SN_SPRING_LANES];   /* of the model; -1: an empty lane */
    int32_t parents[SN_SPRING_LANES];  /* where they are: block * lanes + lane; -1: none */
    int first_contact, contact_count;
    bool has_parents;
} sn_spring_block;

/* What a block's joints are turned by. */
typedef struct sn_spring_turns {
    _Alignas(64) sn_spring_lanes turn[9], place[3];
} sn_spring_turns;

/* What a block keeps of places. */
#define SN_SPRING_KEPT_COUNT 4
#define SN_SPRING_KEPT(b)                                                                                              \
    {                                                                                                                  \
        (b)->now, (b)->before, (b)->goal, (b)->goal_before                                                             \
    }

/* A solid where the pose has it, relative to the anchor. */
typedef struct sn_placed_solid {
    float place[3];
    float along[3]; /* from a capsule's one end to the other; a plane's normal */
    float inverse;  /* 1 / along^2 of a capsule, else 0 */
    float radius;
    int32_t is_plane, is_inside;
} sn_placed_solid;

/* Wind of a step. */
typedef struct sn_spring_air {
    float way[3]; /* of the air in the step, model units */
    float drag;   /* times the way against the tail, squared, and the kick: what that is moved by */
} sn_spring_air;

/* One step of a block, tails and turns; keep and kick are factors on what the block has; air may be null. */
typedef void sn_spring_swing_function(sn_spring_block *block, const sn_spring_contact *contacts,
                                      const sn_placed_solid *solids, const sn_spring_air *air, float keep, float kick);
/* Turns of a block from where its joints aim. */
typedef void sn_spring_turn_function(sn_spring_block *block);

typedef struct sn_spring_kernels {
    sn_spring_swing_function *swing;
    sn_spring_turn_function *turn;
} sn_spring_kernels;
extern const sn_spring_kernels sn_spring_kernels_baseline, sn_spring_kernels_avx2;

/* A place that is held: of the skin, at bind, carried by a joint. */
typedef struct sn_spring_grab {
    bool is_held;
    int32_t joint;
    double place[3], target[3];
    double at[3];     /* on the way to the target, which comes by frames */
    double wanted[3]; /* from the anchor: of the joint's tail, in a step */
} sn_spring_grab;

#define SN_SPRING_NEAR 64 /* colliders of a world that a body is looked at beside, at a time: nearest to the anchor */

struct sn_springs {
    const sn_model *model;
    const sn_spring_kernels *kernels;
    sn_arena arena;
    int substep_count;
    double substep;  /* seconds */
    double most_way; /* of the anchor in a substep, model units: SN_SPRING_SPEED */
    sn_spring_block *blocks;
    int block_count;
    sn_spring_turns *stepped; /* (block_count) the last step's turns, while others are drawn */
    sn_spring_contact *contacts;
    int contact_count;
    sn_placed_solid *solids; /* (spring_solid_count) */
    bool has_sprung_solids;  /* some hang on what swings */
    bool has_centers;
    bool is_lost;        /* a pose was too large even for a reset: nothing that is kept counts */
    int32_t *slots;      /* (spring_joint_count) block * lanes + lane */
    int32_t *used_bones; /* (used_count) whose pose is looked at */
    int used_count;
    double anchor[3];
    double *pose_last, *pose_between; /* (bone_count x 12), of used bones alone */
    float *aims[2];                   /* (spring_joint_count x 3) in the bone's own frame: a step ago, now */
    double shares[2];                 /* of the swing that is seen, a step ago and now: 0 .. 1 */
    bool is_on;                       /* where shares go: 1 or 0 */
    sn_spring_grab grabs[SN_GRAB_LIMIT];
    double *masses;  /* (spring_joint_count) kg: of sn_springs_mass */
    double *wanted;  /* (spring_joint_count x 3) where grabs pull tails to, from the anchor */
    double *asked;   /* (spring_joint_count x 4) of a pass: the sum of places asked for, and how many; else 0 */
    bool *is_wanted; /* (spring_joint_count) */
    int32_t *path;   /* (spring_joint_count) what is held and all above, from above */
    const sn_collider *near[SN_SPRING_NEAR + 1]; /* (near_count) in a step; one more while they are looked for */
    int near_count;
};

/* place.c: heads, tails and the anchor of a pose; then the solids. */
void sn_springs_place(sn_springs *s, const double *pose, double *anchor);
void sn_springs_place_solids(sn_springs *s, const double *pose);
/* What the anchor's way and moving centers make of the tails. */
void sn_springs_carry(sn_springs *s, const double *pose, const double *anchor);
/* The turns of the blocks above. */
void sn_springs_gather(sn_springs *s, sn_spring_block *block);
/* The pose as the turns have it. */
void sn_springs_pose(const sn_springs *s, const double *pose, double *posed);
/* Turns from the aims at a fraction, with the share of them that is seen; heads are in place. */
void sn_springs_aim(sn_springs *s, double fraction, double share, const double *pose);
/* A lane's bone of the pose as its turn has it (12). */
void sn_springs_turned(const sn_springs *s, int joint, const double *pose, double *turned);

/* colliders.c: those of a world that are near the body in a step, of which heads are in place; in the world's order. */
void sn_springs_find_near(sn_springs *s, const sn_surroundings *surroundings);
/* The lane's tail out of them, on the sphere about its head. True where it was moved. */
bool sn_springs_push_out(const sn_springs *s, sn_spring_block *b, int lane);

/* holds.c: what the joints' bones carry, into masses. */
void sn_springs_weigh(sn_springs *s);
/* Before a step, on heads that are in place; false: there are no grabs. */
bool sn_springs_follow_hands(sn_springs *s, const double *pose);
/* Where grabs want tails that have swung. */
void sn_springs_find_wanted(sn_springs *s);
/* A lane's tail to there, if it is wanted somewhere, and to its length from the head. */
void sn_springs_pull(const sn_springs *s, sn_spring_block *b, int lane);
void sn_springs_release_all(sn_springs *s);
/* Grabs begin anew where the turns have what they hold in a pose, on the way to their targets. */
void sn_springs_take_again(sn_springs *s, const double *pose);
void sn_springs_move_grabs(sn_springs *s, const double *transform);

#endif
