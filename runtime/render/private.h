/* SPDX-License-Identifier: MIT */
/* What the files of the renderer share. */
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
#define SN_CONTACT_SIZE 512 /* texels a side of the heights above the ground */
#define SN_COVER_SIZE 128   /* texels a side of what bodies take from the ground */
#define SN_COVER_FORMAT VK_FORMAT_R16_SFLOAT
#define SN_MATRIX_BYTES (12 * sizeof(float))

/* The push constants of a body: sn_body_constants in shaders/draw/frame.glsl. */
typedef struct sn_body_constants {
    uint32_t first_transform, bone_count, mode_count;
    uint32_t first_morph, morph_count;
    float diagonal, orientation;
    uint32_t mode_stride;
} sn_body_constants;

/* Both frames draw into the same images: the device runs one after the other. Between frames, every image rests in the
 * access with which a frame ends. */
typedef struct sn_render_targets {
    VkSampleCountFlagBits sample_count;
    sn_gpu_image samples; /* several samples a pixel; zeroed where the device has one */
    sn_gpu_image resolved, depth, shadow, contact, cover;
    VkSampler compare_sampler, depth_sampler, cover_sampler;
} sn_render_targets;

sn_result sn_render_targets_init(sn_gpu_device *device, const sn_renderer_desc *desc, sn_render_targets *targets);
void sn_render_targets_finish(sn_gpu_device *device, sn_render_targets *targets);
/* Those of the picture's size anew; the device must have finished with them. */
sn_result sn_render_targets_resize(sn_gpu_device *device, const sn_renderer_desc *desc, sn_render_targets *targets);

typedef struct sn_render_pipelines {
    VkDescriptorSetLayout frame_set, weight_set, material_set;
    VkPipelineLayout layout;
    VkPipeline depth[2][2]; /* SN_DEPTH_OF_*, cut out by alpha */
    VkPipeline body[3][2];  /* SN_DRAW_*, unlit */
    VkPipeline cover, ground, background;
    VkPipeline overlay[2]; /* seen, hidden */
} sn_render_pipelines;

extern const VkDescriptorType sn_frame_binding_kinds[SN_FRAME_BINDING_COUNT];
extern const VkDescriptorType sn_material_binding_kinds[SN_MATERIAL_BINDING_COUNT];

sn_result sn_render_pipelines_init(sn_gpu_device *device, VkSampleCountFlagBits sample_count,
                                   sn_render_pipelines *pipelines);
/* Those of the overlay (overlay.c). */
sn_result sn_render_overlay_pipelines(sn_gpu_device *device, VkSampleCountFlagBits sample_count,
                                      sn_render_pipelines *pipelines);
void sn_render_pipelines_finish(sn_gpu_device *device, sn_render_pipelines *pipelines);

/* What materials have in common: samplers, made when first asked for, and stand-ins for absent textures. */
typedef struct sn_render_palette {
    VkSampler samplers[SN_WRAP_COUNT][SN_WRAP_COUNT][2]; /* wrap u, wrap v, nearest */
    sn_gpu_image white, flat;                            /* 1 x 1; flat: a normal map without relief */
} sn_render_palette;

sn_result sn_render_palette_init(sn_gpu_device *device, sn_render_palette *palette);
void sn_render_palette_finish(sn_gpu_device *device, sn_render_palette *palette);

typedef struct sn_render_material {
    int alpha_mode; /* sn_alpha_mode */
    bool is_double_sided, is_unlit;
    sn_gpu_set set;
} sn_render_material;

typedef struct sn_render_part {
    uint32_t first_index, index_count;
    int material;
    int bone;        /* the bone that weighs most over the part's vertices, -1 without any */
    float center[3]; /* of the rest bounding box */
} sn_render_part;

struct sn_render_model {
    sn_gpu_surface surface;
    sn_gpu_buffer constants; /* of all materials, at multiples of the device's alignment */
    sn_render_material *materials;
    sn_render_part *parts;
    sn_gpu_image *images; /* (texture_count x 2): linear, sRGB; zeroed where no material asks */
    int *image_users;     /* models that share these */
    int material_count, part_count, texture_count;
    int blend_part_count;
};

/* Everything one frame in flight writes, so that the next can be recorded meanwhile. */
typedef struct sn_render_frame {
    sn_gpu_buffer constants, transforms, morphs;
    sn_gpu_buffer pixels; /* zeroed until a frame is to be read */
    sn_gpu_buffer marks;  /* of the overlay, instances */
    int matrix_capacity, morph_capacity, mark_capacity;
    sn_gpu_set set;
    /* The same, but for their transforms: those of bodies on the device; zeroed until there are. */
    sn_gpu_set device_sets[SN_RENDER_MATRICES_LIMIT];
    sn_render_matrices matrices[SN_RENDER_MATRICES_LIMIT];
    uint64_t submission;
} sn_render_frame;

/* A part of a body that is drawn after everything opaque. */
typedef struct sn_render_blend {
    float distance;
    int body, part;
} sn_render_blend;

struct sn_renderer {
    sn_gpu_device *device;
    sn_renderer_desc desc;
    sn_render_targets targets;
    sn_render_pipelines pipelines;
    sn_render_palette palette;
    sn_render_frame frames[SN_FRAMES_IN_FLIGHT];
    sn_gpu_timer timer; /* a span a frame in flight */
    uint64_t drawn_count, read_count;
    double frame_ms;
    sn_render_blend *blends;
    int blend_capacity;
};

/* The one place that turns a scene into what the shaders read. */
void sn_render_frame_constants(const sn_render_scene *scene, const sn_renderer_desc *desc,
                               sn_frame_constants *constants);

/* Records the passes of a frame; transforms (of bodies that are not on the device) and morph weights lie one after the
 * other in the frame's buffers. The picture goes to the output, without one to the frame's pixels. */
void sn_render_record(sn_renderer *renderer, const sn_render_scene *scene, const sn_render_frame *frame,
                      const sn_render_output *output, VkCommandBuffer commands);

/* Draws the marks that the frame's buffer holds, after all else in the picture's pass; leaves pipeline and vertex
 * buffer bound. Set 0 must be. */
void sn_render_record_overlay(const sn_render_pipelines *pipelines, const sn_render_frame *frame, int mark_count,
                              VkCommandBuffer commands);

/* Parts of the scene that blend, far to near; returns their number. `blends` has room for all. */
int sn_render_sort_blends(const sn_render_scene *scene, sn_render_blend *blends);

#endif
