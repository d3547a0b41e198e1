/* SPDX-License-Identifier: MIT */
/* A validated device with a renderer and bodies to draw; the scene of every kind of material. Include it after
 * cmocka.h. With SN_TEST_PICTURES=folder, pictures are written there as PPM. */
#ifndef SN_TESTS_SUPPORT_RENDER_FIXTURE_H
#define SN_TESTS_SUPPORT_RENDER_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "compute/core/open.h"
#include "runtime/render/renderer.h"
#include "tests/support/render_model.h"

#define BODY_LIMIT 16

typedef struct fixture {
    sn_gpu_device *device;
    sn_renderer *renderer;
    sn_arena arena;
    sn_render_model *models[BODY_LIMIT];
    sn_render_body bodies[BODY_LIMIT];
    int body_count;
    int width, height;
} fixture;

static int log_line_count;
static char log_line[512];

static inline void keep_log(sn_log_level level, const char *message, void *user)
{
    (void)user;
    if (level <= SN_LOG_WARNING) {
        log_line_count += 1;
        snprintf(log_line, sizeof log_line, "%s", message);
        print_message("%s\n", message);
    }
}

static inline fixture open_fixture(int width, int height)
{
    fixture f = {.width = width, .height = height};
    sn_set_log(keep_log, NULL);
    log_line_count = 0;
    assert_int_equal(
        sn_gpu_device_create(&(sn_gpu_device_desc){.name = getenv("SN_TEST_DEVICE"), .is_validated = true}, &f.device),
        SN_OK);
    sn_renderer_desc desc = sn_default_renderer_desc();
    desc.width = width;
    desc.height = height;
    desc.shadow_size = width > 640 ? 2048 : 1024;
    desc.matrix_limit = 4; /* so that it must grow */
    assert_int_equal(sn_renderer_create(f.device, &desc, &f.renderer), SN_OK);
    return f;
}

static inline void remove_bodies(fixture *f)
{
    for (int i = 0; i < f->body_count; ++i) {
        sn_render_model_destroy(f->renderer, &f->models[i]);
    }
    f->body_count = 0;
}

