/* SPDX-License-Identifier: MIT */
/* A world steps bodies. A body is a character's flesh: a model plus its state.
 *
 * Time. A world has one fixed time step. sn_world_step adds its seconds to an accumulator and takes as many steps as
 * fit, at most step_limit; time beyond that is dropped, so that a slow frame does not slow the next ones down. The
 * motion is therefore the same at any frame rate. Steps between two poses use interpolated poses. The output is the
 * last pose of the rig, without delay, plus the flesh interpolated between its last two steps.
 *
 * Units. Poses and transforms are in model units (a model cooked with --units unit has a diagonal of 1). Transforms are
 * relative to bind: the identity is the bind pose.
 *
 * Threads. A world and its bodies belong to one thread at a time; sn_world_step uses several threads internally.
 * Results are bit-identical for any number of threads. Models are shared and must outlive their bodies.
 *
 * Devices. The bodies of a world with a backend step on a device: see sinew/vulkan.h. All calls stay the same, except
 * where documented.
 *
 * Longer rules are in docs/reference/world.md and docs/reference/spring-bones.md. */
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The zero id refers to no world or body. Ids are not reused: passing a stale id is an error of the caller (asserted),
 * see sn_body_is_valid. */
typedef struct sn_world_id {
    uint16_t index1;
    uint32_t generation;
} sn_world_id;

typedef struct sn_body_id {
    int32_t index1;
    uint16_t world0;
    uint32_t generation;
} sn_body_id;

/* Runs `task` on ranges that partition [0, count), each of `grain` items except the last, on any threads. Returns when
 * all are done. `worker` identifies the thread: it is below worker_count, and no two concurrent calls have the same
 * value. */
typedef void sn_task_function(int first, int last, int worker, void *task_user);
typedef void sn_parallel_function(int count, int grain, sn_task_function *task, void *task_user, void *user);

/* A device on which bodies step instead of on the world's threads. */
typedef struct sn_backend sn_backend;
/* Records every call that changes a world: see record.h. */
typedef struct sn_recorder sn_recorder;

typedef struct sn_world_desc {
    double time_step;                /* seconds, > 0 */
    int step_limit;                  /* max steps per sn_world_step, >= 1 */
    int worker_count;                /* threads including the caller's, 1 .. 64; 0: one per processor */
    sn_parallel_function *run_tasks; /* null: the world's own threads */
    void *run_tasks_user;
    const sn_backend *backend; /* null: step on threads; else it must outlive the world, which then uses no threads */
    sn_recorder *recorder;     /* null: do not record; records one world at a time; must outlive the world */
} sn_world_desc;

/* 1/60 s, 4 steps, one worker, own threads, no backend, no recorder. */
SN_API sn_world_desc sn_default_world_desc(void);

/* Errors: SN_ERROR_ARGUMENT (a value is out of range, or the recorder already has a world), SN_ERROR_MEMORY (also for
 * more than 128 worlds at a time), SN_ERROR_UNSUPPORTED (step_limit is too large for the backend). */
SN_API sn_result sn_world_create(const sn_world_desc *desc, sn_world_id *world);
/* Destroys the world and its bodies. Accepts the zero id. */
SN_API void sn_world_destroy(sn_world_id world);

typedef struct sn_world_report {
    int step_count;
    int recovery_count;     /* bodies that were put back to their rig's pose at rest, or whose new pose was refused */
    double dropped_seconds; /* time dropped because of step_limit */
    double solver_seconds;  /* time spent in the steps; with a backend, in preparing them */
} sn_world_report;

/* Advances the world by `seconds` (negative or not finite: 0). Allocates nothing after each body's first step. A body
 * recovers when its flesh diverges or is no longer finite; each recovery logs one warning. A device reports divergence
 * some calls later. */
SN_API sn_world_report sn_world_step(sn_world_id world, double seconds);

/* ---- colliders: solid shapes that push flesh; the application alone moves rigs ---- */

typedef struct sn_collider_id {
    int32_t index1;
    uint16_t world0;
    uint32_t generation;
} sn_collider_id;

