/* SPDX-License-Identifier: MIT */
/* A scene script as plain data: characters, bodies, what moves them, and colliders. Built-in scenes are such data in C;
 * scene files are parsed into it. A scene neither owns nor changes it.
 *
 * Units are the scene's: those of the models' coordinates (sn_scene_character.cook.units), seconds, radians. Each array
 * has a count; null pointers and zero counts mean absent. */
#ifndef SN_SCENES_SCRIPT_SCRIPT_H
#define SN_SCENES_SCRIPT_SCRIPT_H

#include "sinew/author.h"

/* ---- time-dependent numbers ---- */

typedef enum sn_scene_ease {
    SN_EASE_LINEAR,
    SN_EASE_SMOOTH, /* zero slope at every key */
    SN_EASE_STEP,   /* constant until the next key */
    SN_EASE_COUNT
} sn_scene_ease;

typedef struct sn_scene_key {
    double seconds, value;
} sn_scene_key;

/* Sum of a constant, an expression (expression.h) and keys, each optional. Outside the keys' range the nearest value
 * applies. */
typedef struct sn_scene_number {
    double constant;
    const char *expression;   /* of t, i and n; or null */
    const sn_scene_key *keys; /* (key_count) by increasing time */
    int key_count;
    sn_scene_ease ease;
    bool is_looping; /* the keys repeat */
} sn_scene_number;

typedef struct sn_scene_vector {
    sn_scene_number at[3];
} sn_scene_vector;

/* ---- characters ---- */

typedef enum sn_scene_shape_type {
    SN_SHAPE_NONE,
    SN_SHAPE_OUTLINE, /* flat: interior of closed curves through points */
    SN_SHAPE_BLOBS,   /* union of round cones, with smooth blends */
    SN_SHAPE_BOX,
    SN_SHAPE_TYPE_COUNT
} sn_scene_shape_type;

/* A round cone; a sphere if both ends are at one point. */
typedef struct sn_scene_blob {
    double from[3], to[3], from_radius, to_radius;
} sn_scene_blob;

/* An ellipse painted on a shape, in its side view. */
typedef struct sn_scene_spot {
    double center[2], radius[2];
    float color[3]; /* sRGB, 0 to 1 */
} sn_scene_spot;

/* A texture, projected along z (x to the right) or along x (z to the left), through the whole shape. */
typedef struct sn_scene_paint {
    bool is_from_x;
    float top[3], bottom[3];    /* sRGB, 0 to 1, at the upper and lower end; both black: no texture */
    const sn_scene_spot *spots; /* (spot_count) painted in this order */
    int spot_count;
} sn_scene_paint;

/* A procedural shape, instead of a file. */
typedef struct sn_scene_shape {
    sn_scene_shape_type type;
    bool is_flat;              /* blobs and boxes: use their cross-section at z = 0 */
    double edge_length;        /* approximate length of triangle edges */
    bool is_angular;           /* outline: straight segments instead of a smooth curve */
    const double (*points)[2]; /* outline: (point_count) loop by loop; interior by the even-odd rule */
    int point_count;
    const int *loop_lengths; /* (loop_count) points per loop; none: a single loop */
    int loop_count;
    const sn_scene_blob *blobs; /* (blob_count) */
    int blob_count;
    double blend;                      /* blobs: distance over which they blend; 0: none */
    double half_extents[3], center[3]; /* box */
    sn_scene_paint paint;
} sn_scene_shape;

typedef struct sn_scene_character {
    const char *name;
    const char *path;     /* a .sinew model, or any input of sn_cook; null: use `shape` */
    sn_scene_shape shape; /* if there is no path */
    sn_cook_desc cook;    /* for inputs that are not models; includes handles */
} sn_scene_character;

/* The cook's defaults, but with unchanged coordinates (SN_UNITS_KEEP). */
sn_scene_character sn_default_scene_character(void);

/* ---- bodies ---- */

/* Locks of a bone from a time on. */
typedef struct sn_scene_lock {
    double seconds;
    unsigned locks; /* SN_LOCK_... */
} sn_scene_lock;

