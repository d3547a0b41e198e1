/* SPDX-License-Identifier: MIT */
#include "tools/fourier/shape_file.h"

#include <math.h>
#include <string.h>

#include "author/bake/playback.h"
#include "author/bake/shapes.h"
#include "author/io/npy.h"

static bool is_array(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".npy") == 0;
}

/* Vertices of all nodes of a scene, concatenated, with their indices in the file, or null if the format has none. */
static int32_t *find_numbers(const sn_scene_file *scene, sn_arena *arena)
{
    int32_t *numbers = SN_NEW(arena, int32_t, sn_shapes_vertex_count(scene));
    bool has_numbers = numbers && scene->file_vertex_count > 0;
    size_t at = 0;
    for (int i = 0; i < scene->node_count && has_numbers; ++i) {
        const sn_scene_mesh *mesh = scene->nodes[i].mesh >= 0 ? &scene->meshes[scene->nodes[i].mesh] : NULL;
        for (int k = 0; mesh && k < mesh->primitive_count && has_numbers; ++k) {
            const sn_scene_primitive *p = &scene->primitives[mesh->first_primitive + k];
            has_numbers = p->file_vertices != NULL;
            for (int v = 0; v < p->vertex_count && has_numbers; ++v) {
                numbers[at++] = p->file_vertices[v];
            }
        }
    }
    return has_numbers ? numbers : NULL;
}

/* Maps positions (count x 3) of the file's vertices to those of the scene. */
static sn_result read_positions(const double *from, int count, const char *path, const sn_scene_file *scene,
                                const char *character, sn_arena *arena, const double **places)
{
    const int vertex_count = sn_shapes_vertex_count(scene);
    const int32_t *numbers = find_numbers(scene, arena);
    const int expected = numbers ? scene->file_vertex_count : vertex_count;
    if (count != expected) {
        return sn_fail(SN_ERROR_FORMAT, "%s: has %d vertices: %s has %d", path, count, character, expected);
    }
    double *to = SN_NEW(arena, double, 3 * (size_t)vertex_count);
    for (size_t i = 0; to && i < 3 * (size_t)vertex_count; ++i) {
        to[i] = from[numbers ? 3 * (size_t)numbers[i / 3] + i % 3 : i];
        if (!isfinite(to[i])) {
            return sn_fail(SN_ERROR_FORMAT, "%s: vertex %zu is in no face, or at no finite place", path,
                           numbers ? (size_t)numbers[i / 3] : i / 3);
        }
    }
    *places = to;
    return to ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_array(const char *path, const sn_scene_file *scene, const char *character, sn_arena *arena,
                            const double **places)
{
    sn_source source;
    sn_npy array;
    sn_result result = sn_source_read(path, arena, &source);
    if (result == SN_OK) {
        result = sn_npy_read(&source, arena, &array);
    }
    if (result == SN_OK && (array.dimension_count != 2 || array.shape[1] != 3 || array.shape[0] > INT32_MAX)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: must be an array of (vertices x 3)", path);
    }
    return result == SN_OK ? read_positions(array.values, (int)array.shape[0], path, scene, character, arena, places)
                           : result;
}

/* Matches vertices by their file indices if both files have them: readers split vertices for faces and drop unused
 * ones, which get no position here. */
static sn_result place_by_number(const sn_scene_file *shape, const int32_t *numbers, const double *posed,
                                 sn_arena *arena, double **places)
{
    const size_t count = 3 * (size_t)shape->file_vertex_count;
    *places = SN_NEW(arena, double, count);
    for (size_t i = 0; *places && i < count; ++i) {
        (*places)[i] = NAN;
    }
    for (size_t i = 0; *places && i < 3 * (size_t)sn_shapes_vertex_count(shape); ++i) {
        (*places)[3 * (size_t)numbers[i / 3] + i % 3] = posed[i];
    }
    return *places ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_shape_file_read_scene(const char *path, sn_arena *arena, sn_scene_file *scene, double **places)
{
    sn_playback playback;
    sn_result result = sn_scene_file_read(path, arena, scene);
    if (result != SN_OK) {
        return result;
    }
    scene->clip_count = 0;
    result = sn_playback_init(scene, 1, arena, &playback);
    if (result != SN_OK) {
        return result;
    }
    *places = SN_NEW(arena, double, 3 * (size_t)playback.vertex_count);
    if (*places) {
        sn_playback_evaluate(&playback, 0, *places);
    }
    return *places ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_surface(const char *path, const sn_scene_file *scene, const char *character, sn_arena *arena,
                              const double **places)
{
    sn_scene_file shape;
    double *posed = NULL;
    sn_result result = sn_shape_file_read_scene(path, arena, &shape, &posed);
    if (result != SN_OK) {
        return result;
    }
    const int32_t *numbers = find_numbers(&shape, arena);
    int count = sn_shapes_vertex_count(&shape);
    if (numbers && (find_numbers(scene, arena) || count != sn_shapes_vertex_count(scene))) {
        count = shape.file_vertex_count;
        result = place_by_number(&shape, numbers, posed, arena, &posed);
    }
    return result == SN_OK ? read_positions(posed, count, path, scene, character, arena, places) : result;
}

sn_result sn_shape_file_read(const char *path, const sn_scene_file *scene, const char *character, sn_arena *arena,
                             const double **places)
{
    return (is_array(path) ? read_array : read_surface)(path, scene, character, arena, places);
}