typedef enum sn_collider_shape {
    SN_COLLIDER_PLANE,   /* y = 0, solid below */
    SN_COLLIDER_SPHERE,  /* radius */
    SN_COLLIDER_CAPSULE, /* radius, around the segment from -half_height to half_height on the y axis */
    SN_COLLIDER_BOX,     /* half_extents, enlarged and rounded by radius */
    SN_COLLIDER_GRID,    /* any solid, given as a signed distance grid */
    SN_COLLIDER_SHAPE_COUNT
} sn_collider_shape;

/* Signed distances to the surface of a solid, at the nodes of a lattice. Immutable, and shared by worlds and threads.
 * sn_grid_build of author.h creates one from a surface. */
typedef struct sn_grid sn_grid;

typedef struct sn_grid_desc {
    int counts[3];             /* nodes along x, y, z: at least 2 each, at most 2^27 in total */
    double origin[3], spacing; /* of the first node; between nodes, > 0; in the shape's frame */
    const float *distances;    /* (counts[2] x counts[1] x counts[0]), x fastest; copied */
} sn_grid_desc;

/* Values are interpolated trilinearly. Points inside the lattice's box with a negative value are solid; points outside
 * the box are not. Errors: SN_ERROR_ARGUMENT (a number is out of range or not finite), SN_ERROR_MEMORY. */
SN_API sn_result sn_grid_create(const sn_grid_desc *desc, sn_grid **grid);
/* Call it after the colliders that use the grid are destroyed. Accepts null. */
SN_API void sn_grid_destroy(sn_grid **grid);

typedef struct sn_collider_desc {
    const char *name; /* for messages of the call; null: "collider" */
    sn_collider_shape shape;
    double radius, half_height, half_extents[3]; /* >= 0, in the units of the poses */
    double friction;                             /* Coulomb friction coefficient, >= 0 */
    const sn_grid *grid;                         /* for SN_COLLIDER_GRID; must outlive the collider */
    sn_mat3x4 transform;                         /* rigid: shape to world */
} sn_collider_desc;

/* The plane y = 0, friction 0.5. */
SN_API sn_collider_desc sn_default_collider_desc(void);

/* Creates a collider for all bodies of the world. Where a pose itself puts flesh into a collider, the flesh is pushed
 * out softly, by about 5% of the body's diagonal at most. Errors: SN_ERROR_ARGUMENT (a value is out of range, or the
 * transform is not rigid), SN_ERROR_UNSUPPORTED (the backend has no memory for the grid), SN_ERROR_MEMORY. */
SN_API sn_result sn_collider_create(sn_world_id world, const sn_collider_desc *desc, sn_collider_id *collider);
/* Accepts the zero id. */
SN_API void sn_collider_destroy(sn_collider_id collider);
/* Whether the id refers to an existing collider. */
SN_API bool sn_collider_is_valid(sn_collider_id collider);
/* Sets the target transform: the next steps move the collider there. Error: SN_ERROR_ARGUMENT (the transform is not
 * rigid; the collider does not move). */
SN_API sn_result sn_collider_set_transform(sn_collider_id collider, const sn_mat3x4 *transform);
/* Replaces the whole description: shape, size and friction from the next step on, and the transform at once. Errors:
 * those of sn_collider_create; the collider is then unchanged. */
SN_API sn_result sn_collider_set_desc(sn_collider_id collider, const sn_collider_desc *desc);

/* ---- bodies ---- */

/* The solver of a body's flesh. */
typedef enum sn_body_solver {
    SN_SOLVER_REDUCED, /* complementary dynamics in skinning eigenmodes on top of a driven rig (Benchekroun et al. 2023,
                          "Fast Complementary Dynamics via Skinning Eigenmodes") */
    SN_SOLVER_COUPLED, /* position-based flesh and rig that move each other (Wu and Umetani 2023, "Two-Way Coupling of
                          Skinning Transformations and Position Based Dynamics") */
    SN_SOLVER_LAYERED, /* position-based flesh with fibres, attached to driven bones (Cai and Lin, "Skeleton-driven
                          dynamics modeling for computer-aided muscular rehabilitation") */
    SN_SOLVER_COUNT
} sn_body_solver;

