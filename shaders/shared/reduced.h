/* SPDX-License-Identifier: MIT */
/* What compute/reduced and shaders/reduced share: records, and where things lie in the buffers. Words are 32 bits. Mass
 * is in a unit near the body's own (host/reduced/reduced.h): so are coordinates, impulses, what areas weigh. */
#ifndef SN_SHADERS_SHARED_REDUCED_H
#define SN_SHADERS_SHARED_REDUCED_H

#ifdef __STDC_VERSION__
#include <stdint.h>
#define SN_UINT uint32_t
#define SN_STRUCT(name) struct name
#define SN_SHARED_FUNCTION static inline
#define SN_NOTHING void
#else
#define SN_UINT uint
#define SN_STRUCT(name) name
#define SN_SHARED_FUNCTION
#define SN_NOTHING
#endif

/* Invocations a body. */
#define SN_REDUCED_GROUP_SIZE 64

/* Bindings of set 0, all storage buffers. */
#define SN_REDUCED_MODELS 0
#define SN_REDUCED_RECORDS 1
#define SN_REDUCED_POSES 2
#define SN_REDUCED_STATES 3
#define SN_REDUCED_MATRICES 4
#define SN_REDUCED_STATUSES 5
#define SN_REDUCED_IMPULSES 6
#define SN_REDUCED_COLLIDERS 7
#define SN_REDUCED_CONTACTS 8
#define SN_REDUCED_HISTORIES 9
#define SN_REDUCED_GRIDS 10
#define SN_REDUCED_BINDING_COUNT 11

/* What a dispatch is told of the pushing kernel: its first applies the flags of records. */
#define SN_REDUCED_PUSH_FIRST 1
#define SN_REDUCED_PUSH_LATER 2

/* Flags of a record. */
#define SN_REDUCED_FRESH 1   /* its status starts too; comes with RESET */
#define SN_REDUCED_RESET 2   /* at rest, before anything else */
#define SN_REDUCED_TURNED 4  /* by `turn`, before anything else */
#define SN_REDUCED_REFUSED 8 /* the pose was not finite, and is the last sound one */
#define SN_REDUCED_PUSHED 16 /* by impulses */
#define SN_REDUCED_WINDY 32
#define SN_REDUCED_RESIZED 64  /* from another level of detail, before anything else; not with RESET */
#define SN_REDUCED_HOOKEAN 128 /* its flesh is Neo-Hookean */
#define SN_REDUCED_POSED 256   /* its flesh rests in the rig's pose, not in the bind pose */
#define SN_REDUCED_HURRIED 512 /* its limit on iterations is what its budget affords */
/* The highest bit is never set: shaders/reduced/body.glsl. */

/* Of a level that has all of its model's coordinates. */
#define SN_REDUCED_NO_BASIS 0xffffffffu

/* One body in one recording. */
struct sn_reduced_record {
    SN_UINT flags;
    SN_UINT body;                                                    /* its status */
    SN_UINT model, pose, matrices;                                   /* first vec4 in their buffers */
    SN_UINT state;                                                   /* first float */
    SN_UINT coordinate_count, cluster_count, bone_count, mode_count; /* of its model at its level of detail */
    SN_UINT source_count, count_before; /* coordinates of the finest level, of the one that the state is of */
    SN_UINT basis, basis_before;        /* first vec4 of these levels' bases in the buffer of models */
    SN_UINT sample_count, influence_count, pair_count, delta_count;
    SN_UINT impulse, impulse_count;   /* first vec4 */
    SN_UINT grab, grab_count;         /* first vec4, among the impulses */
    SN_UINT collider, collider_count; /* first vec4 */
    SN_UINT own_count;                /* of these the first, on the model's bones */
    SN_UINT clearance_count;          /* of all that the model has on its bones */
    SN_UINT contacts;                 /* first float, where there are colliders */
    SN_UINT history, column_limit;    /* first float; columns of Anderson's acceleration, 0: none */
    SN_UINT iteration_limit;          /* >= 1 */
    float step, step2;                /* h, h^2 */
    float stiffness, kept, amount;    /* kept: share of velocity that damping leaves */
    float volume; /* the system exceeds the quadratic part by this share of its elastic one: host/reduced/solver.c */
    float tolerance, farthest, diagonal; /* lengths in model units */
    float rig_moved;                     /* about how far the rig goes in the step */
    float gravity[3], wind[3];
    float turn[9]; /* row-major rotation */
};

