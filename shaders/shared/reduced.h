/* SPDX-License-Identifier: MIT */
/* Records and buffer layouts shared by compute/reduced and shaders/reduced. Words are 32 bits. Mass is in a unit close
 * to the body's mass (host/reduced/reduced.h), and so are coordinates, impulses and areas. */
#ifndef SN_SHADERS_SHARED_REDUCED_H
#define SN_SHADERS_SHARED_REDUCED_H

#ifdef __STDC_VERSION__
#include <stdint.h>
#define SN_UINT uint32_t
#define SN_STRUCT(name) struct name
#define SN_SHARED_FUNCTION static inline
#define SN_VOID void
#else
#define SN_UINT uint
#define SN_STRUCT(name) name
#define SN_SHARED_FUNCTION
#define SN_VOID
#endif

/* Invocations per body. */
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

/* Push constant of the external force kernel: its first dispatch applies the flags of records. */
#define SN_REDUCED_EXTERNAL_FIRST 1
#define SN_REDUCED_EXTERNAL_LATER 2

/* Flags of a record. */
#define SN_REDUCED_ADDED 1         /* clear the status; set together with RESET */
#define SN_REDUCED_RESET 2         /* set to rest, before anything else */
#define SN_REDUCED_ROTATED 4       /* apply the record's rotation, before anything else */
#define SN_REDUCED_REJECTED 8      /* the pose was not finite, and is the last valid one */
#define SN_REDUCED_HAS_IMPULSES 16 /* has impulses */
#define SN_REDUCED_HAS_WIND 32
#define SN_REDUCED_LEVEL_CHANGED 64   /* convert from another level of detail, before anything else; not with RESET */
#define SN_REDUCED_NEO_HOOKEAN 128    /* Neo-Hookean flesh */
#define SN_REDUCED_POSED 256          /* the flesh's rest shape is the rig's pose, not the bind pose */
#define SN_REDUCED_BUDGET_LIMITED 512 /* the iteration limit results from the time budget */
#define SN_REDUCED_FLAT 1024          /* the body is flat */
#define SN_REDUCED_HAS_DECAY 2048     /* coordinates have decay rates */
/* The highest bit stays 0: shaders/reduced/body.glsl relies on it. */

/* Basis of a level that has all coordinates of its model. */
#define SN_REDUCED_NO_BASIS 0xffffffffu

/* A body in one recording. */
struct sn_reduced_record {
    SN_UINT flags;
    SN_UINT body;                                                    /* index of its status */
    SN_UINT model, pose, matrices;                                   /* first vec4 in their buffers */
    SN_UINT state;                                                   /* first float */
    SN_UINT coordinate_count, cluster_count, bone_count, mode_count; /* at the body's level of detail */
    SN_UINT source_count,
        previous_coordinate_count; /* coordinates of the finest level, and of the level of the stored state */
    SN_UINT basis,
        previous_basis; /* first vec4 of the bases of the current and the stored level, in the model buffer */
    SN_UINT sample_count, influence_count, pair_count, delta_count;
    SN_UINT impulse, impulse_count;   /* first vec4 */
    SN_UINT grab, grab_count;         /* first vec4, in the impulse buffer */
    SN_UINT collider, collider_count; /* first vec4 */
    SN_UINT own_collider_count;       /* the first of these are on the model's bones */
    SN_UINT clearance_count;          /* number of colliders on the model's bones */
    SN_UINT contacts;                 /* first float; valid if there are colliders or grabs */
    SN_UINT history, column_limit;    /* first float; columns of Anderson acceleration, 0: none */
    SN_UINT iteration_limit;          /* >= 1 */
    float step, step2;                /* h, h^2 */
    float stiffness, retained,
        amount;   /* fraction of the velocity that damping retains; fraction of the displacement to output */
    float volume; /* relative excess of the system's elastic part over the quadratic one: host/reduced/solver.c */
    float limit_stiffness;                   /* kappa of the strain limits; 0: none */
    float tolerance, max_distance, diagonal; /* lengths in model units */
    float rig_displacement;                  /* approximate movement of the rig in the step */
    float gravity[3], wind[3];
    float rotation[9]; /* row-major rotation */
};

