/* SPDX-License-Identifier: MIT */
/* What sim and play share: the parameters of a simulation, their options, and one body that follows a motion. */
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
#include "tools/simulation/flesh.h"
#include "tools/simulation/layered_run.h"

typedef struct sn_simulation_parameters {
    const char *motion;           /* or null */
    const sn_live_motion *live;   /* in its place, or null */
    bool is_first_clip_played;    /* without a motion: the model's first clip, or the hop; else the rest pose */
    const char *backend;          /* or null */
    double time_step, gravity[3]; /* seconds; model units a second^2 */
    double wind[3];               /* model units a second */
    bool is_gusty;                /* the wind comes and goes */
    double damping, stiffness, amount, tolerance;
    double budget; /* microseconds of a step; 0: none */
    int iterations, threads;
    int modes_used, cluster_level; /* level of detail; 0 modes: all */
    bool is_double, is_neo_hookean, is_without_bone_colliders;
    const char *springbones;  /* run, suppress or ignore; null: run what there is */
    double spring_wind_area;  /* m^2/kg, as of sn_body_desc */
    bool is_single_precision; /* coupled bodies on a device: in float throughout */
    sn_string_list solids;    /* surface files */
    int solid_cells;          /* of their grids */
    bool is_coupled, is_layered;
    int substeps, sweeps; /* of either, as are the next two */
    bool is_rigid_damped;
    bool is_flesh_drawn;          /* not the skin of the bones; layered bodies always are */
    sn_string_list freed, locked; /* of coupled bodies: "BONE,BONE" or "all"; "BONE:xyzrs" */
    double compliance, poisson;   /* poisson -1: as cooked */
    const char *layered_mode;     /* of layered bodies: unordered or layers */
    int consolidating;
} sn_simulation_parameters;

sn_simulation_parameters sn_default_simulation_parameters(void);

#define SN_SIMULATION_OPTION_LIMIT 40
/* The rows of these parameters, ended by a null name; they point into `parameters`. */
void sn_simulation_options(sn_simulation_parameters *parameters, sn_option options[SN_SIMULATION_OPTION_LIMIT]);
/* What can be told without the model. SN_CONTINUE, or an exit code after one line on stderr. */
int sn_check_simulation_parameters(const sn_simulation_parameters *parameters);
/* A model that was cooked for layered bodies alone is stepped so, where nothing else was asked for. Call it once the
 * model is there. SN_ERROR_ARGUMENT: the solver does not know all that is asked for. */
sn_result sn_choose_solver(const char *model_path, const sn_model *model, sn_simulation_parameters *parameters);
bool sn_is_flesh_drawn(const sn_simulation_parameters *parameters);
/* As that, of what scenes take, too. */
int sn_check_backend(const sn_simulation_parameters *parameters);

/* Zero it, open it, step it, close it. Arrays live in the arena given to open. A coupled or layered body's device is
 * set before.
 */
typedef struct sn_simulation {
    const sn_model *model;
    const sn_simulation_parameters *parameters;
    sn_motion motion;
    sn_loop loop; /* what its clip does where it begins again */
    sn_reduced_solver *solver;
    sn_reduced_body *body;
    sn_gpu_device *device;    /* that a coupled or layered body steps on, lent; null: a thread */
    sn_coupled_run coupled;   /* in place of solver and body */
    sn_layered_run layered;   /* likewise */
    sn_springs *springs;      /* that swing bones, or null */
    sn_simulated_flesh flesh; /* where that is drawn: of the last step */
    double *pose, *modes;     /* after a step: (bone_count x 12), (mode_count x 12), row-major */
    double *bones;            /* (bone_count x 12) as drawn: the pose, or, of a coupled body, its own after a step */
    float *morphs;            /* after a step: (morph_count) weights */
    double milliseconds;      /* of the last step */
    sn_collider colliders[SN_SOLID_LIMIT + 1]; /* (collider_count) solids, then the floor */
    int collider_count;
    sn_solid solids[SN_SOLID_LIMIT];
    int solid_count;
} sn_simulation;

/* The option of one that is not as verbs begin with it, but for threads and the backend; or null. */
const char *sn_changed_simulation_parameter(const sn_simulation_parameters *parameters);

/* The motion that the parameters ask for. */
sn_result sn_simulation_open_motion(const sn_simulation_parameters *parameters, const char *model_path,
                                    const sn_model *model, sn_arena *arena, sn_motion *motion);

/* The solids that the parameters ask for, (solid_count) in the model's units; close those that there are, also after a
 * failure. What is drawn of them lives in the arena. */
sn_result sn_simulation_open_solids(const sn_simulation_parameters *parameters, const sn_model *model, sn_arena *arena,
                                    sn_solid *solids, int *solid_count);

/* The options of the other solver that are there, or null. */
const char *sn_absent_in_solver(const sn_simulation_parameters *parameters);

/* A world's body as the parameters have it, without its model. */
sn_body_desc sn_simulation_body_desc(const sn_simulation_parameters *parameters);
/* A solver's. */
sn_solver_desc sn_simulation_solver_desc(const sn_simulation_parameters *parameters);

/* What the parameters lock of each bone, locks (bone_count): all, but for --free and --lock. SN_ERROR_ARGUMENT for a
 * bone that is not there, or letters that are none. */
sn_result sn_coupled_locks(const sn_simulation_parameters *parameters, const char *model_path, const sn_model *model,
                           uint8_t *locks);

/* Whether the model has the level of detail, and the spring bones, that are asked for. */
sn_result sn_check_detail(const sn_simulation_parameters *parameters, const char *model_path, const sn_model *model);

/* A body at rest in the motion's first pose, among solids. model_path is for messages. The model, the parameters and
 * the arena must outlive the simulation. */
sn_result sn_simulation_open(sn_simulation *simulation, const sn_model *model, const char *model_path,
                             const sn_simulation_parameters *parameters, sn_arena *arena);
void sn_simulation_close(sn_simulation *simulation);

/* A floor for the flesh, in model units. */
sn_result sn_simulation_lay_floor(sn_simulation *simulation, double height);

/* The rig's pose of a frame, (bone_count x 12), and its morph weights (morph_count). */
void sn_simulation_pose(const sn_simulation *simulation, int frame, double *pose, float *morphs);
/* The rig to a frame, as its spring bones have it: pose and morphs. Frames come one after the other. */
void sn_simulation_move(sn_simulation *simulation, int frame);
/* The wind and the floor in a frame; borrowed. */
sn_surroundings sn_simulation_surroundings(const sn_simulation *simulation, int frame);
typedef struct sn_simulation_report {
    int iteration_count; /* of a coupled body: sweeps of all substeps */
    double change;       /* of a reduced body, see sn_body_step_stats */
    bool is_over_budget, is_recovered;
} sn_simulation_report;

/* Flesh that is drawn, to where the last step left it, here; waits for a device, which draws it from where it is. */
void sn_simulation_update_flesh(sn_simulation *simulation);
/* Of a coupled or layered body, after a step, (vertex_count x 3) of the tets: the flesh, and the rig alone. */
void sn_simulation_tets(const sn_simulation *simulation, double *flesh, double *rig);
/* Moves the rig to the frame's pose and the flesh by one time step; not on a device. */
sn_simulation_report sn_simulation_step(sn_simulation *simulation, int frame);

#endif
