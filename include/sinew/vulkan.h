/* SPDX-License-Identifier: MIT */
/* Worlds whose bodies step on your Vulkan device, and write the matrices that your vertex shader reads, without
 * readback. Part of libsinew_gpu; link it and the Vulkan loader.
 *
 *     sn_gpu_create(&gpu_desc, &gpu);
 *     world_desc.backend = sn_gpu_backend(gpu);
 *     sn_world_create(&world_desc, &world);                       bodies, colliders, poses: as in any world
 *     each frame:
 *         wait for the frame before the last frames_in_flight, as you do for your own buffers
 *         sn_body_set_pose(...);
 *         sn_gpu_record_step(world, seconds, commands);           instead of sn_world_step
 *         draw with sn_body_gpu_output(body) in the same commands, or later ones
 *
 * Device requirements. Vulkan 1.3 as the instance's VkApplicationInfo.apiVersion; the features timelineSemaphore,
 * synchronization2 and maintenance4, enabled; a queue of a family for graphics and compute. No extensions. All handles
 * come from the Vulkan loader (libvulkan), with or without volk. Objects have debug names if the instance has
 * VK_EXT_debug_utils.
 *
 * Differences from a world on threads. Both find the same minimum of each step, within the tolerance. The same calls on
 * one device give bit-identical results. budget_seconds limits the steps of all bodies together: the number of
 * iterations is predicted from timestamps of earlier frames (no limit if the queue has no timestamps). A body that may
 * touch colliders or is grabbed needs 80 KB of device memory; if the allocation fails, an error is logged, and the body
 * has no contacts and grabs. The report counts divergences frames_in_flight calls later. A world keeps uploaded models
 * and grids until it is destroyed.
 *
 * Coupled bodies (SN_SOLVER_COUPLED) step as on threads. Their small systems are solved in double if shaderFloat64 is
 * enabled, which gives the same bits where the device's arithmetic is exact. Otherwise, or if sn_gpu_desc requests it,
 * they are solved in float (accuracy: tests/compute/test_gpu_single.c). The matrices of their modes are zero. A grab
 * pulls from the position of the flesh when it is dragged: drag it before each call.
 *
 * The following calls for coupled bodies read the state back or upload it, and wait for the device: sn_body_output,
 * sn_body_tet_positions, sn_body_lock_impulse, sn_body_set_locks (after a step), and all that push, grab, move or edit
 * a body (impulses, grabs, sn_body_drag, sn_body_release, sn_body_reset, sn_body_teleport, sn_body_set_model,
 * sn_body_set_desc, tears and springs). They use the last submitted step. After sn_body_set_model, and after
 * sn_body_set_desc with another Poisson's ratio, the matrices may be at another offset.
 *
 * Layered bodies (SN_SOLVER_LAYERED) behave like coupled ones, without rigs, locks, tears and springs; their bones are
 * those of the pose, known without waiting. Tets are swept by colour instead of along a curve, so that the flesh
 * differs slightly from that on threads. Embedded flesh of both solvers (sn_body_set_embedding, which waits) becomes
 * matrices on the device: see sn_body_gpu_embedded_output; sn_body_embedded_output reads them back.
 *
 * Threads and the queue. A sn_gpu, its worlds and their bodies belong to one thread at a time. These calls may submit
 * to the queue or wait for the device (vkDeviceWaitIdle): sn_gpu_destroy, sn_world_destroy, sn_body_create,
 * sn_collider_create, sn_body_apply_impulse, sn_body_apply_bone_impulse, sn_body_grab and sn_world_step; and
 * sn_world_prepare, sn_body_set_desc and sn_body_set_detail if a level of detail or a budget is new to the world.
 * During these calls no other thread may use a queue of the device, and all recorded commands must have been submitted.
 * sn_gpu_record_step and all other calls only write to mapped memory and to the commands.
 *
 * A lost device. If Vulkan reports VK_ERROR_DEVICE_LOST to a world, one warning is logged, and its bodies continue on
 * the CPU, at rest in their poses: grabs, tears and added springs are gone. sn_gpu_record_step then steps like
 * sn_world_step, sn_body_output has the matrices, and sn_body_gpu_output and sn_body_gpu_embedded_output have no
 * buffer.
 *
 * Lifetimes. Instance, device and queue must outlive the sn_gpu, which must outlive its worlds. */