/* Result of a body's last step. */
struct sn_reduced_status {
    SN_UINT recovery_count; /* since the body was added */
    SN_UINT iteration_count;
    SN_UINT is_running;     /* 1 between the dispatches of one step only */
    SN_UINT is_converged;   /* valid when not running: `change` is within the tolerance */
    SN_UINT is_over_budget; /* valid when not running: not converged, and stopped by the time budget */
    float change;           /* bound on the last iteration's movement, in model units */
};

/* vec4s per impulse: the point relative to the last step's root, 0 or 1 + the bone whose skin receives it; mass times
 * model units per second. */
#define SN_REDUCED_IMPULSE_ROWS 2

/* vec4s per grab, in the same buffer: sample, compliance, maximum force, fraction of the spring in the constraint, the
 * remainder being damping; the target relative to the root. See host/reduced/grabs.c. */
#define SN_REDUCED_GRAB_ROWS SN_REDUCED_IMPULSE_ROWS

/* vec4s per collider: the rows of its transform, relative to the root's position if it is on a bone of the body (3);
 * the change of the transform in the step (3); half extents and radius, or a grid's origin and spacing; half height or
 * a grid's slope, friction, shape, a grid's first vec4 in the grid buffer; the low and high half of its key, 0, 0. */
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

/* vec4s per bone in the pose buffer: the rows of the pose; the rows of its change since the last step; its translation
 * relative to the root; gravity's acceleration of its flesh relative to bind. After the bones, per morph pair: the rows
 * of the change of its three columns. After these, if morph targets move surface points, two morph targets per vec4:
 * weights in this step and in the last one. */
#define SN_REDUCED_POSE_ROWS 8
#define SN_REDUCED_POSE_STEP 3
#define SN_REDUCED_POSE_CENTER 6
#define SN_REDUCED_POSE_GRAVITY 7
#define SN_REDUCED_PAIR_ROWS 3

SN_SHARED_FUNCTION SN_UINT sn_reduced_vec4_count(SN_UINT count)
{
    return (count + 3) / 4;
}

/* Extremes of a sample: the outermost vertices of the surface patch that it represents. */
#define SN_REDUCED_EXTREMES 8

/* Layout of a model, in vec4. q4: coordinates / 4, b: bones, p: morph pairs, r: modes. Points are the samples, then the
 * extremes of each sample. */
struct sn_reduced_model_layout {
    SN_UINT local;           /* S_B (q4 x 3 x cluster_count), four coordinates each: coalesced over clusters */
    SN_UINT global;          /* S_B (cluster_count x 3 x q4), four coordinates each: coalesced over coordinates */
    SN_UINT bone;            /* S_J (b x 3 x cluster_count), four columns of a bone each */
    SN_UINT mass_cross;      /* (b x 4 q4), four columns of a bone each */
    SN_UINT stiffness_cross; /* as mass_cross */
    SN_UINT morph_cross;     /* (p x 4 q4), three columns of a pair each, 0 */
    SN_UINT coordinate;      /* (4 q4) lambda, movement bound, V^T M 1, 0 */
    SN_UINT mode;            /* mode_from_coordinate (4 q4 x r), four columns of a mode each */
    SN_UINT volume;          /* (cluster_count) Lambda_c / m_c^2, 3 m_c, 1 / m_c, m_c */
    SN_UINT response;        /* (4 q4) tangent stiffness, decay rate, 0, 0 */
    SN_UINT limit;     /* (cluster_count x 3) a row of the rig's gradient at rest less m_c 1, which is rounding; e_c */
    SN_UINT skin;      /* (sample_count x 2) normal, area; extent, 0, 0, 0 */
    SN_UINT point;     /* (point_count + 1) rest position, first influence; no influences: equals the sample's vertex */
    SN_UINT influence; /* (influence_count) bone, weight, bone, weight */
    SN_UINT delta_start; /* (point_count + 1, four per vec4) first delta; absent without deltas */
    SN_UINT delta;       /* (delta_count) offset of a point at rest, morph target */
    SN_UINT row;         /* (q4 x point_count) rows of V, four coordinates each */
    SN_UINT clearance;   /* (sample_count x clearance_count) as in the model, four per vec4 */
    SN_UINT basis;       /* (basis_rows x q4) basis of a level, four coordinates each */
    SN_UINT size;
};

