/* SPDX-License-Identifier: MIT */
/* Complementary dynamics on the device: the twin of host/reduced. One dispatch steps all bodies, whatever their models,
 * with all iterations inside, one workgroup a body; nothing is read back. It writes the matrices that the vertex shader
 * reads.
 *
 * The mathematics is that of the CPU's float path, accelerated as there, so that both end in the same minimum after as
 * many iterations; the same calls give the same bits on one device, whatever bodies stand beside one. A budget of
 * seconds is one for all bodies of a step together, kept by what the steps before recording_limit recordings took; it
 * is ignored where the queue writes no timestamps.
 *
 * Adding a model or a body may wait for the device and replace buffers: not between a recording and its submission.
 * What is recorded must be submitted, in the order of recording. Commands that are thrown away take with them what was
 * asked of bodies since the recording before; budgets learn nothing from them, and wait for none. */
#ifndef SN_COMPUTE_REDUCED_REDUCED_H
#define SN_COMPUTE_REDUCED_REDUCED_H

#include "compute/core/memory.h"
#include "host/model/model.h"
#include "host/solver/solver.h"

typedef struct sn_gpu_reduced_desc {
    int recording_limit;     /* recordings that may be under way on the device; the caller waits for older ones */
    int dispatch_iterations; /* at most, in one dispatch; a step with more is several dispatches, with the same result.
                                0: as many as software Vulkan can loop, which is more than most steps take */
    int shared_bytes; /* at most, of shared memory for a body: less lets more bodies run at a time, and what does not
                         fit goes through device memory, with the same result. 0: 32 KiB, but for models whose
                         coordinates need more */
    bool is_plain; /* local-global iterations alone: no acceleration, and no Neo-Hookean flesh, which needs its guard */
} sn_gpu_reduced_desc;

/* 4 recordings. */
sn_gpu_reduced_desc sn_default_gpu_reduced_desc(void);

/* Models and bodies on one device, which must outlive it. */
typedef struct sn_gpu_reduced sn_gpu_reduced;
sn_result sn_gpu_reduced_create(sn_gpu_device *device, const sn_gpu_reduced_desc *desc, sn_gpu_reduced **reduced);
/* Waits for the device. Nulls the pointer; accepts null. */
void sn_gpu_reduced_destroy(sn_gpu_reduced **reduced);

/* Uploads a model's matrices, for as long as `reduced` lives; the model is not used afterwards. May wait for the
 * device, as adding a body does. Errors: SN_ERROR_UNSUPPORTED (it has no modes, more coordinates than the device's
 * shared memory holds, bones and clusters than software Vulkan loops over, or influences of samples than floats
 * number), SN_ERROR_MEMORY. */
sn_result sn_gpu_reduced_add_model(sn_gpu_reduced *reduced, const sn_model *model, int *index);
/* The same model at a lower level of detail (see host/reduced/truncate.h), uploaded where it has not been yet: wherever
 * a model's index is asked for, a level's will do. */
sn_result sn_gpu_reduced_add_level(sn_gpu_reduced *reduced, int model_index, const sn_model *model, int mode_count,
                                   int cluster_level, int *index);

/* A body at rest in the pose; its index is free again once it is removed. Poses are (bone_count x 12) doubles,
 * row-major, relative to bind, model units; null is the bind pose. */
sn_result sn_gpu_reduced_add_body(sn_gpu_reduced *reduced, int model, const sn_solver_desc *desc, const double *pose,
                                  int *body);
void sn_gpu_reduced_remove_body(sn_gpu_reduced *reduced, int body);
/* Another level of detail of its model, any that was added; the state stays, as far as the modes have it. */
void sn_gpu_reduced_set_level(sn_gpu_reduced *reduced, int body, int level);
/* Other parameters, but for the level of detail; the state stays. Logs and changes nothing where one is out of its
 * range, or flat or plain flesh would be Neo-Hookean. */
sn_result sn_gpu_reduced_set_parameters(sn_gpu_reduced *reduced, int body, const sn_solver_desc *desc);
/* The share of the displacement that is drawn; 1 at first. */
void sn_gpu_reduced_set_amount(sn_gpu_reduced *reduced, int body, double amount);
/* Where the next step goes, and what is drawn. A pose that is not finite in float is refused: the last one stays, and
 * the next step recovers the body. */
void sn_gpu_reduced_set_pose(sn_gpu_reduced *reduced, int body, const double *pose);
/* Weights (morph_count) of the model's morph targets in the next steps and resets; a body begins with the model's own.
 * Where one is not finite the last ones stay, and the next step recovers the body. */
void sn_gpu_reduced_set_morphs(sn_gpu_reduced *reduced, int body, const float *weights);
/* At rest in a pose and under the morph targets that were set last: no displacement, no velocity. */
void sn_gpu_reduced_reset(sn_gpu_reduced *reduced, int body, const double *pose);
/* Moves state, history and pose by a rigid transform (3 x 4): exactly but for float's rounding of the displacement. */
void sn_gpu_reduced_teleport(sn_gpu_reduced *reduced, int body, const double *transform);

