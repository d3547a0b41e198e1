/* SPDX-License-Identifier: MIT */
#include "tools/fourier/sequence_json.h"

#include <math.h>
#include <string.h>

#include "author/io/json_load.h"
#include "tools/scene_json/number.h"

#define KEY_LIMIT (SN_FOURIER_SEGMENT_LIMIT + 1)
#define CHECK_LIMIT 4096
#define JOINT_LIMIT 4096

static void read_material(const sn_json *root, sn_fourier_material *material, bool *has_stretch)
{
    static const char *const members[] = {"density", "damping", "stretch", "bending", "stiffness", "time", NULL};
    static const char *const types[] = {"membrane", "plate", "paper", NULL};
    static const char *const times[] = {"second", "segment", NULL};
    const sn_json at = sn_json_get(root, "material");
    int kind = (int)material->stiffness, time = (int)material->time;
    if (!at.value) {
        return;
    }
    sn_json_check_keys(&at, members);
    *has_stretch = sn_json_get(&at, "stretch").value != NULL;
    sn_scene_read_real(&at, "density", 0, 1e12, &material->density);
    sn_scene_read_real(&at, "damping", 0, 1e12, &material->damping);
    sn_scene_read_real(&at, "stretch", -1e12, 1e12, &material->stretch);
    sn_scene_read_real(&at, "bending", 0, 1e12, &material->bending);
    sn_scene_read_choice(&at, "stiffness", types, &kind);
    sn_scene_read_choice(&at, "time", times, &time);
    material->stiffness = (sn_fourier_stiffness)kind;
    material->time = (sn_fourier_time)time;
}

static void read_fit(const sn_json *root, sn_fourier_fit_desc *fit)
{
    fit->harmonic_count = (int)sn_json_integer(root, "harmonics", fit->harmonic_count, 0, SN_FOURIER_HARMONIC_LIMIT);
    fit->part_count = (int)sn_json_integer(root, "parts", fit->part_count, 0, 1000);
    sn_scene_read_real(root, "spacing", 0.25, 1000, &fit->curve_spacing);
    sn_scene_read_real(root, "snap", 0, 0.49, &fit->snap);
}

static void read_joint(sn_scene_reader *r, const sn_json *pose, const char *name, sn_sequence_joint *joint)
{
    static const char *const members[] = {"translation", "rotation", "scale", NULL};
    const sn_json at = sn_json_get(pose, name);
    *joint = (sn_sequence_joint){.node = name};
    sn_json_check_keys(&at, members);
    joint->has_translation = sn_json_numbers(&at, "translation", 3, joint->translation);
    joint->has_rotation = sn_json_numbers(&at, "rotation", 4, joint->rotation);
    joint->has_scale = sn_json_numbers(&at, "scale", 3, joint->scale);
    double square = 0;
    for (int k = 0; k < 4; ++k) {
        square += joint->rotation[k] * joint->rotation[k];
    }
    if (joint->has_rotation && !(square > 1e-12 && isfinite(square))) {
        const sn_json rotation = sn_json_get(&at, "rotation");
        sn_json_fail(&rotation, SN_ERROR_FORMAT, "is no rotation: a quaternion x y z w that is not 0");
    }
    for (int k = 0; k < 4 && r->json.result == SN_OK && joint->has_rotation; ++k) {
        joint->rotation[k] /= sqrt(square);
    }
}

/* "rest", or {"NODE": {"translation": ..., "rotation": ..., "scale": ...}, ...}. */
static void read_pose(sn_scene_reader *r, const sn_json *at, sn_sequence_key *key)
{
    const char *text = json_string_value(at->value);
    if (!at->value) {
        return;
    }
    key->has_pose = true;
    if (text && strcmp(text, "rest") == 0) {
        return;
    }
    if (!json_is_object(at->value) || json_object_size(at->value) > JOINT_LIMIT) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must be \"rest\", or an object of at most %d nodes", JOINT_LIMIT);
        return;
    }
    key->joints = SN_SCENE_NEW(r, sn_sequence_joint, (int)json_object_size(at->value));
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)at->value, name, value)
    {
        const char *copied = key->joints ? sn_scene_copy_text(r, name) : NULL;
        if (copied) {
            read_joint(r, at, copied, &key->joints[key->joint_count++]);
        }
    }
}

