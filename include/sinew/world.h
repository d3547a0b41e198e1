/* SPDX-License-Identifier: MIT */
/* A world steps bodies: characters' flesh, each a model plus its state.
 *
 * Time. A world has one fixed time step, however often it is called: sn_world_step adds the seconds to what is left
 * over and takes as many steps as fit, at most step_limit; what is beyond is dropped, so that a slow frame is not
 * followed by slower ones. The motion is the same at any frame rate. Steps in between two poses use poses in between.
 * What is drawn is the rig's last pose, which never lags, plus the flesh interpolated between its last two steps.
 *
 * Units. Poses and transforms are in model units (a model cooked with --units unit has a diagonal of 1).
 * Transforms are relative to bind: the identity is the bind pose.
 *
 * Threads. A world and its bodies belong to one thread at a time; sn_world_step uses several inside. Results do not
 * depend on their number, to the bit. Models are shared, and must outlive the bodies made from them.
 *
 * Devices. A world that is given a backend has its bodies step there: see sinew/vulkan.h. All calls stay the same; what
 * differs says so. */
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is no world, no body. An id is not used again: a stale one is a caller's bug (asserted), see
 * sn_body_is_valid. */
typedef struct sn_world_id {
    uint16_t index1, generation;
} sn_world_id;

typedef struct sn_body_id {
    int32_t index1;
    uint16_t world0, generation;
} sn_body_id;

/* Runs `task` for the ranges that make up [0, count), each of `grain` items but the last, on any threads; returns when
 * all are done. worker is below worker_count and names the thread: no two calls at a time have the same. */
typedef void sn_task_function(int first, int last, int worker, void *task_user);
typedef void sn_parallel_function(int count, int grain, sn_task_function *task, void *task_user, void *user);

/* A device that bodies step on, in place of the world's threads. */
typedef struct sn_backend sn_backend;
/* Takes down what is done to worlds: see record.h. */
typedef struct sn_recorder sn_recorder;

typedef struct sn_world_desc {
    double time_step;                /* seconds, > 0 */
    int step_limit;                  /* steps of one sn_world_step at most, >= 1 */
    int worker_count;                /* threads, the caller's among them, 1 .. 64; 0: one a processor */
    sn_parallel_function *run_tasks; /* null: the world's own threads */
    void *run_tasks_user;
    const sn_backend *backend; /* null: none; it must outlive the world, which then uses no threads */
    sn_recorder *recorder;     /* of one world at a time; null: none; it must outlive the world */
} sn_world_desc;

/* 1/60 s, 4 steps, one worker, own threads, no backend, no recorder. */
SN_API sn_world_desc sn_default_world_desc(void);

/* SN_ERROR_ARGUMENT for values out of range, or a recorder that has a world, SN_ERROR_MEMORY (also beyond 128 worlds
 * that live at a time), SN_ERROR_UNSUPPORTED where the backend cannot have so large a step_limit. */
SN_API sn_result sn_world_create(const sn_world_desc *desc, sn_world_id *world);
/* With its bodies. Accepts the zero id. */
SN_API void sn_world_destroy(sn_world_id world);

typedef struct sn_world_report {
    int step_count;
    int recovery_count;     /* bodies that met an explosion or a number that is not finite, and went back to their rig's
                               pose, at rest, or whose new pose was refused; each has logged one warning. A device
                               tells of explosions some calls later */
    double dropped_seconds; /* beyond step_limit */
    double solver_seconds;  /* spent in the steps; with a backend, in preparing them */
} sn_world_report;

/* Moves everything by `seconds` (>= 0; not finite or negative counts as 0). Allocates nothing after each body's first
 * step. */
SN_API sn_world_report sn_world_step(sn_world_id world, double seconds);

/* ---- colliders: solid shapes that push flesh; rigs are moved by you alone ---- */

typedef struct sn_collider_id {
    int32_t index1;
    uint16_t world0, generation;
} sn_collider_id;