static inline void close_fixture(fixture *f)
{
    remove_bodies(f);
    sn_renderer_destroy(&f->renderer);
    assert_int_equal(f->device->validation_message_count, 0);
    assert_int_equal(log_line_count, 0);
    sn_gpu_device_destroy(&f->device); /* which would tell of what still lives */
    assert_int_equal(log_line_count, 0);
    sn_arena_finish(&f->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static inline void add_model(fixture *f, const sn_model *model, float scale, float turn, float x, float y, float z)
{
    assert_true(f->body_count < BODY_LIMIT);
    const int i = f->body_count++;
    assert_int_equal(sn_render_model_create(f->renderer, model, &f->models[i]), SN_OK);
    f->bodies[i].model = f->models[i];
    f->bodies[i].transforms = sn_test_transforms(&f->arena, model, scale, turn, (const float[]){x, y, z});
}

static inline void add(fixture *f, sn_test_shape shape, sn_material material, float scale, float turn, float x, float y,
                       float z)
{
    add_model(f, sn_test_render_model(&f->arena, shape, 64, 32, 3, 1, material), scale, turn, x, y, z);
}

static inline sn_render_scene make_scene(const fixture *f)
{
    sn_render_scene scene = sn_default_render_scene();
    scene.camera.eye[1] = 2.1F;
    scene.camera.eye[2] = 6.4F;
    scene.camera.target[1] = scene.bounds_center[1] = 0.75F;
    scene.bounds_radius = 2.6F;
    scene.bodies = f->bodies;
    scene.body_count = f->body_count;
    return scene;
}

/* A scene that is looked at along -z, without ground: 1 m is 1/2 of the picture's height at the origin. */
static inline sn_render_scene make_plain_scene(const fixture *f)
{
    sn_render_scene scene = make_scene(f);
    scene.camera.eye[0] = scene.camera.eye[1] = 0;
    scene.camera.eye[2] = 10;
    memset(scene.camera.target, 0, sizeof scene.camera.target);
    scene.camera.vertical_angle = 2 * atanf(0.1F);
    scene.has_ground = false;
    memset(scene.bounds_center, 0, sizeof scene.bounds_center);
    return scene;
}

static inline void write_picture(const char *name, const uint8_t *pixels, int width, int height)
{
    const char *folder = getenv("SN_TEST_PICTURES");
    char path[1024];
    if (!folder || snprintf(path, sizeof path, "%s/%s.ppm", folder, name) >= (int)sizeof path) {
        return;
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P6\n%d %d\n255\n", width, height);
    for (int i = 0; i < width * height; ++i) {
        fwrite(pixels + 4 * i, 1, 3, file);
    }
    fclose(file);
}

static inline const uint8_t *draw(fixture *f, const sn_render_scene *scene, const char *name)
{
    const uint8_t *pixels = NULL;
    assert_int_equal(sn_renderer_draw(f->renderer, scene), SN_OK);
    assert_int_equal(sn_renderer_read(f->renderer, &pixels), SN_OK);
    write_picture(name, pixels, f->width, f->height);
    return pixels;
}

static inline int sRGB_of(float linear)
{
    const double c = linear <= 0.0031308F ? 12.92 * linear : 1.055 * pow((double)linear, 1 / 2.4) - 0.055;
    return (int)(255 * c + 0.5);
}

static inline const uint8_t *pixel_at(const fixture *f, const uint8_t *pixels, double x, double y)
{
    return pixels + 4 * ((int)(y * f->height) * f->width + (int)(x * f->width));
}

static inline sn_material unlit(float r, float g, float b)
{
    sn_material material = sn_test_material(r, g, b);
    material.is_unlit = 1;
    return material;
}

static inline sn_material mask(void)
{
    sn_material material = sn_test_material(0.75F, 0.32F, 0.12F);
    material.alpha_mode = SN_ALPHA_MASK;
    material.is_double_sided = 1;
    material.textures[SN_TEXTURE_BASE_COLOR] = SN_TEST_HOLES;
    return material;
}

static inline sn_material metal(float r, float g, float b, float roughness)
{
    sn_material material = sn_test_material(r, g, b);
    material.metallic = 1;
    material.roughness = roughness;
    return material;
}

/* Every kind of material, in three rows. */
static inline void add_sheet(fixture *f)
{
    sn_material checker = sn_test_material(1, 1, 1), bumps = sn_test_material(0.62F, 0.2F, 0.15F);
    sn_material striped = sn_test_material(0.85F, 0.75F, 0.6F), glow = sn_test_material(0.1F, 0.1F, 0.1F);
    sn_material glass = sn_test_material(0.25F, 0.55F, 0.75F), leaf = sn_test_material(0.25F, 0.5F, 0.12F);
    checker.textures[SN_TEXTURE_BASE_COLOR] = SN_TEST_CHECKER;
    checker.roughness = 0.25F;
    bumps.textures[SN_TEXTURE_NORMAL] = SN_TEST_BUMPS;
    bumps.roughness = 0.35F;
    striped.metallic = striped.roughness = 1;
    striped.textures[SN_TEXTURE_METALLIC_ROUGHNESS] = SN_TEST_ROUGHNESS;
    glow.emissive[0] = 1.6F;
    glow.emissive[1] = 0.75F;
    glow.emissive[2] = 0.2F;
    glow.textures[SN_TEXTURE_EMISSIVE] = SN_TEST_CHECKER;
    glass.alpha_mode = SN_ALPHA_BLEND;
    glass.base_color[3] = 0.45F;
    glass.roughness = 0.08F;
    glass.is_double_sided = 1;
    leaf.is_double_sided = 1;
    leaf.roughness = 0.6F;
    add(f, SN_TEST_SPHERE, checker, 0.4F, 0.3F, -1.9F, 0.4F, 0.9F);
    add(f, SN_TEST_SPHERE, bumps, 0.4F, 0, -0.95F, 0.4F, 1.1F);
    add(f, SN_TEST_SPHERE, mask(), 0.4F, 0, 0, 0.4F, 1.2F);
    add(f, SN_TEST_SPHERE, glass, 0.4F, 0, 0.95F, 0.4F, 1.1F);
    add(f, SN_TEST_SPHERE, unlit(0.85F, 0.3F, 0.35F), 0.4F, 0, 1.9F, 0.4F, 0.9F);
    add(f, SN_TEST_SPHERE, metal(1.0F, 0.77F, 0.34F, 0.12F), 0.4F, 0, -1.45F, 0.4F, -0.1F);
    add(f, SN_TEST_SPHERE, metal(0.95F, 0.93F, 0.9F, 0.05F), 0.4F, 0, -0.5F, 0.4F, 0);
    add(f, SN_TEST_SPHERE, metal(0.93F, 0.55F, 0.42F, 0.4F), 0.4F, 0, 0.5F, 0.4F, 0);
    add(f, SN_TEST_SPHERE, striped, 0.4F, 0, 1.45F, 0.4F, -0.1F);
    add(f, SN_TEST_TORUS, glow, 0.5F, 0, -1.2F, 1.35F, -1.2F);
    add(f, SN_TEST_SPHERE, sn_test_material(0.8F, 0.8F, 0.8F), 0.55F, 0, 0.05F, 1.3F, -1.2F);
    add(f, SN_TEST_SHEET, leaf, 0.5F, 0.5F, 1.3F, 0.75F, -1.3F);
}

#endif