struct sn_reduced_model_counts {
    SN_UINT coordinates, clusters, bones, modes, samples, influences;
    SN_UINT basis_rows; /* coordinates of the finest level; 0 if this is it */
    SN_UINT pairs, deltas;
    SN_UINT clearances; /* colliders on bones */
};

SN_SHARED_FUNCTION SN_UINT sn_reduced_point_count(SN_UINT samples)
{
    return (1 + SN_REDUCED_EXTREMES) * samples;
}

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_model_layout)
    sn_reduced_model_layout_of(SN_STRUCT(sn_reduced_model_counts) counts)
{
    const SN_UINT padded = 4 * sn_reduced_vec4_count(counts.coordinates), clusters = counts.clusters;
    const SN_UINT bones = counts.bones, points = sn_reduced_point_count(counts.samples);
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
    at.response = at.volume + clusters;
    at.limit = at.response + padded;
    at.skin = at.limit + 3 * clusters;
    at.point = at.skin + 2 * counts.samples;
    at.influence = at.point + points + 1;
    at.delta_start = at.influence + counts.influences;
    at.delta = at.delta_start + (counts.deltas > 0 ? sn_reduced_vec4_count(points + 1) : 0);
    at.row = at.delta + counts.deltas;
    at.clearance = at.row + padded / 4 * points;
    at.basis = at.clearance + sn_reduced_vec4_count(counts.samples * counts.clearances);
    at.size = at.basis + padded / 4 * counts.basis_rows;
    return at;
}

#define SN_REDUCED_CORRECTION_COUNT 3
#define SN_REDUCED_CORRECTION_INFO_SIZE                                                                                \
    4 /* count of valid corrections; whether extrapolation is reliable; the values they depend on (2) */

/* Layout of a body's state, in floats. Vectors of coordinates are (3 x 4 q4), sized for the finest level. */
struct sn_reduced_state_layout {
    SN_UINT coordinates;      /* Z_n, rounded to float */
    SN_UINT remainder;        /* rounding error of the coordinates */
    SN_UINT velocity;         /* Z_n - Z_(n-1) */
    SN_UINT rig_motion;       /* P_n - P_(n-1) ((b + p) x 3 x 4), bones, then morph pairs */
    SN_UINT point;            /* of an unfinished step: Z of the next iteration */
    SN_UINT impulse_velocity; /* velocity change by impulses */
    SN_UINT wind_force;       /* force of the wind */
    SN_UINT
    corrections;             /* (SN_REDUCED_CORRECTION_COUNT vectors) corrections of the last steps, newest first: see
                                initial_guess.glsl */
    SN_UINT correction_info; /* (SN_REDUCED_CORRECTION_INFO_SIZE) validity of the corrections */
    SN_UINT previous_contact_count; /* number of contacts of the last step (one float): see contact_warm_start.glsl */
    SN_UINT rotations; /* (cluster_count x 3 x 4) rows of R_c - 1 - p_c R_c, if they do not fit into shared memory */
    SN_UINT gradients; /* (9 x cluster_count) S_J P, if they do not fit into shared memory */
    SN_UINT ranges;    /* (cluster_count x 2) least and largest strain within the limits of the step */
    SN_UINT size;
};

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_state_layout)
    sn_reduced_state_layout_of(SN_UINT coordinates, SN_UINT clusters, SN_UINT bones, SN_UINT pairs)
{
    const SN_UINT vector = 12 * sn_reduced_vec4_count(coordinates);
    SN_STRUCT(sn_reduced_state_layout) at;
    at.coordinates = 0;
    at.remainder = at.coordinates + vector;
    at.velocity = at.remainder + vector;
    at.rig_motion = at.velocity + vector;
    at.point = at.rig_motion + 12 * (bones + pairs);
    at.impulse_velocity = at.point + vector;
    at.wind_force = at.impulse_velocity + vector;
    at.corrections = at.wind_force + vector;
    at.correction_info = at.corrections + SN_REDUCED_CORRECTION_COUNT * vector;
    at.previous_contact_count = at.correction_info + SN_REDUCED_CORRECTION_INFO_SIZE;
    at.rotations = at.previous_contact_count + 1;
    at.gradients = at.rotations + 12 * clusters;
    at.ranges = at.gradients + 9 * clusters;
    at.size = at.ranges + 2 * clusters;
    return at;
}

