/* SPDX-License-Identifier: MIT */
/* Complementary dynamics on the device: the implementation of host/reduced. One dispatch with one workgroup per body
 * steps all bodies, including all iterations, and writes the matrices that vertex shaders read. Nothing is read back.
 *
 * The arithmetic is that of the CPU's float path with its acceleration, so both reach the same minimum in the same
 * number of iterations. On one device, the same calls give the same bits, independent of the other bodies. A time
 * budget (seconds) applies to all bodies of a step together, based on the time of steps recorded recording_limit
 * recordings before. It is ignored where the queue writes no timestamps.
 *
 * Adding a model or a body may wait for the device and reallocate buffers, so it is not allowed between a recording and
 * its submission. Recorded commands must be submitted in the order of recording. Discarded commands lose the requests
 * (impulses, resets) made since the previous recording; budgets ignore them. */
#ifndef SN_COMPUTE_REDUCED_REDUCED_H
#define SN_COMPUTE_REDUCED_REDUCED_H

#include "compute/core/grids.h"
#include "host/model/model.h"
#include "host/solver/solver.h"

typedef struct sn_gpu_reduced_desc {
    int recording_limit;     /* recordings in flight on the device; the caller waits for older ones */
    int dispatch_iterations; /* maximum per dispatch; a longer step takes several dispatches with the same result. 0:
                                the number that software Vulkan can loop through */
    int dispatch_loops;      /* maximum loop iterations of an invocation in a dispatch, but at least one iteration, one
                                impulse or one group of samples. 0: a limit of the device */
    int shared_bytes;      /* maximum shared memory per body; less allows more bodies at a time, the remainder spills to
                              device memory with the same result. 0: 32 KiB, or more where the coordinates need it */
    bool is_unaccelerated; /* local-global iterations without acceleration; excludes Neo-Hookean flesh, which needs the
                      energy guard */
} sn_gpu_reduced_desc;

/* recording_limit = 4. */
sn_gpu_reduced_desc sn_default_gpu_reduced_desc(void);

/* Models and bodies on one device. The device must outlive it. */
typedef struct sn_gpu_reduced sn_gpu_reduced;
sn_result sn_gpu_reduced_create(sn_gpu_device *device, const sn_gpu_reduced_desc *desc, sn_gpu_reduced **reduced);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_gpu_reduced_destroy(sn_gpu_reduced **reduced);

/* Uploads a model's matrices for the lifetime of `reduced`; the model is not used afterwards. May wait for the device.
 * Errors: SN_ERROR_UNSUPPORTED (no modes, more coordinates than shared memory holds, more bones and clusters than
 * software Vulkan can loop over, more sample influences than a float can index), SN_ERROR_MEMORY. */
sn_result sn_gpu_reduced_add_model(sn_gpu_reduced *reduced, const sn_model *model, int *index);
/* Adds the model at a lower level of detail (see host/reduced/view.h), unless it exists. A level's index is valid
 * wherever a model's index is. */
sn_result sn_gpu_reduced_add_level(sn_gpu_reduced *reduced, int model_index, const sn_model *model, int mode_count,
                                   int cluster_level, int *index);

/* Adds a body at rest in the pose. Its index is reused after removal. Poses are (bone_count x 12) doubles, row-major,
 * relative to bind, in model units; null is the bind pose. */
sn_result sn_gpu_reduced_add_body(sn_gpu_reduced *reduced, int model, const sn_solver_desc *desc, const double *pose,
                                  int *body);
void sn_gpu_reduced_remove_body(sn_gpu_reduced *reduced, int body);
/* Switches to another level of detail of the body's model. The state is projected onto the modes of that level. */
void sn_gpu_reduced_set_level(sn_gpu_reduced *reduced, int body, int level);
/* Sets the parameters except the level of detail; the state stays. Logs an error and changes nothing if a parameter is
 * out of range, or if Neo-Hookean flesh is requested for a flat model or without acceleration. */
sn_result sn_gpu_reduced_set_parameters(sn_gpu_reduced *reduced, int body, const sn_solver_desc *desc);
/* Fraction of the displacement that is rendered; initially 1. */
void sn_gpu_reduced_set_amount(sn_gpu_reduced *reduced, int body, double amount);
/* Sets the pose of the next step and of the output. A pose that is not finite in float is rejected: the last one stays,
 * and the next step resets the body. */
void sn_gpu_reduced_set_pose(sn_gpu_reduced *reduced, int body, const double *pose);
/* Sets the weights (morph_count) of the model's morph targets for later steps and resets; initially the model's own. If
 * a weight is not finite, the last ones stay and the next step resets the body. */
void sn_gpu_reduced_set_morphs(sn_gpu_reduced *reduced, int body, const float *weights);
/* Sets the body to rest in a pose under the current morph targets: no displacement, no velocity. */
void sn_gpu_reduced_reset(sn_gpu_reduced *reduced, int body, const double *pose);
/* Applies a rigid transform (3 x 4) to state, history and pose; exact except for float rounding of the displacement. */
void sn_gpu_reduced_teleport(sn_gpu_reduced *reduced, int body, const double *transform);

