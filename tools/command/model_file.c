/* SPDX-License-Identifier: MIT */
#include "tools/command/model_file.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "author/import/motion_file.h"
#include "host/math/affine.h"

sn_result sn_model_file_read(const char *path, sn_arena *arena, sn_model **model)
{
    *model = NULL;
    sn_source source;
    SN_TRY(sn_source_read(path, arena, &source));
    return sn_model_load_named(source.name, source.bytes, source.size, model);
}

sn_result sn_pose_array_read(const char *path, int bone_count, sn_arena *arena, sn_npy *array)
{
    const size_t bone_limit = (size_t)bone_count, *shape = array->shape;
    sn_source source;
    sn_result result = sn_source_read(path, arena, &source);
    result = result ? result : sn_npy_read(&source, arena, array);
    if (result != SN_OK) {
        return result;
    }
    if (array->dimension_count != 4 || shape[0] < 1 || shape[0] > INT32_MAX || shape[1] < 1 || shape[1] > INT32_MAX ||
        shape[2] != 3 || shape[3] != 4) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the shape must be (poses, bones, 3, 4)", path);
    }
    if (bone_count > 0 && shape[1] != bone_limit) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the shape must be (poses, %zu, 3, 4): the model has %zu bones", path,
                       bone_limit, bone_limit);
    }
    for (size_t i = 0; i < array->count; ++i) {
        const double value = array->values[i];
        if (!(fabs(value) <= (double)FLT_MAX)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: pose %zu, bone %zu, row %zu, column %zu: %g %s", path,
                           i / 12 / shape[1], i / 12 % shape[1], i / 4 % 3, i % 4, value,
                           isfinite(value) ? "exceeds the range of a float" : "is not finite");
        }
    }
    return SN_OK;
}

static sn_result read_array(const char *path, const sn_model *model, sn_arena *arena, sn_motion *motion)
{
    const double origin[3] = {model->origin_x, model->origin_y, model->origin_z};
    const size_t bones = (size_t)model->counts.bone_count;
    sn_npy array;
    const sn_result result = sn_pose_array_read(path, model->counts.bone_count, arena, &array);
    if (result != SN_OK) {
        return result;
    }
    for (size_t i = 0; i < array.count / 12; ++i) {
        if (sn_model_is_bone_translation_only(model, (int)(i % bones)) &&
            !sn_affine_is_translation(array.values + 12 * i)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: pose %zu, bone %zu: the cage's vertex '%s' is not only translated",
                           path, i / bones, i % bones, sn_model_bone_name(model, (int)(i % bones)));
        }
        sn_affine_rescale(array.values + 12 * i, origin, model->scale, array.values + 12 * i);
    }
    motion->poses = array.values;
    motion->frame_count = (int)array.shape[0];
    return SN_OK;
}

static sn_result find_expression(const char *name, const char *model_path, sn_motion *motion)
{
    for (int i = 0; i < sn_model_expression_count(motion->model); ++i) {
        if (strcmp(sn_model_expression_name(motion->model, i), name) == 0) {
            motion->has_expression = true;
            motion->expression = i;
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_ARGUMENT, "%s: no expression is called '%s'", model_path, name);
}

sn_result sn_motion_open(const char *text, const char *model_path, const sn_model *model, sn_arena *arena,
                         sn_motion *motion)
{
    *motion = (sn_motion){.model = model, .clip = -1};
    if (!text) {
        return SN_OK;
    }
    if (strncmp(text, "clip:", 5) == 0) {
        motion->clip = sn_model_find_clip(model, text + 5);
        if (motion->clip < 0) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: no clip is called '%s'", model_path, text + 5);
        }
        return SN_OK;
    }
    if (strcmp(text, "hop") == 0) {
        motion->is_hop = true;
        return SN_OK;
    }
    sn_root_motion_type type;
    if (sn_root_motion_find(text, &type)) {
        double *pose = SN_NEW(arena, double, 12 * (size_t)model->counts.bone_count);
        if (!pose) {
            return SN_ERROR_MEMORY;
        }
        motion->is_root_motion = true;
        sn_root_motion_init(model, type, pose, &motion->root);
        return SN_OK;
    }
    if (strncmp(text, "expression:", 11) == 0) {
        return find_expression(text + 11, model_path, motion);
    }
    if (sn_is_motion_file(text)) {
        motion->clip = model->counts.clip_count - 1;
        return SN_OK;
    }
    const char *dot = strrchr(text, '.');
    if (!dot || strcmp(dot, ".npy") != 0) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: no motion: none of .npy" SN_MOTION_FILES(
                           " ") ", nor clip:NAME, expression:NAME, hop, jump, dash, shake or turn",
                       text);
    }
    return read_array(text, model, arena, motion);
}

sn_result sn_array_write(const char *folder, const char *name, sn_npy_type type, int dimension_count,
                         const size_t *shape, const void *values)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.npy", folder, name) >= (int)sizeof path) {
        return sn_fail(SN_ERROR_FILE, "%s: the path is too long", folder);
    }
    return sn_npy_write(path, type, dimension_count, shape, values);
}

sn_result sn_folder_create(const char *path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        return SN_OK;
    }
    return sn_fail(SN_ERROR_FILE, "%s: cannot create this folder: %s", path, strerror(errno));
}
