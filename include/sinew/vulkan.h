/* SPDX-License-Identifier: MIT */
/* Worlds whose bodies step on your Vulkan device, and write the matrices that your vertex shader reads: nothing is read
 * back. Part of libsinew_gpu; link it and the Vulkan loader, which it calls.
 *
 *     sn_gpu_create(&gpu_desc, &gpu);
 *     world_desc.backend = sn_gpu_backend(gpu);
 *     sn_world_create(&world_desc, &world);                       bodies, colliders, poses: as in any world
 *     each frame:
 *         wait until the frame before the last frames_in_flight is done, as you do for your own buffers
 *         sn_body_set_pose(...);
 *         sn_gpu_record_step(world, seconds, commands);           in place of sn_world_step
 *         draw with sn_body_gpu_output(body) in the same commands, or later ones
 *
 * What the device must have. Vulkan 1.3, which its instance asked for (VkApplicationInfo.apiVersion); the features
 * timelineSemaphore, synchronization2 and maintenance4, enabled; a queue of a family that draws and computes. No
 * extensions. All handles come from the Vulkan loader (libvulkan), volk or not. Objects have debug names where the
 * instance has VK_EXT_debug_utils.
 *
 * What differs from a world on threads. Both end in the same minimum of a step, within the tolerance; results are the
 * same bits on one device for the same calls. budget_seconds is for the steps of all bodies together: a body has as
 * many iterations as fit by what some frames before took on the device (all of them, where its queue writes no
 * timestamps). A body that may touch colliders, or is held, takes 80 KB of the device's memory, and without room for
 * it, which is logged, meets none and is not held. The report counts explosions once their frame is known to be done,
 * frames_in_flight calls later. A world keeps what it uploaded of a model or a grid for as long as it lives.
 *
 * Coupled bodies (SN_SOLVER_COUPLED) step as on threads: their small systems in double where shaderFloat64 is enabled,
 * which comes to the same bits where a device's arithmetic is exact; else, or where sn_gpu_desc asks for it, in float,
 * which parts from that by up to 1e-4 of a free body's size in a third of a second, and by 1e-3 of a driven one's
 * (tests/compute/test_gpu_single.c). Their modes' matrices are zeros. A grab pulls from where the flesh is
 * when it is dragged: drag it before each call. sn_body_output, sn_body_flesh and sn_body_lock_impulse of such bodies
 * read back what the last submitted step left, sn_body_set_locks does so after a step, and everything that pushes,
 * holds, moves or changes one (impulses, grabs, sn_body_drag, sn_body_release, sn_body_reset, sn_body_teleport,
 * sn_body_set_rig, sn_body_set_desc, tears and springs) takes its state to the processor and back: these wait for the
 * device, as those below. After sn_body_set_rig, and where sn_body_set_desc has another Poisson's ratio, the matrices
 * may lie elsewhere.
 *
 * Layered bodies (SN_SOLVER_LAYERED) have that in common with coupled ones, but for rigs, locks, tears and springs;
 * their bones are the pose's, known without waiting. Tets are swept by colours, and not along a curve as on threads:
 * flesh is near, by what one sweep in another order leaves out. Flesh of either that has an embedding
 * (sn_body_set_embedding, which waits) becomes matrices there: sn_body_gpu_embedded_output has them, and
 * sn_body_embedded_output reads them back.
 *
 * Threads and the queue. A sn_gpu, its worlds and their bodies belong to one thread at a time. sn_gpu_destroy,
 * sn_world_destroy, sn_body_create, sn_collider_create, sn_body_apply_impulse, sn_body_apply_bone_impulse, sn_body_grab
 * and sn_world_step may submit to the queue or wait for the device (vkDeviceWaitIdle), and so may sn_world_prepare,
 * sn_body_set_desc and sn_body_set_detail where a model's level of detail or a budget is new to the world: no other
 * thread may use a queue of the device meanwhile, and what was recorded must have been submitted. sn_gpu_record_step
 * and all the rest only write to mapped memory and to the commands.
 *
 * Lifetimes. Instance, device and queue outlive the sn_gpu, which outlives its worlds. */
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
    const void *enabled_features; /* the pNext chain of the VkDeviceCreateInfo that made the device, for Vulkan does not
                                     tell; read by sn_gpu_create alone */
    int frames_in_flight;         /* 1 .. 8: how many calls of sn_gpu_record_step may be under way on the device, the
                                     one that records among them */
    bool is_single; /* coupled bodies in float throughout, as where there is no shaderFloat64: for devices whose doubles
                       are slow */
} sn_gpu_desc;

