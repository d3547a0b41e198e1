/* SPDX-License-Identifier: MIT */
/* Analyzes the animation channels of a scene: which nodes they move, and the largest scales. */
#include "author/io/scene_pose.h"

#include <math.h>

/* Keys within these tolerances are equal to the rest transform: entries of a rotation, relative scale, and translation
 * relative to the largest one in the file. */
#define ROTATION_TOLERANCE 1e-4
#define SCALE_TOLERANCE 1e-4
#define TRANSLATION_TOLERANCE 1e-5

static double max_abs(const double *values, int count)
{
    double max_value = 0;
    for (int k = 0; k < count; ++k) {
        max_value = fmax(max_value, fabs(values[k]));
    }
    return max_value;
}

/* Returns a row of a key: its value or, for cubic keys, a tangent. */
static const float *row_of(const sn_scene_channel *c, int row)
{
    return c->values + (size_t)row * (size_t)c->width;
}

static int row_count(const sn_scene_channel *c)
{
    return c->interpolation == SN_KEYS_CUBIC ? 3 * c->key_count : c->key_count;
}

static bool is_tangent(const sn_scene_channel *c, int row)
{
    return c->interpolation == SN_KEYS_CUBIC && row % 3 != 1;
}

/* The largest translation component at rest or in a clip. */
static double max_translation(const sn_scene_file *scene)
{
    double length = 0;
    for (int i = 0; i < scene->node_count; ++i) {
        length = fmax(length, max_abs(scene->nodes[i].translation, 3));
    }
    for (int i = 0; i < scene->channel_count; ++i) {
        const sn_scene_channel *c = &scene->channels[i];
        for (int row = 0; c->path == SN_PATH_TRANSLATION && row < row_count(c); ++row) {
            for (int k = 0; k < 3; ++k) {
                length = fmax(length, fabs((double)row_of(c, row)[k]));
            }
        }
    }
    return length;
}

static const double *rest_of(const sn_scene_node *node, sn_scene_path path)
{
    return path == SN_PATH_TRANSLATION ? node->translation : path == SN_PATH_ROTATION ? node->rotation : node->scale;
}

/* The maximum difference of an entry; for a rotation, also of its negative. */
static double distance_from(const double *rest, const float *key, int width)
{
    double plus = 0, minus = 0;
    for (int k = 0; k < width; ++k) {
        plus = fmax(plus, fabs((double)key[k] - rest[k]));
        minus = fmax(minus, fabs((double)key[k] + rest[k]));
    }
    return width == 4 ? fmin(plus, minus) : plus;
}

static bool is_moving_channel(const sn_scene_file *scene, const sn_scene_channel *c, double length)
{
    static const double zero[4];
    const double *rest = rest_of(&scene->nodes[c->node], c->path);
    const double limit = c->path == SN_PATH_ROTATION ? ROTATION_TOLERANCE
                         : c->path == SN_PATH_SCALE  ? SCALE_TOLERANCE * max_abs(rest, 3)
                                                     : TRANSLATION_TOLERANCE * length;
    for (int row = 0; row < row_count(c); ++row) {
        if (distance_from(is_tangent(c, row) ? zero : rest, row_of(c, row), c->width) > limit) {
            return true;
        }
    }
    return false;
}

void sn_scene_find_animated_nodes(const sn_scene_file *scene, bool *is_moving)
{
    const double length = max_translation(scene);
    for (int i = 0; i < scene->node_count; ++i) {
        is_moving[i] = false;
    }
    for (int i = 0; i < scene->channel_count; ++i) {
        const sn_scene_channel *c = &scene->channels[i];
        if (c->path != SN_PATH_WEIGHTS && !is_moving[c->node]) {
            is_moving[c->node] = is_moving_channel(scene, c, length);
        }
    }
}

bool sn_scene_max_scales(const sn_scene_file *scene, double ratio, double *scales)
{
    bool is_any = false;
    for (int i = 0; i < scene->node_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            scales[3 * (size_t)i + (size_t)k] = scene->nodes[i].scale[k];
        }
    }
    for (int i = 0; i < scene->channel_count; ++i) {
        const sn_scene_channel *c = &scene->channels[i];
        for (int row = 0; c->path == SN_PATH_SCALE && row < row_count(c); ++row) {
            for (int k = 0; k < 3 && !is_tangent(c, row); ++k) {
                const double key = (double)row_of(c, row)[k], rest = scene->nodes[c->node].scale[k];
                double *scale = &scales[3 * (size_t)c->node + (size_t)k];
                if (fabs(rest) < ratio * fabs(key) && fabs(*scale) < fabs(key)) {
                    *scale = key;
                    is_any = true;
                }
            }
        }
    }
    return is_any;
}