typedef enum sn_collider_shape {
    SN_COLLIDER_PLANE,   /* y = 0, solid below */
    SN_COLLIDER_SPHERE,  /* radius */
    SN_COLLIDER_CAPSULE, /* radius, around the segment from -half_height to half_height on y */
    SN_COLLIDER_BOX,     /* half_extents, with edges rounded by radius, which is added to them */
    SN_COLLIDER_GRID,    /* any solid: grid */
    SN_COLLIDER_SHAPE_COUNT
} sn_collider_shape;

/* Signed distances from the surface of a solid, at the nodes of a lattice. Immutable: worlds and threads share it. See
 * sn_grid_build of author.h for one of a surface. */
typedef struct sn_grid sn_grid;

typedef struct sn_grid_desc {
    int counts[3];             /* nodes along x, y, z: 2 at least, 2^27 in all at most */
    double origin[3], spacing; /* of the first node, and between nodes, > 0; of the shape, in the units of the poses */
    const float *distances;    /* (counts[2] x counts[1] x counts[0]), x fastest; copied */
} sn_grid_desc;

/* What is negative inside of the lattice's box is solid, and nothing outside of it; values in between nodes are
 * trilinear. SN_ERROR_ARGUMENT for numbers out of range, or that are none; SN_ERROR_MEMORY. */
SN_API sn_result sn_grid_create(const sn_grid_desc *desc, sn_grid **grid);
/* After the colliders that use it. Accepts null. */
SN_API void sn_grid_destroy(sn_grid **grid);

typedef struct sn_collider_desc {
    const char *name; /* in messages of the call that it is given to; null: "collider" */
    sn_collider_shape shape;
    double radius, half_height, half_extents[3]; /* >= 0, in the units of the poses */
    double friction;                             /* Coulomb's coefficient, >= 0 */
    const sn_grid *grid;                         /* of SN_COLLIDER_GRID; must outlive the collider */
    sn_mat3x4 transform;                         /* rotation and translation: shape to world */
} sn_collider_desc;

/* The plane y = 0, friction .5. */
SN_API sn_collider_desc sn_default_collider_desc(void);

/* For all bodies of the world. Flesh that a pose itself pushes into a collider is moved out softly, by about a
 * twentieth of the body's diagonal at most. SN_ERROR_ARGUMENT for values out of range or a transform that is not rigid,
 * SN_ERROR_UNSUPPORTED where a backend that steps the world has no room for its grid, SN_ERROR_MEMORY. */
SN_API sn_result sn_collider_create(sn_world_id world, const sn_collider_desc *desc, sn_collider_id *collider);
/* Accepts the zero id. */
SN_API void sn_collider_destroy(sn_collider_id collider);
SN_API bool sn_collider_is_valid(sn_collider_id collider);
/* Where it is from now on: the next steps move it there. SN_ERROR_ARGUMENT, and it stays, where that is not rigid. */
SN_API sn_result sn_collider_set_transform(sn_collider_id collider, const sn_mat3x4 *transform);
/* Everything else, as of sn_collider_create: another shape, size or friction from the next step on, and where its
 * transform has it, at once. It stays as it is after an error. */
SN_API sn_result sn_collider_set_desc(sn_collider_id collider, const sn_collider_desc *desc);

/* ---- bodies ---- */

/* How a body's flesh moves. */
typedef enum sn_body_solver {
    SN_SOLVER_REDUCED, /* complementary dynamics: skinning eigenmodes on top of the rig, which is yours; any number of
                          bodies (Benchekroun et al. 2023, "Fast Complementary Dynamics via Skinning Eigenmodes") */
    SN_SOLVER_COUPLED, /* position-based flesh and rig move each other: see "coupled bodies" below (Wu and Umetani 2023,
                          "Two-Way Coupling of Skinning Transformations and Position Based Dynamics") */
    SN_SOLVER_LAYERED, /* position-based flesh with fibres on bones that carry it: see "layered bodies" below (Cai
                          and Lin, "Skeleton-driven dynamics modeling for computer-aided muscular rehabilitation") */
    SN_SOLVER_COUNT
} sn_body_solver;