/* What a body's last step did. */
struct sn_reduced_status {
    SN_UINT recovery_count; /* since it was added */
    SN_UINT iteration_count;
    SN_UINT is_running;     /* between the dispatches of a step alone */
    SN_UINT is_converged;   /* once it is not: `change` is within the tolerance */
    SN_UINT is_over_budget; /* and this: it is not, and the step had as many iterations as its budget affords */
    float change;           /* the last iteration's largest possible movement, in model units */
};

/* vec4 an impulse: the point, relative to the last step's root, 0, or 1 + the bone whose skin shares it; mass times
 * model units a second. */
#define SN_REDUCED_IMPULSE_ROWS 2

/* vec4 a grab, in the same buffer: sample, give, largest force, share of the spring in what pulls, damping the rest;
 * the target, relative to the root. See host/reduced/grabs.c. */
#define SN_REDUCED_GRAB_ROWS SN_REDUCED_IMPULSE_ROWS

/* vec4 a collider: rows of its transform, to the root's place where it is on a bone of the body; of that less the one
 * at the step's start; half extents and radius, or a grid's origin and spacing; half height, or a grid's slope,
 * friction, shape, a grid's first vec4 in the buffer of grids; the low and the high half of its key, 0, 0. */
#define SN_REDUCED_COLLIDER_ROWS 9
#define SN_REDUCED_COLLIDER_STEP 3
#define SN_REDUCED_COLLIDER_EXTENTS 6
#define SN_REDUCED_COLLIDER_HEIGHT 7
#define SN_REDUCED_COLLIDER_KEY 8
#define SN_REDUCED_PLANE 0
#define SN_REDUCED_SPHERE 1
#define SN_REDUCED_CAPSULE 2
#define SN_REDUCED_BOX 3
#define SN_REDUCED_GRID 4

/* vec4 a bone in the buffer of poses: the pose's rows; the rows of its difference to the step before; its translation
 * relative to the root's. Behind the bones the morph pairs: the rows of the difference of their three columns. Behind
 * these, where morph targets move points of the surface, two morph targets a vec4: their weights in this step and in
 * the last one. */
#define SN_REDUCED_POSE_ROWS 7
#define SN_REDUCED_POSE_STEP 3
#define SN_REDUCED_POSE_CENTRE 6
#define SN_REDUCED_PAIR_ROWS 3

SN_SHARED_FUNCTION SN_UINT sn_reduced_fours(SN_UINT count)
{
    return (count + 3) / 4;
}

/* A sample of the surface, and the vertices that stick out of what it stands for. */
#define SN_REDUCED_EXTREMES 8

/* A model, in vec4. q4: fours of coordinates, b: bones, p: morph pairs, r: modes. Points are the samples, then the
 * extremes of each. */
struct sn_reduced_model_layout {
    SN_UINT local;           /* S_B (q4 x 3 x cluster_count), four coordinates each: coalesced over clusters */
    SN_UINT global;          /* S_B (cluster_count x 3 x q4), the same: coalesced over coordinates */
    SN_UINT bone;            /* S_J (b x 3 x cluster_count), a bone's four columns each */
    SN_UINT mass_cross;      /* (b x 4 q4), a bone's four columns each */
    SN_UINT stiffness_cross; /* the same */
    SN_UINT morph_cross;     /* (p x 4 q4), a pair's three columns each, 0 */
    SN_UINT coordinate;      /* (4 q4) lambda, reach, V^T M 1, 0 */
    SN_UINT mode;            /* mode_from_coordinate (4 q4 x r), a mode's four columns each */
    SN_UINT volume;          /* (cluster_count) Lambda_c / m_c^2, 3 m_c, 1 / m_c, m_c */
    SN_UINT skin;            /* (sample_count x 2) normal, area; extent, 0, 0, 0 */
    SN_UINT point;           /* (point_count + 1) rest position, first influence; none: the sample's own vertex */
    SN_UINT influence;       /* (influence_count) bone, weight, bone, weight */
    SN_UINT delta_start;     /* (point_count + 1, four a vec4) first delta; none without deltas */
    SN_UINT delta;           /* (delta_count) what morph targets add to points at rest: offset, morph target */
    SN_UINT row;             /* (q4 x point_count) rows of V, four coordinates each */
    SN_UINT clearance;       /* (sample_count x clearance_count) as the model's, four a vec4 */
    SN_UINT basis;           /* (basis_rows x q4) a level's, four coordinates each */
    SN_UINT size;
};

