/* SPDX-License-Identifier: MIT */
/* A forward renderer for characters: deformation in the vertex shader, one directional light with a soft shadow,
 * hemisphere ambient light, metallic-roughness or unlit materials, a ground, 4 samples per pixel, sRGB output.
 *
 * A renderer draws into its own images. Pictures are read back with a delay, so that drawing a frame overlaps with the
 * use of the previous one. Not thread-safe. */
#ifndef SN_RUNTIME_RENDER_RENDERER_H
#define SN_RUNTIME_RENDER_RENDERER_H

#include "compute/core/memory.h"
#include "host/model/embedding.h"
#include "runtime/render/camera.h"
#include "runtime/render/overlay.h"

typedef struct sn_renderer sn_renderer;
typedef struct sn_render_model sn_render_model;

typedef struct sn_renderer_desc {
    int width, height; /* pixels, 1 to 16384 within the device's limits */
    int shadow_size;   /* texels per side */
    int matrix_limit;  /* initial capacity in matrices per frame (bones and modes of all bodies); grows on demand */
} sn_renderer_desc;

/* 1280 x 720 pixels, shadow_size 2048. */
sn_renderer_desc sn_default_renderer_desc(void);

/* The device must outlive the renderer, and the renderer its models. */
sn_result sn_renderer_create(sn_gpu_device *device, const sn_renderer_desc *desc, sn_renderer **renderer);
void sn_renderer_destroy(sn_renderer **renderer);
/* Changes the picture size. Drawn frames that were not read are lost; models stay valid. After a failure only
 * sn_renderer_destroy may be called. */
sn_result sn_renderer_resize(sn_renderer *renderer, int width, int height);
/* Writes width and height. */
void sn_renderer_size(const sn_renderer *renderer, int size[2]);

/* Uploads surface, materials and textures; `model` is not needed afterwards. */
sn_result sn_render_model_create(sn_renderer *renderer, const sn_model *model, sn_render_model **render_model);
/* Shares the textures of `texture_source` (or null), which must be the same; the models may be destroyed in any order.
 */
sn_result sn_render_model_create_shared(sn_renderer *renderer, const sn_model *model,
                                        const sn_render_model *texture_source, sn_render_model **render_model);
/* Draws the flesh instead of the skin: a body's transforms are those of sn_body_embedded_output. The embedding is not
 * needed afterwards. `texture_source`: as above. */
sn_result sn_render_model_create_embedded(sn_renderer *renderer, const sn_embedding *embedding,
                                          const sn_render_model *texture_source, sn_render_model **render_model);
/* True if a part has a blended material; bones are then needed to sort the parts. */
bool sn_render_model_blends(const sn_render_model *render_model);
/* Waits until the device has finished using it. */
void sn_render_model_destroy(sn_renderer *renderer, sn_render_model **render_model);

typedef struct sn_render_body {
    const sn_render_model *model;
    /* ((bone_count + mode_count) x 12) row-major; bones, then modes. Bones may mirror: a part is treated as mirrored if
     * its heaviest bone mirrors. */
    const float *transforms;
    const float *morphs; /* (morph_count) weights; null if the model has no morph targets */
    int mode_count;      /* leading modes with nonzero transforms; 0: all */
    /* The body's matrices are on the device. `transforms` then holds the bones only, for mirroring and for sorting
     * blended parts. */
    bool is_on_device;
    int matrices;          /* index in sn_render_scene.matrices */
    uint32_t first_matrix; /* of that buffer */
} sn_render_body;

#define SN_RENDER_MATRICES_LIMIT 4

/* Device buffer to which bodies of one solver write their matrices. */
typedef struct sn_render_matrices {
    VkBuffer buffer;  /* storage buffer, ready for shader reads by the next submission; null: unused */
    uint64_t version; /* changes whenever the buffer is replaced */
} sn_render_matrices;

typedef enum sn_backdrop {
    SN_BACKDROP_STUDIO, /* the background with a glow, and the ground, if there is one */
    SN_BACKDROP_PLAIN,  /* one colour, no ground */
    SN_BACKDROP_NONE    /* alpha 0 where no body is, premultiplied; no ground */
} sn_backdrop;

typedef struct sn_render_scene {
    sn_camera camera;
    const sn_eye *eye; /* at the camera's position; null: use the camera's target and angle */
    /* Reuse the shadow maps of the previously drawn scene, which must have the same bodies, light, bounds and ground.
     */
    bool reuses_shadows;
    float light_direction[3]; /* from the light, any length */
    /* Linear; ambient light from above and below. A white diffuse surface facing a light of radiance 1 has value 1
     * before tone mapping. */
    float light_radiance[3], sky[3], ground[3];
    float light_size;                      /* tangent of the light's half angle; sets the softness of shadows */
    float bounds_center[3], bounds_radius; /* bounds of shadow casters; tighter bounds give sharper shadows */
    bool has_ground;                       /* draw the ground with shadows; invisible from below */
    float ground_height;
    float seconds; /* time, for moving textures */
    sn_backdrop backdrop;
    float background[3]; /* linear, as displayed, apart from a slight glow at the center */
    const sn_render_body *bodies;
    int body_count;
    sn_render_matrices matrices[SN_RENDER_MATRICES_LIMIT]; /* of the bodies on the device */
    sn_render_overlay overlay;                             /* zeroed: none */
} sn_render_scene;

/* A studio without bodies: a key light from the upper left in front (+z), a cooler fill light, a warm grey backdrop,
 * the ground at 0, and a camera for a character 2 m tall. */
sn_render_scene sn_default_render_scene(void);

/* Removes the ground unless the backdrop is the studio. color: linear, as displayed, of SN_BACKDROP_PLAIN; else not
 * read. */
void sn_render_set_backdrop(sn_render_scene *scene, sn_backdrop backdrop, const float color[3]);

/* Submits a frame. At most two frames may be pending. */
sn_result sn_renderer_draw(sn_renderer *renderer, const sn_render_scene *scene);
/* Waits for the oldest pending frame and returns its pixels: (height x width x 4), sRGB, top row first, valid until the
 * next draw. */
sn_result sn_renderer_read(sn_renderer *renderer, const uint8_t **pixels);

/* Consumer of a picture on the device, instead of a readback. */
typedef struct sn_render_output {
    /* Records the commands that copy the picture (R8G8B8A8_SRGB), which is and stays in SN_GPU_TRANSFER_READ. */
    void (*record)(VkCommandBuffer commands, const sn_gpu_image *picture, void *user);
    void *user;
    VkSemaphore wait, signal; /* binary semaphores of the submission; may be null */
} sn_render_output;

/* Submits a frame for an output; waits for the frame before the last, so that at most two are pending. Must not be
 * mixed with pending frames of sn_renderer_draw. */
sn_result sn_renderer_draw_to(sn_renderer *renderer, const sn_render_scene *scene, const sn_render_output *output);

/* GPU time in ms of the frame that was last read or waited for; 0 if the device has no timestamps. */
double sn_renderer_frame_ms(const sn_renderer *renderer);

#endif
