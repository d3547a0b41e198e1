/* SPDX-License-Identifier: MIT */
/* Writes the skeleton and its animation. An animation attribute has the values of all joints at each time, so its times
 * are the union of all channels' times; other channels are interpolated. */
#include <string.h>

#include "author/io/scene_pose.h"
#include "author/io/usd/usd_writer.h"
#include "host/math/affine.h"
#include "host/math/half.h"

typedef struct skeleton {
    int joint_count;
    const char **paths; /* (joint_count): "rig/hips/spine" */
    int32_t *nodes;     /* (joint_count) */
    int32_t *joints;    /* (node_count) joint of each node; -1: the node draws the mesh */
} skeleton;

static bool find_joints(sn_usd_writer *w, skeleton *s)
{
    const sn_scene_file *scene = w->scene;
    s->paths = SN_NEW(&w->arena, const char *, scene->node_count);
    s->nodes = SN_NEW(&w->arena, int32_t, scene->node_count);
    s->joints = SN_NEW(&w->arena, int32_t, scene->node_count);
    const char **names = SN_NEW(&w->arena, const char *, scene->node_count);
    if (!s->paths || !s->nodes || !s->joints || !names) {
        w->result = SN_ERROR_MEMORY;
        return false;
    }
    for (int i = 0; i < scene->node_count; ++i) {
        const sn_scene_node *node = &scene->nodes[i];
        s->joints[i] = -1;
        if (node->mesh >= 0) {
            continue;
        }
        const char *name = sn_usd_identifier(w, node->name, names, s->joint_count);
        if (!name) {
            return false;
        }
        const char *parent = node->parent >= 0 ? s->paths[s->joints[node->parent]] : "";
        const size_t size = strlen(parent), length = strlen(name);
        char *path = SN_NEW(&w->arena, char, size + length + 2);
        if (!path) {
            w->result = SN_ERROR_MEMORY;
            return false;
        }
        memcpy(path, parent, size);
        path[size] = '/';
        memcpy(path + size + 1, name, length + 1);
        s->joints[i] = s->joint_count;
        s->nodes[s->joint_count] = i;
        names[s->joint_count] = name;
        s->paths[s->joint_count++] = size > 0 ? path : path + 1;
    }
    return true;
}

static void put_tokens(sn_usd_writer *w, const char *const *tokens, int count)
{
    sn_usd_put(w, "[");
    for (int i = 0; i < count; ++i) {
        sn_usd_put(w, i > 0 ? ", \"%s\"" : "\"%s\"", tokens[i]);
    }
    sn_usd_put(w, "]\n");
}

static void put_joints(sn_usd_writer *w, const skeleton *s)
{
    sn_usd_indent(w);
    sn_usd_put(w, "uniform token[] joints = ");
    put_tokens(w, s->paths, s->joint_count);
}

/* USD matrices act on row vectors, so the transpose is written. */
static void put_matrix(sn_usd_writer *w, const double *m)
{
    sn_usd_put(w, "(");
    for (int k = 0; k < 4; ++k) {
        sn_usd_put(w, "%s(%.17g, %.17g, %.17g, %d)", k > 0 ? ", " : "", m[k], m[4 + k], m[8 + k], k == 3);
    }
    sn_usd_put(w, ")");
}

/* Writes bind transforms (the inverse of the skin's matrices, or the rest transform of other joints) or rest
 * transforms. */