/* Motion of a bone relative to its rig; children follow. */
typedef struct sn_scene_drive {
    const char *bone;
    sn_scene_vector translation, rotation; /* rotation: axis times angle, about the pivot */
    sn_scene_vector stretch;               /* along x, y, z of the rest pose: 0 is none, 0.5 is 50% longer */
    bool has_pivot;
    double pivot[3]; /* at rest; otherwise the model's pivot is used */
    const sn_scene_lock
        *locks; /* coupled bodies: (lock_count) by increasing time; before the first, the body's locks apply */
    int lock_count;
    bool is_relative; /* whenever more is locked, continue from the bone's current transform */
} sn_scene_drive;

typedef enum sn_scene_solid_type {
    SN_SOLID_SPHERE,
    SN_SOLID_CAPSULE, /* around the segment from -half_height to half_height on y */
    SN_SOLID_CYLINDER,
    SN_SOLID_BOX,   /* half_extents, enlarged by radius */
    SN_SOLID_PLANE, /* half-space y < 0; for colliders only */
    SN_SOLID_TYPE_COUNT
} sn_scene_solid_type;

/* A primitive of a rigid body, in the model's rest coordinates. */
typedef struct sn_scene_solid {
    sn_scene_solid_type type;
    double radius, half_height, half_extents[3];
    double translation[3], rotation[3]; /* rotation: axis times angle */
} sn_scene_solid;

/* A body whose rig is moved by a rigid-body engine. It starts at the body's translation and rotation at time 0.
 * Gravity, impulses, colliders (except grids) and other rigid bodies then move it, and the flesh follows by
 * complementary dynamics. */
typedef struct sn_scene_rigid {
    bool is_kinematic;            /* translation and rotation always move it, and it pushes others */
    double mass;                  /* kg; 0: use density */
    double density;               /* kg per volume of the closed surface, or else of the solids; 0: the model's mass */
    double friction, restitution; /* of two bodies in contact: geometric mean; maximum */
    double dents;                 /* fraction of contact impulses that also acts on the flesh at the contact */
    sn_scene_vector velocity, angular_velocity; /* of the center of mass at time 0 */
    const sn_scene_solid *solids;               /* (solid_count) collision shapes; none: one around the surface */
    int solid_count;
} sn_scene_rigid;

/* Friction 0.5, restitution 0, dents 0, at rest, the model's mass, one solid around the surface. */
sn_scene_rigid sn_default_scene_rigid(void);

typedef struct sn_scene_body {
    int character;
    int count;         /* copies, distinguished by i in expressions; 0: 1 */
    sn_body_desc desc; /* the scene sets the model; the following numbers override it */
    sn_scene_number stiffness, damping, amount, compliance, mass;
    sn_scene_vector translation, rotation; /* of the whole rig: rotation about the origin, then translation */
    const char *clip;                      /* name, or null */
    const sn_mat3x4 *poses;                /* (pose_count x bone_count) relative to bind, clamped at the end; or null */
    int pose_count, pose_bone_count;
    double pose_rate;      /* poses per second */
    double speed;          /* factor on clip and poses, > 0 */
    sn_scene_number delay; /* seconds by which the copy's clip and poses lag */
    unsigned locks;        /* coupled bodies: of all bones */
    bool is_flesh_drawn;   /* coupled bodies: draw the flesh instead of the skin of the bones; always true for layered
                              bodies */
    const sn_scene_drive *drives; /* (drive_count) */
    int drive_count;
    const sn_scene_rigid *rigid; /* or null: translation and rotation move it */
} sn_scene_body;

/* One copy, all bones locked, parameters of sn_default_body_desc, speed 1. */
sn_scene_body sn_default_scene_body(void);

/* ---- colliders, grabs, impulses, events ---- */

typedef struct sn_scene_collider {
    sn_collider_desc desc;                 /* the scene sets transform and grid */
    sn_scene_vector translation, rotation; /* rotation: axis times angle */
    const char *name;                      /* grid: of its surface, for messages */
    const double *positions;               /* grid: (vertex_count x 3) and (triangle_count x 3) */
    const int32_t *triangles;
    int vertex_count, triangle_count, cells; /* cells: along the longest side */
    bool is_hidden;                          /* not drawn */
} sn_scene_collider;