/* Layout of the acceleration history of a step, in floats. Vectors of coordinates are (3 x 4 q4). */
#define SN_REDUCED_COLUMN_LIMIT 8
#define SN_REDUCED_REJECTION_LIMIT 8 /* iterations without an energy decrease after which the step ends */
#define SN_REDUCED_PROGRESS_SIZE 12
struct sn_reduced_history_layout {
    SN_UINT accepted_image, accepted_residual; /* of the accepted point */
    SN_UINT image_changes, residual_changes;   /* (columns x vector) */
    SN_UINT gram;                              /* (SN_REDUCED_COLUMN_LIMIT^2), stored between dispatches, as the next */
    SN_UINT progress;                          /* (SN_REDUCED_PROGRESS_SIZE) */
    SN_UINT size;
};

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_history_layout)
    sn_reduced_history_layout_of(SN_UINT coordinates, SN_UINT columns)
{
    const SN_UINT vector = 12 * sn_reduced_vec4_count(coordinates);
    SN_STRUCT(sn_reduced_history_layout) at;
    at.accepted_image = 0;
    at.accepted_residual = at.accepted_image + vector;
    at.image_changes = at.accepted_residual + vector;
    at.residual_changes = at.image_changes + columns * vector;
    at.gram = at.residual_changes + columns * vector;
    at.progress = at.gram + SN_REDUCED_COLUMN_LIMIT * SN_REDUCED_COLUMN_LIMIT;
    at.size = at.progress + SN_REDUCED_PROGRESS_SIZE;
    return at;
}

/* Contacts of a body in one step, in floats, grabs first. Each field is an array (SN_REDUCED_CONTACT_LIMIT). */
#define SN_REDUCED_CONTACT_LIMIT 128
#define SN_REDUCED_NEARBY_LIMIT 512 /* capacity of a list of nearby colliders */
#define SN_REDUCED_CONTACT_BLOCK 8  /* contacts solved between two barriers */
#define SN_REDUCED_ROUND_LIMIT 10   /* rounds of sweeps in an iteration */
#define SN_REDUCED_SWEEP_LOOPS                                                                                         \
    24000 /* loop iterations for the sweeps of an iteration; only violent impacts need more */
/* Loop iterations of one sweep: contacts, blocks, and a sum. */
SN_SHARED_FUNCTION SN_UINT sn_reduced_sweep_loops(SN_UINT contacts)
{
    return contacts + 2 * ((contacts + SN_REDUCED_CONTACT_BLOCK - 1) / SN_REDUCED_CONTACT_BLOCK) + 20;
}

