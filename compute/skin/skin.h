/* SPDX-License-Identifier: MIT */
/* Skinning on the device: the twin of host/skin. The weights of a model's surface live in buffers; a vertex shader that
 * includes shaders/skin/skin.glsl reads them by its vertex index, loops over any number of bones and modes, and gets
 * position, normal and tangent under the whole deformation. */
#ifndef SN_COMPUTE_SKIN_SKIN_H
#define SN_COMPUTE_SKIN_SKIN_H

#include "compute/core/memory.h"
#include "compute/core/pipeline.h"
#include "host/model/model.h"

/* Binding i of the set of weights (set 1 in every shader that skins): starts, influences, mode weights, starts and
 * deltas of morph targets. */
#define SN_GPU_SKIN_BINDING_COUNT 5
extern const VkDescriptorType sn_gpu_skin_binding_kinds[SN_GPU_SKIN_BINDING_COUNT];

/* Attributes of the rest vertex, interleaved: location 0 position, 1 normal, 2 tangent, 3 uv (two sets), 4 color. */
typedef struct sn_gpu_vertex {
    float position[3], normal[3], tangent[4], uv[4];
    uint16_t color[4]; /* unorm */
} sn_gpu_vertex;
#define SN_GPU_VERTEX_ATTRIBUTE_COUNT 5
extern const VkVertexInputBindingDescription sn_gpu_vertex_binding;
extern const VkVertexInputAttributeDescription sn_gpu_vertex_attributes[SN_GPU_VERTEX_ATTRIBUTE_COUNT];

/* A model's surface on the device, shared by its bodies. */
typedef struct sn_gpu_surface {
    int vertex_count, index_count, bone_count, mode_count, morph_count;
    float diagonal;
    sn_gpu_buffer vertices, indices; /* sn_gpu_vertex, uint32_t */
    sn_gpu_buffer starts, influences, mode_weights, morph_starts, morph_deltas;
    sn_gpu_set weights;
} sn_gpu_surface;

/* The layout of the set of weights; the caller destroys it. */
sn_result sn_gpu_skin_layout_create(sn_gpu_device *device, VkDescriptorSetLayout *layout);

/* bone_count: matrices that influences may name. */
sn_result sn_gpu_surface_create(sn_gpu_device *device, VkDescriptorSetLayout layout, const sn_surface *from,
                                int bone_count, sn_gpu_surface *surface);
void sn_gpu_surface_destroy(sn_gpu_device *device, sn_gpu_surface *surface);

/* Skins a surface, for so many bodies at once, in the vertex stage alone, or by a compute shader: what is drawn more
 * than once a frame need not be skinned as often, and devices for computing may run vertices on few of their cores. For
 * tests and benchmarks. Errors: SN_ERROR_UNSUPPORTED (vertex shaders that cannot write, more bodies than a dispatch
 * takes), SN_ERROR_MEMORY. */
typedef enum sn_gpu_capture_stage { SN_GPU_CAPTURE_VERTEX, SN_GPU_CAPTURE_COMPUTE } sn_gpu_capture_stage;
typedef struct sn_gpu_capture sn_gpu_capture;
sn_result sn_gpu_capture_create(sn_gpu_device *device, const sn_model *model, int body_count,
                                sn_gpu_capture_stage stage, sn_gpu_capture **capture);
void sn_gpu_capture_destroy(sn_gpu_capture **capture);
/* What it computed, (vertex_count x 3) each; the caller's. */
typedef struct sn_gpu_captured {
    float *positions, *normals, *tangents;
} sn_gpu_captured;
/* transforms (body_count x (bone_count + mode_count) x 12): a body's bones, then its modes; morphs
 * (body_count x morph_count) weights. seconds: of the device, for `repeats` runs over all bodies' surfaces, whose
 * vertices stay in its memory; null where nobody asks. */
sn_result sn_gpu_capture_run(sn_gpu_capture *capture, const float *transforms, const float *morphs, int repeats,
                             double *seconds);
/* One body's, of the last run. */
sn_result sn_gpu_capture_read(sn_gpu_capture *capture, int body, const sn_gpu_captured *captured);

#endif
