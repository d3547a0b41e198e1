/* SPDX-License-Identifier: MIT */
/* A forward renderer for characters: the vertex shader deforms, one directional light with a soft shadow, hemisphere
 * ambient, metallic-roughness or unlit materials, a ground, 4 samples a pixel, sRGB out.
 *
 * A renderer draws into images of its own; pictures are read back late, so that drawing one frame overlaps with the use
 * of the last. One thread at a time. */
#ifndef SN_RUNTIME_RENDER_RENDERER_H
#define SN_RUNTIME_RENDER_RENDERER_H

#include "compute/core/memory.h"
#include "host/model/embedding.h"
#include "runtime/render/camera.h"
#include "runtime/render/overlay.h"

typedef struct sn_renderer sn_renderer;
typedef struct sn_render_model sn_render_model;

typedef struct sn_renderer_desc {
    int width, height; /* pixels, 1 .. 16384 and what the device can */
    int shadow_size;   /* texels a side */
    int matrix_limit;  /* transforms a frame, bones and modes of all bodies; grows when needed */
} sn_renderer_desc;

/* 1280 x 720, 2048 texels. */
sn_renderer_desc sn_default_renderer_desc(void);

/* The device must outlive the renderer, the renderer its models. */
sn_result sn_renderer_create(sn_gpu_device *device, const sn_renderer_desc *desc, sn_renderer **renderer);
void sn_renderer_destroy(sn_renderer **renderer);
/* Another size of the picture; frames that were drawn and not read are lost. Models stay. After a failure only
 * sn_renderer_destroy is allowed. */
sn_result sn_renderer_resize(sn_renderer *renderer, int width, int height);
/* width, height */
void sn_renderer_size(const sn_renderer *renderer, int size[2]);

/* Uploads surface, materials and textures; the model is not used afterwards. */
sn_result sn_render_model_create(sn_renderer *renderer, const sn_model *model, sn_render_model **render_model);
/* Of the same textures as another one, which are not uploaded again: either may be destroyed first. Null: of its own.
 */
sn_result sn_render_model_create_like(sn_renderer *renderer, const sn_model *model, const sn_render_model *like,
                                      sn_render_model **render_model);
/* Its flesh, in place of its skin: a body's transforms are those of sn_body_embedded_output. The embedding is not used
 * afterwards. like: as above, or null. */
sn_result sn_render_model_create_embedded(sn_renderer *renderer, const sn_embedding *embedding,
                                          const sn_render_model *like, sn_render_model **render_model);
/* Whether a part of it blends: then bones tell what comes first. */
bool sn_render_model_blends(const sn_render_model *render_model);
/* Waits until the device has finished with it. */
void sn_render_model_destroy(sn_renderer *renderer, sn_render_model **render_model);

typedef struct sn_render_body {
    const sn_render_model *model;
    /* ((bone_count + mode_count) x 12): bones, then modes, row-major. Bones may mirror: a part is turned round as a
     * whole, where its heaviest bone does. */
    const float *transforms;
    const float *morphs; /* (morph_count) weights; null where the model has no morph targets */
    int mode_count;      /* modes whose transforms are not zero, the first; 0: all */
    /* A body that steps on the device has its matrices there already: transforms are the bones alone, which tell what
     * is turned round and, of models that blend, what comes first. */
    bool is_on_device;
    int matrices;          /* which of the scene's */
    uint32_t first_matrix; /* of these */
} sn_render_body;

#define SN_RENDER_MATRICES_LIMIT 4

/* Where bodies of one kind that step on the device write their matrices. */
typedef struct sn_render_matrices {
    VkBuffer buffer;  /* a storage buffer, ready for the shaders of what is submitted next; null: there is none */
    uint64_t version; /* another number, another buffer */
} sn_render_matrices;

typedef struct sn_render_scene {
    sn_camera camera;
    float light_direction[3]; /* from the light, any length */
    /* Linear; ambient from above and below. In units of what a white diffuse surface reflects: facing a light of
     * radiance 1 it is 1, before tone mapping. */
    float light_radiance[3], sky[3], ground[3];
    float light_size;                      /* of the light, as the tangent of its half angle: how soft shadows are */
    float bounds_center[3], bounds_radius; /* of what casts shadows: shadows are as sharp as this is tight */
    bool has_ground;                       /* the backdrop below, with shadows; it is not seen from below */
    float ground_height;
    float background[3]; /* linear, as displayed, but for a slight glow behind the middle */
    const sn_render_body *bodies;
    int body_count;
    sn_render_matrices matrices[SN_RENDER_MATRICES_LIMIT]; /* of the bodies on the device */
    sn_render_overlay overlay;                             /* zeroed: none */
} sn_render_scene;

/* A studio without bodies: a key light from the upper left in front of +z, a cooler soft fill, a warm grey backdrop,
 * the ground at 0, and a camera that sees a character of 2 metres. */
sn_render_scene sn_default_render_scene(void);

/* Submits a frame. At most two frames may be drawn and not yet read. */
sn_result sn_renderer_draw(sn_renderer *renderer, const sn_render_scene *scene);
/* Waits for the oldest frame not yet read and hands its pixels: (height x width x 4), sRGB, rows from the top, valid
 * until the next draw. */
sn_result sn_renderer_read(sn_renderer *renderer, const uint8_t **pixels);

/* Who takes a picture on the device, in place of a read. */
typedef struct sn_render_output {
    /* Records the commands that take it: the picture (R8G8B8A8_SRGB) is and stays in SN_GPU_TRANSFER_READ. */
    void (*record)(VkCommandBuffer commands, const sn_gpu_image *picture, void *user);
    void *user;
    VkSemaphore wait, signal; /* binary, of the submission; may be null */
} sn_render_output;

/* Submits a frame that is not read; waits for the last but one, so that two are under way at most. Not to be mixed with
 * frames that wait to be read. */
sn_result sn_renderer_draw_to(sn_renderer *renderer, const sn_render_scene *scene, const sn_render_output *output);

/* Milliseconds of the device for the frame that was read, or waited for, last; 0 where it has no timestamps. */
double sn_renderer_frame_ms(const sn_renderer *renderer);

#endif
