/* SPDX-License-Identifier: MIT */
/* Writes animations. */
#include "author/io/gltf/gltf_writer.h"

static json_t *sampler_json(sn_gltf_writer *w, const sn_scene_channel *c, json_int_t input)
{
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const int slots = c->key_count * (c->interpolation == SN_KEYS_CUBIC ? 3 : 1);
    const bool is_list = c->path == SN_PATH_WEIGHTS; /* stored as single numbers in the file */
    const json_int_t output = sn_gltf_put_floats(w, c->values, is_list ? slots * c->width : slots,
                                                 is_list ? 1 : c->width, is_list ? 1 : c->width, SN_GLTF_TARGET_NONE);
    return json_pack("{s:I,s:s,s:I}", "input", input, "interpolation", names[c->interpolation], "output", output);
}

static void write_clip(sn_gltf_writer *w, const sn_scene_clip *clip)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    json_t *channels = json_array(), *samplers = json_array();
    const float *times = NULL;
    json_int_t input = 0;
    for (int i = 0; i < clip->channel_count; ++i) {
        const sn_scene_channel *c = &w->scene->channels[clip->first_channel + i];
        if (c->times != times) { /* channels of a clip usually share their times */
            times = c->times;
            input = sn_gltf_put_floats(w, times, c->key_count, 1, 1, SN_GLTF_TARGET_NONE);
            sn_gltf_set_last_bounds(w, times, c->key_count, 1);
        }
        json_array_append_new(samplers, sampler_json(w, c, input));
        json_array_append_new(channels, json_pack("{s:i,s:{s:i,s:s}}", "sampler", i, "target", "node", (int)c->node,
                                                  "path", paths[c->path]));
    }
    json_t *animation = json_object();
    sn_gltf_set_name(animation, clip->name);
    json_object_set_new(animation, "channels", channels);
    json_object_set_new(animation, "samplers", samplers);
    sn_gltf_append(w, "animations", animation);
}

void sn_gltf_write_clips(sn_gltf_writer *w)
{
    for (int i = 0; i < w->scene->clip_count; ++i) {
        if (w->scene->clips[i].channel_count > 0) { /* glTF does not allow empty animations */
            write_clip(w, &w->scene->clips[i]);
        }
    }
}
