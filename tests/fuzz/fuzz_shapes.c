/* SPDX-License-Identifier: MIT */
/* Fuzz target: shapes against a character. A sequence, a null byte, a character (.gltf, or else .obj), a null byte, and
 * how far the shapes that keys and checks name are from it, a byte a coordinate, again and again. What is built is
 * finite, and its keys ascend. */
#include <math.h>

#include "author/bake/shapes.h"
#include "tools/fourier/key_pose.h"
#include "tools/fourier/sequence_json.h"

#include "tests/fuzz/fuzz.h"

/* so that an input takes milliseconds */
#define VERTEX_LIMIT 128
#define TRIANGLE_LIMIT 512
#define KEY_LIMIT 6
#define HARMONIC_LIMIT 5
#define SECOND_LIMIT 8.0
#define NODE_LIMIT 64

typedef struct fuzzed {
    sn_source parts[3]; /* the sequence, the character, the bytes of shapes */
    size_t used;        /* of these */
    sn_sequence_file file;
    sn_scene_file scene;
    sn_arena arena;
} fuzzed;

/* Parts of the input, each with a null byte behind it: the last has the copy's own. */
static void cut(const sn_source *source, sn_source *parts)
{
    const uint8_t *from = source->bytes, *end = from + source->size;
    for (int i = 0; i < 3; ++i) {
        const uint8_t *null = i < 2 ? memchr(from, 0, (size_t)(end - from)) : NULL;
        const uint8_t *to = null ? null : end;
        parts[i] = (sn_source){.name = "fuzz", .bytes = from, .size = (size_t)(to - from)};
        from = null ? to + 1 : to;
    }
}

static sn_result read_character(fuzzed *f)
{
    const sn_source *part = &f->parts[1];
    const bool is_gltf = part->size > 0 && part->bytes[0] == '{';
    return (is_gltf ? sn_gltf_read : sn_obj_read)(part, &f->arena, &f->scene);
}

static bool is_small(const fuzzed *f)
{
    int64_t triangles = 0;
    const sn_sequence_file *s = &f->file;
    for (int i = 0; i < f->scene.primitive_count; ++i) {
        triangles += f->scene.primitives[i].triangle_count;
    }
    return f->scene.node_count <= NODE_LIMIT && sn_shapes_vertex_count(&f->scene) <= VERTEX_LIMIT &&
           triangles <= TRIANGLE_LIMIT && s->key_count <= KEY_LIMIT && s->check_count <= KEY_LIMIT &&
           s->fit.harmonic_count <= HARMONIC_LIMIT && s->keys[s->key_count - 1].seconds <= SECOND_LIMIT &&
           s->frame_rate <= 60 && s->key_error >= 1e-5;
}

static const double *make_shape(fuzzed *f)
{
    double *places = SN_NEW(&f->arena, double, 3 * (size_t)sn_shapes_vertex_count(&f->scene));
    size_t at = 0;
    for (int i = 0; i < f->scene.node_count; ++i) {
        const int mesh = f->scene.nodes[i].mesh;
        for (int k = 0; mesh >= 0 && k < f->scene.meshes[mesh].primitive_count; ++k) {
            const sn_scene_primitive *p = &f->scene.primitives[f->scene.meshes[mesh].first_primitive + k];
            for (size_t c = 0; c < 3 * (size_t)p->vertex_count; ++c) {
                const sn_source *bytes = &f->parts[2];
                const int8_t by = bytes->size > 0 ? (int8_t)bytes->bytes[f->used++ % bytes->size] : 0;
                places[at++] = (double)p->positions[c] + by / 64.0;
            }
        }
    }
    return places;
}

static void check_scene(const sn_scene_file *scene, const sn_shapes_report *report)
{
    SN_ASSERT(isfinite(report->at_keys) && isfinite(report->curve_error) && isfinite(report->gain));
    for (int i = 0; i < scene->mesh_count; ++i) {
        for (int k = 0; k < scene->meshes[i].primitive_count; ++k) {
            const sn_scene_primitive *p = &scene->primitives[scene->meshes[i].first_primitive + k];
            for (int m = 0; m < scene->meshes[i].morph_count; ++m) {
                for (int c = 0; p->morph_positions[m] && c < 3 * p->vertex_count; ++c) {
                    SN_ASSERT(isfinite(p->morph_positions[m][c]));
                }
            }
        }
    }
    for (int i = 0; i < scene->channel_count; ++i) {
        const sn_scene_channel *channel = &scene->channels[i];
        for (int k = 0; k < channel->key_count; ++k) {
            SN_ASSERT(isfinite(channel->times[k]) && (k == 0 || channel->times[k] > channel->times[k - 1]));
        }
        for (int k = 0; k < channel->key_count * channel->width; ++k) {
            SN_ASSERT(isfinite(channel->values[k]));
        }
    }
}

static void build(fuzzed *f)
{
    sn_shape_key keys[KEY_LIMIT] = {0};
    sn_shape_check checks[KEY_LIMIT] = {0};
    sn_shapes_report report;
    sn_scene_file scene;
    for (int i = 0; i < f->file.key_count; ++i) {
        const sn_sequence_key *from = &f->file.keys[i];
        const int clip =
            from->clip && f->scene.clip_count > 0 ? (int)(strlen(from->clip) % (size_t)f->scene.clip_count) : -1;
        keys[i] = (sn_shape_key){.seconds = from->seconds, .clip = clip, .clip_seconds = from->clip_seconds};
        SN_ASSERT(!from->has_pose || sn_key_pose_compute(from, &f->scene, &f->arena, &keys[i].pose) == SN_OK);
        keys[i].shape = from->shape ? make_shape(f) : NULL;
    }
    for (int i = 0; i < f->file.check_count; ++i) {
        checks[i] = (sn_shape_check){f->file.checks[i].seconds, make_shape(f)};
    }
    const sn_shapes_desc desc = {.scene = &f->scene,
                                 .name = "fuzz",
                                 .character = "fuzz",
                                 .key_count = f->file.key_count,
                                 .check_count = f->file.check_count,
                                 .keys = keys,
                                 .checks = checks,
                                 .material = f->file.material,
                                 .fit = f->file.fit,
                                 .starts_at_rest = f->file.starts_at_rest,
                                 .frame_rate = f->file.frame_rate,
                                 .key_error = f->file.key_error,
                                 .clip_name = f->file.clip_name};
    if (sn_shapes_build(&desc, &f->arena, &scene, &report) == SN_OK) {
        check_scene(&scene, &report);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_source source = sn_fuzz_source(data, size);
    fuzzed f = {0};
    if (!source.bytes) {
        return 0;
    }
    cut(&source, f.parts);
    if (sn_sequence_json_read(&f.parts[0], &f.arena, &f.file) == SN_OK && read_character(&f) == SN_OK && is_small(&f) &&
        sn_key_poses_open("fuzz", &f.file, &f.scene) == SN_OK) {
        build(&f);
    }
    sn_arena_finish(&f.arena);
    sn_fuzz_finish(&source);
    return 0;
}