struct sn_reduced_model_counts {
    SN_UINT coordinates, clusters, bones, modes, samples, influences;
    SN_UINT basis_rows; /* the finest level's coordinates; 0: these are they */
    SN_UINT pairs, deltas;
    SN_UINT clearances; /* colliders on bones */
};

SN_SHARED_FUNCTION SN_UINT sn_reduced_points(SN_UINT samples)
{
    return (1 + SN_REDUCED_EXTREMES) * samples;
}

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_model_layout)
    sn_reduced_model_layout_of(SN_STRUCT(sn_reduced_model_counts) counts)
{
    const SN_UINT padded = 4 * sn_reduced_fours(counts.coordinates), clusters = counts.clusters;
    const SN_UINT bones = counts.bones, points = sn_reduced_points(counts.samples);
    SN_STRUCT(sn_reduced_model_layout) at;
    at.local = 0;
    at.global = at.local + padded / 4 * 3 * clusters;
    at.bone = at.global + padded / 4 * 3 * clusters;
    at.mass_cross = at.bone + bones * 3 * clusters;
    at.stiffness_cross = at.mass_cross + bones * padded;
    at.morph_cross = at.stiffness_cross + bones * padded;
    at.coordinate = at.morph_cross + counts.pairs * padded;
    at.mode = at.coordinate + padded;
    at.volume = at.mode + padded * counts.modes;
    at.skin = at.volume + clusters;
    at.point = at.skin + 2 * counts.samples;
    at.influence = at.point + points + 1;
    at.delta_start = at.influence + counts.influences;
    at.delta = at.delta_start + (counts.deltas > 0 ? sn_reduced_fours(points + 1) : 0);
    at.row = at.delta + counts.deltas;
    at.clearance = at.row + padded / 4 * points;
    at.basis = at.clearance + sn_reduced_fours(counts.samples * counts.clearances);
    at.size = at.basis + padded / 4 * counts.basis_rows;
    return at;
}

#define SN_REDUCED_PULL_COUNT 3
#define SN_REDUCED_TREND_SIZE 4 /* how many pulls are known; whether they are steady; what they depend on */

/* A body's state, in floats; vectors of coordinates are (3 x 4 q4), with room for those of the finest level. */
struct sn_reduced_state_layout {
    SN_UINT coordinates; /* Z_n, rounded to float */
    SN_UINT remainder;   /* what the rounding left */
    SN_UINT velocity;    /* Z_n - Z_(n-1) */
    SN_UINT rig_motion;  /* P_n - P_(n-1) ((b + p) x 3 x 4), bones, then morph pairs */
    SN_UINT point;       /* of a step that is under way: Z, from where it goes on */
    SN_UINT push;        /* the velocity that impulses add */
    SN_UINT load;        /* the wind's force */
    SN_UINT pulls;       /* (SN_REDUCED_PULL_COUNT vectors) of the last steps, the newest first: see pulls.glsl */
    SN_UINT trend;       /* (SN_REDUCED_TREND_SIZE) what is known of these */
    SN_UINT held;        /* contacts of the last step whose forces are kept (one number): see held.glsl */
    SN_UINT rotations;   /* (cluster_count x 3 x 4) rows of R_c - 1 - p_c R_c, where shared memory has no room */
    SN_UINT gradients;   /* (9 x cluster_count) S_J P, likewise */
    SN_UINT size;
};

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_state_layout)
    sn_reduced_state_layout_of(SN_UINT coordinates, SN_UINT clusters, SN_UINT bones, SN_UINT pairs)
{
    const SN_UINT vector = 12 * sn_reduced_fours(coordinates);
    SN_STRUCT(sn_reduced_state_layout) at;
    at.coordinates = 0;
    at.remainder = at.coordinates + vector;
    at.velocity = at.remainder + vector;
    at.rig_motion = at.velocity + vector;
    at.point = at.rig_motion + 12 * (bones + pairs);
    at.push = at.point + vector;
    at.load = at.push + vector;
    at.pulls = at.load + vector;
    at.trend = at.pulls + SN_REDUCED_PULL_COUNT * vector;
    at.held = at.trend + SN_REDUCED_TREND_SIZE;
    at.rotations = at.held + 1;
    at.gradients = at.rotations + 12 * clusters;
    at.size = at.gradients + 9 * clusters;
    return at;
}

