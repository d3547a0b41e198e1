/* SPDX-License-Identifier: MIT */
/* What a scene is made of, as plain data: characters, bodies that are made of them, what moves these and what they
 * meet. A built-in scene is such data in C, a scene file is read into it; nothing here is owned or changed.
 *
 * Units are the scene's: those of the models' coordinates (see sn_scene_character.cook.units), seconds, radians. Arrays
 * have their length beside them; null names and zero counts say that there is none. */
#ifndef SN_SCENES_SCRIPT_SCRIPT_H
#define SN_SCENES_SCRIPT_SCRIPT_H

#include "sinew/author.h"

/* ---- numbers over time ---- */

typedef enum sn_scene_ease {
    SN_EASE_LINEAR,
    SN_EASE_SMOOTH, /* at rest at every key */
    SN_EASE_STEP,   /* a key's value until the next */
    SN_EASE_COUNT
} sn_scene_ease;

typedef struct sn_scene_key {
    double seconds, value;
} sn_scene_key;

/* The sum of what is given of: a constant, an expression (expression.h), keys. Before the first key and behind the last
 * one their values hold. */
typedef struct sn_scene_number {
    double constant;
    const char *expression;   /* of t, i and n, or null */
    const sn_scene_key *keys; /* (key_count), later and later */
    int key_count;
    sn_scene_ease ease;
    bool is_looping; /* behind the last key the first one comes again */
} sn_scene_number;

typedef struct sn_scene_vector {
    sn_scene_number at[3];
} sn_scene_vector;

/* ---- characters ---- */

typedef enum sn_scene_shape_kind {
    SN_SHAPE_NONE,
    SN_SHAPE_OUTLINE, /* flat: inside of closed curves through points */
    SN_SHAPE_BLOBS,   /* what lies in any of some round cones, which flow into each other */
    SN_SHAPE_BOX,
    SN_SHAPE_KIND_COUNT
} sn_scene_shape_kind;

/* A cone with round ends: a sphere where both ends are at one place. */
typedef struct sn_scene_blob {
    double from[3], to[3], from_radius, to_radius;
} sn_scene_blob;

/* What is painted on it: an ellipse, seen from the side. */
typedef struct sn_scene_spot {
    double center[2], radius[2];
    float color[3]; /* sRGB, 0 .. 1 */
} sn_scene_spot;

/* Seen along z (x to the right) or from x (z to the left): what is behind is painted alike. */
typedef struct sn_scene_paint {
    bool is_from_x;
    float top[3], bottom[3];    /* sRGB, 0 .. 1, of the upper and the lower end; both black: no paint at all */
    const sn_scene_spot *spots; /* (spot_count), later ones over the others */
    int spot_count;
} sn_scene_paint;

/* A body that is made here, without a file. */
typedef struct sn_scene_shape {
    sn_scene_shape_kind kind;
    bool is_flat;       /* of blobs and boxes: their cut through z = 0 */
    double edge_length; /* of its triangles, about */
    bool is_angular;    /* of an outline: straight from point to point, not smooth */
    const double (
        *points)[2]; /* (point_count) of an outline, loop by loop; inside is what an odd number of loops hold */
    int point_count;
    const int *loop_lengths; /* (loop_count); none: one loop */
    int loop_count;
    const sn_scene_blob *blobs; /* (blob_count) */
    int blob_count;
    double blend;                      /* of blobs: they flow into each other from about so far; 0: not */
    double half_extents[3], center[3]; /* of a box */
    sn_scene_paint paint;
} sn_scene_shape;

typedef struct sn_scene_character {
    const char *name;
    const char *path;     /* a .sinew model, or anything that sn_cook reads; null: shape */
    sn_scene_shape shape; /* without a path */
    sn_cook_desc cook;    /* of what is not a model yet, with its handles */
} sn_scene_character;

/* The cook's defaults, but for coordinates, which are kept. */
sn_scene_character sn_default_scene_character(void);

/* ---- bodies ---- */

/* What holds a bone from a time on. */
typedef struct sn_scene_lock {
    double seconds;
    unsigned locks; /* SN_LOCK_... */
} sn_scene_lock;

