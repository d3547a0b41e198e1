/* SPDX-License-Identifier: MIT */
#include "research/figures/skin.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

const char *const sn_known_limb_names[SN_KNOWN_COUNT] = {"elbow", "knee", "wrist", "cheek"};

static const arm_shape shapes[SN_KNOWN_COUNT] = {{.bend = 100 * ARM_PI / 180, .blend = 0.4},
                                                 {.bend = 120 * ARM_PI / 180, .blend = 0.45, .swelling = 0.15},
                                                 {.twist = 120 * ARM_PI / 180, .blend = 0.6},
                                                 {.blend = 0.4, .swelling = 0.5}};

void sn_known_limb_make(sn_known_limb limb, bending_arm *arm)
{
    make_arm(&shapes[limb], arm);
}

void sn_known_limb_place(sn_known_limb limb, const bending_arm *arm, double time, double *places)
{
    place_arm(arm, time, limb == SN_KNOWN_CHEEK ? time * time * (3 - 2 * time) : time, places);
}

static const double *place(const sn_known_limb_desc *d, const bending_arm *arm, double time, sn_arena *arena)
{
    double *places = SN_NEW(arena, double, 3 * ARM_VERTICES);
    if (places) {
        sn_known_limb_place(d->limb, arm, time, places);
    }
    return places;
}

static void take_worst(sn_known_limb_run *run)
{
    for (int i = 0; i < run->shapes.check_count; ++i) {
        const sn_shape_errors *at = &run->report.checks[i];
        run->worst.fourier = fmax(run->worst.fourier, at->fourier);
        run->worst.linear = fmax(run->worst.linear, at->linear);
        run->worst.rig = fmax(run->worst.rig, at->rig);
        run->worst.dual = fmax(run->worst.dual, at->dual);
    }
}

sn_result sn_known_limb_run_make(const sn_known_limb_desc *d, const bending_arm *arm, sn_arena *arena,
                                 sn_known_limb_run *run)
{
    sn_shape_key *keys = SN_NEW(arena, sn_shape_key, SN_KNOWN_SEGMENTS + 1);
    sn_shape_check *checks = SN_NEW(arena, sn_shape_check, SN_KNOWN_CHECKS);
    bool is_made = keys && checks;
    *run = (sn_known_limb_run){.shapes = {.scene = &arm->scene,
                                          .name = sn_known_limb_names[d->limb],
                                          .character = sn_known_limb_names[d->limb],
                                          .key_count = d->segment_count + 1,
                                          .check_count = 3 * d->segment_count,
                                          .keys = keys,
                                          .checks = checks,
                                          .material = d->material,
                                          .fit = sn_default_fourier_fit_desc(),
                                          .starts_at_rest = d->starts_at_rest,
                                          .frame_rate = 30 / d->seconds,
                                          .key_error = 1e-3,
                                          .clip_name = "shapes"}};
    for (int i = 0; i <= 4 * d->segment_count && is_made; ++i) {
        const double time = i / (4.0 * d->segment_count), *shape = place(d, arm, time, arena);
        if (i % 4 == 0) {
            keys[i / 4] = (sn_shape_key){.seconds = time * d->seconds, .clip = 0, .clip_seconds = time, .shape = shape};
        } else {
            checks[i / 4 * 3 + i % 4 - 1] = (sn_shape_check){time * d->seconds, shape};
        }
        is_made = shape != NULL;
    }
    const sn_result result =
        is_made ? sn_shapes_build(&run->shapes, arena, &run->scene, &run->report) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        take_worst(run);
    }
    return result;
}

static sn_result take_surface(const sn_scene_file *scene, sn_arena *arena, sn_tri_mesh *mesh)
{
    const sn_scene_primitive *p = scene->primitives;
    const int count = p->file_vertices ? scene->file_vertex_count : p->vertex_count;
    double *positions = SN_NEW(arena, double, 3 * (size_t)count);
    int32_t *triangles = SN_NEW(arena, int32_t, 3 * (size_t)p->triangle_count);
    if (!positions || !triangles) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * (size_t)p->vertex_count; ++i) {
        const size_t vertex = p->file_vertices ? (size_t)p->file_vertices[i / 3] : i / 3;
        positions[3 * vertex + i % 3] = (double)p->positions[i];
    }
    for (size_t i = 0; i < 3 * (size_t)p->triangle_count; ++i) {
        triangles[i] = p->file_vertices ? p->file_vertices[p->triangles[i]] : p->triangles[i];
    }
    *mesh = (sn_tri_mesh){count, p->triangle_count, positions, triangles};
    return SN_OK;
}