/* Two frames in flight; the rest is yours to set. */
SN_API sn_gpu_desc sn_default_gpu_desc(void);

/* Errors (one line each, which names what is wrong): SN_ERROR_ARGUMENT (a handle is null, no such family, frames out of
 * range), SN_ERROR_UNSUPPORTED (something that is needed is absent, or was not enabled), SN_ERROR_MEMORY. */
SN_API sn_result sn_gpu_create(const sn_gpu_desc *desc, sn_gpu **gpu);
/* Nulls the pointer; accepts null. No world may still step there. */
SN_API void sn_gpu_destroy(sn_gpu **gpu);

/* For sn_world_desc.backend; of any number of worlds, each with its bodies in buffers of its own. Lives as long as the
 * sn_gpu. A world keeps poses of frames_in_flight times (step_limit + 1) steps: a small step_limit saves memory. */
SN_API const sn_backend *sn_gpu_backend(const sn_gpu *gpu);

/* sn_world_step, which also works in such a world and then submits to the queue by itself; but here the steps, each
 * with poses of its own, are recorded into your commands.
 *
 * The commands must be in the recording state, outside of rendering, for a queue of the same family; they must be
 * submitted once, in the order of these calls, before the next call of those that may submit or wait.
 * When a call records, the commands of the call before the last frames_in_flight must be done on the device.
 *
 * Recorded are compute dispatches, memory barriers and a small copy. They begin with waiting for what earlier commands
 * of the queue do in vertex, fragment and compute shaders, so that the matrices may be read until then. They end with
 * a memory barrier to uniform, sampled and storage reads in those stages, and to vertex and index input: such commands
 * after them need no barrier. Another stage or queue needs yours, from COMPUTE_SHADER and SHADER_STORAGE_WRITE.
 * Bind your compute pipeline and its sets anew, and push your constants anew.
 * With a recorder, the hash of such a step has poses alone: see record.h. */
SN_API sn_world_report sn_gpu_record_step(sn_world_id world, double seconds, VkCommandBuffer commands);

/* Where a body's matrices lie: bones, then modes, as in sn_body_matrices, each 12 floats, row-major 3 x 4. */
typedef struct sn_body_gpu_matrices {
    VkBuffer buffer;  /* of all bodies of the world with its solver, a storage buffer, for VK_WHOLE_SIZE */
    uint64_t version; /* another number, another buffer, of any world, and yours to bind anew. sn_body_create may make
                         one; the handle does not tell, for it may be used again */
    VkDeviceSize offset; /* of the first matrix, a multiple of the stride; it stays for the body's life. For an offset
                            of a binding it need not be aligned: bind the whole, and count matrices in the shader */
    VkDeviceSize stride; /* from a matrix to the next: 48 */
    int bone_count, mode_count;
} sn_body_gpu_matrices;

/* Of a body in a world with such a backend. The matrices are those of the last recorded step, nothing before the first
 * after the body's creation. Morph weights: sn_body_output. */
SN_API sn_body_gpu_matrices sn_body_gpu_output(sn_body_id body);

/* Likewise, what draws sn_embedding_surface, of a body that has an embedding (sn_body_set_embedding; asserted): bones
 * and one matrix a node, all of them in bone_count, as sn_body_embedded_output has them; no modes. Its range may be
 * another after each sn_body_set_embedding, its buffer after each of any body. */
SN_API sn_body_gpu_matrices sn_body_gpu_embedded_output(sn_body_id body);

#ifdef __cplusplus
}
#endif
#endif