static void put_transforms(sn_usd_writer *w, const skeleton *s, bool is_bind)
{
    const sn_scene_skin *skin = &w->scene->skins[0];
    double *world = SN_NEW(&w->arena, double, 12 * (size_t)s->joint_count);
    if (!world) {
        w->result = SN_ERROR_MEMORY;
        return;
    }
    sn_usd_indent(w);
    sn_usd_put(w, "uniform matrix4d[] %s = [", is_bind ? "bindTransforms" : "restTransforms");
    for (int j = 0; j < s->joint_count; ++j) {
        const sn_scene_node *node = &w->scene->nodes[s->nodes[j]];
        double *m = world + 12 * (size_t)j, bind[12];
        memcpy(m, node->local, sizeof bind);
        if (node->parent >= 0 && is_bind) {
            sn_affine_multiply(world + 12 * (size_t)s->joints[node->parent], node->local, m);
        }
        memcpy(bind, m, sizeof bind);
        for (int k = 0; k < skin->joint_count && is_bind; ++k) {
            if (skin->joints[k] == s->nodes[j]) {
                sn_affine_invert(skin->inverse_bind + 12 * (size_t)k, bind);
            }
        }
        sn_usd_put(w, "%s", j > 0 ? ", " : "");
        put_matrix(w, bind);
    }
    sn_usd_put(w, "]\n");
}

static const sn_scene_channel *find_channel(const sn_usd_writer *w, int32_t node, sn_scene_path path)
{
    for (int i = 0; i < w->scene->channel_count; ++i) {
        if (w->scene->channels[i].node == node && w->scene->channels[i].path == path) {
            return &w->scene->channels[i];
        }
    }
    return NULL;
}

/* The ascending key times of all channels with this path. */
static int find_times(sn_usd_writer *w, sn_scene_path path, float **times)
{
    size_t count = 0, capacity = 0;
    for (int i = 0; i < w->scene->channel_count; ++i) {
        capacity += w->scene->channels[i].path == path ? (size_t)w->scene->channels[i].key_count : 0;
    }
    *times = SN_NEW(&w->arena, float, capacity + 1);
    if (!*times) {
        w->result = SN_ERROR_MEMORY;
        return 0;
    }
    for (int i = 0; i < w->scene->channel_count; ++i) {
        const sn_scene_channel *c = &w->scene->channels[i];
        size_t at = 0; /* both lists ascend */
        for (int k = 0; k < c->key_count && c->path == path; ++k) {
            while (at < count && (*times)[at] < c->times[k]) {
                ++at;
            }
            if (at == count || (*times)[at] > c->times[k]) {
                memmove(*times + at + 1, *times + at, (count++ - at) * sizeof(float));
                (*times)[at] = c->times[k];
            }
        }
    }
    return (int)count;
}

typedef struct attribute {
    const char *type, *name;
    sn_scene_path path;
    int width;
} attribute;

static void rest_value(const sn_scene_node *node, sn_scene_path path, double *value)
{
    const double *from = path == SN_PATH_TRANSLATION ? node->translation
                         : path == SN_PATH_ROTATION  ? node->rotation
                                                     : node->scale;
    memcpy(value, from, (path == SN_PATH_ROTATION ? 4 : 3) * sizeof(double));
}

/* Writes one value per joint at a time; at rest if the time is negative. */
static void put_values(sn_usd_writer *w, const skeleton *s, const sn_scene_channel *const *channels, const attribute *a,
                       double seconds)
{
    sn_usd_put(w, "[");
    for (int j = 0; j < s->joint_count; ++j) {
        double value[4];
        rest_value(&w->scene->nodes[s->nodes[j]], a->path, value);
        if (channels[j] && seconds >= 0) {
            sn_scene_channel_sample(channels[j], seconds, value);
        }
        sn_usd_put(w, "%s(", j > 0 ? ", " : "");
        for (int k = 0; k < a->width; ++k) { /* quaternions have their real part first */
            double number = a->width == 4 ? value[(k + 3) % 4] : value[k];
            number = a->path == SN_PATH_SCALE ? (double)sn_float_from_half(sn_half_from_float((float)number)) : number;
            sn_usd_put(w, k > 0 ? ", %.9g" : "%.9g", (double)(float)number);
        }
        sn_usd_put(w, ")");
    }
    sn_usd_put(w, "]");
}

