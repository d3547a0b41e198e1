/* SPDX-License-Identifier: MIT */
#include "research/figures/film.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "author/characters/characters.h"
#include "author/io/gltf/gltf_write.h"
#include "author/io/source.h"
#include "compute/core/open.h"
#include "host/model/model.h"
#include "host/skin/skin.h"
#include "runtime/view/scene_view.h"
#include "tools/command/median.h"

typedef struct shooting {
    const sn_film *film;
    sn_arena *arena;
    sn_scene *scene;
    sn_gpu_device *device;
    sn_renderer *renderer;
    sn_scene_view *view;
} shooting;

static sn_result open_renderer(shooting *s)
{
    const sn_gpu_device_desc device = {.name = NULL};
    sn_renderer_desc desc = sn_default_renderer_desc();
    SN_TRY(sn_gpu_device_create(&device, &s->device));
    SN_TRY(sn_scene_view_create(s->scene, s->film->name, &s->view));
    desc.width = s->film->width;
    desc.height = s->film->height;
    desc.matrix_limit = sn_scene_view_matrix_count(s->view);
    SN_TRY(sn_renderer_create(s->device, &desc, &s->renderer));
    return sn_scene_view_upload(s->view, s->renderer);
}

static sn_result shoot(shooting *s, sn_picture *picture)
{
    const sn_orbit orbit = sn_scene_view_orbit(s->view);
    const size_t size = 4 * (size_t)s->film->width * (size_t)s->film->height;
    const uint8_t *pixels = NULL;
    sn_render_scene scene;
    sn_scene_view_fill(s->view, &orbit, 1, &scene);
    *picture = (sn_picture){.width = s->film->width, .height = s->film->height};
    picture->pixels = SN_NEW(s->arena, uint8_t, size);
    SN_TRY(picture->pixels ? sn_renderer_draw(s->renderer, &scene) : SN_ERROR_MEMORY);
    SN_TRY(sn_renderer_read(s->renderer, &pixels));
    memcpy(picture->pixels, pixels, size);
    return SN_OK;
}

static sn_result run(shooting *s, sn_picture *pictures, sn_film_report *report)
{
    const sn_film *film = s->film;
    const double step = sn_scene_time_step(s->scene);
    const double end = film->shot_count > 0 ? film->seconds[film->shot_count - 1] : film->script->seconds;
    double *times = SN_NEW(s->arena, double, (size_t)(end / step) + 2);
    sn_result result = times ? SN_OK : SN_ERROR_MEMORY;
    int shot = 0;
    while (result == SN_OK && sn_scene_time(s->scene) < end - 1e-9) {
        if (film->before_step) {
            film->before_step(s->scene, film->user);
        }
        const sn_scene_report moved = sn_scene_advance(s->scene, step);
        times[report->step_count++] = 1e3 * moved.world.solver_seconds;
        report->recovery_count += moved.world.recovery_count;
        if (film->after_step) {
            film->after_step(s->scene, film->user);
        }
        while (result == SN_OK && shot < film->shot_count && sn_scene_time(s->scene) > film->seconds[shot] - 1e-9) {
            result = shoot(s, &pictures[shot++]);
        }
    }
    report->step_ms = result == SN_OK ? sn_median(times, report->step_count) : 0;
    return result;
}

sn_result sn_film_shoot(const sn_film *film, sn_arena *arena, sn_picture *pictures, sn_film_report *report)
{
    shooting s = {.film = film, .arena = arena};
    sn_world_desc world = sn_default_world_desc();
    sn_scene_error error = {""};
    world.worker_count = 1;
    *report = (sn_film_report){.step_ms = 0};
    sn_result result = sn_scene_create(film->script, &world, &s.scene, &error);
    if (result != SN_OK && error.text[0]) {
        sn_fail(result, "%s: %s", film->name, error.text);
    }
    if (result == SN_OK && film->shot_count > 0) {
        result = open_renderer(&s);
    }
    if (result == SN_OK) {
        result = run(&s, pictures, report);
    }
    sn_scene_view_destroy(&s.view);
    sn_renderer_destroy(&s.renderer);
    sn_gpu_device_destroy(&s.device);
    sn_scene_destroy(&s.scene);
    return result;
}

static sn_result write_mascot(const char *path)
{
    sn_arena arena = {0};
    sn_scene_file scene;
    sn_result result = sn_mascot_build(&arena, &scene);
    if (result == SN_OK) {
        result = sn_gltf_write(path, &scene);
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_film_cook(const sn_figures *figures, const char *source, const sn_cook_desc *wanted, char *path)
{
    char input[SN_FIGURE_PATH];
    sn_cook_desc desc = *wanted;
    sn_blob blob = {0};
    path[0] = 0;
    snprintf(input, sizeof input, "%s/%s", source ? figures->data : figures->folder,
             source ? source : "mascot.part.glb");
    if (source && (figures->is_quick || access(input, R_OK) != 0)) {
        return SN_OK;
    }
    desc.units = SN_UNITS_KEEP;
    if (figures->is_quick) {
        desc.tet_vertex_count = 600;
    }
    sn_result result = source ? SN_OK : write_mascot(input);
    if (result == SN_OK) {
        result = sn_cook(input, &desc, &blob, NULL);
    }
    if (!source) {
        remove(input);
    }
    if (result == SN_OK) {
        snprintf(path, SN_FIGURE_PATH, "%s/figure.part.sinew", figures->folder);
        result = sn_file_write(path, blob.bytes, blob.size);
    }
    sn_blob_release(&blob);
    return result;
}

sn_result sn_film_model(const sn_figures *figures, const char *source, int mode_count, char *path)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = figures->is_quick ? 4 : mode_count;
    return sn_film_cook(figures, source, &desc, path);
}

void sn_film_positions(sn_body_id body, double *whole, double *rig, sn_arena *scratch)
{
    const sn_model *model = sn_body_model(body);
    const sn_body_matrices output = sn_body_output(body);
    const int n = model->counts.vertex_count, count = output.bone_count + model->counts.mode_count;
    double *transforms = SN_NEW(scratch, double, 12 * count);
    if (!transforms) {
        return; /* the arena has said so */
    }
    for (int i = 0; i < 12 * count; ++i) {
        transforms[i] = (double)output.matrices[i / 12].m[i % 12 / 4][i % 4];
    }
    double *const results[2] = {whole, rig};
    for (int k = 0; k < 2; ++k) {
        if (results[k]) {
            memset(results[k], 0, 3 * (size_t)n * sizeof(double));
            sn_skin_add(model->rig_weights, output.bone_count, transforms, model->rest_positions, n, results[k]);
        }
    }
    if (whole) {
        sn_skin_add(model->mode_weights, model->counts.mode_count, transforms + 12 * output.bone_count,
                    model->rest_positions, n, whole);
    }
}