/* How a layered body's tets are swept. */
typedef enum sn_layered_mode {
    SN_LAYERED_UNORDERED, /* along a curve through the body: small steps, of one sweep each */
    SN_LAYERED_LAYERS,    /* the paper's: from the bones outwards, in the first sweeps with inner layers made heavier */
    SN_LAYERED_MODE_COUNT
} sn_layered_mode;

typedef struct sn_body_desc {
    const char *name; /* in messages of the call that it is given to; null: "body" */
    const sn_model *model;
    sn_body_solver solver; /* a body keeps it */
    double stiffness;      /* times the cooked one, >= 0 */
    double damping;        /* 1/s: the flesh's own velocity decays by exp(-damping t), >= 0 */
    double gravity[3];     /* model units/s^2 */
    double wind[3];        /* velocity of the air, model units a second: it presses on the skin that it meets, and on
                              spring bones */
    /* of reduced bodies */
    double amount;         /* share of the flesh's displacement that is output, >= 0; 0: the rig alone */
    int iteration_limit;   /* of a step, >= 1. Flesh that keeps its volume, or is near a collider or grabbed, may have
                              as many as 8 for one that lowers its energy */
    double tolerance;      /* a step ends once an iteration changes no position by more than this, a fraction of the
                              bounding box's diagonal, 0 .. 1; where flesh and rig move by less than a hundred times
                              that, by more than a hundredth of what they move, or 1e-6, so that flesh comes to rest.
                              One that its limit or budget cuts between the two counts as converged */
    int mode_count;        /* level of detail: of the model's modes the first, at most; 0: all. See
                              sn_model_level_mode_count */
    int cluster_level;     /* level of detail: 0 the finest; beyond the model's coarsest: that one */
    double budget_seconds; /* of a step: it ends after the iteration that spends it, and then the motion depends on the
                              machine's speed; 0: none. sn_body_last_effort says how far it came. On devices: see
                              vulkan.h */
    bool is_neo_hookean;   /* stable Neo-Hookean flesh (Smith et al. 2018), which keeps its volume, as far as its
                              Poisson's ratio goes, when it is stretched far, too; else ARAP, or with a Poisson's ratio
                              linear co-rotational: see docs/characters.md. Not of flat bodies */
    bool is_without_bone_colliders; /* what the model has of colliders on its bones does not count, for flesh and for
                                       spring bones: see docs/characters.md. Coupled bodies never feel them */
    bool is_without_springs;        /* level of detail: the model's spring bones stay where the pose has them, and cost
                                       nothing. Of reduced and layered bodies: coupled ones have none. Of a body that
                                       there is, they go there, or come in, within a quarter of a second; what is held
                                       of them stays held */
    double spring_area; /* of spring bones: how much of them the wind meets, m^2/kg (a metre is the model file's),
                           >= 0; 0: no wind moves them. 1 / (density times thickness) of a lock of hair: 1 is one of
                           1 cm and 100 kg/m^3 */
    /* of coupled bodies */
    int substep_count; /* of a step, 1 .. 1000: with few, stiff flesh of a fine mesh is softer than its Young's modulus.
                          0: as many as it takes, but 15 to 60 a sixtieth of a second, and 1000 at most */
    int sweep_count;   /* over all tets in a substep, 1 .. 1000; more substeps hold better than more sweeps */
    double mass;       /* times the cooked one, 1e-6 .. 1e6 */
    double poisson;    /* Poisson's ratio of the flesh, above -1 (below 0 it gets thicker where it is pulled, and costs
                          half as much again) .. .49; Young's modulus is the model's. -1 or less: as cooked */
    double compliance; /* of the rule that flesh does not move as bones would, s^2, >= 0; 0: exactly. Flesh that is
                          where its bones would not have it is drawn back as by springs of 1 / sqrt(compliance) radians
                          a second: 1e-4 gives way a little (16 swings a second), 1e-3 visibly (5), 1e-2 a lot (1.6).
                          The same for bones and bodies of any size and mass, and any number of substeps. Under weight
                          flesh hangs compliance times gravity lower, and a bone that holds others' flesh, too, so much
                          more */
    double sleep_speed;   /* once no vertex has been faster for half a second, steps do nothing, until the pose of what
                             is locked, locks, parameters or colliders change, or something pushes or holds the body;
                             its diagonals a second, 0: never */
    bool is_rigid_damped; /* damping is of all motion; else of the flesh's own, and what swings as a whole goes on */
    bool is_driven_only;  /* the rule is for bones with a lock alone, not for all */
    /* of layered bodies, besides substeps, sweeps, mass, sleep_speed and is_rigid_damped */
    sn_layered_mode layered_mode;
    int consolidating_count; /* of SN_LAYERED_LAYERS in steps of one substep: in so many sweeps, the first, the layers
                                that are done are ten times heavier, 0 .. 1000. The paper has 2 to 6 of 10 sweeps */
} sn_body_desc;