#ifndef SINEW_VULKAN_H
#define SINEW_VULKAN_H

#include <vulkan/vulkan_core.h>

#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device that worlds step on. */
typedef struct sn_gpu sn_gpu;

typedef struct sn_gpu_desc {
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    const void *enabled_features; /* pNext chain of the VkDeviceCreateInfo of the device; read by sn_gpu_create only */
    int frames_in_flight;         /* 1 .. 8: max sn_gpu_record_step calls in flight, the current one included */
    bool is_single_precision;     /* step coupled bodies in single precision, for devices with slow doubles */
} sn_gpu_desc;

/* Two frames in flight; the caller sets the handles. */
SN_API sn_gpu_desc sn_default_gpu_desc(void);

/* Kernels access 11 storage buffers, those of coupled and layered bodies 24 and 22. On a device that allows fewer than
 * 24 in a shader (maxPerStageDescriptorStorageBuffers), a warning is logged, and such bodies are refused.
 * Errors (one log line each): SN_ERROR_ARGUMENT (a handle is null, no such family, or frames out of range),
 * SN_ERROR_UNSUPPORTED (a requirement is missing or not enabled), SN_ERROR_MEMORY. */
SN_API sn_result sn_gpu_create(const sn_gpu_desc *desc, sn_gpu **gpu);
/* Accepts null; sets the pointer to null. Its worlds must have been destroyed. */
SN_API void sn_gpu_destroy(sn_gpu **gpu);

/* The backend for sn_world_desc.backend, for any number of worlds, each of which has buffers of its own. Lives as long
 * as the sn_gpu. A world stores the poses of frames_in_flight times (step_limit + 1) steps: a small step_limit saves
 * memory. */
SN_API const sn_backend *sn_gpu_backend(const sn_gpu *gpu);

/* Records the steps of sn_world_step, with their poses, into your commands. (sn_world_step itself also works in such a
 * world, and submits to the queue.)
 *
 * The commands must be in the recording state, outside of rendering, for a queue of the same family. Submit them once,
 * in the order of these calls, before the next call that may submit or wait. When this function is called, the commands
 * recorded frames_in_flight calls ago must be complete on the device.
 *
 * It records compute dispatches, memory barriers and a small copy. They first wait for earlier commands of the queue in
 * vertex, fragment and compute shaders, which may therefore still read the matrices. They end with a memory barrier to
 * uniform, sampled and storage reads in those stages, and to vertex and index input: later commands of these types need
 * no barrier. Other stages or queues need your own barrier from COMPUTE_SHADER and SHADER_STORAGE_WRITE. Rebind your
 * compute pipeline and its descriptor sets, and push your constants again. With a recorder, the hash of such a step
 * covers poses only: see record.h. */
SN_API sn_world_report sn_gpu_record_step(sn_world_id world, double seconds, VkCommandBuffer commands);

/* Location of a body's matrices: bones, then modes, as in sn_body_matrices; each 12 floats, row-major 3 x 4. */
typedef struct sn_body_gpu_matrices {
    VkBuffer buffer; /* storage buffer of all bodies of the world with this solver; bind VK_WHOLE_SIZE */
    uint64_t
        version; /* changes when the buffer does (sn_body_create may replace it); rebind then. Handles may be reused */
    VkDeviceSize offset; /* of the first matrix, a multiple of the stride, constant for the body's life; not aligned for
                            a binding */
    VkDeviceSize stride; /* from one matrix to the next: 48 */
    int bone_count, mode_count;
} sn_body_gpu_matrices;

/* For a body in a world with such a backend: the matrices of the last recorded step, undefined before the first step of
 * the body. Morph weights: sn_body_output. */
SN_API sn_body_gpu_matrices sn_body_gpu_output(sn_body_id body);

/* The matrices for sn_embedding_surface, for a body with an embedding (asserted): bones, then one matrix per node, all
 * counted in bone_count, as in sn_body_embedded_output; no modes. The range may change with each sn_body_set_embedding
 * of this body, and the buffer with that of any body. */
SN_API sn_body_gpu_matrices sn_body_gpu_embedded_output(sn_body_id body);

#ifdef __cplusplus
}
#endif
#endif