sn_result sn_figure_surface(const sn_figures *figures, const char *path, sn_arena *arena, sn_tri_mesh *mesh)
{
    char file[SN_FIGURE_PATH];
    sn_scene_file scene;
    *mesh = (sn_tri_mesh){.vertex_count = 0};
    snprintf(file, sizeof file, "%s/%s", figures->data, path);
    if (figures->is_quick || access(file, R_OK) != 0) {
        return SN_OK;
    }
    SN_TRY(sn_scene_file_read(file, arena, &scene));
    return take_surface(&scene, arena, mesh);
}

sn_result sn_figure_skins(const sn_figures *figures, sn_arena *arena, sn_figure_skin *skins, int *count)
{
    static const struct {
        const char *name, *path;
        double yaw, pitch;
    } files[] = {{"horse", "blendsim/horse_gallop/rest.obj", 0.6, 0.15},
                 {"cat", "blendsim/cat_poses/rest.obj", 0.6, 0.15},
                 {"cheburashka", "blendsim/cheburashka/rest.obj", 0.4, 0.1}};
    bending_arm *arm = SN_NEW(arena, bending_arm, 1);
    double *positions = SN_NEW(arena, double, 3 * ARM_VERTICES);
    if (!arm || !positions) {
        return SN_ERROR_MEMORY;
    }
    sn_known_limb_make(SN_KNOWN_ELBOW, arm);
    sn_known_limb_place(SN_KNOWN_ELBOW, arm, 0.25, positions);
    skins[0] = (sn_figure_skin){"arm", {ARM_VERTICES, ARM_TRIANGLES, positions, arm->triangles}, 0.2, 0.3};
    *count = 1;
    sn_result result = SN_OK;
    for (int i = 0; i < (int)(sizeof files / sizeof files[0]) && result == SN_OK; ++i) {
        sn_figure_skin *to = &skins[*count];
        *to = (sn_figure_skin){.name = files[i].name, .yaw = files[i].yaw, .pitch = files[i].pitch};
        result = sn_figure_surface(figures, files[i].path, arena, &to->mesh);
        *count += to->mesh.vertex_count > 0;
    }
    return result;
}

void sn_skin_box(const double *positions, int vertex_count, double *box)
{
    for (int d = 0; d < 3; ++d) {
        box[d] = INFINITY;
        box[3 + d] = -INFINITY;
    }
    for (int i = 0; i < 3 * vertex_count; ++i) {
        box[i % 3] = fmin(box[i % 3], positions[i]);
        box[3 + i % 3] = fmax(box[3 + i % 3], positions[i]);
    }
}

/* How far the box reaches from its middle, as it is seen, over the picture's shape. */
static double radius_of(const sn_skin_picture *d, const double *box)
{
    const double c = cos(d->yaw), s = sin(d->yaw), p = cos(d->pitch), q = sin(d->pitch);
    const double half[3] = {(box[3] - box[0]) / 2, (box[4] - box[1]) / 2, (box[5] - box[2]) / 2};
    const double wide = fabs(c) * half[0] + fabs(s) * half[2];
    const double high = fabs(s * q) * half[0] + fabs(p) * half[1] + fabs(c * q) * half[2];
    return 1.04 * fmax(high, wide * d->height / d->width);
}

sn_result sn_skin_draw(const sn_skin_picture *d, sn_arena *arena, sn_picture *picture)
{
    const size_t n = 3 * (size_t)d->mesh->vertex_count;
    sn_arena scratch = {0};
    double box[6], *places = SN_NEW(&scratch, double, n);
    if (!places) {
        return SN_ERROR_MEMORY;
    }
    sn_skin_box(d->mesh->positions, d->mesh->vertex_count, box);
    if (d->box) {
        memcpy(box, d->box, sizeof box);
    }
    for (size_t i = 0; i < n; ++i) {
        places[i] = d->mesh->positions[i] - (box[i % 3] + box[3 + i % 3]) / 2;
    }
    for (size_t i = 0; i < 6 * (size_t)d->line_count; ++i) {
        d->lines[i] -= (box[i % 3] + box[3 + i % 3]) / 2;
    }
    const sn_raster_desc desc = {.positions = places,
                                 .triangles = d->mesh->triangles,
                                 .vertex_count = d->mesh->vertex_count,
                                 .triangle_count = d->mesh->triangle_count,
                                 .values = d->values,
                                 .groups = d->groups,
                                 .lines = d->lines,
                                 .line_count = d->line_count,
                                 .yaw = d->yaw,
                                 .pitch = d->pitch,
                                 .radius = radius_of(d, box),
                                 .width = d->width,
                                 .height = d->height};
    const sn_result result = sn_raster_draw(&desc, arena, picture);
    sn_arena_finish(&scratch);
    return result;
}