/* What acceleration remembers of a step, in floats; vectors of coordinates are (3 x 4 q4). */
#define SN_REDUCED_COLUMN_LIMIT 8
#define SN_REDUCED_REFUSAL_LIMIT 8 /* after so many iterations without a step that lowers the energy none is left */
#define SN_REDUCED_PROGRESS_SIZE 12
struct sn_reduced_history_layout {
    SN_UINT image_kept, residual_kept;       /* of the best point so far */
    SN_UINT image_changes, residual_changes; /* (columns x vector) */
    SN_UINT gram;                            /* (SN_REDUCED_COLUMN_LIMIT^2) between dispatches, as the next */
    SN_UINT progress;                        /* (SN_REDUCED_PROGRESS_SIZE) */
    SN_UINT size;
};

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_history_layout)
    sn_reduced_history_layout_of(SN_UINT coordinates, SN_UINT columns)
{
    const SN_UINT vector = 12 * sn_reduced_fours(coordinates);
    SN_STRUCT(sn_reduced_history_layout) at;
    at.image_kept = 0;
    at.residual_kept = at.image_kept + vector;
    at.image_changes = at.residual_kept + vector;
    at.residual_changes = at.image_changes + columns * vector;
    at.gram = at.residual_changes + columns * vector;
    at.progress = at.gram + SN_REDUCED_COLUMN_LIMIT * SN_REDUCED_COLUMN_LIMIT;
    at.size = at.progress + SN_REDUCED_PROGRESS_SIZE;
    return at;
}

/* A body's contacts in one step, grabs first, in floats, each field an array (SN_REDUCED_CONTACT_LIMIT). */
#define SN_REDUCED_CONTACT_LIMIT 128
#define SN_REDUCED_NEAR_LIMIT 512    /* colliders that one list of those that are near has room for */
#define SN_REDUCED_CONTACT_BLOCK 8   /* contacts that are solved between two barriers */
#define SN_REDUCED_ROUND_LIMIT 10    /* of sweeps in an iteration */
#define SN_REDUCED_SWEEP_TURNS 24000 /* of loops, in an iteration: more than all but shocks take */
/* Of loops, in one sweep: contacts, blocks, and a sum. */
SN_SHARED_FUNCTION SN_UINT sn_reduced_sweep_turns(SN_UINT contacts)
{
    return contacts + 2 * ((contacts + SN_REDUCED_CONTACT_BLOCK - 1) / SN_REDUCED_CONTACT_BLOCK) + 20;
}