/* An impulse (kg times model units a second) on the flesh at the surface sample nearest to a point, as it is after the
 * last step; the next step takes it. One that is not finite is left out. More of them, over all bodies, than ever
 * before may wait for the device, as adding a body does. */
void sn_gpu_reduced_apply_impulse(sn_gpu_reduced *reduced, int body, const double *point, const double *impulse);

/* One that all the skin which a bone moves shares, by rig weight and area. */
void sn_gpu_reduced_apply_bone_impulse(sn_gpu_reduced *reduced, int body, int bone, const double *impulse);

/* See world.h: sn_body_grab and on; the body as it is after the last step, which must have been submitted. Waits for
 * the device. -1: nothing was grabbed. */
int sn_gpu_reduced_grab(sn_gpu_reduced *reduced, int body, const double *point, const sn_grab_desc *desc);
void sn_gpu_reduced_drag(sn_gpu_reduced *reduced, int body, int grab, const double *target);
void sn_gpu_reduced_release(sn_gpu_reduced *reduced, int body, int grab);

/* Uploads a grid, for as long as `reduced` lives, where it has not been yet; before a body's colliders have it, and
 * again where another grid came to its address. May wait for the device, as adding a body does. */
sn_result sn_gpu_reduced_add_grid(sn_gpu_reduced *reduced, const sn_grid *grid);
/* The wind and the colliders around a body, for all steps until they are set again; null: none. They are copied: bodies
 * whose colliders are the same share one upload. Of the colliders that 64 samples of a body may touch the first 1800 at
 * least are tried. Grids were added. More colliders than ever before may wait for the device, as adding a body does. A
 * body that has or had colliders, or was held, takes 80 KB of the device's memory for its contacts; where there is no
 * room for more of these, one line is logged, and further bodies meet no colliders. */
void sn_gpu_reduced_set_surroundings(sn_gpu_reduced *reduced, int body, const sn_surroundings *surroundings);
/* So that setting them does not wait, where all bodies get the same list, of so many at most: room for that list, for
 * the one before, and for the contacts of all bodies that there are. Itself it waits as adding a body does. */
sn_result sn_gpu_reduced_reserve_colliders(sn_gpu_reduced *reduced, int collider_count);
/* Bodies whose contacts a device binds at once. */
int sn_gpu_reduced_touching_limit(const sn_gpu_device *device);

/* Records one time step of all bodies to the poses that were set, and their matrices: bones of the pose, modes at a
 * fraction of the way between the last two steps (0 the one before, 1 the last). Waits for writes and reads of earlier
 * commands' shaders, and is ready for shaders of later ones. Outside of rendering. */
void sn_gpu_reduced_record_step(sn_gpu_reduced *reduced, VkCommandBuffer commands, double fraction);
/* The matrices alone: for frames that have no step, or whose pose is later than the last step's. */
void sn_gpu_reduced_record_output(sn_gpu_reduced *reduced, VkCommandBuffer commands, double fraction);

/* The matrices of all bodies, row-major 3 x 4 floats, a storage buffer; a body's bones, then its modes, start at its
 * first matrix. The buffer changes when bodies are added, the place within it does not. */
const sn_gpu_buffer *sn_gpu_reduced_matrices(const sn_gpu_reduced *reduced);
uint32_t sn_gpu_reduced_first_matrix(const sn_gpu_reduced *reduced, int body);
/* What steps did to bodies: struct sn_reduced_status of shaders/shared/reduced.h, one a body, in the order of their
 * indices. To be copied from; zeroed before the first body. */
const sn_gpu_buffer *sn_gpu_reduced_statuses(const sn_gpu_reduced *reduced);

/* What the last submitted recording left; each may be null. Waits for the device: for tests and tools. */
typedef struct sn_gpu_reduced_reading {
    double *coordinates; /* (coordinate_count x 3) Z_n */
    double *velocity;    /* (coordinate_count x 3) Z_n - Z_(n-1) */
    float *matrices;     /* ((bone_count + mode_count) x 12) */
    double *pulls;       /* (3 x coordinate_count x 3) of the last steps, the newest first:
                            host/reduced/kernels/iterate_f32.inc */
    /* filled */
    bool is_steady; /* the next step starts from these */
    int iteration_count;
    double change;     /* the last iteration's largest possible movement, as a fraction of the diagonal */
    bool is_converged; /* that is within the tolerance, as the device compares them: in float */
    bool is_over_budget;
    int recovery_count; /* steps, since the body was added, after which a number was not finite, or the flesh a hundred
                           diagonals away, or whose pose was refused: the body went back to its rig's pose, at rest */
} sn_gpu_reduced_reading;
sn_result sn_gpu_reduced_read(sn_gpu_reduced *reduced, int body, sn_gpu_reduced_reading *reading);
/* counts (body_count): iterations of bodies 0 to body_count - 1 in that step. Waits for the device. */
sn_result sn_gpu_reduced_read_iterations(sn_gpu_reduced *reduced, int body_count, int *counts);

#endif
