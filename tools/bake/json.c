/* SPDX-License-Identifier: MIT */
#include "tools/bake/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "host/math/affine.h"

/* 2 x 3 for planar models, else 3 x 4; row-major. */
static json_t *transform_json(const double *m, bool is_flat)
{
    json_t *row = json_array();
    for (int i = 0; i < 12; ++i) {
        if (!is_flat || (i < 8 && i % 4 != 2)) {
            json_array_append_new(row, json_real(m[i]));
        }
    }
    return row;
}

static json_t *handle_json(const sn_recording *recording, int bone)
{
    const sn_bake_motion *motion = &recording->motion;
    const sn_model *model = motion->model;
    const double origin[3] = {-model->origin_x * model->scale, -model->origin_y * model->scale,
                              -model->origin_z * model->scale};
    double pivot[3];
    const bool is_flat = sn_model_is_flat(model);
    json_t *frames = json_array(), *place = json_array();
    sn_model_bone_pivot(model, bone, pivot);
    for (int d = 0; d < (is_flat ? 2 : 3); ++d) {
        const double file_origin[3] = {model->origin_x, model->origin_y, model->origin_z};
        json_array_append_new(place, json_real(pivot[d] / model->scale + file_origin[d]));
    }
    for (int f = 0; f < motion->frame_count; ++f) {
        double m[12];
        const size_t at = (size_t)f * (size_t)model->counts.bone_count + (size_t)bone;
        sn_affine_rescale(motion->poses + 12 * at, origin, 1 / model->scale, m);
        json_array_append_new(frames, transform_json(m, is_flat));
    }
    return json_pack("{s:s,s:i,s:o,s:o}", "name", sn_model_bone_name(model, bone), "parent",
                     (int)model->bone_parents[bone], "place", place, "transforms", frames);
}

static json_t *morphs_json(const sn_recording *recording)
{
    const sn_bake_motion *motion = &recording->motion;
    const int count = motion->model->counts.morph_count;
    json_t *morphs = json_array();
    for (int k = 0; k < count; ++k) {
        json_t *weights = json_array();
        for (int f = 0; f < motion->frame_count; ++f) {
            json_array_append_new(weights, json_real((double)motion->morphs[(size_t)f * (size_t)count + (size_t)k]));
        }
        json_array_append_new(
            morphs, json_pack("{s:s,s:o}", "name", sn_model_morph_name(motion->model, k), "weights", weights));
    }
    return morphs;
}

sn_result sn_bake_json_write(const char *path, const char *model_path, const sn_recording *recording)
{
    const sn_bake_motion *motion = &recording->motion;
    json_t *handles = json_array();
    for (int bone = 0; bone < motion->model->counts.bone_count; ++bone) {
        json_array_append_new(handles, handle_json(recording, bone));
    }
    json_t *root = json_pack("{s:s,s:i,s:s,s:s,s:i,s:f,s:i,s:o,s:o}", "format", "sinew motion", "version", 1, "model",
                             model_path, "clip", recording->clip_name ? recording->clip_name : "", "dimensions",
                             sn_model_is_flat(motion->model) ? 2 : 3, "fps", motion->frame_rate, "frames",
                             motion->frame_count, "handles", handles, "morphs", morphs_json(recording));
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    const sn_result result =
        text ? sn_file_write(path, text, strlen(text)) : sn_fail(SN_ERROR_MEMORY, "%s: cannot create its JSON", path);
    free(text);
    json_decref(root);
    return result;
}