static void read_key(sn_scene_reader *r, const sn_json *at, sn_sequence_key *key)
{
    static const char *const members[] = {"seconds", "clip", "time", "pose", "shape", NULL};
    const sn_json pose = sn_json_get(at, "pose"), time = sn_json_get(at, "time");
    sn_json_check_keys(at, members);
    sn_json_require(at, "seconds");
    sn_scene_read_real(at, "seconds", 0, 1e5, &key->seconds);
    key->clip = sn_scene_read_text(r, at, "clip");
    sn_scene_read_real(at, "time", 0, 1e5, &key->clip_seconds);
    read_pose(r, &pose, key);
    key->shape = sn_scene_read_path(r, at, "shape");
    if (pose.value && key->clip) {
        sn_json_fail(&pose, SN_ERROR_FORMAT, "stands beside a clip: a key has one of them");
    }
    if (time.value && !key->clip) {
        sn_json_fail(&time, SN_ERROR_FORMAT, "is that of a clip, which the key does not name");
    }
}

static void read_keys(sn_scene_reader *r, const sn_json *root, sn_sequence_file *to)
{
    const sn_json list = sn_json_get(root, "keys");
    sn_json_require(root, "keys");
    const int count = sn_scene_count(&list, KEY_LIMIT);
    if (count < 2 && !sn_json_failed(&list)) {
        sn_json_fail(&list, SN_ERROR_FORMAT, "has %d entries: a sequence takes two", count);
    }
    to->keys = SN_SCENE_NEW(r, sn_sequence_key, count);
    for (int i = 0; i < count && to->keys && !sn_json_failed(&list); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i), seconds = sn_json_get(&at, "seconds");
        read_key(r, &at, &to->keys[i]);
        to->key_count = i + 1;
        if (i > 0 && !sn_json_failed(&at) && !(to->keys[i].seconds > to->keys[i - 1].seconds)) {
            sn_json_fail(&seconds, SN_ERROR_FORMAT, "is %g, which is not behind the key before, at %g",
                         to->keys[i].seconds, to->keys[i - 1].seconds);
        }
    }
}

static void read_checks(sn_scene_reader *r, const sn_json *root, sn_sequence_file *to)
{
    static const char *const members[] = {"seconds", "shape", NULL};
    const sn_json list = sn_json_get(root, "check");
    const int count = list.value ? sn_scene_count(&list, CHECK_LIMIT) : 0;
    to->checks = SN_SCENE_NEW(r, sn_sequence_check, count);
    for (int i = 0; i < count && to->checks && !sn_json_failed(&list); ++i) {
        const sn_json at = sn_json_entry(&list, (size_t)i);
        sn_json_check_keys(&at, members);
        sn_json_require(&at, "seconds");
        sn_json_require(&at, "shape");
        sn_scene_read_real(&at, "seconds", 0, 1e5, &to->checks[i].seconds);
        to->checks[i].shape = sn_scene_read_path(r, &at, "shape");
        to->check_count = i + 1;
    }
}

static void read_document(sn_scene_reader *r, const sn_json *root, sn_sequence_file *to)
{
    static const char *const members[] = {"character", "name", "material",  "harmonics", "parts", "spacing", "snap",
                                          "joins",     "fps",  "key_error", "keys",      "check", NULL};
    static const char *const joins[] = {"continuous", "rest", NULL};
    int join = 0;
    sn_json_check_keys(root, members);
    sn_json_require(root, "character");
    to->character = sn_scene_read_path(r, root, "character");
    to->clip_name = sn_scene_read_text(r, root, "name");
    read_material(root, &to->material, &to->has_stretch);
    read_fit(root, &to->fit);
    sn_scene_read_choice(root, "joins", joins, &join);
    to->starts_at_rest = join == 1;
    sn_scene_read_real(root, "fps", 1, 1000, &to->frame_rate);
    sn_scene_read_real(root, "key_error", 1e-7, 1, &to->key_error);
    read_keys(r, root, to);
    read_checks(r, root, to);
}

sn_result sn_sequence_json_read(const sn_source *source, sn_arena *arena, sn_sequence_file *sequence)
{
    sn_scene_reader reader = {.json = {.name = source->name}, .arena = arena, .path = source->name};
    json_t *document = NULL;
    const sn_result result = sn_json_load(source, JSON_REJECT_DUPLICATES, &document);
    if (result != SN_OK) {
        return result;
    }
    const sn_json root = sn_json_root(&reader.json, document);
    *sequence = (sn_sequence_file){.material = sn_default_fourier_material(),
                                   .fit = sn_default_fourier_fit_desc(),
                                   .frame_rate = 30,
                                   .key_error = 1e-4};
    read_document(&reader, &root, sequence);
    json_decref(document);
    return reader.json.result;
}
