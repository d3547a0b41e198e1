/* SPDX-License-Identifier: MIT */
/* Skinning on the device: the implementation of host/skin. The weights of a model's surface are in buffers. A vertex
 * shader that includes shaders/skin/skin.glsl reads them by vertex index, for any number of bones and modes, and
 * computes position, normal and tangent of the whole deformation. */
#ifndef SN_COMPUTE_SKIN_SKIN_H
#define SN_COMPUTE_SKIN_SKIN_H

#include "compute/core/memory.h"
#include "compute/core/pipeline.h"
#include "host/model/model.h"

/* Binding i of the weight set (set 1 in every skinning shader): starts, influences, mode weights, starts and deltas of
 * morph targets. */
#define SN_GPU_SKIN_BINDING_COUNT 5
extern const VkDescriptorType sn_gpu_skin_binding_types[SN_GPU_SKIN_BINDING_COUNT];

/* Interleaved attributes of a rest vertex: location 0 position, 1 normal, 2 tangent, 3 uv (two sets), 4 color. */
typedef struct sn_gpu_vertex {
    float position[3], normal[3], tangent[4], uv[4];
    uint16_t color[4]; /* unorm */
} sn_gpu_vertex;
#define SN_GPU_VERTEX_ATTRIBUTE_COUNT 5
extern const VkVertexInputBindingDescription sn_gpu_vertex_binding;
extern const VkVertexInputAttributeDescription sn_gpu_vertex_attributes[SN_GPU_VERTEX_ATTRIBUTE_COUNT];

/* The surface of a model on the device, shared by its bodies. */
typedef struct sn_gpu_surface {
    int vertex_count, index_count, bone_count, mode_count, morph_count;
    float diagonal;
    sn_gpu_buffer vertices, indices; /* sn_gpu_vertex, uint32_t */
    sn_gpu_buffer starts, influences, mode_weights, morph_starts, morph_deltas;
    sn_gpu_set weights;
} sn_gpu_surface;

/* Layout of the weight set; the caller destroys it. */
sn_result sn_gpu_skin_layout_create(sn_gpu_device *device, VkDescriptorSetLayout *layout);

/* bone_count: number of matrices that influences may refer to. */
sn_result sn_gpu_surface_create(sn_gpu_device *device, VkDescriptorSetLayout layout, const sn_surface *from,
                                int bone_count, sn_gpu_surface *surface);
void sn_gpu_surface_destroy(sn_gpu_device *device, sn_gpu_surface *surface);

/* Skins a surface for several bodies, in the vertex stage or in a compute shader, which avoids skinning again in each
 * pass and the slow vertex stages of compute devices. For tests and benchmarks. Errors: SN_ERROR_UNSUPPORTED (vertex
 * shaders cannot write buffers, more bodies than a dispatch allows), SN_ERROR_MEMORY. */
typedef enum sn_gpu_capture_stage { SN_GPU_CAPTURE_VERTEX, SN_GPU_CAPTURE_COMPUTE } sn_gpu_capture_stage;
typedef struct sn_gpu_capture sn_gpu_capture;
sn_result sn_gpu_capture_create(sn_gpu_device *device, const sn_model *model, int body_count,
                                sn_gpu_capture_stage stage, sn_gpu_capture **capture);
void sn_gpu_capture_destroy(sn_gpu_capture **capture);
/* Results, (vertex_count x 3) each; memory of the caller. */
typedef struct sn_gpu_captured {
    float *positions, *normals, *tangents;
} sn_gpu_captured;
/* transforms (body_count x (bone_count + mode_count) x 12): a body's bones, then its modes; morphs (body_count x
 * morph_count): weights. seconds: device time of `repeats` runs over all bodies; may be null. */
sn_result sn_gpu_capture_run(sn_gpu_capture *capture, const float *transforms, const float *morphs, int repeats,
                             double *seconds);
/* Reads the result of one body in the last run. */
sn_result sn_gpu_capture_read(sn_gpu_capture *capture, int body, const sn_gpu_captured *captured);

#endif