/* Order in which the solver visits the tets of a layered body. */
typedef enum sn_layered_mode {
    SN_LAYERED_UNORDERED, /* along a space-filling curve: small substeps of one sweep each */
    SN_LAYERED_LAYERS,    /* the paper's: from the bones outwards, with heavier inner layers in the first sweeps */
    SN_LAYERED_MODE_COUNT
} sn_layered_mode;

typedef struct sn_body_desc {
    const char *name; /* for messages of the call; null: "body" */
    const sn_model *model;
    sn_body_solver solver; /* fixed for the body's life */
    double stiffness;      /* factor on the cooked stiffness, >= 0 */
    double damping;        /* 1/s, >= 0: velocity of the flesh relative to the rig decays by exp(-damping t) */
    double gravity[3];     /* model units/s^2 */
    double wind[3];        /* velocity of the air, model units/s; acts on skin and spring bones */
    /* ---- reduced bodies ---- */
    double amount;         /* factor on the flesh's displacement in the output, >= 0; 0: the rig alone */
    int iteration_limit;   /* max iterations per step, >= 1 (docs/reference/world.md) */
    double tolerance;      /* a step ends when an iteration moves no point by more, fraction of the diagonal, 0 .. 1 */
    int mode_count;        /* level of detail: use the first modes of the model only; 0: all */
    int cluster_level;     /* level of detail: 0 is the finest; clamped to the model's coarsest */
    double budget_seconds; /* time limit of a step; makes the motion depend on the machine's speed; 0: none */
    bool is_neo_hookean;   /* stable Neo-Hookean flesh (Smith et al. 2018) instead of ARAP or linear co-rotational; not
                              for flat bodies */
    bool is_without_bone_colliders; /* ignore the model's colliders on bones */
    bool has_gravity_at_rest; /* gravity acts in the bind pose, too; else the bind pose is the shape under gravity,
                                 and only its change in a bone's frame acts (default false) */
    bool is_without_springs;  /* do not simulate the model's spring bones; toggling blends over 0.25 s */
    double spring_wind_area;  /* area that spring bones expose to wind, m^2/kg, >= 0; 0: no wind
                            (docs/reference/spring-bones.md) */
    /* ---- coupled bodies ---- */
    int substep_count; /* substeps per step, 1 .. 1000; 0: automatic (docs/reference/world.md) */
    int sweep_count;   /* sweeps over all tets per substep, 1 .. 1000; substeps converge better than sweeps */
    double mass;       /* factor on the cooked mass, 1e-6 .. 1e6 */
    double poisson;    /* Poisson's ratio of the flesh, -1 < poisson <= 0.49; -1 or less: as cooked */
    double compliance; /* compliance of the complementarity constraint, s^2, >= 0; 0: rigid (docs/reference/world.md) */
    double sleep_speed; /* max vertex speed of a sleeping body, diagonals/s; 0: never sleep (docs/reference/world.md) */
    bool is_rigid_damped; /* damp all motion, rigid motion included, not only that of the flesh relative to the bones */
    bool is_constraint_locked_only; /* constrain only bones with a lock, instead of all */
    /* ---- layered bodies; substeps, sweeps, mass, sleep_speed and is_rigid_damped apply, too ---- */
    sn_layered_mode layered_mode;
    int consolidation_sweep_count; /* of SN_LAYERED_LAYERS: first sweeps with heavier finished layers, 0 .. 1000
                                (docs/reference/world.md) */
} sn_body_desc;

/* Reduced solver; stiffness 1, no damping, no gravity, no wind, amount 1, 30 iterations, tolerance 1e-5, full detail,
 * no budget, bone colliders on, spring bones on with 1 m^2/kg; 15 substeps of one sweep, cooked mass, Poisson's ratio
 * 0.4, compliance 0, no sleep; unordered sweeps, 6 consolidating sweeps. The caller sets the model. */
SN_API sn_body_desc sn_default_body_desc(void);