static void put_attribute(sn_usd_writer *w, const skeleton *s, const attribute *a)
{
    const sn_scene_channel **channels = SN_NEW(&w->arena, const sn_scene_channel *, s->joint_count);
    float *times = NULL;
    const int count = find_times(w, a->path, &times);
    if (!channels || w->result != SN_OK) {
        w->result = SN_ERROR_MEMORY;
        return;
    }
    for (int j = 0; j < s->joint_count; ++j) {
        channels[j] = find_channel(w, s->nodes[j], a->path);
    }
    sn_usd_indent(w);
    sn_usd_put(w, "%s[] %s = ", a->type, a->name);
    put_values(w, s, channels, a, -1);
    sn_usd_put(w, "\n");
    if (count == 0) {
        return;
    }
    sn_usd_line(w, "%s[] %s.timeSamples = {", a->type, a->name);
    for (int i = 0; i < count; ++i) {
        sn_usd_indent(w);
        sn_usd_put(w, "    %.9g: ", (double)times[i] * w->frame_rate);
        put_values(w, s, channels, a, (double)times[i]);
        sn_usd_put(w, ",\n");
    }
    sn_usd_line(w, "}");
}

static void put_weights(sn_usd_writer *w, const char *const *targets)
{
    const sn_scene_mesh *mesh = &w->scene->meshes[0];
    if (mesh->morph_count == 0) {
        return;
    }
    sn_usd_indent(w);
    sn_usd_put(w, "uniform token[] blendShapes = ");
    put_tokens(w, targets, mesh->morph_count);
    sn_usd_indent(w); /* a default is required in addition to samples */
    sn_usd_put(w, "float[] blendShapeWeights = ");
    sn_usd_floats(w, mesh->morph_weights, mesh->morph_count, 1, 1, SN_USD_EXACT);
    sn_usd_put(w, "\n");
    for (int i = 0; i < w->scene->channel_count; ++i) {
        const sn_scene_channel *c = &w->scene->channels[i];
        if (c->path != SN_PATH_WEIGHTS) {
            continue;
        }
        sn_usd_line(w, "float[] blendShapeWeights.timeSamples = {");
        for (int k = 0; k < c->key_count; ++k) {
            sn_usd_indent(w);
            sn_usd_put(w, "    %.9g: ", (double)c->times[k] * w->frame_rate);
            sn_usd_floats(w, c->values + (size_t)k * (size_t)c->width, c->width, 1, 1, SN_USD_EXACT);
            sn_usd_put(w, ",\n");
        }
        sn_usd_line(w, "}");
    }
}

int32_t *sn_usd_skin_joints(sn_usd_writer *w)
{
    const sn_scene_skin *skin = &w->scene->skins[0];
    int32_t *numbers = SN_NEW(&w->arena, int32_t, skin->joint_count);
    for (int j = 0; numbers && j < skin->joint_count; ++j) {
        for (int32_t node = 0; node < skin->joints[j]; ++node) {
            numbers[j] += w->scene->nodes[node].mesh < 0;
        }
    }
    w->result = numbers ? w->result : SN_ERROR_MEMORY;
    return numbers;
}

void sn_usd_write_skeleton(sn_usd_writer *w, const char *root, const char *const *targets)
{
    static const attribute attributes[] = {{"float3", "translations", SN_PATH_TRANSLATION, 3},
                                           {"quatf", "rotations", SN_PATH_ROTATION, 4},
                                           {"half3", "scales", SN_PATH_SCALE, 3}};
    skeleton s = {0};
    if (!find_joints(w, &s)) {
        return;
    }
    sn_usd_line(w, "def Skeleton \"Skeleton\" (");
    sn_usd_line(w, "    prepend apiSchemas = [\"SkelBindingAPI\"]");
    sn_usd_line(w, ")");
    sn_usd_open_brace(w);
    put_transforms(w, &s, true);
    put_joints(w, &s);
    put_transforms(w, &s, false);
    sn_usd_line(w, "rel skel:animationSource = </%s/Animation>", root);
    sn_usd_close_brace(w);
    sn_usd_put(w, "\n");
    sn_usd_line(w, "def SkelAnimation \"Animation\"");
    sn_usd_open_brace(w);
    put_joints(w, &s);
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; ++i) {
        put_attribute(w, &s, &attributes[i]);
    }
    put_weights(w, targets);
    sn_usd_close_brace(w);
}