struct sn_reduced_contacts_layout {
    SN_UINT count;          /* two numbers: contacts; of these idle, of colliders on bones */
    SN_UINT point;          /* of the surface */
    SN_UINT normal;         /* (3 x limit) */
    SN_UINT gap, outer_gap; /* host/reduced/contacts.h says what these are */
    SN_UINT give, friction;
    SN_UINT slide;                   /* (3 x limit) */
    SN_UINT response, strongest;     /* the diagonal of the coupling, the force that no contact exceeds */
    SN_UINT force;                   /* (3 x limit) where the iteration starts */
    SN_UINT force_kept;              /* (3 x limit) at the point that is kept */
    SN_UINT friction_kept;           /* there: friction's largest force */
    SN_UINT origin;                  /* (4 x limit) sample, -1 of a grab; collider's number, halves of its key */
    SN_UINT last_force, last_origin; /* the same of the step before */
    SN_UINT coupling;                /* (limit x limit) */
    SN_UINT size;
};

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_contacts_layout) sn_reduced_contacts_layout_of(SN_NOTHING)
{
    const SN_UINT limit = SN_REDUCED_CONTACT_LIMIT;
    SN_STRUCT(sn_reduced_contacts_layout) at;
    at.count = 0;
    at.point = 4;
    at.normal = at.point + limit;
    at.gap = at.normal + 3 * limit;
    at.outer_gap = at.gap + limit;
    at.give = at.outer_gap + limit;
    at.friction = at.give + limit;
    at.slide = at.friction + limit;
    at.response = at.slide + 3 * limit;
    at.strongest = at.response + limit;
    at.force = at.strongest + limit;
    at.force_kept = at.force + 3 * limit;
    at.friction_kept = at.force_kept + 3 * limit;
    at.origin = at.friction_kept + limit;
    at.last_force = at.origin + 4 * limit;
    at.last_origin = at.last_force + 3 * limit;
    at.coupling = at.last_origin + 4 * limit;
    at.size = at.coupling + limit * limit;
    return at;
}

/* The global pass gives a four of coordinates to one invocation, or to several that share the clusters. */
SN_SHARED_FUNCTION SN_UINT sn_reduced_parts(SN_UINT coordinates)
{
    const SN_UINT fours = sn_reduced_fours(coordinates);
    return fours < SN_REDUCED_GROUP_SIZE ? SN_REDUCED_GROUP_SIZE / fours : 1;
}

/* Shared memory, in floats. What must lie there comes first; rotations and gradients do where they end below its
 * size. */
struct sn_reduced_pool_layout {
    SN_UINT coordinates; /* Z of an iteration (3 x 4 q4) */
    SN_UINT predicted;   /* Z_n + k (Z_n - Z_(n-1)) */
    SN_UINT inertia;     /* A^-1 c0 - predicted */
    SN_UINT image;       /* where the global step goes from there - predicted */
    SN_UINT sums;        /* (SN_REDUCED_GROUP_SIZE + SN_REDUCED_GROUP_SIZE / 4) vec4 */
    SN_UINT gram;        /* (SN_REDUCED_COLUMN_LIMIT^2) */
    SN_UINT forces;    /* (parts x 3 x 4 q4) of the global pass; then a vec4 a contact, and two blocks of two a contact;
                          in the pushing kernel colliders that are near (SN_REDUCED_NEAR_LIMIT) */
    SN_UINT rotations; /* (cluster_count x 3 x 4) */
    SN_UINT gradients; /* (9 x cluster_count) */
    SN_UINT size;
};

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_pool_layout) sn_reduced_pool_layout_of(SN_UINT coordinates, SN_UINT clusters)
{
    const SN_UINT vector = 12 * sn_reduced_fours(coordinates);
    const SN_UINT parts = sn_reduced_parts(coordinates) * vector,
                  contacts = 4 * (SN_REDUCED_CONTACT_LIMIT + 4 * SN_REDUCED_CONTACT_BLOCK);
    SN_STRUCT(sn_reduced_pool_layout) at;
    at.coordinates = 0;
    at.predicted = at.coordinates + vector;
    at.inertia = at.predicted + vector;
    at.image = at.inertia + vector;
    at.sums = at.image + vector;
    at.gram = at.sums + 5 * SN_REDUCED_GROUP_SIZE;
    at.forces = at.gram + SN_REDUCED_COLUMN_LIMIT * SN_REDUCED_COLUMN_LIMIT;
    at.rotations = at.forces + (parts > contacts ? parts : contacts);
    at.gradients = at.rotations + 12 * clusters;
    at.size = at.gradients + 9 * clusters;
    return at;
}

#endif