/* Creates a body at rest in the bind pose. Errors: SN_ERROR_ARGUMENT (no model, or a number is out of range),
 * SN_ERROR_UNSUPPORTED (a reduced body of a model without modes, a flat Neo-Hookean body, a layered body of a model
 * that was not cooked for it, or a body that the backend cannot step), SN_ERROR_FORMAT (the model is damaged),
 * SN_ERROR_MEMORY. */
SN_API sn_result sn_body_create(sn_world_id world, const sn_body_desc *desc, sn_body_id *body);
/* Accepts the zero id. */
SN_API void sn_body_destroy(sn_body_id body);
/* Whether the id refers to an existing body. */
SN_API bool sn_body_is_valid(sn_body_id body);
/* The body's model. */
SN_API const sn_model *sn_body_model(sn_body_id body);

/* Sets the target pose of the rig: one transform per bone, in the model's order. count must be the model's bone count.
 * The next steps move from the last pose to this one. A pose is refused, and the last one stays, if it is not finite,
 * or if it is more than 1e6 diagonals away and the body is coupled, layered or has spring bones. A refused pose counts
 * as a recovery at every step, and is logged once. */
SN_API void sn_body_set_pose(sn_body_id body, const sn_mat3x4 *bones, int count);
/* Sets the same transform for all bones. */
SN_API void sn_body_set_rigid_pose(sn_body_id body, const sn_mat3x4 *transform);
/* Sets the transform of one bone, which must be in range. The other bones keep theirs. */
SN_API void sn_body_set_bone_pose(sn_body_id body, int bone, const sn_mat3x4 *transform);

/* Sets the weights of the model's morph targets (see sn_model_clip_morphs, sn_model_add_expression); a body starts with
 * the file's default weights. count must be the model's morph count. Weights are part of the pose: the output uses them
 * at once, and the next steps move from the last weights to these. Only changes of the weights excite the flesh.
 * Weights that are not finite are refused, as poses are. */
SN_API void sn_body_set_morphs(sn_body_id body, const float *weights, int count);

/* Replaces all parameters but the model, which must be the same, and keeps the state. Modes that are no longer used
 * lose theirs. Cheap where only wind and amount change, or where another body of the model has the same parameters,
 * since such bodies share precomputed data. Errors: those of sn_body_create; the body is then unchanged. */
SN_API sn_result sn_body_set_desc(sn_body_id body, const sn_body_desc *desc);

/* Replaces a body's model while it moves, without moving the flesh.
 *   - Reduced bodies on threads: a model with the same bones, tets and modes, and another stiffness (sn_tune).
 *   - Coupled bodies: a model with the same tets, surface and stiffness, and other bones (sn_cook_rig). Bones of the
 *     same name keep their transforms, locks and compliances; new bones start free, fitted to the flesh.
 * The new model must outlive the body; the old one is no longer used. Errors, after which nothing has changed:
 * SN_ERROR_ARGUMENT (the models differ in more than that), SN_ERROR_UNSUPPORTED (other bodies), SN_ERROR_MEMORY. */
SN_API sn_result sn_body_set_model(sn_body_id body, const sn_model *model);

/* ---- level of detail ----
 *
 * A distant body, or one of a crowd, needs only the first modes and coarser clusters; the time of a step is
 * proportional to the product of both. Both can change at any time. Adding modes changes nothing visible; removing
 * modes removes their displacement. The data of a level is computed in a few milliseconds for the first body that uses
 * it; sn_world_prepare computes it in advance. */

/* sn_body_set_desc with only these two parameters changed; both >= 0. */
SN_API sn_result sn_body_set_detail(sn_body_id body, int mode_count, int cluster_level);
/* Computes the data that bodies with these parameters share, and keeps it until sn_world_release_prepared or the end of
 * the world. Changing a body to these parameters then computes and allocates nothing. Errors: those of sn_body_create.
 */
SN_API sn_result sn_world_prepare(sn_world_id world, const sn_body_desc *desc);
/* Undoes sn_world_prepare for all parameters of a model; only its bodies then keep their data alive. */
SN_API void sn_world_release_prepared(sn_world_id world, const sn_model *model);

