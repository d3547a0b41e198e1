/* SPDX-License-Identifier: MIT */
#include "author/cook/assemble.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/cook/surface.h"
#include "host/math/affine.h"

/* Clip JSON has no rate; the data was made at this one. */
#define CLIP_FRAME_RATE 60.0
#define CLIP_NAME_LIMIT 200

float *sn_narrow(sn_arena *arena, const double *values, size_t count)
{
    float *narrowed = SN_NEW(arena, float, count);
    for (size_t i = 0; narrowed && i < count; ++i) {
        narrowed[i] = (float)values[i];
    }
    return narrowed;
}

static bool are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

/* Relative to bind and in model units: P p0^-1, rescaled. */
static sn_result write_clip(const sn_cooking *k, int clip, float *transforms)
{
    const sn_clip_file *file = &k->clips[clip];
    for (size_t i = 0; i < (size_t)file->frame_count * (size_t)file->bone_count; ++i) {
        double unbind[12], relative[12];
        const size_t bone = i % (size_t)file->bone_count;
        if (!sn_affine_invert(k->rig.bind + 12 * bone, unbind)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: p0[%zu]: the rest transform is singular", k->desc->rig_path, bone);
        }
        sn_affine_multiply(file->transforms + 12 * i, unbind, relative);
        sn_affine_rescale(relative, k->origin, k->scale, relative);
        for (int j = 0; j < 12; ++j) {
            transforms[12 * i + (size_t)j] = (float)relative[j];
        }
    }
    return SN_OK;
}