/* Reduced; stiffness 1, no damping, no gravity, no wind, amount 1, 30 iterations, tolerance 1e-5, every detail, no
 * budget, bones' colliders, spring bones of 1 m^2/kg; 15 substeps of one sweep, the cooked mass, Poisson's ratio .4, no
 * compliance, no sleep; unordered, 6 consolidating sweeps. The model is yours to set. */
SN_API sn_body_desc sn_default_body_desc(void);

/* A body at rest in the bind pose. Errors: SN_ERROR_ARGUMENT (no model, a number out of range), SN_ERROR_UNSUPPORTED (a
 * reduced body of a model without modes, a flat Neo-Hookean one, a layered one of a model that was not cooked for it;
 * the world's backend cannot step it), SN_ERROR_FORMAT (the model is damaged), SN_ERROR_MEMORY. */
SN_API sn_result sn_body_create(sn_world_id world, const sn_body_desc *desc, sn_body_id *body);
/* Accepts the zero id. */
SN_API void sn_body_destroy(sn_body_id body);
SN_API bool sn_body_is_valid(sn_body_id body);
SN_API const sn_model *sn_body_model(sn_body_id body);

/* The rig's pose from now on: a transform a bone, in the model's order; count must be its bone count. The next steps
 * move from the last pose to this one. A pose that is not finite, or, of a coupled or layered body or one with spring
 * bones, beyond a million diagonals, is refused: the last one stays. That counts as a recovery at every step, and is
 * told once. */
SN_API void sn_body_set_pose(sn_body_id body, const sn_mat3x4 *bones, int count);
/* The same transform for all bones. */
SN_API void sn_body_set_rigid_pose(sn_body_id body, const sn_mat3x4 *transform);
/* Of one bone, which must be in range; the others' stay. */
SN_API void sn_body_set_bone_pose(sn_body_id body, int bone, const sn_mat3x4 *transform);

/* Weights of the model's morph targets from now on (see sn_model_clip_morphs, sn_model_add_expression); a body begins
 * with the file's own. count must be the model's morph count. They are a part of the pose: what is drawn has them at
 * once, the next steps move from the last ones to these, and the flesh is shaken by that, not by a weight that is held.
 * Weights that are not finite are refused as such a pose is. */
SN_API void sn_body_set_morphs(sn_body_id body, const float *weights, int count);

/* Changes everything but the model, which must be the same; the state stays, but for what modes that are no longer used
 * held. Cheap where only wind and amount change, or where another body has the same parameters already: bodies of one
 * model with the same ones share what is computed from them. Errors: those of sn_body_create; the body keeps what it
 * has. */
SN_API sn_result sn_body_set_desc(sn_body_id body, const sn_body_desc *desc);

/* ---- level of detail ----
 *
 * A body far away, or one of many, does with the model's first modes and coarser clusters: the step's time goes with
 * their product. Change both at any time: what is drawn moves by no more than what the modes that go held, and not at
 * all where modes are added. What a level takes is computed when the first body comes to it, in some milliseconds;
 * prepare it beforehand where a frame cannot wait. */