/* How a bone moves against the rest of its rig: children follow. */
typedef struct sn_scene_drive {
    const char *bone;
    sn_scene_vector translation, rotation; /* rotation: an axis times an angle, about the pivot */
    sn_scene_vector stretch;               /* along x, y, z of the rest pose: 0 is none, .5 half as long again */
    bool has_pivot;
    double pivot[3];            /* at rest; else the model's */
    const sn_scene_lock *locks; /* (lock_count), later and later, of a coupled body; until the first: the body's */
    int lock_count;
    bool is_relative; /* whenever more of it is locked, it moves on from where it is then */
} sn_scene_drive;

typedef enum sn_scene_solid_kind {
    SN_SOLID_SPHERE,
    SN_SOLID_CAPSULE, /* around the segment from -half_height to half_height on y */
    SN_SOLID_CYLINDER,
    SN_SOLID_BOX,   /* half_extents; radius is added to them */
    SN_SOLID_PLANE, /* all below y = 0: of colliders alone */
    SN_SOLID_KIND_COUNT
} sn_scene_solid_kind;

/* A part of a rigid body, in the model's coordinates at rest. */
typedef struct sn_scene_solid {
    sn_scene_solid_kind kind;
    double radius, half_height, half_extents[3];
    double translation[3], rotation[3]; /* rotation: an axis times an angle */
} sn_scene_solid;

/* A rigid-body engine moves the rig. It begins where the body's translation and rotation are at time 0; gravity, blows,
 * colliders (but surfaces) and other rigid bodies move it from there, and flesh follows by complementary dynamics. */
typedef struct sn_scene_rigid {
    bool is_kinematic; /* translation and rotation move it all the time, and it moves others */
    double mass;       /* kg; or 0: */
    double density;    /* kg per volume within the surface, or, where that is not closed, of the solids; or 0:
                          the model's mass */
    double friction, restitution;               /* of two that touch: the geometric mean, the larger one */
    double dents;                               /* share of what it is hit with that its flesh feels where it is hit */
    sn_scene_vector velocity, angular_velocity; /* of the centre of mass, at time 0 */
    const sn_scene_solid *solids;               /* (solid_count) what touches; none: one around the surface */
    int solid_count;
} sn_scene_rigid;

/* Friction .5, no restitution, no dents; at rest, the model's mass, a solid around it. */
sn_scene_rigid sn_default_scene_rigid(void);

typedef struct sn_scene_body {
    int character;
    int count;         /* copies, which expressions tell apart by i; 0: 1 */
    sn_body_desc desc; /* the model is set by the scene; what follows is put on top */
    sn_scene_number stiffness, damping, amount, compliance, mass;
    sn_scene_vector translation, rotation; /* of the whole rig, about the origin, then moved */
    const char *clip;                      /* or null */
    const sn_mat3x4 *poses;                /* (pose_count x bone_count), relative to bind, held at their end; or null */
    int pose_count, pose_bone_count;
    double pose_rate;             /* poses a second */
    double speed;                 /* of clip and poses, > 0 */
    sn_scene_number delay;        /* seconds that this copy's clip and poses are behind */
    unsigned locks;               /* of all bones, of a coupled body */
    bool is_flesh_drawn;          /* of a coupled body: not the skin of its bones; layered ones always */
    const sn_scene_drive *drives; /* (drive_count) */
    int drive_count;
    const sn_scene_rigid *rigid; /* or null: translation and rotation move it */
} sn_scene_body;

/* One copy, everything locked, all parameters of sn_default_body_desc, speed 1. */
sn_scene_body sn_default_scene_body(void);

/* ---- what happens to them ---- */

typedef struct sn_scene_collider {
    sn_collider_desc desc;                 /* without its transform, and of a grid without the grid */
    sn_scene_vector translation, rotation; /* rotation: an axis times an angle */
    const char *name;                      /* of a grid's surface, for messages */
    const double *positions;               /* of a grid: (vertex_count x 3) and (triangle_count x 3) */
    const int32_t *triangles;
    int vertex_count, triangle_count, cells; /* cells along the longest side */
    bool is_hidden;                          /* not drawn */
} sn_scene_collider;

/* Skin that is dragged along a path. */
typedef struct sn_scene_grab {
    int body, copy;
    double from, until; /* seconds */
    sn_grab_desc desc;
    bool has_point;
    double point[3];      /* where it takes hold; else where the path is at `from` */
    sn_scene_vector path; /* world */
} sn_scene_grab;