/* Statistics of a body's last step. */
typedef struct sn_body_step_stats {
    int iteration_count;
    double change;       /* bound on the displacement of any vertex in the last iteration, fraction of the diagonal */
    bool is_converged;   /* false: ended by the iteration limit, the budget, or an energy that no longer decreases */
    bool is_over_budget; /* ended by budget_seconds */
} sn_body_step_stats;
/* For reduced bodies. All zero before the first step. With a backend the statistics are those of a step some calls ago.
 * The sweeps of coupled bodies have a fixed count: iteration_count is 0 and is_converged is true. */
SN_API sn_body_step_stats sn_body_last_step_stats(sn_body_id body);

/* Puts the body to rest in the pose that was set last: no velocity, no displacement. */
SN_API void sn_body_reset(sn_body_id body);
/* Moves the body and its history by a rigid transform, exactly and without exciting the flesh. The pose that was set
 * last moves, too; set the next pose at the new position. A teleport too far away is refused (docs/reference/world.md).
 */
SN_API void sn_body_teleport(sn_body_id body, const sn_mat3x4 *transform);

/* ---- saved states, for rollback ----
 *
 * A state is everything that later steps depend on but the parameters (sn_body_desc) and, for a body, its colliders and
 * the world's time. Steps after restoring it give the bits that they gave after saving it. Saving changes nothing;
 * neither function allocates. States belong to one build of the library on one machine; bytes need no alignment.
 * Reduced bodies on threads only, with their spring bones: others, bodies on a device, and restoring while a recorder
 * runs are SN_ERROR_UNSUPPORTED. Each error logs one line. */

/* Bytes of a body's state, which depend on the model alone; 0 if it cannot be saved. */
SN_API size_t sn_body_state_size(sn_body_id body);
/* size: at least sn_body_state_size. Errors: SN_ERROR_ARGUMENT (null, or too small), SN_ERROR_UNSUPPORTED. */
SN_API sn_result sn_body_save_state(sn_body_id body, void *bytes, size_t size);
/* The state of this body, or of another one of the same model with as many modes (sn_body_set_detail). An error leaves
 * the body as it is: SN_ERROR_ARGUMENT (null, too small, another model or number of modes), SN_ERROR_FORMAT (damaged),
 * SN_ERROR_UNSUPPORTED. */
SN_API sn_result sn_body_restore_state(sn_body_id body, const void *bytes, size_t size);
/* The same for a world: its bodies, the transforms of its colliders, and the time since the last step. */
SN_API size_t sn_world_state_size(sn_world_id world);
SN_API sn_result sn_world_save_state(sn_world_id world, void *bytes, size_t size);
/* The world must have the bodies and colliders that it had: SN_ERROR_ARGUMENT if one was created or destroyed since. */
SN_API sn_result sn_world_restore_state(sn_world_id world, const void *bytes, size_t size);

/* Applies an impulse (kg model units/s) to the skin that is nearest to a point in the world, as displayed. Where a
 * spring bone carries most of that skin, the bone receives it as a rod that turns about its head. An impulse that is
 * not finite is ignored. */
SN_API void sn_body_apply_impulse(sn_body_id body, const double point[3], const double impulse[3]);

/* Distributes an impulse over all skin that a bone moves, by rig weight and area; a simulated spring bone receives it
 * at its centre. A bone that moves no flesh ignores it. */
SN_API void sn_body_apply_bone_impulse(sn_body_id body, int bone, const double impulse[3]);

/* ---- grabbing flesh, for example with a mouse or fingers ---- */

#define SN_GRAB_LIMIT 4 /* per body: so many grabs of flesh, and so many of spring bones */

/* A damped spring from the skin to a target, integrated implicitly: stable at any time step. Its parameters are
 * relative to the grabbed flesh, so that they suit every model. */
typedef struct sn_grab_desc {
    double max_distance;  /* max distance from the point to the skin, in the units of the poses, >= 0 */
    double softness;      /* compliance relative to the flesh, 1e-6 .. 1e6: displacement ~ pull / (1 + softness) */
    double damping_ratio; /* relative to critical damping, >= 0; ignored by coupled and layered bodies */
    double strength;      /* max force, > 0: moves the softest flesh by this fraction of the diagonal */
} sn_grab_desc;