/* sn_body_set_desc with these two of the body's parameters changed; both >= 0. */
SN_API sn_result sn_body_set_detail(sn_body_id body, int mode_count, int cluster_level);
/* Computes what bodies with these parameters share, and keeps it, with bodies or without, until sn_world_forget or the
 * world's end: no change of a body to them computes or allocates anything. Errors: those of sn_body_create. */
SN_API sn_result sn_world_prepare(sn_world_id world, const sn_body_desc *desc);
/* Undoes sn_world_prepare for all parameters of a model; then its bodies alone keep it. */
SN_API void sn_world_forget(sn_world_id world, const sn_model *model);

/* What a body's last step came to. */
typedef struct sn_body_effort {
    int iteration_count;
    double change;     /* what any vertex can have moved by in the last iteration, at most: a fraction of the diagonal.
                          Not above the tolerance where the step is converged */
    bool is_converged; /* else the iteration limit or the budget ended it, or nothing lowered the energy any more */
    bool is_over_budget; /* budget_seconds ended it */
} sn_body_effort;
/* Of a reduced body; nothing (0) before its first step. With a backend it tells of a step some calls ago, once that is
 * known to be done. Coupled bodies' sweeps have a fixed number: 0, converged. */
SN_API sn_body_effort sn_body_last_effort(sn_body_id body);

/* At rest in the pose that was set last: no velocity, no displacement. */
SN_API void sn_body_reset(sn_body_id body);
/* Moves the body and its history by a rigid transform, exactly: the flesh does not feel it. The pose that was set last
 * moves along; set the next one in the new place. */
SN_API void sn_body_teleport(sn_body_id body, const sn_mat3x4 *transform);

/* Hits the flesh: an impulse (kg times model units a second) at the skin nearest to a point (world; as it is drawn). It
 * moves the flesh, and where spring bones carry that skin, the one that carries most of it, as a rod of its flesh's
 * mass that turns about its head. One that is not finite is ignored. */
SN_API void sn_body_apply_impulse(sn_body_id body, const double point[3], const double impulse[3]);

/* The same shared out over all the skin that a bone (of the model's order) moves, by rig weight and area, and where it
 * is a spring bone that swings, at its middle. One that moves no flesh feels nothing. */
SN_API void sn_body_apply_bone_impulse(sn_body_id body, int bone, const double impulse[3]);

/* ---- holding flesh: a mouse, fingers ---- */

#define SN_GRAB_LIMIT 4 /* a body: of flesh, and so many of spring bones */

/* A damped spring from the skin to a target. It is implicit, like all of a step: stable at any time step. Its numbers
 * are relative to the flesh that it holds, so that they suit every model. */
typedef struct sn_grab_desc {
    double reach;    /* no skin farther from the point is taken, in the units of the poses, >= 0 */
    double softness; /* how far the spring gives way, of what the flesh there does, 1e-6 .. 1e6: a pull by 1 moves flesh
                        by about 1 / (1 + softness) */
    double damping_ratio; /* of the spring with the flesh's mass there, >= 0; 1: critical. Of reduced bodies: coupled
                             ones are damped by their own damping alone */
    double strength;      /* its largest force: what would move the softest flesh by this share of the diagonal if
                             flesh were linear, > 0. However far the target, nothing is torn out */
} sn_grab_desc;

/* No limit of the reach, softness .1, damping ratio 1, strength .3. */
SN_API sn_grab_desc sn_default_grab_desc(void);
/* Takes hold of the skin nearest to a point (world; as it is drawn), which stays where it is until it is dragged.
 * Skin that spring bones carry by half or more is held by their chain, which goes along as far as its lengths allow:
 * of the desc reach alone counts then. All grabs of a chain are solved together, in whatever order they came. The
 * grab's number (of chains from SN_GRAB_LIMIT on), or -1 where no soft skin is in reach, SN_GRAB_LIMIT are held
 * already, a number is out of range, or the world's backend has no grabs of flesh. */
SN_API int sn_body_grab(sn_body_id body, const double point[3], const sn_grab_desc *desc);
/* Pulls what was at the point towards the target, from the next step on. One that is not finite is ignored, as is a
 * grab that was released. sn_body_reset releases all; sn_body_teleport moves targets along. Other parameters of the
 * body's, and another rig, leave what is held held. */