typedef struct sn_scene_impulse {
    int body, copy;          /* copy -1: all */
    double seconds;          /* when */
    double period;           /* again and again; 0: once */
    const char *bone;        /* shared by all skin of it; or null: */
    double point[3];         /* the skin nearest to this point */
    sn_scene_vector impulse; /* at its time */
} sn_scene_impulse;

/* Of a body's desc. */
enum {
    SN_SCENE_STIFFNESS = 1,
    SN_SCENE_MASS = 2,
    SN_SCENE_POISSON = 4,
    SN_SCENE_COMPLIANCE = 8,
    SN_SCENE_DAMPING = 16,
    SN_SCENE_AMOUNT = 32,
    SN_SCENE_SUBSTEPS = 64,
    SN_SCENE_SWEEPS = 128,
    SN_SCENE_GRAVITY = 256, /* the script's own is left out */
    SN_SCENE_WIND = 512,
    /* which not all of the solvers know */
    SN_SCENE_OF_REDUCED = SN_SCENE_AMOUNT,
    SN_SCENE_OF_LAYERED = SN_SCENE_MASS | SN_SCENE_SUBSTEPS | SN_SCENE_SWEEPS, /* as of coupled ones */
    SN_SCENE_OF_COUPLED = SN_SCENE_OF_LAYERED | SN_SCENE_POISSON | SN_SCENE_COMPLIANCE
};

/* What changes at a time, and stays. */
typedef struct sn_scene_event {
    double seconds;
    int body, copy;      /* copy -1: all; body -1: of none */
    unsigned parameters; /* SN_SCENE_...: what of desc it has, in place of the body's own */
    sn_body_desc desc;
    bool has_lame;
    double lame[2]; /* lambda and mu in Pa, in place of stiffness and Poisson's ratio */
    /* of coupled bodies */
    const char *bone; /* of the next two, or null */
    bool has_locks, has_compliance;
    unsigned locks;
    double compliance;
    const sn_cook_handles *handles; /* other bones (sn_body_set_rig), in the model's units; or null */
    /* of colliders */
    int collider; /* -1: of none */
    bool has_friction, has_presence, is_there;
    double friction;
} sn_scene_event;

typedef struct sn_scene_camera {
    bool is_given; /* else all that is there is looked at */
    double target[3], distance;
    double yaw, pitch; /* of the eye: from +Z towards +X, above the horizon */
} sn_scene_camera;

/* ---- the scene ---- */

#define SN_SCENE_BODY_LIMIT 10000 /* with copies */
#define SN_SCENE_PART_LIMIT                                                                                            \
    1024 /* characters, entries of bodies, colliders, grabs, impulses, events; drives of a body */
#define SN_SCENE_SECONDS_LIMIT 86400
#define SN_SCENE_SOLID_LIMIT 64   /* of a rigid body */
#define SN_SCENE_SOLID_LEAST 1e-6 /* their lengths that are not 0 */
#define SN_SCENE_SOLID_MOST 1e6

/* Called once with each character's model before any body is made of it: it may get more clips, which bodies then name.
 * Whatever those are must outlive the scene. A failure has logged its line, and ends the scene. */
typedef sn_result sn_scene_prepare(int character, sn_model *model, void *user);

typedef struct sn_scene_script {
    const char *name, *says;
    double seconds;                /* of a run */
    double time_step;              /* 0: the world's default */
    sn_scene_vector gravity, wind; /* of all bodies, added to their own */
    bool has_floor;
    double floor_height, floor_friction;
    const sn_scene_character *characters; /* (character_count) */
    int character_count;
    const sn_scene_body *bodies; /* (body_count) */
    int body_count;
    const sn_scene_collider *colliders; /* (collider_count), without the floor */
    int collider_count;
    const sn_scene_grab *grabs; /* (grab_count) */
    int grab_count;
    const sn_scene_impulse *impulses; /* (impulse_count) */
    int impulse_count;
    const sn_scene_event *events; /* (event_count) */
    int event_count;
    sn_scene_camera camera;
    sn_scene_prepare *prepare; /* or null */
    void *prepare_user;
} sn_scene_script;

#endif