/* Unlimited distance, softness 0.1, damping ratio 1, strength 0.3. */
SN_API sn_grab_desc sn_default_grab_desc(void);
/* Grabs the skin that is nearest to a point in the world, as displayed. The skin stays where it is until it is dragged.
 * Skin that spring bones carry by half or more is grabbed through their chain, for which only max_distance applies; all
 * grabs of a chain are solved together. Returns the index of the grab (from SN_GRAB_LIMIT on for chains), or -1 if
 * there is no soft skin within max_distance, if SN_GRAB_LIMIT grabs exist, if a number is out of range, or if the
 * backend does not support grabs. */
SN_API int sn_body_grab(sn_body_id body, const double point[3], const sn_grab_desc *desc);
/* Sets the target of a grab, from the next step on. A target that is not finite and a released grab are ignored.
 * sn_body_reset releases all grabs, sn_body_teleport moves their targets, and new parameters or a new rig keep them. */
SN_API void sn_body_drag(sn_body_id body, int grab, const double target[3]);
/* Releases a grab; the flesh moves freely again. */
SN_API void sn_body_release(sn_body_id body, int grab);

/* ---- coupled bodies ----
 *
 * Two-way coupling of rig and flesh. The flesh is position-based. Free bones follow it; locked bones drive it.
 * sn_body_output returns the bones as simulated, and no modes: interpolated between the last two steps, or as of the
 * last step if the call consists of whole steps. The skin is drawn by these bones. Every model can be stepped;
 * sn_cook_desc.is_coupled cooks one for this solver alone, which is much faster. Morph targets are visual only. With a
 * backend, see vulkan.h.
 *
 * A body starts in the bind pose with all bones locked. To start elsewhere, set a pose and call sn_body_reset.
 * sn_body_set_pose sets where locked bones move within the next step; free axes ignore it. A bone with a parent is a
 * joint: its parent carries its pivot (sn_model_bone_pivot), about which it rotates. */

/* The axes of a bone that the pose drives. Axes are those of the world. The vertices of a cage have a translation only.
 */
enum {
    SN_LOCK_X = 1,
    SN_LOCK_Y = 2,
    SN_LOCK_Z = 4,
    SN_LOCK_TRANSLATION = SN_LOCK_X | SN_LOCK_Y | SN_LOCK_Z,
    SN_LOCK_ROTATION_X = 8,
    SN_LOCK_ROTATION_Y = 16,
    SN_LOCK_ROTATION_Z = 32,
    SN_LOCK_ROTATION = SN_LOCK_ROTATION_X | SN_LOCK_ROTATION_Y | SN_LOCK_ROTATION_Z,
    SN_LOCK_STRETCH = 64, /* remainder of the linear part, for stretchable bones (sn_model_is_bone_stretchable) */
    SN_LOCK_ALL = 127
};

/* The functions below assert that the body is coupled and the bone in range. sn_body_tet_positions and
 * sn_body_get_motion accept layered bodies, too. */

/* Locks axes of a bone (SN_LOCK_...) and frees the others. A newly locked axis keeps its value until the next pose. */
SN_API void sn_body_set_locks(sn_body_id body, int bone, unsigned locks);
/* The locked axes of a bone (SN_LOCK_...). */
SN_API unsigned sn_body_locks(sn_body_id body, int bone);
/* Sets the compliance of one bone and the flesh it carries, instead of the desc's; negative: the desc's. */
SN_API void sn_body_set_compliance(sn_body_id body, int bone, double compliance);
/* The impulse that the locks exerted through this bone in the last step: linear (3), then angular about the bone's
 * pivot (3). Flesh between a locked and a free bone transmits a part, so that free bones may have one. The sum over all
 * bones is the impulse of all locks. */
SN_API void sn_body_lock_impulse(sn_body_id body, int bone, double impulse[6]);
/* The positions of the tets' vertices after the last step: (count x 3), count being sn_model_vertex_count. */
SN_API void sn_body_tet_positions(sn_body_id body, double *positions, int count);