SN_API void sn_body_drag(sn_body_id body, int grab, const double target[3]);
SN_API void sn_body_release(sn_body_id body, int grab);

/* ---- coupled bodies ----
 *
 * Two-way coupling of rig and flesh: flesh is position-based, bones follow it where they are free, and drive it where
 * they are locked. What is drawn is the rig, skinned: sn_body_output has the bones as physics moved them, interpolated
 * between the last two steps, or, where a call ends with a step, as that one left them; and no modes. Any model can be
 * stepped so; sn_cook_desc.is_coupled cooks one for nothing else, in no time. Morph targets are drawn, and flesh does
 * not feel them. With a backend, see vulkan.h.
 *
 * A body begins with all bones locked, in the bind pose. Set a pose, or a rigid pose, and sn_body_reset, to begin
 * elsewhere. sn_body_set_pose says where locked bones go within the next step; what is free of a bone ignores it. A
 * bone with a parent is a joint: the parent carries its pivot (sn_model_bone_pivot), and it turns about that. */

/* What of a bone the pose drives. Axes are the world's. A cage's vertex has a place alone. */
enum {
    SN_LOCK_X = 1,
    SN_LOCK_Y = 2,
    SN_LOCK_Z = 4,
    SN_LOCK_TRANSLATION = SN_LOCK_X | SN_LOCK_Y | SN_LOCK_Z,
    SN_LOCK_ROTATION_X = 8,
    SN_LOCK_ROTATION_Y = 16,
    SN_LOCK_ROTATION_Z = 32,
    SN_LOCK_ROTATION = SN_LOCK_ROTATION_X | SN_LOCK_ROTATION_Y | SN_LOCK_ROTATION_Z,
    SN_LOCK_STRETCH = 64, /* the rest of the linear part, of bones that may stretch (sn_model_is_bone_stretched) */
    SN_LOCK_ALL = 127
};

/* For the functions below the body must be coupled (asserted; sn_body_flesh and sn_body_measure have layered ones,
 * too), and the bone one of the model's. */

/* What was free and is locked now stays where it is until the next pose. */
SN_API void sn_body_set_locks(sn_body_id body, int bone, unsigned locks);
SN_API unsigned sn_body_locks(sn_body_id body, int bone);
/* Of one bone, and of what it carries, in place of the desc's; negative: the desc's. */
SN_API void sn_body_set_compliance(sn_body_id body, int bone, double compliance);
/* What the locks gave to the body in the last step, as it came through this bone: linear, and angular about the bone's
 * pivot. Flesh between a locked bone and a free one hands some on, so that a free bone may have a share: the sum over
 * all bones is what all locks gave. */
SN_API void sn_body_lock_impulse(sn_body_id body, int bone, double impulse[6]);
/* Where the vertices of the tets are after the last step: (count x 3), count sn_model_vertex_count. Flesh moves finer
 * than the bones that are drawn. */
SN_API void sn_body_flesh(sn_body_id body, double *positions, int count);

/* Of the flesh, in the world; in the model's units of length, kilograms and seconds. */
typedef struct sn_body_motion {
    double kinetic, elastic;                 /* energy */
    double momentum[3], angular_momentum[3]; /* about the world's origin */
    bool is_asleep;                          /* the last step did nothing: sleep_speed */
} sn_body_motion;
/* After the last step. */
SN_API sn_body_motion sn_body_measure(sn_body_id body);

/* Flesh changes while it lives, of this body alone: others of its model stay whole. What is not touched moves on as it
 * was. Bones and weights stay, and so does what is drawn: skin stretches over a tear.
 *
 * Tears: tets whose middle is within `radius` of a point now are gone. A vertex keeps its last tet, and all of the mass
 * stays. Returns how many are gone, or -1 without memory. */