/* Drags skin along a path. */
typedef struct sn_scene_grab {
    int body, copy;
    double from, until; /* seconds */
    sn_grab_desc desc;
    bool has_point;
    double point[3];      /* grabbed point; otherwise the path's position at `from` */
    sn_scene_vector path; /* world */
} sn_scene_grab;

typedef struct sn_scene_impulse {
    int body, copy;          /* copy -1: all copies */
    double seconds;          /* time of the first impulse */
    double period;           /* seconds between repetitions; 0: once */
    const char *bone;        /* distribute the impulse over all skin of this bone; or null */
    double point[3];         /* without a bone: hit the skin nearest to this point */
    sn_scene_vector impulse; /* evaluated when it is applied */
} sn_scene_impulse;

/* Parameters of sn_body_desc, as flags. */
enum {
    SN_SCENE_STIFFNESS = 1,
    SN_SCENE_MASS = 2,
    SN_SCENE_POISSON = 4,
    SN_SCENE_COMPLIANCE = 8,
    SN_SCENE_DAMPING = 16,
    SN_SCENE_AMOUNT = 32,
    SN_SCENE_SUBSTEPS = 64,
    SN_SCENE_SWEEPS = 128,
    SN_SCENE_GRAVITY = 256, /* replaces the script's gravity */
    SN_SCENE_WIND = 512,
    /* parameters specific to solvers */
    SN_SCENE_REDUCED_PARAMETERS = SN_SCENE_AMOUNT,
    SN_SCENE_LAYERED_PARAMETERS =
        SN_SCENE_MASS | SN_SCENE_SUBSTEPS | SN_SCENE_SWEEPS, /* coupled bodies have these too */
    SN_SCENE_COUPLED_PARAMETERS = SN_SCENE_LAYERED_PARAMETERS | SN_SCENE_POISSON | SN_SCENE_COMPLIANCE
};

/* A persistent change at a time. */
typedef struct sn_scene_event {
    double seconds;
    int body, copy;      /* copy -1: all copies; body -1: none */
    unsigned parameters; /* SN_SCENE_... flags: values of `desc` that replace the body's own */
    sn_body_desc desc;
    bool has_lame;
    double lame[2]; /* lambda and mu in Pa; replaces stiffness and Poisson's ratio */
    /* coupled bodies */
    const char *bone; /* target of locks and compliance, or null */
    bool has_locks, has_compliance;
    unsigned locks;
    double compliance;
    const sn_cook_handles *handles; /* new bones (sn_body_set_model), in the model's units; or null */
    /* colliders */
    int collider; /* -1: none */
    bool has_friction, has_presence, is_present;
    double friction;
} sn_scene_event;

typedef struct sn_scene_camera {
    bool is_set; /* otherwise the camera frames all bodies */
    double target[3], distance;
    double yaw, pitch; /* of the eye, radians: yaw from +Z towards +X, pitch above the horizon */
} sn_scene_camera;

/* ---- the scene ---- */

#define SN_SCENE_BODY_LIMIT 10000 /* including copies */
#define SN_SCENE_PART_LIMIT 1024  /* characters, body entries, colliders, grabs, impulses, events; drives of a body */
#define SN_SCENE_SECONDS_LIMIT 86400
#define SN_SCENE_SOLID_LIMIT 64        /* solids of a rigid body */
#define SN_SCENE_SOLID_MIN_LENGTH 1e-6 /* range of their nonzero lengths */
#define SN_SCENE_SOLID_MAX_LENGTH 1e6

/* Callback for each character's model before bodies are created. It may add clips, which must outlive the scene. A
 * failure must be logged; it aborts the creation of the scene. */
typedef sn_result sn_scene_prepare(int character, sn_model *model, void *user);

typedef struct sn_scene_script {
    const char *name, *description;
    double seconds;                /* duration of a run */
    double time_step;              /* 0: the world's default */
    sn_scene_vector gravity, wind; /* added to each body's own */
    bool has_floor;
    double floor_height, floor_friction;
    const sn_scene_character *characters; /* (character_count) */
    int character_count;
    const sn_scene_body *bodies; /* (body_count) */
    int body_count;
    const sn_scene_collider *colliders; /* (collider_count) without the floor */
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