/* Applies an impulse (kg times model units per second) to the surface sample nearest to a point, at its position after
 * the last step. It takes effect in the next step. A non-finite impulse is ignored. May wait for the device when there
 * are more impulses than ever before, over all bodies. */
void sn_gpu_reduced_apply_impulse(sn_gpu_reduced *reduced, int body, const double *point, const double *impulse);

/* Distributes an impulse over the skin of a bone, by rig weight and area. */
void sn_gpu_reduced_apply_bone_impulse(sn_gpu_reduced *reduced, int body, int bone, const double *impulse);

/* See sn_body_grab in world.h. Refers to the body after the last step, which must have been submitted. Waits for the
 * device. Returns -1 if nothing was grabbed. */
int sn_gpu_reduced_grab(sn_gpu_reduced *reduced, int body, const double *point, const sn_grab_desc *desc);
void sn_gpu_reduced_drag(sn_gpu_reduced *reduced, int body, int grab, const double *target);
void sn_gpu_reduced_release(sn_gpu_reduced *reduced, int body, int grab);

/* Uploads a grid for the lifetime of `reduced`, unless it was uploaded. Call before a body's colliders use it, and
 * again when another grid was created at the same address. May wait for the device. */
sn_result sn_gpu_reduced_add_grid(sn_gpu_reduced *reduced, const sn_grid *grid);
/* The grids that were added, and the buffer that contains them. */
const sn_gpu_grids *sn_gpu_reduced_grids(const sn_gpu_reduced *reduced, const sn_gpu_buffer **buffer);
/* Sets the wind and the colliders of a body for all following steps; null: none. Colliders are copied; bodies with
 * equal lists share one upload. Grids must have been added. At least the first 1800 colliders near a group of 64
 * samples are tested. More colliders than ever before may wait for the device. A body that has or had colliders or
 * grabs takes 80 KB of device memory for its contacts. If there is no memory, one line is logged and further bodies
 * ignore colliders. */
void sn_gpu_reduced_set_surroundings(sn_gpu_reduced *reduced, int body, const sn_surroundings *surroundings);
/* Reserves memory so that setting colliders does not wait, provided that all bodies have the same list of at most
 * `collider_count`: for this list, the previous one and the contacts of all bodies. May wait for the device. */
sn_result sn_gpu_reduced_reserve_colliders(sn_gpu_reduced *reduced, int collider_count);
/* Maximum number of bodies with contacts. */
int sn_gpu_reduced_contact_body_limit(const sn_gpu_device *device);

/* Records one time step of all bodies to their poses, and the output matrices: bones of the pose, modes interpolated
 * between the last two steps (0: previous, 1: last). Includes barriers against shader accesses of earlier commands and
 * for those of later ones. Outside of rendering. */
void sn_gpu_reduced_record_step(sn_gpu_reduced *reduced, VkCommandBuffer commands, double fraction);
/* Records the output matrices only: for frames without a step, or with a pose later than the last step. */
void sn_gpu_reduced_record_output(sn_gpu_reduced *reduced, VkCommandBuffer commands, double fraction);

/* The matrices of all bodies: a storage buffer of row-major 3 x 4 floats. A body's bones, then its modes, start at its
 * first matrix. The buffer changes when bodies are added; the offset within it does not. */
const sn_gpu_buffer *sn_gpu_reduced_matrices(const sn_gpu_reduced *reduced);
uint32_t sn_gpu_reduced_first_matrix(const sn_gpu_reduced *reduced, int body);
/* Results of steps: struct sn_reduced_status of shaders/shared/reduced.h, one per body index. A transfer source; zeroed
 * before the first body is added. */
const sn_gpu_buffer *sn_gpu_reduced_statuses(const sn_gpu_reduced *reduced);

/* Results of the last submitted recording; each pointer may be null. Waits for the device: for tests and tools. */
typedef struct sn_gpu_reduced_reading {
    double *coordinates; /* (coordinate_count x 3) Z_n */
    double *velocity;    /* (coordinate_count x 3) Z_n - Z_(n-1) */
    float *matrices;     /* ((bone_count + mode_count) x 12) */
    double *corrections; /* (3 x coordinate_count x 3) corrections of the last steps, newest first:
                      host/reduced/kernels/iterate_f32.inc */
    /* outputs */
    bool is_extrapolable; /* the next step starts from the extrapolated corrections */
    int iteration_count;
    double change;     /* bound on the last iteration's movement, as a fraction of the diagonal */
    bool is_converged; /* `change` is within the tolerance, compared in float */
    bool is_over_budget;
    int recovery_count; /* steps after which the body was reset to rest in its pose: a non-finite number, flesh 100
                           diagonals away, or a rejected pose */
} sn_gpu_reduced_reading;
sn_result sn_gpu_reduced_read(sn_gpu_reduced *reduced, int body, sn_gpu_reduced_reading *reading);
/* counts (body_count): iterations of bodies 0 .. body_count - 1 in the last step. Waits for the device. */
sn_result sn_gpu_reduced_read_iterations(sn_gpu_reduced *reduced, int body_count, int *counts);

#endif