struct sn_reduced_contacts_layout {
    SN_UINT count;         /* two numbers: contacts; idle contacts among them, with colliders on bones */
    SN_UINT point;         /* index of the surface point */
    SN_UINT normal;        /* (3 x limit) */
    SN_UINT gap, soft_gap; /* see host/reduced/contacts.h */
    SN_UINT compliance, friction;
    SN_UINT slip;                            /* (3 x limit) */
    SN_UINT response, max_force;             /* diagonal of the coupling, maximum force */
    SN_UINT force;                           /* (3 x limit) at the start of the iteration */
    SN_UINT accepted_force;                  /* (3 x limit) at the accepted point */
    SN_UINT accepted_friction;               /* maximum friction force at the accepted point */
    SN_UINT origin;                          /* (4 x limit) sample (-1 for a grab), collider index, halves of its key */
    SN_UINT previous_force, previous_origin; /* the same of the last step */
    SN_UINT coupling;                        /* (limit x limit) */
    SN_UINT size;
};

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_contacts_layout) sn_reduced_contacts_layout_of(SN_VOID)
{
    const SN_UINT limit = SN_REDUCED_CONTACT_LIMIT;
    SN_STRUCT(sn_reduced_contacts_layout) at;
    at.count = 0;
    at.point = 4;
    at.normal = at.point + limit;
    at.gap = at.normal + 3 * limit;
    at.soft_gap = at.gap + limit;
    at.compliance = at.soft_gap + limit;
    at.friction = at.compliance + limit;
    at.slip = at.friction + limit;
    at.response = at.slip + 3 * limit;
    at.max_force = at.response + limit;
    at.force = at.max_force + limit;
    at.accepted_force = at.force + 3 * limit;
    at.accepted_friction = at.accepted_force + 3 * limit;
    at.origin = at.accepted_friction + limit;
    at.previous_force = at.origin + 4 * limit;
    at.previous_origin = at.previous_force + 3 * limit;
    at.coupling = at.previous_origin + 4 * limit;
    at.size = at.coupling + limit * limit;
    return at;
}

/* Number of invocations that share a group of four coordinates in the global pass; each takes a part of the clusters.
 */
SN_SHARED_FUNCTION SN_UINT sn_reduced_part_count(SN_UINT coordinates)
{
    const SN_UINT fours = sn_reduced_vec4_count(coordinates);
    return fours < SN_REDUCED_GROUP_SIZE ? SN_REDUCED_GROUP_SIZE / fours : 1;
}

/* Layout of shared memory, in floats. Mandatory data comes first; rotations and gradients are in it if they end below
 * its size. */
struct sn_reduced_pool_layout {
    SN_UINT coordinates; /* Z of the iteration (3 x 4 q4) */
    SN_UINT predicted;   /* Z_n + k (Z_n - Z_(n-1)) */
    SN_UINT inertia;     /* A^-1 c0 - predicted */
    SN_UINT image;       /* result of the global step - predicted */
    SN_UINT sums;        /* (SN_REDUCED_GROUP_SIZE + SN_REDUCED_GROUP_SIZE / 4) vec4 */
    SN_UINT gram;        /* (SN_REDUCED_COLUMN_LIMIT^2) */
    SN_UINT forces; /* (parts x 3 x 4 q4) of the global pass; then a vec4 per contact and two blocks of two per contact;
                       in the external force kernel nearby colliders (SN_REDUCED_NEARBY_LIMIT) */
    SN_UINT rotations; /* (cluster_count x 3 x 4) */
    SN_UINT gradients; /* (9 x cluster_count) */
    SN_UINT size;
};

SN_SHARED_FUNCTION SN_STRUCT(sn_reduced_pool_layout) sn_reduced_pool_layout_of(SN_UINT coordinates, SN_UINT clusters)
{
    const SN_UINT vector = 12 * sn_reduced_vec4_count(coordinates);
    const SN_UINT parts = sn_reduced_part_count(coordinates) * vector,
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