SN_API int sn_body_tear(sn_body_id body, const double point[3], double radius);
/* All that was torn grows together. SN_ERROR_MEMORY; SN_ERROR_UNSUPPORTED where a backend's device is lost. */
SN_API sn_result sn_body_mend(sn_body_id body);
/* Ties two vertices of the tets (as sn_body_flesh counts them): a spring of a length, or, negative, of the one between
 * them now, and N/m (infinity: a rod; with length 0 they are welded). Its number, or -1 where one given is out of
 * range, or without memory. One that was removed is ignored. */
SN_API int sn_body_add_spring(sn_body_id body, int first, int second, double length, double stiffness);
SN_API void sn_body_remove_spring(sn_body_id body, int spring);

/* The same body with other bones: a model with the same tets and the same surface (sn_cook_rig). Flesh goes on as it
 * was. Bones of the same name keep their transforms, locks and compliances; new ones begin where the flesh is, free.
 * The new model must outlive the body, the old one is no longer used. Errors, after which nothing has changed:
 * SN_ERROR_ARGUMENT (other tets, another surface), SN_ERROR_MEMORY. */
SN_API sn_result sn_body_set_rig(sn_body_id body, const sn_model *model);

/* ---- layered bodies ----
 *
 * Strain-based position-based flesh on bones that are yours: bones run through the flesh and carry the vertices around
 * them rigidly, and all other flesh follows by its stiffness alone, along fibres if it has any. Its model must be
 * cooked for it (sn_cook_desc.is_layered; sn_model_is_layered). Where flesh is: sn_body_flesh, the vertices of the tets
 * after the last step, and sn_body_measure. sn_body_output has the bones between the last two steps, and no modes. Set
 * a pose, and sn_body_reset, to begin elsewhere than in the bind pose. Morph targets, amount, budget, tolerance and
 * level of detail do not count. With a backend, see vulkan.h.
 *
 * `damping` is of what flesh does besides going along with the bone that it is nearest to, or is_rigid_damped of all
 * motion. With SN_LAYERED_UNORDERED a step has substep_count substeps, or more where stiff flesh would be soft (0: as
 * many as it takes, 15 to 60 a sixtieth of a second); with SN_LAYERED_LAYERS just as many as it says, and the paper
 * has one, of ten sweeps. */

/* What a renderer takes: bones, then modes; position = sum_b g_b P_b X + sum_j w_j T_j X, where morph targets have
 * moved the rest place X first. mode_count is that of the body's level of detail: a shader that loops over so many, in
 * vertices' lists of sn_model_mode_count weights, saves the others, which are zero. With a backend, modes are on the
 * device alone: mode_count is 0 here. */
typedef struct sn_body_matrices {
    const sn_mat3x4 *matrices; /* (bone_count + sn_model_mode_count), valid until the body's next change or step */
    int bone_count, mode_count;
    const float *morphs; /* (morph_count), valid as long */
    int morph_count;
} sn_body_matrices;
/* As of the last step and the last pose, in the units of the poses. */
SN_API sn_body_matrices sn_body_output(sn_body_id body);

/* A surface in its model's tets: see surface.h. */
typedef struct sn_embedding sn_embedding;

/* Draws the flesh itself of a body that has positions of its own (coupled and layered ones), not the skin of its bones:
 * from now on each sn_world_step makes sn_body_embedded_output, too. embedding: of the body's model (asserted); it must
 * outlive the body. Null: no more. sn_body_set_rig undoes it, for the embedding is of the model before.
 * SN_ERROR_UNSUPPORTED for reduced bodies, SN_ERROR_MEMORY. With a backend sn_body_gpu_embedded_output (vulkan.h) has
 * it.
 */
SN_API sn_result sn_body_set_embedding(sn_body_id body, const sn_embedding *embedding);
/* The body's, or null. */
SN_API const sn_embedding *sn_body_embedding(sn_body_id body);
/* What draws sn_embedding_surface: bones (the model's, then sn_embedding_matrix_count more, all of them in bone_count)
 * and no modes, of flesh and bones between the last two steps, or, where a call ends with a step, as that one left
 * them. The body must have an embedding (asserted). */
SN_API sn_body_matrices sn_body_embedded_output(sn_body_id body);

#ifdef __cplusplus
}
#endif
#endif