static bool is_name_taken(const char *names, int count, const char *name)
{
    for (int i = 0; i < count; ++i, names += strlen(names) + 1) {
        if (strcmp(names, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Bytes of the character that starts with this one, 0 for none of UTF-8's. */
static int character_bytes(unsigned char first)
{
    return first < 0x80                    ? 1
           : first >= 0xc2 && first < 0xe0 ? 2
           : first >= 0xe0 && first < 0xf0 ? 3
           : first >= 0xf0 && first < 0xf5 ? 4
                                           : 0;
}

/* Reports are UTF-8: what is not (a Latin-1 file name, a character that was cut) becomes underscores. */
static void make_printable(char *name)
{
    for (char *at = name; *at;) {
        const int wanted = character_bytes((unsigned char)*at);
        int found = wanted > 0;
        while (found > 0 && found < wanted && ((unsigned char)at[found] & 0xc0) == 0x80) {
            ++found;
        }
        if (wanted == 0 || found < wanted) {
            *at++ = '_';
        } else {
            at += wanted;
        }
    }
}

/* The file's name without folder and extension, made unique by a number. */
static void name_clip(const char *path, const char *names, int count, char name[CLIP_NAME_LIMIT])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    snprintf(name, CLIP_NAME_LIMIT, "%.*s", length < CLIP_NAME_LIMIT - 12 ? length : CLIP_NAME_LIMIT - 12, base);
    make_printable(name);
    const size_t stem = strlen(name);
    for (int number = 2; is_name_taken(names, count, name); ++number) {
        snprintf(name + stem, CLIP_NAME_LIMIT - stem, ".%d", number);
    }
}

static sn_result add_clips(sn_cooking *k, sn_model *model)
{
    const int count = k->desc->clip_count;
    size_t frames = 0;
    for (int i = 0; i < count; ++i) {
        frames += (size_t)k->clips[i].frame_count;
    }
    int32_t *frame_counts = SN_NEW(&k->arena, int32_t, count);
    double *rates = SN_NEW(&k->arena, double, count);
    float *transforms = SN_NEW(&k->arena, float, frames * 12 * (size_t)k->rig.bone_count);
    char *names = SN_NEW(&k->arena, char, count *CLIP_NAME_LIMIT);
    if (!frame_counts || !rates || !transforms || !names) {
        return SN_ERROR_MEMORY;
    }
    size_t start = 0, name_bytes = 0;
    for (int i = 0; i < count; ++i) {
        const sn_result result = write_clip(k, i, transforms + start * 12 * (size_t)k->rig.bone_count);
        if (result != SN_OK) {
            return result;
        }
        char name[CLIP_NAME_LIMIT];
        name_clip(k->desc->clip_paths[i], names, i, name);
        memcpy(names + name_bytes, name, strlen(name) + 1);
        name_bytes += strlen(name) + 1;
        frame_counts[i] = k->clips[i].frame_count;
        rates[i] = CLIP_FRAME_RATE;
        start += (size_t)k->clips[i].frame_count;
    }
    model->counts.clip_count = count;
    model->counts.clip_frame_total = (int32_t)frames;
    model->counts.clip_name_bytes = (int32_t)name_bytes;
    model->clip_frame_counts = frame_counts;
    model->clip_frame_rates = rates;
    model->clip_transforms = transforms;
    model->clip_names = names;
    return SN_OK;
}

static sn_result add_bind(sn_cooking *k, sn_model *model)
{
    float *bind = SN_NEW(&k->arena, float, 12 * (size_t)k->rig.bone_count);
    for (size_t i = 0; bind && i < 12 * (size_t)k->rig.bone_count; ++i) {
        const int column = (int)(i % 4), row = (int)(i / 4 % 3);
        const double value = k->rig.bind[i];
        bind[i] = (float)(column == 3 ? (value - k->origin[row]) * k->scale : value * k->scale);
    }
    model->bone_bind = bind;
    return bind ? SN_OK : SN_ERROR_MEMORY;
}

static void add_reduced(const sn_reduced_matrices *reduced, sn_model *model)
{
    model->counts.coordinate_count = reduced->coordinate_count;
    model->coordinate_stiffness = reduced->coordinate_stiffness;
    model->coordinate_reach = reduced->coordinate_reach;
    model->coordinate_mass = reduced->coordinate_mass;
    model->cluster_coordinate = reduced->cluster_coordinate;
    model->cluster_bone = reduced->cluster_bone;
    model->mass_cross = reduced->mass_cross;
    model->stiffness_cross = reduced->stiffness_cross;
    model->mass_bone = reduced->mass_bone;
    model->stiffness_bone = reduced->stiffness_bone;
    model->total_stiffness = reduced->total_stiffness;
}

/* Mode weights with a largest value of 1 (their derivatives are stored as halves), and the map to their transforms. */
static sn_result add_modes(sn_cooking *k, double **weights, sn_model *model)
{
    const size_t n = (size_t)k->mesh.vertex_count, modes = (size_t)k->modes.mode_count;
    const size_t coordinates = (size_t)k->reduced.coordinate_count;
    double *map = SN_NEW(&k->arena, double, 4 * modes * coordinates);
    *weights = SN_NEW(&k->arena, double, n *modes);
    if (!map || !*weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < modes; ++j) {
        double largest = 0;
        for (size_t v = 0; v < n; ++v) {
            largest = fmax(largest, fabs(k->modes.weights[v * modes + j]));
        }
        for (size_t v = 0; v < n; ++v) {
            (*weights)[v * modes + j] = k->modes.weights[v * modes + j] / largest;
        }
        for (size_t i = 4 * j * coordinates; i < 4 * (j + 1) * coordinates; ++i) {
            map[i] = k->reduced.mode_from_coordinate[i] * largest;
        }
    }
    model->mode_from_coordinate = map;
    model->mode_weights = sn_narrow(&k->arena, *weights, n * modes);
    return model->mode_weights ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result add_mesh(sn_cooking *k, sn_model *model)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    model->rest_positions = sn_narrow(&k->arena, k->mesh.positions, 3 * n);
    model->rig_weights = sn_narrow(&k->arena, k->rig_weights, n * (size_t)k->rig.bone_count);
    model->tets = k->mesh.tets;
    model->tet_clusters = k->clusters;
    model->triangles = k->boundary;
    model->bone_parents = k->rig.parents;
    model->mode_eigenvalues = k->modes.eigenvalues;
    if (!model->rest_positions || !model->rig_weights) {
        return SN_ERROR_MEMORY;
    }
    if (!are_finite(model->rest_positions, 3 * n) ||
        !are_finite(model->mode_weights, n * (size_t)k->modes.mode_count)) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: positions or modes are beyond the range of float: cook with --units unit",
                       k->path);
    }
    return SN_OK;
}

sn_result sn_cooking_assemble(sn_cooking *k)
{
    sn_model model = {.counts = {.vertex_count = k->mesh.vertex_count,
                                 .tet_count = k->mesh.tet_count,
                                 .triangle_count = k->boundary_count,
                                 .bone_count = k->rig.bone_count,
                                 .mode_count = k->modes.mode_count,
                                 .cluster_count = k->report.cluster_count},
                      .scale = k->scale,
                      .origin_x = k->origin[0],
                      .origin_y = k->origin[1],
                      .origin_z = k->origin[2],
                      .diagonal = k->diagonal,
                      .height = k->height,
                      .young = k->desc->young,
                      .density = k->desc->density};
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        model.total_mass += k->desc->density * k->mass[v];
    }
    add_reduced(&k->reduced, &model);
    double *mode_weights = NULL;
    sn_result result = add_modes(k, &mode_weights, &model);
    if (result == SN_OK) {
        result = add_mesh(k, &model);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_surface(k, mode_weights, &model);
    }
    if (result == SN_OK) {
        result = add_bind(k, &model);
    }
    if (result == SN_OK) {
        result = add_clips(k, &model);
    }
    return result == SN_OK ? sn_model_write(&model, &k->arena, &k->bytes, &k->size) : result;
}
