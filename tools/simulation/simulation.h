/* SPDX-License-Identifier: MIT */
/* Simulation parameters, their command-line options, and one body that follows a motion; shared by sim, play and bake.
 */
#ifndef SN_TOOLS_SIMULATION_SIMULATION_H
#define SN_TOOLS_SIMULATION_SIMULATION_H

#include "host/reduced/reduced.h"
#include "host/solver/solver.h"
#include "host/springs/springs.h"
#include "runtime/session/loop.h"
#include "runtime/view/solid.h"
#include "tools/command/args.h"
#include "tools/command/model_file.h"
#include "tools/simulation/coupled_run.h"
#include "tools/simulation/embedded_surface.h"
#include "tools/simulation/layered_run.h"

typedef struct sn_simulation_parameters {
    const char *motion;           /* motion as typed, or null */
    const sn_live_motion *live;   /* live motion that replaces `motion`, or null */
    bool plays_first_clip;        /* without a motion, play the first clip or the hop instead of the rest pose */
    const char *backend;          /* cpu or gpu, or null */
    double time_step, gravity[3]; /* seconds; model units per second^2 */
    double wind[3];               /* model units per second */
    bool is_gusty;                /* vary the wind over time */
    double damping, stiffness, amount, tolerance;
    double budget; /* microseconds per step; 0: unlimited */
    int iterations, threads;
    int modes_used, cluster_level; /* level of detail; 0 modes: all */
    bool is_double, is_neo_hookean, is_without_bone_colliders, has_gravity_at_rest;
    const char *springbones;  /* run, suppress or ignore; null: run */
    double spring_wind_area;  /* wind area in m^2/kg, as in sn_body_desc */
    bool is_single_precision; /* coupled and layered bodies on a device use single precision only */
    sn_string_list solids;    /* surface files */
    int solid_cells;          /* cells of a distance grid along the longest side */
    bool is_coupled, is_layered;
    int substeps, sweeps; /* of coupled and layered bodies, as the next two */
    bool is_rigid_damped;
    bool is_flesh_drawn;          /* render the flesh instead of the skinned surface; always true for layered bodies */
    sn_string_list freed, locked; /* of coupled bodies: "BONE,BONE" or "all"; "BONE:xyzrs" */
    double compliance, poisson;   /* poisson -1: as cooked */
    const char *layered_mode;     /* of layered bodies: unordered or layers */
    int consolidating;
} sn_simulation_parameters;

sn_simulation_parameters sn_simulation_default_parameters(void);

#define SN_SIMULATION_OPTION_LIMIT 40
/* Fills the option table, ended by a null name; targets point into `parameters`. */
void sn_simulation_options(sn_simulation_parameters *parameters, sn_option options[SN_SIMULATION_OPTION_LIMIT]);
/* Checks everything that does not depend on the model. Returns SN_CONTINUE, or an exit code after one line on stderr.
 */
int sn_simulation_check_parameters(const sn_simulation_parameters *parameters);
/* Chooses the solver for a loaded model: models cooked only for layered bodies are stepped as such by default.
 * SN_ERROR_ARGUMENT: the solver does not support one of the options. */
sn_result sn_simulation_choose_solver(const char *model_path, const sn_model *model,
                                      sn_simulation_parameters *parameters);
bool sn_simulation_is_flesh_rendered(const sn_simulation_parameters *parameters);
/* Checks the backend options, which also apply to scenes; returns as sn_simulation_check_parameters. */
int sn_simulation_check_backend(const sn_simulation_parameters *parameters);

/* Zero it, set the device for a coupled or layered body, open it, step it, close it. Arrays live in the arena passed to
 * open. */
