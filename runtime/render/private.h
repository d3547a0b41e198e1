/* SPDX-License-Identifier: MIT */
/* Private header of the renderer. */
#ifndef SN_RUNTIME_RENDER_PRIVATE_H
#define SN_RUNTIME_RENDER_PRIVATE_H

#include <math.h>
#include <string.h>

#include "compute/core/commands.h"
#include "compute/core/timer.h"
#include "compute/skin/skin.h"
#include "runtime/render/renderer.h"
#include "shaders/shared/draw.h"

typedef struct sn_frame_constants sn_frame_constants;
typedef struct sn_material_constants sn_material_constants;

#define SN_FRAMES_IN_FLIGHT 2
#define SN_CONTACT_SIZE 512 /* texels per side of the contact map (heights above the ground) */
#define SN_COVER_SIZE 128   /* texels per side of the ground's ambient occlusion */
#define SN_COVER_FORMAT VK_FORMAT_R16_SFLOAT
#define SN_MATRIX_BYTES (12 * sizeof(float))

/* Push constants of a body: sn_body_constants in shaders/draw/frame.glsl. */
typedef struct sn_body_constants {
    uint32_t first_transform, bone_count, mode_count;
    uint32_t first_morph, morph_count;
    float diagonal, orientation;
    uint32_t mode_stride;
} sn_body_constants;

/* Images shared by all frames in flight, because the device runs the frames in sequence. Between frames each image is
 * in the access state in which a frame ends. */
typedef struct sn_render_targets {
    VkSampleCountFlagBits sample_count;
    sn_gpu_image samples; /* multisampled color; zeroed if the device supports one sample only */
    sn_gpu_image resolved, depth, shadow, contact, cover;
    VkSampler compare_sampler, depth_sampler, cover_sampler;
} sn_render_targets;

sn_result sn_render_targets_init(sn_gpu_device *device, const sn_renderer_desc *desc, sn_render_targets *targets);
void sn_render_targets_finish(sn_gpu_device *device, sn_render_targets *targets);
/* Recreates the images of the picture's size; the device must be idle. */
sn_result sn_render_targets_resize(sn_gpu_device *device, const sn_renderer_desc *desc, sn_render_targets *targets);

typedef struct sn_render_pipelines {
    VkDescriptorSetLayout frame_set, weight_set, material_set;
    VkPipelineLayout layout;
    VkPipeline depth[2][2];                                   /* [SN_DEPTH_OF_*][alpha masked] */
    VkPipeline body[SN_DRAW_MODE_COUNT][SN_DRAW_STYLE_COUNT]; /* null: no material has needed it yet */
    VkPipeline cover, ground, background;
    VkPipeline overlay[2]; /* visible, hidden */
} sn_render_pipelines;

extern const VkDescriptorType sn_frame_binding_types[SN_FRAME_BINDING_COUNT];
extern const VkDescriptorType sn_material_binding_types[SN_MATERIAL_BINDING_COUNT];

sn_result sn_render_pipelines_init(sn_gpu_device *device, VkSampleCountFlagBits sample_count,
                                   sn_render_pipelines *pipelines);
/* Creates the overlay's pipelines (overlay.c). */
sn_result sn_render_overlay_pipelines(sn_gpu_device *device, VkSampleCountFlagBits sample_count,
                                      sn_render_pipelines *pipelines);
void sn_render_pipelines_finish(sn_gpu_device *device, sn_render_pipelines *pipelines);

/* Shared by all materials: samplers, created on first use, and defaults for absent textures. */
typedef struct sn_render_palette {
    VkSampler samplers[SN_WRAP_COUNT][SN_WRAP_COUNT][2]; /* [wrap u][wrap v][nearest] */
    sn_gpu_image white, flat;                            /* 1 x 1 pixel; flat: a normal map without relief */
} sn_render_palette;

sn_result sn_render_palette_init(sn_gpu_device *device, sn_render_palette *palette);
void sn_render_palette_finish(sn_gpu_device *device, sn_render_palette *palette);

typedef struct sn_render_material {
    int alpha_mode;      /* sn_alpha_mode */
    uint32_t blend_mode; /* SN_DRAW_BLEND or SN_DRAW_BLEND_DEPTH */
    uint32_t style;      /* SN_DRAW_LIT, _UNLIT or _TOON */
    int order;           /* blended parts with a smaller one are drawn first */
    bool is_double_sided, has_outline;
    sn_gpu_set set;
} sn_render_material;

/* Creates the pipelines that a material needs and no other has needed. */
sn_result sn_render_pipelines_add(sn_gpu_device *device, VkSampleCountFlagBits sample_count,
                                  const sn_render_material *material, sn_render_pipelines *pipelines);

typedef struct sn_render_part {
    uint32_t first_index, index_count;
    int material;
    int bone;        /* bone with the largest total weight over the part's vertices; -1: no bones */
    float center[3]; /* of the rest bounding box */
} sn_render_part;

struct sn_render_model {
    sn_gpu_surface surface;
    sn_gpu_buffer constants; /* of all materials, aligned to the device's uniform offset alignment */
    sn_render_material *materials;
    sn_render_part *parts;
    sn_gpu_image *images; /* (texture_count x 2): linear, sRGB; zeroed if unused */
    int *image_users;     /* reference count of the images */
    int material_count, part_count, texture_count;
    int blend_part_count;
};

/* Buffers written by one frame in flight. */
typedef struct sn_render_frame {
    sn_gpu_buffer constants, transforms, morphs;
    sn_gpu_buffer pixels;  /* zeroed until a frame is read back */
    sn_gpu_buffer markers; /* instances of the overlay */
    int matrix_capacity, morph_capacity, marker_capacity;
    sn_gpu_set set;
    /* As `set`, with the transforms of bodies on the device; zeroed until used. */
    sn_gpu_set device_sets[SN_RENDER_MATRICES_LIMIT];
    sn_render_matrices matrices[SN_RENDER_MATRICES_LIMIT];
    uint64_t submission;
} sn_render_frame;

/* A blended part of a body, drawn after everything opaque. */
typedef struct sn_render_blend {
    float distance;
    int order; /* of its material */
    int body, part;
} sn_render_blend;

struct sn_renderer {
    sn_gpu_device *device;
    sn_renderer_desc desc;
    sn_render_targets targets;
    sn_render_pipelines pipelines;
    sn_render_palette palette;
    sn_render_frame frames[SN_FRAMES_IN_FLIGHT];
    sn_gpu_timer timer; /* one span per frame in flight */
    uint64_t drawn_count, read_count;
    double frame_ms;
    sn_render_blend *blends;
    int blend_capacity;
};

/* Converts a scene to the shaders' frame constants. */
void sn_render_frame_constants(const sn_render_scene *scene, const sn_renderer_desc *desc,
                               sn_frame_constants *constants);

/* Records the passes of a frame. Transforms (of CPU bodies) and morph weights are stored consecutively in the frame's
 * buffers. The picture goes to the output, or, if that is null, to the frame's pixels. */
void sn_render_record(sn_renderer *renderer, const sn_render_scene *scene, const sn_render_frame *frame,
                      const sn_render_output *output, VkCommandBuffer commands);

/* Draws the markers of the frame's buffer, last in the main pass. Set 0 must be bound. Changes the bound pipeline and
 * vertex buffer. */
void sn_render_record_overlay(const sn_render_pipelines *pipelines, const sn_render_frame *frame, int marker_count,
                              VkCommandBuffer commands);

/* Writes the blended parts of the scene, far to near; returns their number. `blends` must have capacity for all. */
int sn_render_sort_blends(const sn_render_scene *scene, sn_render_blend *blends);

#endif
