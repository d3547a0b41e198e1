/* SPDX-License-Identifier: MIT */
/* Records and buffer layouts shared by compute/xpbd and shaders/xpbd. Words are 32 bits. */
#ifndef SN_SHADERS_SHARED_XPBD_H
#define SN_SHADERS_SHARED_XPBD_H

#ifdef __STDC_VERSION__
#include <stdint.h>
#define SN_UINT uint32_t
#define SN_DOUBLE double
#else
#define SN_UINT uint
#define SN_DOUBLE stored /* shaders/xpbd/real.glsl */
#endif

/* Invocations per workgroup. */
#define SN_XPBD_GROUP_SIZE 64

/* Bindings of set 0, all storage buffers. */
#define SN_XPBD_RUNS 0
#define SN_XPBD_CORNERS 1
#define SN_XPBD_VALUES 2
#define SN_XPBD_RESTS 3
#define SN_XPBD_RECORDS 4
#define SN_XPBD_PINS 5
#define SN_XPBD_IMPULSES 6
#define SN_XPBD_COLLIDERS 7
#define SN_XPBD_DISPLACEMENTS 8
#define SN_XPBD_PREDICTED 9
#define SN_XPBD_VELOCITIES 10
#define SN_XPBD_SCRATCH 11
#define SN_XPBD_STATUSES 12
#define SN_XPBD_HEADS 13
#define SN_XPBD_GRIDS 14
#define SN_XPBD_BINDING_COUNT 15

/* The phase of a pipeline: ALL performs a complete step of a body in one workgroup; the others perform a part of the
 * step of one body, in one workgroup or one invocation per item. */
#define SN_XPBD_ALL 0
#define SN_XPBD_START 1      /* one workgroup: resets, impulses, origin, sleep */
#define SN_XPBD_MOVE 2       /* one workgroup: pins */
#define SN_XPBD_PREDICT 3    /* vertices: inertia, contacts */
#define SN_XPBD_COLOUR 4     /* constraints of one run */
#define SN_XPBD_SMALL_RUNS 5 /* one workgroup: several runs */
#define SN_XPBD_SOFT_PINS 6  /* one workgroup: soft pins */
#define SN_XPBD_VELOCITY 7   /* vertices: contacts, velocities */
#define SN_XPBD_MEASURE 8    /* blocks of vertices: moments */
#define SN_XPBD_RIGID 9      /* one workgroup: the rigid motion of these moments */
#define SN_XPBD_DAMP 10      /* vertices */
#define SN_XPBD_FINISH 11    /* one workgroup: checks and status */
#define SN_XPBD_COUPLE 12    /* one workgroup: the motion of a coupled rig, before VELOCITY */
#define SN_XPBD_PHASE_COUNT 13

/* Constraint types of runs. */
#define SN_XPBD_RUN_DISTANCE 0
#define SN_XPBD_RUN_BENDING 1
#define SN_XPBD_RUN_VOLUME 2
#define SN_XPBD_RUN_TET 3
#define SN_XPBD_RUN_TET_LEGACY 4
#define SN_XPBD_RUN_TET_POLAR 5
#define SN_XPBD_RUN_TRIANGLE 6
#define SN_XPBD_RUN_TRIANGLE_LEGACY 7
#define SN_XPBD_RUN_STRAIN 8
#define SN_XPBD_RUN_STRAIN_ALIGNED 9
#define SN_XPBD_STRAIN_RECIPES (3u << SN_XPBD_RUN_STRAIN) /* compiled together: a pipeline has both */
/* A bit next to the constraint types: colliders may be grids. */
#define SN_XPBD_HAS_GRIDS 31

/* Constraints of one type that share no vertex. Corner k of constraint i is corners[corner + k count + i]; its values
 * and multipliers are stored in the same order. */
struct sn_xpbd_run {
    SN_UINT recipe, count, corner, value;
    SN_UINT multiplier; /* relative to the body's first multiplier */
    SN_UINT group;      /* group of elements; groups are swept one after the other */
};