typedef struct sn_simulation {
    const sn_model *model;
    const sn_simulation_parameters *parameters;
    sn_motion motion;
    sn_loop loop; /* how the clip wraps around */
    sn_reduced_solver *solver;
    sn_reduced_body *body;
    sn_gpu_device *device;     /* device for a coupled or layered body, not owned; null: CPU */
    sn_coupled_run coupled;    /* used instead of solver and body */
    sn_layered_run layered;    /* used instead of solver and body */
    sn_springs *springs;       /* VRM spring bones, or null */
    sn_embedded_surface flesh; /* if it is rendered; state after the last step */
    double *pose, *modes;      /* after a step: (bone_count x 12), (mode_count x 12), row-major */
    double *bones;             /* (bone_count x 12) for rendering: the pose, or a coupled body's simulated bones */
    float *morphs;             /* after a step: (morph_count) weights */
    double milliseconds;       /* duration of the last step */
    sn_collider colliders[SN_SOLID_LIMIT + 1]; /* (collider_count) obstacles, then the floor */
    int collider_count;
    sn_solid solids[SN_SOLID_LIMIT];
    int solid_count;
} sn_simulation;

/* Returns the first option whose value differs from the default, except threads and backend, or null. */
const char *sn_simulation_changed_option(const sn_simulation_parameters *parameters);

/* Opens the motion that the parameters select. */
sn_result sn_simulation_open_motion(const sn_simulation_parameters *parameters, const char *model_path,
                                    const sn_model *model, sn_arena *arena, sn_motion *motion);

/* Opens the obstacles (solid_count) in the model's units. Close the opened ones even after a failure. Their render data
 * lives in the arena. */
sn_result sn_simulation_open_solids(const sn_simulation_parameters *parameters, const sn_model *model, sn_arena *arena,
                                    sn_solid *solids, int *solid_count);

/* Returns the first option that the selected solver does not support, or null. */
const char *sn_simulation_unsupported_option(const sn_simulation_parameters *parameters);

/* The body desc of a world for these parameters, without its model. */
sn_body_desc sn_simulation_body_desc(const sn_simulation_parameters *parameters);
/* The solver desc for these parameters. */
sn_solver_desc sn_simulation_solver_desc(const sn_simulation_parameters *parameters);

/* Computes the locked degrees of freedom of each bone, locks (bone_count), from --free and --lock; all are locked by
 * default. SN_ERROR_ARGUMENT for an unknown bone or letter. */
sn_result sn_simulation_coupled_locks(const sn_simulation_parameters *parameters, const char *model_path,
                                      const sn_model *model, uint8_t *locks);

/* Checks that the model has the requested level of detail and spring bones. */
sn_result sn_simulation_check_detail(const sn_simulation_parameters *parameters, const char *model_path,
                                     const sn_model *model);

/* Opens a body at rest in the motion's first pose, with its obstacles. model_path is for messages. The model, the
 * parameters and the arena must outlive the simulation. */
sn_result sn_simulation_open(sn_simulation *simulation, const sn_model *model, const char *model_path,
                             const sn_simulation_parameters *parameters, sn_arena *arena);
void sn_simulation_close(sn_simulation *simulation);

/* Adds a floor at the height, in model units. */
sn_result sn_simulation_add_floor(sn_simulation *simulation, double height);

/* Computes the rig's pose of a frame (bone_count x 12) and its morph weights (morph_count). */
void sn_simulation_pose(const sn_simulation *simulation, int frame, double *pose, float *morphs);
/* Moves the rig, including its spring bones, to a frame; sets pose and morphs. Call it for consecutive frames. */
void sn_simulation_move(sn_simulation *simulation, int frame);
/* Returns the wind and the colliders of a frame; pointers stay owned by the simulation. */
sn_surroundings sn_simulation_surroundings(const sn_simulation *simulation, int frame);
typedef struct sn_simulation_report {
    int iteration_count; /* for coupled bodies the sweeps of all substeps */
    double change;       /* of reduced bodies, see sn_body_step_stats */
    bool is_over_budget, is_recovered;
} sn_simulation_report;

/* Updates the rendered flesh after a step; waits for a device, where rendering reads the flesh directly. */
void sn_simulation_update_flesh(sn_simulation *simulation);
/* Vertex positions of the tets (vertex_count x 3) of a coupled or layered body after a step: simulated, and by the rig
 * alone. */
void sn_simulation_tets(const sn_simulation *simulation, double *flesh, double *rig);
/* Moves the rig to the frame's pose and steps the flesh once; not on a device. */
sn_simulation_report sn_simulation_step(sn_simulation *simulation, int frame);

#endif