/* Energy and momentum of the flesh in the world, in model units, kilograms and seconds. */
typedef struct sn_body_motion {
    double kinetic, elastic;                 /* energy */
    double momentum[3], angular_momentum[3]; /* angular: about the world's origin */
    bool is_asleep;                          /* the last step did nothing: see sleep_speed */
} sn_body_motion;
/* State after the last step. */
SN_API sn_body_motion sn_body_get_motion(sn_body_id body);

/* Edits of the flesh of one body; other bodies of its model are unaffected, and untouched flesh keeps its motion.
 * Bones, weights and the drawn surface stay the same: skin stretches over a tear.
 *
 * Removes the tets whose centre is within `radius` of a point. A vertex keeps its last tet, and the total mass stays
 * the same. Returns the number of removed tets, or -1 if memory is out. */
SN_API int sn_body_tear(sn_body_id body, const double point[3], double radius);
/* Restores all torn tets. Errors: SN_ERROR_MEMORY, SN_ERROR_UNSUPPORTED (the backend's device is lost). */
SN_API sn_result sn_body_repair(sn_body_id body);
/* Connects two vertices of the tets (indices as in sn_body_tet_positions) by a spring. length < 0: their current
 * distance. stiffness in N/m; infinity: a rod, which welds the vertices if length is 0. Returns the index of the
 * spring, or -1 if an argument is out of range or memory is out. Removing a spring twice is ignored. */
SN_API int sn_body_add_spring(sn_body_id body, int first, int second, double length, double stiffness);
/* Removes a spring by its index. */
SN_API void sn_body_remove_spring(sn_body_id body, int spring);

/* ---- layered bodies ----
 *
 * Strain-based position-based flesh on driven bones. Bones run through the flesh and move the vertices around them
 * rigidly; all other flesh follows by its stiffness alone, along fibres if it has any. The model must be cooked for it
 * (sn_cook_desc.is_layered; sn_model_is_layered). sn_body_tet_positions and sn_body_get_motion return the state of the
 * flesh. sn_body_output returns the bones between the last two steps, and no modes. To start outside of the bind pose,
 * set a pose and call sn_body_reset. Morph targets, amount, budget, tolerance and level of detail have no effect.
 * Damping and substeps: docs/reference/world.md. With a backend, see vulkan.h. */

/* Matrices for a renderer: bones, then modes. Position = sum_b g_b P_b X + sum_j w_j T_j X, with X the rest position
 * after morph targets. mode_count is that of the body's level of detail; the matrices of the remaining modes are zero,
 * so that a shader may skip them. With a backend, modes exist on the device only: mode_count is 0. */
typedef struct sn_body_matrices {
    const sn_mat3x4 *matrices; /* (bone_count + sn_model_mode_count), valid until the body's next change or step */
    int bone_count, mode_count;
    const float *morphs; /* (morph_count) weights, valid as long */
    int morph_count;
} sn_body_matrices;
/* The output after the last step and the last pose, in the units of the poses. */
SN_API sn_body_matrices sn_body_output(sn_body_id body);

/* A surface embedded in its model's tets: see surface.h. */
typedef struct sn_embedding sn_embedding;

/* Displays the flesh of a coupled or layered body instead of the skin of its bones: each sn_world_step then also
 * computes sn_body_embedded_output. The embedding must be of the body's model (asserted) and outlive the body. Null
 * switches it off. sn_body_set_model removes it. With a backend, use sn_body_gpu_embedded_output (vulkan.h). Errors:
 * SN_ERROR_UNSUPPORTED (a reduced body), SN_ERROR_MEMORY. */
SN_API sn_result sn_body_set_embedding(sn_body_id body, const sn_embedding *embedding);
/* The body's embedding, or null. */
SN_API const sn_embedding *sn_body_embedding(sn_body_id body);
/* Matrices for sn_embedding_surface: the model's bones, then sn_embedding_matrix_count matrices, all counted in
 * bone_count; no modes. They are interpolated between the last two steps, or as of the last step if the call
 * consists of whole steps. The body must have an embedding (asserted). */
SN_API sn_body_matrices sn_body_embedded_output(sn_body_id body);

#ifdef __cplusplus
}
#endif
#endif