/* Flags of a record. */
#define SN_XPBD_ADDED 1        /* clear the status; set together with RESET */
#define SN_XPBD_RESET 2        /* set to rest around `origin`, before anything else */
#define SN_XPBD_PINS_CHANGED 4 /* the set of hard pins has changed */
#define SN_XPBD_WAKE 8
#define SN_XPBD_DAMPED 16
#define SN_XPBD_RIGID_UNDAMPED 32   /* damping preserves the rigid part of the motion */
#define SN_XPBD_FLAT 64             /* triangles: motion in the plane */
#define SN_XPBD_DAMPED_TO_BONES 128 /* with DAMPED: damp relative to the motion of the bones that carry the flesh */

/* A body in one recording. */
struct sn_xpbd_record {
    SN_DOUBLE origin[3]; /* for RESET */
    SN_DOUBLE centre[3]; /* of the model */
    SN_DOUBLE step, substep;
    SN_DOUBLE diagonal, max_distance, sleep_speed;
    float gravity_step[3];                        /* velocity added by gravity in a substep */
    float substep_length, inverse_substep_length; /* h, 1/h */
    float inverse_h2;                             /* 1/h^2 over the stiffness of constraints */
    float damping_factor;                         /* fraction of the velocity that damping removes */
    float element_inverse_h2;                     /* 1/h^2 over the stiffness of elements */
    SN_UINT flags;
    SN_UINT body; /* index of its status */
    SN_UINT row;  /* first row in the state buffers */
    SN_UINT rest; /* first row of its model, as the next two */
    SN_UINT run, run_count;
    SN_UINT row_count, vertex_count; /* rows: vertices, one spare, padding to blocks */
    SN_UINT scratch;                 /* first word */
    SN_UINT pin, pin_count, impulse, impulse_count, collider, collider_count;
    SN_UINT substep_count, sweep_count;
    SN_UINT padding;
};

/* A pinned vertex. Positions at the end and at the start of the step, relative to the vertex's rest position. */
struct sn_xpbd_pin_record {
    SN_DOUBLE target[3], before[3], stiffness;
    SN_UINT row, is_hard; /* is_hard: infinite stiffness */
};

struct sn_xpbd_impulse_record {
    SN_DOUBLE impulse[3];
    SN_UINT row, padding;
};

#define SN_XPBD_UNBOUNDED 1e30f /* finite, since shaders may assume that no number is infinite */
/* A collider of a body's list: a bounding sphere of its motion in the step, and its records; that of substep s is first
 * + s stride. */
struct sn_xpbd_collider_head {
    float centre[3], bounding_radius; /* SN_XPBD_UNBOUNDED for a plane */
    SN_UINT first, stride;
};

/* A collider in one substep, or in all if it does not move. For a grid, half_extents is its origin, radius its spacing,
 * half_height its slope. */
#define SN_XPBD_PLANE 0
#define SN_XPBD_SPHERE 1
#define SN_XPBD_CAPSULE 2
#define SN_XPBD_BOX 3
#define SN_XPBD_GRID 4
struct sn_xpbd_collider_record {
    SN_DOUBLE transform[12], transform_before[12];
    SN_DOUBLE half_extents[3], radius, half_height, friction;
    SN_UINT shape;
    SN_UINT grid; /* first vec4 in the grid buffer */
};

/* Status of a body. Counts are since it was added; other values are of its last step. */
struct sn_xpbd_status {
    SN_DOUBLE origin[3], still_seconds;
    SN_UINT recovery_count;
    SN_UINT contact_count; /* of the last substep */
    SN_UINT is_asleep, is_recovered;
};

/* Vertices whose sums are accumulated sequentially, in float. */
#define SN_XPBD_BLOCK 16

/* Words that a body keeps between dispatches: block sums (blocks x SN_XPBD_MOMENTS), the rigid motion
 * (SN_XPBD_RIGID_WORDS), multipliers of pins (pins x SN_XPBD_PIN_WORDS), multipliers of constraints. */
#define SN_XPBD_MOMENTS                                                                                                \
    16 /* mass, momentum, first moment, angular momentum, squares, products; half as many doubles                      \
        */
#define SN_XPBD_RIGID_WORDS 9
#define SN_XPBD_PIN_WORDS 6

/* A wind sample of the skin. Words: rows of the corners of its tet (4), corner count, first and last influence. Values:
 * weights of the corners (4), rest normal (3), area. */
#define SN_XPBD_SAMPLE_WORDS 7
#define SN_XPBD_SAMPLE_VALUES 8

#undef SN_UINT
#undef SN_DOUBLE
#endif
